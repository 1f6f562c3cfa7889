package stackparse

import (
	"path"
	"slices"
	"strings"

	"downwind"
)

// ApplyRules lays people's words over a parsed stack: add and confirm make a use sure, drop takes it out, region and
// component add to it (a use that does not exist yet is added). Later rules win. The stack given is not changed.
func ApplyRules(s downwind.Stack, rules []downwind.Rule) downwind.Stack {
	s.Providers = slices.Clone(s.Providers)
	for _, r := range rules {
		if r.Provider == "" {
			continue
		}
		switch r.Kind {
		case downwind.RuleAdd, downwind.RuleConfirm:
			u := manual(&s, r)
			u.Confidence = downwind.Sure
			extend(u, r)
		case downwind.RuleRegion, downwind.RuleComponent:
			extend(manual(&s, r), r)
		case downwind.RuleDrop:
			s.Providers = slices.DeleteFunc(s.Providers, func(u downwind.Use) bool { return matches(r.Provider, u.Provider) })
		}
	}
	slices.SortFunc(s.Providers, func(a, b downwind.Use) int { return strings.Compare(a.Provider, b.Provider) })
	return s
}

// manual returns the use that a rule speaks of, marked as a person's word; it is added when missing.
func manual(s *downwind.Stack, r downwind.Rule) *downwind.Use {
	u := s.Use(r.Provider)
	if u == nil {
		s.Providers = append(s.Providers, downwind.Use{Provider: r.Provider, Name: r.Provider, Confidence: downwind.Sure})
		u = &s.Providers[len(s.Providers)-1]
	}
	u.Manual = true
	return u
}

func extend(u *downwind.Use, r downwind.Rule) {
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
