package match

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// A Shift is how an incident's reach into one team changed between two judgements.
type Shift struct {
	// NewlyYours: it grew to something this team uses, or a doubt became certain. Cleared: it no longer concerns the team.
	NewlyYours, Cleared bool
	// Added and Gone are components and regions of the team that are hit now and were not, and the other way round.
	AddedComponents, GoneComponents []string
	AddedRegions, GoneRegions       []string
	// Before and After are the verdicts.
	Before, After downwind.Verdict
}

// Compare says what changed for a team between an earlier and a later judgement of one incident; a nil earlier one counts as not hit.
func Compare(before *downwind.Match, after downwind.Match) Shift {
	if before == nil {
		before = &downwind.Match{Verdict: downwind.NotAffected}
	}
	s := Shift{
		Before: before.Verdict, After: after.Verdict,
		AddedComponents: minus(after.Components, before.Components), GoneComponents: minus(before.Components, after.Components),
		AddedRegions: minus(after.Regions, before.Regions), GoneRegions: minus(before.Regions, after.Regions),
	}
	sure := func(v downwind.Verdict) bool { return v == downwind.AffectedSure || v == downwind.AffectedLikely }
	s.Cleared = before.Affected && !after.Affected
	s.NewlyYours = after.Affected && (!before.Affected || sure(after.Verdict) && !sure(before.Verdict) || sure(after.Verdict) && len(s.AddedComponents) > 0)
	return s
}

// Changed reports whether there is anything to tell.
func (s Shift) Changed() bool {
	return s.Before != s.After || len(s.AddedComponents)+len(s.GoneComponents)+len(s.AddedRegions)+len(s.GoneRegions) > 0
}

// Text says the change in one sentence, empty when there is none.
func (s Shift) Text() string {
	switch {
	case !s.Changed():
		return ""
	case s.Cleared:
		return "No longer yours: the newer words rule out what your files use."
	case s.NewlyYours && len(s.AddedComponents) > 0:
		return fmt.Sprintf("Now also yours: %s.", strings.Join(s.AddedComponents, ", "))
	case s.NewlyYours && len(s.AddedRegions) > 0:
		return fmt.Sprintf("Now also yours: %s.", strings.Join(s.AddedRegions, ", "))
	case s.NewlyYours:
		return "Now yours: the newer words reach what your files use."
	case len(s.GoneComponents) > 0:
		return fmt.Sprintf("Smaller for you: %s no longer named.", strings.Join(s.GoneComponents, ", "))
	case len(s.AddedRegions)+len(s.AddedComponents) > 0:
		return fmt.Sprintf("Wider: %s.", strings.Join(append(slices.Clone(s.AddedComponents), s.AddedRegions...), ", "))
	case len(s.GoneRegions) > 0:
		return fmt.Sprintf("Smaller for you: %s no longer named.", strings.Join(s.GoneRegions, ", "))
	}
	return fmt.Sprintf("Judged anew: %s, before %s.", s.After, s.Before)
}

func minus(a, b []string) []string {
	var out []string
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y string) bool { return downwind.Fold(x) == downwind.Fold(y) }) {
			out = append(out, x)
		}
	}
	return out
}

// Named lists the provider's services that title and failing words name, in the words' order and the gazetteer's spelling. A service in
// the list of a later reading that an earlier one lacks is newly named.
func (r *Reading) Named() []string {
	t := r.judge.readText(r.inc)
	var out []string
	for _, text := range t.trouble() {
		for _, m := range r.judge.mentioned(r.provider, text) {
			for _, s := range m.Services {
				if s.Class == catalog.ServiceWebsite || len(s.Names) == 0 || slices.Contains(out, s.Names[0]) {
					continue
				}
				out = append(out, s.Names[0])
			}
		}
	}
	return out
}
