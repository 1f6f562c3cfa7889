package feeds

import (
	"math/rand/v2"
	"time"

	"downwind"
)

// The schedule. docs/sources.md promises it.
const (
	// IdleInterval is how often a source is read that no team depends on.
	IdleInterval = 10 * time.Minute
	// everyWhole makes each n-th poll a plain one of the whole plan.
	everyWhole = 5
	// staleAfter failures in a row a source is unreadable, before that stale.
	staleAfter = 3
	// Ceilings of the pause after failures: it never stops.
	ceilingWanted = 5 * time.Minute
	ceilingIdle   = time.Hour
	// freshnessCap bounds how long a server's Cache-Control may hold a poll back.
	freshnessCap = 2 * time.Minute
)

// schedule decides when a source is read next.
type schedule struct {
	interval, hot time.Duration
	// jitter returns a random duration in [0, d).
	jitter func(d time.Duration) time.Duration
}

func newSchedule(interval, hot time.Duration, jitter func(time.Duration) time.Duration) schedule {
	if interval <= 0 {
		interval = time.Minute
	}
	if hot <= 0 {
		hot = 20 * time.Second
	}
	if jitter == nil {
		jitter = func(d time.Duration) time.Duration {
			if d <= 0 {
				return 0
			}
			return rand.N(d)
		}
	}
	return schedule{interval, min(hot, interval), jitter}
}

// every is the interval of a source: the configured one, short while an incident that hits somebody is open, long for
// sources that nobody depends on.
func (s schedule) every(src downwind.Source) time.Duration {
	base := s.interval
	switch {
	case src.Interval > 0:
		base = src.Interval
	case !src.Wanted && !src.Hot:
		return max(IdleInterval, base)
	}
	if src.Hot {
		return min(base, s.hot)
	}
	return base
}

// after is when a source is due after a good poll: its interval less a random tenth, so that sources spread out and none
// is late; later when the server asks for it.
func (s schedule) after(src downwind.Source, now time.Time, maxAge time.Duration) time.Time {
	every := s.every(src)
	if hold := min(maxAge, freshnessCap); hold > every && !src.Hot {
		every = hold
	}
	return now.Add(every - s.jitter(every/10))
}

// retry is when a source is due after its n-th failure in a row: doubling up to a ceiling, anywhere in the second half
// of that pause, never before the server's Retry-After.
func (s schedule) retry(src downwind.Source, now time.Time, retryAfter time.Duration) time.Time {
	ceiling := ceilingIdle
	if src.Wanted || src.Hot || src.Interval > 0 {
		ceiling = max(ceilingWanted, src.Interval)
	}
	pause := s.every(src)
	for range min(max(src.Failures-1, 0), 16) {
		if pause >= ceiling {
			break
		}
		pause *= 2
	}
	pause = min(pause, ceiling)
	pause -= s.jitter(pause / 2)
	return now.Add(max(pause, retryAfter))
}

// whole reports whether the next poll asks for everything without conditions: each fifth one, after a failure, the one
// after news, and when the last one is long ago.
func (s schedule) whole(src downwind.Source, now time.Time) bool {
	m := parseMark(src.BodyHash)
	return src.LastRead.IsZero() || src.Failures > 0 || m.raw == "" || m.confirm || src.Polls%everyWhole == 0 ||
		now.Sub(src.LastRead) >= (everyWhole-1)*s.every(src)
}
