package plan_test

import (
	"testing"
	"time"

	"downwind/plan"
)

func TestSilent(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	every := func(n int, gap, last time.Duration) []time.Time {
		var list []time.Time
		for i := range n {
			list = append(list, now.Add(-last-time.Duration(i)*gap))
		}
		return list
	}
	for _, c := range []struct {
		name   string
		starts []time.Time
		want   bool
	}{
		{"weekly, quiet for three months", every(20, 7*day, 90*day), true},
		{"weekly, quiet for three weeks", every(20, 7*day, 21*day), false},
		{"hourly, quiet for a month less a day", every(20, time.Hour, 29*day), false},
		{"a page that is rarely used", every(9, 60*day, 120*day), false},
		{"a page that is rarely used, quiet for seven months", every(9, 60*day, 210*day), true},
		{"too few to know", every(7, day, 300*day), false},
		{"one long pause before", append(every(8, day, 90*day), now.Add(-140*day)), false},
		{"maintenance ahead is no news", append(every(20, 7*day, 90*day), now.Add(7*day)), true},
		{"incidents without a start", append(every(7, day, 300*day), time.Time{}), false},
		{"nothing", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := plan.Silent(c.starts, now)
			if got != c.want {
				t.Errorf("silent %v (%v, before %v), want %v", got, s.Pause, s.Before, c.want)
			}
		})
	}
}
