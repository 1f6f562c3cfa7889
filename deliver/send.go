package deliver

import (
	"context"
	"fmt"
	"time"

	"downwind"
	"downwind/notify"
)

// message is one part on its way: the root or a reply.
type message struct {
	part   string
	key    string // what part of the incident it tells, for notify.Key
	root   bool
	said   downwind.Part
	target notify.Target
	send   func(context.Context, notify.Target, notify.Message) notify.Result
	// done notes the outcome of a message that is visible: sent just now, or found where an earlier attempt left it.
	done func(d *downwind.Delivery, res notify.Result, found bool) []downwind.PartMark
}

// root sends the root: version 1, or the newest state where the root continues a lost one or comes after a pause.
func (r *run) root(ctx context.Context) (time.Time, error) {
	d := &r.w.Delivery
	said := r.w.Newest
	if !d.NewestRoot && len(r.w.Next) > 0 {
		said = r.w.Next[0]
	}
	shown := said.Version
	said.Version = 1
	m := message{part: rootPart(d), key: rootPart(d), root: true, said: said, send: r.n.Post, target: notify.Target{Destination: r.w.Destination}}
	if p := r.w.Parent; p != nil {
		switch {
		case p.RootID != "":
			m.root, m.send, m.target.Root, m.target.Thread = false, r.n.Reply, p.RootID, p.ThreadID
		case p.State == downwind.DeliveryActive:
			return r.later(ctx, r.e.clock.Now().Add(time.Second), false, "waits for the collecting message")
		}
	}
	parent := r.w.Parent
	m.done = func(d *downwind.Delivery, res notify.Result, found bool) []downwind.PartMark {
		shown := shown
		if found && (d.NewestRoot || d.Reconcile) {
			shown = 0 // what the earlier attempt said is not known; the edit will tell the newest
		}
		if parent != nil && parent.RootID != "" && res.Thread == "" {
			// It stands in the collecting thread, and so will its replies.
			if res.Thread = parent.ThreadID; res.Thread == "" {
				res.Thread = parent.RootID
			}
		}
		sentRoot(d, res.ID, res.Thread, shown)
		if d.Generation > 0 {
			return nil
		}
		return []downwind.PartMark{{Version: 1, MessageID: res.ID, SentAt: r.e.clock.Now()}}
	}
	return r.deliver(ctx, m)
}

// reply sends the next version into the thread, or into the channel where threads are not possible.
func (r *run) reply(ctx context.Context) (time.Time, error) {
	d := &r.w.Delivery
	said := r.w.Next[0]
	m := message{part: replyPart(said.Version), key: told(&said), said: said, send: r.n.Reply, target: notify.Target{Destination: r.w.Destination, Root: d.RootID, Thread: d.ThreadID}}
	if d.NoThread || !r.limits.Threads {
		m.send, m.target.Root, m.target.Thread = r.n.Post, "", ""
	}
	m.done = func(d *downwind.Delivery, res notify.Result, _ bool) []downwind.PartMark {
		sentReply(d, said.Version, res.Thread)
		return []downwind.PartMark{{Version: said.Version, MessageID: res.ID, SentAt: r.e.clock.Now()}}
	}
	return r.deliver(ctx, m)
}

// deliver sends one part: in doubt it looks first, then it keeps to the pace, commits the intent, sends, and records.
func (r *run) deliver(ctx context.Context, m message) (time.Time, error) {
	d := &r.w.Delivery
	m.target.Key = notify.Key(d.Destination, d.Incident, m.key)
	if d.IntentPart == m.part || d.Reconcile {
		wait, over, err := r.resolve(ctx, m)
		if over || err != nil {
			return wait, err
		}
	}
	dest := r.w.Destination
	if wait := r.e.ceiling.pass(dest.Platform, dest.Workspace, d.ID, r.e.clock.Now()); !wait.IsZero() {
		return r.later(ctx, wait, false, "the workspace is at its ceiling")
	}
	text, err := r.compose(m.said)
	if err != nil {
		return r.rejected(ctx, m, notify.Result{Err: err, Reason: err.Error()})
	}
	if m.part == rootPart(d) && m.target.Root != "" {
		text.Broadcast = false // the collecting message was shown in the channel already
	}
	began := time.Now()
	now := r.e.clock.Now()
	row, wait, err := r.e.opts.Store.Intend(ctx, *d, r.owner, m.root, r.limits.PerChannel, func(d *downwind.Delivery) {
		intend(d, m.part, now, r.e.opts.Lease)
	})
	if err != nil {
		return time.Time{}, err
	}
	if !wait.IsZero() {
		return r.later(ctx, wait, false, "waits for its turn in the channel")
	}
	r.w.Delivery = row
	m.target.FirstTry = row.IntentFirst
	res, took := r.call(ctx, began, func(ctx context.Context) notify.Result { return m.send(ctx, m.target, text) })
	return r.outcome(ctx, m, res, took)
}

// outcome records what an answer means.
func (r *run) outcome(ctx context.Context, m message, res notify.Result, took time.Duration) (time.Time, error) {
	if wait, handled, err := r.common(ctx, res); handled {
		return wait, err
	}
	switch res.Verdict {
	case notify.Done:
		r.observe(EventSent, took, r.e.clock.Now().Sub(m.said.Alert.SeenAt))
		// The same key sent again within the platform's window gives the first message back.
		d := r.w.Delivery
		return time.Time{}, r.visible(ctx, m, res, r.limits.Idempotent > 0 && !d.IntentFirst.Equal(d.IntentAt))
	case notify.RootGone:
		r.observe(EventRootGone, took, 0)
		return time.Time{}, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
			d.Parent = "" // a lost collecting message cannot carry it
			rootGone(d)
			return nil
		})
	case notify.NoThread:
		if !r.w.Delivery.NoThread {
			return time.Time{}, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
				d.NoThread = true
				clearIntent(d)
				return nil
			})
		}
	}
	return r.rejected(ctx, m, res)
}

// visible records a message that is there.
func (r *run) visible(ctx context.Context, m message, res notify.Result, found bool) error {
	if res.ID == "" {
		// Platforms that give no id cannot edit either; something must stand for "it was sent".
		res.ID = m.target.Key
	}
	return r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { return m.done(d, res, found) })
}

// rejected gives up on one payload: a version is skipped, a root held. The operator hears of it, because it is our bug.
func (r *run) rejected(ctx context.Context, m message, res notify.Result) (time.Time, error) {
	why := reason(res, "the platform refused the message")
	r.observe(EventRejected, 0, 0)
	r.e.log.Error("message refused", "delivery", r.w.Delivery.ID, "part", m.part, "reason", why, "error", res.Err)
	r.e.tell(context.WithoutCancel(ctx), "delivery:"+r.w.Delivery.ID+":rejected",
		fmt.Sprintf("A message for %s was refused (%s, %s): %s", r.w.Destination.ID, r.w.Delivery.Incident, m.part, why))
	return time.Time{}, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
		if m.part == rootPart(d) {
			hold(d, "refused: "+why)
			d.NewestRoot = true
			return nil
		}
		skip(d, m.said.Version)
		clearIntent(d)
		return []downwind.PartMark{{Version: m.said.Version, Skipped: "refused: " + why}}
	})
}

// edit brings the root to the newest state. Edits always write the newest state and may be repeated without harm.
func (r *run) edit(ctx context.Context) (time.Time, error) {
	d := &r.w.Delivery
	said := r.w.Newest
	shown := said.Version
	said.Version, said.MessageID = 1, d.RootID
	now := r.e.clock.Now()
	done := func(at time.Time) error {
		return r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { edited(d, shown, at); return nil })
	}
	if d.NoEdit || !r.limits.Edits {
		return time.Time{}, done(d.EditedAt)
	}
	if next := d.EditedAt.Add(r.limits.EditEvery); !d.EditedAt.IsZero() && next.After(now) {
		return r.later(ctx, next, true, "the root was edited just now")
	}
	dest := r.w.Destination
	if wait := r.e.ceiling.pass(dest.Platform, dest.Workspace, d.ID, now); !wait.IsZero() {
		return r.later(ctx, wait, true, "the workspace is at its ceiling")
	}
	text, err := r.compose(said)
	if err != nil {
		r.e.tell(context.WithoutCancel(ctx), "delivery:"+d.ID+":rejected", err.Error())
		return time.Time{}, done(now)
	}
	t := notify.Target{Destination: dest, Root: d.RootID, Thread: d.ThreadID, Key: notify.Key(d.Destination, d.Incident, rootPart(d))}
	began := time.Now()
	if err := r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { intend(d, partEdit, now, r.e.opts.Lease); return nil }); err != nil {
		return time.Time{}, err
	}
	res, took := r.call(ctx, began, func(ctx context.Context) notify.Result { return r.n.Edit(ctx, t, text) })
	if wait, handled, err := r.common(ctx, res); handled {
		return wait, err
	}
	switch res.Verdict {
	case notify.Done:
		r.observe(EventEdited, took, 0)
		return time.Time{}, done(r.e.clock.Now())
	case notify.RootGone:
		r.observe(EventRootGone, took, 0)
		return time.Time{}, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark { rootGone(d); return nil })
	case notify.NoEdit:
		return time.Time{}, r.step(ctx, func(d *downwind.Delivery) []downwind.PartMark {
			d.NoEdit = true
			edited(d, shown, d.EditedAt)
			return nil
		})
	}
	why := reason(res, "the platform refused the edit")
	r.observe(EventRejected, took, 0)
	r.e.tell(context.WithoutCancel(ctx), "delivery:"+d.ID+":rejected", fmt.Sprintf("An edit in %s was refused (%s): %s", dest.ID, d.Incident, why))
	return time.Time{}, done(r.e.clock.Now())
}
