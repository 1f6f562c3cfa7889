package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"downwind"
	"downwind/plan"
	"downwind/store"
)

// runJobs does the work that comes by the clock: digests, the end of quiet hours, pruning.
func (a *App) runJobs(ctx context.Context) error {
	for {
		if err := a.jobsOnce(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("a job by the clock failed; it is tried again in a minute", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.clock.After(30 * time.Second):
		}
	}
}

// jobsOnce does what is due now. Everything in it may run twice, also in two processes: what it tells has an id that
// the store knows again.
func (a *App) jobsOnce(ctx context.Context) error {
	if _, err := a.db.AppendSeen(ctx, seenEvery); err != nil {
		return fmt.Errorf("seen unchanged: %w", err)
	}
	if err := a.checkpoint(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	dests, err := a.db.Destinations(ctx, "")
	if err != nil {
		return err
	}
	now := a.clock.Now()
	for _, d := range dests {
		if at, ok := plan.QuietEnd(&d, now); ok && now.Sub(at) < 6*time.Hour {
			if err := a.once(ctx, "quiet", d.ID, at, func() error { return a.endQuiet(ctx, d, at) }); err != nil {
				return fmt.Errorf("end of quiet hours of %s: %w", d.ID, err)
			}
		}
		if err := a.stillOpen(ctx, d, now); err != nil {
			return fmt.Errorf("reminders of %s: %w", d.ID, err)
		}
		if at, ok := plan.Due(&d, now); ok && now.Sub(at) < 24*time.Hour {
			if err := a.once(ctx, "digest", d.ID, at, func() error { return a.digest(ctx, d, at) }); err != nil {
				return fmt.Errorf("digest of %s: %w", d.ID, err)
			}
		}
	}
	day := now.Truncate(24 * time.Hour)
	if err := a.once(ctx, "silence", "", day, func() error { return a.silences(ctx) }); err != nil {
		return fmt.Errorf("silent sources: %w", err)
	}
	if keep := a.cfg.Store.Retain.Duration; keep > 0 {
		return a.once(ctx, "prune", "", day, func() error {
			_, err := a.db.Prune(ctx, store.Retention{Bodies: keep})
			return err
		})
	}
	return nil
}

// once runs a job for an instant unless it is known to be done.
func (a *App) once(ctx context.Context, job, key string, at time.Time, do func() error) error {
	id := key + "@" + at.UTC().Format(time.RFC3339)
	if _, err := a.db.Temp(ctx, "job-"+job, id); err == nil {
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	_, err := a.db.PutTemp(ctx, "job-"+job, id, []byte("done"), at.Add(8*24*time.Hour))
	return err
}

// endQuiet tells what was held overnight: what is still open as a root of its own, the rest in one message.
func (a *App) endQuiet(ctx context.Context, d downwind.Destination, at time.Time) error {
	holds, err := a.allHolds(ctx, downwind.HoldFilter{Destination: d.ID, Since: at.Add(-24 * time.Hour)})
	if err != nil {
		return err
	}
	var quiet []downwind.Hold
	for _, h := range holds {
		if h.Reason == downwind.HeldQuiet {
			quiet = append(quiet, h)
		}
	}
	if len(quiet) == 0 {
		return nil
	}
	if err := a.catchup(ctx, d.ID); err != nil {
		return err
	}
	records, err := a.records(ctx, quiet)
	if err != nil {
		return err
	}
	var over []downwind.Hold
	for _, h := range quiet {
		if rec, ok := records[h.Incident]; ok && !rec.Incident.Open() {
			over = append(over, h)
		}
	}
	if len(over) == 0 {
		return nil
	}
	what := plan.Digest("while quiet hours were on", over, 0, records)
	what.URL = a.baseURL() + "/"
	return a.db.Apply(ctx, downwind.Plan{At: a.clock.Now(), Raises: []downwind.Raise{plan.Announce(d, "quiet", at, what)}})
}

// digest sends a destination's daily or weekly summary.
func (a *App) digest(ctx context.Context, d downwind.Destination, at time.Time) error {
	span, period := 24*time.Hour, "the last day"
	if d.Digest == "weekly" {
		span, period = 7*24*time.Hour, "the last week"
	}
	holds, err := a.allHolds(ctx, downwind.HoldFilter{Destination: d.ID, Since: at.Add(-span)})
	if err != nil {
		return err
	}
	records, err := a.records(ctx, holds)
	if err != nil {
		return err
	}
	deliveries, err := a.db.Deliveries(ctx, downwind.DeliveryFilter{Destination: d.ID})
	if err != nil {
		return err
	}
	told := 0
	for _, dl := range deliveries {
		if dl.CreatedAt.After(at.Add(-span)) && !strings.HasPrefix(dl.Incident, "downwind/") {
			told++
		}
	}
	what := plan.Digest(period, holds, told, records)
	what.URL = a.baseURL() + "/"
	return a.db.Apply(ctx, downwind.Plan{At: a.clock.Now(), Raises: []downwind.Raise{plan.Announce(d, "digest", at, what)}})
}

// allHolds reads all lines of the ledger that a filter selects, page by page.
func (a *App) allHolds(ctx context.Context, f downwind.HoldFilter) ([]downwind.Hold, error) {
	var all []downwind.Hold
	f.Limit = 1000
	for {
		page, err := a.db.Holds(ctx, f)
		all = append(all, page...)
		if err != nil || len(page) < f.Limit {
			return all, err
		}
		last := page[len(page)-1]
		f.Before, f.BeforeID = last.At, last.ID
	}
}

// records reads the incidents that lines of the ledger are about.
func (a *App) records(ctx context.Context, holds []downwind.Hold) (map[string]downwind.IncidentRecord, error) {
	out := map[string]downwind.IncidentRecord{}
	for _, h := range holds {
		provider, id, ok := strings.Cut(h.Incident, "/")
		if _, seen := out[h.Incident]; seen || !ok || id == "" {
			continue
		}
		rec, err := a.db.Incident(ctx, provider, id)
		if err != nil {
			continue // pruned or never archived: the line stands by itself
		}
		out[h.Incident] = rec
	}
	return out, nil
}
