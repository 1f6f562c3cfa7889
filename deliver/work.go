package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"downwind"
	"downwind/notify"
)

// run is one worker's hold on one delivery.
type run struct {
	e      *Engine
	owner  string
	w      downwind.Work
	n      notify.Notifier
	limits notify.Limits
	// timeout bounds one request; grace is after how long one that gave no answer has certainly landed.
	timeout, grace time.Duration
}

// Deliver works on one delivery until it is as desired or must wait, and returns until when; zero: nothing to wait for.
// A delivery that another worker holds is left to it.
func (e *Engine) Deliver(ctx context.Context, id string) (time.Time, error) {
	owner := e.process + "-" + random(6)
	w, ok, err := e.opts.Store.TakeLease(ctx, id, owner, e.clock.Now(), e.opts.Lease)
	if err != nil {
		return time.Time{}, fmt.Errorf("deliver %s: %w", id, err)
	}
	if !ok {
		return time.Time{}, nil
	}
	r := &run{e: e, owner: owner, w: w, n: e.opts.Notifiers[w.Destination.Platform]}
	if r.n == nil {
		const again = 10 * time.Minute
		why := "no connection to " + w.Destination.Platform + " is configured"
		if r.overdue() {
			return time.Time{}, r.expire(ctx, false, why)
		}
		return r.later(ctx, e.clock.Now().Add(again), false, why)
	}
	r.limits = r.n.Limits()
	r.timeout = e.opts.Lease / 2
	if r.limits.Timeout > 0 {
		r.timeout = min(r.timeout, r.limits.Timeout)
	}
	r.grace = r.timeout + max(r.timeout/4, 200*time.Millisecond)
	next, err := r.close(ctx)
	if err != nil {
		err = fmt.Errorf("deliver %s: %w", id, err)
	}
	return next, err
}

// close does what the delivery needs, step by step, while the lease is ours.
func (r *run) close(ctx context.Context) (time.Time, error) {
	for r.w.Delivery.LeaseOwner == r.owner {
		if err := r.refresh(ctx); err != nil {
			return time.Time{}, err
		}
		d := &r.w.Delivery
		if d.IntentPart == partEdit && nextStep(&r.w) != doNothing {
			// An edit that gave no answer may still land; what comes after it must not be overtaken by it.
			if landed := d.IntentAt.Add(r.grace); landed.After(r.e.clock.Now()) {
				return r.later(ctx, landed, false, "an edit without answer may still land")
			}
		}
		var wait time.Time
		var err error
		switch nextStep(&r.w) {
		case doRoot:
			wait, err = r.root(ctx)
		case doReply:
			wait, err = r.reply(ctx)
		case doSkip:
			version := r.w.Next[0].Version
			err = r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { skip(d, version); return nil })
			r.observe(EventSkipped, 0, 0)
		case doEdit:
			wait, err = r.edit(ctx)
		case doNothing:
			err = r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
				release(d)
				d.LeaseOwner, d.LeaseUntil = "", time.Time{}
				return nil
			})
		}
		if err != nil || !wait.IsZero() {
			return wait, err
		}
	}
	return r.w.Delivery.NotBefore, nil
}

// refresh makes Next and Newest fit the row after a step.
func (r *run) refresh(ctx context.Context) error {
	d := r.w.Delivery
	if d.Parent == "" {
		r.w.Parent = nil
	}
	for len(r.w.Next) > 0 && r.w.Next[0].Version <= d.Applied {
		r.w.Next = r.w.Next[1:]
	}
	fits := r.w.Newest.Version == d.Desired && (d.Applied >= d.Desired || len(r.w.Next) > 0 && r.w.Next[0].Version == d.Applied+1)
	if fits {
		return nil
	}
	w, err := r.e.opts.Store.Reload(ctx, d)
	if err != nil {
		return err
	}
	r.w = w
	if d.Applied < d.Desired && (len(w.Next) == 0 || w.Next[0].Version != d.Applied+1) || w.Newest.Version != d.Desired {
		return fmt.Errorf("part %d is missing", d.Applied+1)
	}
	return nil
}

// step changes the row. What has happened is recorded even while the daemon stops.
func (r *run) step(ctx context.Context, change func(*downwind.Delivery) []downwind.PartMark) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.e.opts.Lease)
	defer cancel()
	d, err := r.e.opts.Store.Step(ctx, r.w.Delivery, r.owner, change)
	if err == nil {
		r.w.Delivery = d
	}
	return err
}

// later gives the lease back until an instant.
func (r *run) later(ctx context.Context, until time.Time, notSent bool, reason string) (time.Time, error) {
	return until, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
		later(d, until, notSent, reason)
		return nil
	})
}

// retry gives the lease back after a failed attempt, or gives up when the newest version has waited for too long.
func (r *run) retry(ctx context.Context, notSent bool, least time.Time, reason string) (time.Time, error) {
	if r.overdue() {
		return time.Time{}, r.expire(ctx, notSent, reason)
	}
	var until time.Time
	err := r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
		d.Attempts++
		until = r.e.clock.Now().Add(backoff(d.ID, d.Attempts))
		if least.After(until) {
			until = least
		}
		later(d, until, notSent, reason)
		return nil
	})
	return until, err
}

// overdue reports whether the newest version has waited for so long that attempts end.
func (r *run) overdue() bool {
	seen := r.w.Newest.Alert.SeenAt
	return !seen.IsZero() && r.e.clock.Now().Sub(seen) > r.e.opts.GiveUp
}

// expire holds a delivery that could not be made for too long, with the last reason. The next version takes it up again.
func (r *run) expire(ctx context.Context, notSent bool, last string) error {
	why := fmt.Sprintf("given up after %.0f hours without success: %s", r.e.opts.GiveUp.Hours(), last)
	r.observe(EventExpired, 0, 0)
	r.e.tell(context.WithoutCancel(ctx), "delivery:"+r.w.Delivery.ID+":expired",
		fmt.Sprintf("A message for %s (%s) is %s", r.w.Destination.ID, r.w.Delivery.Incident, why))
	return r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
		expire(d, notSent, why)
		return nil
	})
}

func (r *run) observe(kind EventKind, took, lag time.Duration) {
	r.e.opts.Observe(Event{Kind: kind, Platform: r.w.Destination.Platform, Took: took, Lag: lag, Delivery: r.w.Delivery.ID})
}

// compose writes a message; a composer that panics on hostile text must not take the daemon with it.
func (r *run) compose(p downwind.Part) (m notify.Message, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("composing version %d of %s: %v", p.Version, p.Delivery, v)
		}
	}()
	return r.e.opts.Compose(r.w.Delivery, p), nil
}

// call makes one request that ends before half the lease does, counted from the intent's commit.
func (r *run) call(ctx context.Context, began time.Time, do func(context.Context) notify.Result) (notify.Result, time.Duration) {
	ends := began.Add(r.timeout)
	ctx, cancel := context.WithDeadline(ctx, ends)
	defer cancel()
	if !time.Now().Before(ends) {
		// We were stopped in between: nothing leaves any more.
		return notify.Result{Verdict: notify.NotSent, Reason: "stopped before sending", Err: context.DeadlineExceeded}, 0
	}
	start := time.Now()
	res := do(ctx)
	return res, time.Since(start)
}

// common deals with the verdicts that mean the same for every request. It reports whether it did.
func (r *run) common(ctx context.Context, res notify.Result) (wait time.Time, handled bool, err error) {
	now := r.e.clock.Now()
	d := r.w.Destination
	switch res.Verdict {
	case notify.Wait:
		until := now.Add(max(res.RetryAfter, 50*time.Millisecond))
		r.observe(EventWait, 0, 0)
		if r.limits.Shared {
			r.e.ceiling.hold(d.Platform, d.Workspace, until)
		}
		if err := r.e.opts.Store.HoldChannel(context.WithoutCancel(ctx), d.ID, until); err != nil {
			return time.Time{}, true, err
		}
		wait, err = r.later(ctx, until, true, reason(res, "the platform asks for patience"))
		return wait, true, err
	case notify.NotSent:
		r.observe(EventFailed, 0, 0)
		wait, err = r.retry(ctx, true, time.Time{}, reason(res, "the platform cannot be reached"))
		return wait, true, err
	case notify.Unclear:
		r.observe(EventUnclear, 0, 0)
		landed := r.w.Delivery.IntentAt.Add(r.grace)
		if r.sameKey() {
			landed = time.Time{}
		}
		wait, err = r.retry(ctx, false, landed, reason(res, "no clear answer; looking before sending again"))
		return wait, true, err
	case notify.Permanent, notify.Revoked:
		r.observe(EventPaused, 0, 0)
		err = r.e.pause(ctx, d, res)
		_, stepErr := r.later(ctx, time.Time{}, true, reason(res, "the destination cannot receive"))
		return time.Time{}, true, errors.Join(err, stepErr)
	}
	return time.Time{}, false, nil
}

// sameKey reports whether the platform itself still refuses this part's key when it comes again.
func (r *run) sameKey() bool {
	const margin = 5 * time.Second
	d := r.w.Delivery
	return r.limits.Idempotent > 0 && !d.Reconcile && d.IntentPart != "" &&
		r.e.clock.Now().Add(r.timeout+margin).Before(d.IntentFirst.Add(r.limits.Idempotent))
}

func reason(res notify.Result, otherwise string) string {
	if res.Reason != "" {
		return res.Reason
	}
	return otherwise
}

// pause stops the destination, or with revoked credentials the whole workspace, and tells the operator once.
func (e *Engine) pause(ctx context.Context, d downwind.Destination, res notify.Result) error {
	ctx = context.WithoutCancel(ctx)
	why := reason(res, "the platform refuses messages")
	if res.Verdict == notify.Revoked {
		stopped, err := e.opts.Store.PauseWorkspace(ctx, d.Platform, d.Workspace, why)
		if len(stopped) > 0 {
			e.tell(ctx, "workspace:"+d.Platform+":"+d.Workspace+":revoked",
				fmt.Sprintf("%d destinations of %s workspace %s are paused: %s", len(stopped), d.Platform, d.Workspace, why))
		}
		return err
	}
	first, err := e.opts.Store.Pause(ctx, d.ID, why)
	if first {
		name := d.Name
		if name == "" {
			name = d.ID
		}
		e.tell(ctx, "destination:"+d.ID+":paused", "Alerts to "+name+" are paused: "+why)
	}
	return err
}

// tell hands an operator's note to the Operator hook, or keeps it where there is none.
func (e *Engine) tell(ctx context.Context, key, text string) {
	n := downwind.OperatorNote{Key: key, Text: text, At: e.clock.Now()}
	if e.opts.Operator != nil {
		e.opts.Operator(ctx, n)
		return
	}
	if _, err := e.opts.Store.SaveNote(ctx, n); err != nil {
		e.log.Warn("operator note", "note", key, "error", err)
	}
}
