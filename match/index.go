package match

import (
	"slices"
	"sync"

	"downwind"
	"downwind/catalog"
)

// A Member is a team as the index files it: its files, the words of its people and what its channels subscribed to.
type Member struct {
	Team          string
	Stack         *downwind.Stack
	Rules         []downwind.Rule
	Subscriptions []downwind.Subscription
}

// An Index finds the teams that an incident may reach without looking at the others: provider, then service and place, to teams. It
// errs on the side of naming a team; Judge has the last word. A team takes four bytes for each service and place of each provider
// that it uses. It is safe for concurrent use.
type Index struct {
	judge *Judge

	mu      sync.RWMutex
	shelves map[string]*shelf
	// everything are teams that hear of all incidents, covered those that asked for all that hit them.
	everything, covered members
	numbers             map[string]uint32
	names               []string
	free                []uint32
}

// A shelf is what the index knows of one provider.
type shelf struct {
	// users are the teams that the provider concerns at all.
	users members
	// named are reached by whatever happens: they follow the provider, gave an answer of their own, or call it through a reseller.
	named members
	// whole has the teams whose files use the hosted service, general those of them with a client that hints at all services, services
	// those that show one, by its key.
	whole, general spread
	services       map[string]*spread
}

// A spread is where teams use something: in each place, and placeless where the files do not tell.
type spread struct {
	placeless members
	places    map[string]*ground
}

// A ground is a place with the teams that use something there.
type ground struct {
	place catalog.Place
	teams members
}

// NewIndex returns an empty index.
func NewIndex(j *Judge) *Index {
	return &Index{judge: j, shelves: map[string]*shelf{}, numbers: map[string]uint32{}}
}

// Add takes in a team, instead of what was known of it.
func (x *Index) Add(m Member) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(m.Team)
	n := x.number(m.Team)
	for i := range m.Stack.Providers {
		u := &m.Stack.Providers[i]
		s := x.shelf(u.Provider)
		s.users.add(n)
		c := &hearing{Reading: &Reading{judge: x.judge, inc: &downwind.Incident{}, provider: u.Provider, name: u.Provider}, stack: m.Stack}
		if h, _ := c.hold(u, ownServers(m.Stack, u.Provider)); h != nil {
			s.shelve(n, h, x.judge)
		}
		for _, e := range u.Evidence {
			x.shelveResold(n, e)
		}
	}
	for p := range m.Stack.SelfHosted {
		x.shelf(p).users.add(n)
	}
	for _, r := range m.Rules {
		switch r.Kind {
		case downwind.RuleAdd, downwind.RuleConfirm, downwind.RuleRegion, downwind.RuleComponent:
			if r.Provider != "" {
				x.shelf(r.Provider).name(n)
			}
		}
	}
	for i := range m.Subscriptions {
		x.subscribe(n, &m.Subscriptions[i])
	}
}

// subscribe files what a channel wants to hear apart from what hits its stack.
func (x *Index) subscribe(n uint32, s *downwind.Subscription) {
	switch {
	case s.Target == downwind.TargetAll && s.Filter.OnlyAffected:
		x.covered.add(n)
	case s.Target == downwind.TargetAll:
		x.everything.add(n)
	case s.Target == downwind.TargetProvider && s.Filter.OnlyAffected:
		x.shelf(s.Provider).users.add(n)
	case s.Target == downwind.TargetProvider:
		x.shelf(s.Provider).name(n)
	}
}

// number gives a team its number: the lowest that is free, so that the lists stay dense.
func (x *Index) number(team string) uint32 {
	n := uint32(len(x.names))
	if last := len(x.free) - 1; last >= 0 {
		n, x.free = x.free[last], x.free[:last]
		x.names[n] = team
	} else {
		x.names = append(x.names, team)
	}
	x.numbers[team] = n
	return n
}

// shelf returns a provider's shelf, made at its first use.
func (x *Index) shelf(provider string) *shelf {
	p := downwind.Fold(provider)
	s := x.shelves[p]
	if s == nil {
		s = &shelf{services: map[string]*spread{}}
		x.shelves[p] = s
	}
	return s
}

func (s *shelf) name(n uint32) {
	s.users.add(n)
	s.named.add(n)
}

// shelve files a holding under the services that it shows, each where it is used.
func (s *shelf) shelve(n uint32, h *holding, j *Judge) {
	usual, ok := j.services.Trait(h.use.Provider, "default-place")
	var assumed, own []catalog.Place
	if ok {
		assumed = j.regions.Resolve(h.use.Provider, usual)
	}
	for i := range h.assets {
		own = append(own, h.assets[i].places...)
	}
	for i := range h.assets {
		a := &h.assets[i]
		// As the judge does: its own places, those of the provider as a whole, the only one of the others, the vendor's default.
		places := slices.Concat(a.places, h.anywhere)
		open := len(places) == 0 && !ok || len(a.places) == 0 && a.infra
		if len(a.places) == 0 {
			places = slices.Concat(places, own, assumed)
		}
		s.whole.add(n, places, open)
		if h.general && !h.narrowed {
			s.general.add(n, places, open)
		}
		for _, sv := range slices.Concat(a.services, a.beneath) {
			of := s.services[sv.Key]
			if of == nil {
				of = &spread{}
				s.services[sv.Key] = of
			}
			of.add(n, places, open)
		}
	}
}

// add files a team under places; what is everywhere is in no place.
func (s *spread) add(n uint32, places []catalog.Place, open bool) {
	if open {
		s.placeless.add(n)
	}
	for _, p := range places {
		if p.Kind == catalog.PlaceGlobal {
			s.placeless.add(n)
			continue
		}
		k := string(rune('0'+int(p.Kind))) + p.Cloud + "/" + p.Code
		g := s.places[k]
		if g == nil {
			if s.places == nil {
				s.places = map[string]*ground{}
			}
			g = &ground{place: p}
			s.places[k] = g
		}
		g.teams.add(n)
	}
}

// remove takes a team out and reports whether nobody is left.
func (s *spread) remove(n uint32) (empty bool) {
	s.placeless.remove(n)
	for key, g := range s.places {
		if g.teams.remove(n); len(g.teams) == 0 {
			delete(s.places, key)
		}
	}
	return len(s.placeless)+len(s.places) == 0
}

// in appends the teams in or around places, and those of which no place is told; no places: all teams.
func (s *spread) in(found members, hit []catalog.Place, regions *catalog.Regions) members {
	if s == nil {
		return found
	}
	found = append(found, s.placeless...)
	for _, g := range s.places {
		if len(hit) == 0 || slices.ContainsFunc(hit, func(h catalog.Place) bool { return regions.Relate(h, g.place) > catalog.PlacesApart }) {
			found = append(found, g.teams...)
		}
	}
	return found
}

// shelveResold files teams that call a vendor's models through somebody else under that vendor.
func (x *Index) shelveResold(n uint32, e downwind.Evidence) {
	if e.Kind != "model" {
		return
	}
	for i := range resellerModels {
		if vendor := resellerModels[i].vendor; resold(e, vendor) {
			x.shelf(vendor).named.add(n)
		}
	}
}

// Remove takes a team out.
func (x *Index) Remove(team string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(team)
}

func (x *Index) remove(team string) {
	n, ok := x.numbers[team]
	if !ok {
		return
	}
	for p, s := range x.shelves {
		if s.users.remove(n) || s.named.has(n) {
			s.remove(n)
		}
		if len(s.users)+len(s.named) == 0 {
			delete(x.shelves, p)
		}
	}
	x.everything.remove(n)
	x.covered.remove(n)
	delete(x.numbers, team)
	x.names[n] = ""
	x.free = append(x.free, n)
}

func (s *shelf) remove(n uint32) {
	s.named.remove(n)
	s.whole.remove(n)
	s.general.remove(n)
	for key, of := range s.services {
		if of.remove(n) {
			delete(s.services, key)
		}
	}
}

// For returns the teams that a reading may reach, sorted. Others says that the provider concerns further teams, which it does not reach.
func (x *Index) For(r *Reading) (teams []string, others bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	found := slices.Clone(x.everything)
	concerned := len(x.everything) + len(x.covered)
	s := x.shelves[downwind.Fold(r.provider)]
	if s != nil {
		found = append(found, s.named...)
		found = s.hit(found, r)
		concerned += len(s.users)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for _, n := range found {
		for _, of := range []members{x.everything, x.covered} {
			if of.has(n) {
				concerned--
			}
		}
		if s != nil && s.users.has(n) {
			concerned--
		}
		teams = append(teams, x.names[n])
	}
	slices.Sort(teams)
	return teams, concerned > 0
}

// Concerns reports whether a provider concerns a team at all.
func (x *Index) Concerns(provider, team string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, known := x.numbers[team]
	if !known {
		return false
	}
	s := x.shelves[downwind.Fold(x.judge.Whole(provider))]
	return x.everything.has(n) || x.covered.has(n) || s != nil && s.users.has(n)
}

// Anyone reports whether a provider concerns any team.
func (x *Index) Anyone(provider string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.shelves[downwind.Fold(x.judge.Whole(provider))]
	return len(x.everything)+len(x.covered) > 0 || s != nil && len(s.users) > 0
}

// hit appends the teams that use a service which is hit, where it is hit.
func (s *shelf) hit(found members, r *Reading) members {
	for _, b := range r.blows() {
		if b.service == "" {
			found = s.whole.in(found, b.places, r.judge.regions)
			continue
		}
		found = s.services[b.service].in(found, b.places, r.judge.regions)
		if b.hinted {
			found = s.general.in(found, b.places, r.judge.regions)
		}
	}
	return found
}

// A blow is one service that an incident hits, in some places. No service: whatever the provider offers; no places: everywhere.
type blow struct {
	service string
	// hinted says that a general client of the provider hints at the service.
	hinted bool
	places []catalog.Place
}

// blows are what a reading may hit, at its widest: what narrows it further is left to the judge.
func (r *Reading) blows() []blow {
	if len(r.items) == 0 {
		return []blow{{places: r.reach(nil)}}
	}
	var out []blow
	for i := range r.items {
		it := &r.items[i]
		if !it.site {
			out = r.appendBlow(out, it, it.places)
			continue
		}
		for k := range r.items {
			if beside := &r.items[k]; beside.service != nil {
				out = r.appendBlow(out, beside, it.places)
			}
		}
	}
	return out
}

func (r *Reading) appendBlow(out []blow, it *item, places []catalog.Place) []blow {
	if it.service == nil {
		return append(out, blow{places: r.reach(places)})
	}
	b := blow{places: r.reach(places)}
	if it.service.Global || it.service.Abroad || r.visited(it) {
		b.places = nil
	}
	switch it.service.Class {
	case catalog.ServiceWebsite:
		return out
	case catalog.ServiceProduct, catalog.ServiceGeneral, catalog.ServiceEndpoint:
		b.service, b.hinted = it.service.Key, true
	case catalog.ServiceSpecial, catalog.ServiceScreen, catalog.ServiceControl, catalog.ServicePublish, catalog.ServiceGuess:
		b.service = it.service.Key
	}
	return append(out, b)
}

// reach returns the places in which something is hit whose own places are given; none: places do not narrow it.
func (r *Reading) reach(own []catalog.Place) []catalog.Place {
	hit := own
	if len(hit) == 0 {
		if r.everywhere {
			return nil
		}
		hit = r.places
	}
	if slices.ContainsFunc(hit, func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal }) {
		return nil
	}
	return hit
}
