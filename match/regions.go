package match

import (
	"cmp"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// ownRegions returns those of a page's regions that the gazetteer cannot place; they are compared by letters and digits alone.
func (j *Judge) ownRegions(provider string, names []string) []catalog.Place {
	var out []catalog.Place
	for _, name := range names {
		// A short word ("all", "main") says too little to be looked for in sentences.
		if len(downwind.Fold(name)) < 4 || len(j.regions.Mentions(provider, name)) > 0 {
			continue
		}
		for _, p := range j.regions.Resolve(provider, name) {
			if p.Kind == catalog.PlaceOther {
				out = append(out, p)
			}
		}
	}
	return out
}

// placesNamed finds the places that a text names, left to right: those of the gazetteer and the page's own.
func (r *Reading) placesNamed(text string) []catalog.PlaceMention {
	return r.withOwn(text, r.judge.places.get(r.provider, text, func() []catalog.PlaceMention { return r.judge.regions.Mentions(r.provider, text) }))
}

// placesSaid are the places that a clause names.
func (r *Reading) placesSaid(c *clause) []catalog.PlaceMention { return r.withOwn(c.text, c.places) }

// withOwn adds the page's own regions to the places that the gazetteer found in a text.
func (r *Reading) withOwn(text string, ms []catalog.PlaceMention) []catalog.PlaceMention {
	if len(r.own) == 0 {
		return ms
	}
	ms = slices.Clone(ms) // what is remembered is shared
	for _, p := range r.own {
		start, end := findName(text, p.Name)
		if start < 0 || slices.ContainsFunc(ms, func(m catalog.PlaceMention) bool { return m.Start < end && start < m.End }) {
			continue
		}
		ms = append(ms, catalog.PlaceMention{Places: []catalog.Place{p}, Text: text[start:end], Start: start, End: end})
	}
	slices.SortFunc(ms, func(a, b catalog.PlaceMention) int { return cmp.Compare(a.Start, b.Start) })
	return ms
}

// findName returns where a text holds a name as whole words, whatever stands between its words ("nord-3", "Nord 3"); -1: nowhere.
func findName(text, name string) (start, end int) {
	words := nameRuns(name)
	runs := nameRuns(text)
	for i := 0; i+len(words) <= len(runs); i++ {
		fits := true
		for k, w := range words {
			run := runs[i+k]
			fits = fits && strings.EqualFold(name[w[0]:w[1]], text[run[0]:run[1]]) && (k == 0 || run[0]-runs[i+k-1][1] <= 3)
		}
		if fits && len(words) > 0 {
			return runs[i][0], runs[i+len(words)-1][1]
		}
	}
	return -1, -1
}

// nameRuns returns the byte offsets of the words of a text.
func nameRuns(s string) [][2]int {
	var out [][2]int
	start := -1
	for i, c := range s {
		switch in := isWordRune(c); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			out = append(out, [2]int{start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, [2]int{start, len(s)})
	}
	return out
}
