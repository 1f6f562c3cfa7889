package app

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"downwind"
	"downwind/config"
	"downwind/match"
)

// crowdStack uses thirty providers. One team in every runs the table that the incident hits, where it is hit; of the others some use it
// elsewhere, some another service in the same place.
func crowdStack(i, every int) downwind.Stack {
	service, region := "dynamodb", [...]string{"eu-west-1", "eu-central-1", "us-west-2", "sa-east-1"}[i%4]
	switch {
	case i%every == 0:
		region = "us-east-1"
	case i%2 == 0:
		service, region = "sqs", "us-east-1"
	}
	s := downwind.Stack{Providers: []downwind.Use{{Provider: "aws", Name: "AWS", Confidence: downwind.Sure, Regions: []string{region}, Evidence: []downwind.Evidence{
		{File: "main.tf", Line: 7, Kind: "tf_resource", Match: "aws_x.t", Service: service, Region: region, Direct: true, Relation: downwind.Hosted},
	}}}}
	for k := range 29 {
		slug := fmt.Sprintf("provider-%d", k)
		s.Providers = append(s.Providers, downwind.Use{Provider: slug, Name: slug, Confidence: downwind.Sure, Evidence: []downwind.Evidence{
			{File: "package.json", Line: k, Kind: "npm", Match: slug, Direct: true},
		}})
	}
	return s
}

// newCrowd is a daemon with n teams, each with a channel that hears of its stack.
func newCrowd(b *testing.B, n, every int) *App {
	b.Helper()
	cfg := config.Default()
	cfg.Dir = b.TempDir()
	clock := downwind.NewManualClock(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	o := Options{Config: cfg, DataDir: b.TempDir(), Clock: clock, Logger: slog.New(slog.DiscardHandler), Version: "bench", Only: []string{"aws"}}
	a, err := New(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	})
	for i := range n {
		id := fmt.Sprintf("team-%06d", i)
		d := downwind.Destination{Platform: downwind.PlatformConsole, Channel: id, Team: id}
		if err := a.db.SaveTeam(b.Context(), downwind.Team{ID: id, Name: id, Stack: crowdStack(i, every)}); err != nil {
			b.Fatal(err)
		}
		if _, d, err = a.db.TeamForChannel(b.Context(), d); err != nil {
			b.Fatal(err)
		}
		if _, _, err := a.db.SaveSubscription(b.Context(), downwind.Subscription{Destination: d.ID, Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}}); err != nil {
			b.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	if err := a.indexTeams(b.Context()); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Logf("%d teams of 30 providers: the index takes %.1f s to fill from the store and %.1f MB", n, took.Seconds(), float64(after.HeapAlloc-before.HeapAlloc)/1e6)
	return a
}

// BenchmarkObserve measures what a new incident costs a daemon with many teams, from the decoded page to the end of the transaction:
// finding whom it concerns, judging, and writing versions, messages and the ledger. The hundred teams that are hit stay the same.
func BenchmarkObserve(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		const hit = 100
		b.Run(fmt.Sprintf("teams=%d/hit=%d", n, hit), func(b *testing.B) {
			a := newCrowd(b, n, n/hit)
			clock := a.clock.(*downwind.ManualClock)
			src := downwind.Source{Provider: "aws"}
			if err := a.observe(b.Context(), src, downwind.Document{Provider: "aws"}, nil); err != nil {
				b.Fatal(err)
			}
			incidents := 0
			for b.Loop() {
				incidents++
				clock.Set(clock.Now().Add(time.Minute))
				inc := downwind.Incident{
					ID: fmt.Sprintf("i%d", incidents), Provider: "aws", Kind: downwind.KindIncident, Title: fmt.Sprintf("DynamoDB increased error rates, part %d", incidents),
					Phase: downwind.Investigating, Impact: downwind.ImpactMajor, StartedAt: clock.Now(), Regions: []string{"us-east-1"},
					Components: []downwind.Component{{ID: "c", Name: "Amazon DynamoDB", Status: downwind.PartialOutage}},
					Updates:    []downwind.Update{{ID: "u", Phase: downwind.Investigating, Body: "Requests in US-EAST-1 fail. Other regions are operating normally.", PostedAt: clock.Now()}},
				}
				if err := a.observe(b.Context(), src, downwind.Document{Provider: "aws", Platform: "statuspage", Incidents: []downwind.Incident{inc}, Partial: true}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			told, err := a.db.Counts(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if got := told["deliveries.active"]; got != int64(incidents*hit) {
				b.Errorf("%d messages for %d incidents, want %d for each", got, incidents, hit)
			}
			if got := told["holds.shared"]; got < int64(incidents) {
				b.Errorf("%d shared lines for %d incidents", got, incidents)
			}
		})
	}
}

// BenchmarkFill measures how long the index of ten thousand teams takes to fill when the daemon starts.
func BenchmarkFill(b *testing.B) {
	const n = 10_000
	a := newCrowd(b, n, n/100)
	b.ReportAllocs()
	for b.Loop() {
		a.teams.index, a.teams.filed = match.NewIndex(a.judge), 0
		if err := a.indexTeams(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/team")
}
