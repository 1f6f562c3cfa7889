// Package sorry reads Sorry pages: the public API of the page itself. A notice is open while it has no end; notices of
// type planned are maintenance, general ones announcements.
package sorry

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "sorry" }

var (
	noticesFirst = pattern.New(`^\s*\{\s*"notices"\s*:\s*\[`)
	wrapped      = pattern.New(`^\s*\{\s*"(?:response|notice)"\s*:\s*[\[{]`)
	parts        = pattern.New(`^\s*\{\s*"components"\s*:\s*\[`)
	componentOf  = pattern.New(`"state"\s*:\s*"(operational|degraded|partially[-_]degraded|under[-_]maintenance|maintenance|outage)"`)
)

// pageFirst is the answer to /api/v1/status without its texts.
var pageFirst = pattern.New(`^\s*\{\s*"page"\s*:\s*\{[^{}]*"state"\s*:\s*"(?:operational|degraded|partially[-_]degraded|under[-_]maintenance|maintenance|outage)"`)

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	head := p.Body[:min(len(p.Body), 4096)]
	switch {
	case feeds.Shape(p.Body) != "json" || !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
		return 0
	case feeds.Has(head, 4096, `"page"`, `"state_text"`):
		return 90
	case pageFirst.Match(head) && !feeds.Has(head, 4096, `"status"`):
		return 75
	case noticesFirst.Match(head):
		if feeds.Has(head, 4096, `"subject"`, `"state"`) || feeds.Has(head, 4096, `"began_at"`) {
			return 90
		}
		return 60
	case wrapped.Match(head) && feeds.Has(head, 4096, `"timeline_state"`, `"subject"`):
		return 90
	case wrapped.Match(head) && componentOf.Match(head) && !feeds.Has(head, 4096, `"status"`):
		return 70
	case parts.Match(head) && componentOf.Match(head) && !feeds.Has(head, 4096, `"status"`):
		return 80
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/v1/notices")},
		{URL: feeds.JoinURL(page, "/api/v1/components"), Optional: true},
		{URL: feeds.JoinURL(page, "/api/v1/status"), Every: 5, Optional: true},
	}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return strings.HasSuffix(host, ".sorryapp.com") }

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool { return bytes.Contains(html, []byte("sorryapp.com")) }

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}, known: map[string]downwind.Component{}}
	var notices []wireNotice
	read, listed := false, false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		single := w.unwrap()
		if pg := w.Page; pg != nil {
			read = true
			d.doc.Page = downwind.Page{ID: string(pg.ID), Name: feeds.PlainLine(string(pg.Name)), URL: string(pg.URL)}
			w.Components, w.Notices = append(w.Components, pg.Components...), append(w.Notices, pg.Notices...)
		}
		read = read || w.Components != nil || w.Notices != nil
		listed = listed || w.Notices != nil && !single
		if len(d.doc.Components) == 0 {
			d.components(w.Components)
		}
		notices = append(notices, w.Notices...)
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of a Sorry page: %w", downwind.ErrUnreadable)
	}
	seen := map[feeds.Str]bool{}
	for i := range notices {
		if n := &notices[i]; n.ID == "" || !seen[n.ID] {
			seen[n.ID] = true
			d.doc.Incidents = append(d.doc.Incidents, d.notice(n))
		}
	}
	d.doc.Partial = !listed
	return d.doc, nil
}

// unwrap puts what stands under another name where it belongs; single says that it is one notice alone.
func (w *wire) unwrap() (single bool) {
	if w.Page == nil {
		w.Page = w.Response.page
	}
	w.Components = append(w.Components, w.Response.components...)
	if w.Notices == nil {
		w.Notices = w.Response.notices
	}
	if w.Notice != nil {
		w.Notices = append(w.Notices, *w.Notice)
	}
	return w.Notice != nil || w.Response.single
}

type decoder struct {
	doc   downwind.Document
	known map[string]downwind.Component
}

// components lists the leaves of a tree that is nested, flat with parent ids, or both.
func (d *decoder) components(list []wireComponent) {
	names, parents := map[feeds.Str]string{}, map[feeds.Str]bool{}
	for _, c := range list {
		names[c.ID] = feeds.PlainLine(string(c.Name))
		if c.ParentID != "" {
			parents[c.ParentID] = true
		}
	}
	for i := range list {
		if c := &list[i]; !parents[c.ID] {
			d.leaves(c, names[c.ParentID])
		}
	}
}

func (d *decoder) leaves(c *wireComponent, group string) {
	below := append(c.Children[:len(c.Children):len(c.Children)], c.Inner...)
	if len(below) == 0 {
		leaf := d.component(c, group)
		if _, twice := d.known[leaf.ID]; twice && leaf.ID != "" {
			return
		}
		d.known[leaf.ID] = leaf
		d.doc.Components = append(d.doc.Components, leaf)
	}
	for i := range below {
		d.leaves(&below[i], feeds.PlainLine(string(c.Name)))
	}
}

func (d *decoder) component(c *wireComponent, group string) downwind.Component {
	s, ok := feeds.StatusOf(string(c.State))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(c.State))
	}
	return downwind.Component{ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: group, Status: s}
}

func (d *decoder) notice(n *wireNotice) downwind.Incident {
	inc := downwind.Incident{
		ID: string(n.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(n.Subject)), URL: string(n.URL), Impact: downwind.ImpactUnknown,
	}
	if inc.URL == "" {
		inc.URL = string(n.Link)
	}
	if inc.ID == "" {
		inc.ID = feeds.LastPart(inc.URL)
	}
	planned := strings.EqualFold(string(n.Type), "planned")
	if strings.EqualFold(string(n.Type), "general") {
		inc.Kind = downwind.KindNotice
	}
	for i := range n.Components {
		c := d.component(&n.Components[i], "")
		if leaf, ok := d.known[c.ID]; ok {
			c.Name, c.Group = leaf.Name, leaf.Group
		}
		if !n.Ended.IsZero() { // its state is that of today
			c.Status = ""
		}
		inc.Components = append(inc.Components, c)
	}
	for _, u := range n.Updates {
		inc.Updates = append(inc.Updates, d.update(u, planned))
	}
	if first := feeds.PlainText(string(n.Synopsis)); len(n.Updates) == 0 && first != "" { // the first post, where none is sent along
		u := downwind.Update{ID: "synopsis", Phase: downwind.Investigating, Body: first, PostedAt: n.Created.Time}
		if planned {
			u.Phase = downwind.Scheduled
		}
		inc.Updates = append(inc.Updates, u)
	}
	inc.Phase = d.phase(n.State, planned)
	inc.ResolvedAt = n.Ended.Time
	if !n.Ended.IsZero() && !inc.Phase.Over() {
		inc.Phase = downwind.Resolved
		if planned {
			inc.Phase = downwind.Completed
		}
	}
	began := n.Began.Time
	if planned {
		d.plan(&inc, n)
		return inc
	}
	if began.IsZero() {
		began = n.Begins.Time
	}
	inc.StartedAt = began
	feeds.Tidy(&inc)
	if inc.Phase == downwind.PhaseUnknown && n.State == "" && inc.Latest() != nil {
		inc.Phase = inc.Latest().Phase
		feeds.Tidy(&inc)
	}
	feeds.StartFromUpdates(&inc)
	if inc.StartedAt.IsZero() {
		inc.StartedAt = n.Created.Time
	}
	return inc
}

// plan makes the notice planned work: begins_at and ends_at are its window, began_at and ended_at what came of it.
func (d *decoder) plan(inc *downwind.Incident, n *wireNotice) {
	inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	inc.ScheduledFor, inc.ScheduledUntil = n.Begins.Time, n.Ends.Time
	feeds.Tidy(inc)
	feeds.StartMaintenance(inc)
	if inc.Phase == downwind.InProgress || inc.Phase == downwind.Verifying || inc.Phase == downwind.Completed {
		if inc.StartedAt.IsZero() || !n.Began.IsZero() {
			inc.StartedAt = n.Began.Time
		}
	}
}

func (d *decoder) update(u wireUpdate, planned bool) downwind.Update {
	out := downwind.Update{ID: string(u.ID), Phase: d.phase(u.State, planned), Body: feeds.PlainText(string(u.Content)), PostedAt: u.Posted.Time}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.Created.Time
	}
	if !u.Created.IsZero() && u.Updated.Sub(u.Created.Time) > time.Second {
		out.EditedAt = u.Updated.Time
	}
	return out
}

// phase reads a state word, "" where there is none.
func (d *decoder) phase(word feeds.Str, planned bool) downwind.Phase {
	switch strings.ToLower(string(word)) {
	case "", "update", "updated":
		return ""
	case "recovering", "watching":
		return downwind.Monitoring
	case "retrospective":
		return downwind.Postmortem
	case "false_alarm":
		return downwind.Resolved
	}
	p, ok := feeds.PhaseOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	switch {
	case planned && p == downwind.Resolved:
		return downwind.Completed
	case !planned && p == downwind.Completed:
		return downwind.Resolved
	}
	return p
}
