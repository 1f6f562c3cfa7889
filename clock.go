package downwind

import "time"

// A Clock tells the time and wakes sleepers. Production uses Wall; tests and the demo set and advance their own.
type Clock interface {
	// Now returns the present instant in UTC.
	Now() time.Time
	// After sends once on the channel when d has passed; a stopped context is the caller's affair.
	After(d time.Duration) <-chan time.Time
}

// Wall is the machine's clock.
type Wall struct{}

// Now implements Clock.
func (Wall) Now() time.Time { return time.Now().UTC() }

// After implements Clock.
func (Wall) After(d time.Duration) <-chan time.Time { return time.After(d) }
