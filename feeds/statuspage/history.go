package statuspage

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zones of pages must be known on every machine

	"downwind"
	"downwind/feeds"
)

// decodeHistory reads history.rss and history.atom: one item an incident, one block of HTML an update, newest first.
func decodeHistory(p feeds.Payload) (downwind.Document, error) {
	f, err := feeds.ReadFeed(p)
	if err != nil {
		return downwind.Document{}, err
	}
	name := strings.TrimSuffix(strings.TrimSuffix(f.Title, " - Incident History"), " Status")
	doc := downwind.Document{Page: downwind.Page{Name: name, URL: f.Link}}
	doc.Incidents = make([]downwind.Incident, 0, len(f.Items))
	for i := range f.Items {
		doc.Incidents = append(doc.Incidents, historyIncident(&doc, &f.Items[i]))
	}
	return doc, nil
}

func historyIncident(doc *downwind.Document, it *feeds.Item) downwind.Incident {
	inc := downwind.Incident{ID: lastPart(it.Link), Kind: downwind.KindIncident, Title: it.Title, URL: it.Link}
	if inc.ID == "" {
		inc.ID = lastPart(it.ID)
	}
	if inc.ID == "" {
		inc.ID = feeds.ContentID(it.Title)
	}
	blocks := splitBlocks(it.HTML)
	if len(blocks) == 0 {
		return plainIncident(inc, it)
	}
	if oldestFirst(blocks, it.Published) {
		slices.Reverse(blocks)
	}
	times := dateBlocks(blocks, it.Published)
	inc.Updates = make([]downwind.Update, len(blocks))
	for i, b := range blocks { // newest first in the feed, oldest first with us
		u := &inc.Updates[len(blocks)-1-i]
		u.PostedAt, u.Body = times[i], feeds.PlainText(b.body)
		if b.word != "Update" {
			p, ok := feeds.PhaseOf(b.word)
			if !ok {
				feeds.Unknown(doc, "phase", b.word)
			}
			u.Phase = p
			if feeds.IsMaintenancePhase(p) {
				inc.Kind = downwind.KindMaintenance
			}
		}
		u.ID = blockID(times[i], b)
	}
	if inc.Kind == downwind.KindMaintenance {
		inc.Impact = downwind.ImpactMaintenance
		inc.ScheduledFor, inc.ScheduledUntil = window(it, times[0])
		for i := range inc.Updates {
			if inc.Updates[i].Phase == downwind.Resolved {
				inc.Updates[i].Phase = downwind.Completed
			}
		}
	}
	feeds.Tidy(&inc)
	inc.Phase = inc.Latest().Phase
	feeds.Tidy(&inc)
	if inc.Kind == downwind.KindMaintenance {
		feeds.StartMaintenance(&inc)
	} else {
		feeds.StartFromUpdates(&inc)
	}
	return inc
}

// blockID names an update by its minute and state word, which an edit in place does not change.
func blockID(at time.Time, b block) string {
	if at.IsZero() {
		return feeds.ContentID(b.date, b.word)
	}
	return strconv.FormatInt(at.Unix()/60, 36) + "-" + strings.ToLower(strings.ReplaceAll(b.word, " ", "_"))
}

// plainIncident reads an item without blocks: one update with the item's date.
func plainIncident(inc downwind.Incident, it *feeds.Item) downwind.Incident {
	inc.Phase = downwind.PhaseUnknown
	if body := feeds.PlainText(it.HTML); body != "" || !it.Published.IsZero() {
		inc.Updates = []downwind.Update{{Phase: downwind.PhaseUnknown, Body: body, PostedAt: it.Published}}
	}
	feeds.Tidy(&inc)
	feeds.StartFromUpdates(&inc)
	return inc
}

func lastPart(address string) string {
	address = strings.TrimRight(address, "/")
	i := strings.LastIndexByte(address, '/')
	if i < 0 || strings.HasSuffix(address[:i], "/") { // "https://host" has no path
		return ""
	}
	return address[i+1:]
}

// A block is one update as the HTML of an item shows it.
type block struct {
	date string // "Jun 18, 18:09 UTC", without tags
	word string // "Resolved"
	body string // HTML
}

// splitBlocks cuts an item at "<p><small>date</small><br><strong>Word</strong> - text</p>", whatever blanks stand between.
// A small tag of the text itself stays in its block.
func splitBlocks(s string) []block {
	var out []block
	body, at := 0, 0 // where the body of the newest block begins, and where to look on
	for {
		i := strings.Index(s[at:], "<small>")
		if i < 0 {
			break
		}
		i += at
		at = i + len("<small>")
		date, after, ok := strings.Cut(s[at:min(len(s), at+longestDate)], "</small>")
		if !ok {
			continue
		}
		from := at + len(date) + len("</small>")
		word, skip := stateWord(s[from:min(len(s), from+longestDate)])
		if word == "" || len(after) == 0 {
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].body = s[body:i]
		}
		out = append(out, block{date: feeds.PlainLine(date), word: word})
		body = from + skip
		at = body
	}
	if len(out) > 0 {
		out[len(out)-1].body = s[body:]
	}
	return out
}

// longestDate is how far a date line or state word may reach, with its tags.
const longestDate = 240

// stateWord reads "<br> <strong>Resolved</strong> - text" and returns the word and where the text begins; no word when it is
// something else.
func stateWord(s string) (word string, text int) {
	rest := strings.TrimLeft(s, " \t\r\n")
	if !strings.HasPrefix(rest, "<br") {
		return "", 0
	}
	i := strings.IndexByte(rest, '>')
	if i < 0 {
		return "", 0
	}
	rest = strings.TrimLeft(rest[i+1:], " \t\r\n")
	rest, ok := strings.CutPrefix(rest, "<strong>")
	if !ok {
		return "", 0
	}
	word, rest, ok = strings.Cut(rest, "</strong>")
	if !ok || len(word) > 60 {
		return "", 0
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	rest = strings.TrimPrefix(rest, "-")
	return feeds.PlainLine(word), len(s) - len(rest)
}

// A clock is the date line of a block: wall time without year in the page's zone.
type clock struct {
	month     time.Month
	day, h, m int
	year      int // 0: not stated
	zone      string
	ok        bool
}

func parseClock(date string) (c clock) {
	f := strings.FieldsFunc(date, func(r rune) bool { return r == ' ' || r == ',' })
	for _, w := range f {
		switch {
		case strings.Contains(w, ":") && !strings.ContainsAny(w, "+-"):
			hh, mm, _ := strings.Cut(w, ":")
			var err1, err2 error
			c.h, err1 = strconv.Atoi(hh)
			mm, _, _ = strings.Cut(mm, ":")
			c.m, err2 = strconv.Atoi(mm)
			c.ok = err1 == nil && err2 == nil && c.h >= 0 && c.h < 25 && c.m >= 0 && c.m < 60
		case c.month == 0 && !c.ok && isMonth(w, &c.month):
		case c.ok && (w == "AM" || w == "PM"):
			if c.h %= 12; w == "PM" {
				c.h += 12
			}
		case c.ok && c.zone == "":
			c.zone = w
		default:
			if n, err := strconv.Atoi(w); err == nil && n >= 1 && n <= 31 && c.day == 0 {
				c.day = n
			} else if err == nil && n >= 1990 && n < 10000 {
				c.year = n
			}
		}
	}
	c.ok = c.ok && c.month > 0 && c.day > 0
	return c
}

func isMonth(w string, m *time.Month) bool {
	v, ok := feeds.MonthOf(w)
	if ok {
		*m = v
	}
	return ok
}

// wall is the clock in a year, as if it were UTC; ok is false for dates that the year does not have.
func (c clock) wall(year int) (time.Time, bool) {
	if c.year > 0 {
		year = c.year
	}
	t := time.Date(year, c.month, c.day, c.h, c.m, 0, 0, time.UTC)
	return t, t.Day() == c.day && t.Month() == c.month
}

// zoneCities gives zone words that pages print all year round a place whose rules hold: "PST" on a summer date is UTC-7.
var zoneCities = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles", "MST": "America/Denver",
		"MDT": "America/Denver", "CST": "America/Chicago", "CDT": "America/Chicago", "EST": "America/New_York", "EDT": "America/New_York",
		"ET": "America/New_York", "CET": "Europe/Berlin", "CEST": "Europe/Berlin", "BST": "Europe/London", "WET": "Europe/Lisbon",
		"WEST": "Europe/Lisbon", "EET": "Europe/Helsinki", "EEST": "Europe/Helsinki", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
		"NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland", "GMT": "Europe/London",
	}
})

// oldestFirst recognises the order of Instatus, whose feeds have the same blocks. A date of January above one of December
// is no sign of it.
func oldestFirst(blocks []block, published time.Time) bool {
	a, b := parseClock(blocks[0].date), parseClock(blocks[len(blocks)-1].date)
	if !a.ok || !b.ok || published.IsZero() {
		return false
	}
	first, ok1 := a.wall(published.Year())
	last, ok2 := b.wall(published.Year())
	return ok1 && ok2 && first.Before(last) && last.Sub(first) < 180*24*time.Hour
}

// dateBlocks gives the blocks (newest first) their instants. The newest is the date nearest to published; going back, no
// block is later than the one before. Blocks whose date cannot be read are zero.
func dateBlocks(blocks []block, published time.Time) []time.Time {
	out := make([]time.Time, len(blocks))
	limit := published
	var zone func(time.Time) time.Time
	for i, b := range blocks {
		c := parseClock(b.date)
		if !c.ok || published.IsZero() {
			if i == 0 {
				out[i] = published
			}
			continue
		}
		if zone == nil {
			zone = pageZone(c, published)
			out[i] = nearest(c, published, zone)
		} else {
			out[i] = notAfter(c, limit, zone)
		}
		limit = out[i]
	}
	return out
}

// nearest finds the year that brings the clock closest to a time.
func nearest(c clock, to time.Time, zone func(time.Time) time.Time) time.Time {
	var best time.Time
	for y := to.Year() - 1; y <= to.Year()+1; y++ {
		w, ok := c.wall(y)
		if !ok {
			continue
		}
		if t := zone(w); best.IsZero() || t.Sub(to).Abs() < best.Sub(to).Abs() {
			best = t
		}
	}
	return best
}

// notAfter finds the latest year in which the clock is not later than the limit.
func notAfter(c clock, limit time.Time, zone func(time.Time) time.Time) time.Time {
	for y := limit.Year() + 1; y >= limit.Year()-8; y-- {
		w, ok := c.wall(y)
		if !ok {
			continue
		}
		if t := zone(w); !t.After(limit) || c.year > 0 {
			return t
		}
	}
	return time.Time{}
}

// pageZone finds what turns the page's wall clock into instants: by the zone word's fixed offset or its place, whichever
// agrees with the published time of the newest block; else by the difference between the two.
func pageZone(c clock, published time.Time) func(time.Time) time.Time {
	if c.zone == "UTC" || c.zone == "" {
		return func(t time.Time) time.Time { return t }
	}
	offset, known := feeds.ZoneOffset(c.zone)
	fixed := func(t time.Time) time.Time { return t.Add(-time.Duration(offset) * time.Second) }
	agrees := func(zone func(time.Time) time.Time) bool {
		return nearest(c, published, zone).Sub(published).Abs() < 10*time.Minute
	}
	if city, ok := zoneCities()[strings.ToUpper(c.zone)]; ok {
		if loc, err := time.LoadLocation(city); err == nil {
			local := func(t time.Time) time.Time {
				return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, loc).UTC()
			}
			if agrees(local) || !agrees(fixed) && known {
				return local
			}
		}
	}
	if known {
		return fixed
	}
	wall := nearest(c, published, func(t time.Time) time.Time { return t })
	quarters := math.Round(wall.Sub(published).Minutes() / 15)
	if math.Abs(quarters) > 14*4 {
		quarters = 0
	}
	return func(t time.Time) time.Time { return t.Add(-time.Duration(quarters) * 15 * time.Minute) }
}
