package match

import (
	"slices"
	"testing"
	"time"

	"downwind"
)

func TestCoincidence(t *testing.T) {
	j := judge(t)
	noon := time.Date(2026, 11, 3, 12, 1, 0, 0, time.UTC)
	at := func(inc *downwind.Incident, id string, after, lasts time.Duration) *downwind.Incident {
		inc.ID, inc.StartedAt = id, noon.Add(after)
		if lasts > 0 {
			inc.ResolvedAt = inc.StartedAt.Add(lasts)
		}
		return inc
	}
	aws := func() *downwind.Incident {
		return at(incident("aws", "Errors in N. Virginia", "Requests in US-EAST-1 fail.", []string{"us-east-1"}), "a", 0, 0)
	}
	cases := []struct {
		name string
		incs []*downwind.Incident
		want [][]string
	}{
		{"same city", []*downwind.Incident{
			aws(), at(incident("vercel", "Functions failing in IAD1", "Functions in iad1 fail.", nil, "iad1 - Washington, D.C., USA"), "v", 4*time.Minute, 0),
			at(incident("neon", "Errors in us-east-1", "Computes in aws-us-east-1 do not start.", nil), "n", 9*time.Minute, 0),
		}, [][]string{{"aws/a", "neon/n"}}},
		{"other place", []*downwind.Incident{aws(), at(incident("neon", "Errors in Frankfurt", "Computes in aws-eu-central-1 do not start.", nil), "n", time.Minute, 0)}, nil},
		{"too late", []*downwind.Incident{aws(), at(incident("neon", "Errors", "Computes in aws-us-east-1 do not start.", nil), "n", 3*time.Hour, 0)}, nil},
		{"over before", []*downwind.Incident{
			at(incident("aws", "Errors", "Requests in US-EAST-1 fail.", []string{"us-east-1"}), "a", 0, 5*time.Minute),
			at(incident("neon", "Errors", "Computes in aws-us-east-1 do not start.", nil), "n", 20*time.Minute, 0),
		}, nil},
		{"one provider", []*downwind.Incident{aws(), at(incident("aws", "Errors", "Requests in US-EAST-1 fail.", []string{"us-east-1"}), "b", time.Minute, 0)}, nil},
		{"no place", []*downwind.Incident{aws(), at(incident("stripe", "API errors", "Requests fail.", nil), "s", time.Minute, 0)}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got [][]string
			for _, g := range j.Coincidence(c.incs, time.Hour) {
				got = append(got, g.Incidents)
				if g.Place == "" || !g.Since.Equal(noon) {
					t.Errorf("got place %q since %s, want a place since %s", g.Place, g.Since, noon)
				}
			}
			if !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
