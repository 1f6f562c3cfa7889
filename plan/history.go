package plan

import (
	"errors"
	"hash/fnv"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"downwind"
	"downwind/archive"
)

// A Replay plays recorded incidents through the planner as if they had been met post by post, and collects what one team
// would have seen. Posts that were edited later are met as they read in the record: a backtest cannot know better.
type Replay struct {
	planner *Planner
	stack   downwind.Stack
	// Alerts are the raises in order, Holds what was kept back.
	Alerts []*downwind.Raise
	Holds  []downwind.Hold
	// Incidents counts those that were played.
	Incidents int
}

// NewReplay plays for a stack that is subscribed with the defaults: minor and up, only what affects it.
func NewReplay(p *Planner, stack downwind.Stack) *Replay {
	return &Replay{planner: p.Rehearse(), stack: stack}
}

// A Recording is the recorded history of one provider.
type Recording struct {
	Provider   downwind.Provider
	incidents  []downwind.Incident
	components []downwind.Component
}

// Record joins several documents of one source, oldest first, into a recording of the incidents that begin at or after since; the
// fuller reading of each incident counts.
func Record(provider downwind.Provider, docs []downwind.Document, since time.Time) Recording {
	all, components := join(provider.Slug, docs)
	all = slices.DeleteFunc(all, func(i downwind.Incident) bool { return begun(&i).Before(since) })
	return Recording{Provider: provider, incidents: all, components: components}
}

// Moments counts the moments that Play will go through.
func (r Recording) Moments() int { return len(momentsOf(r.incidents)) }

// A moment is when something new stood on a page.
type moment struct {
	at    time.Time
	index int
}

// Play plays a recording. step is called after each moment, from one goroutine at a time (nil: never). Incidents with different titles
// do not concern each other, so they are played on all cores.
func (r *Replay) Play(rec Recording, step func()) error {
	all := rec.incidents
	r.Incidents += len(all)
	shares := make([][]downwind.Incident, runtime.GOMAXPROCS(0))
	for i := range all {
		n := share(all[i].Title, len(shares))
		shares[n] = append(shares[n], all[i])
	}
	parts := make([]player, len(shares))
	errs := make([]error, len(shares))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range shares {
		wg.Go(func() {
			parts[i] = newPlayer(r.planner, r.stack, rec.Provider, rec.components)
			errs[i] = parts[i].play(shares[i], func() {
				if step != nil {
					mu.Lock()
					step()
					mu.Unlock()
				}
			})
		})
	}
	wg.Wait()
	var alerts []*downwind.Raise
	var holds []downwind.Hold
	for _, p := range parts {
		alerts, holds = append(alerts, p.alerts...), append(holds, p.holds...)
	}
	sort.SliceStable(alerts, func(i, j int) bool {
		return alerts[i].Alert.SeenAt.Before(alerts[j].Alert.SeenAt) || alerts[i].Alert.SeenAt.Equal(alerts[j].Alert.SeenAt) && alerts[i].Incident < alerts[j].Incident
	})
	sort.SliceStable(holds, func(i, j int) bool {
		return holds[i].At.Before(holds[j].At) || holds[i].At.Equal(holds[j].At) && holds[i].Incident < holds[j].Incident
	})
	r.Alerts, r.Holds = append(r.Alerts, alerts...), append(r.Holds, holds...)
	return errors.Join(errs...)
}

// share spreads titles over n players: equal titles meet in the same one.
func share(title string, n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(downwind.Fold(title))) // never fails
	return int(h.Sum32() % uint32(n))
}

// A player plays some of a provider's incidents with a memory of its own.
type player struct {
	planner    *Planner
	memory     *Memory
	provider   downwind.Provider
	components []downwind.Component
	alerts     []*downwind.Raise
	holds      []downwind.Hold
}

func newPlayer(p *Planner, stack downwind.Stack, provider downwind.Provider, components []downwind.Component) player {
	d := downwind.Destination{ID: "backtest::", Platform: "backtest", Team: "backtest"}
	return player{planner: p, provider: provider, components: components, memory: NewMemory(downwind.Audience{
		Team:          downwind.Team{ID: "backtest", Name: "backtest", Stack: stack},
		Destinations:  []downwind.Destination{d},
		Subscriptions: []downwind.Subscription{{Destination: d.ID, Team: "backtest", Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}}},
	})}
}

func (p *player) play(all []downwind.Incident, step func()) error {
	moments := momentsOf(all)
	if len(moments) == 0 {
		return nil
	}
	// A quiet first reading before everything: the source was already watched when the first incident came.
	if err := p.read(nil, moments[0].at.Add(-time.Hour)); err != nil {
		return err
	}
	for _, m := range moments {
		state, ok := stateAt(&all[m.index], m.at)
		if !ok {
			continue
		}
		if err := p.read([]downwind.Incident{state}, m.at.Add(30*time.Second)); err != nil {
			return err
		}
		step()
	}
	return nil
}

func (p *player) read(incidents []downwind.Incident, now time.Time) error {
	doc := downwind.Document{Provider: p.provider.Slug, Components: p.components, Incidents: incidents, Partial: true}
	out, err := p.planner.Plan(p.memory.Input(p.provider, doc, now))
	if err != nil {
		return err
	}
	p.memory.Apply(out)
	for i := range out.Raises {
		p.alerts = append(p.alerts, &out.Raises[i])
	}
	for _, h := range out.Holds {
		if h.Reason != downwind.HeldFirstPoll {
			p.holds = append(p.holds, h)
		}
	}
	return nil
}

// join lays all documents of a source over each other, oldest reading first, and keeps every incident as it read last.
func join(provider string, docs []downwind.Document) ([]downwind.Incident, []downwind.Component) {
	places := map[string]int{}
	var out []downwind.Incident
	var components []downwind.Component
	for _, d := range docs {
		if len(d.Components) > 0 {
			components = d.Components
		}
		out = slices.Grow(out, len(d.Incidents))
		for i := range d.Incidents {
			inc := d.Incidents[i]
			inc.Provider = provider
			if at, ok := places[inc.ID]; ok {
				out[at] = archive.Compare(&out[at], &inc, false).State
				continue
			}
			places[inc.ID] = len(out)
			out = append(out, inc)
		}
	}
	return out, components
}

func momentsOf(all []downwind.Incident) []moment {
	var out []moment
	for i := range all {
		from := len(out)
		add := func(t time.Time) {
			if !t.IsZero() && !slices.ContainsFunc(out[from:], func(m moment) bool { return m.at.Equal(t) }) {
				out = append(out, moment{t, i})
			}
		}
		for _, u := range all[i].Updates {
			add(u.PostedAt)
		}
		if len(out) == from {
			add(begun(&all[i]))
			add(all[i].ResolvedAt)
		}
	}
	slices.SortStableFunc(out, func(a, b moment) int { return a.at.Compare(b.at) })
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
	s.Updates = make([]downwind.Update, 0, len(inc.Updates))
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
