package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"

	"downwind/internal/pattern"
	"downwind/internal/pattern/patterntest"
)

// texts are made to be near to what fits: whole, cut, joined, with a character changed, on several lines.
func texts(r *rand.Rand, text string) []string {
	one := func() string { return patterntest.Sample(r, text) }
	out := []string{"", "\n", one()}
	for range 12 {
		s := one()
		cut := r.IntN(len(s) + 1)
		out = append(out, s, s[:cut], s[cut:], "x"+s, s+"x", " "+s+" ", "-"+s+"\n"+one(), one()+"_"+s, s[:cut]+string(rune(r.IntN(128)))+s[cut:], s[:cut]+"é"+s[cut:], strings.ToUpper(s), strings.ToLower(s))
	}
	return out
}

// compare holds what the package says against package regexp.
func compare(t *testing.T, p *pattern.Regexp, re *regexp.Regexp, s string) (match bool) {
	t.Helper()
	match = re.MatchString(s)
	if got := p.MatchString(s); got != match {
		t.Errorf("%s: MatchString(%q) = %v", re, s, got)
	}
	if got := p.Match([]byte(s)); got != match {
		t.Errorf("%s: Match(%q) = %v", re, s, got)
	}
	for what, pair := range map[string][2]any{
		"FindString":            {p.FindString(s), re.FindString(s)},
		"FindStringSubmatch":    {p.FindStringSubmatch(s), re.FindStringSubmatch(s)},
		"FindAllStringSubmatch": {p.FindAllStringSubmatch(s, -1), re.FindAllStringSubmatch(s, -1)},
		"FindAllIndex":          {p.FindAllIndex([]byte(s), -1), re.FindAllIndex([]byte(s), -1)},
		"ReplaceAllString":      {p.ReplaceAllString(s, "<$0>"), re.ReplaceAllString(s, "<$0>")},
		"ReplaceAll":            {p.ReplaceAll([]byte(s), []byte("-")), re.ReplaceAll([]byte(s), []byte("-"))},
	} {
		if got, want := fmt.Sprintf("%q", pair[0]), fmt.Sprintf("%q", pair[1]); got != want {
			t.Errorf("%s: %s(%q) = %s, want %s", re, what, s, got, want)
		}
	}
	return match
}

func TestAnswersAreThoseOfPackageRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 30))
	all, matches := 0, 0
	for _, text := range append(expressions(t), extra...) {
		p, re := pattern.New(text), regexp.MustCompile(text)
		for _, s := range texts(r, text) {
			all++
			if compare(t, p, re, s) {
				matches++
			}
		}
		if t.Failed() {
			t.Fatalf("stopped at %s", text)
		}
	}
	if matches < all/5 || matches > all*4/5 {
		t.Errorf("%d of %d texts fit: too few of one kind to show anything", matches, all)
	}
}

// extra are expressions whose conditions and shapes the program does not use.
var extra = []string{
	``, `^`, `$`, `\b`, `\B`, `^$`, `(?m)^$`, `(?m)^a$|b\b`, `\Ba\B`, `(?s).`, `a.c`, `(?i)straße|K`, `[^a]`, `[^\n]*x`, `(?:a|b)*abb`, `\z`, `\Aab`, `^ab|cd`, `(?m:^)ab$`, `(a*)*b`, `x{2,5}y?`, `[\x00-\x1f]`, `é+`,
}

func TestTooManyStatesAreLeftToPackageRegexp(t *testing.T) {
	const text = `[ab]*a[ab]{10}c`
	p, re := pattern.New(text), regexp.MustCompile(text)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := make([]byte, 40)
		for i := range b {
			b[i] = "ab"[r.IntN(2)]
		}
		compare(t, p, re, string(b)+"c")
	}
}

func TestExpressionIsUsedByManyAtOnce(t *testing.T) {
	const text = `(?i)^[a-z0-9_-]+(?:key|token)s?$|\bregion\b`
	p, re := pattern.New(text), regexp.MustCompile(text)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range 5 {
				for _, s := range texts(r, text) {
					if got := p.MatchString(s); got != re.MatchString(s) {
						t.Errorf("MatchString(%q) = %v", s, got)
					}
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMatch(f *testing.F) {
	for _, text := range extra {
		f.Add(text, "ab\nK é_x")
	}
	f.Add(`(?i)(?:^|[._-])(?:dev|test)(?:[._-]|$)`, "values-dev.yaml")
	f.Fuzz(func(t *testing.T, text, s string) {
		re, err := regexp.Compile(text)
		if err != nil || len(s) > 1000 {
			return
		}
		compare(t, pattern.New(text), re, s)
	})
}

var benched = []struct{ name, text, in string }{
	{"name", `(?i)(?:key|secret|token|password|passwd|dsn|credential|private|auth)`, "NEXT_PUBLIC_APPLICATION_NAME"},
	{"line", `["'\s:=\[,-](ideal|sepa_debit|sepa|bancontact|klarna|affirm|apple_pay)(?:["'\s,\]]|$)`, `    description = "Name of the bucket that holds the logs of the payment service"`},
}

func BenchmarkMatchString(b *testing.B) {
	for _, c := range benched {
		p, re := pattern.New(c.text), regexp.MustCompile(c.text)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.MatchString(c.in)
			}
		})
		b.Run(c.name+"/regexp", func(b *testing.B) {
			for b.Loop() {
				re.MatchString(c.in)
			}
		})
	}
}
