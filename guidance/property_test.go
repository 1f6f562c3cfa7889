package guidance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"downwind"
)

// isoStamp finds the dates and times that the property posts are written with.
var isoStamp = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// rewriteStamps writes every date and time of a text anew.
func rewriteStamps(s string, f func(time.Time) string) string {
	return isoStamp.ReplaceAllStringFunc(s, func(m string) string {
		t, err := time.Parse("2006-01-02 15:04", m)
		if err != nil {
			return m
		}
		return f(t)
	})
}

// propertyPosts are written with full dates in UTC, so that they can be shifted and converted.
var propertyPosts = []string{
	"Between 2026-05-28 13:55 UTC and 2026-05-28 15:45 UTC requests failed.",
	"From 2026-02-28 23:30 UTC to 2026-03-01 00:20 UTC calls were dropped.",
	"We are investigating errors that began at 2026-05-28 13:55 UTC.",
	"Errors have been cleared since 2026-05-28 15:44 UTC.",
	"Queries were slow between 2026-03-08 09:00 UTC and 2026-03-08 11:00 UTC and again from 2026-03-08 13:00 UTC to 2026-03-08 13:10 UTC.",
	"The incident started at 2026-10-31 22:10 UTC and was fully resolved at 2026-11-01 03:05 UTC.",
	"At 2026-12-31 23:40 UTC the gateway failed for about 45 minutes.",
	"* 2026-04-03 17:46 UTC: names begin failing to resolve * 2026-04-03 18:18 UTC: services restored",
}

func windowsOf(t testing.TB, body string, posted time.Time) []downwind.Window {
	t.Helper()
	g := Explain(Post{Body: body, PostedAt: posted}, Known{})
	if len(g.Windows) == 0 {
		t.Fatalf("no window in %q", body)
	}
	return g.Windows
}

func TestShiftingDatesShiftsWindows(t *testing.T) {
	posted := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, body := range propertyPosts {
		base := windowsOf(t, body, posted)
		for _, days := range []int{-400, -31, -1, 1, 7, 59, 365} {
			shifted := rewriteStamps(body, func(s time.Time) string { return s.AddDate(0, 0, days).Format("2006-01-02 15:04") })
			got := windowsOf(t, shifted, posted.AddDate(0, 0, days))
			if len(got) != len(base) {
				t.Fatalf("%q by %d days: %d windows, want %d", body, days, len(got), len(base))
			}
			for i := range got {
				if !got[i].Start.Equal(shiftBy(base[i].Start, days)) || !got[i].End.Equal(shiftBy(base[i].End, days)) {
					t.Errorf("%q by %d days: got %v..%v from %v..%v", body, days, got[i].Start, got[i].End, base[i].Start, base[i].End)
				}
			}
		}
	}
}

func shiftBy(t time.Time, days int) time.Time {
	if t.IsZero() {
		return t
	}
	return t.AddDate(0, 0, days)
}

func TestConvertingZonesChangesNothing(t *testing.T) {
	posted := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, zone := range []struct{ iana, label string }{
		{"America/Los_Angeles", "PT"},
		{"America/Los_Angeles", "PST"},
		{"America/New_York", "EDT"},
		{"America/Chicago", "CDT"},
		{"Europe/Berlin", "CET"},
		{"Asia/Tokyo", "JST"},
		{"Asia/Kolkata", "IST"},
		{"Australia/Sydney", "AEST"},
		{"Asia/Shanghai", "UTC+8"},
		{"America/Los_Angeles", "US/Pacific"},
		{"Europe/London", "BST"},
	} {
		loc, err := time.LoadLocation(zone.iana)
		if err != nil {
			t.Skip("this machine has no zone data")
		}
		for _, body := range propertyPosts {
			base := windowsOf(t, body, posted)
			other := strings.ReplaceAll(rewriteStamps(body, func(s time.Time) string { return s.In(loc).Format("2006-01-02 15:04") }), "UTC", zone.label)
			got := windowsOf(t, other, posted)
			if fmt.Sprint(bare2(got)) != fmt.Sprint(bare2(base)) {
				t.Errorf("%s: %q\ngot  %v\nwant %v", zone.label, other, bare2(got), bare2(base))
			}
		}
	}
}

func bare2(ws []downwind.Window) (out [][2]time.Time) {
	for _, w := range ws {
		out = append(out, [2]time.Time{w.Start, w.End})
	}
	return out
}

func TestTwelveHourClockChangesNothing(t *testing.T) {
	posted := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, body := range propertyPosts {
		base := windowsOf(t, body, posted)
		for _, layout := range []string{"2006-01-02 3:04 PM", "January 2, 2006 3:04pm", "2 Jan 2006 15:04", "Jan 2, 2006, 3:04 PM", "2006-01-02 at 15:04"} {
			got := windowsOf(t, rewriteStamps(body, func(s time.Time) string { return s.Format(layout) }), posted)
			if fmt.Sprint(bare2(got)) != fmt.Sprint(bare2(base)) {
				t.Errorf("%s: %q\ngot  %v\nwant %v", layout, rewriteStamps(body, func(s time.Time) string { return s.Format(layout) }), bare2(got), bare2(base))
			}
		}
	}
}

func TestLocalZoneChangesNothing(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	results := map[string]string{}
	for _, off := range []int{0, -8, 9, 13} {
		time.Local = time.FixedZone("here", off*3600)
		for _, p := range ownPosts(t) {
			g := Explain(p.post, Known{Zone: p.zone})
			s := fmt.Sprint(bare2(g.Windows), g.Advice, g.Conflicts)
			if prev, ok := results[p.name]; ok && prev != s {
				t.Errorf("%s differs in another local zone:\n%s\n%s", p.name, prev, s)
			}
			results[p.name] = s
		}
	}
}

func FuzzExplain(f *testing.F) {
	for _, p := range ownPosts(f) {
		f.Add(p.post.Body, p.post.PostedAt.Unix())
	}
	f.Fuzz(func(t *testing.T, body string, posted int64) {
		if len(body) > 1<<16 {
			return
		}
		p := Post{Body: body}
		if posted > -1<<33 && posted < 1<<34 && posted != 0 {
			p.PostedAt = time.Unix(posted, 0).UTC()
		}
		g := Explain(p, Known{})
		checkInvariants(t, g)
		for _, w := range g.Windows {
			if !strings.Contains(body, w.Text) {
				t.Errorf("evidence %q is not in the text", w.Text)
			}
		}
		if _, err := g.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	})
}
