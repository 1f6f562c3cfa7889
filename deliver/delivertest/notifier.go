package delivertest

import (
	"context"
	"errors"
	"time"

	"downwind"
	"downwind/notify"
)

// Notifier talks to the platform in process. It is driven by Next, which says how each request goes.
type Notifier struct {
	Platform *Platform
	// Clock dates messages; nil: the wall.
	Clock downwind.Clock
	// Next says how a request goes; nil: fine.
	Next func(Request) Fault
	// Can says what the platform can do; the zero value: everything, without a pace.
	Can notify.Limits
	// Slowed gets what takes effect later; nil: it takes effect at once, unanswered.
	Slowed func(effect func())
}

var errFault = errors.New("the platform misbehaves")

// Limits implements notify.Notifier.
func (n *Notifier) Limits() notify.Limits {
	if n.Can == (notify.Limits{}) {
		return notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: time.Second}
	}
	return n.Can
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.do(ctx, Request{Op: "post", Destination: t.Destination.ID, Key: t.Key, Text: m.Text})
}

// Reply implements notify.Notifier.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.do(ctx, Request{Op: "reply", Destination: t.Destination.ID, Key: t.Key, Root: t.Root, Text: m.Text})
}

// Edit implements notify.Notifier.
func (n *Notifier) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.do(ctx, Request{Op: "edit", Destination: t.Destination.ID, Key: t.Key, ID: t.Root, Text: m.Text})
}

// Find implements notify.Notifier.
func (n *Notifier) Find(ctx context.Context, t notify.Target) notify.Result {
	return n.do(ctx, Request{Op: "find", Destination: t.Destination.ID, Key: t.Key, Since: t.FirstTry})
}

// Check implements notify.Notifier.
func (n *Notifier) Check(ctx context.Context, d downwind.Destination) notify.Result {
	return n.do(ctx, Request{Op: "check", Destination: d.ID})
}

func (n *Notifier) do(ctx context.Context, r Request) notify.Result {
	if err := ctx.Err(); err != nil {
		return notify.Result{Verdict: notify.NotSent, Err: err}
	}
	n.Platform.count(r.Op)
	fault := Fine
	if n.Next != nil {
		fault = n.Next(r)
	}
	switch fault {
	case TooMany:
		return notify.Result{Verdict: notify.Wait, RetryAfter: time.Second, Reason: "429"}
	case Refused:
		return notify.Result{Verdict: notify.NotSent, Err: errFault}
	case Broken:
		return notify.Result{Verdict: notify.Unclear, Err: errFault}
	case Gone:
		return notify.Result{Verdict: notify.RootGone}
	case NoEdit:
		return notify.Result{Verdict: notify.NoEdit}
	case NoThread:
		return notify.Result{Verdict: notify.NoThread}
	case Forbidden:
		return notify.Result{Verdict: notify.Permanent, Reason: "invite the app: /invite @downwind"}
	}
	if r.Op == "check" {
		return notify.Result{}
	}
	if r.Op == "find" {
		if fault != Fine {
			return notify.Result{Verdict: notify.Unclear, Err: errFault}
		}
		return notify.Result{ID: n.Platform.find(r)}
	}
	now := time.Now()
	if n.Clock != nil {
		now = n.Clock.Now()
	}
	if fault == Slow && n.Slowed != nil {
		n.Slowed(func() { n.Platform.accept(r, now) })
		return notify.Result{Verdict: notify.Unclear, Err: errFault}
	}
	id, ok := n.Platform.accept(r, now)
	switch {
	case !ok:
		return notify.Result{Verdict: notify.RootGone}
	case fault != Fine:
		return notify.Result{Verdict: notify.Unclear, Err: errFault}
	}
	return notify.Result{ID: id}
}
