package plan

import (
	"downwind"
	"downwind/match"
)

// Catchup tells a destination that has just subscribed what is open now at one provider: the present state of each open
// incident that its subscriptions cover and that was not told there yet, marked as already in progress.
func (p *Planner) Catchup(in Input, destination string) downwind.Plan {
	out := downwind.Plan{At: in.Now}
	known := match.Known{Provider: in.Known.Provider, Components: in.Known.Components}
	for i := range in.Audiences {
		a := &in.Audiences[i]
		for _, d := range a.Destinations {
			if d.ID != destination {
				continue
			}
			for _, id := range openIDs(&in) {
				k := in.Known.Incidents[id]
				if _, told := a.Deliveries[DeliveryID(d.ID, k.State.Key())]; told {
					continue
				}
				e := &event{state: k.State, inProgress: true, version: k.Version.Number}
				e.changes = []downwind.Change{{Kind: firstKind(&k.State), Incident: id, To: string(k.State.Impact), At: k.State.StartedAt}}
				if u := k.State.Latest(); u != nil {
					e.changes[0].Update = u.ID
				}
				e.known = known
				one := *a
				one.Destinations = []downwind.Destination{d}
				p.audience(&in, e, &one, &out)
			}
		}
	}
	return out
}

func firstKind(inc *downwind.Incident) downwind.ChangeKind {
	if inc.Kind == downwind.KindMaintenance {
		return downwind.ChangeMaintenance
	}
	return downwind.ChangeNew
}

// openIDs are the known incidents that are going on, and planned work that lies ahead, in order.
func openIDs(in *Input) []string {
	var out []string
	for _, id := range sortedIDs(in.Known.Incidents) {
		k := in.Known.Incidents[id]
		if !k.Gone && k.Withdrawn.IsZero() && !k.Unconfirmed && (k.State.Open() || upcoming(&k.State, in.Now)) {
			out = append(out, id)
		}
	}
	return out
}
