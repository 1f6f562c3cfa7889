package incidentio

import (
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// structure learns names and groups from the page's own data and lists its components with their states: those that are
// not among the affected ones are operational.
func (d *decoder) structure(s *nativeSummary) {
	learn := func(c *nativeComponent, group string) {
		id := string(c.ComponentID)
		if id == "" {
			id = string(c.ID)
		}
		d.names[id] = downwind.Component{ID: id, Name: feeds.PlainLine(string(c.Name)), Group: group}
	}
	for i := range s.Components {
		learn(&s.Components[i], "")
	}
	for _, it := range s.Structure.Items {
		if it.Component != nil {
			learn(it.Component, "")
		}
		if it.Group == nil {
			continue
		}
		for i := range it.Group.Components {
			learn(&it.Group.Components[i], feeds.PlainLine(string(it.Group.Name)))
		}
	}
	states := map[string]downwind.Status{}
	for _, a := range s.Affected {
		word := a.Status
		if a.CurrentStatus != "" {
			word = a.CurrentStatus
		}
		if st := d.status(word); st.Rank() > states[string(a.ComponentID)].Rank() || states[string(a.ComponentID)] == "" {
			states[string(a.ComponentID)] = st
		}
	}
	for _, c := range s.Components {
		leaf := d.names[string(c.ID)]
		leaf.Status = downwind.Operational
		if st, ok := states[leaf.ID]; ok {
			leaf.Status = st
		}
		d.doc.Components = append(d.doc.Components, leaf)
	}
}

// native reads the open incidents and planned work of the page's own data; what the compatible files already told is
// completed with components, impacts and grades.
func (d *decoder) native(s *nativeSummary) {
	if s == nil {
		return
	}
	d.planned = true
	for i := range s.Ongoing {
		d.nativeIncident(&s.Ongoing[i], false)
	}
	for i := range s.Maintenances {
		d.nativeIncident(&s.Maintenances[i], true)
	}
}

func (d *decoder) nativeIncident(w *nativeIncident, planned bool) {
	_, known := d.at[string(w.ID)]
	inc := d.incident(w.ID, w.Name, d.phase(w.Status))
	if planned || w.Type == "maintenance" {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	}
	for _, a := range w.Affected {
		d.link(inc, a.ComponentID, "", d.status(a.Status))
	}
	for _, im := range w.Impacts {
		d.link(inc, im.ComponentID, "", d.status(im.Status))
	}
	if inc.ScheduledFor.IsZero() {
		inc.ScheduledFor, inc.ScheduledUntil = first(w.StartsAt, w.PlannedFrom), first(w.EndsAt, w.PlannedTo)
	}
	byID := map[string]int{}
	for i, u := range inc.Updates {
		byID[u.ID] = i
	}
	for _, u := range w.Updates {
		up := downwind.Update{ID: string(u.ID), Phase: d.phase(u.ToStatus), Body: feeds.PlainText(string(u.Message)), PostedAt: u.PublishedAt.Time}
		for _, c := range u.Components {
			if named := d.resolve(c.ComponentID, ""); named.Name != "" {
				named.Status = d.status(c.Status)
				up.Components = append(up.Components, named)
			}
		}
		if i, ok := byID[up.ID]; ok {
			inc.Updates[i].Components = up.Components
			continue
		}
		inc.Updates = append(inc.Updates, up)
	}
	if !known && inc.Kind == downwind.KindIncident {
		inc.StartedAt = earlier(w.PublishedAt.Time, inc.Updates)
	}
	if inc.Impact == downwind.ImpactUnknown {
		inc.Impact = grade(inc)
	}
}

// grade derives an impact from the worst state of an incident's components, unknown when there is none.
func grade(inc *downwind.Incident) downwind.Impact {
	worst := downwind.Status("")
	for _, c := range inc.Components {
		if c.Status != "" && (worst == "" || c.Status.Rank() > worst.Rank()) {
			worst = c.Status
		}
	}
	switch worst {
	case downwind.Degraded:
		return downwind.ImpactMinor
	case downwind.PartialOutage:
		return downwind.ImpactMajor
	case downwind.MajorOutage:
		return downwind.ImpactCritical
	}
	return downwind.ImpactUnknown
}

func first(a, b feeds.Stamp) time.Time {
	if !a.IsZero() {
		return a.Time
	}
	return b.Time
}

// widget reads /api/v1/summary: open incidents with their last note only; it states no start.
func (d *decoder) widget(a *answer) {
	if !a.isWidget() {
		return
	}
	d.planned = true
	for i := range a.Ongoing {
		d.widgetIncident(&a.Ongoing[i], false)
	}
	for i := range a.InProgress {
		d.widgetIncident(&a.InProgress[i], true)
	}
	var planned feeds.List[widgetIncident]
	if len(a.Maintenances) > 0 && feeds.DecodeJSON(a.Maintenances, &planned) == nil {
		for i := range planned {
			d.widgetIncident(&planned[i], true)
		}
	}
}

func (d *decoder) widgetIncident(w *widgetIncident, planned bool) {
	if _, seen := d.at[string(w.ID)]; seen {
		return
	}
	inc := d.incident(w.ID, w.Name, d.phase(w.Status))
	if w.URL != "" {
		inc.URL = string(w.URL)
	}
	for _, c := range w.Components {
		inc.Components = append(inc.Components, downwind.Component{
			ID: string(c.ID), Name: feeds.PlainLine(string(c.Name)), Group: feeds.PlainLine(string(c.GroupName)), Status: d.status(c.Status),
		})
	}
	if planned {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
		inc.ScheduledFor, inc.ScheduledUntil = first(w.StartsAt, w.StartedAt), first(w.EndsAt, w.ScheduledEndAt)
		if !w.StartedAt.IsZero() {
			d.begun[string(w.ID)] = w.StartedAt.Time
		}
	} else if inc.Impact = grade(inc); inc.Impact == downwind.ImpactUnknown {
		inc.Impact, _ = feeds.ImpactOf(string(w.WorstImpact))
	}
	if w.LastUpdateMessage != "" || !w.LastUpdateAt.IsZero() {
		inc.Updates = []downwind.Update{{
			ID:    feeds.ContentID(string(w.Status), w.LastUpdateAt.String()),
			Phase: inc.Phase, Body: feeds.PlainText(string(w.LastUpdateMessage)), PostedAt: w.LastUpdateAt.Time,
		}}
	}
}

// history reads the list of past incidents: their state and the times of their impacts, without texts.
func (d *decoder) history(a *answer) {
	impacts := map[feeds.Str][]impact{}
	for _, im := range a.Impacts {
		impacts[im.Incident] = append(impacts[im.Incident], im)
	}
	for i := range a.Links {
		w := &a.Links[i]
		if _, seen := d.at[string(w.ID)]; seen {
			continue
		}
		d.closed = true
		inc := d.incident(w.ID, w.Name, d.phase(w.Status))
		if w.Permalink != "" {
			inc.URL = string(w.Permalink)
		}
		inc.StartedAt = w.PublishedAt.Time
		for _, im := range impacts[w.ID] {
			d.link(inc, im.ComponentID, "", d.status(im.Status))
			if !im.StartAt.IsZero() && im.StartAt.Before(inc.StartedAt) {
				inc.StartedAt = im.StartAt.Time
			}
			if inc.Phase.Over() && im.EndAt.After(inc.ResolvedAt) {
				inc.ResolvedAt = im.EndAt.Time
			}
		}
	}
}

// decodeFeed reads history.atom and history.rss: one entry an incident, its newest state only.
func decodeFeed(p feeds.Payload) (downwind.Document, error) {
	f, err := feeds.ReadFeed(p)
	if err != nil {
		return downwind.Document{}, err
	}
	doc := downwind.Document{Page: downwind.Page{Name: trimName(f.Title), URL: f.Link}}
	for i := range f.Items {
		doc.Incidents = append(doc.Incidents, feedIncident(&doc, &f.Items[i]))
	}
	return doc, nil
}

func trimName(title string) string {
	for _, tail := range []string{" - Incident History", " status", " Status"} {
		title = strings.TrimSuffix(title, tail)
	}
	return title
}

func feedIncident(doc *downwind.Document, it *feeds.Item) downwind.Incident {
	id := feeds.LastPart(it.Link)
	if id == "" {
		id = it.ID
	}
	inc := downwind.Incident{ID: id, Kind: downwind.KindIncident, Title: it.Title, URL: it.Link, Phase: downwind.PhaseUnknown}
	html, list, _ := strings.Cut(it.HTML, "<b>Affected components</b>")
	if _, after, ok := strings.Cut(html, "<b>Status: "); ok {
		word, rest, _ := strings.Cut(after, "</b>")
		p, known := feeds.PhaseOf(word)
		if !known {
			feeds.Unknown(doc, "phase", word)
		}
		inc.Phase, html = p, rest
	}
	if feeds.IsMaintenancePhase(inc.Phase) {
		inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	}
	for _, item := range strings.Split(list, "<li>")[min(1, strings.Count(list, "<li>")):] {
		name, _, _ := strings.Cut(item, "</li>")
		name = feeds.PlainLine(name)
		if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
			name = name[:i] // the state in brackets is that of today
		}
		if name != "" {
			inc.Components = append(inc.Components, downwind.Component{Name: name})
		}
	}
	at := it.Updated
	if at.IsZero() {
		at = it.Published
	}
	inc.Updates = []downwind.Update{{
		ID: feeds.ContentID(string(inc.Phase), at.String()), Phase: inc.Phase, Body: feeds.PlainText(html), PostedAt: at,
	}}
	feeds.Tidy(&inc)
	return inc
}
