package marks

import (
	"testing"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
	"downwind/stackparse/internal/words/wordstest"
)

func TestWhateverFitsARuleHoldsOneOfItsWords(t *testing.T) {
	all, list := table()
	check := func(what string, p *pattern.Regexp, need words.Run) {
		t.Run(what, func(t *testing.T) { wordstest.Check(t, p, list, need) })
	}
	for _, c := range all {
		check(c.provider+" "+c.service, c.pattern, c.need)
	}
	for _, c := range commandTable {
		check(c.label, c.pattern, c.need)
	}
	for _, x := range sources {
		if x.registry == "pypi" { // whose -i alone says too little
			continue
		}
		check(x.registry, x.line, x.need)
	}
	for _, x := range offline {
		check(x.registry, x.line, x.need)
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
		check(x.what, x.pattern, x.need)
	}
}
