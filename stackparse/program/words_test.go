package program

import (
	"testing"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
	"downwind/stackparse/internal/words/wordstest"
)

func TestWhateverFitsARuleForLinesHoldsOneOfItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		pattern *pattern.Regexp
		signs   words.Run
	}{
		"client by name":         {byName, clientSigns},
		"client by type":         {byType, clientSigns},
		"other store":            {endpointIs, endpointSigns},
		"constant":               {constant, regionSigns},
		"constant of two clouds": {elsewhere, regionSigns},
		"constant of a vendor":   {ownConstant, regionSigns},
		"index":                  {indexSpec, ownerSigns},
		"resource of a vendor":   {ownResource, ownerSigns},
		"key":                    {placeKey, keySigns},
	} {
		t.Run(name, func(t *testing.T) { wordstest.Check(t, c.pattern, lineWords, c.signs) })
	}
}
