package aws

import (
	"fmt"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

type wireOld struct {
	Archive feeds.List[wireOldEvent] `json:"archive"`
	Current feeds.List[wireOldEvent] `json:"current"`
}

type wireOldEvent struct {
	Name        feeds.Str   `json:"service_name"`
	Service     feeds.Str   `json:"service"`
	Summary     feeds.Str   `json:"summary"`
	Date        feeds.Stamp `json:"date"`
	Status      feeds.Str   `json:"status"`
	Description feeds.Str   `json:"description"`
}

// oldClock begins each update in a description; the day is that of the event and moves on past midnight.
var oldClock = pattern.New(`(?i)<span class="yellowfg">\s*(?:([A-Z][a-z]{2}\s+\d{1,2}),\s*)?(\d{1,2}:\d\d [AP]M) (P[SD]T)\s*</span>`)

// decodeOld reads data.json of the dashboard before 2022.
func decodeOld(doc *downwind.Document, body []byte) error {
	var w wireOld
	if err := feeds.DecodeJSON(body, &w); err != nil {
		return err
	}
	if w.Archive == nil && w.Current == nil {
		return fmt.Errorf("no answer of the AWS Health Dashboard: %w", downwind.ErrUnreadable)
	}
	for _, list := range []feeds.List[wireOldEvent]{w.Current, w.Archive} {
		for i := range list {
			doc.Incidents = append(doc.Incidents, list[i].incident(doc))
		}
	}
	return nil
}

func (e *wireOldEvent) incident(doc *downwind.Document) downwind.Incident {
	title, over := summary(string(e.Summary))
	g := grade(doc, e.Status)
	inc := downwind.Incident{
		ID: feeds.ContentID(string(e.Service), e.Date.UTC().Format(time.RFC3339)), Kind: downwind.KindIncident, Title: title,
		Phase: downwind.Investigating, Impact: impact(g), StartedAt: e.Date.Time,
	}
	if name := feeds.PlainLine(string(e.Name)); name != "" {
		inc.Components = []downwind.Component{{ID: string(e.Service), Name: name, Status: status(g)}}
	}
	if _, region := splitKey(string(e.Service)); region != "" {
		inc.Regions = []string{region}
	}
	inc.Updates = e.updates()
	if over {
		inc.Phase = downwind.Resolved
		if n := len(inc.Updates); n > 0 {
			inc.Updates[n-1].Phase = downwind.Resolved
		}
	}
	feeds.Tidy(&inc)
	return inc
}

// updates cuts a description at its clock times, oldest first.
func (e *wireOldEvent) updates() []downwind.Update {
	html := string(e.Description)
	marks := oldClock.FindAllStringSubmatchIndex(html, -1)
	if len(marks) == 0 {
		if body := feeds.PlainText(html); body != "" {
			return []downwind.Update{{Phase: downwind.Investigating, Body: body, PostedAt: e.Date.Time}}
		}
		return nil
	}
	var out []downwind.Update
	before := time.Time{}
	for i, m := range marks {
		end := len(html)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		at := e.clock(html[m[4]:m[5]], html[m[6]:m[7]])
		for !at.IsZero() && !before.IsZero() && at.Before(before) {
			at = at.Add(24 * time.Hour)
		}
		before = at
		out = append(out, downwind.Update{Phase: downwind.Investigating, Body: strings.TrimSpace(feeds.PlainText(html[m[1]:end])), PostedAt: at})
	}
	return out
}

// clock puts a clock time of Pacific time on the event's day; zero where the event has no date.
func (e *wireOldEvent) clock(clock, zone string) time.Time {
	if e.Date.IsZero() {
		return time.Time{}
	}
	t, err := time.Parse("3:04 PM", strings.ToUpper(clock))
	if err != nil {
		return time.Time{}
	}
	hours := -8
	if strings.EqualFold(zone, "PDT") {
		hours = -7
	}
	pacific := time.FixedZone(zone, hours*3600)
	day := e.Date.In(pacific)
	return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), 0, 0, pacific).UTC()
}
