package guidance

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"downwind/guidance/internal/hostile"
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

// BenchmarkHostile gives for each of the hostile texts the processor time that a megabyte takes, and how many times that
// two megabytes take.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile.Units() {
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
	p := Post{Body: hostile.Text(unit, n), PostedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	start := cpuTime(t)
	Explain(p, Known{})
	return cpuTime(t) - start
}

// TestHostileTextsTakeLinearMemory holds that twice a text takes at most about twice the memory, in few more pieces. That what is
// looked at grows with the text too is a test of package when.
func TestHostileTextsTakeLinearMemory(t *testing.T) {
	const sizes = 2 // 256 and 512 KB
	for name, unit := range hostile.Units() {
		t.Run(name, func(t *testing.T) {
			var bytes, objects [sizes]uint64
			for i := range sizes {
				bytes[i], objects[i] = memoryOf(hostile.Text(unit, 1<<(18+i)))
			}
			t.Logf("%d bytes in %d objects", bytes, objects)
			for i := 1; i < sizes; i++ {
				// slices grow in steps of a quarter, so that one doubling may take one step more than another; the rest is the
				// runtime's own
				if bytes[i] > 5*bytes[i-1]/2+1<<20 || objects[i] > 5*objects[i-1]/2+100 {
					t.Errorf("not linear: %d bytes in %d objects after %d in %d", bytes[i], objects[i], bytes[i-1], objects[i-1])
				}
			}
			if last := bytes[sizes-1]; last > 48<<20 {
				t.Errorf("half a megabyte takes %d bytes", last)
			}
		})
	}
}

// memoryOf returns what explaining a text allocates, the less of two times.
func memoryOf(text string) (bytes, objects uint64) {
	bytes, objects = math.MaxUint64, math.MaxUint64
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Explain(Post{Body: text, PostedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, Known{})
		runtime.ReadMemStats(&after)
		bytes, objects = min(bytes, after.TotalAlloc-before.TotalAlloc), min(objects, after.Mallocs-before.Mallocs)
	}
	return bytes, objects
}
