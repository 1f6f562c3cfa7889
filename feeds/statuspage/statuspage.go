// Package statuspage reads Atlassian Statuspage: the JSON of /api/v2 and the history feeds in RSS and Atom.
//
// The JSON lists the last 50 incidents and the feeds 25; neither is a log. incidents.json leaves out planned work,
// summary.json leaves out what is over; together they say all that a page shows.
package statuspage

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// Platform is the word of this adapter.
const Platform = "statuspage"

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return Platform }

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return strings.HasSuffix(host, ".statuspage.io") }

// ClaimsPage implements feeds.PageClaimer: the pages load their assets from the platform's own host.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("statuspage.io/")) || bytes.Contains(html, []byte("Powered by Statuspage"))
}

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	switch feeds.Shape(p.Body) {
	case "json":
		head := p.Body[:min(len(p.Body), 2048)]
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && isIncident(p.Body) {
			return 70
		}
		if !bytes.Contains(head, []byte(`"page"`)) || !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
			return 0
		}
		if !bytes.Contains(head, []byte(`"name"`)) || !bytes.Contains(head, []byte(`"id"`)) {
			if bytes.Contains(head, []byte(`"indicator"`)) { // a copy of the API by others
				return 55
			}
			return 0
		}
		for _, list := range []string{`"incident_updates"`, `"page_id"`, `"indicator"`} {
			if bytes.Contains(p.Body, []byte(list)) {
				return 75
			}
		}
		for _, list := range []string{`"incidents"`, `"components"`, `"scheduled_maintenances"`} {
			if bytes.Contains(p.Body, []byte(list)) {
				return 60
			}
		}
	case "xml":
		if feeds.Has(p.Body, 4096, "<feed", ",2005:") && (feeds.Has(p.Body, 4096, "/history") || feeds.Has(p.Body, 8192, ",2005:Incident/")) {
			return 90
		}
		if isHistory(p.Body) {
			return 85
		}
	}
	return 0
}

// isHistory looks for the block of an update: a small date followed by a strong state word.
func isHistory(body []byte) bool {
	head := body[:min(len(body), 16<<10)]
	for _, tags := range [][3]string{
		{"&lt;small&gt;", "&lt;/small&gt;", "&lt;strong&gt;"}, {"<small>", "</small>", "<strong>"},
	} {
		if i := bytes.Index(head, []byte(tags[0])); i >= 0 {
			end := min(len(head), i+400)
			return bytes.Contains(head[i:end], []byte(tags[1])) && bytes.Contains(head[i:end], []byte(tags[2]))
		}
	}
	return false
}

// Endpoints implements feeds.Adapter: incidents each poll, the summary (components, open and planned work) and the list of
// maintenances on change or on each fifth poll, the history feed where the API is closed.
func (Adapter) Endpoints(pageURL string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(pageURL, "/api/v2/incidents.json"), Every: 1},
		{URL: feeds.JoinURL(pageURL, "/api/v2/summary.json"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(pageURL, "/api/v2/scheduled-maintenances.json"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(pageURL, "/history.atom"), Every: 1, Fallback: true},
	}
}

// Decode implements feeds.Adapter.
func (Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	var answers []answer
	for _, p := range ps {
		if feeds.Shape(p.Body) == "xml" {
			if len(ps) == 1 {
				return decodeHistory(p)
			}
			continue
		}
		a, err := parse(p.Body)
		if err != nil {
			return downwind.Document{}, err
		}
		answers = append(answers, a)
	}
	if len(answers) == 0 {
		return downwind.Document{}, fmt.Errorf("no answer of the Statuspage API: %w", downwind.ErrUnreadable)
	}
	return merge(answers), nil
}

// parse reads one file of the API.
func parse(body []byte) (answer, error) {
	var a answer
	if err := feeds.DecodeJSON(body, &a); err != nil {
		return a, err
	}
	if (a.Page == page{}) && isIncident(body) { // the file of one incident
		var w wireIncident
		if err := feeds.DecodeJSON(body, &w); err != nil {
			return a, err
		}
		a = answer{Incident: &w}
	}
	if w := a.Incident; w != nil && a.Incidents == nil && a.Maintenances == nil { // which tells nothing of others
		if w.ScheduledFor.IsZero() {
			a.Incidents = feeds.List[wireIncident]{*w}
		} else {
			a.Maintenances = feeds.List[wireIncident]{*w}
		}
		return a, nil
	}
	if (a.Page == page{}) && (a.Components == nil || len(a.Status) == 0) {
		return a, fmt.Errorf("JSON without a page, not a Statuspage: %w", downwind.ErrUnreadable)
	}
	a.has.components = bytes.Contains(body, []byte(`"components"`)) && a.Components != nil
	a.has.incidents = a.Incidents != nil
	a.has.maintenances = a.Maintenances != nil
	return a, nil
}

// isIncident tells the file of one incident, which has no page.
func isIncident(body []byte) bool {
	return !bytes.Contains(body, []byte(`"page"`)) && feeds.Has(body, 64<<10, `"incident_updates"`, `"page_id"`)
}

// merge makes one document: incidents of all answers by id, the fullest version of each, in payload order.
func merge(answers []answer) downwind.Document {
	d := &decoder{groups: map[string]string{}, known: map[string]downwind.Component{}}
	var history, listed, planned, allPlanned bool
	for _, a := range answers {
		if d.doc.Page.ID == "" {
			d.doc.Page = downwind.Page{ID: string(a.Page.ID), Name: feeds.PlainLine(string(a.Page.Name)), URL: string(a.Page.URL)}
		}
		if a.has.components && len(d.doc.Components) == 0 {
			d.components(a.Components)
		}
		isSummary := a.has.components || len(a.Status) > 0
		history = history || a.has.incidents && !isSummary
		listed = listed || a.has.incidents
		planned = planned || a.has.maintenances
		allPlanned = allPlanned || a.has.maintenances && !isSummary // the summary drops planned work once it is over
	}
	var order []string
	fullest := map[string]*wireIncident{}
	maintenance := map[string]bool{}
	take := func(list []wireIncident, planned bool) {
		for i := range list {
			w := &list[i]
			id := string(w.ID)
			old, seen := fullest[id]
			if !seen {
				order = append(order, id)
				maintenance[id] = planned
			}
			if !seen || len(w.Updates) > len(old.Updates) || len(w.Updates) == len(old.Updates) && w.UpdatedAt.After(old.UpdatedAt.Time) {
				fullest[id] = w
			}
		}
	}
	for i := range answers {
		take(answers[i].Incidents, false)
	}
	for i := range answers {
		take(answers[i].Maintenances, true)
	}
	for _, id := range order {
		d.doc.Incidents = append(d.doc.Incidents, d.incident(fullest[id], maintenance[id]))
	}
	d.doc.Partial = !listed && !planned
	d.doc.OpenOnly = listed && !history
	if !planned || !d.doc.OpenOnly && !allPlanned {
		d.doc.Without = []downwind.Kind{downwind.KindMaintenance}
	}
	return d.doc
}

type decoder struct {
	doc    downwind.Document
	groups map[string]string             // group id to name
	known  map[string]downwind.Component // leaf id to component
}

// components keeps the leaves and gives them their group's name.
func (d *decoder) components(list []wireComponent) {
	for _, c := range list {
		if c.Group {
			d.groups[string(c.ID)] = feeds.PlainLine(string(c.Name))
		}
	}
	for _, c := range list {
		if c.Group {
			continue
		}
		leaf := d.component(c)
		d.known[leaf.ID] = leaf
		d.doc.Components = append(d.doc.Components, leaf)
	}
}

func (d *decoder) component(c wireComponent) downwind.Component {
	return downwind.Component{
		ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: d.groups[string(c.GroupID)], Status: d.status(c.Status),
	}
}

func (d *decoder) status(word feeds.Str) downwind.Status {
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(word))
	}
	return s
}

func (d *decoder) phase(word feeds.Str) downwind.Phase {
	p, ok := feeds.PhaseOf(string(word))
	if !ok && word != "" {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	return p
}

func (d *decoder) incident(w *wireIncident, planned bool) downwind.Incident {
	inc := downwind.Incident{
		ID: string(w.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(w.Name)), URL: d.address(w),
		Phase: d.phase(w.Status), ResolvedAt: w.ResolvedAt.Time,
		ScheduledFor: w.ScheduledFor.Time, ScheduledUntil: w.ScheduledUntil.Time,
	}
	impact, ok := feeds.ImpactOf(string(w.Impact))
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(w.Impact))
	}
	inc.Impact = impact
	if planned || feeds.IsMaintenancePhase(inc.Phase) || impact == downwind.ImpactMaintenance && !w.ScheduledFor.IsZero() {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
	}
	names := map[string]downwind.Component{}
	for _, c := range w.Components {
		if c.Group {
			continue
		}
		linked := d.component(c)
		if page, ok := d.known[linked.ID]; ok {
			linked.Group = page.Group
		}
		names[linked.ID] = linked
		if inc.Phase.Over() { // the list shows the state of today, not that of the incident
			linked.Status = ""
		}
		inc.Components = append(inc.Components, linked)
	}
	var worst []downwind.Component
	for _, u := range slices.Backward(w.Updates) {
		inc.Updates = append(inc.Updates, d.update(u, names, &worst))
	}
	d.times(&inc, w)
	feeds.Tidy(&inc)
	raise(inc.Components, worst)
	if inc.Kind == downwind.KindMaintenance {
		feeds.StartMaintenance(&inc)
	} else {
		feeds.StartFromUpdates(&inc)
	}
	return inc
}

// times sets the start of an incident: as given, else its creation.
func (d *decoder) times(inc *downwind.Incident, w *wireIncident) {
	inc.StartedAt = w.StartedAt.Time
	if inc.StartedAt.IsZero() {
		inc.StartedAt = w.CreatedAt.Time
	}
}

func (d *decoder) address(w *wireIncident) string {
	if w.Shortlink != "" {
		return string(w.Shortlink)
	}
	if d.doc.Page.URL == "" || w.ID == "" {
		return ""
	}
	return strings.TrimRight(d.doc.Page.URL, "/") + "/incidents/" + string(w.ID)
}

// update reads one post; worst collects the states before it, which count for the incident but not for the post.
func (d *decoder) update(u wireUpdate, names map[string]downwind.Component, worst *[]downwind.Component) downwind.Update {
	out := downwind.Update{ID: string(u.ID), Body: feeds.PlainText(string(u.Body)), PostedAt: u.DisplayAt.Time}
	if word := strings.ToLower(string(u.Status)); word != "update" && word != "" {
		out.Phase = d.phase(u.Status)
	}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.CreatedAt.Time
	}
	if u.UpdatedAt.Sub(u.CreatedAt.Time) > time.Second && !u.CreatedAt.IsZero() {
		out.EditedAt = u.UpdatedAt.Time
	}
	for _, a := range u.Affected {
		c := downwind.Component{ID: string(a.Code), Name: feeds.PlainLine(string(a.Name)), Status: d.status(a.NewStatus)}
		if linked, ok := names[c.ID]; ok {
			c.Name, c.Group = linked.Name, linked.Group
		} else if page, ok := d.known[c.ID]; ok {
			c.Name, c.Group = page.Name, page.Group
		}
		if c.ID == "" && c.Name == "" {
			continue
		}
		out.Components = append(out.Components, c)
		c.Status = d.status(a.OldStatus)
		*worst = append(*worst, c)
	}
	return out
}

// raise lifts the states of an incident's components to the worst of what its updates say was before them.
func raise(all, before []downwind.Component) {
	worst := make(map[string]downwind.Status, len(before))
	for _, b := range before {
		if b.Status != downwind.StatusUnknown && b.Status.Rank() >= worst[b.ID].Rank() {
			worst[b.ID] = b.Status
		}
	}
	for i := range all {
		if w, ok := worst[all[i].ID]; ok && w.Rank() > all[i].Status.Rank() {
			all[i].Status = w
		}
	}
}
