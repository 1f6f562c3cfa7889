package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed data/regions.tsv
var regionsTable string

//go:embed data/places.tsv
var placesTable string

// PlaceKind tells how wide a place is.
type PlaceKind int

// The kinds of places, widest first.
const (
	PlaceGlobal PlaceKind = iota
	PlaceArea
	PlaceCountry
	// PlaceGroup is a provider's name for several of its regions ("US East" of a provider with us-east-1 and us-east-2).
	PlaceGroup
	PlaceRegion
	PlaceCity
	PlaceZone
	// PlaceOther is a name that the gazetteer does not know; it equals itself only.
	PlaceOther
)

// A Place is somewhere that a provider's service can run or fail. Two places are compared with Regions.Relate, never by name.
type Place struct {
	Kind PlaceKind
	// Code is the provider's region code ("us-east-1"), the zone's code, or the gazetteer's own name of an area, country or city.
	Code string
	// Name is the place as it was written where it was found.
	Name string
	// Region is the region of a zone where its name tells it.
	Region string
	City   string
	// Country is a country, or an area for a region that a provider draws around several countries; empty: not known.
	Country string
	// Cloud is the slug of the cloud that a hosted region rides on, where the provider offers several.
	Cloud string
	// Wide says that a provider's region is drawn around a country or an area ("US", "EU") instead of one spot.
	Wide bool
}

// A Region is one row of the table: a place in which a provider runs its service.
type Region struct {
	Provider, Code, City, Country, Cloud string
	// Names are all other spellings.
	Names []string
}

// Regions is the gazetteer: the regions of providers, and areas, countries and cities common to all. It is read-only and
// safe for concurrent use.
type Regions struct {
	byProvider map[string]map[string][]Place
	common     map[string][]Place
	regions    map[string][]Region
	parents    map[string][]string
	longest    int
	heads      heads
}

// LoadRegions reads the built-in tables, once; the error names the row.
var LoadRegions = sync.OnceValues(func() (*Regions, error) { return parseRegions(regionsTable, placesTable) })

func parseRegions(regions, places string) (*Regions, error) {
	g := &Regions{
		byProvider: map[string]map[string][]Place{}, common: map[string][]Place{},
		regions: map[string][]Region{}, parents: map[string][]string{}, longest: 1,
	}
	if err := eachRow(places, 4, func(f []string) error {
		kind, ok := map[string]PlaceKind{"area": PlaceArea, "country": PlaceCountry, "city": PlaceCity}[f[0]]
		if !ok {
			return fmt.Errorf("kind %q is not area, country or city", f[0])
		}
		p := Place{Kind: kind, Code: f[1], Name: f[1]}
		switch kind {
		case PlaceCountry:
			p.Country = f[1]
			g.parents[f[1]] = splitNames(f[3])
		case PlaceArea:
			g.parents[f[1]] = splitNames(f[3])
		case PlaceCity:
			p.City, p.Country = f[1], f[3]
		}
		alone := []Place{p}
		for _, n := range splitNames(f[2]) {
			g.put(g.common, n, alone)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("places table: %w", err)
	}
	if err := eachRow(regions, 6, func(f []string) error {
		g.addRegion(Region{Provider: f[0], Code: f[1], Names: splitNames(f[2]), City: f[3], Country: f[4], Cloud: f[5]})
		return nil
	}); err != nil {
		return nil, fmt.Errorf("regions table: %w", err)
	}
	for _, k := range [...]string{"global", "worldwide", "allregions"} {
		g.heads.add(k)
	}
	g.heads.sort()
	return g, nil
}

func (g *Regions) addRegion(r Region) {
	p := Place{Kind: PlaceRegion, Code: r.Code, Name: r.Code, City: r.City, Country: r.Country, Cloud: r.Cloud}
	switch {
	case r.Code == "global" || r.Code == "roaming":
		p.Kind = PlaceGlobal
	case strings.HasSuffix(r.Code, "*"):
		p.Kind = PlaceGroup
	}
	p.Wide = p.Kind == PlaceRegion && r.City == "" && slices.ContainsFunc(append([]string{r.Code}, r.Names...), func(n string) bool {
		found := g.common[placeKey(n)]
		return found != nil && found[0].Kind != PlaceCity
	})
	names := g.byProvider[r.Provider]
	if names == nil {
		names = map[string][]Place{}
		g.byProvider[r.Provider] = names
	}
	alone := []Place{p}
	if p.Kind != PlaceGroup {
		g.put(names, r.Code, alone)
	}
	for _, n := range r.Names {
		g.put(names, n, alone)
	}
	if r.City != "" && p.Kind == PlaceRegion {
		city := Place{Kind: PlaceCity, Code: r.City, Name: r.City, City: r.City, Country: r.Country}
		if _, known := g.common[placeKey(r.City)]; !known {
			g.put(g.common, r.City, []Place{city})
		}
		if _, known := names[placeKey(r.City)]; !known {
			g.put(names, r.City, alone)
		}
	}
	if p.Kind != PlaceGroup {
		g.regions[r.Provider] = append(g.regions[r.Provider], r)
	}
}

// put files a place, alone in its list, under a name. The list stands for all names that mean nothing else.
func (g *Regions) put(into map[string][]Place, name string, alone []Place) {
	g.longest = max(g.longest, countWords(name))
	k := placeKey(name)
	g.heads.add(k)
	have := into[k]
	switch {
	case have == nil:
		into[k] = slices.Clip(alone)
	case !slices.ContainsFunc(have, func(p Place) bool { return p.Code == alone[0].Code }):
		into[k] = append(have, alone...)
	}
}

// Of returns the regions of a provider that the table knows, in its order; nil where it knows none.
func (g *Regions) Of(provider string) []Region { return g.regions[provider] }

// Own returns what a name means in the provider's own list of regions, nil where it is none of them.
func (g *Regions) Own(provider, name string) []Place { return g.byProvider[provider][placeKey(name)] }

// clouds are the providers whose region codes others borrow, in the order they are asked.
var clouds = [...]string{"aws", "google-cloud", "azure"}

// Resolve returns the places that a name or code means at a provider: its own regions first, then those of the clouds it
// may ride on, then areas, countries and cities. A name that nothing knows comes back as one PlaceOther; an empty name as none.
func (g *Regions) Resolve(provider, name string) []Place {
	name = strings.TrimSpace(name)
	if placeKey(name) == "" {
		return nil
	}
	if found := g.lookup(provider, placeKey(name)); found != nil {
		return named(found, name)
	}
	if z, ok := g.zone(provider, name); ok {
		return []Place{z}
	}
	if bare, cloud := cutCloud(name); bare != name {
		if found := g.lookup(cloud, placeKey(bare)); found != nil {
			return borrowed(named(found, name), provider, cloud)
		}
		if found := g.lookup(provider, placeKey(bare)); found != nil {
			return named(found, name)
		}
	}
	for _, c := range clouds {
		if found := g.byProvider[c][placeKey(name)]; found != nil {
			return borrowed(named(found, name), provider, c)
		}
	}
	// "CDG - Paris, France" and the like: what is known inside the name, narrowest first.
	if ms := g.Mentions(provider, name); len(ms) > 0 {
		best := ms[0]
		for _, m := range ms[1:] {
			if m.Places[0].Kind > best.Places[0].Kind {
				best = m
			}
		}
		return named(best.Places, name)
	}
	return []Place{{Kind: PlaceOther, Code: placeKey(name), Name: name}}
}

// lookup finds a folded name in the provider's own table, then in the common one.
func (g *Regions) lookup(provider, key string) []Place {
	if found := g.byProvider[provider][key]; found != nil {
		return found
	}
	if found := g.common[key]; found != nil {
		return found
	}
	if key == "global" || key == "worldwide" || key == "allregions" {
		return []Place{{Kind: PlaceGlobal, Code: "global", Name: "global"}}
	}
	return nil
}

func named(ps []Place, name string) []Place {
	out := make([]Place, len(ps))
	for i, p := range ps {
		p.Name = name
		out[i] = p
	}
	return out
}

// borrowed marks regions that a provider takes from the cloud it rides on.
func borrowed(ps []Place, provider, cloud string) []Place {
	if provider == cloud {
		return ps
	}
	for i := range ps {
		if ps[i].Cloud == "" {
			ps[i].Cloud = cloud
		}
	}
	return ps
}

// cutCloud takes the cloud's name off a borrowed code: "aws-us-east-2", "GCP us-central1", "us-east-1.aws", "prod-eu-west-2".
func cutCloud(name string) (bare, cloud string) {
	low := strings.ToLower(strings.TrimSpace(name))
	for _, c := range [...][2]string{{"aws", "aws"}, {"gcp", "google-cloud"}, {"azure", "azure"}, {"google cloud", "google-cloud"}, {"google", "google-cloud"}} {
		for _, sep := range [...]string{"-", " ", "_", "/", "."} {
			if rest, ok := strings.CutPrefix(low, c[0]+sep); ok {
				return strings.Trim(rest, " -"), c[1]
			}
			if rest, ok := strings.CutSuffix(low, sep+c[0]); ok {
				return strings.Trim(rest, " -"), c[1]
			}
		}
	}
	if rest, ok := strings.CutPrefix(low, "prod-"); ok {
		return rest, ""
	}
	return name, ""
}

// zone reads a zone's name: AWS letters ("eu-central-1b"), AWS ids ("euc1-az2"), Google letters ("us-east4-a").
func (g *Regions) zone(provider, name string) (Place, bool) {
	low := strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndex(low, "-az"); i > 0 && len(low) > i+3 && isDigits(low[i+3:]) {
		for _, p := range g.byProvider["aws"][placeKey(low[:i])] {
			return Place{Kind: PlaceZone, Code: low, Name: name, Region: p.Code, City: p.City, Country: p.Country}, true
		}
		return Place{}, false
	}
	if len(low) < 3 {
		return Place{}, false
	}
	last, rest := low[len(low)-1], low[:len(low)-1]
	if last < 'a' || last > 'f' {
		return Place{}, false
	}
	prev := rest[len(rest)-1]
	if prev != '-' && (prev < '0' || prev > '9') {
		return Place{}, false
	}
	rest = strings.TrimSuffix(rest, "-")
	for _, prov := range [...]string{provider, "aws", "google-cloud"} {
		for _, p := range g.byProvider[prov][placeKey(rest)] {
			if p.Kind == PlaceRegion {
				return Place{Kind: PlaceZone, Code: low, Name: name, Region: p.Code, City: p.City, Country: p.Country}, true
			}
		}
	}
	return Place{}, false
}

// heads are all folded names of a gazetteer, sorted, so that words that begin none of them are passed over at once.
type heads struct {
	keys []string
	// starts holds the first three bytes of every key.
	starts map[[3]byte]bool
}

func (h *heads) add(key string) {
	h.keys = append(h.keys, key)
	if len(key) >= 3 {
		if h.starts == nil {
			h.starts = map[[3]byte]bool{}
		}
		h.starts[[3]byte{key[0], key[1], key[2]}] = true
	}
}

// passes reports whether a word surely begins none of the names: quick, and false where only a search can tell.
func (h *heads) passes(word string) bool {
	if len(word) < 3 {
		return false
	}
	var start [3]byte
	for i := range start {
		c := word[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 0x80:
			return false
		}
		start[i] = c
	}
	return !h.starts[start] && start != [3]byte{'g', 'l', 'o'} && start != [3]byte{'w', 'o', 'r'} && start != [3]byte{'a', 'l', 'l'}
}

func (h *heads) sort() {
	slices.Sort(h.keys)
	h.keys = slices.Compact(h.keys)
}

// begins reports whether a name begins with these folded letters.
func (h *heads) begins(folded string) bool {
	i, exact := slices.BinarySearch(h.keys, folded)
	return exact || i < len(h.keys) && strings.HasPrefix(h.keys[i], folded)
}

func isDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// placeKey folds a name to letters and digits in lower case, so that "East US 2", "eastus2" and "EAST-US-2" are one.
func placeKey(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func placeWords(s string) []string {
	return strings.FieldsFunc(s, partsWords)
}

func partsWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func countWords(s string) (n int) {
	for range strings.FieldsFuncSeq(s, partsWords) {
		n++
	}
	return n
}

func splitNames(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// eachRow calls f with the fields of every row of a tab-separated table with a header line.
func eachRow(table string, columns int, f func(fields []string) error) error {
	for n, line := range strings.Split(table, "\n") {
		if n == 0 || line == "" {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != columns {
			return fmt.Errorf("line %d has %d columns, not %d", n+1, len(fields), columns)
		}
		if err := f(fields); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return nil
}
