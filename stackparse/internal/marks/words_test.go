package marks

import (
	"math/rand/v2"
	"testing"

	"downwind/internal/pattern"
	"downwind/internal/pattern/patterntest"
	"downwind/stackparse/internal/words"
)

func TestWhateverFitsARuleHoldsOneOfItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	all, list := table()
	check := func(what, text string, need words.Run) {
		p, fits := pattern.New(text), 0
		for range 300 {
			s := patterntest.Sample(r, text)
			if !p.MatchString(s) {
				continue
			}
			fits++
			if seen := words.In(list, s); !seen.Has(need) {
				t.Errorf("%s: %q fits %s and holds none of its words", what, s, text)
			}
		}
		if fits == 0 {
			t.Errorf("%s: nothing was made that fits %s", what, text)
		}
	}
	for _, c := range all {
		check(c.provider+" "+c.service, c.pattern.String(), c.need)
	}
	for _, c := range commandTable {
		check(c.label, c.pattern.String(), c.need)
	}
	for _, x := range sources {
		if x.registry == "pypi" { // whose -i alone says too little
			continue
		}
		check(x.registry, x.line.String(), x.need)
	}
	for _, x := range offline {
		check(x.registry, x.line.String(), x.need)
	}
	for _, x := range []struct {
		what    string
		pattern *pattern.Regexp
		need    words.Run
	}{
		{"event address", sentryDSN, dsnSigns},
		{"through a cloud", elsewhere, elsewhereSigns},
		{"other server", baseURL, redirectSigns},
		{"site", inSite, siteSigns},
		{"methods of payment", listedMethods, methodSigns},
		{"pool of users", poolID, poolSigns},
		{"country", countrySet, countrySigns},
		{"zone", zoneIs, zoneSigns},
		{"switch", onOff, switchSigns},
		{"switch in a list", onOffList, switchSigns},
		{"own server", ownServer, ownSigns},
		{"runner", runnerLine, runnerSigns},
		{"method of payment", payWord, payWordSigns},
		{"model with a path", pathModel, modelSigns}, // other models are looked for by fewer words than fit
	} {
		check(x.what, x.pattern.String(), x.need)
	}
}
