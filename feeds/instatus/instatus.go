// Package instatus reads Instatus pages: the public summary, the components list, and the data that the page itself
// loads. Names may be localised; the default one counts. All lists hold what is open and nothing else.
package instatus

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "instatus" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json":
		return 0
	case isList(b): // the documented forms of components and of incidents
		if feeds.Has(b, 4096, `"id"`, `"name"`) && (shouts(b, states) || shouts(b, phases)) {
			return 76
		}
		return 0
	case feeds.Has(b, 512, `"site"`) && bytes.Contains(b, []byte(`"activeIncidents"`)):
		return 92
	case bytes.Contains(b, []byte(`"activeIncidents"`)), bytes.Contains(b, []byte(`"activeMaintenances"`)):
		return 90
	case feeds.Has(b, 300, `"page"`, `"status"`) && pageWord(b):
		return 78
	case feeds.Has(b, 64, `"components"`) && shouts(b, states):
		return 76
	}
	return 0
}

func isList(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) }

// pageWord finds one of the three states of a page, in capitals as only this platform writes them.
func pageWord(b []byte) bool {
	flat := bytes.Join(bytes.Fields(b[:min(len(b), 600)]), nil)
	for _, w := range []string{`"status":"UP"`, `"status":"HASISSUES"`, `"status":"UNDERMAINTENANCE"`} {
		if bytes.Contains(flat, []byte(w)) {
			return true
		}
	}
	return false
}

// The words of components, and of incidents and maintenances, in capitals without separators as only this platform writes them.
var (
	states = []string{"OPERATIONAL", "DEGRADEDPERFORMANCE", "MINOROUTAGE", "PARTIALOUTAGE", "MAJOROUTAGE", "UNDERMAINTENANCE"}
	phases = []string{"INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED", "NOTSTARTEDYET", "INPROGRESS", "VERIFYING", "COMPLETED"}
)

// shouts finds one of the words as a status.
func shouts(b []byte, words []string) bool {
	flat := bytes.Join(bytes.Fields(b[:min(len(b), 4096)]), nil)
	for _, w := range words {
		if bytes.Contains(flat, []byte(`"status":"`+w+`"`)) {
			return true
		}
	}
	return false
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/summary.json")},
		{URL: feeds.JoinURL(page, "/v2/components.json"), Every: 5, Optional: true},
	}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return strings.HasSuffix(host, ".instatus.com")
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("https://instatus.com")) || bytes.Contains(html, []byte(".instatus.com/"))
}

// Decode implements feeds.Adapter. All lists hold what is open: what is missing from a summary has ended.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), OpenOnly: true}
	known, listed := false, false
	for _, p := range ps {
		w, err := read(p.Body)
		if err != nil {
			return downwind.Document{}, err
		}
		if w.past { // a list of incidents that are not only the open ones
			listed, doc.OpenOnly = true, false
		}
		if w.Page == nil && w.Site == nil && w.Components == nil && w.Incidents == nil && w.Maintenances == nil {
			continue
		}
		known = true
		listed = listed || w.Page != nil || w.Site != nil
		w.fill(&doc)
	}
	if !known {
		return doc, fmt.Errorf("no answer of an Instatus page: %w", downwind.ErrUnreadable)
	}
	doc.Partial = !listed
	return doc, nil
}

// read takes an object with lists, or a bare list of components or of incidents, which have a start.
func read(body []byte) (w wire, err error) {
	if !isList(body) {
		return w, feeds.DecodeJSON(body, &w)
	}
	if err = feeds.DecodeJSON(body, &w.Incidents); err != nil {
		return w, err
	}
	for i := range w.Incidents {
		if e := &w.Incidents[i]; !e.Started.IsZero() || !e.Start.IsZero() {
			w.past = true
			return w, nil
		}
	}
	w.Incidents = nil
	return w, feeds.DecodeJSON(body, &w.Components)
}

// fill adds what one answer says.
func (w *wire) fill(doc *downwind.Document) {
	if w.Page != nil {
		doc.Page = downwind.Page{Name: feeds.PlainLine(string(w.Page.Name)), URL: string(w.Page.URL)}
	}
	if w.Site != nil {
		doc.Page = downwind.Page{ID: string(w.Site.ID), Name: feeds.PlainLine(string(w.Site.Name))}
		if w.Site.Custom != "" {
			doc.Page.URL = "https://" + string(w.Site.Custom)
		} else if w.Site.Sub != "" {
			doc.Page.URL = "https://" + string(w.Site.Sub) + ".instatus.com"
		}
	}
	if len(doc.Components) == 0 {
		w.components(doc)
	}
	for i := range w.Incidents {
		e := &w.Incidents[i]
		doc.Incidents = append(doc.Incidents, e.incident(doc, e.planned()))
	}
	for i := range w.Maintenances {
		doc.Incidents = append(doc.Incidents, w.Maintenances[i].incident(doc, true))
	}
}

// components lists the leaves once each, with the names of the groups that they stand in.
func (w *wire) components(doc *downwind.Document) {
	l := lister{doc: doc, parents: map[feeds.Str]string{}, groups: map[feeds.Str]string{}, seen: map[feeds.Str]bool{}}
	for i := range w.Components {
		l.learn(&w.Components[i])
	}
	for i := range w.Components {
		l.leaves(&w.Components[i], "")
	}
}

// lister flattens the tree of components.
type lister struct {
	doc     *downwind.Document
	parents map[feeds.Str]string // id of a parent to its name
	groups  map[feeds.Str]string // id of a child to its parent's name
	seen    map[feeds.Str]bool
}

// learn notes the parents and whose they are.
func (l *lister) learn(c *wireComponent) {
	if !c.Parent && len(c.Children) == 0 {
		return
	}
	name := feeds.PlainLine(string(c.Name))
	if c.ID != "" {
		l.parents[c.ID] = name
	}
	for i := range c.Children {
		l.groups[c.Children[i].ID] = name
		l.learn(&c.Children[i])
	}
}

// leaves adds a component, or what stands below it.
func (l *lister) leaves(c *wireComponent, group string) {
	if _, ok := l.parents[c.ID]; ok || c.Parent || len(c.Children) > 0 {
		for i := range c.Children {
			if c.Children[i].Name != "" {
				l.leaves(&c.Children[i], feeds.PlainLine(string(c.Name)))
			}
		}
		return
	}
	if c.ID != "" && l.seen[c.ID] {
		return
	}
	l.seen[c.ID] = true
	for _, name := range []string{feeds.PlainLine(string(c.Group.Name)), l.parents[c.Group.ID], l.parents[c.GroupID], l.groups[c.ID]} {
		if group == "" {
			group = name
		}
	}
	if group == "" && c.Group.Name == "" { // neither an object nor the id of a parent: the name itself
		group = feeds.PlainLine(string(c.Group.ID))
	}
	l.doc.Components = append(l.doc.Components, c.component(l.doc, group))
}

func (c *wireComponent) component(doc *downwind.Document, group string) downwind.Component {
	s, ok := feeds.StatusOf(string(c.Status))
	if !ok {
		feeds.Unknown(doc, "status", string(c.Status))
	}
	return downwind.Component{ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: group, Status: s}
}

// planned tells a maintenance in a list of both by its state or by its start, which incidents call otherwise.
func (e *wireEntry) planned() bool {
	switch e.Status {
	case "NOTSTARTEDYET", "INPROGRESS", "VERIFYING", "COMPLETED":
		return true
	}
	return e.Started.IsZero() && !e.Start.IsZero()
}

// incident reads an entry; planned says that it is of the list of maintenances.
func (e *wireEntry) incident(doc *downwind.Document, planned bool) downwind.Incident {
	inc := downwind.Incident{
		ID: string(e.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(e.Name)), URL: string(e.URL), StartedAt: e.Started.Time,
		ResolvedAt: e.Resolved.Time,
	}
	if inc.ID == "" {
		inc.ID = feeds.LastPart(inc.URL)
	}
	if inc.StartedAt.IsZero() {
		inc.StartedAt = e.Start.Time
	}
	phase, ok := feeds.PhaseOf(string(e.Status))
	if !ok && e.Status != "" {
		feeds.Unknown(doc, "phase", string(e.Status))
	}
	inc.Phase = phase
	inc.Impact = e.impact(doc)
	if inc.URL == "" && doc.Page.URL != "" && inc.ID != "" {
		kind := "/incident/"
		if planned {
			kind = "/maintenance/"
		}
		inc.URL = strings.TrimRight(doc.Page.URL, "/") + kind + inc.ID
	}
	for i := range e.Components {
		inc.Components = append(inc.Components, e.Components[i].component(doc, ""))
	}
	for _, u := range e.Updates {
		inc.Updates = append(inc.Updates, u.update(doc, planned))
	}
	if planned {
		e.plan(&inc)
	} else if inc.ResolvedAt.IsZero() && !inc.StartedAt.IsZero() && e.minutes() > 0 { // notes of the end come late; the duration is right
		inc.ResolvedAt = inc.StartedAt.Add(e.minutes())
	}
	feeds.Tidy(&inc)
	if planned {
		feeds.StartMaintenance(&inc)
	} else {
		feeds.StartFromUpdates(&inc)
	}
	return inc
}

func (u wireUpdate) update(doc *downwind.Document, planned bool) downwind.Update {
	at := u.Started.Time
	if at.IsZero() {
		at = u.Created.Time
	}
	body := u.Message
	if body == "" {
		body = u.HTML
	}
	out := downwind.Update{ID: string(u.ID), Body: feeds.PlainText(string(body)), PostedAt: at}
	if word := strings.ToLower(string(u.Status)); word != "" && word != "update" {
		phase, ok := feeds.PhaseOf(word)
		if !ok {
			feeds.Unknown(doc, "phase", string(u.Status))
		}
		if planned && phase == downwind.Resolved {
			phase = downwind.Completed
		}
		out.Phase = phase
	}
	return out
}

// impact reads the impact word. OPERATIONAL is what an incident says whose author graded components only: it tells nothing.
func (e *wireEntry) impact(doc *downwind.Document) downwind.Impact {
	switch e.Impact {
	case "", "OPERATIONAL":
		return downwind.ImpactUnknown
	case "UNDERMAINTENANCE":
		return downwind.ImpactMaintenance
	case "DEGRADEDPERFORMANCE", "MINOROUTAGE":
		return downwind.ImpactMinor
	case "PARTIALOUTAGE":
		return downwind.ImpactMajor
	case "MAJOROUTAGE":
		return downwind.ImpactCritical
	}
	i, ok := feeds.ImpactOf(string(e.Impact))
	if !ok {
		feeds.Unknown(doc, "impact", string(e.Impact))
	}
	return i
}

// plan makes the entry planned work: start, and duration in minutes.
func (e *wireEntry) plan(inc *downwind.Incident) {
	inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	inc.ScheduledFor = e.Start.Time
	if inc.ScheduledFor.IsZero() {
		inc.ScheduledFor = e.Started.Time
	}
	if inc.Phase == downwind.Resolved {
		inc.Phase = downwind.Completed
	}
	if d := e.minutes(); d > 0 && !inc.ScheduledFor.IsZero() {
		inc.ScheduledUntil = inc.ScheduledFor.Add(d)
	}
}

// minutes is the duration that the entry states, 0 for none.
func (e *wireEntry) minutes() time.Duration {
	n, err := strconv.ParseFloat(string(e.Duration), 64)
	if err != nil || !(n > 0 && n < 1e6) {
		return 0
	}
	return time.Duration(n * float64(time.Minute))
}
