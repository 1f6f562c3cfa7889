// Package openstatus reads OpenStatus pages: the feeds in RSS and Atom, which hold one item a report with the text of all
// its posts, and the page as JSON. The feeds state no start: an item's date is that of the newest post.
package openstatus

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
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
func (Adapter) Platform() string { return "openstatus" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	switch feeds.Shape(p.Body) {
	case "xml":
		if feeds.Has(p.Body, 4096, "<generator", ">OpenStatus") {
			return 92
		}
	case "json":
		if bytes.HasPrefix(bytes.TrimSpace(p.Body[:min(len(p.Body), 64)]), []byte("{")) &&
			bytes.Contains(p.Body, []byte(`"statusReports"`)) && bytes.Contains(p.Body, []byte(`"maintenances"`)) {
			return 88
		}
	}
	return 0
}

// Endpoints implements feeds.Adapter: the feed, and the JSON of pages that have it, which then counts alone.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{
		{URL: feeds.JoinURL(page, "/feed/rss")},
		{URL: feeds.JoinURL(page, "/feed/json"), Optional: true},
	}
}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return strings.HasSuffix(host, ".openstatus.dev") }

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool { return bytes.Contains(html, []byte("openstatus.dev")) }

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}, known: map[string]downwind.Component{}}
	for _, p := range ps {
		if feeds.Shape(p.Body) != "json" {
			continue
		}
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		d.readAt = p.FetchedAt
		d.page(&w)
		return d.doc, nil
	}
	for _, p := range ps {
		if feeds.Shape(p.Body) == "xml" {
			f, err := feeds.ReadFeed(p)
			if err != nil {
				return downwind.Document{}, err
			}
			d.feed(f)
			return d.doc, nil
		}
	}
	return downwind.Document{}, fmt.Errorf("no answer of an OpenStatus page: %w", downwind.ErrUnreadable)
}

type decoder struct {
	doc    downwind.Document
	known  map[string]downwind.Component
	readAt time.Time // zero for a file
}

func (d *decoder) page(w *wire) {
	d.doc.Page = downwind.Page{Name: feeds.PlainLine(string(w.Title)), URL: string(w.URL)}
	list := w.Parts
	if len(list) == 0 {
		list = w.Monitors
	}
	states, groups := map[feeds.Str]feeds.Str{}, map[feeds.Str]string{}
	for _, m := range w.Monitors {
		states[m.ID] = m.Status
	}
	for _, g := range w.Groups {
		groups[g.ID] = feeds.PlainLine(string(g.Name))
	}
	for _, m := range list {
		if m.Status == "" && m.Monitor != "" {
			m.Status = states[m.Monitor]
		}
		s, ok := feeds.StatusOf(string(m.Status))
		if !ok {
			if s, ok = monitorWords()[strings.ToLower(string(m.Status))]; !ok {
				s = downwind.StatusUnknown
				feeds.Unknown(&d.doc, "status", string(m.Status))
			}
		}
		c := downwind.Component{ID: string(m.ID), Name: feeds.PlainLine(string(m.Name)), Group: groups[m.Group], Status: s}
		d.known[c.ID] = c
		d.doc.Components = append(d.doc.Components, c)
	}
	for i := range w.Reports {
		d.doc.Incidents = append(d.doc.Incidents, d.report(&w.Reports[i]))
	}
	for i := range w.Maintenances {
		d.doc.Incidents = append(d.doc.Incidents, d.work(&w.Maintenances[i]))
	}
}

// monitorWords are states that only this platform writes.
var monitorWords = sync.OnceValue(func() map[string]downwind.Status {
	return map[string]downwind.Status{
		"success": downwind.Operational, "active": downwind.StatusUnknown, "error": downwind.MajorOutage, "info": downwind.UnderMaintenance,
		"empty": downwind.StatusUnknown, "incident": downwind.PartialOutage,
	}
})

// parts names what a report is about.
func (d *decoder) parts(lists ...feeds.List[wireMonitor]) []downwind.Component {
	for _, list := range lists {
		var out []downwind.Component
		for _, m := range list {
			c := downwind.Component{ID: string(m.ID), Name: feeds.PlainLine(string(m.Name))}
			if k, ok := d.known[c.ID]; ok {
				c.Name, c.Group = k.Name, k.Group
			}
			if c.Name != "" {
				out = append(out, c)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

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

func (d *decoder) report(w *wireReport) downwind.Incident {
	inc := downwind.Incident{
		ID: string(w.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(w.Title)), Phase: d.phase(w.Status),
		Impact: downwind.ImpactUnknown, Components: d.parts(w.Parts, w.Monitors),
	}
	if d.doc.Page.URL != "" && inc.ID != "" {
		inc.URL = strings.TrimRight(d.doc.Page.URL, "/") + "/events/report/" + inc.ID
	}
	list := w.Updates
	if len(list) == 0 {
		list = w.Plain
	}
	for _, u := range list {
		inc.Updates = append(inc.Updates, downwind.Update{ID: string(u.ID), Phase: d.phase(u.Status), Body: feeds.PlainText(string(u.Message)), PostedAt: u.Date.Time})
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); w.Status == "" && u != nil {
		inc.Phase = u.Phase
		feeds.Tidy(&inc)
	}
	feeds.StartFromUpdates(&inc)
	return inc
}

// work reads planned work. It has a window and no state: where the time of the reading is known, that tells how far it is.
func (d *decoder) work(w *wireWork) downwind.Incident {
	inc := downwind.Incident{
		Kind: downwind.KindMaintenance, Title: feeds.PlainLine(string(w.Title)), Impact: downwind.ImpactMaintenance, Phase: downwind.Scheduled,
		ScheduledFor: w.From.Time, ScheduledUntil: w.To.Time, Components: d.parts(w.Parts, w.Monitors),
	}
	if inc.Title == "" {
		inc.Title = feeds.PlainLine(string(w.Name))
	}
	if w.ID != "" { // maintenances are counted apart from reports
		inc.ID = "maintenance-" + string(w.ID)
	}
	if body := feeds.PlainText(string(w.Message)); body != "" {
		inc.Updates = []downwind.Update{{ID: "message", Phase: downwind.Scheduled, Body: body}}
	}
	for _, u := range w.Updates { // which have no state of their own: their time tells it
		up := downwind.Update{ID: string(u.ID), Phase: downwind.InProgress, Body: feeds.PlainText(string(u.Message)), PostedAt: u.Date.Time}
		if u.Date.Before(w.From.Time) {
			up.Phase = downwind.Scheduled
		} else {
			inc.Phase = downwind.InProgress
		}
		inc.Updates = append(inc.Updates, up)
	}
	switch now := d.readAt; {
	case now.IsZero() || w.From.IsZero() || now.Before(w.From.Time):
	case !w.To.IsZero() && !now.Before(w.To.Time):
		inc.Phase, inc.ResolvedAt = downwind.Completed, w.To.Time
	default:
		inc.Phase = downwind.InProgress
	}
	feeds.Tidy(&inc)
	feeds.StartMaintenance(&inc)
	return inc
}

// feed reads the items; those of maintenances may share one address and are told apart by their titles.
func (d *decoder) feed(f feeds.Feed) {
	d.doc.Page = downwind.Page{Name: f.Title, URL: f.Link}
	seen := map[string]int{}
	for _, it := range f.Items {
		inc := d.item(it)
		if seen[inc.ID]++; seen[inc.ID] > 1 {
			inc.ID += "-" + strconv.Itoa(seen[inc.ID])
		}
		d.doc.Incidents = append(d.doc.Incidents, inc)
	}
}

func (d *decoder) item(it feeds.Item) downwind.Incident {
	title, phase := feeds.TrimState(it.Title)
	inc := downwind.Incident{Kind: downwind.KindIncident, Title: title, URL: it.Link, Phase: phase, Impact: downwind.ImpactUnknown}
	if name, planned := strings.CutPrefix(it.Title, "Maintenance - "); planned {
		inc.Kind, inc.Impact, inc.Title = downwind.KindMaintenance, downwind.ImpactMaintenance, name
		inc.ID = "maintenance-" + feeds.ContentID(name)
	}
	if _, id, ok := strings.Cut(it.Link, "/events/"); ok {
		if kind, id, ok := strings.Cut(strings.TrimRight(id, "/"), "/"); ok && id != "" {
			if inc.ID = id; kind == "maintenance" {
				inc.ID = "maintenance-" + id
			}
		}
	}
	if inc.ID == "" {
		inc.ID = feeds.ContentID(it.ID, title)
	}
	at := it.Updated
	if at.IsZero() {
		at = it.Published
	}
	if inc.Kind == downwind.KindMaintenance {
		inc.Updates = notes(feeds.PlainText(it.HTML), at)
	} else {
		inc.Updates = posts(it.HTML, phase, at)
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); phase == "" && inc.Kind == downwind.KindIncident && u != nil {
		inc.Phase = u.Phase
		feeds.Tidy(&inc)
	}
	return inc
}

// noteTime finds the time before each note about planned work; a body without any is one message.
var noteTime = pattern.New(`(?m)^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z): `)

// notes splits a body about planned work, whose notes tell no state.
func notes(text string, at time.Time) []downwind.Update {
	if text == "" {
		return nil
	}
	const most = 200
	marks := noteTime.FindAllStringSubmatchIndex(text, most)
	if len(marks) == 0 || marks[0][0] != 0 {
		return []downwind.Update{{ID: "message", Phase: downwind.PhaseUnknown, Body: text, PostedAt: at}}
	}
	var out []downwind.Update
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		when, _ := feeds.ParseTime(text[m[2]:m[3]])
		out = append(out, downwind.Update{Phase: downwind.PhaseUnknown, Body: strings.TrimSpace(text[m[1]:end]), PostedAt: when})
	}
	return out
}

// posts splits a body into its posts: "Word: text." each, an empty line between. Only the newest, which has the phase of
// the title, has a time: that of the item.
func posts(html string, title downwind.Phase, at time.Time) []downwind.Update {
	var out []downwind.Update
	text := feeds.PlainText(html)
	begin := 0 // of the text of the last post
	end := func(n int) {
		if len(out) > 0 {
			out[len(out)-1].Body = strings.TrimSpace(text[begin:n])
		}
	}
	for i := 0; i < len(text); {
		next := len(text)
		if n := strings.Index(text[i:], "\n\n"); n >= 0 {
			next = i + n + 2
		}
		if phase, skip := postWord(text[i:next]); skip > 0 {
			end(i)
			out, begin = append(out, downwind.Update{Phase: phase}), i+skip
		} else if len(out) == 0 {
			out, begin = append(out, downwind.Update{Phase: title}), i
		}
		i = next
	}
	end(len(text))
	if len(out) == 0 {
		return nil
	}
	if out[0].Phase == title && out[len(out)-1].Phase != title { // newest first
		slices.Reverse(out)
	}
	for i := range out {
		out[i].ID = strconv.Itoa(i+1) + "-" + string(out[i].Phase)
	}
	out[len(out)-1].PostedAt = at
	return out
}

// postWord reads the state word before the colon that begins a post, and how long both are; 0: there is none.
func postWord(s string) (p downwind.Phase, length int) {
	i := strings.IndexByte(s[:min(len(s), len("Investigating:"))], ':')
	if i < 0 {
		return "", 0
	}
	p, ok := feeds.PhaseOf(s[:i])
	if !ok {
		return "", 0
	}
	return p, i + 1
}
