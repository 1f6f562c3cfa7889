// Package pagerduty reads status pages that PagerDuty hosts: the data stand as JSON in a script element of the page, and
// nowhere else as a whole.
//
// A service has no state of its own there: it is what the newest update of the open incidents says of it. Planned work stands
// among the posts.
package pagerduty

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "pagerduty" }

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "status.pagerduty.com" }

// Claims implements feeds.Adapter.
func (a Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch feeds.Shape(b) {
	case "json":
		if bytes.Contains(b, []byte(`"open_incidents"`)) && (bytes.Contains(b, []byte(`"post_status_page_services"`)) ||
			bytes.Contains(b, []byte(`"post_enums"`)) || bytes.Contains(b, []byte(`"impacted_business_services"`))) {
			return 92
		}
	case "html":
		if a.ClaimsPage(b) {
			return 92
		}
	}
	return 0
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(page []byte) bool {
	return bytes.Contains(page, []byte("<script")) && bytes.Contains(page, []byte("post_status_page_services"))
}

// Endpoints implements feeds.Adapter: the page is its own data.
func (Adapter) Endpoints(page string) []feeds.Endpoint { return []feeds.Endpoint{{URL: page}} }

var (
	dataElement  = pattern.New(`(?is)<script\b[^>]*\bid\s*=\s*["']?data["'\s>][^<]*`)
	titleElement = pattern.New(`(?is)<title[^>]*>([^<]{1,200})`)
	statusSuffix = pattern.New(`(?i)[\s|:–-]*\b(?:system\s+)?status(?:\s+page)?\s*$`)
)

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}}
	for _, p := range ps {
		if u, err := url.Parse(p.URL); err == nil && u.Host != "" {
			d.doc.Page.URL = feeds.JoinURL(p.URL, "")
			if a.ClaimsHost(u.Hostname()) {
				d.doc.Page.Name = "PagerDuty"
			}
		}
		body := p.Body
		if feeds.Shape(body) == "html" {
			if m := titleElement.FindSubmatch(body); m != nil && d.doc.Page.Name == "" {
				d.doc.Page.Name = statusSuffix.ReplaceAllString(feeds.PlainLine(string(m[1])), "")
			}
			body = embedded(body)
		}
		if err := d.read(body); err != nil {
			return downwind.Document{}, err
		}
	}
	if !d.known {
		return downwind.Document{}, fmt.Errorf("no data of a PagerDuty status page: %w", downwind.ErrUnreadable)
	}
	d.states()
	return d.doc, nil
}

// embedded cuts the JSON out of a page, empty where there is none.
func embedded(page []byte) []byte {
	at := dataElement.FindIndex(page)
	if at == nil {
		return nil
	}
	open := bytes.IndexByte(page[at[0]:], '>')
	if open < 0 {
		return nil
	}
	data := page[at[0]+open+1:]
	end := bytes.Index(bytes.ToLower(data), []byte("</script"))
	if end < 0 {
		return nil
	}
	data = bytes.TrimSpace(data[:end])
	if bytes.HasPrefix(data, []byte("{&quot;")) || bytes.HasPrefix(data, []byte("{&#34;")) {
		return []byte(html.UnescapeString(string(data)))
	}
	return data
}

type decoder struct {
	doc    downwind.Document
	known  bool
	listed map[string]bool
}

func (d *decoder) read(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	var w struct {
		Summary *wireSummary `json:"summary"`
	}
	if err := feeds.DecodeJSON(body, &w); err != nil {
		return err
	}
	if w.Summary == nil {
		w.Summary = new(wireSummary)
		if err := feeds.DecodeJSON(body, w.Summary); err != nil {
			return err
		}
	}
	s := w.Summary
	if s.Open == nil && s.Resolved == nil && s.Posts == nil && s.Services == nil {
		return nil
	}
	d.known = true
	d.listed = make(map[string]bool)
	for _, c := range s.Services {
		if d.doc.Page.ID == "" {
			d.doc.Page.ID = string(c.Page.ID)
		}
		if c.Active != nil && !*c.Active {
			continue
		}
		if name := feeds.PlainLine(string(c.Name)); name != "" {
			d.doc.Components = append(d.doc.Components, downwind.Component{ID: string(c.ID), Name: name})
		}
	}
	for _, list := range []feeds.List[wirePost]{s.Open, s.Posts, s.Resolved} {
		for i := range list {
			d.add(&list[i], i < len(s.Resolved) && &list[i] == &s.Resolved[i])
		}
	}
	return nil
}

// add reads one post; over says that it stands in the list of what is over, whatever its last word was.
func (d *decoder) add(w *wirePost, over bool) {
	if id := string(w.ID); id != "" {
		if d.listed[id] {
			return
		}
		d.listed[id] = true
	}
	inc := downwind.Incident{ID: string(w.ID), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(w.Title)), Impact: downwind.ImpactUnknown}
	if inc.ID != "" && d.doc.Page.URL != "" {
		inc.URL = d.doc.Page.URL + "/posts/details/" + url.PathEscape(inc.ID)
	}
	for i := range w.Updates {
		u := d.update(&w.Updates[i])
		if feeds.IsMaintenancePhase(u.Phase) {
			inc.Kind = downwind.KindMaintenance
		}
		if impact := d.impact(w.Updates[i].Severity); impact != downwind.ImpactUnknown && (inc.Impact == downwind.ImpactUnknown || impact.Rank() > inc.Impact.Rank()) {
			inc.Impact = impact
		}
		inc.Updates = append(inc.Updates, u)
	}
	if strings.EqualFold(string(w.Type), "maintenance") {
		inc.Kind = downwind.KindMaintenance
	}
	feeds.Tidy(&inc)
	if last := inc.Latest(); last != nil {
		inc.Phase = last.Phase
	} else if inc.Kind == downwind.KindIncident {
		inc.Phase = downwind.Investigating
	}
	if over && !inc.Phase.Over() {
		inc.Phase = downwind.Resolved
	}
	if pm := w.Postmortem; pm != nil && (pm.Message != "" || pm.ID != "") {
		u := d.update(pm)
		u.Phase, inc.Phase = downwind.Postmortem, downwind.Postmortem
		inc.Updates = append(inc.Updates, u)
	}
	if inc.Kind == downwind.KindMaintenance {
		inc.Impact, inc.ScheduledFor, inc.ScheduledUntil = downwind.ImpactMaintenance, w.Starts.Time, w.Ends.Time
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
		feeds.Tidy(&inc)
		feeds.StartMaintenance(&inc)
	} else {
		inc.StartedAt = w.Starts.Time
		feeds.Tidy(&inc)
		feeds.StartFromUpdates(&inc)
	}
	d.doc.Incidents = append(d.doc.Incidents, inc)
}

func (d *decoder) update(w *wireUpdate) downwind.Update {
	u := downwind.Update{ID: string(w.ID), Body: feeds.PlainText(string(w.Message)), PostedAt: w.Reported.Time}
	if u.PostedAt.IsZero() {
		u.PostedAt = w.Created.Time
	}
	if w.Updated.After(w.Created.Time) && !w.Created.IsZero() {
		u.EditedAt = w.Updated.Time
	}
	if w.Status != "" {
		phase, ok := feeds.PhaseOf(string(w.Status))
		if !ok {
			feeds.Unknown(&d.doc, "phase", string(w.Status))
		}
		u.Phase = phase
	}
	for _, s := range append(w.Business, w.Impacted...) {
		name := feeds.PlainLine(string(s.Name))
		if name == "" {
			continue
		}
		word := s.Severity
		if word == "" {
			word = s.Impact
		}
		u.Components = append(u.Components, downwind.Component{ID: string(s.ID), Name: name, Status: d.status(word)})
	}
	return u
}

// status reads what an update says of a service: a severity, on newer pages an impact.
func (d *decoder) status(word feeds.Str) downwind.Status {
	if allGood(word) {
		return downwind.Operational
	}
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "status", string(word))
	}
	return s
}

func (d *decoder) impact(word feeds.Str) downwind.Impact {
	if allGood(word) {
		return downwind.ImpactNone
	}
	i, ok := feeds.ImpactOf(string(word))
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(word))
	}
	return i
}

func allGood(word feeds.Str) bool {
	w := strings.ToLower(string(word))
	return w == "all_good" || w == "all good"
}

// states gives each service the state that the newest update of the open incidents gives it; what none names is well.
func (d *decoder) states() {
	worst := make(map[string]downwind.Status)
	for i := range d.doc.Incidents {
		inc := &d.doc.Incidents[i]
		if !inc.Open() {
			continue
		}
		now := make(map[string]downwind.Status)
		for _, u := range inc.Updates {
			for _, c := range u.Components {
				now[c.ID+"\x00"+c.Name] = c.Status
			}
		}
		for key, s := range now {
			if inc.Kind == downwind.KindMaintenance && s == downwind.StatusUnknown {
				s = downwind.UnderMaintenance
			}
			if old, ok := worst[key]; !ok || s.Rank() > old.Rank() {
				worst[key] = s
			}
		}
	}
	for i := range d.doc.Components {
		c := &d.doc.Components[i]
		c.Status = downwind.Operational
		if s, ok := worst[c.ID+"\x00"+c.Name]; ok {
			c.Status = s
		}
	}
}
