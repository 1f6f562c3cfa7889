package match

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// used is where a service of the stack runs.
type used struct {
	places []catalog.Place
	assets []*asset
	// open says that a part of it has a place that the files do not tell.
	open bool
	// assumed says that the place is the vendor's documented default.
	assumed bool
}

// where gathers the places of a finding's service: those of its own evidence, else those set for the provider as a whole,
// else the vendor's default.
func (c *hearing) where(f *finding) used {
	var u used
	visited := c.visited(f.item)
	for _, a := range f.assets {
		if visited && a.ev.Kind != "domain" && !slices.Contains(a.services, f.item.service) {
			continue // where something else runs
		}
		if len(a.places) > 0 {
			u.places = append(u.places, a.places...)
			u.assets = append(u.assets, a)
			continue
		}
		if a.infra {
			u.open = true
		}
	}
	if s := f.item.service; s != nil && s.Build {
		u.places = append(u.places, c.use.anywhere...) // what is built and changed runs elsewhere
	}
	if visited && len(u.places) == 0 {
		return used{open: true}
	}
	if len(u.places) > 0 && !c.loose(f) {
		return u
	}
	if len(c.use.anywhere) > 0 {
		u.places = append(u.places, c.use.anywhere...)
		u.assets = f.assets
		u.open = false
		return u
	}
	if len(u.places) > 0 {
		return u
	}
	if one := c.use.only(); one != nil && !u.open && !c.edge(f.item) {
		return used{places: one, assets: f.assets, assumed: true}
	}
	if d, ok := c.judge.services.Trait(c.provider, "default-place"); ok {
		return used{places: c.judge.regions.Resolve(c.provider, d), assets: f.assets, assumed: true}
	}
	u.open = true
	return u
}

// listedPlaces are the places that the components name, for services that only the words name.
func (c *hearing) listedPlaces() (places []catalog.Place, global bool) {
	for _, it := range c.items {
		for _, p := range it.places {
			global = global || p.Kind == catalog.PlaceGlobal
			places = append(places, p)
		}
		if it.listed && len(it.places) == 0 {
			return nil, false
		}
	}
	return places, global
}

// reached are the countries that the files say are served.
func (c *hearing) reached() used {
	u := used{open: true}
	for i := range c.use.assets {
		if a := &c.use.assets[i]; a.ev.Kind == "country" {
			u.places, u.assets = append(u.places, a.places...), append(u.assets, a)
		}
	}
	return u
}

// loose reports whether the finding rests on evidence of the provider as a whole, whose places say nothing of this service.
func (c *hearing) loose(f *finding) bool {
	return f.item.service != nil && f.item.service.Class == catalog.ServiceCore && len(c.use.anywhere) > 0 && c.use.narrowed
}

// judgePlace decides whether the place that is hit is one in which the stack uses the service.
func (c *hearing) judgePlace(f *finding) {
	s := f.item.service
	if s != nil && s.Global {
		f.places = c.regionNames(func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal })
		if s.Edge && c.atEdge && len(c.places) > 0 && !c.everywhere {
			c.placeOpen(f, c.places)
		}
		return
	}
	hit := f.item.places
	global := slices.ContainsFunc(hit, func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal })
	if len(hit) == 0 {
		hit, global = c.places, c.everywhere && len(c.places) == 0
		if len(hit) == 0 && !c.everywhere && !f.item.listed {
			hit, global = c.listedPlaces()
		}
		if c.everywhere {
			f.places = c.regionNames(func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal })
		}
	}
	if cloud := orElse(cloudIn(f.item.name), c.cloud); cloud != "" && len(c.use.clouds) > 0 && !c.use.clouds[cloud] {
		c.apart(f, "only what runs on "+cloud+" is hit, and these files use another cloud", f.assets)
		return
	}
	u := c.where(f)
	if s != nil && s.Abroad && len(hit) > 0 && !slices.ContainsFunc(hit, func(p catalog.Place) bool { return p.Kind == catalog.PlaceRegion || p.Kind == catalog.PlaceZone }) {
		u = c.reached()
	}
	if c.placeCleared(f, u, hit) {
		return
	}
	if global {
		f.places = c.regionNames(func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal })
	}
	if global || c.everywhere && len(f.item.places) == 0 || len(hit) == 0 {
		return
	}
	switch {
	case len(u.places) > 0:
		c.placeKnown(f, u, hit)
	case c.allOver:
		f.weak = true // components of single places, and words that say "in all regions"
	default:
		c.placeOpen(f, hit)
	}
}

// placeCleared holds what runs only in places that the words clear, and items whose own place is cleared.
func (c *hearing) placeCleared(f *finding, u used, hit []catalog.Place) bool {
	if len(c.sparedPlaces) == 0 {
		return false
	}
	cleared := func(p catalog.Place) bool {
		return slices.ContainsFunc(c.sparedPlaces, func(q catalog.Place) bool { return c.judge.regions.Relate(q, p) == catalog.PlacesSame })
	}
	if len(f.item.places) > 0 && !slices.ContainsFunc(f.item.places, func(p catalog.Place) bool { return !c.isSpared(p) }) {
		c.apart(f, "the words clear "+f.item.places[0].Name, f.assets)
		return true
	}
	for _, h := range hit {
		if slices.ContainsFunc(u.places, func(p catalog.Place) bool {
			return c.judge.regions.Relate(h, p) == catalog.PlacesSame && !c.isSpared(h)
		}) {
			return false
		}
	}
	if len(u.places) > 0 && !u.open && !slices.ContainsFunc(u.places, func(p catalog.Place) bool { return !cleared(p) }) {
		c.apart(f, "the words clear "+u.places[0].Name, u.assets)
		return true
	}
	return false
}

func (c *hearing) apart(f *finding, whyNot string, assets []*asset) {
	f.level, f.held, f.whyNot = misses, downwind.HeldRegion, whyNot
	if len(assets) > 0 {
		f.assets = assets
	}
}

// placeOpen answers where the files tell no place.
func (c *hearing) placeOpen(f *finding, hit []catalog.Place) {
	edge := c.edge(f.item)
	if edge && c.wide {
		f.weak = true
		f.places = placeNames(hit)
		return
	}
	_, network := c.judge.services.Trait(c.provider, "edge")
	if edge && network && c.inc.Kind == downwind.KindMaintenance && len(hit) == 1 && (hit[0].Kind == catalog.PlaceCity || hit[0].Kind == catalog.PlaceRegion && hit[0].City != "") {
		c.apart(f, fmt.Sprintf("traffic moves away from %s while it is maintained, and no file is fixed there", hit[0].Name), f.assets)
		return
	}
	f.level, f.question = mayHit, orElse(f.question, "region")
	if c.zoneOnly {
		f.question = "zone"
	}
}

// edge reports whether end users choose the place of what the item names.
func (c *hearing) edge(it *item) bool {
	if it.service != nil {
		return it.service.Edge
	}
	_, is := c.judge.services.Trait(c.provider, "edge")
	return is
}

// visited reports whether the item is an edge network: each visitor comes to the nearest place, wherever the rest of the stack runs.
func (r *Reading) visited(it *item) bool {
	_, network := r.judge.services.Trait(r.provider, "edge")
	return network && it.service != nil && it.service.Edge
}

// placeKnown compares the places that are hit with those that are used.
func (c *hearing) placeKnown(f *finding, u used, hit []catalog.Place) {
	best, names := catalog.PlacesApart, []string(nil)
	var assets []*asset
	_, spread := c.judge.services.Trait(c.provider, "spread")
	for _, h := range hit {
		if c.isSpared(h) {
			continue
		}
		for _, p := range u.places {
			if c.multiRegion && (h.Kind < catalog.PlaceRegion || h.Wide) && p.Kind >= catalog.PlaceRegion && !p.Wide {
				continue
			}
			n := c.judge.regions.Relate(h, p)
			if n == catalog.PlacesInside && spread && h.Kind != catalog.PlaceZone {
				n = catalog.PlacesSame
			}
			if n > best {
				best, names, assets = n, nil, nil
			}
			if n == best && n > catalog.PlacesApart && !slices.Contains(names, h.Name) {
				names = append(names, h.Name)
			}
			if n == best {
				assets = append(assets, holdersOf(u.assets, p)...)
			}
		}
	}
	f.weak = f.weak || u.assumed
	switch best {
	case catalog.PlacesSame:
		f.places = c.wordsFor(names, u)
		if len(assets) > 0 {
			f.assets = assets
		}
		c.judgeZone(f, u)
	case catalog.PlacesInside, catalog.PlacesUnclear:
		f.level, f.question, f.places = mayHit, orElse(f.question, "region"), c.wordsFor(names, u)
		if c.zoneOnly {
			c.judgeZone(f, u)
		}
	default:
		if u.open && c.use.only() == nil {
			f.level, f.question = mayHit, orElse(f.question, "region")
			return
		}
		c.apart(f, fmt.Sprintf("%s is hit in %s, and these files use it in %s", orElse(f.item.name, c.name),
			strings.Join(placeNames(hit), ", "), strings.Join(placeNames(u.places), ", ")), u.assets)
	}
}

// judgeZone asks for the zone where only one is hit.
func (c *hearing) judgeZone(f *finding, u used) {
	if !c.zoneOnly {
		return
	}
	if len(c.zones) == 0 || len(c.use.zones) == 0 {
		f.level, f.question = mayHit, "zone"
		return
	}
	best := catalog.PlacesApart
	for _, h := range c.zones {
		for _, z := range c.use.zones {
			best = max(best, c.judge.regions.Relate(h, z))
		}
	}
	switch best {
	case catalog.PlacesSame:
		f.level = hits
	case catalog.PlacesApart:
		c.apart(f, fmt.Sprintf("%s is hit, and these files name %s", c.zones[0].Name, c.use.zones[0].Name), u.assets)
	default:
		f.level, f.question = mayHit, "zone"
	}
}

func holdersOf(assets []*asset, p catalog.Place) []*asset {
	var out []*asset
	for _, a := range assets {
		if slices.ContainsFunc(a.places, func(q catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code }) {
			out = append(out, a)
		}
	}
	return out
}

func placeNames(ps []catalog.Place) []string {
	var out []string
	for _, p := range ps {
		if !slices.Contains(out, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// regionNames returns the page's own region words whose place fits.
func (c *hearing) regionNames(fits func(catalog.Place) bool) []string {
	var out []string
	for _, name := range c.inc.Regions {
		if slices.ContainsFunc(c.judge.regions.Resolve(c.provider, name), fits) {
			out = append(out, name)
		}
	}
	return out
}

// wordsFor names the places that are hit by the page's own region words where those cover what is used, else as the words do.
func (c *hearing) wordsFor(names []string, u used) []string {
	for _, near := range [...]catalog.Nearness{catalog.PlacesSame, catalog.PlacesInside} {
		var out []string
		for _, name := range c.inc.Regions {
			covers := slices.ContainsFunc(c.judge.regions.Resolve(c.provider, name), func(h catalog.Place) bool {
				return slices.ContainsFunc(u.places, func(p catalog.Place) bool { return c.judge.regions.Relate(h, p) >= near })
			})
			if covers && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		if out != nil {
			return out
		}
	}
	return names
}
