package plan

import (
	"slices"
	"sort"
	"time"

	"downwind"
	"downwind/archive"
)

// A Replay plays recorded incidents through the planner as if they had been met post by post, and collects what one team
// would have seen. Posts that were edited later are met as they read in the record: a backtest cannot know better.
type Replay struct {
	planner *Planner
	memory  *Memory
	// Alerts are the raises in order, Holds what was kept back.
	Alerts []downwind.Raise
	Holds  []downwind.Hold
	// Incidents counts those that were played.
	Incidents int
}

// NewReplay plays for a stack that is subscribed with the defaults: minor and up, only what affects it.
func NewReplay(p *Planner, stack downwind.Stack) *Replay {
	d := downwind.Destination{ID: "backtest::", Platform: "backtest", Team: "backtest"}
	return &Replay{planner: p, memory: NewMemory(downwind.Audience{
		Team:          downwind.Team{ID: "backtest", Name: "backtest", Stack: stack},
		Destinations:  []downwind.Destination{d},
		Subscriptions: []downwind.Subscription{{Destination: d.ID, Team: "backtest", Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}}},
	})}
}

// A moment is when something new stood on a page.
type moment struct {
	at    time.Time
	index int
}

// Play plays the incidents of one provider that begin at or after since. Several documents of one source are joined
// first, the fuller reading of each incident counts. step is called after each moment (nil: never).
func (r *Replay) Play(provider downwind.Provider, docs []downwind.Document, since time.Time, step func()) error {
	all, components := join(provider.Slug, docs)
	all = slices.DeleteFunc(all, func(i downwind.Incident) bool { return begun(&i).Before(since) })
	r.Incidents += len(all)
	moments := momentsOf(all)
	if len(moments) == 0 {
		return nil
	}
	// A quiet first reading before everything: the source was already watched when the first incident came.
	if err := r.read(provider, downwind.Document{Provider: provider.Slug, Components: components, Partial: true}, moments[0].at.Add(-time.Hour)); err != nil {
		return err
	}
	for _, m := range moments {
		state, ok := stateAt(&all[m.index], m.at)
		if !ok {
			continue
		}
		doc := downwind.Document{Provider: provider.Slug, Components: components, Incidents: []downwind.Incident{state}, Partial: true}
		if err := r.read(provider, doc, m.at.Add(30*time.Second)); err != nil {
			return err
		}
		if step != nil {
			step()
		}
	}
	return nil
}

// Moments counts the moments that Play will go through.
func Moments(provider string, docs []downwind.Document, since time.Time) int {
	all, _ := join(provider, docs)
	all = slices.DeleteFunc(all, func(i downwind.Incident) bool { return begun(&i).Before(since) })
	return len(momentsOf(all))
}

func (r *Replay) read(p downwind.Provider, doc downwind.Document, now time.Time) error {
	out, err := r.planner.Plan(r.memory.Input(p, doc, now))
	if err != nil {
		return err
	}
	r.memory.Apply(out)
	r.Alerts = append(r.Alerts, out.Raises...)
	for _, h := range out.Holds {
		if h.Reason != downwind.HeldFirstPoll {
			r.Holds = append(r.Holds, h)
		}
	}
	return nil
}

// join lays all documents of a source over each other, oldest reading first, and keeps every incident as it read last.
func join(provider string, docs []downwind.Document) ([]downwind.Incident, []downwind.Component) {
	byID := map[string]downwind.Incident{}
	var order []string
	var components []downwind.Component
	for _, d := range docs {
		if len(d.Components) > 0 {
			components = d.Components
		}
		for i := range d.Incidents {
			inc := d.Incidents[i]
			inc.Provider = provider
			old, ok := byID[inc.ID]
			if !ok {
				order = append(order, inc.ID)
				byID[inc.ID] = inc
				continue
			}
			byID[inc.ID] = archive.Compare(&old, &inc, false).State
		}
	}
	out := make([]downwind.Incident, 0, len(order))
	for _, id := range order {
		out = append(out, byID[id])
	}
	return out, components
}

func momentsOf(all []downwind.Incident) []moment {
	var out []moment
	for i := range all {
		seen := map[time.Time]bool{}
		add := func(t time.Time) {
			if !t.IsZero() && !seen[t] {
				seen[t] = true
				out = append(out, moment{t, i})
			}
		}
		for _, u := range all[i].Updates {
			add(u.PostedAt)
		}
		if len(seen) == 0 {
			add(begun(&all[i]))
			add(all[i].ResolvedAt)
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].at.Before(out[b].at) })
	return out
}

// stateAt is an incident as it stood at a time; false before anything was posted.
func stateAt(inc *downwind.Incident, at time.Time) (downwind.Incident, bool) {
	s := *inc
	if len(inc.Updates) == 0 {
		if !inc.ResolvedAt.IsZero() && inc.ResolvedAt.After(at) {
			s.Phase, s.ResolvedAt = downwind.PhaseUnknown, time.Time{}
		}
		return s, true
	}
	s.Updates = nil
	for _, u := range inc.Updates {
		if !u.PostedAt.After(at) {
			s.Updates = append(s.Updates, u)
		}
	}
	if len(s.Updates) == 0 {
		return s, false
	}
	if len(s.Updates) < len(inc.Updates) {
		s.ResolvedAt = time.Time{}
		for _, u := range s.Updates {
			if u.Phase != downwind.PhaseUnknown {
				s.Phase = u.Phase
			}
			if u.Phase == downwind.Resolved || u.Phase == downwind.Completed {
				s.ResolvedAt = u.PostedAt
			}
		}
		s.Components = named(inc, s.Updates)
	}
	return s, true
}

// named are the components that updates had named so far; where updates name none, all that were ever linked.
func named(inc *downwind.Incident, updates []downwind.Update) []downwind.Component {
	var out []downwind.Component
	any := false
	for _, u := range inc.Updates {
		any = any || len(u.Components) > 0
	}
	if !any {
		return inc.Components
	}
	for _, c := range inc.Components {
		for _, u := range updates {
			if slices.ContainsFunc(u.Components, func(o downwind.Component) bool {
				return o.ID == c.ID || downwind.Fold(o.Name) == downwind.Fold(c.Name)
			}) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}
