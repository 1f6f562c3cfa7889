// Package cachet reads Cachet: the flat JSON of version 2 and the JSON:API of version 3. Times have no zone and are read as
// UTC. The message of an incident is its first update; it has no id and is known as "message".
package cachet

import (
	"bytes"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "cachet" }

var (
	resourceType = pattern.New(`"type"\s*:\s*"(incidents|components|schedules|component-?[gG]roups|incident-?[uU]pdates)"`)
	noData       = pattern.New(`"data"\s*:\s*\[\s*\]`)
)

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	if feeds.Shape(b) != "json" || !bytes.HasPrefix(bytes.TrimSpace(b[:min(len(b), 64)]), []byte("{")) || !bytes.Contains(b, []byte(`"data"`)) {
		return 0
	}
	if bytes.Contains(b, []byte(`"pagination"`)) {
		for _, mark := range []string{`"human_status"`, `"status_name"`, `"enabled_components"`, `"completed_at"`} {
			if bytes.Contains(b, []byte(mark)) {
				return 88
			}
		}
		if len(b) < 4096 && noData.Match(b) && bytes.Contains(b, []byte(`"next_page"`)) {
			return 65
		}
		return 0
	}
	switch {
	case feeds.Has(b, 8192, `"attributes"`, `"human"`) && resourceType.Match(b[:min(len(b), 8192)]):
		return 88
	case len(b) < 4096 && noData.Match(b) && feeds.Has(b, 4096, `"links"`, `"per_page"`, `"current_page"`):
		return 55
	}
	return 0
}

// Endpoints implements feeds.Adapter: version 2, else the incidents of version 3 with what they refer to.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/v1/incidents?sort=id&order=desc&per_page=50")},
		{URL: feeds.JoinURL(page, "/api/v1/components?per_page=250"), Optional: true},
		{URL: feeds.JoinURL(page, "/api/v1/components/groups?per_page=250"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(page, "/api/v1/schedules?sort=id&order=desc&per_page=50"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(page, "/api/incidents?sort=-id&per_page=50&include=components,updates"), Fallback: true},
	}
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("cachethq.io")) || bytes.Contains(html, []byte("/cachethq/"))
}

// Decode implements feeds.Adapter. All lists are windows of the newest entries.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{
		doc: downwind.Document{Platform: a.Platform()}, groups: map[string]string{}, known: map[string]downwind.Component{},
		updates: map[string]item{},
	}
	var items []item
	incidents, schedules := false, false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if first := string(w.Links.First); d.doc.Page.URL == "" && strings.Contains(first, "://") {
			d.doc.Page.URL = feeds.JoinURL(first, "")
		}
		for i := range w.Included {
			if w.Included[i].Attributes != nil {
				d.include(resource(&w.Included[i]))
			}
		}
		incidents = incidents || len(w.Data) == 0 && !strings.Contains(p.URL, "/components") && !strings.Contains(p.URL, "/schedules")
		schedules = schedules || len(w.Data) == 0 && strings.Contains(p.URL, "/schedules")
		for i := range w.Data {
			var it item
			if w.Data[i].resource.Attributes != nil {
				it = resource(&w.Data[i].resource)
			} else {
				it = flat(&w.Data[i].flat)
			}
			incidents, schedules = incidents || it.kind == kindIncident, schedules || it.kind == kindSchedule
			items = append(items, it)
		}
	}
	d.components(items)
	for i := range items {
		switch it := &items[i]; it.kind {
		case kindIncident:
			d.doc.Incidents = append(d.doc.Incidents, d.incident(it))
		case kindSchedule:
			d.doc.Incidents = append(d.doc.Incidents, d.schedule(it))
		}
	}
	d.doc.Partial = !incidents && !schedules
	if !d.doc.Partial && !incidents {
		d.doc.Without = []downwind.Kind{downwind.KindIncident, downwind.KindNotice}
	} else if !d.doc.Partial && !schedules {
		d.doc.Without = []downwind.Kind{downwind.KindMaintenance}
	}
	return d.doc, nil
}

type decoder struct {
	doc     downwind.Document
	groups  map[string]string // id of a group to its name
	known   map[string]downwind.Component
	updates map[string]item // those that stand apart from their incident
}

// include takes what incidents refer to.
func (d *decoder) include(it item) {
	switch it.kind {
	case kindUpdate:
		d.updates[it.id] = it
	case kindGroup:
		d.groups[it.id] = it.name
	case kindComponent:
		d.known[it.id] = downwind.Component{ID: it.id, Name: it.name, Status: d.status(&it)}
	}
}

// components lists the components of all answers with the names of their groups.
func (d *decoder) components(items []item) {
	member := map[string]string{}
	for _, it := range items {
		if it.kind == kindGroup {
			d.groups[it.id] = it.name
			for _, id := range it.parts {
				member[id] = it.name
			}
		}
	}
	for i := range items {
		it := &items[i]
		if it.kind != kindComponent {
			continue
		}
		c := downwind.Component{ID: it.id, Name: it.name, Group: d.groups[it.group], Status: d.status(it)}
		if c.Group == "" {
			c.Group = member[c.ID]
		}
		d.known[c.ID] = c
		d.doc.Components = append(d.doc.Components, c)
	}
}

// entry reads what incidents and schedules have in common.
func (d *decoder) entry(it *item) downwind.Incident {
	inc := downwind.Incident{ID: it.id, Kind: downwind.KindIncident, Title: it.name, URL: it.link, Impact: downwind.ImpactUnknown}
	if it.three && inc.URL != "" {
		if d.doc.Page.URL == "" {
			inc.URL = ""
		} else {
			inc.URL = d.doc.Page.URL + "/incidents/" + inc.URL
		}
	}
	for _, id := range it.parts {
		if c, ok := d.known[id]; ok {
			c.Status = ""
			inc.Components = append(inc.Components, c)
		}
	}
	for i := range it.named {
		n := &it.named[i]
		inc.Components = append(inc.Components, downwind.Component{ID: n.id, Name: n.name, Group: d.known[n.id].Group})
	}
	if it.message != "" {
		inc.Updates = append(inc.Updates, downwind.Update{ID: "message", Body: it.message, PostedAt: it.at, Phase: d.phase(it.first, "", it.three)})
	}
	for _, id := range it.updateIDs {
		if u, ok := d.updates[id]; ok {
			it.updates = append(it.updates, u)
		}
	}
	for i := range it.updates {
		u := &it.updates[i]
		inc.Updates = append(inc.Updates, downwind.Update{ID: u.id, Body: u.message, PostedAt: u.at, Phase: d.phase(u.code, u.human, u.three)})
	}
	return inc
}

func (d *decoder) incident(it *item) downwind.Incident {
	inc := d.entry(it)
	inc.Phase = d.phase(it.code, it.human, it.three)
	if inc.Phase == downwind.Scheduled || !it.from.IsZero() {
		if inc.Phase != downwind.Scheduled && inc.Phase != downwind.Resolved {
			inc.Phase = downwind.InProgress
		}
		d.work(&inc, it)
		return inc
	}
	inc.StartedAt = it.at
	feeds.Tidy(&inc)
	if len(it.updates) == 0 { // the message carries the state of now at the time of the start: no end is stated
		inc.ResolvedAt = it.ended
	}
	return inc
}

func (d *decoder) schedule(it *item) downwind.Incident {
	state := d.planned(it)
	it.first = ""
	inc := d.entry(it)
	inc.Phase = state
	if inc.ID != "" { // schedules are counted apart from incidents
		inc.ID = "schedule-" + inc.ID
	}
	for i := range inc.Updates {
		if inc.Updates[i].ID == "message" {
			inc.Updates[i].Phase = downwind.Scheduled
			if !inc.Updates[i].PostedAt.Before(it.from) {
				inc.Updates[i].Phase = state
			}
		}
	}
	d.work(&inc, it)
	return inc
}

// work makes an entry planned work.
func (d *decoder) work(inc *downwind.Incident, it *item) {
	inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	inc.ScheduledFor, inc.ScheduledUntil, inc.ResolvedAt = it.from, it.until, it.ended
	if inc.Phase == downwind.Resolved {
		inc.Phase = downwind.Completed
	}
	for i := range inc.Updates {
		if inc.Updates[i].Phase == downwind.Resolved {
			inc.Updates[i].Phase = downwind.Completed
		}
	}
	feeds.Tidy(inc)
	if len(it.updates) == 0 {
		inc.ResolvedAt = it.ended
	}
	feeds.StartMaintenance(inc)
}
