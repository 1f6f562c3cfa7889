// Package uptimekuma reads status pages of Uptime Kuma: the page with its groups, pinned messages and maintenances, and the
// heartbeats, of which the newest tells a monitor's state. A page without heartbeats tells no states.
package uptimekuma

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
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
func (Adapter) Platform() string { return "uptimekuma" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json" || !bytes.HasPrefix(bytes.TrimSpace(b[:min(len(b), 64)]), []byte("{")):
		return 0
	case feeds.Has(b, 64, `"heartbeatList"`):
		return 92
	case feeds.Has(b, 4096, `"config"`) && bytes.Contains(b, []byte(`"publicGroupList"`)):
		return 92
	case feeds.Has(b, 8192, `"incidents"`, `"style"`, `"pin"`, `"createdDate"`):
		return 88
	}
	return 0
}

// Endpoints implements feeds.Adapter. The page's name in the API is the part of its address after /status/; "default" is
// what the software calls its first page.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	slug := "default"
	if u, err := url.Parse(page); err == nil {
		for _, mark := range []string{"/status/", "/api/status-page/heartbeat/", "/api/status-page/"} {
			if _, rest, ok := strings.Cut(u.Path, mark); ok {
				if name, _, _ := strings.Cut(rest, "/"); name != "" {
					slug = url.PathEscape(name)
					break
				}
			}
		}
	}
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/api/status-page/"+slug)},
		{URL: feeds.JoinURL(page, "/api/status-page/heartbeat/"+slug), Optional: true},
		{URL: feeds.JoinURL(page, "/api/status-page/"+slug+"/incident-history"), Every: 5, Optional: true},
	}
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("Uptime Kuma")) || bytes.Contains(html, []byte("uptime-kuma"))
}

// named finds the page's name in the address of its manifest.
var named = pattern.New(`/api/status-page/([A-Za-z0-9_-]{1,64})/`)

// AddressIn implements feeds.PageReader: a page may have a host of its own.
func (Adapter) AddressIn(page string, html []byte) string {
	if m := named.FindSubmatch(html); m != nil {
		return feeds.JoinURL(page, "/status/"+string(m[1]))
	}
	return ""
}

// Decode implements feeds.Adapter. The page lists the messages and maintenances of now and ahead, the history what is over.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}, states: map[string]downwind.Status{}}
	var page *wirePage
	var history feeds.List[wireIncident]
	beats, past := false, false
	for _, p := range ps {
		w := new(wirePage)
		if err := feeds.DecodeJSON(p.Body, w); err != nil {
			return downwind.Document{}, err
		}
		if w.Beats != nil {
			beats = true
			d.beats(w.Beats)
		}
		switch {
		case w.Config != nil && page == nil:
			page = w
		case w.Config == nil && w.Incidents != nil:
			history, past = append(history, w.Incidents...), true
		}
	}
	switch {
	case page != nil:
		page.Incidents = append(page.Incidents, history...)
		d.page(page)
		d.doc.OpenOnly = true
	case past:
		d.page(&wirePage{Config: new(wireConfig), Incidents: history})
		d.doc.Partial = true
	case beats: // names stand on the page only
		d.doc.Partial = true
		for _, id := range slices.Sorted(maps.Keys(d.states)) {
			d.doc.Components = append(d.doc.Components, downwind.Component{ID: id, Name: id, Status: d.states[id]})
		}
	default:
		return downwind.Document{}, fmt.Errorf("no answer of an Uptime Kuma page: %w", downwind.ErrUnreadable)
	}
	return d.doc, nil
}

type decoder struct {
	doc    downwind.Document
	states map[string]downwind.Status // by monitor id
}

// beats takes the newest beat of each monitor.
func (d *decoder) beats(lists map[string]json.RawMessage) {
	for _, id := range slices.Sorted(maps.Keys(lists)) {
		var list []wireBeat
		var bare *json.UnmarshalTypeError // a zero stands for a time without a check; it is left empty
		if err := json.Unmarshal(lists[id], &list); err != nil && !errors.As(err, &bare) {
			continue
		}
		newest := -1
		for i, b := range list {
			if newest < 0 || !b.Time.Before(list[newest].Time.Time) {
				newest = i
			}
		}
		d.states[id] = downwind.StatusUnknown
		if newest >= 0 {
			d.states[id] = d.status(list[newest].Status)
		}
	}
}

// status reads the number of a beat. Pending is a failed check that is being repeated: not known to be down.
func (d *decoder) status(code feeds.Str) downwind.Status {
	switch code {
	case "0", "false":
		return downwind.MajorOutage
	case "1", "true":
		return downwind.Operational
	case "2", "":
		return downwind.StatusUnknown
	case "3":
		return downwind.UnderMaintenance
	}
	feeds.Unknown(&d.doc, "status", string(code))
	return downwind.StatusUnknown
}

func (d *decoder) page(w *wirePage) {
	d.doc.Page = downwind.Page{ID: string(w.Config.Slug), Name: feeds.PlainLine(string(w.Config.Title))}
	seen := map[string]bool{}
	for _, g := range w.Groups {
		for _, m := range g.Monitors {
			c := downwind.Component{ID: string(m.ID), Name: feeds.PlainLine(string(m.Name)), Group: feeds.PlainLine(string(g.Name)), Status: downwind.StatusUnknown}
			if s, ok := d.states[c.ID]; ok {
				c.Status = s
			}
			if seen[c.ID] { // a monitor may stand in several groups
				continue
			}
			seen[c.ID] = c.ID != ""
			d.doc.Components = append(d.doc.Components, c)
		}
	}
	list := w.Incidents
	if w.Incident != nil {
		list = append(feeds.List[wireIncident]{*w.Incident}, list...)
	}
	known := map[feeds.Str]bool{}
	for i := range list {
		if n := &list[i]; n.ID == "" || !known[n.ID] {
			known[n.ID] = true
			d.doc.Incidents = append(d.doc.Incidents, message(n))
		}
	}
	for i := range w.Maintenances {
		d.doc.Incidents = append(d.doc.Incidents, d.work(&w.Maintenances[i]))
	}
}

// message reads a pinned message. It has a colour and no state: warnings and dangers are taken as incidents.
func message(w *wireIncident) downwind.Incident {
	inc := downwind.Incident{
		ID: string(w.ID), Kind: downwind.KindNotice, Title: feeds.PlainLine(string(w.Title)), Phase: downwind.PhaseUnknown,
		Impact: downwind.ImpactUnknown, StartedAt: w.Created.Time,
	}
	switch strings.ToLower(string(w.Style)) {
	case "warning", "danger":
		inc.Kind, inc.Phase = downwind.KindIncident, downwind.Investigating
	}
	over := w.Active == "false" || w.Active == "0"
	if body := feeds.PlainText(string(w.Content)); body != "" {
		u := downwind.Update{ID: "content", Phase: inc.Phase, Body: body, PostedAt: w.Created.Time}
		if !over && w.Updated.After(w.Created.Time) {
			u.EditedAt = w.Updated.Time
		}
		inc.Updates = []downwind.Update{u}
	}
	if over {
		inc.Phase, inc.ResolvedAt = downwind.Resolved, w.Updated.Time
	}
	feeds.Tidy(&inc)
	return inc
}

// work reads a maintenance, whose ids count apart from those of messages. Of several slots the first one counts: the
// software lists the present or next one.
func (d *decoder) work(w *wireMaintenance) downwind.Incident {
	inc := downwind.Incident{
		Kind: downwind.KindMaintenance, Title: feeds.PlainLine(string(w.Title)), Impact: downwind.ImpactMaintenance, Phase: d.phase(w.Status),
	}
	if w.ID != "" {
		inc.ID = "maintenance-" + string(w.ID)
	}
	if len(w.Slots) > 0 {
		inc.ScheduledFor, inc.ScheduledUntil = w.time(w.Slots[0].Start), w.time(w.Slots[0].End)
	} else if len(w.Range) == 2 {
		inc.ScheduledFor, inc.ScheduledUntil = w.time(w.Range[0]), w.time(w.Range[1])
	}
	if body := feeds.PlainText(string(w.Description)); body != "" {
		inc.Updates = []downwind.Update{{ID: "description", Phase: downwind.Scheduled, Body: body}}
	}
	feeds.Tidy(&inc)
	feeds.StartMaintenance(&inc)
	return inc
}

// time reads a time of a slot; without a zone of its own it is in that of the maintenance.
func (w *wireMaintenance) time(s feeds.Str) time.Time {
	t, ok := feeds.ParseTime(string(s))
	if !ok {
		return time.Time{}
	}
	clock := string(s)[min(len(s), 10):]
	if offset, ok := feeds.ZoneOffset(string(w.Offset)); ok && !strings.ContainsAny(clock, "Zz+-") {
		t = t.Add(-time.Duration(offset) * time.Second)
	}
	return t
}

func (d *decoder) phase(word feeds.Str) downwind.Phase {
	switch strings.ToLower(string(word)) {
	case "", "unknown":
		return downwind.PhaseUnknown
	case "under-maintenance":
		return downwind.InProgress
	case "scheduled":
		return downwind.Scheduled
	case "ended":
		return downwind.Completed
	case "inactive":
		return downwind.Cancelled
	}
	p, ok := feeds.PhaseOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "phase", string(word))
	}
	if p == downwind.Resolved {
		return downwind.Completed
	}
	return p
}
