// Package notify turns alerts into messages and defines what a platform must do with them.
//
// A Notifier fills its platform's payload, respects its limits, sends, and judges the answer. Queueing, order, retries
// and the ledger are deliver's. Every message is built from a downwind.Alert by Compose, then rendered by the
// platform's folder, whose one escaping function every piece of provider text passes.
package notify

import (
	"context"
	"time"

	"downwind"
)

// Verdict is what an answer of a platform means for the delivery.
type Verdict int

// The verdicts.
const (
	// Done: it is visible.
	Done Verdict = iota
	// Wait: not sent; try again after RetryAfter (rate limits). Spends no attempt.
	Wait
	// Unclear: it may have been sent; look before sending again.
	Unclear
	// NotSent: certainly not sent and worth another try (connection refused).
	NotSent
	// Permanent: the destination cannot receive; pause it with Reason.
	Permanent
	// Revoked: the whole workspace's credentials are gone; stop all its destinations.
	Revoked
	// RootGone: the root was deleted; post a new root "continued" and rebind.
	RootGone
	// NoEdit: the message can no longer be edited; thread only from now on.
	NoEdit
	// NoThread: replies must go into the channel itself.
	NoThread
	// Rejected: the payload was refused although every smaller form was tried; our bug.
	Rejected
)

// Result is the outcome of one call.
type Result struct {
	Verdict Verdict
	// ID is the platform's id of the message; Thread of its thread, where it differs.
	ID, Thread string
	RetryAfter time.Duration
	// Reason is a sentence for people that names the repair ("invite the app: /invite @downwind"). It holds no secret.
	Reason string
	// Err is the cause for the log. It holds no secret.
	Err error
}

// A Target names where a message goes.
type Target struct {
	Destination downwind.Destination
	// Root and Thread are the platform's ids of the root and its thread, empty for a root.
	Root, Thread string
	// Key is this message's own key, see Key; for an edit the root's.
	Key string
	// FirstTry is when the first attempt of this message was committed; look-ups begin there.
	FirstTry time.Time
}

// A Notifier delivers messages to one platform. All methods honour the context's deadline and are safe for concurrent use.
type Notifier interface {
	// Post sends a root message.
	Post(ctx context.Context, t Target, m Message) Result
	// Reply sends a message into the root's thread; m.Broadcast shows it in the channel too.
	Reply(ctx context.Context, t Target, m Message) Result
	// Edit changes the root to m. It is idempotent.
	Edit(ctx context.Context, t Target, m Message) Result
	// Find looks for the message with the target's key among those sent since FirstTry: Done with its ID when it is there,
	// Done with an empty ID when it certainly is not, Unclear when the look-up failed or cannot be done.
	Find(ctx context.Context, t Target) Result
	// Check tests silently whether the destination can receive.
	Check(ctx context.Context, d downwind.Destination) Result
	// Limits says what the platform can do.
	Limits() Limits
}

// Limits says what a platform can do and how fast.
type Limits struct {
	// Edits, Threads and Lookup tell whether the platform can do these.
	Edits, Threads, Lookup bool
	// Idempotent is how long the same key sent again is refused by the platform itself; zero: not at all.
	Idempotent time.Duration
	// PerChannel is the least time between two posts in a channel; EditEvery between two edits of one root.
	PerChannel, EditEvery time.Duration
	// Timeout bounds one request.
	Timeout time.Duration
	// Shared says that the platform's "wait" counts for the whole workspace, not for one channel.
	Shared bool
}
