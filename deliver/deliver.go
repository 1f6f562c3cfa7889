// Package deliver closes the gap between what should be visible in a chat and what is.
//
// The truth is the delivery row: one for each incident and destination, with the newest version that should be visible,
// the newest that was sent, and the newest that the root shows. A worker takes a lease on the row, commits an intent
// before each request, sends with its own key in the message, and records the answer. After any answer that leaves doubt
// it looks for its key before it sends again. Requests end before half the lease does, so a worker that was stopped in
// between can never send late. Messages of one incident go strictly in order, the root first; the root is edited last, to
// the newest state.
//
// What wakes a worker does not matter: River, the sweeper and Drain all lead to the same row. docs/delivery.md draws the
// states and names what can still go wrong.
package deliver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"downwind"
	"downwind/notify"
)

// A Store keeps delivery rows. store.DB is one.
type Store interface {
	TakeLease(ctx context.Context, id, owner string, now time.Time, lease time.Duration) (downwind.Work, bool, error)
	Reload(ctx context.Context, d downwind.Delivery) (downwind.Work, error)
	Step(ctx context.Context, held downwind.Delivery, owner string, step func(*downwind.Delivery) []downwind.PartMark) (downwind.Delivery, error)
	Intend(ctx context.Context, held downwind.Delivery, owner string, root bool, gap time.Duration, step func(*downwind.Delivery)) (downwind.Delivery, time.Time, error)
	HoldChannel(ctx context.Context, destination string, until time.Time) error
	Pause(ctx context.Context, destination, reason string) (bool, error)
	PauseWorkspace(ctx context.Context, platform, workspace, reason string) ([]string, error)
	ResumeDestination(ctx context.Context, id string) error
	Destinations(ctx context.Context, team string) ([]downwind.Destination, error)
	DueDeliveries(ctx context.Context, now time.Time, limit int) ([]string, error)
	NextDelivery(ctx context.Context) (time.Time, error)
	Sweep(ctx context.Context, now time.Time, gap time.Duration, limit int) (int, error)
	Beat(ctx context.Context) error
	SaveNote(ctx context.Context, n downwind.OperatorNote) (bool, error)
	Work(ctx context.Context, workers int, look func(ctx context.Context, delivery string) error) error
}

// EventKind names what happened to a message.
type EventKind string

// The events of a delivery.
const (
	EventSent     EventKind = "sent"
	EventEdited   EventKind = "edited"
	EventFound    EventKind = "found"    // a message in doubt was there
	EventAbsent   EventKind = "absent"   // a message in doubt was not there
	EventUnclear  EventKind = "unclear"  // the answer leaves doubt
	EventWait     EventKind = "wait"     // the platform asked for patience
	EventFailed   EventKind = "failed"   // certainly not sent
	EventSkipped  EventKind = "skipped"  // this version has no message of its own
	EventPaused   EventKind = "paused"   // the destination cannot receive
	EventRootGone EventKind = "rootgone" // somebody deleted the root
	EventRejected EventKind = "rejected" // the payload was refused: our bug
	EventExpired  EventKind = "expired"  // the platform could not be reached for too long
)

// An Event is one thing that happened, for metrics and logs.
type Event struct {
	Kind     EventKind
	Platform string
	// Took is the time of the platform's call; zero without one.
	Took time.Duration
	// Lag is the time from our reading of the change to its message; set on EventSent.
	Lag      time.Duration
	Delivery string
}

// Options say what an Engine works with.
type Options struct {
	Store Store
	// Notifiers are by platform ("slack").
	Notifiers map[string]notify.Notifier
	// Compose writes a message. A part of version 1 is a root: it is called for the first root, for every edit of it (with
	// the newest alert), and for a root that continues a lost one (Delivery.Generation above 0). Later versions are replies.
	Compose func(downwind.Delivery, downwind.Part) notify.Message
	// Clock tells the time; nil: the wall.
	Clock downwind.Clock
	// Logger gets warnings; nil: silence.
	Logger *slog.Logger
	// GiveUp is how long after it was read the newest version of a delivery is still tried when attempts fail; 0: three
	// days. Retries are bounded by age and never by count.
	GiveUp time.Duration
	// Workers is how many deliveries are worked on at once; 0: 16.
	Workers int
	// Lease is how long a worker holds a delivery without a sign of life; 0: 30 s. All processes must agree.
	Lease time.Duration
	// Sweep is how often the sweeper looks for forgotten deliveries; 0: 500 ms.
	Sweep time.Duration
	// Observe hears of every event; nil: nobody does. It must not block.
	Observe func(Event)
	// Operator hears of what concerns the installation: paused destinations, refused payloads. It keeps the note, and
	// tells one that stands already no more. nil: the engine keeps notes in the store and nobody is told.
	Operator func(ctx context.Context, n downwind.OperatorNote)
	// Ceiling bounds what goes into one workspace, a second and at once; nil: DefaultCeiling. Zero per second: no bound.
	Ceiling func(platform string) (perSecond float64, burst int)
	// SelfTest is how often destinations are silently tested: paused ones every quarter of it. 0: 24 h; below 0: never.
	SelfTest time.Duration
}

// DefaultCeiling keeps below what the platforms document: Slack allows several hundred messages a minute in a workspace,
// Discord 50 requests a second to a bot.
func DefaultCeiling(platform string) (perSecond float64, burst int) {
	switch platform {
	case downwind.PlatformSlack:
		return 5, 20
	case downwind.PlatformDiscord:
		return 40, 40
	}
	return 0, 0
}

// Engine delivers. Make one with New.
type Engine struct {
	opts    Options
	clock   downwind.Clock
	log     *slog.Logger
	ceiling *ceilings
	timers  *timers
	process string
}

// New checks the options and makes an engine.
func New(o Options) (*Engine, error) {
	if o.Store == nil || o.Compose == nil {
		return nil, fmt.Errorf("deliver: store and compose are needed: %w", downwind.ErrInvalid)
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Workers <= 0 {
		o.Workers = 16
	}
	if o.GiveUp <= 0 {
		o.GiveUp = 72 * time.Hour
	}
	if o.Lease <= 0 {
		o.Lease = 30 * time.Second
	}
	if o.Sweep <= 0 {
		o.Sweep = 500 * time.Millisecond
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Ceiling == nil {
		o.Ceiling = DefaultCeiling
	}
	if o.SelfTest == 0 {
		o.SelfTest = 24 * time.Hour
	}
	return &Engine{
		opts: o, clock: o.Clock, log: o.Logger, ceiling: newCeilings(o.Ceiling), timers: newTimers(o.Clock), process: random(8),
	}, nil
}

// random is n random bytes, hex.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// Drain works until nothing can be done now and returns; Next says when something can be done again. It needs neither
// River nor the passing of time.
func (e *Engine) Drain(ctx context.Context) error {
	var errs []error
	stuck := make(map[string]time.Time)
	for ctx.Err() == nil {
		now := e.clock.Now()
		ids, err := e.opts.Store.DueDeliveries(ctx, now, 500+len(stuck))
		if err != nil {
			return fmt.Errorf("deliver: %w", err)
		}
		worked := false
		for _, id := range ids {
			if at, ok := stuck[id]; ok && !now.After(at) || ctx.Err() != nil {
				continue
			}
			worked = true
			if _, err := e.Deliver(ctx, id); err != nil {
				errs = append(errs, err)
			}
			// A delivery that is still due at this same instant could not go on; it is left for the next.
			stuck[id] = now
		}
		if !worked {
			return errors.Join(errs...)
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// Next is the next instant at which a delivery can go on, zero when none waits.
func (e *Engine) Next(ctx context.Context) (time.Time, error) { return e.opts.Store.NextDelivery(ctx) }
