package store_test

import (
	"errors"
	"fmt"
	"testing"

	"downwind"
	"downwind/store"
)

func TestJobsOfTheQueue(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		d, in := channel(t, db, "C1"), incident("x1", downwind.Investigating)
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: c.Now(), Versions: []downwind.Version{version(in, c.Now())}, Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)}}))
		jobs, err := db.Jobs(ctx, []string{"available"}, 10)
		must(t, err)
		want(t, "jobs", len(jobs), 1)
		want(t, "what to look at", jobs[0].Deliveries, []string{d.ID + "|lumen/x1"})
		want(t, "kind", jobs[0].Kind, "delivery_wake")
		count := func(state string) int64 {
			t.Helper()
			counts, err := db.CountJobs(ctx)
			must(t, err)
			return counts[state]
		}
		want(t, "available", count("available"), int64(1))
		must(t, db.CancelJob(ctx, jobs[0].ID))
		want(t, "cancelled", count("cancelled"), int64(1))
		gone, err := db.Jobs(ctx, []string{"available", "running"}, 10)
		must(t, err)
		want(t, "none is left", len(gone), 0)
		must(t, db.RetryJob(ctx, jobs[0].ID))
		want(t, "due again", count("available"), int64(1))
		all, err := db.Jobs(ctx, nil, 10)
		must(t, err)
		want(t, "jobs of all states", len(all), 1)
		want(t, "retry of a job that is not there", errors.Is(db.RetryJob(ctx, 987654), downwind.ErrNotFound), true)
		want(t, "cancelling one", errors.Is(db.CancelJob(ctx, 987654), downwind.ErrNotFound), true)
	})
}

func TestLedgersGoOnBehindALine(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		d := channel(t, db, "C1")
		for i := range 5 {
			in := incident(fmt.Sprintf("x%d", i), downwind.Investigating)
			must(t, db.Apply(ctx, downwind.Plan{
				Provider: "lumen", At: c.Now(), Versions: []downwind.Version{version(in, c.Now())}, Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)},
				Holds: []downwind.Hold{{Destination: d.ID, Team: d.Team, Incident: in.Key(), Kind: downwind.ChangeNew, Reason: downwind.HeldRegion}},
			}))
		}
		var holds, deliveries []string
		f, g := downwind.HoldFilter{Team: d.Team, Limit: 2}, downwind.DeliveryFilter{Team: d.Team, Limit: 2}
		for range 4 {
			page, err := db.Holds(ctx, f)
			must(t, err)
			for _, h := range page {
				holds = append(holds, h.Incident)
				f.Before, f.BeforeID = h.At, h.ID
			}
			rows, err := db.Deliveries(ctx, g)
			must(t, err)
			for _, r := range rows {
				deliveries = append(deliveries, r.Incident)
				g.Before, g.BeforeID = r.UpdatedAt, r.ID
			}
		}
		all := []string{"lumen/x4", "lumen/x3", "lumen/x2", "lumen/x1", "lumen/x0"}
		want(t, "holds of one time, each once", holds, all)
		want(t, "deliveries of one time, each once", deliveries, all)
	})
}
