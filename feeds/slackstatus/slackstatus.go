// Package slackstatus reads Slack's own status API, version 2: the history, which holds what is open too, and the current state.
package slackstatus

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "slack" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return host == "slack-status.com" || host == "status.slack.com"
}

// Claims implements feeds.Adapter.
func (a Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json":
		return 0
	case feeds.Has(b, 1024, `"active_incidents"`, `"date_created"`):
		return 92
	case feeds.Has(b, 16384, `"date_created"`, `"notes"`, `"title"`):
		return 88
	case string(bytes.TrimSpace(b[:min(len(b), 16)])) == "[]":
		if u, err := url.Parse(p.URL); err == nil && a.ClaimsHost(u.Hostname()) {
			return 60
		}
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/api/v2.0.0/history")}}
}

// wireCurrent is the current state. Version 1 wrote the one open incident in its place.
type wireCurrent struct {
	wireEntry
	Active feeds.List[wireEntry] `json:"active_incidents"`
}

type wireEntry struct {
	ID       feeds.Str             `json:"id"`
	Title    feeds.Str             `json:"title"`
	Type     feeds.Str             `json:"type"`
	Status   feeds.Str             `json:"status"`
	URL      feeds.Str             `json:"url"`
	Created  feeds.Stamp           `json:"date_created"`
	Updated  feeds.Stamp           `json:"date_updated"`
	Notes    feeds.List[wireNote]  `json:"notes"`
	Services feeds.List[feeds.Str] `json:"services"`
}

type wireNote struct {
	Body    feeds.Str   `json:"body"`
	Created feeds.Stamp `json:"date_created"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), Page: downwind.Page{Name: "Slack", URL: "https://slack-status.com"}}
	history, current := false, false
	seen := map[string]bool{}
	for _, p := range ps {
		var list feeds.List[wireEntry]
		if bytes.HasPrefix(bytes.TrimSpace(p.Body), []byte("[")) {
			if err := feeds.DecodeJSON(p.Body, &list); err != nil {
				return downwind.Document{}, err
			}
			history = true
		} else {
			var w wireCurrent
			if err := feeds.DecodeJSON(p.Body, &w); err != nil {
				return downwind.Document{}, err
			}
			if w.Status == "" && w.Active == nil {
				continue
			}
			list, current = w.Active, true
			if w.Active == nil && w.Title != "" {
				list = feeds.List[wireEntry]{w.wireEntry}
			}
		}
		for i := range list {
			if id := string(list[i].ID); id == "" || !seen[id] {
				seen[id] = true
				doc.Incidents = append(doc.Incidents, list[i].incident(&doc))
			}
		}
	}
	if !history && !current {
		return downwind.Document{}, fmt.Errorf("no answer of Slack's status API: %w", downwind.ErrUnreadable)
	}
	doc.OpenOnly = !history
	return doc, nil
}

func (e *wireEntry) incident(doc *downwind.Document) downwind.Incident {
	inc := downwind.Incident{
		ID: string(e.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(e.Title)), URL: string(e.URL), StartedAt: e.Created.Time,
	}
	phase, ok := feeds.PhaseOf(string(e.Status))
	if !ok {
		feeds.Unknown(doc, "phase", string(e.Status))
	}
	inc.Phase = phase
	switch e.Type {
	case "outage":
		inc.Impact = downwind.ImpactMajor
	case "incident":
		inc.Impact = downwind.ImpactMinor
	case "notice":
		inc.Kind, inc.Impact = downwind.KindNotice, downwind.ImpactNone
	case "maintenance":
		inc.Kind = downwind.KindMaintenance
	default:
		feeds.Unknown(doc, "type", string(e.Type))
	}
	if feeds.IsMaintenancePhase(phase) {
		inc.Kind = downwind.KindMaintenance
	}
	for _, s := range e.Services {
		name := feeds.PlainLine(string(s))
		inc.Components = append(inc.Components, downwind.Component{ID: name, Name: name})
	}
	newest := -1
	for _, n := range e.Notes {
		u := downwind.Update{Body: feeds.PlainText(string(n.Body)), PostedAt: n.Created.Time}
		if !n.Created.IsZero() {
			u.ID = strconv.FormatInt(n.Created.Unix(), 10)
		}
		inc.Updates = append(inc.Updates, u)
		if newest < 0 || !u.PostedAt.Before(inc.Updates[newest].PostedAt) {
			newest = len(inc.Updates) - 1
		}
	}
	e.phases(&inc, newest)
	return inc
}

// phases gives the notes, which have no words of their own, what the whole tells: the newest one the state now. Old incidents
// are touched weeks later, so an end is the newest note and the time of change only where there is none.
func (e *wireEntry) phases(inc *downwind.Incident, newest int) {
	first := downwind.Investigating
	if inc.Kind == downwind.KindMaintenance {
		first, inc.Impact = downwind.Scheduled, downwind.ImpactMaintenance
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
	}
	for i := range inc.Updates {
		if inc.Updates[i].Phase = first; i == newest {
			inc.Updates[i].Phase = inc.Phase
		}
	}
	if newest < 0 {
		inc.ResolvedAt = e.Updated.Time
	}
	feeds.Tidy(inc)
	if inc.Kind == downwind.KindMaintenance {
		feeds.StartMaintenance(inc)
	}
}
