// Package statuspal reads Statuspal pages: the summary of the public API. Services are a tree whose leaves are
// components; times have no zone and are read as UTC.
package statuspal

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "statuspal" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	switch {
	case feeds.Shape(p.Body) != "json":
		return 0
	case !feeds.Has(p.Body, 4096, `"status_page"`):
		if feeds.Has(p.Body, 4096, `"services"`, `"current_incident_type"`) && bytes.Contains(p.Body, []byte(`"incidents"`)) {
			return 80
		}
		return 0
	case feeds.Has(p.Body, 8192, `"current_incident_type"`):
		return 92
	case bytes.Contains(p.Body, []byte(`"upcoming_maintenances"`)) && bytes.Contains(p.Body, []byte(`"services"`)):
		return 90
	}
	return 0
}

// subdomains are the names that pages on hosts of their own have in the API, with the API's host.
var subdomains = map[string][2]string{
	"exoscalestatus.com": {"statuspal.eu", "exoscalestatus"},
}

// Endpoints implements feeds.Adapter. The API is asked by subdomain at one of two hosts. A page on a host of its own is
// asked for by that name; where the API does not know it, the address of the summary has to be pasted, which is kept.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	u, err := url.Parse(page)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	summary := func(api, name string) string {
		return "https://" + api + "/api/v2/status_pages/" + url.PathEscape(name) + "/summary"
	}
	if host == "statuspal.io" || host == "statuspal.eu" {
		_, name, ok := strings.Cut(u.Path, "/status_pages/")
		if name, _, _ = strings.Cut(name, "/"); !ok || name == "" {
			return nil
		}
		return []feeds.Endpoint{{URL: summary(host, name)}}
	}
	for _, api := range []string{"statuspal.io", "statuspal.eu"} {
		if name, ok := strings.CutSuffix(host, "."+api); ok {
			return []feeds.Endpoint{{URL: summary(api, name)}}
		}
	}
	if known, ok := subdomains[strings.TrimPrefix(host, "www.")]; ok {
		return []feeds.Endpoint{{URL: summary(known[0], known[1])}}
	}
	return []feeds.Endpoint{{URL: summary("statuspal.io", host)}, {URL: summary("statuspal.eu", host), Fallback: true}}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	_, known := subdomains[host]
	return known || strings.HasSuffix(host, ".statuspal.io") || strings.HasSuffix(host, ".statuspal.eu")
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("statuspal.io")) || bytes.Contains(html, []byte("statuspal.eu"))
}

// named finds a page's name in the addresses of the platform that its HTML holds.
var named = pattern.New(`statuspal\.(io|eu)/(?:api/v\d/)?status_pages/([A-Za-z0-9_-]{1,64})`)

// AddressIn implements feeds.PageReader.
func (Adapter) AddressIn(_ string, html []byte) string {
	if m := named.FindSubmatch(html); m != nil {
		return "https://statuspal." + string(m[1]) + "/status_pages/" + string(m[2])
	}
	return ""
}

// Decode implements feeds.Adapter. The lists hold what is open or ahead: what is missing from them has ended.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform(), Partial: true}, known: map[string]downwind.Component{}, parent: map[string]string{}}
	read := false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Page == nil && (w.Services == nil || w.Incidents == nil) {
			continue
		}
		read = true
		if w.Page != nil {
			d.doc.Page = downwind.Page{ID: string(w.Page.ID), Name: feeds.PlainLine(string(w.Page.Name)), URL: string(w.Page.URL)}
		}
		if w.Services != nil && len(d.doc.Components) == 0 {
			for i := range w.Services {
				d.leaves(&w.Services[i], "")
			}
		}
		if w.Incidents == nil && w.Maintenances == nil && w.Services == nil {
			continue // the page's state alone
		}
		d.doc.Partial, d.doc.OpenOnly = false, true
		for i := range w.Incidents {
			d.doc.Incidents = append(d.doc.Incidents, d.incident(&w.Incidents[i]))
		}
		for i := range w.Maintenances {
			d.doc.Incidents = append(d.doc.Incidents, d.work(&w.Maintenances[i], downwind.InProgress))
		}
		for i := range w.Upcoming {
			d.doc.Incidents = append(d.doc.Incidents, d.work(&w.Upcoming[i], downwind.Scheduled))
		}
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of a Statuspal page: %w", downwind.ErrUnreadable)
	}
	return d.doc, nil
}

type decoder struct {
	doc downwind.Document
	// known are all services by id; parent is the group that each stands in, by id.
	known  map[string]downwind.Component
	parent map[string]string
}

// leaves lists a service, or what stands below it with its name as the group.
func (d *decoder) leaves(s *wireService, group string) {
	c := downwind.Component{ID: string(s.ID), Name: feeds.PlainLine(string(s.Name)), Group: group, Status: d.status(s.Type)}
	d.known[c.ID] = c
	if len(s.Children) == 0 {
		d.doc.Components = append(d.doc.Components, c)
		return
	}
	for i := range s.Children {
		d.parent[string(s.Children[i].ID)] = c.ID
		d.leaves(&s.Children[i], c.Name)
	}
}

// status reads the type of the incident that a service is in; none is fine.
func (d *decoder) status(word feeds.Str) downwind.Status {
	switch strings.ToLower(string(word)) {
	case "":
		return downwind.Operational
	case "scheduled":
		return downwind.UnderMaintenance
	}
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(word))
	}
	return s
}

// affected names the services of an incident. A group whose members are listed beside it says nothing more than they do.
func (d *decoder) affected(w *wireIncident) []downwind.Component {
	ids, covered := map[string]bool{}, map[string]bool{}
	for _, s := range w.Services {
		ids[string(s)] = true
		if group, ok := d.parent[string(s)]; ok {
			covered[group] = true
		}
	}
	var out []downwind.Component
	add := func(c downwind.Component) {
		c.Status = ""
		out = append(out, c)
	}
	done := map[string]bool{}
	for _, s := range w.Services {
		c, ok := d.known[string(s)]
		if !ok || done[c.ID] {
			continue
		}
		done[c.ID] = true
		if !covered[c.ID] {
			add(c)
		}
	}
	for _, s := range w.Named {
		if s.ID == "" || !ids[string(s.ID)] {
			add(downwind.Component{ID: string(s.ID), Name: feeds.PlainLine(string(s.Name))})
		}
	}
	return out
}

// entry reads what incidents and planned work have in common; update phases are as written.
func (d *decoder) entry(w *wireIncident) downwind.Incident {
	inc := downwind.Incident{ID: string(w.ID), Title: feeds.PlainLine(string(w.Title)), URL: string(w.URL), Components: d.affected(w)}
	if inc.URL == "" && d.doc.Page.URL != "" && inc.ID != "" {
		inc.URL = strings.TrimRight(d.doc.Page.URL, "/") + "/incidents/" + inc.ID
	}
	list := w.Updates
	switch {
	case len(list) > 0:
	case w.Latest != nil:
		list = feeds.List[wireUpdate]{*w.Latest}
	case w.Current != nil && w.Current.Description != "":
		list = feeds.List[wireUpdate]{*w.Current}
	}
	for _, u := range list {
		at := u.Posted.Time
		if at.IsZero() {
			at = u.Inserted.Time
		}
		if at.IsZero() {
			at = w.Inserted.Time
		}
		inc.Updates = append(inc.Updates, downwind.Update{ID: string(u.ID), Phase: d.phase(u.Type), Body: feeds.PlainText(string(u.Description)), PostedAt: at})
	}
	return inc
}

// phase reads the type of an update; "update" keeps the phase before it.
func (d *decoder) phase(word feeds.Str) downwind.Phase {
	if low := strings.ToLower(string(word)); low == "" || low == "update" {
		return ""
	}
	p, ok := feeds.PhaseOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	return p
}

func (d *decoder) incident(w *wireIncident) downwind.Incident {
	if strings.EqualFold(string(w.Type), "scheduled") {
		return d.work(w, downwind.InProgress)
	}
	inc := d.entry(w)
	inc.Kind, inc.StartedAt, inc.Phase = downwind.KindIncident, w.Starts.Time, downwind.Investigating
	if inc.StartedAt.IsZero() {
		inc.StartedAt = w.Inserted.Time
	}
	i, ok := feeds.ImpactOf(string(w.Type))
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(w.Type))
	}
	inc.Impact = i
	strange := slices.ContainsFunc(inc.Updates, func(u downwind.Update) bool { return u.Phase == downwind.PhaseUnknown })
	feeds.Tidy(&inc)
	if u := inc.Latest(); u != nil && (strange || u.Phase != downwind.PhaseUnknown) {
		inc.Phase = u.Phase
	}
	if !w.Ends.IsZero() {
		inc.ResolvedAt = w.Ends.Time
		if !inc.Phase.Over() {
			inc.Phase = downwind.Resolved
		}
	}
	feeds.Tidy(&inc)
	feeds.StartFromUpdates(&inc)
	return inc
}

// work reads planned work, whose phase is that of its list unless an update says that it is over.
func (d *decoder) work(w *wireIncident, phase downwind.Phase) downwind.Incident {
	inc := d.entry(w)
	inc.Kind, inc.Impact, inc.Phase = downwind.KindMaintenance, downwind.ImpactMaintenance, phase
	inc.ScheduledFor, inc.ScheduledUntil = w.Starts.Time, w.Ends.Time
	for i := range inc.Updates {
		u := &inc.Updates[i]
		switch {
		case u.Phase == downwind.Resolved:
			u.Phase = downwind.Completed
		case u.Phase == downwind.Investigating && u.PostedAt.Before(w.Starts.Time):
			u.Phase = downwind.Scheduled
		case u.Phase == downwind.Investigating:
			u.Phase = phase
		}
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); u != nil && u.Phase == downwind.Completed {
		inc.Phase = downwind.Completed
		feeds.Tidy(&inc)
	}
	feeds.StartMaintenance(&inc)
	return inc
}
