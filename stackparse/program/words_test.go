package program

import (
	"math/rand/v2"
	"testing"

	"downwind/internal/pattern"
	"downwind/internal/pattern/patterntest"
	"downwind/stackparse/internal/words"
)

func TestWhateverFitsARuleForLinesHoldsOneOfItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 11))
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
		t.Run(name, func(t *testing.T) {
			fits := 0
			for range 300 {
				s := patterntest.Sample(r, c.pattern.String())
				if !c.pattern.MatchString(s) {
					continue
				}
				fits++
				if seen := words.In(lineWords, s); !seen.Has(c.signs) {
					t.Errorf("%q fits and holds none of the words", s)
				}
			}
			if fits == 0 {
				t.Error("nothing was made that fits")
			}
		})
	}
}
