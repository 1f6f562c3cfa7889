// Package zendesk reads the status of Zendesk: the public Status API of what is open and planned (/api/incidents/…), and the
// JSON behind its page (/api/ssp/…), which also lists what is over. Both are JSON:API; the one writes its keys with
// underscores, the other in camel case.
//
// The word of the state goes stale: an incident is over when its end is stated, whatever the word says.
package zendesk

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const pageURL = "https://status.zendesk.com"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "zendesk" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "status.zendesk.com" }

// Claims implements feeds.Adapter. Empty lists say nothing of where they come from, so there the address counts.
func (a Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	if feeds.Shape(b) != "json" || !feeds.Has(b, 256, `"data"`) {
		return 0
	}
	flat := bytes.ReplaceAll(bytes.ReplaceAll(b[:min(len(b), 64<<10)], []byte(" "), nil), []byte("_"), nil)
	switch low := bytes.ToLower(flat); {
	case bytes.Contains(low, []byte(`"type":"incidentservice"`)), bytes.Contains(low, []byte(`"type":"incidentupdate"`)):
		return 90
	case bytes.Contains(low, []byte(`"type":"incident"`)) && bytes.Contains(low, []byte(`"degradation"`)) && bytes.Contains(low, []byte(`"outage"`)):
		return 90
	case a.ours(p.URL):
		return 80
	}
	return 0
}

func (a Adapter) ours(address string) bool {
	u, err := url.Parse(address)
	return err == nil && a.ClaimsHost(strings.ToLower(u.Hostname())) && strings.HasPrefix(u.Path, "/api/")
}

// Endpoints implements feeds.Adapter. Ten requests a minute are allowed: at one poll in 20 s, three are used and with news
// seven. The page's list has the ends of incidents; the public API, which has not, is asked when the list cannot be read.
func (a Adapter) Endpoints(page string) []feeds.Endpoint {
	if a.ours(page) {
		return []feeds.Endpoint{{URL: page}}
	}
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/ssp/incidents.json")},
		{URL: feeds.JoinURL(page, "/api/ssp/services.json"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(page, "/api/incidents/maintenance"), Every: 5, Optional: true},
		{URL: feeds.JoinURL(page, "/api/incidents/active"), Fallback: true},
	}
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{
		doc: downwind.Document{Platform: a.Platform(), Page: downwind.Page{Name: "Zendesk", URL: pageURL}},
		at:  map[string]int{}, listed: map[string]bool{}, open: map[string]downwind.Status{},
	}
	var answers []*wire
	for _, p := range ps {
		w, err := read(p)
		if err != nil {
			return downwind.Document{}, err
		}
		if w == nil {
			continue
		}
		answers = append(answers, w)
		for i := range w.list {
			if w.list[i].kind() == "service" {
				d.service(&w.list[i])
			}
		}
	}
	if len(answers) == 0 {
		return downwind.Document{}, fmt.Errorf("no answer of Zendesk's status API: %w", downwind.ErrUnreadable)
	}
	incidents := false
	for _, w := range answers {
		incidents = d.entries(w) || incidents
	}
	for i := range d.doc.Components {
		c := &d.doc.Components[i]
		if s, ok := d.open[c.ID]; ok {
			c.Status = s
		} else if incidents {
			c.Status = downwind.Operational
		}
	}
	return d.doc, nil
}

type decoder struct {
	doc    downwind.Document
	at     map[string]int // a service's id to its place among the components
	listed map[string]bool
	open   map[string]downwind.Status // what open incidents say, by a service's id
}

// entries reads the incidents and the planned work of one answer, and tells whether it lists incidents.
func (d *decoder) entries(w *wire) bool {
	updates, services := resources{}, resources{}
	for i := range w.Included {
		r := &w.Included[i]
		switch r.kind() {
		case "incidentupdate":
			updates[string(r.ID)] = r
		case "incidentservice":
			services["link/"+string(r.ID)] = r
		case "service":
			services["service/"+string(r.ID)] = r
		}
	}
	planned := strings.Contains(w.url, "/maintenance")
	if strings.Contains(w.url, "/incidents/active") {
		d.doc.OpenOnly = true
	}
	none := strings.Contains(w.url, "/services")
	for i := range w.list {
		r := &w.list[i]
		switch r.kind() {
		case "service":
			none = true
		case "maintenance", "maintenancewindow":
			d.add(r, updates, services, true)
		case "incident":
			d.add(r, updates, services, planned)
		}
	}
	return !none && !planned
}

// resources are the included records by kind and id.
type resources map[string]*wireResource

func (d *decoder) service(r *wireResource) {
	name := first(r.A.Name, r.A.Title)
	if _, twice := d.at[string(r.ID)]; twice || name == "" {
		return
	}
	d.at[string(r.ID)] = len(d.doc.Components)
	d.doc.Components = append(d.doc.Components, downwind.Component{ID: string(r.ID), Name: name, Status: downwind.StatusUnknown})
}

func (d *decoder) add(r *wireResource, updates, services resources, planned bool) {
	if id := string(r.ID); id != "" {
		if d.listed[id] {
			return
		}
		d.listed[id] = true
	}
	inc := downwind.Incident{ID: string(r.ID), Kind: downwind.KindIncident, Title: first(r.A.Title, r.A.Name), URL: pageURL}
	phase, ok := feeds.PhaseOf(string(r.A.Status))
	if !ok && r.A.Status != "" {
		feeds.Unknown(&d.doc, "phase", string(r.A.Status))
	}
	switch inc.Phase = phase; {
	case !r.A.resolved().IsZero():
		inc.Phase, inc.ResolvedAt = downwind.Resolved, r.A.resolved()
	case r.A.Status == "":
		inc.Phase = downwind.Investigating
	}
	inc.Impact = d.impact(&r.A)
	for _, id := range r.R.updates() {
		if u := updates[id]; u != nil {
			inc.Updates = append(inc.Updates, u.update(d))
		}
	}
	feeds.Tidy(&inc)
	for i := range inc.Updates { // most have no state of their own
		if inc.Updates[i].Phase == downwind.PhaseUnknown {
			inc.Updates[i].Phase = downwind.Investigating
		}
	}
	if last := inc.Latest(); last != nil && r.A.Status == "" && inc.Phase == downwind.Investigating {
		inc.Phase = last.Phase
	}
	if n := len(inc.Updates); n > 0 && inc.Updates[n-1].Phase == downwind.Investigating && phase != downwind.PhaseUnknown {
		inc.Updates[n-1].Phase = inc.Phase
	}
	if planned {
		d.plan(&inc, r)
	} else {
		if body := feeds.PlainText(string(r.A.Postmortem)); body != "" && inc.Phase == downwind.Resolved {
			inc.Updates = append(inc.Updates, downwind.Update{ID: "postmortem", Phase: downwind.Postmortem, Body: body, PostedAt: after(&inc)})
			inc.Phase = downwind.Postmortem
		}
		inc.StartedAt = r.A.started()
	}
	d.components(&inc, r, services)
	feeds.Tidy(&inc)
	if !planned {
		feeds.StartFromUpdates(&inc)
	}
	d.doc.Incidents = append(d.doc.Incidents, inc)
}

// plan turns an entry into planned work.
func (d *decoder) plan(inc *downwind.Incident, r *wireResource) {
	inc.Kind, inc.Impact = downwind.KindMaintenance, downwind.ImpactMaintenance
	inc.ScheduledFor, inc.ScheduledUntil = r.A.planned()
	switch inc.Phase {
	case downwind.Resolved:
		inc.Phase = downwind.Completed
	case downwind.Investigating, downwind.PhaseUnknown:
		inc.Phase = downwind.Scheduled
	}
	for i := range inc.Updates {
		switch u := &inc.Updates[i]; u.Phase {
		case downwind.Investigating, downwind.PhaseUnknown:
			u.Phase = downwind.Scheduled
		case downwind.Resolved:
			u.Phase = downwind.Completed
		}
	}
	feeds.StartMaintenance(inc)
}

// components adds the services that an incident is linked to, and their states while it is open.
func (d *decoder) components(inc *downwind.Incident, r *wireResource, services resources) {
	put := func(id, name string, s downwind.Status, over bool) {
		if name == "" {
			if i, ok := d.at[id]; ok {
				name = d.doc.Components[i].Name
			}
		}
		if name == "" {
			return
		}
		inc.Components = append(inc.Components, downwind.Component{ID: id, Name: name, Status: s})
		if over || !inc.Open() || inc.Kind != downwind.KindIncident {
			return
		}
		if old, ok := d.open[id]; !ok || s.Rank() > old.Rank() {
			d.open[id] = s
		}
	}
	for _, id := range r.R.links() {
		l := services["link/"+id]
		if l == nil {
			continue
		}
		of := first(l.A.Service, l.A.Service2)
		name := first(l.A.ServiceName, l.A.ServiceName2, l.A.Name)
		if s := services["service/"+of]; s != nil && name == "" {
			name = first(s.A.Name)
		}
		put(of, name, l.A.state(inc), !l.A.resolved().IsZero())
	}
	for _, ref := range r.R.Services.Data {
		if s := services["service/"+string(ref.ID)]; s != nil {
			put(string(ref.ID), first(s.A.Name), r.A.state(inc), false)
		}
	}
}

// impact reads the grade; where it is missing the two marks tell.
func (d *decoder) impact(a *wireAttributes) downwind.Impact {
	word := string(a.Impact)
	if strings.EqualFold(strings.ReplaceAll(word, "_", " "), "no impact") {
		return downwind.ImpactNone
	}
	i, ok := feeds.ImpactOf(word)
	if !ok {
		feeds.Unknown(&d.doc, "impact", word)
	}
	if i == downwind.ImpactUnknown && bool(a.Outage) {
		return downwind.ImpactMajor
	}
	if i == downwind.ImpactUnknown && bool(a.Degraded) {
		return downwind.ImpactMinor
	}
	return i
}
