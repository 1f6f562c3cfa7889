package guidance

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
)

// ForTeam adapts guidance to what one team's stack shows: which windows are theirs (Yours), the period to replay, advice and
// checklist. A window whose places all lie elsewhere than the team's is not theirs; where the files leave the region open,
// all are. m and use may be nil.
func ForTeam(g downwind.Guidance, inc *downwind.Incident, m *downwind.Match, use *downwind.Use) downwind.Guidance {
	where := teamRegions(m, use)
	yours := []int{}
	if m == nil || m.Affected {
		for i, w := range g.Windows {
			if theirs(w, where) {
				yours = append(yours, i)
			}
		}
	}
	g.Yours = yours
	none := len(g.Windows) > 0 && len(yours) == 0
	if m != nil && !m.Affected || none && stageOf(g.Phase, g.Categories)&(stageOver|stageAfter) != 0 {
		g.Replay, g.Padded, g.PageGuess = nil, nil, nil
		g.Advice, g.Checklist = []string{spared(g, inc, where)}, nil
		return g
	}
	if none {
		// it goes on, and the team uses what is hit: advice for now, no period yet
		g.Replay, g.Padded = nil, nil
	} else if len(yours) < len(g.Windows) {
		narrow(&g, inc, yours)
	}
	g.Advice, g.Checklist = advise(&g, wordingOf(inc), yours, use)
	return g
}

// narrow takes envelope and padding from the team's windows alone.
func narrow(g *downwind.Guidance, inc *downwind.Incident, yours []int) {
	now := downwind.Guidance{}
	for _, i := range yours {
		now.Windows = append(now.Windows, g.Windows[i])
	}
	b := pageBounds(inc, inc.ResolvedAt)
	if g.Padded != nil {
		b.now = g.Padded.End
	}
	fill(&now, b)
	g.Replay, g.Padded, g.Paste = now.Replay, now.Padded, now.Paste
}

// wordsOf joins title and posts of an incident, at most maxWords bytes: cues are looked up in it.
func wordsOf(inc *downwind.Incident) string {
	const maxWords = 1 << 20
	var b strings.Builder
	b.WriteString(inc.Title)
	for _, u := range inc.Updates {
		if b.Len() > maxWords {
			break
		}
		b.WriteByte('\n')
		b.WriteString(u.Body)
	}
	return b.String()
}

func wordingOf(inc *downwind.Incident) wording {
	r := newReader(wordsOf(inc))
	defer r.release()
	return wording{r.said, r.ops}
}

// teamRegions are where the team runs: as matched, else as its files say; "global" says nothing.
func teamRegions(m *downwind.Match, use *downwind.Use) []string {
	var out []string
	add := func(rs []string) {
		for _, r := range rs {
			if r != "" && !strings.EqualFold(r, "global") && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	if use != nil {
		add(use.Regions)
	}
	if len(out) == 0 && m != nil {
		add(m.Regions)
	}
	return out
}

// theirs reports whether a window may have hit somebody who runs in these regions.
func theirs(w downwind.Window, where []string) bool {
	if len(where) == 0 || w.Scope == "" {
		return true
	}
	for _, s := range scopeNames(w.Scope) {
		for _, r := range where {
			if !apart(s, r) {
				return true
			}
		}
	}
	return false
}

// spared words why there is nothing for a team.
func spared(g downwind.Guidance, inc *downwind.Incident, where []string) string {
	home := join(names(where, inc))
	var scopes []string
	for _, w := range g.Windows {
		if w.Scope != "" && !slices.Contains(scopes, w.Scope) {
			scopes = append(scopes, w.Scope)
		}
	}
	switch {
	case home != "" && clearedByText(inc, where):
		return fmt.Sprintf("Do nothing for %s: the provider says that it is not affected, so there is nothing to replay.", home)
	case home != "" && len(scopes) > 0:
		return fmt.Sprintf("Replay nothing: the impact was in %s; %s, where you run, is not named, so there is nothing to replay.", join(scopes), home)
	case home != "":
		return fmt.Sprintf("Replay nothing: %s, where you run, is not affected.", home)
	}
	return "Replay nothing: what you use is not affected."
}

// names gives regions as the incident spells them, else as the team's files do.
func names(where []string, inc *downwind.Incident) []string {
	var spelt []string
	for _, c := range inc.Components {
		if i := strings.Index(c.Name, " - "); i > 0 {
			spelt = append(spelt, c.Name[:i])
		}
		if c.Group != "" {
			spelt = append(spelt, c.Group)
		}
	}
	text := newReader(wordsOf(inc))
	defer text.release()
	spelt = append(spelt, text.regions(nil)...)
	out := make([]string, len(where))
	for i, r := range where {
		out[i] = r
		if p, ok := placeOf(r); ok {
			for _, s := range spelt {
				if q, ok := placeOf(s); ok && p == q {
					out[i] = s
					break
				}
			}
		}
	}
	return out
}

// clearedByText reports whether the newest post that names one of these regions calls it unaffected.
func clearedByText(inc *downwind.Incident, where []string) bool {
	for k := len(inc.Updates) - 1; k >= 0; k-- {
		r := newReader(inc.Updates[k].Body)
		defer r.release()
		for _, m := range r.places(nil) {
			for _, w := range where {
				if p, ok := placeOf(m.Name); ok {
					if q, ok := placeOf(w); ok && p == q {
						return r.sparedAt(m.From)
					}
				}
			}
		}
	}
	return false
}
