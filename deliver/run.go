package deliver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"downwind"
	"downwind/notify"
)

const (
	// sweepMost bounds one sweep.
	sweepMost = 2000
	// beatEvery is how often the store gets a sign of life.
	beatEvery = 30 * time.Second
)

// Run delivers until the context ends: River's wake-ups, the waits of this process, the sweeper and the silent tests. It
// returns once running deliveries have finished.
func (e *Engine) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	wg.Go(func() { e.timers.run(ctx) })
	for range max(2, e.opts.Workers/2) {
		wg.Go(func() { e.workTimers(ctx) })
	}
	wg.Go(func() { e.sweepLoop(ctx) })
	wg.Go(func() { e.testLoop(ctx) })
	wg.Go(func() {
		if err := e.opts.Store.Work(ctx, e.opts.Workers, e.look); err != nil {
			cancel(err)
		}
	})
	<-ctx.Done()
	wg.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return fmt.Errorf("deliver: %w", cause)
	}
	return nil
}

// look answers one of River's wake-ups.
func (e *Engine) look(ctx context.Context, id string) error {
	next, err := e.Deliver(ctx, id)
	if err != nil && !errors.Is(err, downwind.ErrConflict) {
		e.log.Warn("delivery", "delivery", id, "error", err)
	}
	e.timers.add(id, next)
	return nil // the sweeper wakes again; River has nothing to repeat
}

func (e *Engine) workTimers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-e.timers.due:
			// Not cut off in the middle of a request when the daemon stops: the request's own deadline ends it.
			_ = e.look(context.WithoutCancel(ctx), id)
		}
	}
}

func (e *Engine) sweepLoop(ctx context.Context) {
	var beaten time.Time
	again := e.opts.Lease / 2 // after which a wake-up that came to nothing is given again
	for {
		now := e.clock.Now()
		if _, err := e.opts.Store.Sweep(ctx, now, again, sweepMost); err != nil && ctx.Err() == nil {
			e.log.Warn("sweep", "error", err)
		}
		if now.Sub(beaten) >= beatEvery {
			beaten = now
			if err := e.opts.Store.Beat(ctx); err != nil && ctx.Err() == nil {
				e.log.Warn("sign of life", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.clock.After(e.opts.Sweep):
		}
	}
}

// testLoop tests destinations silently: paused ones four times as often, to resume those that have healed.
func (e *Engine) testLoop(ctx context.Context) {
	if e.opts.SelfTest < 0 {
		return
	}
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-e.clock.After(e.opts.SelfTest / 4):
		}
		if err := e.Test(ctx, n%4 == 0); err != nil && ctx.Err() == nil {
			e.log.Warn("silent test of destinations", "error", err)
		}
	}
}

// Test asks each paused destination's platform, or with all set every destination's, whether it can receive, without
// showing anything. Healed ones resume with what is still current; broken ones are paused with the reason.
func (e *Engine) Test(ctx context.Context, all bool) error {
	list, err := e.opts.Store.Destinations(ctx, "")
	if err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	var errs []error
	for _, d := range list {
		n := e.opts.Notifiers[d.Platform]
		if n == nil || !all && d.Paused == "" || ctx.Err() != nil {
			continue
		}
		if e.ceiling.pass(d.Platform, d.Workspace, "test "+d.ID, e.clock.Now()).After(e.clock.Now()) {
			continue // the next round will do
		}
		switch res := n.Check(ctx, d); {
		case res.Verdict == notify.Done && d.Paused != "":
			errs = append(errs, e.opts.Store.ResumeDestination(ctx, d.ID))
		case res.Verdict == notify.Permanent || res.Verdict == notify.Revoked:
			errs = append(errs, e.pause(ctx, d, res))
		}
	}
	return errors.Join(errs...)
}
