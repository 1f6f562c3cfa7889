// Package salesforce reads the Salesforce Trust API: incidents by instance. They have no title, and their impact windows are
// nearer to the truth than the time of their creation.
package salesforce

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const api = "https://api.status.salesforce.com"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "salesforce" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return host == "status.salesforce.com" || host == "api.status.salesforce.com"
}

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json":
		return 0
	case feeds.Has(b, 16384, `"IncidentImpacts"`), feeds.Has(b, 16384, `"incidentImpacts"`):
		return 93
	case feeds.Has(b, 16384, `"plannedStartTime"`, `"instanceKeys"`) || feeds.Has(b, 16384, `"plannedStartTime"`, `"serviceKeys"`):
		return 92
	case feeds.Has(b, 16384, `"releaseVersion"`, `"environment"`, `"status"`) || feeds.Has(b, 16384, `"Maintenances"`, `"Incidents"`, `"key"`):
		return 90
	case string(b) == "[]" && strings.HasPrefix(p.URL, api+"/"):
		return 60
	}
	return 0
}

// Endpoints implements feeds.Adapter: the page shows what the API answers on a host of its own.
func (Adapter) Endpoints(string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: api + "/v1/incidents/active"},
		{URL: api + "/v1/incidents?limit=50&sort=updatedAt&order=desc", Every: 5, Optional: true},
	}
}

// wireAny is an incident or a maintenance, or an instance with what concerns it (/v1/instances and /v1/instances/KEY/status).
type wireAny struct {
	wireEntry
	Key          feeds.Str             `json:"key"`
	Incidents    feeds.List[wireEntry] `json:"Incidents"`
	Maintenances feeds.List[wireEntry] `json:"Maintenances"`
}

// wireEntry is an incident, or a maintenance by the fields from Name on.
type wireEntry struct {
	ID        feeds.Str              `json:"id"`
	Status    feeds.Str              `json:"status"`
	Type      feeds.Str              `json:"type"`
	Created   feeds.Stamp            `json:"createdAt"`
	Services  feeds.List[feeds.Str]  `json:"serviceKeys"`
	Instances feeds.List[feeds.Str]  `json:"instanceKeys"`
	Impacts   feeds.List[wireImpact] `json:"IncidentImpacts"` // names are matched in any case
	Events    feeds.List[wireEvent]  `json:"IncidentEvents"`

	Name        feeds.Str              `json:"name"`
	Information feeds.Str              `json:"additionalInformation"`
	Start       feeds.Stamp            `json:"plannedStartTime"`
	End         feeds.Stamp            `json:"plannedEndTime"`
	WorkImpacts feeds.List[wireImpact] `json:"MaintenanceImpacts"`
	WorkEvents  feeds.List[wireEvent]  `json:"MaintenanceEvents"`
}

type wireImpact struct {
	Start    feeds.Stamp `json:"startTime"`
	End      feeds.Stamp `json:"endTime"`
	Severity feeds.Str   `json:"severity"`
}

type wireEvent struct {
	ID      feeds.Str   `json:"id"`
	Type    feeds.Str   `json:"type"`
	Message feeds.Str   `json:"message"`
	Created feeds.Stamp `json:"createdAt"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), Page: downwind.Page{Name: "Salesforce", URL: "https://status.salesforce.com"}}
	planned := false
	if len(ps) == 0 {
		return downwind.Document{}, fmt.Errorf("no answer of the Salesforce Trust API: %w", downwind.ErrUnreadable)
	}
	seen := map[feeds.Str]bool{}
	for _, p := range ps {
		var list feeds.List[wireAny]
		var err error
		if bytes.HasPrefix(bytes.TrimSpace(p.Body), []byte("{")) {
			list = make(feeds.List[wireAny], 1)
			err = feeds.DecodeJSON(p.Body, &list[0])
		} else {
			err = feeds.DecodeJSON(p.Body, &list)
		}
		if err != nil {
			return downwind.Document{}, err
		}
		doc.OpenOnly = doc.OpenOnly || strings.HasSuffix(p.URL, "/incidents/active")
		for i := range list {
			entries := feeds.List[wireEntry]{list[i].wireEntry}
			if list[i].Key != "" {
				doc.OpenOnly = true
				doc.Components = append(doc.Components, list[i].instance(&doc))
				planned = planned || list[i].Maintenances != nil
				entries = append(list[i].Incidents, list[i].Maintenances...)
			}
			for j := range entries {
				e := &entries[j]
				if seen[e.ID] && e.ID != "" {
					continue
				}
				seen[e.ID] = true
				planned = planned || e.planned()
				doc.Incidents = append(doc.Incidents, e.incident(&doc))
			}
		}
	}
	if !planned {
		doc.Without = []downwind.Kind{downwind.KindMaintenance}
	}
	return doc, nil
}

// instance reads the state of an instance: OK, or what is going on there and how much of it.
func (a *wireAny) instance(doc *downwind.Document) downwind.Component {
	c := downwind.Component{ID: string(a.Key), Name: feeds.PlainLine(string(a.Key))}
	switch word := strings.ToUpper(string(a.Status)); {
	case word == "OK":
		c.Status = downwind.Operational
	case strings.HasPrefix(word, "MAJOR_INCIDENT"):
		c.Status = downwind.MajorOutage
	case strings.HasPrefix(word, "MINOR_INCIDENT"), strings.HasPrefix(word, "INFORMATIONAL"):
		c.Status = downwind.Degraded
	case strings.HasPrefix(word, "MAINTENANCE"):
		c.Status = downwind.UnderMaintenance
	default:
		c.Status = downwind.StatusUnknown
		feeds.Unknown(doc, "status", string(a.Status))
	}
	return c
}

func (e *wireEntry) planned() bool {
	return !e.Start.IsZero() || e.WorkEvents != nil || e.WorkImpacts != nil
}

func (e *wireEntry) incident(doc *downwind.Document) downwind.Incident {
	inc := downwind.Incident{ID: string(e.ID), Kind: downwind.KindIncident, Title: e.title(), Impact: downwind.ImpactUnknown}
	for _, s := range e.Services {
		inc.Components = append(inc.Components, downwind.Component{ID: string(s), Name: feeds.PlainLine(string(s))})
	}
	for _, s := range e.Instances {
		inc.Regions = append(inc.Regions, feeds.PlainLine(string(s)))
	}
	if e.planned() {
		e.work(&inc)
		return inc
	}
	if e.ID != "" {
		inc.URL = "https://status.salesforce.com/incidents/" + string(e.ID)
	}
	e.window(doc, &inc)
	phase, ok := feeds.PhaseOf(string(e.Status))
	switch {
	case e.Status != "" && !ok:
		feeds.Unknown(doc, "phase", string(e.Status))
	case e.Status == "" && inc.ResolvedAt.IsZero(): // an instance lists its incidents without a state
		phase = downwind.Investigating
	case e.Status == "":
		phase = downwind.Resolved
	}
	inc.Phase, inc.Updates = phase, updates(e.Events)
	feeds.Tidy(&inc)
	for i := range inc.Updates { // "update" before any other word
		if inc.Updates[i].Phase == downwind.PhaseUnknown {
			inc.Updates[i].Phase = downwind.Investigating
		}
	}
	return inc
}

// updates reads posts. A type that is no state ("update") keeps what was said before.
func updates(events feeds.List[wireEvent]) []downwind.Update {
	var out []downwind.Update
	for _, ev := range events {
		u := downwind.Update{ID: string(ev.ID), Body: feeds.PlainText(string(ev.Message)), PostedAt: ev.Created.Time}
		if u.Phase, _ = feeds.PhaseOf(string(ev.Type)); u.Phase == downwind.PhaseUnknown {
			u.Phase = ""
		}
		out = append(out, u)
	}
	return out
}

// work makes the entry planned work. Its state is that of the newest post, or of the windows in which it was felt.
func (e *wireEntry) work(inc *downwind.Incident) {
	inc.Kind, inc.Impact, inc.Phase = downwind.KindMaintenance, downwind.ImpactMaintenance, downwind.Scheduled
	inc.ScheduledFor, inc.ScheduledUntil = e.Start.Time, e.End.Time
	if e.ID != "" {
		inc.URL = "https://status.salesforce.com/maintenances/" + string(e.ID)
	}
	inc.Updates = updates(e.WorkEvents)
	if body := feeds.PlainText(string(e.Information)); body != "" {
		inc.Updates = append(inc.Updates, downwind.Update{ID: "information", Phase: downwind.Scheduled, Body: body, PostedAt: e.Created.Time})
	}
	for i := range inc.Updates {
		if inc.Updates[i].Phase == downwind.Resolved {
			inc.Updates[i].Phase = downwind.Completed
		}
	}
	feeds.Tidy(inc)
	if u := inc.Latest(); u != nil && feeds.IsMaintenancePhase(u.Phase) {
		inc.Phase = u.Phase
	}
	var began time.Time
	for _, w := range e.WorkImpacts {
		if !w.Start.IsZero() && (began.IsZero() || w.Start.Before(began)) {
			began = w.Start.Time
		}
		switch {
		case inc.Phase.Over():
		case !w.End.IsZero():
			inc.Phase, inc.ResolvedAt = downwind.Completed, w.End.Time
		case !w.Start.IsZero():
			inc.Phase = downwind.InProgress
		}
	}
	feeds.Tidy(inc)
	if feeds.StartMaintenance(inc); !began.IsZero() {
		inc.StartedAt = began
	}
}

// title makes up for the missing one: "Degradation: coreService".
func (e *wireEntry) title() string {
	if name := feeds.PlainLine(string(e.Name)); name != "" {
		return name
	}
	what := feeds.PlainLine(string(e.Type))
	if what == "" {
		what = "Incident"
	}
	var names []string
	for _, s := range e.Services {
		names = append(names, feeds.PlainLine(string(s)))
	}
	if len(names) == 0 {
		return what + " " + string(e.ID)
	}
	return what + ": " + strings.Join(names, ", ")
}

// window takes start, end and grade from the impacts; an end holds only when each of them has ended.
func (e *wireEntry) window(doc *downwind.Document, inc *downwind.Incident) {
	inc.StartedAt = e.Created.Time
	stated, ended := false, len(e.Impacts) > 0
	for _, i := range e.Impacts {
		if !i.Start.IsZero() && (!stated || i.Start.Before(inc.StartedAt)) {
			inc.StartedAt, stated = i.Start.Time, true
		}
		if i.End.IsZero() {
			ended = false
		} else if i.End.After(inc.ResolvedAt) {
			inc.ResolvedAt = i.End.Time
		}
		grade, ok := feeds.ImpactOf(string(i.Severity))
		if !ok {
			feeds.Unknown(doc, "severity", string(i.Severity))
		}
		if grade != downwind.ImpactUnknown && (inc.Impact == downwind.ImpactUnknown || grade.Rank() > inc.Impact.Rank()) {
			inc.Impact = grade
		}
	}
	if !ended {
		inc.ResolvedAt = time.Time{}
	}
}
