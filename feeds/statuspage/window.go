package statuspage

import (
	"strings"
	"time"

	"downwind/feeds"
)

// announced is how the text of planned work begins that has not begun: "THIS IS A SCHEDULED EVENT Jan 16, 12:00 - 16:00 GMT",
// with a second date where it ends on another day.
const announced = "THIS IS A SCHEDULED EVENT "

// window reads when planned work is to begin and to end, zero where the item does not tell: once it has begun, none does. The
// item's date is then the beginning, and RSS has an element for the end.
func window(it *feeds.Item, posted time.Time) (from, until time.Time) {
	i := strings.Index(it.HTML[:min(len(it.HTML), longestDate)], announced)
	if i < 0 {
		return time.Time{}, time.Time{}
	}
	line, _, ok := strings.Cut(it.HTML[i+len(announced):min(len(it.HTML), i+4*longestDate)], "</strong>")
	if !ok {
		return time.Time{}, time.Time{}
	}
	begin, end, _ := strings.Cut(feeds.PlainLine(line), " - ")
	last := parseClock(end)
	first := parseClock(begin)
	if first.zone == "" {
		first = parseClock(begin + " " + zoneOf(end))
	}
	if !first.ok {
		return time.Time{}, it.Ends
	}
	zone := pageZone(first, it.Published)
	from = notBefore(first, posted.Add(-24*time.Hour), zone)
	if !last.ok { // the same day
		date, _, _ := strings.Cut(begin, ",")
		last = parseClock(date + ", " + end)
	}
	if until = it.Ends; until.IsZero() && last.ok && !from.IsZero() {
		until = notBefore(last, from, zone)
	}
	return from, until
}

// zoneOf is the last word of "16:00 GMT", empty where that is the time.
func zoneOf(s string) string {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	if strings.Contains(word, ":") {
		return ""
	}
	return word
}

// notBefore finds the first year in which the clock is not before the limit.
func notBefore(c clock, limit time.Time, zone func(time.Time) time.Time) time.Time {
	for y := limit.Year() - 1; y <= limit.Year()+8; y++ {
		if w, ok := c.wall(y); ok {
			if t := zone(w); !t.Before(limit) {
				return t
			}
		}
	}
	return time.Time{}
}
