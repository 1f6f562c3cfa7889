package when

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"downwind/internal/lexicon"
)

func TestCivilDays(t *testing.T) {
	for _, c := range []struct{ y, m, d int }{{1970, 1, 1}, {2000, 2, 29}, {1999, 12, 31}, {2026, 3, 1}, {2100, 3, 1}, {1600, 1, 1}} {
		days := daysOf(c.y, c.m, c.d)
		if y, m, d := dateOf(days); y != c.y || m != c.m || d != c.d {
			t.Errorf("%v comes back as %d-%d-%d", c, y, m, d)
		}
		want := time.Date(c.y, time.Month(c.m), c.d, 0, 0, 0, 0, time.UTC)
		if days != want.Unix()/day && c.y >= 1970 {
			t.Errorf("%v: %d days", c, days)
		}
		if weekday(days) != int(want.Weekday()) {
			t.Errorf("%v is weekday %d, want %v", c, weekday(days), want.Weekday())
		}
	}
}

// TestZonesAgreeWithTheStandardLibrary compares the civil rules with zone data, every six hours of four years.
func TestZonesAgreeWithTheStandardLibrary(t *testing.T) {
	for name, z := range zoneIANA() {
		iana, ok := map[string]string{
			"america/los_angeles": "America/Los_Angeles", "america/new_york": "America/New_York", "america/chicago": "America/Chicago", "america/denver": "America/Denver",
			"europe/london": "Europe/London", "europe/berlin": "Europe/Berlin", "asia/tokyo": "Asia/Tokyo", "asia/kolkata": "Asia/Kolkata", "australia/sydney": "Australia/Sydney",
			"asia/shanghai": "Asia/Shanghai",
		}[name]
		if !ok {
			continue
		}
		loc, err := time.LoadLocation(iana)
		if err != nil {
			t.Skip("this machine has no zone data")
		}
		for u := time.Date(2023, 1, 1, 0, 30, 0, 0, time.UTC).Unix(); u < time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Unix(); u += 6 * 3600 {
			at := time.Unix(u, 0).In(loc)
			c := z.civilOf(u)
			if y, m, d := dateOf(c.days); y != at.Year() || m != int(at.Month()) || d != at.Day() || c.secs != int64(at.Hour()*3600+at.Minute()*60) {
				t.Fatalf("%s at %v: got %d-%d-%d %d s", iana, at, y, m, d, c.secs)
			}
			if back := z.unix(c); back != u && back != u+3600 && back != u-3600 {
				t.Fatalf("%s: %v comes back as %v", iana, u, back)
			}
		}
	}
}

func TestCleanPlainsMarks(t *testing.T) {
	for text, want := range map[string]string{
		"**Impact** – 10:00":        "\x03 impact    -  10:00",
		"<br />x&nbsp;y":            "\n     x      y",
		"’quoted’ …":                "'  quoted'   .  ",
		"see https://a.example/b?c": "see                      ",
		"\xff\xfe broken":           "\xff\xfe broken",
		"<BR>A &AMP; &amp; B":       "\n   a &amp; &     b",
	} {
		got := lexicon.Lower(nil, text)
		if clean(got, text); string(got) != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestReadKeepsNothing reads texts at the same time and over and over: the working memory that one leaves behind must not show in
// another.
func TestReadKeepsNothing(t *testing.T) {
	texts := []string{
		"Between 10:00 and 11:00 UTC on 4 May 2026 requests failed.",
		"Timeline: 09:00 UTC errors begin. 09:30 UTC recovered.",
		"All systems are operational.",
		"From 1 May 2026 10:00 PST to 12:00 PST webhooks were late; from 14:00 PST to 15:00 PST too.",
	}
	at := time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC)
	var want [][]Span
	for _, text := range texts {
		spans, _ := Read(Input{Text: text, Posted: at})
		want = append(want, spans)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 200 {
				i := n % len(texts)
				if got, _ := Read(Input{Text: texts[i], Posted: at}); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%q: got %v, want %v", texts[i], got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestMarkupIsNoText(t *testing.T) {
	text := "see [page](https://example.com/10:00-11:00) <a href=\"x 12:00\">y</a>"
	low := lexicon.Lower(nil, text)
	clean(low, text)
	b := string(low)
	if strings.Contains(b, "10:00") || strings.Contains(b, "12:00") {
		t.Errorf("addresses and tags are left: %q", b)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Between 10:00 and 11:00 UTC on 4 May 2026 requests failed.", int64(1780000000), false)
	f.Add("* 5/12/26 05:00 UTC - 5/12/26 17:00 UTC (less than 5 minutes)", int64(1780000000), true)
	f.Fuzz(func(t *testing.T, text string, posted int64, maint bool) {
		if len(text) > 1<<15 {
			return
		}
		in := Input{Text: text, Maintenance: maint}
		if posted > 0 && posted < 1<<34 {
			in.Posted = time.Unix(posted, 0).UTC()
		}
		spans, slips := Read(in)
		for _, s := range spans {
			if s.From < 0 || s.To > len(text) || s.From > s.To || s.StartFrom < 0 || s.StartTo > len(text) || s.StartFrom > s.StartTo {
				t.Fatalf("span %+v lies outside of %d bytes", s, len(text))
			}
			if s.Start.IsZero() && s.End.IsZero() || !s.Start.IsZero() && !s.End.IsZero() && s.End.Before(s.Start) {
				t.Fatalf("bounds of %+v", s)
			}
		}
		for _, c := range slips {
			if c.Span >= len(spans) {
				t.Fatalf("conflict about span %d of %d", c.Span, len(spans))
			}
		}
	})
}
