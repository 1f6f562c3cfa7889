package web

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"downwind"
)

// showBadge draws "/badges/{slug}.svg": a small picture for a README or a wiki.
func (s *Server) showBadge(w http.ResponseWriter, r *http.Request) error {
	name, ok := strings.CutSuffix(r.PathValue("name"), ".svg")
	if !ok {
		return downwind.ErrNotFound
	}
	p, err := s.knownProvider(name)
	if err != nil {
		return err
	}
	open, err := s.openIncidents(r.Context(), p.Slug)
	if err != nil {
		return err
	}
	src, err := s.opt.Reader.Source(r.Context(), p.Slug)
	if err != nil && !isMissing(err) {
		return err
	}
	words, colour := "no open incident", "#2a6f47"
	switch {
	case len(open) > 0:
		words, colour = countWord(len(open), "open incident", "open incidents"), "#b3261e"
	case src.State != downwind.SourceFresh || src.LastRead.IsZero():
		words, colour = sourceWord(src, p), "#5b5f66"
	}
	return answer(w, r, "image/svg+xml", badge(p.Name, words, colour))
}

// showTeamBadge says how many open incidents hit a team.
func (s *Server) showTeamBadge(w http.ResponseWriter, r *http.Request) error {
	team, err := s.teamBySecret(r)
	if err != nil {
		return err
	}
	open, err := s.openIncidents(r.Context(), "")
	if err != nil {
		return err
	}
	n := 0
	for i := range open {
		if s.opt.Judge(&open[i].Incident, &team).Affected {
			n++
		}
	}
	words, colour := "nothing hits us", "#2a6f47"
	if n > 0 {
		words, colour = countWord(n, "incident hits us", "incidents hit us"), "#b3261e"
	}
	return answer(w, r, "image/svg+xml", badge(teamName(team), words, colour))
}

// badge draws two fields of words, each as wide as about its letters need.
func badge(left, right, colour string) []byte {
	left, right = clip(oneLine(left), 40), clip(oneLine(right), 40)
	a, b := 14+len([]rune(left))*7, 14+len([]rune(right))*7
	left, right = html.EscapeString(left), html.EscapeString(right)
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="22" role="img" aria-label="%s: %s"><title>%s: %s</title>`+
		`<rect width="%d" height="22" rx="3" fill="#33383e"/><path d="M%d 0h%da3 3 0 0 1 3 3v16a3 3 0 0 1-3 3H%dz" fill="%s"/>`+
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="7" y="15" textLength="%d">%s</text><text x="%d" y="15" textLength="%d">%s</text></g></svg>`,
		a+b, left, right, left, right, a+b, a, b-3, a, colour, a-14, left, a+7, b-14, right)
}
