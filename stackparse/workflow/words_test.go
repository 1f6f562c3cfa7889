package workflow

import (
	"math/rand/v2"
	"strings"
	"testing"

	"downwind/internal/pattern"
	"downwind/internal/pattern/patterntest"
	"downwind/stackparse/internal/words"
)

func TestWhateverFitsARuleHoldsItsWord(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 12))
	check := func(p *pattern.Regexp, signs words.Run) {
		fits := 0
		for range 300 {
			s := patterntest.Sample(r, p.String())
			if !p.MatchString(s) {
				continue
			}
			fits++
			if seen := words.In(vocabulary, s); !seen.Has(signs) {
				t.Errorf("%q fits %s and holds none of its words", s, p)
			}
		}
		if fits == 0 {
			t.Errorf("nothing was made that fits %s", p)
		}
	}
	for _, x := range sayings {
		if strings.Contains(x.pattern.String(), `\s+set\s`) {
			continue // the blanks between words may be any
		}
		check(x.pattern, x.signs)
	}
	check(runsOn, runsOnSigns)
	check(imageFlag, imageSigns)
	check(otherStore, storeSigns)
	check(clusterName, clusterSigns)
	check(arn, arnSigns)
	check(stored, storedSigns)
	check(imagesAt, registrySigns)
}
