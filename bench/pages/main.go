//go:build unix

// Command pages measures how fast the pages are over a big archive in SQLite: every kind of page for different providers
// and incidents, as a reader without a session sees them, and how many requests for an unchanged feed are answered over
// the loopback.
//
//	go run ./bench/pages                                         500 providers, 50,000 incidents, 1,000,000 versions
//	go run ./bench/pages -incidents 5000 -versions 4 -asks 100   a tenth
//	go run ./bench/pages -store big.db                           fill big.db once, use it again
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"downwind"
	"downwind/archive"
	"downwind/guidance"
	"downwind/store"
	"downwind/web"
	"downwind/web/webtest"
)

// What issue 9 asks for: the time to the first byte, p99; that of a feed from the cache; and unchanged feeds a second.
const (
	most       = 50 * time.Millisecond
	mostCached = 5 * time.Millisecond
	leastFeeds = 2000
)

// A size is how big the archive is.
type size struct{ providers, incidents, versions int }

func main() {
	var n size
	flag.IntVar(&n.providers, "providers", 500, "number of providers")
	flag.IntVar(&n.incidents, "incidents", 50_000, "number of incidents over all providers")
	flag.IntVar(&n.versions, "versions", 20, "archived versions of each incident")
	asks := flag.Int("asks", 300, "requests of each page")
	keep := flag.String("store", "", "SQLite file to fill once and use again; empty: a temporary one")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the requests here")
	flag.Parse()
	ok, err := run(n, *asks, *keep, *profile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/pages:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(n size, asks int, path, profile string) (bool, error) {
	ctx := context.Background()
	if path == "" {
		dir, err := os.MkdirTemp("", "pages")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path = filepath.Join(dir, "downwind.db")
	}
	db, err := open(ctx, n, path)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	srv, err := pages(db, n.providers)
	if err != nil {
		return false, err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return false, err
		}
		defer pprof.StopCPUProfile()
	}
	ok, err := askAll(srv, n, asks)
	if err != nil {
		return false, err
	}
	fine, err := askUnchanged(srv, "/feed?provider="+slug(0), 3*time.Second)
	return ok && fine, err
}

// open opens the store, and fills it where it is new.
func open(ctx context.Context, n size, path string) (*store.DB, error) {
	_, err := os.Stat(path)
	filled := err == nil
	db, err := store.Open(ctx, store.Options{URL: "sqlite:" + path})
	if err != nil || filled {
		return db, err
	}
	began := time.Now()
	if err := fill(ctx, db, n, time.Now().UTC().Truncate(time.Second)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	fmt.Printf("filled %d providers, %d incidents, %d versions in %s\n", n.providers, n.incidents, n.incidents*n.versions, time.Since(began).Round(time.Second))
	return db, nil
}

// pages serves the store as a public installation does.
func pages(db *store.DB, providers int) (*web.Server, error) {
	known := make(webtest.Catalog, providers)
	for n := range known {
		known[n] = downwind.Provider{Slug: slug(n), Name: fmt.Sprintf("Bench %03d", n), StatusURL: "https://status.bench.example"}
	}
	return web.New(web.Options{
		Reader: db, Catalog: known, Public: true, Clock: downwind.Wall{}, Diff: archive.Diff,
		Explain: func(rec downwind.IncidentRecord, use *downwind.Use) downwind.Guidance {
			return guidance.ExplainIncident(&rec.Incident, guidance.Known{}, use, time.Now())
		},
		Stacks: webtest.Stacks{Catalog: known}, Judge: func(*downwind.Incident, *downwind.Team) downwind.Match { return downwind.Match{} },
	})
}

// askAll measures each kind of page: first for providers that nobody has asked about yet, as after a restart.
func askAll(srv http.Handler, n size, asks int) (bool, error) {
	each := max(1, n.incidents/n.providers)
	of := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format, slug(i%n.providers), i%each) }
	}
	one := func(path string) func(int) string { return func(int) string { return path } }
	all := true
	for _, page := range []struct {
		name string
		most time.Duration
		path func(n int) string
	}{
		{"/", most, one("/")},
		{"/providers", most, one("/providers")},
		{"/providers/…", most, of("/providers/%[1]s")},
		{"/providers/… again", most, of("/providers/%[1]s")},
		{"/incidents/…", most, of("/incidents/%s/inc%d")},
		{"…/versions/n", most, of("/incidents/%s/inc%d/versions/2")},
		{"/archive", most, one("/archive")},
		{"/archive?provider=…", most, of("/archive?provider=%[1]s")},
		{"/archive?q=…", most, one("/archive?q=region+3")},
		{"/maintenance", most, one("/maintenance")},
		{"/corrections", most, one("/corrections")},
		{"/badges/…", most, of("/badges/%[1]s.svg")},
		{"/api/v1/incidents", most, one("/api/v1/incidents?open=true")},
		{"/feed?provider=…", most, of("/feed?provider=%[1]s")},
		{"/feed, cached", mostCached, one("/feed")},
		{"/feed?…, cached", mostCached, one("/feed?provider=" + slug(1))},
	} {
		fine, err := ask(srv, page.name, page.most, page.path, asks)
		if err != nil {
			return false, err
		}
		all = all && fine
	}
	return all, nil
}

// askUnchanged counts how many requests of readers that have the feed already are answered in a second, over the loopback.
func askUnchanged(srv http.Handler, path string, long time.Duration) (bool, error) {
	server := httptest.NewServer(srv)
	defer server.Close()
	resp, err := http.Get(server.URL + path)
	if err != nil {
		return false, err
	}
	tag := resp.Header.Get("ETag")
	if err := resp.Body.Close(); err != nil {
		return false, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	var done atomic.Int64
	group, ctx := errgroup.WithContext(context.Background())
	before, began := cpuTime(), time.Now()
	for range readers {
		group.Go(func() error {
			for time.Since(began) < long {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
				if err != nil {
					return err
				}
				r.Header.Set("If-None-Match", tag)
				resp, err := client.Do(r)
				if err != nil {
					return err
				}
				if err := resp.Body.Close(); err != nil {
					return err
				}
				if resp.StatusCode != http.StatusNotModified {
					return fmt.Errorf("%s answers %d instead of 304", path, resp.StatusCode)
				}
				done.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	took, cpu := time.Since(began), cpuTime()-before
	rate := float64(done.Load()) / took.Seconds()
	fmt.Printf("%-20s %.0f answers of 304 a second (least %d), cpu %s an answer with its reader\n", "unchanged feed", rate, leastFeeds,
		(cpu / time.Duration(max(1, done.Load()))).Round(time.Microsecond))
	return rate >= leastFeeds, nil
}

// readers is how many readers ask at once.
const readers = 16

// ask requests a page for one provider after the other and prints how long it took, by the clock and by the processor: on a
// machine that is busy with other work only the latter says something.
func ask(srv http.Handler, name string, most time.Duration, path func(int) string, asks int) (bool, error) {
	var took, worked []time.Duration
	size := 0
	for n := range asks {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path(n*7), nil)
		w := httptest.NewRecorder()
		began, before := time.Now(), cpuTime()
		srv.ServeHTTP(w, r)
		took, worked = append(took, time.Since(began)), append(worked, cpuTime()-before)
		if size = w.Body.Len(); w.Code != http.StatusOK {
			return false, fmt.Errorf("%s answers %d: %.200s", path(n*7), w.Code, w.Body.String())
		}
	}
	slices.Sort(took)
	slices.Sort(worked)
	p99 := took[len(took)*99/100]
	fine := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	fmt.Printf("%-20s p50 %8s  p99 %8s (most %s)  processor p50 %8s  p99 %8s  %d bytes\n", name, fine(took[len(took)/2]), fine(p99), most,
		fine(worked[len(worked)/2]), fine(worked[len(worked)*99/100]), size)
	return p99 <= most, nil
}

// cpuTime is the time that this process has used, user and system: unlike the clock, it does not count other processes.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func slug(n int) string { return fmt.Sprintf("bench-%03d", n) }

// fill archives the incidents of each provider: nine of ten are incidents of the last three years, of which the newest may be
// open; the others are planned work, the newest of it still to come. Every incident grows to its last state version by version.
func fill(ctx context.Context, db *store.DB, size size, now time.Time) error {
	each := max(1, size.incidents/size.providers)
	for p := range size.providers {
		plan := downwind.Plan{Provider: slug(p), At: now}
		for n := range each {
			inc := incident(p, n, each, now)
			versions, err := versionsOf(inc, max(1, size.versions))
			if err != nil {
				return err
			}
			plan.Versions = append(plan.Versions, versions...)
			if n < 20 {
				u := inc.Updates[len(inc.Updates)-1]
				plan.Items = append(plan.Items, downwind.FeedItem{
					ID: "u/" + inc.Key() + "/" + u.ID + "/1", Provider: slug(p), Incident: inc.ID, Update: u.ID, Kind: downwind.ChangeUpdate, Impact: inc.Impact,
					Phase: u.Phase, Title: inc.Title, Text: u.Body, Components: []string{"API"}, PostedAt: u.PostedAt,
				})
			}
		}
		if err := db.Apply(ctx, plan); err != nil {
			return err
		}
	}
	return nil
}

// versionsOf are the states through which an incident came to be what it is; each but the last lacks posts or has an earlier
// wording of its newest.
func versionsOf(inc downwind.Incident, count int) ([]downwind.Version, error) {
	out := make([]downwind.Version, 0, count)
	for i := range count {
		state := inc
		if left := count - 1 - i; left > 0 {
			posts := 1 + i*len(inc.Updates)/count
			state.Updates = slices.Clone(inc.Updates[:posts])
			state.Updates[posts-1].Body += fmt.Sprintf(" Wording %d.", i)
			state.Phase = state.Updates[posts-1].Phase
			state.ResolvedAt = time.Time{}
		}
		canonical, err := archive.Canonical(&state)
		if err != nil {
			return nil, err
		}
		seen := state.Updates[len(state.Updates)-1].PostedAt.Add(time.Duration(i) * time.Minute)
		out = append(out, downwind.Version{
			Provider: inc.Provider, Incident: inc.ID, State: state, Hash: archive.Hash(canonical), SeenAt: seen, LastSeen: seen, Leaf: -1,
			Changes: []downwind.Change{{Kind: downwind.ChangeUpdate}},
		})
	}
	return out, nil
}

// incident makes the nth newest entry of a provider.
func incident(p, n, each int, now time.Time) downwind.Incident {
	at := now.Add(-time.Duration(n)*3*365*24*time.Hour/time.Duration(each) - time.Duration(p)*time.Minute - 5*time.Hour)
	inc := downwind.Incident{
		Provider: slug(p), ID: fmt.Sprintf("inc%d", n), Kind: downwind.KindIncident, Title: fmt.Sprintf("Elevated error rates in region %d", n%7),
		URL: "https://status.bench.example/i", Phase: downwind.Resolved, Impact: downwind.ImpactMinor, StartedAt: at,
		Components: []downwind.Component{{ID: "api", Name: "API", Status: downwind.Degraded}, {ID: "dash", Name: "Dashboard", Status: downwind.Degraded}},
	}
	phases := []downwind.Phase{downwind.Investigating, downwind.Identified, downwind.Monitoring, downwind.Resolved}
	switch {
	case n == 0 && p%5 == 0:
		inc.Phase, phases = downwind.Identified, phases[:2]
	case n%10 == 3:
		inc.Kind, inc.Impact, inc.Phase, inc.StartedAt = downwind.KindMaintenance, downwind.ImpactMaintenance, downwind.Completed, at
		phases = []downwind.Phase{downwind.Scheduled, downwind.InProgress, downwind.Completed}
		inc.ScheduledFor, inc.ScheduledUntil = at.Add(time.Hour), at.Add(3*time.Hour)
		if n == 3 && p%3 == 0 {
			inc.Phase, phases, inc.StartedAt = downwind.Scheduled, phases[:1], time.Time{}
			inc.ScheduledFor, inc.ScheduledUntil = now.Add(time.Duration(p)*time.Hour), now.Add(time.Duration(p+2)*time.Hour)
		}
	}
	for i, phase := range phases {
		inc.Updates = append(inc.Updates, downwind.Update{
			ID: fmt.Sprintf("u%d", i), Phase: phase, PostedAt: at.Add(time.Duration(i) * 25 * time.Minute),
			Body: strings.Repeat(fmt.Sprintf("Update %d of incident %d: some requests of a part of the customers fail between 10:0%d and 11:20 UTC. ", i, n, i), 3),
		})
	}
	if inc.Phase.Over() {
		inc.ResolvedAt = inc.Updates[len(inc.Updates)-1].PostedAt
	}
	return inc
}
