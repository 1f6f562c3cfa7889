package downwind

import (
	"path"
	"slices"
	"strings"
)

// MyStack is what the team runs on: what its files show, amended by what its people said.
func (t *Team) MyStack() Stack { return t.Stack.Amended(t.Rules) }

// Opposes reports whether a rule takes another one back: the same provider cannot be used and not used.
func (r Rule) Opposes(have Rule) bool {
	uses := have.Kind == RuleAdd || have.Kind == RuleConfirm
	switch {
	case have.Provider != r.Provider:
		return false
	case uses:
		return r.Kind == RuleDrop
	case have.Kind == RuleDrop:
		return r.Kind != RuleDrop && r.Kind != RuleNotUs
	}
	return have.Kind == RuleNotUs && (r.Kind == RuleAdd || r.Kind == RuleConfirm)
}

// Same reports whether two rules say the same, whoever said it and when.
func (r Rule) Same(o Rule) bool {
	return r.Kind == o.Kind && r.Provider == o.Provider && r.Component == o.Component && r.Region == o.Region
}

// Amended lays people's words over a stack: add and confirm make a use sure, drop takes it out, region and component add to
// it (a use that does not exist yet is added). Later rules win. The stack itself is not changed.
func (s Stack) Amended(rules []Rule) Stack {
	s.Providers = slices.Clone(s.Providers)
	for _, r := range rules {
		if r.Provider == "" {
			continue
		}
		switch r.Kind {
		case RuleAdd, RuleConfirm:
			u := manual(&s, r)
			u.Confidence = Sure
			extend(u, r)
		case RuleRegion, RuleComponent:
			extend(manual(&s, r), r)
		case RuleDrop:
			s.Providers = slices.DeleteFunc(s.Providers, func(u Use) bool { return matches(r.Provider, u.Provider) })
		}
	}
	slices.SortFunc(s.Providers, func(a, b Use) int { return strings.Compare(a.Provider, b.Provider) })
	return s
}

// manual returns the use that a rule speaks of, marked as a person's word; it is added when missing.
func manual(s *Stack, r Rule) *Use {
	u := s.Use(r.Provider)
	if u == nil {
		s.Providers = append(s.Providers, Use{Provider: r.Provider, Name: r.Provider, Confidence: Sure})
		u = &s.Providers[len(s.Providers)-1]
	}
	u.Manual = true
	return u
}

func extend(u *Use, r Rule) {
	u.Services = with(u.Services, r.Component)
	u.Regions = with(u.Regions, r.Region)
}

func with(list []string, s string) []string {
	if s == "" || s == "*" || slices.Contains(list, s) {
		return list
	}
	list = append(slices.Clone(list), s)
	slices.Sort(list)
	return list
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
