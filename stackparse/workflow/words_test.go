package workflow

import (
	"strings"
	"testing"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
	"downwind/stackparse/internal/words/wordstest"
)

func TestWhateverFitsARuleHoldsItsWord(t *testing.T) {
	check := func(p *pattern.Regexp, signs words.Run) { wordstest.Check(t, p, vocabulary, signs) }
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
