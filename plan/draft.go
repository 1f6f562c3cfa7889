package plan

import (
	"fmt"
	"slices"

	"downwind"
	"downwind/match"
)

// A Draft is a reading that has been compared with what was known. What changed is settled; whom it concerns is still to be said, by
// Finish. Reach narrows that to few teams, where there are many.
type Draft struct {
	planner *Planner
	in      Input
	out     downwind.Plan
	events  []*event
	// narrowed says that Reach was asked: who is not among the audiences has a shared line.
	narrowed bool
}

// A Reach is whom a draft may concern.
type Reach struct {
	// Teams may be hit by one of the incidents that changed, sorted.
	Teams []string
	// Incidents are the keys of those incidents: who was told of one hears of it again.
	Incidents []string
}

// Draft compares the reading with what was known. The input's audiences are not looked at.
func (p *Planner) Draft(in Input) (*Draft, error) {
	d := &Draft{planner: p, in: in, out: downwind.Plan{Provider: in.Known.Provider.Slug, At: in.Now}}
	if !in.Document.Readable() {
		return d, nil
	}
	d.out.Components = in.Document.Components
	d.out.FirstRead = in.Known.FirstRead.IsZero()
	d.out.Known = map[string]downwind.Archived{}
	events, err := p.read(&d.in, &d.out)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", d.out.Provider, err)
	}
	if len(d.out.Versions) > 0 {
		d.out.Bodies = in.Bodies
	}
	known := match.Known{Provider: in.Known.Provider, Components: in.Document.Components}
	if len(known.Components) == 0 {
		known.Components = in.Known.Components
	}
	for i := range events {
		events[i].known = known
	}
	d.events = events
	return d, nil
}

// Reach asks the index whom the draft may concern. All others get one line of the ledger together.
func (d *Draft) Reach(x *match.Index) Reach {
	var r Reach
	d.narrowed = true
	whole := d.planner.judge.Whole(d.out.Provider)
	if d.out.FirstRead && x.Anyone(whole) {
		d.out.Shared = append(d.out.Shared, downwind.SharedHold{
			Provider: whole, Incident: d.out.Provider + "/", Reason: downwind.HeldFirstPoll, Text: firstPollText, At: d.in.Now,
		})
	}
	for i := range d.events {
		e := d.events[i]
		line := downwind.SharedHold{Provider: whole, Incident: e.state.Key(), Kind: lead(e.changes).Kind, At: d.in.Now}
		if e.silent == downwind.HeldFirstPoll {
			if !d.out.FirstRead && x.Anyone(whole) {
				line.Reason, line.Text = e.silent, "it was over before it was first read; it was archived without a message"
				d.out.Shared = append(d.out.Shared, line)
			}
			continue
		}
		if e.reading == nil {
			e.reading = d.planner.judge.Read(&e.state, e.known)
		}
		teams, others := x.For(e.reading)
		r.Teams = append(r.Teams, teams...)
		r.Incidents = append(r.Incidents, line.Incident)
		if others {
			d.out.Shared = append(d.out.Shared, line)
		}
	}
	slices.Sort(r.Teams)
	r.Teams = slices.Compact(r.Teams)
	return r
}

// Finish decides for every audience what the reading means for it.
func (d *Draft) Finish(audiences []downwind.Audience) downwind.Plan {
	d.in.Audiences = audiences
	d.planner.tell(&d.in, d.events, d.narrowed, &d.out)
	return d.out
}

// Reason says why an incident that the index ruled out for a team does not touch it: what its line of the ledger says.
func (p *Planner) Reason(inc *downwind.Incident, team *downwind.Team, k match.Known) (downwind.HoldReason, string) {
	m := p.judge.Match(inc, &team.Stack, team.Rules, k)
	if m.Affected {
		return downwind.HeldUntold, "it did not touch these files as they were read then; by the rules of today it would"
	}
	return m.Held, m.WhyNot
}
