package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"downwind"
)

// An event is one entry of a calendar (RFC 5545).
type event struct {
	UID, Summary, Text, URL string
	Start, End, Stamp       time.Time
	Sequence                int
	Cancelled               bool
}

var icalEscaper = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// icalText makes provider text safe in a calendar: no control characters, no line breaks that could end a property.
func icalText(text string) string { return icalEscaper.Replace(strings.TrimSpace(clean(text))) }

// icalLine writes one property folded at 75 octets, never inside a character.
func icalLine(b *strings.Builder, line string) {
	const width = 75
	room := width
	for len(line) > room {
		cut := room
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		b.WriteString(line[:cut] + "\r\n ")
		line, room = line[cut:], width-1
	}
	b.WriteString(line + "\r\n")
}

// calendar writes a whole calendar.
func calendar(name string, events []event) []byte {
	var b strings.Builder
	for _, line := range []string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Downwind//Calendar//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
		"X-WR-CALNAME:" + icalText(oneLine(name)), "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
	} {
		icalLine(&b, line)
	}
	const form = "20060102T150405Z"
	for _, e := range events {
		lines := []string{
			"BEGIN:VEVENT", "UID:" + icalText(oneLine(e.UID)), "DTSTAMP:" + e.Stamp.UTC().Format(form), "SEQUENCE:" + fmt.Sprint(e.Sequence),
			"DTSTART:" + e.Start.UTC().Format(form), "DTEND:" + e.End.UTC().Format(form), "SUMMARY:" + icalText(oneLine(e.Summary)),
			"DESCRIPTION:" + icalText(e.Text), "URL:" + e.URL, "TRANSP:TRANSPARENT", "STATUS:CONFIRMED", "END:VEVENT",
		}
		if e.Cancelled {
			lines[10] = "STATUS:CANCELLED"
		}
		for _, line := range lines {
			icalLine(&b, line)
		}
	}
	icalLine(&b, "END:VCALENDAR")
	return []byte(b.String())
}

// incidentEvent is the incident's place in a calendar; ok is false where no time is stated.
func (s *Server) incidentEvent(rec downwind.IncidentRecord, base, host string) (event, bool) {
	inc := &rec.Incident
	e := event{
		UID: inc.Provider + "/" + inc.ID + "@" + host, Summary: s.providerName(inc.Provider) + ": " + inc.Title,
		URL: base + incidentPath(inc), Stamp: rec.ChangedAt, Sequence: max(0, rec.Versions-1), Cancelled: inc.Phase == downwind.Cancelled,
		Start: inc.ScheduledFor, End: inc.ScheduledUntil,
	}
	if inc.Kind != downwind.KindMaintenance {
		e.Start, e.End = began(rec), ended(inc)
	}
	if u := inc.Latest(); u != nil {
		e.Text = clip(clean(u.Body), 1200) + "\n\n"
	}
	e.Text += e.URL
	if e.Start.IsZero() {
		return e, false
	}
	if !e.End.After(e.Start) {
		e.End = e.Start.Add(time.Hour)
	}
	if e.Stamp.IsZero() {
		e.Stamp = e.Start
	}
	return e, true
}

func (s *Server) writeIncidentCalendar(w http.ResponseWriter, r *http.Request, rec downwind.IncidentRecord) error {
	e, ok := s.incidentEvent(rec, s.baseFor(r), s.tagHost(r))
	if !ok {
		return refuse(http.StatusNotFound, "The provider states no time for this, so there is no calendar entry.")
	}
	w.Header().Set("Content-Disposition", `inline; filename="incident.ics"`)
	return answer(w, r, "text/calendar; charset=utf-8", calendar(e.Summary, []event{e}))
}

func (s *Server) writeCalendar(w http.ResponseWriter, r *http.Request, name string, recs []downwind.IncidentRecord) error {
	base, host := s.baseFor(r), s.tagHost(r)
	var events []event
	for _, rec := range recs {
		if e, ok := s.incidentEvent(rec, base, host); ok {
			events = append(events, e)
		}
	}
	w.Header().Set("Content-Disposition", `inline; filename="maintenance.ics"`)
	return answer(w, r, "text/calendar; charset=utf-8", calendar(name, events))
}
