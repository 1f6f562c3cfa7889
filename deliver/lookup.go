package deliver

import (
	"context"
	"errors"
	"time"

	"downwind"
	"downwind/notify"
)

// blindAfter is how long a message in doubt waits before it is repeated where nobody can look.
const blindAfter = 60 * time.Second

// resolve deals with a part that may be out already: an intent stands, or the store is a restored copy. It returns over
// when the part needs no sending now: it was found, or it must wait.
func (r *run) resolve(ctx context.Context, m message) (wait time.Time, over bool, err error) {
	d := &r.w.Delivery
	now := r.e.clock.Now()
	standing := d.IntentPart == m.part
	if standing && r.sameKey() {
		return time.Time{}, false, nil // the platform returns the first message for the same key
	}
	if landed := d.IntentAt.Add(r.grace); standing && landed.After(now) {
		wait, err = r.later(ctx, landed, false, "an attempt without answer may still land")
		return wait, true, err
	}
	if !r.limits.Lookup {
		return r.blind(ctx, m, standing, "this platform lets nobody look")
	}
	m.target.FirstTry = r.w.Since
	if standing && (!d.Reconcile || r.w.Since.IsZero()) {
		m.target.FirstTry = d.IntentFirst
	}
	res, _ := r.call(ctx, time.Now(), func(ctx context.Context) notify.Result { return r.n.Find(ctx, m.target) })
	switch res.Verdict {
	case notify.Done:
		if res.ID == "" {
			r.observe(EventAbsent, 0, 0)
			return time.Time{}, false, nil
		}
		r.observe(EventFound, 0, 0)
		return time.Time{}, true, r.visible(ctx, m, res, true)
	case notify.Permanent:
		// Looking is not allowed (history scope); sending may be.
		return r.blind(ctx, m, standing, reason(res, "looking is not allowed"))
	case notify.Wait:
		wait, err = r.later(ctx, now.Add(max(res.RetryAfter, 50*time.Millisecond)), false, reason(res, "looking must wait"))
		return wait, true, err
	case notify.RootGone:
		// The thread is gone and the message with it.
		return time.Time{}, true, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { d.Parent = ""; rootGone(d); return nil })
	case notify.Revoked:
		r.observe(EventPaused, 0, 0)
		err = r.e.pause(ctx, r.w.Destination, res)
		_, stepErr := r.later(ctx, time.Time{}, false, reason(res, "the platform refuses us"))
		return time.Time{}, true, errors.Join(err, stepErr)
	}
	// The look-up failed: not sending is the safe side.
	wait, err = r.retry(ctx, false, time.Time{}, reason(res, "cannot look whether the message is out"))
	return wait, true, err
}

// blind decides where nobody can look. What readers must not miss is repeated once after a minute; plain updates are left
// to the root's edit; a restored copy repeats nothing.
func (r *run) blind(ctx context.Context, m message, standing bool, why string) (time.Time, bool, error) {
	d := &r.w.Delivery
	now := r.e.clock.Now()
	if !standing {
		r.e.tell(context.WithoutCancel(ctx), "restored:"+d.Destination, "After a restored backup, messages to "+r.w.Destination.ID+" that may be out are held: "+why)
		return time.Time{}, true, r.giveUp(ctx, m, "restored from a backup and "+why)
	}
	repeat := m.part == rootPart(d) || mustHear(m.said.Alert.Kind)
	if !repeat || m.said.Repeats > 0 {
		return time.Time{}, true, r.giveUp(ctx, m, "it is unclear whether it was sent, and "+why)
	}
	if at := d.IntentAt.Add(blindAfter); at.After(now) {
		wait, err := r.later(ctx, at, false, "unclear; sent once more after a minute, because "+why)
		return wait, true, err
	}
	version := m.said.Version
	err := r.step(ctx, func(*downwind.Delivery) []downwind.PartMark {
		return []downwind.PartMark{{Version: version, Repeated: true}}
	})
	r.e.tell(context.WithoutCancel(ctx), "blind:"+r.w.Destination.Platform+":"+r.w.Destination.Workspace,
		"A message without a clear answer was sent once more, because "+why+": readers may see it twice.")
	return time.Time{}, err != nil, err
}

// mustHear reports whether a kind is repeated rather than dropped.
func mustHear(k downwind.ChangeKind) bool {
	switch k {
	case downwind.ChangeNew, downwind.ChangeReopened, downwind.ChangeResolved, downwind.ChangeSeverity, downwind.ChangeWithdrawn:
		return true
	}
	return false
}

// giveUp leaves a part unsent for good: a root is held, a version skipped.
func (r *run) giveUp(ctx context.Context, m message, why string) error {
	r.observe(EventSkipped, 0, 0)
	return r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
		if m.part == rootPart(d) {
			hold(d, why)
			return nil
		}
		skip(d, m.said.Version)
		return []downwind.PartMark{{Version: m.said.Version, Skipped: why}}
	})
}
