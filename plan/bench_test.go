package plan_test

import (
	"fmt"
	"testing"
	"time"

	"downwind"
	"downwind/match"
	"downwind/plan"
)

// BenchmarkReplay plays ten thousand recorded incidents of three posts each through the planner, as backtest does.
func BenchmarkReplay(b *testing.B) {
	judge, err := match.Default()
	if err != nil {
		b.Fatal(err)
	}
	planner := plan.New(judge, plan.Options{})
	a := team()
	var doc downwind.Document
	for i := range 10_000 {
		at := t0.Add(time.Duration(i) * time.Hour)
		post := func(n, minutes int, p downwind.Phase, body string) downwind.Update {
			return downwind.Update{ID: fmt.Sprintf("%d-%d", i, n), Phase: p, Body: body, PostedAt: at.Add(time.Duration(minutes) * time.Minute)}
		}
		doc.Incidents = append(doc.Incidents, downwind.Incident{
			Provider: "acme", ID: fmt.Sprint(i), Kind: downwind.KindIncident, Title: fmt.Sprintf("API errors %d", i), Phase: downwind.Resolved,
			Impact: downwind.ImpactMinor, StartedAt: at, ResolvedAt: at.Add(40 * time.Minute),
			Components: []downwind.Component{{ID: "c1", Name: "API", Status: downwind.PartialOutage}},
			Updates: []downwind.Update{
				post(1, 0, downwind.Investigating, "We are looking into failing API requests."),
				post(2, 15, downwind.Identified, "A bad deploy was found and is being rolled back."),
				post(3, 40, downwind.Resolved, "Between "+at.Add(-5*time.Minute).Format("15:04")+" and "+at.Add(30*time.Minute).Format("15:04")+" UTC API requests failed."),
			},
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		r := plan.NewReplay(planner, a.Team.Stack)
		if err := r.Play(plan.Record(acme, []downwind.Document{doc}, time.Time{}), nil); err != nil {
			b.Fatal(err)
		}
	}
}
