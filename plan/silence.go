package plan

import (
	"slices"
	"time"
)

// The norm of a source: what it takes to have one, and how far beyond it silence must go.
const (
	normOf     = 8
	farBeyond  = 3
	silentLong = 30 * 24 * time.Hour
)

// A Silence is how long a source has told nothing new, against the longest pause it made before.
type Silence struct {
	Since         time.Time
	Pause, Before time.Duration
}

// Silent judges whether a source has been silent far beyond its norm, as one does whose address was changed without
// notice: longer than a month and three times its longest pause, with at least eight incidents to tell. Starts are the
// incidents' starts in any order; those that lie ahead (maintenance) are left out.
func Silent(starts []time.Time, now time.Time) (Silence, bool) {
	past := slices.DeleteFunc(slices.Clone(starts), func(t time.Time) bool { return t.IsZero() || t.After(now) })
	if len(past) < normOf {
		return Silence{}, false
	}
	slices.SortFunc(past, time.Time.Compare)
	s := Silence{Since: past[len(past)-1]}
	for i, t := range past[1:] {
		s.Before = max(s.Before, t.Sub(past[i]))
	}
	s.Pause = now.Sub(s.Since)
	return s, s.Pause > silentLong && s.Pause > farBeyond*s.Before
}
