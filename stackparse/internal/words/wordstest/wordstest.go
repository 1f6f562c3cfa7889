// Package wordstest holds expressions against the words by which lines are chosen for them.
package wordstest

import (
	"math/rand/v2"
	"testing"

	"downwind/internal/pattern"
	"downwind/internal/pattern/patterntest"
	"downwind/stackparse/internal/words"
)

// Check fails where a text that fits an expression holds none of the words of a run, by which such texts are looked for; also
// where no text was made that fits.
func Check(t *testing.T, p *pattern.Regexp, list *words.List, need words.Run) {
	t.Helper()
	r, fits := rand.New(rand.NewPCG(7, 1)), 0
	for range 300 {
		s := patterntest.Sample(r, p.String())
		if !p.MatchString(s) {
			continue
		}
		fits++
		if seen := words.In(list, s); !seen.Has(need) {
			t.Errorf("%q fits %s and holds none of its words", s, p)
		}
	}
	if fits == 0 {
		t.Errorf("nothing was made that fits %s", p)
	}
}
