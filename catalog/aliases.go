package catalog

import (
	"net/url"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/publicsuffix"

	"downwind"
)

// Renamed returns the slug that an older or other slug stands for now ("gcp" is "google-cloud"), compared by letters and
// digits. A current slug is itself.
func (c *Catalog) Renamed(slug string) (current string, ok bool) {
	if _, ok := c.bySlug[slug]; ok {
		return slug, true
	}
	i, ok := c.byFold[downwind.Fold(slug)]
	if !ok {
		return "", false
	}
	return c.providers[i].Slug, true
}

// Lookup finds a provider by slug, alias or name (compared by letters and digits), by the host of its home or status page,
// or by an address on one of them.
func (c *Catalog) Lookup(what string) (downwind.Provider, bool) {
	what = strings.TrimSpace(what)
	if p, ok := c.Provider(what); ok {
		return p, true
	}
	if !strings.Contains(what, "://") && !strings.Contains(what, "/") {
		if i, ok := c.byFold[downwind.Fold(what)]; ok && downwind.Fold(what) != "" {
			return c.providers[i], true
		}
	}
	return c.lookupHost(what)
}

// lookupHost finds the provider whose page is on a host, or on a domain above it, below the public suffix.
func (c *Catalog) lookupHost(what string) (downwind.Provider, bool) {
	host, path := splitAddress(what)
	if host == "" || !strings.Contains(host, ".") {
		return downwind.Provider{}, false
	}
	if path != "" {
		if i, ok := c.byHost[host+path]; ok {
			return c.providers[i], true
		}
	}
	suffix, _ := publicsuffix.PublicSuffix(host)
	for h := host; h != "" && h != suffix; {
		if i, ok := c.byHost[h]; ok {
			return c.providers[i], true
		}
		_, rest, more := strings.Cut(h, ".")
		if !more {
			break
		}
		h = rest
	}
	return downwind.Provider{}, false
}

// splitAddress takes host (lower case, no port, no "www.") and path (no trailing slash) from an address or bare domain.
func splitAddress(what string) (host, path string) {
	if !strings.Contains(what, "://") {
		what = "https://" + what
	}
	u, err := url.Parse(what)
	if err != nil {
		return "", ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), strings.TrimRight(u.EscapedPath(), "/")
}

// indexHosts files providers under the hosts of their pages. Where several share a home page, the one whose slug is the
// domain's own name wins, then the first.
func (c *Catalog) indexHosts() {
	put := func(key string, i int) {
		old, taken := c.byHost[key]
		if !taken || c.namesake(i, key) && !c.namesake(old, key) {
			c.byHost[key] = i
		}
	}
	for i := range c.providers {
		host, path := splitAddress(c.providers[i].StatusURL)
		if host == "" || c.providers[i].StatusURL == "" {
			continue
		}
		if path != "" {
			put(host+path, i)
		}
		if host != "google.com" { // one of many products on the company's own host
			put(host, i)
		}
	}
	for i := range c.providers {
		if host, _ := splitAddress(c.providers[i].Homepage); c.providers[i].Homepage != "" && host != "" {
			put(host, i)
		}
	}
}

func (c *Catalog) namesake(i int, host string) bool {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return false
	}
	label, _, _ := strings.Cut(domain, ".")
	return c.providers[i].Slug == label
}

// Search returns providers whose slug, name, alias or home page fit a query, best first: equal, beginning, a word's
// beginning, anywhere. An empty query returns all.
func (c *Catalog) Search(query string) []downwind.Provider {
	q := downwind.Fold(query)
	if q == "" {
		return c.providers
	}
	type hit struct{ at, rank int }
	var hits []hit
	for i := range c.providers {
		if r := searchRank(&c.providers[i], q, strings.ToLower(query)); r > 0 {
			hits = append(hits, hit{i, r})
		}
	}
	sort.SliceStable(hits, func(a, b int) bool { return hits[a].rank > hits[b].rank })
	out := make([]downwind.Provider, len(hits))
	for i, h := range hits {
		out[i] = c.providers[h.at]
	}
	return out
}

func searchRank(p *downwind.Provider, folded, plain string) int {
	best := 0
	for n, s := range append([]string{p.Slug, p.Name}, p.Aliases...) {
		f := downwind.Fold(s)
		r := 0
		switch {
		case f == folded:
			r = 100
		case strings.HasPrefix(f, folded):
			r = 80
		case wordPrefix(s, plain):
			r = 60
		case len(folded) >= 3 && strings.Contains(f, folded):
			r = 40
		}
		if n > 1 {
			r -= 5 // aliases after names
		}
		best = max(best, r)
	}
	if best <= 0 && len(plain) >= 3 && strings.Contains(p.Homepage, plain) {
		best = 20
	}
	return max(best, 0)
}

func wordPrefix(s, prefix string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' || r == '.' }),
		func(w string) bool { return strings.HasPrefix(w, prefix) })
}

// Closest returns slugs for "did you mean": those within an edit distance of 2 of the name, by slug, name or alias, nearest
// first, at most max.
func (c *Catalog) Closest(name string, most int) []string {
	want := []rune(downwind.Fold(name))
	if len(want) == 0 {
		return nil
	}
	limit := 2
	if len(want) <= 3 {
		limit = 1
	}
	type near struct {
		slug string
		d    int
	}
	best := map[string]int{}
	for fold, i := range c.byFold {
		d := distance(want, []rune(fold), limit)
		if d > limit {
			continue
		}
		slug := c.providers[i].Slug
		if old, ok := best[slug]; !ok || d < old {
			best[slug] = d
		}
	}
	list := make([]near, 0, len(best))
	for s, d := range best {
		list = append(list, near{s, d})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].d != list[j].d {
			return list[i].d < list[j].d
		}
		return list[i].slug < list[j].slug
	})
	var out []string
	for _, n := range list[:min(len(list), most)] {
		out = append(out, n.slug)
	}
	return out
}

// distance is the number of edits (insert, delete, replace, swap of neighbours) between two words, limit+1 when it is more
// than the limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := row[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
