// Package incidentio reads incident.io status pages: their Statuspage-compatible JSON, the data of the page itself, the
// widget and the feeds.
//
// No shape says everything: the compatible incidents name no components, its summary stops at 25 components, the page's
// own data lists open incidents only. Decode joins whatever came back by incident id.
package incidentio

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Platform is the word of this adapter.
const Platform = "incidentio"

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return Platform }

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "statuspage.incident.io" }

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("incident-io-status-page")) || bytes.Contains(html, []byte("statuspage.incident.io")) ||
		bytes.Contains(html, []byte("Powered by incident.io"))
}

// ulid is an id as incident.io gives to pages; Statuspage ids are shorter and in lower case.
var ulid = pattern.New(`"id"\s*:\s*"0[0-9A-HJKMNP-TV-Z]{23,25}"`)

// nullList reports a list of the page that is null, which Statuspage would write as []; an incident's own components may be
// null there too.
func nullList(b []byte) bool {
	for _, key := range []string{`"incidents"`, `"scheduled_maintenances"`} {
		if i := bytes.Index(b, []byte(key)); i >= 0 {
			rest := bytes.TrimLeft(b[i+len(key):min(len(b), i+len(key)+32)], ": \t\r\n")
			if bytes.HasPrefix(rest, []byte("null")) {
				return true
			}
		}
	}
	return false
}

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch feeds.Shape(b) {
	case "json":
		head := b[:min(len(b), 4096)]
		switch {
		case !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
			return 0
		case bytes.Contains(b, []byte(`"ongoing_incidents"`)) && (bytes.Contains(b, []byte(`"in_progress_maintenances"`)) || feeds.Has(b, 64, `"summary"`)):
			return 95
		case bytes.Contains(b, []byte(`"incident_links"`)) && bytes.Contains(b, []byte(`"component_impacts"`)):
			return 90
		case bytes.Contains(head, []byte(`"page"`)) && (ulid.Match(head[:min(len(head), 512)]) || nullList(b)):
			return 90
		}
	case "xml":
		if feeds.Has(b, 4096, "<generator>incident.io") {
			return 95
		}
		if bytes.Contains(b[:min(len(b), 16<<10)], []byte("<b>Status: ")) || bytes.Contains(b[:min(len(b), 16<<10)], []byte("&lt;b&gt;Status: ")) {
			return 88
		}
	}
	return 0
}

// Endpoints implements feeds.Adapter: the compatible incidents each poll; components, planned work and the page's own data
// (which links components to open incidents) on change or on each fifth poll.
func (Adapter) Endpoints(pageURL string) []feeds.Endpoint {
	plan := []feeds.Endpoint{
		{URL: feeds.JoinURL(pageURL, "/api/v2/incidents.json"), Every: 1},
		{URL: feeds.JoinURL(pageURL, "/api/v2/components.json"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(pageURL, "/api/v2/summary.json"), Every: 5, Optional: true},
	}
	if u, err := url.Parse(pageURL); err == nil && u.Host != "" {
		plan = append(plan, feeds.Endpoint{URL: feeds.JoinURL(pageURL, "/proxy/"+u.Hostname()), Every: 5, Optional: true})
	}
	return append(plan, feeds.Endpoint{URL: feeds.JoinURL(pageURL, "/history.atom"), Every: 1, Fallback: true})
}

// Decode implements feeds.Adapter.
func (Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := &decoder{names: map[string]downwind.Component{}, at: map[string]int{}, begun: map[string]time.Time{}}
	var answers []answer
	for _, p := range ps {
		if feeds.Shape(p.Body) == "xml" {
			if len(ps) == 1 {
				return decodeFeed(p)
			}
			continue
		}
		var a answer
		if err := feeds.DecodeJSON(p.Body, &a); err != nil {
			return downwind.Document{}, err
		}
		if a.Page == nil && a.Summary == nil && !a.isWidget() && a.Links == nil {
			return downwind.Document{}, fmt.Errorf("JSON without a page, not of incident.io: %w", downwind.ErrUnreadable)
		}
		answers = append(answers, a)
	}
	if len(answers) == 0 {
		return downwind.Document{}, fmt.Errorf("no answer of an incident.io page: %w", downwind.ErrUnreadable)
	}
	for i := range answers {
		d.page(&answers[i])
	}
	d.allComponents(answers)
	for i := range answers {
		d.compat(&answers[i])
	}
	for i := range answers {
		d.native(answers[i].Summary)
		d.widget(&answers[i])
		d.history(&answers[i])
	}
	for i := range d.doc.Incidents {
		inc := &d.doc.Incidents[i]
		finish(inc)
		if at, ok := d.begun[inc.ID]; ok && inc.Phase != downwind.Scheduled {
			inc.StartedAt = at
		}
	}
	d.doc.OpenOnly = !d.closed
	if !d.planned || d.closed { // no answer lists planned work that is over
		d.doc.Without = []downwind.Kind{downwind.KindMaintenance}
	}
	return d.doc, nil
}

type decoder struct {
	doc   downwind.Document
	names map[string]downwind.Component // component id to name and group
	at    map[string]int                // incident id to its place in the document
	// begun is when planned work began, by its id, where that is stated: the widget shows the newest note only.
	begun map[string]time.Time
	// closed: ended incidents are listed; planned: maintenance is.
	closed, planned bool
}

func (d *decoder) page(a *answer) {
	p := &d.doc.Page
	switch {
	case p.Name != "":
	case a.Page != nil:
		*p = downwind.Page{ID: string(a.Page.ID), Name: feeds.PlainLine(string(a.Page.Name)), URL: string(a.Page.URL)}
	case a.Summary != nil:
		*p = downwind.Page{ID: string(a.Summary.ID), Name: feeds.PlainLine(string(a.Summary.Name)), URL: string(a.Summary.PublicURL)}
	default:
		*p = downwind.Page{Name: feeds.PlainLine(string(a.PageTitle)), URL: string(a.PageURL)}
	}
}

// allComponents takes the longest list of components (the summary stops at 25) and the groups that the page's data know.
func (d *decoder) allComponents(answers []answer) {
	var longest []compatComponent
	for _, a := range answers {
		if a.Summary != nil {
			d.structure(a.Summary)
		}
		if len(a.Components) > len(longest) {
			longest = a.Components
		}
	}
	groups := map[string]string{}
	for _, c := range longest {
		if c.Group {
			groups[string(c.ID)] = feeds.PlainLine(string(c.Name))
		}
	}
	var leaves []downwind.Component
	for _, c := range longest {
		if c.Group {
			continue
		}
		leaf := downwind.Component{ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: groups[string(c.GroupID)], Status: d.status(c.Status)}
		if known, ok := d.names[leaf.ID]; ok && leaf.Group == "" {
			leaf.Group = known.Group
		}
		d.names[leaf.ID] = leaf
		leaves = append(leaves, leaf)
	}
	if len(leaves) > 0 {
		d.doc.Components = leaves
	}
}

func (d *decoder) status(word feeds.Str) downwind.Status {
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(word))
	}
	return s
}

// phase reads a state word; "" is the bare update that keeps the phase before it.
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

// incident returns the incident with this id, adding it when it is new.
func (d *decoder) incident(id, name feeds.Str, phase downwind.Phase) *downwind.Incident {
	if i, ok := d.at[string(id)]; ok {
		return &d.doc.Incidents[i]
	}
	d.at[string(id)] = len(d.doc.Incidents)
	inc := downwind.Incident{ID: string(id), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(name)), Phase: phase, Impact: downwind.ImpactUnknown}
	if d.doc.Page.URL != "" && id != "" {
		inc.URL = strings.TrimRight(d.doc.Page.URL, "/") + "/incidents/" + string(id)
	}
	if feeds.IsMaintenancePhase(phase) {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	}
	d.doc.Incidents = append(d.doc.Incidents, inc)
	return &d.doc.Incidents[len(d.doc.Incidents)-1]
}

// compat reads the incidents and maintenances of a Statuspage-compatible file.
func (d *decoder) compat(a *answer) {
	if a.Page == nil || a.isWidget() {
		return
	}
	summary := len(a.Status) > 0 || a.Components != nil
	d.closed = d.closed || !summary
	for i := range a.Incidents {
		d.compatIncident(&a.Incidents[i], false)
	}
	if len(a.Maintenances) > 0 || summary {
		d.planned = true
		var list feeds.List[compatIncident]
		if len(a.Maintenances) > 0 && feeds.DecodeJSON(a.Maintenances, &list) == nil {
			for i := range list {
				d.compatIncident(&list[i], true)
			}
		}
	}
}

func (d *decoder) compatIncident(w *compatIncident, planned bool) {
	if _, seen := d.at[string(w.ID)]; seen && w.ID != "" {
		return
	}
	inc := d.incident(w.ID, w.Name, d.phase(w.Status))
	if w.Shortlink != "" {
		inc.URL = string(w.Shortlink)
	}
	if planned || feeds.IsMaintenancePhase(inc.Phase) {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	} else {
		grade, ok := feeds.ImpactOf(string(w.Impact))
		if !ok {
			feeds.Unknown(&d.doc, "impact", string(w.Impact))
		}
		inc.Impact = grade
	}
	inc.StartedAt, inc.ResolvedAt = w.StartedAt.Time, w.ResolvedAt.Time
	inc.ScheduledFor, inc.ScheduledUntil = w.ScheduledFor.Time, w.ScheduledUntil.Time
	for _, c := range w.Components {
		d.link(inc, c.ID, string(c.Name), "")
	}
	for _, u := range slices.Backward(w.Updates) {
		up := downwind.Update{ID: string(u.ID), Phase: d.phase(u.Status), Body: feeds.PlainText(string(u.Body)), PostedAt: u.DisplayAt.Time}
		if up.PostedAt.IsZero() {
			up.PostedAt = u.CreatedAt.Time
		}
		if u.UpdatedAt.Sub(u.CreatedAt.Time) > time.Second && !u.CreatedAt.IsZero() {
			up.EditedAt = u.UpdatedAt.Time
		}
		inc.Updates = append(inc.Updates, up)
	}
	if inc.StartedAt.IsZero() && inc.Kind == downwind.KindIncident {
		inc.StartedAt = earlier(w.CreatedAt.Time, inc.Updates)
	}
}

// link adds a component to an incident by id; ids that resolve to no name are left out.
func (d *decoder) link(inc *downwind.Incident, id feeds.Str, name string, s downwind.Status) {
	c := d.resolve(id, name)
	if c.Name == "" {
		return
	}
	c.Status = s
	const most = 1000 // an incident of a hostile page; the largest known has 61
	if len(inc.Components) >= most {
		return
	}
	for i := range inc.Components {
		if old := &inc.Components[i]; old.ID == c.ID && old.Name == c.Name {
			if old.Status == "" || c.Status.Rank() > old.Status.Rank() && c.Status != "" {
				old.Status = c.Status
			}
			return
		}
	}
	inc.Components = append(inc.Components, c)
}

func (d *decoder) resolve(id feeds.Str, name string) downwind.Component {
	if c, ok := d.names[string(id)]; ok {
		return c
	}
	return downwind.Component{ID: string(id), Name: feeds.PlainLine(name)}
}

// earlier is the earliest of a time and the updates; zero times do not count.
func earlier(t time.Time, us []downwind.Update) time.Time {
	for _, u := range us {
		if !u.PostedAt.IsZero() && (t.IsZero() || u.PostedAt.Before(t)) {
			t = u.PostedAt
		}
	}
	return t
}

func finish(inc *downwind.Incident) {
	feeds.Tidy(inc)
	if inc.Kind == downwind.KindMaintenance {
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
		feeds.StartMaintenance(inc)
	}
}
