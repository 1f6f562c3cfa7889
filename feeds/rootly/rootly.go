// Package rootly reads the public API that Rootly's status pages have on their own domains: the page's state and the
// incidents that are open. Only the page's fields are documented with an example; of an incident every name is read that
// Rootly uses for it elsewhere. The feeds of these pages are read by feeds/syndication.
package rootly

import (
	"bytes"
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
func (Adapter) Platform() string { return "rootly" }

// pageObject is the object of the page, which has no objects inside.
var pageObject = pattern.New(`"page"\s*:\s*\{([^{}]*)\}`)

// Claims implements feeds.Adapter: a Statuspage whose page has no id.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) != "json" || !bytes.HasPrefix(bytes.TrimSpace(p.Body[:min(len(p.Body), 64)]), []byte("{")) {
		return 0
	}
	m := pageObject.FindSubmatch(p.Body[:min(len(p.Body), 2048)])
	if m == nil || bytes.Contains(m[1], []byte(`"id"`)) {
		return 0
	}
	for _, mark := range []string{`"name"`, `"url"`, `"time_zone"`} {
		if !bytes.Contains(m[1], []byte(mark)) {
			return 0
		}
	}
	if bytes.Contains(p.Body, []byte(`"incidents"`)) {
		return 90
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/v1/status.json")},
		{URL: feeds.JoinURL(page, "/api/v1/incidents.json?per_page=100"), Optional: true},
	}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return strings.HasSuffix(host, ".rootly.com") }

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool { return bytes.Contains(html, []byte("rootly.com")) }

// Decode implements feeds.Adapter. Both lists hold what is open: what is missing from them has ended.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform(), OpenOnly: true}}
	fullest := map[feeds.Str]*wireIncident{}
	var order []feeds.Str
	read, listed := false, false
	for _, p := range ps {
		w := new(wire)
		if err := feeds.DecodeJSON(p.Body, w); err != nil {
			return downwind.Document{}, err
		}
		if w.Page == nil {
			continue
		}
		read, listed = true, listed || w.Incidents != nil || bytes.Contains(p.Body, []byte(`"incidents"`))
		d.doc.Page = downwind.Page{ID: string(w.Page.ID), Name: feeds.PlainLine(string(w.Page.Name)), URL: string(w.Page.URL)}
		if len(d.doc.Components) == 0 {
			for _, c := range w.Components {
				d.doc.Components = append(d.doc.Components, d.component(c))
			}
		}
		for i := range w.Incidents {
			one := &w.Incidents[i]
			id := one.id()
			old, twice := fullest[id]
			if !twice {
				order = append(order, id)
			}
			if !twice || len(one.updates()) > len(old.updates()) {
				fullest[id] = one
			}
		}
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of a Rootly status page: %w", downwind.ErrUnreadable)
	}
	for _, id := range order {
		d.doc.Incidents = append(d.doc.Incidents, d.incident(string(id), fullest[id]))
	}
	d.doc.Partial, d.doc.OpenOnly = !listed, listed
	return d.doc, nil
}

type decoder struct{ doc downwind.Document }

func (d *decoder) component(c wireNamed) downwind.Component {
	out := downwind.Component{ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: feeds.PlainLine(string(c.Group))}
	s, ok := feeds.StatusOf(string(c.Status))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(c.Status))
	}
	out.Status = s
	return out
}

// id is the page's own id, else the end of the incident's address, which alone is documented, else what does not change.
func (w *wireIncident) id() feeds.Str {
	link := w.URL
	if link == "" {
		link = w.Shortlink
	}
	for _, id := range []feeds.Str{w.ID, w.Slug, feeds.Str(feeds.LastPart(string(link)))} {
		if id != "" {
			return id
		}
	}
	return feeds.Str(feeds.ContentID(string(w.Title+w.Name), w.StartedAt.UTC().Format(time.RFC3339)))
}

// updates are the posts, whatever their list is called.
func (w *wireIncident) updates() []wireUpdate {
	for _, list := range []feeds.List[wireUpdate]{w.Updates, w.Events, w.Plain} {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

func (d *decoder) incident(id string, w *wireIncident) downwind.Incident {
	inc := downwind.Incident{
		ID: id, Kind: downwind.KindIncident, Phase: d.phase(w.Status), Impact: d.impact(w), URL: string(w.URL), StartedAt: w.StartedAt.Time,
		ResolvedAt: w.ResolvedAt.Time, ScheduledFor: w.ScheduledFor.Time, ScheduledUntil: w.ScheduledUntil.Time,
	}
	if inc.Title = feeds.PlainLine(string(w.Title)); inc.Title == "" {
		inc.Title = feeds.PlainLine(string(w.Name))
	}
	if inc.URL == "" {
		inc.URL = string(w.Shortlink)
	}
	if inc.StartedAt.IsZero() {
		inc.StartedAt = w.CreatedAt.Time
	}
	for _, list := range []feeds.List[wireNamed]{w.Affected, w.Components, w.Services, w.Functions} {
		for _, c := range list {
			part := d.component(c)
			if c.Status == "" || inc.Phase.Over() {
				part.Status = ""
			}
			inc.Components = append(inc.Components, part)
		}
	}
	for _, u := range slices.Backward(w.updates()) { // listed newest first
		inc.Updates = append(inc.Updates, d.update(u))
	}
	planned := strings.HasPrefix(string(w.Kind), "scheduled") || !w.ScheduledFor.IsZero() || feeds.IsMaintenancePhase(inc.Phase) || inc.Impact == downwind.ImpactMaintenance
	if planned {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
		feeds.Tidy(&inc)
		feeds.StartMaintenance(&inc)
		return inc
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); inc.Phase == downwind.PhaseUnknown && w.Status == "" && u != nil {
		inc.Phase = u.Phase
		feeds.Tidy(&inc)
	}
	feeds.StartFromUpdates(&inc)
	return inc
}

// impact takes the first word that is there.
func (d *decoder) impact(w *wireIncident) downwind.Impact {
	word := w.Impact
	if word == "" {
		word = w.Severity
	}
	i, ok := feeds.ImpactOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(word))
	}
	return i
}

// phase reads a state word, "" where there is none or it keeps the one before.
func (d *decoder) phase(word feeds.Str) downwind.Phase {
	switch strings.ToLower(string(word)) {
	case "", "update":
		return ""
	case "in_triage":
		return downwind.Investigating
	}
	p, ok := feeds.PhaseOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	return p
}

func (d *decoder) update(u wireUpdate) downwind.Update {
	out := downwind.Update{ID: string(u.ID), Phase: d.phase(u.Status), PostedAt: u.DisplayAt.Time}
	for _, text := range []feeds.Str{u.Body, u.Event, u.Message} {
		if out.Body == "" {
			out.Body = feeds.PlainText(string(text))
		}
	}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.StartedAt.Time
	}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.CreatedAt.Time
	}
	return out
}
