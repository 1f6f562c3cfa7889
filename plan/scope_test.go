package plan_test

import (
	"slices"
	"testing"

	"downwind"
)

// TestNamedLater: who was not concerned hears when a component or region of theirs is named, also without a post or a state.
func TestNamedLater(t *testing.T) {
	tests := []struct {
		name   string
		filter downwind.Subscription
		change func(*downwind.Incident)
	}{
		{
			"a component",
			downwind.Subscription{Target: downwind.TargetProvider, Provider: "acme", Component: "Web*"},
			func(i *downwind.Incident) {
				i.Components = append(slices.Clone(i.Components), downwind.Component{ID: "c2", Name: "Web hooks"})
			},
		},
		{
			"a region",
			downwind.Subscription{Target: downwind.TargetAll, Filter: downwind.Filter{Regions: []string{"eu-*"}}},
			func(i *downwind.Incident) { i.Regions = append(slices.Clone(i.Regions), "eu-west") },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, team(withSubscription(tt.filter)))
			s.incident("i", 0, downwind.Investigating, "Requests fail.").Regions = []string{"us-east"}
			heldFor(t, s.read(), downwind.HeldFilter)
			tt.change(s.find("i"))
			r := one(t, s.read())
			if !slices.ContainsFunc(r.Alert.Changes, func(c downwind.Change) bool { return c.Field == "scope" }) {
				t.Errorf("changes %+v", r.Alert.Changes)
			}
			if again := s.read(); len(again.Raises) > 0 {
				t.Error("told twice")
			}
		})
	}
}
