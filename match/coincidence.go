package match

import (
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/catalog"
)

// A Together is a group of incidents of several providers that began about the same time in the same place. It states a
// coincidence and claims no cause.
type Together struct {
	// Providers are the slugs in the order in which they began.
	Providers []string
	// Incidents are the keys ("provider/id"), in the same order.
	Incidents []string
	// Place is the common place in the words of the first incident, empty where several name none.
	Place string
	// Since is the earliest beginning, UTC.
	Since time.Time
}

// Coincidence groups incidents of different providers that overlap in time, began within the given span of each other, and name the
// same place. Incidents without a place join a group only when none of its members names one. Groups of one provider are left out;
// the result is ordered by beginning.
func (j *Judge) Coincidence(incs []*downwind.Incident, within time.Duration) []Together {
	type entry struct {
		inc *downwind.Incident
		r   *Reading
		at  time.Time
	}
	var es []entry
	for _, inc := range incs {
		at := begin(inc)
		if at.IsZero() || inc.Kind != downwind.KindIncident {
			continue
		}
		es = append(es, entry{inc, j.Read(inc, Known{}), at})
	}
	slices.SortStableFunc(es, func(a, b entry) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.inc.Key(), b.inc.Key())
	})
	taken := make([]bool, len(es))
	var out []Together
	for i, lead := range es {
		if taken[i] {
			continue
		}
		t := Together{Providers: []string{lead.inc.Provider}, Incidents: []string{lead.inc.Key()}, Since: lead.at}
		members := []int{i}
		for k := i + 1; k < len(es) && es[k].at.Sub(lead.at) <= within; k++ {
			e := es[k]
			if taken[k] || slices.Contains(t.Providers, e.inc.Provider) || !overlap(lead.inc, e.inc) {
				continue
			}
			place, same := j.commonPlace(lead.r, e.r)
			if !same {
				continue
			}
			t.Place = orElse(t.Place, place)
			t.Providers, t.Incidents = append(t.Providers, e.inc.Provider), append(t.Incidents, e.inc.Key())
			members = append(members, k)
		}
		if len(members) < 2 {
			continue
		}
		for _, m := range members {
			taken[m] = true
		}
		out = append(out, t)
	}
	return out
}

// begin is when an incident began, by its page.
func begin(inc *downwind.Incident) time.Time {
	if !inc.StartedAt.IsZero() {
		return inc.StartedAt
	}
	for _, u := range inc.Updates {
		if !u.PostedAt.IsZero() {
			return u.PostedAt
		}
	}
	return time.Time{}
}

// overlap reports whether the second incident began before the first ended.
func overlap(a, b *downwind.Incident) bool {
	return a.ResolvedAt.IsZero() || begin(b).Before(a.ResolvedAt)
}

// commonPlace compares the places of two readings across providers: by city and country, or both everywhere.
func (j *Judge) commonPlace(a, b *Reading) (string, bool) {
	pa, pb := a.allPlaces(), b.allPlaces()
	if len(pa) == 0 && len(pb) == 0 {
		return "", a.everywhere && b.everywhere
	}
	for _, x := range pa {
		for _, y := range pb {
			if x.City != "" && x.City == y.City || x.Kind != catalog.PlaceGlobal && x.Code == y.Code {
				return x.Name, true
			}
			if x.City == "" || y.City == "" {
				if j.regions.Relate(x, y) >= catalog.PlacesInside || j.regions.Relate(y, x) >= catalog.PlacesInside {
					return x.Name, true
				}
			}
		}
	}
	return "", false
}

// allPlaces are the places of the incident and of its items.
func (r *Reading) allPlaces() []catalog.Place {
	out := slices.Clone(r.places)
	for _, it := range r.items {
		out = append(out, it.places...)
	}
	return out
}
