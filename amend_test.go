package downwind_test

import (
	"slices"
	"strings"
	"testing"

	"downwind"
)

func TestAmended(t *testing.T) {
	team := downwind.Team{
		Stack: downwind.Stack{Providers: []downwind.Use{
			{Provider: "npm", Confidence: downwind.Sure},
			{Provider: "sentry", Confidence: downwind.Guess},
			{Provider: "stripe", Confidence: downwind.Sure},
			{Provider: "twilio", Confidence: downwind.Sure},
		}},
		Rules: []downwind.Rule{
			{Kind: downwind.RuleAdd, Provider: "datadog", Region: "eu1"},
			{Kind: downwind.RuleDrop, Provider: "twilio"},
			{Kind: downwind.RuleConfirm, Provider: "sentry"},
			{Kind: downwind.RuleRegion, Provider: "stripe", Region: "us"},
			{Kind: downwind.RuleComponent, Provider: "stripe", Component: "checkout"},
			{Kind: downwind.RuleNotUs, Provider: "stripe"},
		},
	}
	got := team.MyStack()
	var have []string
	for _, u := range got.Providers {
		have = append(have, strings.TrimSpace(u.Provider+" "+string(u.Confidence)+" "+strings.Join(u.Services, ",")+" "+strings.Join(u.Regions, ",")))
	}
	if want := []string{"datadog sure  eu1", "npm sure", "sentry sure", "stripe sure checkout us"}; !slices.Equal(have, want) {
		t.Errorf("uses %q, want %q", have, want)
	}
	if !got.Use("sentry").Manual || !got.Use("datadog").Manual || got.Use("npm").Manual {
		t.Error("Manual marks what people said, and nothing else")
	}
	if len(team.Stack.Providers) != 4 || team.Stack.Use("sentry").Confidence != downwind.Guess || len(team.Stack.Use("stripe").Regions) > 0 {
		t.Error("the stack itself was changed")
	}
}

func TestRuleOpposes(t *testing.T) {
	rule := func(kind downwind.RuleKind) downwind.Rule { return downwind.Rule{Kind: kind, Provider: "stripe"} }
	for _, c := range []struct {
		name     string
		new, old downwind.Rule
		want     bool
	}{
		{"drop after add", rule(downwind.RuleDrop), rule(downwind.RuleAdd), true},
		{"add after drop", rule(downwind.RuleAdd), rule(downwind.RuleDrop), true},
		{"a region after drop", rule(downwind.RuleRegion), rule(downwind.RuleDrop), true},
		{"confirm after not us", rule(downwind.RuleConfirm), rule(downwind.RuleNotUs), true},
		{"not us after drop", rule(downwind.RuleNotUs), rule(downwind.RuleDrop), false},
		{"add after add", rule(downwind.RuleAdd), rule(downwind.RuleAdd), false},
		{"another provider", rule(downwind.RuleDrop), downwind.Rule{Kind: downwind.RuleAdd, Provider: "twilio"}, false},
	} {
		if got := c.new.Opposes(c.old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
