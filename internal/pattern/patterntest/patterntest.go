// Package patterntest makes texts for tests of expressions.
package patterntest

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// Sample returns a text that fits an expression but for its conditions, such as that a word begins; "" where the expression is not
// well formed.
func Sample(r *rand.Rand, text string) string {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	sample(r, re, &b)
	return b.String()
}

func sample(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && r.IntN(2) == 0 {
				c = []rune(strings.ToUpper(string(c)))[0]
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		i := 2 * r.IntN(max(len(re.Rune)/2, 1))
		if len(re.Rune) > 0 {
			b.WriteRune(re.Rune[i] + rune(r.IntN(min(int(re.Rune[i+1]-re.Rune[i])+1, 100))))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(" -_.:/aZ9\"'é"[r.IntN(11)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			sample(r, sub, b)
		}
	case syntax.OpAlternate:
		sample(r, re.Sub[r.IntN(len(re.Sub))], b)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := 0, 3
		switch re.Op {
		case syntax.OpPlus:
			least = 1
		case syntax.OpQuest:
			most = 1
		case syntax.OpRepeat:
			least, most = re.Min, max(re.Min, min(re.Max, re.Min+3))
		}
		for range least + r.IntN(most-least+1) {
			sample(r, re.Sub[0], b)
		}
	}
}
