package downwind

import (
	"sync"
	"time"
)

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

// A ManualClock stands still until it is set or advanced: for tests and the demo. It is safe for concurrent use.
type ManualClock struct {
	mu      sync.Mutex
	now     time.Time
	waiting []sleeper
}

type sleeper struct {
	at time.Time
	ch chan time.Time
}

// NewManualClock returns a clock that shows t.
func NewManualClock(t time.Time) *ManualClock { return &ManualClock{now: t.UTC()} }

// Now implements Clock.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After implements Clock: the channel is sent to once the clock has been advanced by d.
func (c *ManualClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d <= 0 {
		ch <- c.now
		return ch
	}
	c.waiting = append(c.waiting, sleeper{c.now.Add(d), ch})
	return ch
}

// Advance moves the clock by d.
func (c *ManualClock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }

// Set moves the clock to t and wakes those whose time has come. It never goes back.
func (c *ManualClock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t = t.UTC(); t.After(c.now) {
		c.now = t
	}
	left := c.waiting[:0]
	for _, s := range c.waiting {
		if s.at.After(c.now) {
			left = append(left, s)
			continue
		}
		s.ch <- c.now
	}
	c.waiting = left
}
