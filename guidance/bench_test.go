package guidance

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func corpusPosts(t testing.TB) []Post {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "corpus", "windows", "dev.jsonl"))
	if err != nil {
		t.Skip("the annotated posts are not beside the module")
	}
	defer f.Close()
	var out []Post
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var r struct {
			ID, Provider, Body string
			PostedAt           *time.Time `json:"posted_at"`
		}
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		p := Post{ID: r.ID, Provider: r.Provider, Body: r.Body}
		if r.PostedAt != nil {
			p.PostedAt = *r.PostedAt
		}
		out = append(out, p)
	}
	return out
}

func BenchmarkExplain(b *testing.B) {
	posts := corpusPosts(b)
	b.ReportAllocs()
	n := 0
	start := cpuTime(b)
	for b.Loop() {
		Explain(posts[n%len(posts)], Known{})
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "posts/s")
	// on a machine that others use too, the processor time is what tells
	b.ReportMetric(float64(n)/(cpuTime(b)-start).Seconds(), "posts/cpu-s")
}

func cpuTime(b testing.TB) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// hostile are texts made to cost time: each is repeated to the wanted length.
var hostile = map[string]string{
	"digits":       "1234567890",
	"clocks":       "12:34 ",
	"dashes":       "12:34-",
	"zones":        "UTC PST EST CET ",
	"mixed":        "between 12:34 UTC - 1330 PST and May 5, 2024 ~ ",
	"noStops":      "since 10:00 UTC errors recovered between 11:00 and ",
	"stars":        "**",
	"tags":         "<a <b ",
	"entities":     "&amp;&nbsp",
	"colons":       "://",
	"spaces":       " ",
	"newlines":     "\n",
	"wide":         "日2:00本",
	"words":        "resolved recovered failed ",
	"regions":      "US East (Chicago) us-east-1 ",
	"durations":    "5 minutes for 10 hours ",
	"parens":       "10:00 PT / ",
	"months":       "May 5 June 6 ",
	"slashes":      "1/2/",
	"workaround":   "please retry the request. ",
	"dots":         ".",
	"starred":      "** ",
	"dotted":       ". ",
	"manyRegions":  "US East 12:34-12:40 us-west-7 11:00-11:01 ",
	"manyWindows":  "between 10:00 and 10:01 UTC on 4 May 2026, from 5 June 2026 11:00 to 11:05 UTC, ",
	"unterminated": "<" + strings.Repeat("x", 200),
	"ranges":       "10:00-11:00 ",
	"zoned":        "10:00 - 11:00 UTC May 5 ",
	"offsets":      "UTC+8 ",
	"betweens":     "between ",
	"countries":    "US ",
	"slashed":      "a/b/c/",
	"numbers":      "1 2 3 ",
	"waves":        "resolved at 10:00 UTC. errors began at 11:00 UTC. ",
	"timeline":     "10:00 UTC - errors\n11:00 UTC - resolved\n",
	"stamps":       "2026-05-01T10:00:00Z/2026-05-01T11:00:00Z ",
	"months only":  "January February March ",
	"nested":       "<b><i><p>",
	"quotes":       `"'"'`,
}

// BenchmarkHostile gives for each of the hostile texts the processor time that a megabyte takes, and how many times that
// two megabytes take.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile {
		b.Run(name, func(b *testing.B) {
			best := [2]time.Duration{1 << 62, 1 << 62}
			for b.Loop() {
				for i := range best {
					best[i] = min(best[i], costOf(b, unit, (i+1)<<20))
				}
			}
			b.ReportMetric(best[0].Seconds()*1e3, "ms/MB")
			b.ReportMetric(best[1].Seconds()/best[0].Seconds(), "times/2MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// costOf returns the processor time that explaining n bytes of a text repeated takes.
func costOf(t testing.TB, unit string, n int) time.Duration {
	p := Post{Body: strings.Repeat(unit, n/len(unit)+1), PostedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	start := cpuTime(t)
	Explain(p, Known{})
	return cpuTime(t) - start
}

func TestHostileInputIsLinear(t *testing.T) {
	for name, unit := range hostile {
		t.Run(name, func(t *testing.T) {
			one, two := time.Duration(1<<62), time.Duration(1<<62)
			for range 2 {
				one, two = min(one, costOf(t, unit, 1<<18)), min(two, costOf(t, unit, 1<<19))
			}
			t.Logf("%v for 256 KB, %v for 512 KB of processor time", one, two)
			// loose, since tests share the machine: quadratic work would take minutes
			if two > 5*time.Second || two > 6*one+100*time.Millisecond {
				t.Errorf("not linear: 256 KB took %v, 512 KB %v", one, two)
			}
		})
	}
}
