// Package catalog knows the providers: who they are, where they report their state, and how a team's files, regions and
// other spellings reveal them. Everything is embedded; an overlay file adds and changes providers.
package catalog

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"downwind"
)

// Catalog is an immutable set of providers. Overlay and With return a new one.
type Catalog struct {
	providers []downwind.Provider // sorted by slug
	bySlug    map[string]int
	byFold    map[string]int // folded slugs, aliases and names
	byHost    map[string]int // hosts of status pages and home pages, without "www."
}

// providerFile is the shape of data/providers/*.toml and of an overlay file; docs/sources.md documents it.
type providerFile struct {
	Provider []providerEntry `toml:"provider"`
}

type providerEntry struct {
	Slug        string   `toml:"slug"`
	Name        string   `toml:"name"`
	Homepage    string   `toml:"homepage"`
	StatusURL   string   `toml:"status_url"`
	Platform    string   `toml:"platform"`
	Verified    bool     `toml:"verified"`
	Unsupported string   `toml:"unsupported"`
	Interval    string   `toml:"interval"`
	Aliases     []string `toml:"aliases"`
	Regions     []string `toml:"regions"`
	// Components are names; "Group » Name" for those in a group.
	Components []string `toml:"components"`
}

// Load returns the built-in catalogue. It is parsed once; the value is shared and never changes.
var Load = sync.OnceValues(func() (*Catalog, error) {
	all := make([]downwind.Provider, 0, 700)
	for _, f := range providerFiles {
		entries, err := parseProviders(*f.text)
		if err != nil {
			return nil, fmt.Errorf("catalogue %s: %w", f.name, err)
		}
		for _, e := range entries {
			p, err := e.over(downwind.Provider{})
			if err != nil {
				return nil, fmt.Errorf("catalogue %s: %w", f.name, err)
			}
			all = append(all, p)
		}
	}
	for i := range all {
		if len(all[i].Regions) == 0 {
			all[i].Regions = regionCodes(all[i].Slug)
		}
	}
	return newCatalog(all)
})

// Name returns the display name of a built-in provider without decoding the catalogue, which takes milliseconds; the slug
// where there is no such provider.
func Name(slug string) string {
	if !validSlug(slug) {
		return slug
	}
	file := providerFiles[0]
	if slug[0] >= 'a' {
		file = providerFiles[1+slug[0]-'a']
	}
	_, entry, found := strings.Cut(*file.text, "\nslug = \""+slug+"\"\nname = \"")
	if !found {
		return slug
	}
	name, _, _ := strings.Cut(entry, "\"\n")
	return name
}

// parseProviders decodes a catalogue file; unknown keys are refused by name and line.
func parseProviders(text string) ([]providerEntry, error) {
	var f providerFile
	dec := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) && len(strict.Errors) > 0 {
			line, _ := strict.Errors[0].Position()
			return nil, fmt.Errorf("line %d: unknown key %q", line, strings.Join(strict.Errors[0].Key(), "."))
		}
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, _ := syntax.Position()
			return nil, fmt.Errorf("line %d: %s", line, syntax.Error())
		}
		return nil, err
	}
	return f.Provider, nil
}

// over writes the entry's stated fields over a provider.
func (e providerEntry) over(p downwind.Provider) (downwind.Provider, error) {
	if !validSlug(e.Slug) {
		return p, fmt.Errorf("provider %q: a slug has lower-case letters, digits and hyphens only", e.Slug)
	}
	p.Slug = e.Slug
	set := func(field *string, v string) {
		if v != "" {
			*field = v
		}
	}
	set(&p.Name, e.Name)
	set(&p.Homepage, e.Homepage)
	set(&p.StatusURL, e.StatusURL)
	set(&p.Platform, e.Platform)
	p.Unsupported = e.Unsupported
	p.Verified = e.Verified || p.Verified && e.StatusURL == "" && e.Platform == ""
	if p.Name == "" {
		p.Name = p.Slug
	}
	if e.Interval != "" {
		d, err := time.ParseDuration(e.Interval)
		if err != nil || d < time.Second {
			return p, fmt.Errorf("provider %s: interval %q is no duration of a second or more", e.Slug, e.Interval)
		}
		p.Interval = d
	}
	p.Aliases = append(slices.Clip(p.Aliases), e.Aliases...)
	if len(e.Regions) > 0 {
		p.Regions = e.Regions
	}
	if len(e.Components) > 0 {
		p.Components = nil
	}
	for _, c := range e.Components {
		group, name, grouped := strings.Cut(c, " » ")
		if !grouped {
			group, name = "", c
		}
		p.Components = append(p.Components, downwind.Component{Name: name, Group: group})
	}
	return p, nil
}

func validSlug(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return true
}

// newCatalog indexes providers; a slug or alias that two of them claim is an error.
func newCatalog(all []downwind.Provider) (*Catalog, error) {
	sort.Slice(all, func(i, j int) bool { return all[i].Slug < all[j].Slug })
	c := &Catalog{
		providers: all, bySlug: make(map[string]int, len(all)), byFold: make(map[string]int, 3*len(all)),
		byHost: make(map[string]int, 2*len(all)),
	}
	for i := range all {
		if _, taken := c.bySlug[all[i].Slug]; taken {
			return nil, fmt.Errorf("provider %s is listed twice", all[i].Slug)
		}
		c.bySlug[all[i].Slug] = i
		c.byFold[downwind.Fold(all[i].Slug)] = i
	}
	for i := range all {
		for _, a := range all[i].Aliases {
			if j, taken := c.byFold[downwind.Fold(a)]; taken && j != i && c.providers[j].Slug == a {
				return nil, fmt.Errorf("alias %s of %s is the slug of another provider", a, all[i].Slug)
			}
			c.byFold[downwind.Fold(a)] = i
		}
	}
	for i := range all {
		if k := downwind.Fold(all[i].Name); k != "" {
			if _, taken := c.byFold[k]; !taken {
				c.byFold[k] = i
			}
		}
	}
	c.indexHosts()
	return c, nil
}

// Overlay reads a catalogue file of the user's: an entry with a known slug changes the fields that it states, another
// adds a provider.
func (c *Catalog) Overlay(path string) (*Catalog, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("catalogue overlay: %w", err)
	}
	entries, err := parseProviders(string(text))
	if err != nil {
		return nil, fmt.Errorf("catalogue overlay %s: %w", path, err)
	}
	all := slices.Clone(c.providers)
	for _, e := range entries {
		i, known := c.bySlug[e.Slug]
		var base downwind.Provider
		if known {
			base = all[i]
		}
		p, err := e.over(base)
		if err != nil {
			return nil, fmt.Errorf("catalogue overlay %s: %w", path, err)
		}
		if known {
			all[i] = p
			continue
		}
		if p.StatusURL == "" {
			return nil, fmt.Errorf("catalogue overlay %s: new provider %s has no status_url", path, p.Slug)
		}
		all = append(all, p)
	}
	return newCatalog(all)
}

// With returns the catalogue with these providers added or replaced by slug: those of the configuration, or found by
// detection.
func (c *Catalog) With(ps ...downwind.Provider) (*Catalog, error) {
	all := slices.Clone(c.providers)
	for _, p := range ps {
		if !validSlug(p.Slug) {
			return nil, fmt.Errorf("provider %q: a slug has lower-case letters, digits and hyphens only: %w", p.Slug, downwind.ErrInvalid)
		}
		if i := slices.IndexFunc(all, func(q downwind.Provider) bool { return q.Slug == p.Slug }); i >= 0 {
			all[i] = p
			continue
		}
		all = append(all, p)
	}
	return newCatalog(all)
}

// All returns every provider, by slug; the slice is shared and must not be changed.
func (c *Catalog) All() []downwind.Provider { return c.providers }

// Provider returns the provider with this slug exactly.
func (c *Catalog) Provider(slug string) (downwind.Provider, bool) {
	i, ok := c.bySlug[slug]
	if !ok {
		return downwind.Provider{}, false
	}
	return c.providers[i], true
}
