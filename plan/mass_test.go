package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/plan"
)

// uses adds providers to a team's stack.
func uses(slugs ...string) func(*downwind.Audience) {
	return func(a *downwind.Audience) {
		for _, s := range slugs {
			a.Team.Stack.Providers = append(a.Team.Stack.Providers, downwind.Use{
				Provider: s, Name: strings.ToUpper(s), Confidence: downwind.Sure,
				Evidence: []downwind.Evidence{{File: "main.tf", Line: 2, Kind: "tf_resource", Match: s, Region: "us-east-1", Direct: true, Relation: downwind.Hosted}},
			})
		}
	}
}

func (s *site) planned(change func(*plan.Input)) downwind.Plan {
	s.t.Helper()
	in := s.memory.Input(acme, s.doc, s.now)
	change(&in)
	p, err := s.planner.Plan(in)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func TestCoincidenceIsToldWithItsBeginning(t *testing.T) {
	s := newSite(t, team(uses("aws")))
	s.now = at(30)
	s.incident("x", 20, downwind.Investigating, "Requests in us-east-1 fail.").Title = "Errors in us-east-1"
	elsewhere := func(region string, began time.Time) downwind.Incident {
		return downwind.Incident{
			Provider: "aws", ID: "a", Kind: downwind.KindIncident, Title: "Increased error rates", Phase: downwind.Investigating, Regions: []string{region}, StartedAt: began,
			Updates: []downwind.Update{{ID: "u", Body: "Requests in " + region + " fail.", PostedAt: began}},
		}
	}
	cases := []struct {
		name  string
		other downwind.Incident
		want  []string
	}{
		{"same place, just before", elsewhere("us-east-1", at(1)), []string{"AWS in us-east-1 since 10:01 UTC"}},
		{"another place", elsewhere("eu-west-1", at(1)), nil},
		{"long before", elsewhere("us-east-1", at(-200)), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := s.planned(func(in *plan.Input) { in.Known.Recent = []downwind.Incident{c.other} })
			if len(p.Raises) != 1 {
				t.Fatalf("got %d raises, want 1", len(p.Raises))
			}
			if got := p.Raises[0].Alert.Coincident; !slices.Equal(got, c.want) {
				t.Errorf("coincident: got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMassEventIsCollected(t *testing.T) {
	a := team()
	s := newSite(t, a)
	s.now = at(30)
	s.incident("x", 29, downwind.Investigating, "Requests fail.")
	recent := func(n int, ago time.Duration) func(*plan.Input) {
		return func(in *plan.Input) {
			for i := range n {
				in.Audiences[0].Recent = append(in.Audiences[0].Recent, downwind.RecentRoot{
					Delivery: fmt.Sprintf("slack:T1:C1|p%d/i", i), Destination: "slack:T1:C1", Provider: fmt.Sprintf("p%d", i), At: s.now.Add(-ago),
				})
			}
		}
	}
	if p := s.planned(recent(4, time.Minute)); len(p.Raises) != 1 || p.Raises[0].Parent != "" {
		t.Errorf("five providers at once: got %d raises, the first under %q; want one of its own", len(p.Raises), p.Raises[0].Parent)
	}
	if p := s.planned(recent(9, time.Hour)); len(p.Raises) != 1 || p.Raises[0].Parent != "" {
		t.Errorf("nine providers an hour ago: got %d raises, want one of its own", len(p.Raises))
	}
	p := s.planned(recent(5, time.Minute))
	if len(p.Raises) != 2 {
		t.Fatalf("six providers at once: got %d raises, want the incident and the collecting message", len(p.Raises))
	}
	incident, collecting := p.Raises[0], p.Raises[1]
	if incident.Parent != collecting.Delivery || incident.Alert.Push {
		t.Errorf("the incident hangs under %q (push %t), want %q without a ping", incident.Parent, incident.Alert.Push, collecting.Delivery)
	}
	if got := collecting.Alert.Announcement; got == nil || got.Title != "6 of your providers report trouble at the same time" {
		t.Errorf("the collecting message says %+v", got)
	}
	// The next provider joins the message that stands.
	p = s.planned(func(in *plan.Input) {
		recent(5, time.Minute)(in)
		in.Audiences[0].Recent = append(in.Audiences[0].Recent, downwind.RecentRoot{Delivery: collecting.Delivery, Destination: "slack:T1:C1", Provider: "downwind", At: s.now})
	})
	if len(p.Raises) != 2 || p.Raises[0].Parent != collecting.Delivery || p.Raises[1].Delivery != collecting.Delivery {
		t.Errorf("a later one: %d raises, under %q, want it under %q", len(p.Raises), p.Raises[0].Parent, collecting.Delivery)
	}
}
