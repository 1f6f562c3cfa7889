// Package betterstack reads Better Stack pages: index.json (JSON:API). Sections are groups. Neither reports nor their updates
// have a phase: an aggregate state tells what is over. The feed (/feed.rss) has no mark of the platform and is read by
// feeds/syndication.
package betterstack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "betterstack" }

// pageType is the type of the one object that the answer is about.
var pageType = pattern.New(`"type"\s*:\s*"status_page"`)

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) == "json" && feeds.Has(p.Body, 4096, `"data"`, `"attributes"`) && pageType.Match(p.Body[:min(len(p.Body), 4096)]) {
		return 92
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/index.json")}}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return strings.HasSuffix(host, ".betteruptime.com") || strings.HasSuffix(host, ".betterstack.com")
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("uptime.betterstack.com")) || bytes.Contains(html, []byte("betteruptime.com/assets"))
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Data.Type != "status_page" {
			continue
		}
		return w.document(a.Platform(), p.FetchedAt), nil
	}
	return downwind.Document{}, fmt.Errorf("no answer of a Better Stack page: %w", downwind.ErrUnreadable)
}

// reader joins the objects of one answer.
type reader struct {
	doc      downwind.Document
	sections map[feeds.Str]string
	known    map[feeds.Str]downwind.Component
	// updates are all posts by id; owned are those that name their report themselves, by that.
	updates map[feeds.Str]*wireObject
	owned   map[feeds.Str][]feeds.Str
	readAt  time.Time
}

func (w *wire) document(platform string, readAt time.Time) downwind.Document {
	at := w.Data.Attributes
	r := reader{
		doc:      downwind.Document{Platform: platform, Page: downwind.Page{ID: string(w.Data.ID), Name: feeds.PlainLine(string(at.Company))}},
		sections: map[feeds.Str]string{}, known: map[feeds.Str]downwind.Component{},
		updates: map[feeds.Str]*wireObject{}, owned: map[feeds.Str][]feeds.Str{}, readAt: readAt,
	}
	if at.Domain != "" {
		r.doc.Page.URL = "https://" + string(at.Domain)
	} else if at.Sub != "" {
		r.doc.Page.URL = "https://" + string(at.Sub) + ".betteruptime.com"
	}
	for i := range w.Included {
		switch o := &w.Included[i]; o.Type {
		case "status_page_section":
			r.sections[o.ID] = feeds.PlainLine(string(o.Attributes.Name))
		case "status_update":
			r.updates[o.ID] = o
			if report := o.report(); report != "" {
				r.owned[report] = append(r.owned[report], o.ID)
			}
		}
	}
	for _, o := range w.Included {
		if o.Type == "status_page_resource" {
			c := r.component(o)
			r.known[o.ID] = c
			r.doc.Components = append(r.doc.Components, c)
		}
	}
	for i := range w.Included {
		if o := &w.Included[i]; o.Type == "status_report" {
			r.doc.Incidents = append(r.doc.Incidents, r.report(o))
		}
	}
	return r.doc
}

// report is the id of the report that an update belongs to, empty where it does not say.
func (o *wireObject) report() feeds.Str {
	if o.Attributes.Report != "" {
		return o.Attributes.Report
	}
	return o.relation("status_report")
}

// relation is the id of a single related object.
func (o *wireObject) relation(name string) feeds.Str {
	var one struct {
		ID feeds.Str `json:"id"`
	}
	if json.Unmarshal(o.Relations[name].Data, &one) != nil {
		return ""
	}
	return one.ID
}

// relations are the ids of related objects.
func (o *wireObject) relations(name string) []feeds.Str {
	var many []struct {
		ID feeds.Str `json:"id"`
	}
	if json.Unmarshal(o.Relations[name].Data, &many) != nil {
		return nil
	}
	ids := make([]feeds.Str, 0, len(many))
	for _, one := range many {
		ids = append(ids, one.ID)
	}
	return ids
}

func (r *reader) status(word feeds.Str) downwind.Status {
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(&r.doc, "status", string(word))
	}
	return s
}

func (r *reader) component(o wireObject) downwind.Component {
	section := o.Attributes.Section
	if section == "" {
		section = o.relation("status_page_section")
	}
	return downwind.Component{
		ID: string(o.ID), Name: feeds.PlainLine(string(o.Attributes.Public)), Group: r.sections[section], Status: r.status(o.Attributes.Status),
	}
}

// affect names resources with the state that a report gives them; ids of resources that are gone are left out.
func (r *reader) affect(list []wireAffected) []downwind.Component {
	var out []downwind.Component
	for _, a := range list {
		if c, ok := r.known[a.Resource]; ok {
			c.Status = r.status(a.Status)
			out = append(out, c)
		}
	}
	return out
}

func (r *reader) report(o *wireObject) downwind.Incident {
	at := o.Attributes
	inc := downwind.Incident{
		ID: string(o.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(at.Title)), Phase: downwind.Investigating,
		Impact: downwind.ImpactUnknown, StartedAt: at.Starts.Time, ResolvedAt: at.Ends.Time, Components: r.affect(at.Affected),
	}
	if r.doc.Page.URL != "" && inc.ID != "" {
		inc.URL = r.doc.Page.URL + "/incident/" + inc.ID
	}
	seen := map[feeds.Str]bool{}
	for _, id := range append(o.relations("status_updates"), r.owned[o.ID]...) {
		u := r.updates[id]
		if u == nil || seen[id] {
			continue
		}
		seen[id] = true
		inc.Updates = append(inc.Updates, downwind.Update{
			ID: string(id), Body: feeds.PlainText(string(u.Attributes.Message)), PostedAt: u.Attributes.Published.Time, Components: r.affect(u.Attributes.Affected),
		})
	}
	slices.Reverse(inc.Updates) // listed newest first
	switch state := strings.ToLower(string(at.State)); {
	case strings.EqualFold(string(at.Kind), "maintenance"):
		r.plan(&inc, at)
	case state == "resolved", state == "operational", state == "" && !at.Ends.IsZero():
		inc.Phase = downwind.Resolved
	}
	if inc.ResolvedAt.IsZero() && inc.Phase.Over() {
		closeLast(&inc)
	}
	feeds.Tidy(&inc)
	if inc.Kind == downwind.KindMaintenance {
		feeds.StartMaintenance(&inc)
	} else {
		feeds.StartFromUpdates(&inc)
	}
	return inc
}

// closeLast gives the newest post the phase of a report that is over without a stated end: that post has closed it.
func closeLast(inc *downwind.Incident) {
	last := 0
	for i, u := range inc.Updates {
		if !u.PostedAt.Before(inc.Updates[last].PostedAt) {
			last = i
		}
	}
	if len(inc.Updates) > 0 {
		inc.Updates[last].Phase = inc.Phase
	}
}

// plan makes the report planned work, whose start and end are also its window.
func (r *reader) plan(inc *downwind.Incident, at wireAttributes) {
	inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	inc.ScheduledFor, inc.ScheduledUntil = at.Starts.Time, at.Ends.Time
	switch strings.ToLower(string(at.State)) {
	case "resolved":
		inc.Phase = downwind.Completed
	case "maintenance", "under_maintenance", "in_progress", "degraded", "downtime":
		inc.Phase = downwind.InProgress
		if at.Starts.After(r.readAt) && !r.readAt.IsZero() {
			inc.Phase = downwind.Scheduled
		}
	default:
		inc.Phase = downwind.Scheduled
	}
}
