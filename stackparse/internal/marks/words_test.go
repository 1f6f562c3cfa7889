package marks

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
)

// sample writes a text that fits an expression, but for its conditions.
func sample(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		b.WriteRune(re.Rune[i] + rune(r.IntN(min(int(re.Rune[i+1]-re.Rune[i])+1, 90))))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(" .a"[r.IntN(3)])
	case syntax.OpAlternate:
		sample(r, re.Sub[r.IntN(len(re.Sub))], b)
		return
	case syntax.OpQuest:
		times = r.IntN(2)
	case syntax.OpStar:
		times = r.IntN(3)
	case syntax.OpRepeat:
		times = re.Min
	}
	for range times {
		for _, sub := range re.Sub {
			sample(r, sub, b)
		}
	}
}

func TestWhateverFitsARuleHoldsOneOfItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	all, list := table()
	check := func(what, text string, need words.Run) {
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		p, fits := pattern.New(text), 0
		for range 300 {
			var b strings.Builder
			sample(r, re, &b)
			if !p.MatchString(b.String()) {
				continue
			}
			fits++
			if seen := words.In(list, b.String()); !seen.Has(need) {
				t.Errorf("%s: %q fits %s and holds none of its words", what, b.String(), text)
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
