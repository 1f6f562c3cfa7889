package match

import (
	"slices"
	"testing"

	"downwind"
)

func TestCompare(t *testing.T) {
	yes := func(components ...string) downwind.Match {
		return downwind.Match{Affected: true, Verdict: downwind.AffectedSure, Components: components}
	}
	may := downwind.Match{Affected: true, Verdict: downwind.AffectedPossible}
	no := downwind.Match{Verdict: downwind.NotAffected, Held: downwind.HeldRegion}
	a, ab := yes("API"), yes("API", "Calls")
	cases := []struct {
		name           string
		before         *downwind.Match
		after          downwind.Match
		newly, cleared bool
		text           string
	}{
		{"first judgement", nil, a, true, false, "Now also yours: API."},
		{"grew to a component", &a, ab, true, false, "Now also yours: Calls."},
		{"shrank", &ab, a, false, false, "Smaller for you: Calls no longer named."},
		{"cleared", &a, no, false, true, "No longer yours: the newer words rule out what your files use."},
		{"doubt became certain", &may, yes(), true, false, "Now yours: the newer words reach what your files use."},
		{"became doubtful", &a, may, false, false, "Smaller for you: API no longer named."},
		{"nothing", &a, a, false, false, ""},
		{"never hit", &no, no, false, false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := Compare(c.before, c.after)
			if s.NewlyYours != c.newly || s.Cleared != c.cleared {
				t.Errorf("got newly %t, cleared %t; want %t, %t", s.NewlyYours, s.Cleared, c.newly, c.cleared)
			}
			if got := s.Text(); got != c.text {
				t.Errorf("got %q, want %q", got, c.text)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	j := judge(t)
	inc := incident("livekit", "API failures in Chicago", "Requests fail.", nil)
	if got := j.Read(inc, Known{}).Named(); slices.Contains(got, "SIP") {
		t.Errorf("before: got %q, want no SIP", got)
	}
	inc.Updates = append(inc.Updates, downwind.Update{ID: "p", Phase: downwind.Postmortem, Body: "Room management, agent dispatch and SIP API requests failed."})
	got := j.Read(inc, Known{}).Named()
	for _, want := range []string{"SIP", "Agent Dispatch"} {
		if !slices.Contains(got, want) {
			t.Errorf("after: got %q, want %q among them", got, want)
		}
	}
}
