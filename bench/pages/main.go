//go:build unix

// Command pages measures how fast the pages are over a big archive in SQLite: the now page, a provider, an incident and a
// feed, each for different providers, as a reader without a session sees them.
//
//	go run ./bench/pages                           500 providers, 50,000 incidents
//	go run ./bench/pages -incidents 5000 -asks 100
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"downwind"
	"downwind/archive"
	"downwind/guidance"
	"downwind/store"
	"downwind/web"
	"downwind/web/webtest"
)

// most is what issue 9 asks for: the time to the first byte, p99.
const most = 50 * time.Millisecond

func main() {
	providers := flag.Int("providers", 500, "number of providers")
	incidents := flag.Int("incidents", 50_000, "number of incidents over all providers")
	asks := flag.Int("asks", 300, "requests of each page")
	keep := flag.String("store", "", "SQLite file to fill once and use again; empty: a temporary one")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the requests here")
	flag.Parse()
	ok, err := run(*providers, *incidents, *asks, *keep, *profile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/pages:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(providers, incidents, asks int, path, profile string) (bool, error) {
	ctx := context.Background()
	if path == "" {
		dir, err := os.MkdirTemp("", "pages")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path = filepath.Join(dir, "downwind.db")
	}
	_, err := os.Stat(path)
	filled := err == nil
	db, err := store.Open(ctx, store.Options{URL: "sqlite:" + path})
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	now := time.Now().UTC().Truncate(time.Second)
	if !filled {
		began := time.Now()
		if err := fill(ctx, db, providers, incidents, now); err != nil {
			return false, err
		}
		fmt.Printf("filled %d providers, %d incidents in %s\n", providers, incidents, time.Since(began).Round(time.Second))
	}
	known := make(webtest.Catalog, providers)
	for n := range known {
		known[n] = downwind.Provider{Slug: slug(n), Name: fmt.Sprintf("Bench %03d", n), StatusURL: "https://status.bench.example"}
	}
	srv, err := web.New(web.Options{
		Reader: db, Catalog: known, Public: true, Clock: downwind.Wall{}, Diff: archive.Diff,
		Explain: func(rec downwind.IncidentRecord, use *downwind.Use) downwind.Guidance {
			return guidance.ExplainIncident(&rec.Incident, guidance.Known{}, use, now)
		},
		Stacks: webtest.Stacks{Catalog: known}, Judge: func(*downwind.Incident, *downwind.Team) downwind.Match { return downwind.Match{} },
	})
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
	each := max(1, incidents/providers)
	ok := true
	for _, page := range []struct {
		name string
		path func(n int) string
	}{
		{"/", func(int) string { return "/" }},
		{"/providers/…", func(n int) string { return "/providers/" + slug(n%providers) }},
		{"/incidents/…", func(n int) string { return fmt.Sprintf("/incidents/%s/inc%d", slug(n%providers), n%each) }},
		{"/feed", func(int) string { return "/feed" }},
		{"/feed?provider=…", func(n int) string { return "/feed?provider=" + slug(n%providers) }},
	} {
		fine, err := ask(srv, page.name, page.path, asks)
		if err != nil {
			return false, err
		}
		ok = ok && fine
	}
	return ok, nil
}

// ask requests a page for one provider after the other and prints how long it took.
func ask(srv http.Handler, name string, path func(int) string, asks int) (bool, error) {
	var took []time.Duration
	size, before := 0, cpuTime()
	for n := range asks {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path(n*7), nil)
		w := httptest.NewRecorder()
		began := time.Now()
		srv.ServeHTTP(w, r)
		took = append(took, time.Since(began))
		if size = w.Body.Len(); w.Code != http.StatusOK {
			return false, fmt.Errorf("%s answers %d: %.200s", path(n*7), w.Code, w.Body.String())
		}
	}
	cpu := (cpuTime() - before) / time.Duration(asks)
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	fmt.Printf("%-18s p50 %8s  p99 %8s  worst %8s (most %s)  cpu %8s a request  %d bytes\n", name, took[len(took)/2].Round(10*time.Microsecond),
		p99.Round(10*time.Microsecond), took[len(took)-1].Round(10*time.Microsecond), most, cpu.Round(10*time.Microsecond), size)
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
// open; the others are planned work, the newest of it still to come.
func fill(ctx context.Context, db *store.DB, providers, incidents int, now time.Time) error {
	each := max(1, incidents/providers)
	for p := range providers {
		plan := downwind.Plan{Provider: slug(p), At: now}
		for n := range each {
			inc := incident(p, n, each, now)
			canonical, err := archive.Canonical(&inc)
			if err != nil {
				return err
			}
			seen := inc.Updates[0].PostedAt
			plan.Versions = append(plan.Versions, downwind.Version{
				Provider: slug(p), Incident: inc.ID, State: inc, Hash: archive.Hash(canonical), SeenAt: seen, LastSeen: seen, Leaf: -1,
			})
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
