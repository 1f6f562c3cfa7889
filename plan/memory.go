package plan

import (
	"time"

	"downwind"
)

// A Memory keeps, without a database, what the store would keep between readings: enough to plan one reading after the
// other. Backtests and tests use it; the order of calls is Input, Planner.Plan, Apply.
type Memory struct {
	// Teams hear with their destinations and subscriptions; their deliveries are kept here.
	Teams []downwind.Audience

	known map[string]downwind.Known
	// told are the deliveries by provider.
	told map[string]map[string]*downwind.Told
	// met are the ids of a provider's incidents in the order in which they were first read.
	met map[string][]string
}

// NewMemory returns an empty memory for these teams.
func NewMemory(teams ...downwind.Audience) *Memory {
	return &Memory{Teams: teams, known: map[string]downwind.Known{}, told: map[string]map[string]*downwind.Told{}, met: map[string][]string{}}
}

// Input gathers what the planner asks for to judge a reading.
func (m *Memory) Input(p downwind.Provider, doc downwind.Document, now time.Time) Input {
	k, ok := m.known[p.Slug]
	if !ok {
		k = downwind.Known{Incidents: map[string]downwind.Archived{}}
	}
	k.Provider = p
	if doc.Partial {
		k.Incidents = m.about(p.Slug, k.Incidents, &doc)
	}
	in := Input{Document: doc, Known: k, Now: now}
	for _, a := range m.Teams {
		a.Deliveries = map[string]downwind.Told{}
		m.deliveries(&a, p.Slug, &doc)
		in.Audiences = append(in.Audiences, a)
	}
	return in
}

// lately is how many incidents before it the planner may compare one with.
const lately = 12

// about narrows what is known to what a partial document can concern: its incidents and those met lately.
func (m *Memory) about(provider string, known map[string]downwind.Archived, doc *downwind.Document) map[string]downwind.Archived {
	out := make(map[string]downwind.Archived, len(doc.Incidents))
	met := m.met[provider]
	for i := range doc.Incidents {
		inc := &doc.Incidents[i]
		if k, ok := known[inc.ID]; ok {
			out[inc.ID] = k
			continue // only a new incident is compared with others
		}
		for _, id := range met[max(0, len(met)-lately):] {
			if k := known[id]; begun(inc).Sub(begun(&k.State)) <= flapSpan {
				out[id] = k
			}
		}
	}
	return out
}

// deliveries lays what was told to a team beside it: all of a provider, or of the incidents that a partial document is about.
func (m *Memory) deliveries(a *downwind.Audience, provider string, doc *downwind.Document) {
	if !doc.Partial {
		for id, t := range m.told[provider] {
			if t.Delivery.Team == a.Team.ID {
				a.Deliveries[id] = *t
			}
		}
		return
	}
	for i := range doc.Incidents {
		for _, d := range a.Destinations {
			id := DeliveryID(d.ID, provider+"/"+doc.Incidents[i].ID)
			if t, ok := m.told[provider][id]; ok {
				a.Deliveries[id] = *t
			}
		}
	}
}

// Apply keeps what a plan decided.
func (m *Memory) Apply(p downwind.Plan) {
	k, ok := m.known[p.Provider]
	if !ok {
		k = downwind.Known{Incidents: map[string]downwind.Archived{}}
	}
	if p.FirstRead {
		k.FirstRead = p.At
	}
	if p.Components != nil {
		k.Components = p.Components
	}
	for _, id := range sortedIDs(p.Known) {
		if _, ok := k.Incidents[id]; !ok {
			m.met[p.Provider] = append(m.met[p.Provider], id)
		}
		k.Incidents[id] = p.Known[id]
	}
	for _, id := range p.Seen {
		a := k.Incidents[id]
		a.Missing, a.Gone, a.Version.LastSeen = 0, false, p.At
		k.Incidents[id] = a
	}
	m.known[p.Provider] = k
	if len(p.Raises) > 0 && m.told[p.Provider] == nil {
		m.told[p.Provider] = map[string]*downwind.Told{}
	}
	for i := range p.Raises {
		r := &p.Raises[i]
		t := m.told[p.Provider][r.Delivery]
		if t == nil {
			t = &downwind.Told{}
			m.told[p.Provider][r.Delivery] = t
		}
		t.Delivery.ID, t.Delivery.Destination, t.Delivery.Team, t.Delivery.Incident = r.Delivery, r.Destination, r.Team, r.Incident
		t.Delivery.Desired++
		t.Last = r.Alert
	}
}
