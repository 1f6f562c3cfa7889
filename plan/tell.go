package plan

import (
	"slices"
	"sort"
	"strings"
	"time"

	"downwind"
	"downwind/guidance"
)

// tell decides for every audience what the events mean for it, and writes the items of the served feeds. Narrowed audiences are those
// that the index named; what concerns all has its shared line already.
func (p *Planner) tell(in *Input, events []*event, narrowed bool, out *downwind.Plan) {
	for i := range events {
		if e := events[i]; e.silent == "" && !p.rehearsal {
			out.Items = append(out.Items, items(in, e)...)
		}
	}
	out.Hot = slices.ContainsFunc(in.Known.Told, func(id string) bool { return openNow(in, events, id) })
	sort.Slice(in.Audiences, func(i, j int) bool { return in.Audiences[i].Team.ID < in.Audiences[j].Team.ID })
	for i := range in.Audiences {
		a := &in.Audiences[i]
		if out.FirstRead && !narrowed {
			out.Holds = append(out.Holds, firstPoll(in, a)...)
		}
		from := len(out.Raises)
		for k := range events {
			p.audience(in, events[k], a, out)
		}
		p.join(a, out, from)
		p.collect(in, a, out, from)
		if !out.Hot {
			out.Hot = hot(in, a, events)
		}
	}
}

const firstPollText = "first reading of this source: its history was taken in without messages"

// firstPoll writes one line per destination into the ledger: the history was taken in without messages.
func firstPoll(in *Input, a *downwind.Audience) []downwind.Hold {
	var out []downwind.Hold
	for _, d := range a.Destinations {
		if len(subscriptions(a, d.ID, in.Known.Provider.Slug)) > 0 {
			out = append(out, downwind.Hold{
				Destination: d.ID, Team: a.Team.ID, Incident: in.Known.Provider.Slug + "/", Reason: downwind.HeldFirstPoll,
				Text: firstPollText, At: in.Now,
			})
		}
	}
	return out
}

// hot reports whether an incident that was told to this audience is open now.
func hot(in *Input, a *downwind.Audience, events []*event) bool {
	for _, t := range a.Deliveries {
		if openNow(in, events, strings.TrimPrefix(t.Delivery.Incident, in.Known.Provider.Slug+"/")) {
			return true
		}
	}
	return false
}

// openNow reports whether an incident is going on after the events.
func openNow(in *Input, events []*event, id string) bool {
	for i := range events {
		if events[i].state.ID == id {
			return events[i].state.Open()
		}
	}
	k, ok := in.Known.Incidents[id]
	return ok && k.State.Open()
}

// audience decides one event for one team.
func (p *Planner) audience(in *Input, e *event, a *downwind.Audience, out *downwind.Plan) {
	if e.silent == downwind.HeldFirstPoll {
		return
	}
	var r *ruling
	for _, d := range a.Destinations {
		subs := subscriptions(a, d.ID, e.state.Provider)
		told, isTold := a.Deliveries[DeliveryID(d.ID, e.state.Key())]
		if len(subs) == 0 && !isTold {
			continue
		}
		if r == nil {
			r = p.rule(in, e, a)
		}
		c := choice{ruling: r, dest: d, subs: subs, mutes: a.Mutes}
		if isTold {
			c.told = &told
		}
		raise, hold := c.decide()
		if raise != nil {
			out.Raises = append(out.Raises, *raise)
			out.Hot = out.Hot || e.state.Open()
		}
		if hold != nil {
			out.Holds = append(out.Holds, *hold)
		}
	}
}

// A ruling is what one event means for one team, whatever the destination.
type ruling struct {
	in    *Input
	e     *event
	team  *downwind.Team
	match downwind.Match
	// coincident names other providers of the team with trouble at the same time in the same place.
	coincident []string
	// adapted is the guidance in the team's terms, nil until a message needs it: most of what is held needs none.
	adapted *downwind.Guidance
}

// rule judges an event for a team.
func (p *Planner) rule(in *Input, e *event, a *downwind.Audience) *ruling {
	r := &ruling{in: in, e: e, team: &a.Team, match: e.judge(p.judge, &a.Team)}
	if r.match.Affected {
		r.coincident = p.coincident(in, e, a)
	}
	return r
}

// guidance reads the posts in the team's terms, once.
func (r *ruling) guidance() *downwind.Guidance {
	if r.adapted == nil {
		g := guidance.ForTeam(*r.e.explain(r.in), &r.e.state, &r.match, r.team.Stack.Use(r.e.state.Provider))
		r.adapted = &g
	}
	return r.adapted
}

// DeliveryID is the key of the delivery of an incident ("provider/id") to a destination.
func DeliveryID(destination, incident string) string { return destination + "|" + incident }

// subscriptions are those of a destination that may cover a provider.
func subscriptions(a *downwind.Audience, destination, provider string) []downwind.Subscription {
	var out []downwind.Subscription
	for _, s := range a.Subscriptions {
		if s.Destination != destination {
			continue
		}
		if s.Target != downwind.TargetProvider || s.Provider == provider {
			out = append(out, s)
		}
	}
	return out
}

// leading orders kinds by what a reader must hear first.
var leading = []downwind.ChangeKind{
	downwind.ChangeWithdrawn, downwind.ChangeReopened, downwind.ChangeResolved, downwind.ChangePostmortem, downwind.ChangeNew,
	downwind.ChangeMaintenance, downwind.ChangeUpdate, downwind.ChangeEdit, downwind.ChangeSeverity, downwind.ChangeComponents,
}

// lead is the change that names the message. Of resolved and reopened in one reading the later one leads.
func lead(changes []downwind.Change) downwind.Change {
	best, rank := changes[0], len(leading)
	for _, c := range changes {
		r := slices.Index(leading, c.Kind)
		if r < rank || r == rank || closes(c.Kind) && closes(best.Kind) {
			best, rank = c, r
		}
	}
	return best
}

func closes(k downwind.ChangeKind) bool {
	return k == downwind.ChangeResolved || k == downwind.ChangeReopened
}

func has(changes []downwind.Change, kind downwind.ChangeKind) bool {
	return slices.ContainsFunc(changes, func(c downwind.Change) bool { return c.Kind == kind })
}

// worse reports whether the impact was raised.
func worse(changes []downwind.Change) bool {
	return slices.ContainsFunc(changes, func(c downwind.Change) bool {
		return c.Kind == downwind.ChangeSeverity && downwind.Impact(c.To).Rank() > downwind.Impact(c.From).Rank()
	})
}

// Announce raises a message that is about no incident: one delivery per destination, key and time, so that it is sent
// once however often it is planned.
func Announce(d downwind.Destination, key string, at time.Time, what downwind.Announcement) downwind.Raise {
	incident := "downwind/" + key + "@" + at.UTC().Format("20060102T150405")
	return downwind.Raise{
		Delivery: DeliveryID(d.ID, incident), Destination: d.ID, Team: d.Team, Incident: incident, Done: true,
		Alert: downwind.Alert{Kind: downwind.ChangeNew, SeenAt: at, Broadcast: true, Quiet: true, Announcement: &what},
	}
}
