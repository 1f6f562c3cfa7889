package match

import (
	"fmt"
	"slices"

	"downwind"
)

// heldByRule answers where people said that the whole provider is not theirs; nil otherwise.
func (c *hearing) heldByRule() *downwind.Match {
	for _, r := range slices.Backward(c.rules) {
		switch r.Kind {
		case downwind.RuleAdd, downwind.RuleConfirm:
			return nil
		case downwind.RuleDrop:
			return &downwind.Match{Held: downwind.HeldRule, WhyNot: fmt.Sprintf("%s said that this team does not use %s", orElse(r.By, "somebody"), c.name)}
		case downwind.RuleNotUs:
			if r.Component == "" && r.Region == "" {
				return &downwind.Match{Held: downwind.HeldRule, WhyNot: fmt.Sprintf("%s said that incidents of %s are not this team's", orElse(r.By, "somebody"), c.name)}
			}
		}
	}
	return nil
}

func (c *hearing) ruleAdds() bool {
	return slices.ContainsFunc(c.rules, func(r downwind.Rule) bool {
		return r.Kind == downwind.RuleAdd || r.Kind == downwind.RuleComponent || r.Kind == downwind.RuleRegion
	})
}

// ruled reports whether people gave a rule of a kind for a component.
func (c *hearing) ruled(kind downwind.RuleKind, component string) bool {
	return slices.ContainsFunc(c.rules, func(r downwind.Rule) bool {
		return r.Kind == kind && r.Component != "" && downwind.FitsAny([]string{r.Component}, []string{component})
	})
}

// notUs reports whether a rule with a component or a region takes a finding out.
func (c *hearing) notUs(f *finding) bool {
	return slices.ContainsFunc(c.rules, func(r downwind.Rule) bool {
		if r.Kind != downwind.RuleNotUs || r.Component == "" && r.Region == "" {
			return false
		}
		if r.Component != "" && !downwind.FitsAny([]string{r.Component}, []string{f.item.name}) {
			return false
		}
		if r.Region == "" {
			return true
		}
		names := append(placeNames(f.item.places), c.inc.Regions...)
		names = append(names, f.places...)
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return !downwind.FitsAny([]string{r.Region}, []string{n}) })
	})
}
