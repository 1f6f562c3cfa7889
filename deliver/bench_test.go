//go:build unix

package deliver_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"downwind"
	"downwind/deliver"
	"downwind/deliver/delivertest"
	"downwind/notify"
	"downwind/store"
	"downwind/store/storetest"
)

// manyDestinations is the size of the burst that issue 7 asks for.
const manyDestinations = 10_000

// BenchmarkBurst raises one incident for 10,000 destinations of 10,000 teams, each with an alert of its own, and
// delivers it to a platform over HTTP on loopback:
//
//	go test -run '^$' -bench Burst -benchtime 1x ./deliver
func BenchmarkBurst(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { burst(b, func() *store.DB { return storetest.Open(b) }) })
	b.Run("postgres", func(b *testing.B) { burst(b, func() *store.DB { return storetest.OpenPostgres(b) }) })
}

func burst(b *testing.B, open func() *store.DB) {
	for range b.N {
		b.StopTimer()
		db := open()
		plan := burstPlan(b, db)
		platform := &delivertest.Platform{}
		var first atomic.Int64
		server := delivertest.NewServer(platform, delivertest.Faults{}, 1)
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			first.CompareAndSwap(0, time.Now().UnixNano())
			server.ServeHTTP(w, r)
		}))
		srv.Config.ConnState = func(net.Conn, http.ConnState) {}
		srv.Start()
		e, err := deliver.New(deliver.Options{
			Store: db, Notifiers: map[string]notify.Notifier{"fake": delivertest.NewClient(srv.URL, 5*time.Second)},
			Compose: delivertest.Compose, SelfTest: -1,
		})
		must(b, err)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		b.StartTimer()

		begin := time.Now()
		must(b, db.Apply(ctx, plan))
		queued := time.Now()
		spent := cpu(b)
		for platform.Len() < manyDestinations && time.Since(begin) < 2*time.Minute {
			<-time.After(5 * time.Millisecond)
		}
		sent := time.Now()
		spent = cpu(b) - spent
		b.StopTimer()
		cancel()
		must(b, <-done)
		srv.Close()
		b.ReportMetric(queued.Sub(begin).Seconds()*1000, "ms-queued")
		b.ReportMetric(float64(first.Load()-queued.UnixNano())/1e6, "ms-first-after-queued")
		b.ReportMetric(manyDestinations/sent.Sub(queued).Seconds(), "messages/s")
		b.ReportMetric(spent.Seconds()*1000/manyDestinations, "cpu-ms/message")
		b.ReportMetric(0, "ns/op")
	}
}

// cpu is the processor time of this process so far, the fake platform's included: it tells what a message costs where
// others use the machine too.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// burstPlan makes the destinations and an incident of the usual size: five updates, guidance, two reasons.
func burstPlan(b *testing.B, db *store.DB) downwind.Plan {
	b.Helper()
	ctx := context.Background()
	must(b, db.SyncSources(ctx, []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
	in := downwind.Incident{
		Provider: "lumen", ID: "x", Kind: downwind.KindIncident, Title: delivertest.Title(1), Phase: downwind.Identified, Impact: downwind.ImpactMajor,
		StartedAt: start, Regions: []string{"us-west", "us-east"},
	}
	for i := range 12 {
		in.Components = append(in.Components, downwind.Component{ID: fmt.Sprintf("c%d", i), Name: fmt.Sprintf("Component %d", i), Status: downwind.PartialOutage})
	}
	for i := range 5 {
		in.Updates = append(in.Updates, downwind.Update{ID: fmt.Sprintf("u%d", i), Phase: downwind.Identified, PostedAt: start, Body: fmt.Sprintf("Update %d: %0300d", i, i)})
	}
	plan := downwind.Plan{Provider: "lumen", At: time.Now().UTC(), Versions: []downwind.Version{{Provider: "lumen", Incident: "x", State: in, Hash: "h"}}}
	for i := range manyDestinations {
		d := downwind.Destination{ID: fmt.Sprintf("fake:W%d:C", i), Platform: "fake", Workspace: fmt.Sprintf("W%d", i), Channel: "C", Team: fmt.Sprintf("team-%d", i)}
		must(b, db.SaveDestination(ctx, d))
		plan.Raises = append(plan.Raises, downwind.Raise{
			Delivery: d.ID + "|lumen/x", Destination: d.ID, Team: d.Team, Incident: "lumen/x",
			Alert: downwind.Alert{
				Kind: downwind.ChangeNew, Incident: in, ProviderName: "Lumen", SeenAt: plan.At, Changes: []downwind.Change{{Kind: downwind.ChangeNew, Incident: "x"}},
				Match: downwind.Match{
					Incident: "lumen/x", Provider: "lumen", Affected: true, Verdict: downwind.AffectedSure, Components: []string{"Component 1"}, Used: 1, Of: 12,
					Why: []downwind.Reason{{File: fmt.Sprintf("apps/%d/package.json", i), Line: 12, Match: "lumen-sdk", Text: "uses the calls API"}, {File: "main.tf", Line: i, Match: "us-west"}},
				},
				Guidance: downwind.Guidance{
					Phase: downwind.Identified, Windows: []downwind.Window{{Start: start, Source: downwind.FromProse, Text: "since 09:00 UTC"}},
					Categories: []downwind.Category{downwind.CategoryCalls}, Advice: []string{"Send new calls to another region.", "Retry with a limit."},
				},
			},
		})
	}
	return plan
}
