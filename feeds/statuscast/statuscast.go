// Package statuscast reads StatusCast pages (Fastly's is one): components.json and incidents.json. Components are a flat
// list in which each names its parent; incidents carry a type in place of an impact, and times without a zone.
package statuscast

import (
	"bytes"
	"fmt"
	"strings"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "statuscast" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) != "json" {
		return 0
	}
	switch {
	case hasIncidents(p.Body), hasComponents(p.Body):
		return 90
	case len(p.Body) < 16 && bytes.Equal(bytes.TrimSpace(p.Body), []byte("[]")) && ownAddress(p.URL):
		return 60
	}
	return 0
}

func hasIncidents(b []byte) bool {
	return feeds.Has(b, 4096, `"IncidentType"`) && (feeds.Has(b, 4096, `"DateToPost"`) || feeds.Has(b, 4096, `"ShortUrl"`))
}

func hasComponents(b []byte) bool {
	return feeds.Has(b, 4096, `"CurrentStatus"`, `"parent"`)
}

// ownAddress reports the two addresses of the plan: an empty list there is a quiet page.
func ownAddress(url string) bool {
	return strings.HasSuffix(url, "/incidents.json") || strings.HasSuffix(url, "/components.json")
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/incidents.json")},
		{URL: feeds.JoinURL(page, "/components.json"), Optional: true},
	}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return strings.HasSuffix(host, ".statuscast.com") || strings.HasSuffix(host, ".status.page")
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool { return bytes.Contains(html, []byte("statuscast.com")) }

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}, known: map[string]downwind.Component{}}
	var incidents []wireIncident
	listed := false
	for _, p := range ps {
		w, err := read(p.Body)
		if err != nil {
			return downwind.Document{}, err
		}
		if len(w.Components) > 0 && len(d.doc.Components) == 0 {
			d.components(w.Components)
		}
		incidents = append(incidents, w.Incidents...)
		listed = listed || w.Incidents != nil
	}
	for i := range incidents {
		d.doc.Incidents = append(d.doc.Incidents, d.incident(&incidents[i]))
	}
	d.doc.Partial = !listed
	return d.doc, nil
}

// read takes a bare list or an object with lists.
func read(body []byte) (wireLists, error) {
	var w wireLists
	var err error
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		err = feeds.DecodeJSON(body, &w)
		if err == nil && w.Components == nil && w.Incidents == nil {
			err = fmt.Errorf("JSON with neither components nor incidents of StatusCast: %w", downwind.ErrUnreadable)
		}
	case hasComponents(body) && !hasIncidents(body):
		err = feeds.DecodeJSON(body, &w.Components)
	default:
		err = feeds.DecodeJSON(body, &w.Incidents)
	}
	return w, err
}

type decoder struct {
	doc   downwind.Document
	known map[string]downwind.Component // by name
}

// components lists the entries that are nobody's parent, with their parent's name as the group.
func (d *decoder) components(list []wireComponent) {
	names := make(map[feeds.Str]string, len(list))
	parents := make(map[feeds.Str]bool, len(list))
	for _, c := range list {
		names[c.ID] = c.label()
		parents[c.Parent] = true
	}
	for _, c := range list {
		if parents[c.ID] && c.Parent != c.ID {
			continue
		}
		s, ok := feeds.StatusOf(string(c.Status))
		if !ok {
			feeds.Unknown(&d.doc, "status", string(c.Status))
		}
		leaf := downwind.Component{ID: string(c.ID), Name: c.label(), Group: names[c.Parent], Status: s}
		if c.Parent == "#" {
			leaf.Group = ""
		}
		d.known[leaf.Name] = leaf
		d.doc.Components = append(d.doc.Components, leaf)
	}
}

func (c wireComponent) label() string {
	if c.Text != "" {
		return feeds.PlainLine(string(c.Text))
	}
	return feeds.PlainLine(string(c.Name))
}

func (d *decoder) incident(w *wireIncident) downwind.Incident {
	title, prefix := feeds.TrimState(feeds.PlainLine(string(w.Title)))
	inc := downwind.Incident{ID: string(w.ID), Kind: downwind.KindIncident, Title: title, URL: string(w.ShortURL), Phase: d.phase(w.Status)}
	if inc.URL == "" {
		inc.URL = string(w.URL)
	}
	if inc.Phase == "" {
		inc.Phase = prefix
	}
	d.grade(&inc, w.Type)
	for _, c := range w.Components {
		part := downwind.Component{ID: string(c.ID), Name: c.label()}
		if leaf, ok := d.known[part.Name]; ok {
			part = leaf
			part.Status = ""
		}
		inc.Components = append(inc.Components, part)
	}
	for _, u := range w.Updates {
		inc.Updates = append(inc.Updates, d.update(u))
	}
	if len(w.Updates) == 0 && w.Message != "" {
		inc.Updates = append(inc.Updates, downwind.Update{Body: feeds.PlainText(string(w.Message)), PostedAt: w.Posted.Time, ID: "message"})
	}
	inc.ResolvedAt = w.Resolved.Time
	if inc.ResolvedAt.IsZero() {
		inc.ResolvedAt = w.Ended.Time
	}
	planned := inc.Kind == downwind.KindMaintenance
	asKind(&inc, planned)
	if planned {
		inc.ScheduledFor, inc.ScheduledUntil = w.Start.Time, w.End.Time
		feeds.Tidy(&inc)
		feeds.StartMaintenance(&inc)
		if inc.StartedAt.IsZero() && inc.Phase != downwind.Scheduled {
			inc.StartedAt = w.Started.Time
		}
		return inc
	}
	if inc.StartedAt = w.Started.Time; inc.StartedAt.IsZero() {
		inc.StartedAt = w.Posted.Time
	}
	feeds.Tidy(&inc)
	feeds.StartFromUpdates(&inc)
	return inc
}

func (d *decoder) update(u wireUpdate) downwind.Update {
	out := downwind.Update{ID: string(u.ID), Body: feeds.PlainText(string(u.Message)), PostedAt: u.Posted.Time, Phase: d.phase(u.Status)}
	if out.Body == "" {
		out.Body = feeds.PlainText(string(u.Text))
	}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.Date.Time
	}
	return out
}

// phase reads a state word, "" where there is none; InProgress is what open incidents say.
func (d *decoder) phase(word feeds.Str) downwind.Phase {
	if word == "" || strings.EqualFold(string(word), "update") {
		return ""
	}
	p, ok := feeds.PhaseOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	return p
}

// asKind turns words that both kinds share into those of this one.
func asKind(inc *downwind.Incident, planned bool) {
	change := func(p downwind.Phase) downwind.Phase {
		switch {
		case planned && p == downwind.Resolved:
			return downwind.Completed
		case !planned && p == downwind.InProgress:
			return downwind.Investigating
		case !planned && p == downwind.Completed:
			return downwind.Resolved
		}
		return p
	}
	inc.Phase = change(inc.Phase)
	for i := range inc.Updates {
		inc.Updates[i].Phase = change(inc.Updates[i].Phase)
	}
}

// grade reads the type: a component state, planned work, or an announcement.
func (d *decoder) grade(inc *downwind.Incident, word feeds.Str) {
	low := strings.ToLower(string(word))
	switch {
	case low == "":
		inc.Impact = downwind.ImpactUnknown
		return
	case strings.Contains(low, "maintenance"):
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
		return
	case strings.HasPrefix(low, "info"), strings.HasPrefix(low, "announce"), low == "notice":
		inc.Kind, inc.Impact = downwind.KindNotice, downwind.ImpactNone
		return
	}
	s, ok := feeds.StatusOf(low)
	switch s {
	case downwind.Operational:
		inc.Impact = downwind.ImpactNone
	case downwind.Degraded:
		inc.Impact = downwind.ImpactMinor
	case downwind.PartialOutage:
		inc.Impact = downwind.ImpactMajor
	case downwind.MajorOutage:
		inc.Impact = downwind.ImpactCritical
	default:
		inc.Impact = downwind.ImpactUnknown
	}
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(word))
	}
}
