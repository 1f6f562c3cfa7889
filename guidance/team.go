package guidance

import "downwind"

// ForTeam adapts guidance to what one team's stack shows.
func ForTeam(g downwind.Guidance, inc *downwind.Incident, m *downwind.Match, use *downwind.Use) downwind.Guidance {
	g.Advice, g.Checklist = advise(&g, use)
	return g
}
