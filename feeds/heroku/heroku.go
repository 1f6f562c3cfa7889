// Package heroku reads the status API of Heroku, version 4: the current state, and the list of incidents.
//
// The flag "resolved" is wrong on incidents that are over, and scheduled work stays in the list after its own words say that
// it is complete: the state, and those words, decide.
package heroku

import (
	"bytes"
	"fmt"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "heroku" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "status.heroku.com" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json":
		return 0
	case feeds.Has(b, 1024, `"status"`, `"system"`) && bytes.Contains(b, []byte(`"scheduled"`)) && bytes.Contains(b, []byte(`"incidents"`)):
		return 90
	case feeds.Has(b, 8192, `"full_url"`, `"update_type"`, "status.heroku.com"):
		return 88
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/v4/current-status")},
		{URL: feeds.JoinURL(page, "/api/v4/incidents?limit=20"), Every: 5, Optional: true},
	}
}

type wire struct {
	Status    feeds.List[wireSystem] `json:"status"`
	Incidents feeds.List[wireEntry]  `json:"incidents"`
	Scheduled feeds.List[wireEntry]  `json:"scheduled"`
}

type wireSystem struct {
	System feeds.Str `json:"system"`
	Name   feeds.Str `json:"name"`
	Status feeds.Str `json:"status"`
}

type wireEntry struct {
	ID       feeds.Str              `json:"id"`
	Title    feeds.Str              `json:"title"`
	State    feeds.Str              `json:"state"`
	Resolved bool                   `json:"resolved"`
	Created  feeds.Stamp            `json:"created_at"`
	URL      feeds.Str              `json:"full_url"`
	Systems  feeds.List[wireSystem] `json:"systems"`
	Tags     feeds.List[feeds.Str]  `json:"tags"`
	Updates  feeds.List[wireUpdate] `json:"updates"`
	Prod     feeds.Str              `json:"status_prod"`
	Dev      feeds.Str              `json:"status_dev"`
}

type wireUpdate struct {
	ID      feeds.Str   `json:"id"`
	Created feeds.Stamp `json:"created_at"`
	Body    feeds.Str   `json:"contents"`
	Type    feeds.Str   `json:"update_type"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), Page: downwind.Page{Name: "Heroku", URL: "https://status.heroku.com"}}
	listed, read := map[string]bool{}, false
	for _, p := range ps {
		if bytes.HasPrefix(bytes.TrimSpace(p.Body), []byte("[")) {
			var list feeds.List[wireEntry]
			if err := feeds.DecodeJSON(p.Body, &list); err != nil {
				return downwind.Document{}, err
			}
			read = true
			for i := range list {
				list[i].add(&doc, listed, list[i].planned())
			}
			continue
		}
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Status == nil && w.Incidents == nil && w.Scheduled == nil {
			continue
		}
		read, doc.OpenOnly = true, true
		for _, s := range w.Status {
			name := feeds.PlainLine(string(s.System))
			doc.Components = append(doc.Components, downwind.Component{ID: name, Name: name, Status: s.state(&doc)})
		}
		for i := range w.Incidents {
			w.Incidents[i].add(&doc, listed, false)
		}
		for i := range w.Scheduled {
			w.Scheduled[i].add(&doc, listed, true)
		}
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of Heroku's status API: %w", downwind.ErrUnreadable)
	}
	return doc, nil
}

// state reads a colour.
func (s wireSystem) state(doc *downwind.Document) downwind.Status {
	state, ok := feeds.StatusOf(string(s.Status))
	if !ok {
		feeds.Unknown(doc, "status", string(s.Status))
	}
	return state
}

// planned tells planned work in the list of incidents, which has no mark of it but its updates.
func (e *wireEntry) planned() bool {
	for _, u := range e.Updates {
		if u.Type == "scheduled" || u.Type == "maintenance" {
			return true
		}
	}
	return e.State == "upcoming" || e.State == "scheduled"
}

func (e *wireEntry) add(doc *downwind.Document, listed map[string]bool, planned bool) {
	if id := string(e.ID); id != "" {
		if listed[id] {
			return
		}
		listed[id] = true
	}
	inc := downwind.Incident{ID: string(e.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(e.Title)), URL: string(e.URL)}
	if e.State != "" {
		phase, ok := feeds.PhaseOf(string(e.State))
		if !ok {
			feeds.Unknown(doc, "phase", string(e.State))
		}
		inc.Phase = phase
	}
	if e.Resolved {
		inc.Phase = downwind.Resolved
	}
	for _, s := range e.Systems {
		name := feeds.PlainLine(string(s.Name))
		inc.Components = append(inc.Components, downwind.Component{ID: name, Name: name, Status: s.state(doc)})
	}
	for _, t := range e.Tags {
		inc.Regions = append(inc.Regions, feeds.PlainLine(string(t)))
	}
	for _, u := range e.Updates {
		inc.Updates = append(inc.Updates, u.update(planned))
	}
	if inc.Phase == "" { // version 3 says no more than "not resolved"
		if feeds.Tidy(&inc); inc.Latest() != nil {
			inc.Phase = inc.Latest().Phase
		}
	}
	if planned {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
		finish(&inc)
		feeds.Tidy(&inc)
		feeds.StartMaintenance(&inc)
	} else {
		inc.StartedAt, inc.Impact = e.Created.Time, e.impact()
		feeds.Tidy(&inc)
		feeds.StartFromUpdates(&inc)
	}
	doc.Incidents = append(doc.Incidents, inc)
}

// impact reads the colours that version 3 of the API gives an incident; version 4 gives none.
func (e *wireEntry) impact() downwind.Impact {
	switch {
	case e.Prod == "red" || e.Dev == "red":
		return downwind.ImpactMajor
	case e.Prod == "yellow" || e.Dev == "yellow":
		return downwind.ImpactMinor
	}
	return ""
}

func (u wireUpdate) update(planned bool) downwind.Update {
	out := downwind.Update{ID: string(u.ID), Body: feeds.PlainText(string(u.Body)), PostedAt: u.Created.Time}
	if u.Type != "update" { // which keeps the phase before it
		out.Phase, _ = feeds.PhaseOf(string(u.Type))
	}
	if planned && (out.Phase == downwind.Resolved || complete.MatchString(out.Body)) {
		out.Phase = downwind.Completed
	}
	return out
}

// complete finds the words with which planned work is ended while its state still says that it is to come.
var complete = pattern.New(`(?i)\bmaintenance (?:is|was|has been)(?: now)? (?:complete|completed|finished|over)\b`)

// finish ends planned work that is over, by its state or by its own words.
func finish(inc *downwind.Incident) {
	if inc.Phase == downwind.Resolved {
		inc.Phase = downwind.Completed
	}
	for _, u := range inc.Updates {
		if u.Phase == downwind.Completed {
			inc.Phase = downwind.Completed
		}
	}
}
