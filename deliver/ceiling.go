package deliver

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// ceilings bound what goes into each workspace. A delivery that must wait keeps its place: it is given an instant and may
// pass then, so that thousands that wait do not all come back at once.
type ceilings struct {
	rule func(platform string) (perSecond float64, burst int)

	mu   sync.Mutex
	have map[string]*ceiling
}

type ceiling struct {
	limiter *rate.Limiter
	// until is the platform's own wait (429 for the workspace).
	until time.Time
	// places are the instants promised to those that wait, by delivery.
	places map[string]time.Time
}

func newCeilings(rule func(string) (float64, int)) *ceilings {
	return &ceilings{rule: rule, have: make(map[string]*ceiling)}
}

func (c *ceilings) of(platform, workspace string) *ceiling {
	key := platform + ":" + workspace
	have := c.have[key]
	if have == nil {
		have = &ceiling{places: make(map[string]time.Time)}
		if perSecond, burst := c.rule(platform); perSecond > 0 {
			have.limiter = rate.NewLimiter(rate.Limit(perSecond), max(burst, 1))
		}
		c.have[key] = have
	}
	return have
}

// pass lets one message through, or returns the instant at which it may.
func (c *ceilings) pass(platform, workspace, delivery string, now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.of(platform, workspace)
	if w.until.After(now) {
		return w.until
	}
	if place, ok := w.places[delivery]; ok {
		if place.After(now) {
			return place
		}
		delete(w.places, delivery)
		return time.Time{}
	}
	if w.limiter == nil {
		return time.Time{}
	}
	wait := w.limiter.ReserveN(now, 1).DelayFrom(now)
	if wait <= 0 {
		return time.Time{}
	}
	w.forget(now)
	w.places[delivery] = now.Add(wait)
	return now.Add(wait)
}

// forget drops places that nobody came for.
func (w *ceiling) forget(now time.Time) {
	if len(w.places) < 1024 {
		return
	}
	for id, at := range w.places {
		if now.Sub(at) > time.Minute {
			delete(w.places, id)
		}
	}
}

// hold lets nothing into a workspace before an instant.
func (c *ceilings) hold(platform, workspace string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.of(platform, workspace); until.After(w.until) {
		w.until = until
	}
}
