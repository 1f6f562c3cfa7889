package notify

import (
	"context"

	"downwind"
)

// A OneWay is a Notifier for places that take messages and know nothing of them afterwards: nothing can be edited, looked
// for, or tested without showing a message. C configures one endpoint.
type OneWay[C interface{ Validate() error }] struct {
	// Who is the platform's name for people ("Teams").
	Who string
	// Endpoints are by name, which is the destination's channel.
	Endpoints map[string]C
	// Send sends one message, root or reply.
	Send func(ctx context.Context, c C, t Target, m Message) Result
	Can  Limits
}

// Post implements Notifier.
func (o OneWay[C]) Post(ctx context.Context, t Target, m Message) Result {
	c, ok := o.Endpoints[t.Destination.Channel]
	if !ok {
		return Unknown(o.Who, t.Destination.Channel)
	}
	return o.Send(ctx, c, t, m)
}

// Reply implements Notifier: a message of its own.
func (o OneWay[C]) Reply(ctx context.Context, t Target, m Message) Result { return o.Post(ctx, t, m) }

// Edit implements Notifier: what was sent stays.
func (o OneWay[C]) Edit(context.Context, Target, Message) Result { return NotEditable() }

// Find implements Notifier: nothing can be looked for.
func (o OneWay[C]) Find(context.Context, Target) Result { return NoLookup(o.Who) }

// Check implements Notifier: it tests the configuration only, because every request is shown.
func (o OneWay[C]) Check(_ context.Context, d downwind.Destination) Result {
	c, ok := o.Endpoints[d.Channel]
	if !ok {
		return Unknown(o.Who, d.Channel)
	}
	if err := c.Validate(); err != nil {
		return Result{Verdict: Permanent, Reason: o.Who + ": " + err.Error(), Err: err}
	}
	return Result{Verdict: Done}
}

// Limits implements Notifier.
func (o OneWay[C]) Limits() Limits { return o.Can }
