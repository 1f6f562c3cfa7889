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
	return r.withOwn(text, ofText(&r.judge.places, r.provider, text, func() []catalog.PlaceMention { return r.judge.regions.Mentions(r.provider, text) }))
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
	for from := 0; ; {
		start, end = nextWord(text, from)
		if start < 0 {
			return -1, -1
		}
		if last := wordsAt(text[start:], name); last > 0 {
			return start, start + last
		}
		from = end
	}
}

// wordsAt returns where the words of a name end that a text begins with, at most three bytes apart; 0: it does not, or there are none.
func wordsAt(text, name string) int {
	last := 0
	for n := 0; ; {
		ns, ne := nextWord(name, n)
		if ns < 0 {
			return last
		}
		ts, te := nextWord(text, last)
		if ts < 0 || ts-last > 3 || !strings.EqualFold(text[ts:te], name[ns:ne]) {
			return 0
		}
		last, n = te, ne
	}
}

// nextWord returns the first run of letters and digits that begins at or after an offset; -1: none.
func nextWord(s string, from int) (start, end int) {
	start = from
	for start < len(s) && !isNameByte(s[start]) {
		start++
	}
	if start == len(s) {
		return -1, -1
	}
	end = start
	for end < len(s) && isNameByte(s[end]) {
		end++
	}
	return start, end
}

func isNameByte(c byte) bool { return isWordByte(c) || c >= 'A' && c <= 'Z' }
