package match

import (
	"slices"
	"sync"

	"downwind"
	"downwind/catalog"
)

// An Index finds the teams that an incident may hit without looking at the others: provider, then service and region, to
// teams. It errs on the side of naming a team; Judge has the last word. It is safe for concurrent use.
type Index struct {
	judge *Judge

	mu        sync.RWMutex
	providers map[string]*shelf
	teams     map[string][]string
}

// A shelf is what the index knows of one provider.
type shelf struct {
	// all are the teams that use the provider; open those with something that the key does not narrow (no service told, or no
	// region told); by the teams that use a service in a region.
	open map[string]struct{}
	by   map[string]map[string]struct{}
	// places are all regions told by teams, by the key of the place; any is for services without a region.
	places map[string]catalog.Place
	keys   map[string][]string
	all    map[string]struct{}
}

// NewIndex returns an empty index.
func NewIndex(j *Judge) *Index {
	return &Index{judge: j, providers: map[string]*shelf{}, teams: map[string][]string{}}
}

// Add takes in a team's stack, instead of the one it had.
func (x *Index) Add(team string, stack *downwind.Stack) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(team)
	for i := range stack.Providers {
		u := &stack.Providers[i]
		p := downwind.Fold(u.Provider)
		s := x.providers[p]
		if s == nil {
			s = &shelf{open: map[string]struct{}{}, by: map[string]map[string]struct{}{}, places: map[string]catalog.Place{}, keys: map[string][]string{}, all: map[string]struct{}{}}
			x.providers[p] = s
		}
		s.all[team] = struct{}{}
		x.teams[team] = append(x.teams[team], p)
		x.shelve(s, team, u)
		for _, e := range u.Evidence {
			x.shelveResold(team, e)
		}
	}
}

// shelve files a team under the regions of a use; a use without any, or with evidence that tells none, goes to the open ones.
func (x *Index) shelve(s *shelf, team string, u *downwind.Use) {
	var places []catalog.Place
	for i := range u.Evidence {
		if u.Evidence[i].Region == "" {
			if sv := u.Evidence[i].Service; sv != "" || len(u.Regions) == 0 {
				s.open[team] = struct{}{}
				return
			}
			continue
		}
		places = append(places, x.judge.regions.Resolve(u.Provider, u.Evidence[i].Region)...)
	}
	for _, r := range u.Regions {
		places = append(places, x.judge.regions.Resolve(u.Provider, r)...)
	}
	if len(places) == 0 {
		s.open[team] = struct{}{}
		return
	}
	for _, p := range places {
		k := placeID(p)
		if p.Kind == catalog.PlaceGlobal {
			s.open[team] = struct{}{}
			return
		}
		s.places[k] = p
		if s.by[k] == nil {
			s.by[k] = map[string]struct{}{}
		}
		s.by[k][team] = struct{}{}
		if !slices.Contains(s.keys[team], k) {
			s.keys[team] = append(s.keys[team], k)
		}
	}
}

// shelveResold files teams that call a vendor's models through somebody else under that vendor.
func (x *Index) shelveResold(team string, e downwind.Evidence) {
	if e.Kind != "model" {
		return
	}
	for vendor := range resellerModels {
		if !resold(e, vendor) {
			continue
		}
		p := downwind.Fold(vendor)
		s := x.providers[p]
		if s == nil {
			s = &shelf{open: map[string]struct{}{}, by: map[string]map[string]struct{}{}, places: map[string]catalog.Place{}, keys: map[string][]string{}, all: map[string]struct{}{}}
			x.providers[p] = s
		}
		s.all[team], s.open[team] = struct{}{}, struct{}{}
		x.teams[team] = append(x.teams[team], p)
	}
}

func placeID(p catalog.Place) string {
	return string(rune('0'+int(p.Kind))) + p.Cloud + "/" + p.Code
}

// Remove takes a team out.
func (x *Index) Remove(team string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(team)
}

func (x *Index) remove(team string) {
	for _, p := range x.teams[team] {
		s := x.providers[p]
		if s == nil {
			continue
		}
		delete(s.all, team)
		delete(s.open, team)
		for _, k := range s.keys[team] {
			delete(s.by[k], team)
			if len(s.by[k]) == 0 {
				delete(s.by, k)
				delete(s.places, k)
			}
		}
		delete(s.keys, team)
		if len(s.all) == 0 {
			delete(x.providers, p)
		}
	}
	delete(x.teams, team)
}

// Candidates returns the teams that the incident may hit, sorted.
func (x *Index) Candidates(inc *downwind.Incident) []string { return x.For(x.judge.Read(inc, Known{})) }

// For returns the teams that a reading may hit, sorted.
func (x *Index) For(r *Reading) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.providers[downwind.Fold(r.provider)]
	if s == nil {
		return nil
	}
	hit, all := r.reach()
	if all {
		return sorted(s.all)
	}
	found := make(map[string]struct{}, len(s.open))
	for t := range s.open {
		found[t] = struct{}{}
	}
	for k, p := range s.places {
		if slices.ContainsFunc(hit, func(h catalog.Place) bool { return x.judge.regions.Relate(h, p) > catalog.PlacesApart }) {
			for t := range s.by[k] {
				found[t] = struct{}{}
			}
		}
	}
	return sorted(found)
}

func sorted(set map[string]struct{}) []string {
	out := make([]string, 0, len(set))
	for t := range set {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}

// reach returns the places that a reading hits; all says that places do not narrow it.
func (r *Reading) reach() (hit []catalog.Place, all bool) {
	if r.everywhere || len(r.items) == 0 && len(r.places) == 0 {
		return nil, true
	}
	for _, it := range r.items {
		switch {
		case it.service != nil && it.service.Global:
			return nil, true
		case len(it.places) > 0:
			hit = append(hit, it.places...)
		case len(r.places) > 0:
			hit = append(hit, r.places...)
		default:
			return nil, true
		}
	}
	if len(r.items) == 0 {
		hit = r.places
	}
	if slices.ContainsFunc(hit, func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal }) {
		return nil, true
	}
	return hit, false
}
