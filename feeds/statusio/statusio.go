// Package statusio reads Status.io pages (the public API's status call): services are components, containers places.
package statusio

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "statusio" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) == "json" && feeds.Has(p.Body, 4096, `"result"`, `"status_overall"`) {
		return 93
	}
	return 0
}

// pages are the ids of pages on hosts of their own, which the API wants and their addresses do not tell (from the feed
// addresses that the pages publish). Others are read by pasting their address at api.status.io or any /pages/… address.
var pages = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"dynatrace.status.io":    "546d8cb6af8407b6730000cb",
		"letsencrypt.status.io":  "55957a99e800baa4470002da",
		"neonstatus.com":         "6878fc85709daa75be6c7e3c",
		"status.bamboohr.com":    "54f0de009d6f51e7140002b7",
		"status.clickup.com":     "5b6e0963c662144d00913a09",
		"status.coreweave.com":   "5e126e998f2f032e1f8f0f4b",
		"status.discourse.org":   "5e2141ce30dc5c04b3ac32fc",
		"status.docker.com":      "533c6539221ae15e3f000031",
		"status.gitlab.com":      "5b36dc6502d06804c08349f7",
		"status.mimecast.com":    "5d849b1c02e65b3ec45369d4",
		"status.roblox.com":      "59db90dbcdeb2f04dadcf16d",
		"status.ultradns.com":    "5f80d63ea1c48e04c1dfa100",
		"status.us.onelogin.com": "538511e2ce5cb97537000144",
		"www.dockerstatus.com":   "533c6539221ae15e3f000031",
	}
})

// pageID is the id of a page as it stands in addresses: /1.0/status/ID, /pages/ID/rss, /pages/history/ID.
var pageID = pattern.New(`/(?:1\.0/(?:status|summary)|pages(?:/[a-z]+)?)/([0-9a-f]{24})(?:[/?#"']|$)`)

// idOf finds the page id of an address, empty where neither the address nor the list of hosts tells it.
func idOf(address string) string {
	if m := pageID.FindStringSubmatch(address); m != nil {
		return m[1]
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return pages()[strings.ToLower(u.Hostname())]
}

// Endpoints implements feeds.Adapter. Nil where the page's id is not known.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	id := idOf(page)
	if id == "" {
		return nil
	}
	return []feeds.Endpoint{{URL: "https://api.status.io/1.0/status/" + id}}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return strings.HasSuffix(host, ".status.io") || pages()[host] != ""
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("api.status.io/")) || bytes.Contains(html, []byte("status.io/pages/"))
}

// AddressIn implements feeds.PageReader: a page links to its feed and history by its id.
func (Adapter) AddressIn(_ string, html []byte) string {
	if m := pageID.FindSubmatch(html); m != nil {
		return "https://api.status.io/1.0/status/" + string(m[1])
	}
	return ""
}

// Decode implements feeds.Adapter. The lists hold what is open: what is missing from them has ended.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Result == nil {
			continue
		}
		d := decoder{doc: downwind.Document{Platform: a.Platform(), OpenOnly: true}}
		if d.page = idOf(p.URL); d.page != "" {
			d.doc.Page = downwind.Page{ID: d.page, URL: "https://status.io/pages/" + d.page}
		}
		r := w.Result
		d.components(r.Status)
		for i := range r.Incidents {
			d.doc.Incidents = append(d.doc.Incidents, d.incident(&r.Incidents[i]))
		}
		for i := range r.Maintenance.Active {
			d.doc.Incidents = append(d.doc.Incidents, d.work(&r.Maintenance.Active[i], downwind.InProgress))
		}
		for i := range r.Maintenance.Upcoming {
			d.doc.Incidents = append(d.doc.Incidents, d.work(&r.Maintenance.Upcoming[i], downwind.Scheduled))
		}
		return d.doc, nil
	}
	return downwind.Document{}, fmt.Errorf("no answer of a Status.io page: %w", downwind.ErrUnreadable)
}

type decoder struct {
	doc  downwind.Document
	page string // the page's id, empty where not known
}

func (d *decoder) components(list []wireState) {
	for _, s := range list {
		state, ok := status(s.Code)
		if !ok {
			if state, ok = feeds.StatusOf(string(s.Word)); !ok {
				feeds.Unknown(&d.doc, "status", string(s.Code+" "+s.Word))
			}
		}
		d.doc.Components = append(d.doc.Components, downwind.Component{ID: string(s.ID), Name: feeds.PlainLine(string(s.Name)), Status: state})
	}
}

// status reads a code of the API. A security event (600) says nothing of what works.
func status(code feeds.Str) (s downwind.Status, ok bool) {
	switch code {
	case "100":
		return downwind.Operational, true
	case "200":
		return downwind.UnderMaintenance, true
	case "300":
		return downwind.Degraded, true
	case "400":
		return downwind.PartialOutage, true
	case "500":
		return downwind.MajorOutage, true
	case "600":
		return downwind.StatusUnknown, true
	}
	return downwind.StatusUnknown, false
}

// impact grades an incident by the worst code that its messages gave.
func impact(worst downwind.Status) downwind.Impact {
	switch worst {
	case downwind.Operational:
		return downwind.ImpactNone
	case downwind.Degraded:
		return downwind.ImpactMinor
	case downwind.PartialOutage:
		return downwind.ImpactMajor
	case downwind.MajorOutage:
		return downwind.ImpactCritical
	}
	return downwind.ImpactUnknown
}

// entry reads what incidents and maintenances have in common, messages without phases among it.
func (d *decoder) entry(e *wireEntry) (inc downwind.Incident, worst downwind.Status) {
	inc = downwind.Incident{ID: string(either(e.ID, e.OtherID)), Title: feeds.PlainLine(string(e.Name)), Impact: downwind.ImpactUnknown}
	if d.page != "" && inc.ID != "" {
		inc.URL = "https://status.io/pages/incident/" + d.page + "/" + inc.ID
	}
	for _, c := range e.Components {
		inc.Components = append(inc.Components, downwind.Component{ID: string(either(c.ID, c.OtherID)), Name: feeds.PlainLine(string(c.Name))})
	}
	for _, c := range e.Containers {
		if name := feeds.PlainLine(string(c.Name)); name != "" && !slices.Contains(inc.Regions, name) && len(inc.Regions) < 200 {
			inc.Regions = append(inc.Regions, name)
		}
	}
	for _, m := range e.Messages {
		id := string(m.ID)
		if id == "" { // not from the phase, which a maintenance takes from its list
			id = feeds.ContentID(m.At.UTC().Format(time.RFC3339), string(m.State))
		}
		inc.Updates = append(inc.Updates, downwind.Update{ID: id, Body: feeds.PlainText(string(m.Details)), PostedAt: m.At.Time})
		s, ok := status(m.Status)
		if !ok && m.Status != "" {
			feeds.Unknown(&d.doc, "status", string(m.Status))
		}
		if ok && (worst == "" || s.Rank() > worst.Rank()) {
			worst = s
		}
	}
	if s, ok := status(e.Code); worst == "" && ok { // no message says more
		worst = s
	}
	for i := range inc.Components {
		inc.Components[i].Status = worst
	}
	return inc, worst
}

func either(a, b feeds.Str) feeds.Str {
	if a != "" {
		return a
	}
	return b
}

func (d *decoder) incident(e *wireEntry) downwind.Incident {
	inc, worst := d.entry(e)
	inc.Kind, inc.Phase, inc.Impact, inc.StartedAt = downwind.KindIncident, downwind.Investigating, impact(worst), e.Open.Time
	for i, m := range e.Messages {
		inc.Updates[i].Phase = d.phase(m.State)
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); u != nil {
		inc.Phase = u.Phase
	}
	inc.ResolvedAt = e.Resolved.Time
	if inc.ResolvedAt.IsZero() {
		inc.ResolvedAt = e.Closed.Time
	}
	if !inc.ResolvedAt.IsZero() {
		inc.Phase = downwind.Resolved
	}
	feeds.Tidy(&inc)
	feeds.StartFromUpdates(&inc)
	return inc
}

// phase reads the state of a message; "" keeps the one before it.
func (d *decoder) phase(state feeds.Str) downwind.Phase {
	switch state {
	case "":
		return ""
	case "100":
		return downwind.Investigating
	case "200":
		return downwind.Identified
	case "300":
		return downwind.Monitoring
	case "400":
		return downwind.Resolved
	}
	p, ok := feeds.PhaseOf(string(state))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(state))
	}
	return p
}

// work reads planned work, whose phase is that of the list it stands in; what was posted before its start announced it.
func (d *decoder) work(e *wireEntry, phase downwind.Phase) downwind.Incident {
	inc, _ := d.entry(e)
	inc.Kind, inc.Impact, inc.Phase = downwind.KindMaintenance, downwind.ImpactMaintenance, phase
	inc.ScheduledFor, inc.ScheduledUntil = e.Start.Time, e.End.Time
	for i := range inc.Updates {
		u := &inc.Updates[i]
		u.Phase = phase
		if u.PostedAt.Before(e.Start.Time) {
			u.Phase = downwind.Scheduled
		}
	}
	feeds.Tidy(&inc)
	feeds.StartMaintenance(&inc)
	return inc
}
