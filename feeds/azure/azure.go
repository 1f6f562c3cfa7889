// Package azure reads the status feed of Microsoft Azure: RSS that lists what is open and nothing else. The state of an
// entry stands at the end of its title, its start in a sentence of its text.
package azure

import (
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const pageURL = "https://azure.status.microsoft/en-us/status"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "azure" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	switch host {
	case "azure.status.microsoft", "rssfeed.azure.status.microsoft", "status.azure.com", "azurestatuscdn.azureedge.net":
		return true
	}
	return false
}

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) != "xml" || !feeds.Has(p.Body, 2048, "<rss") {
		return 0
	}
	for _, mark := range []string{"//azure.status.microsoft/", "//status.azure.com/", "//azure.microsoft.com/en-us/status"} {
		if feeds.Has(p.Body, 2048, mark) {
			return 91
		}
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	if strings.Contains(page, "/feed") {
		return []feeds.Endpoint{{URL: page}}
	}
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/en-us/status/feed/")}}
}

// Decode implements feeds.Adapter. What is missing from the feed has ended: it has no items when all is well.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), OpenOnly: true, Without: []downwind.Kind{downwind.KindMaintenance}}
	for _, p := range ps {
		f, err := feeds.ReadFeed(p)
		if err != nil {
			return downwind.Document{}, err
		}
		if doc.Page = (downwind.Page{Name: f.Title, URL: f.Link}); doc.Page.URL == "" {
			doc.Page.URL = pageURL
		}
		for i := range f.Items {
			doc.Incidents = append(doc.Incidents, incident(&f.Items[i]))
		}
	}
	return doc, nil
}

func incident(it *feeds.Item) downwind.Incident {
	title, phase := parts(it.Title)
	inc := downwind.Incident{ID: it.ID, Kind: downwind.KindIncident, Title: title, URL: it.Link, Phase: phase, Impact: downwind.ImpactUnknown}
	if inc.ID == "" { // not from the title, whose state word moves
		inc.ID = feeds.ContentID(title)
	}
	body := feeds.PlainText(it.HTML)
	u := downwind.Update{Phase: phase, Body: body, PostedAt: it.Published}
	if it.Updated.After(u.PostedAt) {
		u.PostedAt = it.Updated
	}
	if body != "" || !u.PostedAt.IsZero() {
		inc.Updates = []downwind.Update{u}
	}
	if inc.StartedAt = stated(started, body); inc.StartedAt.IsZero() {
		inc.StartedAt = it.Published
	}
	if phase.Over() {
		inc.ResolvedAt = stated(ended, body)
	}
	feeds.Tidy(&inc)
	return inc
}

// parts takes the state off a title: "Virtual Machines - East US - Mitigated", or before it ("RESOLVED: …").
func parts(title string) (string, downwind.Phase) {
	title, phase := feeds.TrimState(title)
	if phase != "" {
		return title, phase
	}
	for _, dash := range []string{" - ", " – ", " — ", " | "} {
		i := strings.LastIndex(title, dash)
		if i < 0 {
			continue
		}
		if p, ok := state(title[i+len(dash):]); ok {
			return strings.TrimSpace(title[:i]), p
		}
	}
	if review.MatchString(title) {
		return title, downwind.Postmortem
	}
	return title, downwind.Investigating
}

// review is how Azure names the reports that follow an incident.
var review = pattern.New(`(?i)\b(?:post incident review|PIR)\b`)

// state reads a word of Azure. Mitigated is the last one before an entry leaves the page.
func state(word string) (downwind.Phase, bool) {
	switch strings.ToLower(strings.Trim(word, " .()[]")) {
	case "mitigated", "mitigation confirmed":
		return downwind.Resolved, true
	case "applying mitigation", "mitigation in progress", "mitigation applied":
		return downwind.Identified, true
	case "recovering", "validating recovery":
		return downwind.Monitoring, true
	}
	return feeds.PhaseOf(word)
}

// The sentences that tell when it began and ended: "Starting at 17:21 UTC on 16 Apr 2026", "Between 15:41 UTC on 29 October
// 2025 and 00:05 UTC on 30 October 2025", also with one date for both.
const moment = `(\d{1,2}:\d{2}) UTC(?: on (\d{1,2} [A-Z][a-z]{2,8} \d{4}))?`

var (
	started = pattern.New(`(?i)\b(?:starting at|beginning at|started at|as early as|between) ` + moment + `(?:,? and \d{1,2}:\d{2} UTC(?: on (\d{1,2} [A-Z][a-z]{2,8} \d{4})))?`)
	ended   = pattern.New(`(?i)\bbetween \d{1,2}:\d{2} UTC(?: on (\d{1,2} [A-Z][a-z]{2,8} \d{4}))?,? and ` + moment)
)

// stated reads the first moment of a kind in a text, zero where it tells none or no date for it.
func stated(kind *pattern.Regexp, text string) time.Time {
	m := kind.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	var clock, date string
	for _, s := range m[1:] {
		switch {
		case strings.Contains(s, ":"):
			clock = s
		case s != "" && (date == "" || kind == ended):
			date = s
		}
	}
	t, _ := feeds.ParseTime(date + " " + clock + " UTC")
	return t
}
