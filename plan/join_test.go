package plan_test

import (
	"slices"
	"testing"

	"downwind"
)

// C082: one trouble in several regions is told once; the others stand in its thread.
func TestTheSameTroubleElsewhereIsJoined(t *testing.T) {
	for _, tc := range []struct {
		name string
		// second changes the second incident, which begins five minutes after the first, open one.
		second func(first, inc *downwind.Incident)
		joined bool
	}{
		{"the same title", func(_, _ *downwind.Incident) {}, true},
		{"another region in title and field", func(first, inc *downwind.Incident) {
			first.Title, first.Regions = "Errors in us-east-1", []string{"us-east-1"}
			inc.Title, inc.Regions = "Errors in eu-west-1", []string{"eu-west-1"}
		}, true},
		{"another title", func(_, inc *downwind.Incident) { inc.Title = "Webhooks late" }, false},
		{"worse than the first", func(_, inc *downwind.Incident) { inc.Impact = downwind.ImpactCritical }, false},
		{"an hour later", func(_, inc *downwind.Incident) { inc.StartedAt = at(65) }, false},
		{"the first is over", func(first, _ *downwind.Incident) {
			first.Phase, first.ResolvedAt = downwind.Resolved, at(4)
		}, false},
		{"theirs, while the first is not", func(first, _ *downwind.Incident) {
			first.Title, first.Components = "Errors", []downwind.Component{{ID: "c9", Name: "Billing exports", Status: downwind.PartialOutage}}
		}, false},
		{"planned work", func(_, inc *downwind.Incident) {
			inc.Kind, inc.Phase, inc.ScheduledFor = downwind.KindMaintenance, downwind.Scheduled, at(600)
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSite(t, team(withSubscription(downwind.Subscription{Target: downwind.TargetAll})))
			s.incident("a", 0, downwind.Investigating, "Requests fail.")
			s.incident("b", 5, downwind.Investigating, "Requests fail.")
			first, second := s.find("a"), s.find("b")
			first.Title, second.Title = "Errors", "Errors"
			tc.second(first, second)
			both := slices.Clone(s.doc.Incidents)
			s.remove("b")
			s.now = at(1)
			s.read()
			s.doc.Incidents, s.now = both, at(6)
			p := s.read()
			for _, r := range p.Raises {
				if r.Incident != "acme/b" {
					continue
				}
				if joined := r.Parent == "slack:T1:C1|acme/a"; joined != tc.joined || joined && r.Alert.Push {
					t.Errorf("parent %q, push %v", r.Parent, r.Alert.Push)
				}
				return
			}
			if tc.joined {
				t.Errorf("nothing was told: %+v", p)
			}
		})
	}
}
