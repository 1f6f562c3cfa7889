package webtest

import (
	"context"
	"sort"
	"strings"

	"downwind"
)

// A Catalog is a web.Catalog over a list.
type Catalog []downwind.Provider

// Provider implements web.Catalog.
func (c Catalog) Provider(slug string) (downwind.Provider, bool) {
	for _, p := range c {
		if p.Slug == slug {
			return p, true
		}
	}
	return downwind.Provider{}, false
}

// Lookup implements web.Catalog: slugs, names and aliases.
func (c Catalog) Lookup(what string) (downwind.Provider, bool) {
	for _, p := range c {
		for _, name := range append([]string{p.Slug, p.Name}, p.Aliases...) {
			if downwind.Fold(name) == downwind.Fold(what) && downwind.Fold(what) != "" {
				return p, true
			}
		}
	}
	return downwind.Provider{}, false
}

// All implements web.Catalog.
func (c Catalog) All() []downwind.Provider { return c }

// Search implements web.Catalog.
func (c Catalog) Search(query string) []downwind.Provider {
	var out []downwind.Provider
	for _, p := range c {
		if strings.Contains(downwind.Fold(p.Name), downwind.Fold(query)) {
			out = append(out, p)
		}
	}
	return out
}

// Closest implements web.Catalog: slugs with the same beginning.
func (c Catalog) Closest(name string, most int) []string {
	var out []string
	for _, p := range c {
		if len(name) >= 3 && strings.HasPrefix(p.Slug, strings.ToLower(name[:3])) && len(out) < most {
			out = append(out, p.Slug)
		}
	}
	return out
}

// Stacks is a web.Stacks that finds a provider wherever its slug or home page stands in a line of a file.
type Stacks struct{ Catalog Catalog }

// ReadFiles implements web.Stacks.
func (s Stacks) ReadFiles(_ context.Context, files map[string][]byte) downwind.Stack {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	stack := downwind.Stack{}
	at := map[string]int{}
	for _, name := range names {
		file := downwind.StackFile{Path: name, Kind: "lines"}
		for n, line := range strings.Split(string(files[name]), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "{") || strings.HasPrefix(line, "}") {
				continue
			}
			file.Dependencies++
			if i := strings.Index(line, "SECRET="); i >= 0 {
				stack.Dropped++
				continue
			}
			if !s.find(&stack, at, name, n+1, line) && strings.Contains(line, ".example") {
				stack.Unknown = append(stack.Unknown, downwind.Evidence{File: name, Line: n + 1, Kind: "domain", Match: line})
			}
		}
		stack.Files = append(stack.Files, file)
	}
	return stack
}

// find adds the providers of one line.
func (s Stacks) find(stack *downwind.Stack, at map[string]int, name string, n int, line string) bool {
	found := false
	for _, p := range s.Catalog {
		sure := strings.Contains(line, p.Homepage)
		if !sure && !strings.Contains(line, p.Slug) {
			continue
		}
		found = true
		i, ok := at[p.Slug]
		if !ok {
			i = len(stack.Providers)
			at[p.Slug] = i
			stack.Providers = append(stack.Providers, downwind.Use{Provider: p.Slug, Name: p.Name, Confidence: downwind.Likely})
		}
		u := &stack.Providers[i]
		if sure {
			u.Confidence = downwind.Sure
		}
		u.Evidence = append(u.Evidence, downwind.Evidence{File: name, Line: n, Kind: "lines", Match: strings.Trim(line, `",`), Direct: true})
	}
	return found
}
