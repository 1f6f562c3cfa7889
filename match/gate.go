package match

import (
	"strings"
	"sync"

	"downwind/internal/pattern"
)

// pairs are the pairs of neighbouring bytes of a text, as a set of 256 places. A text whose set lacks a pair of a word does not hold the
// word: each clause is asked for two hundred parts of words, and this spares the search for nearly all of them.
type pairs [4]uint64

func pairsOf(s string) (p pairs) {
	for i := 1; i < len(s); i++ {
		place := s[i-1]*37 + s[i]
		p[place>>6] |= 1 << (place & 63)
	}
	return p
}

func (p *pairs) lacks(q *pairs) bool {
	return q[0]&^p[0]|q[1]&^p[1]|q[2]&^p[2]|q[3]&^p[3] != 0
}

// lowText is a text in lower case, ready to be asked for many parts of words.
type lowText struct {
	text  string
	pairs pairs
}

func lowered(s string) lowText {
	low := strings.ToLower(s)
	return lowText{low, pairsOf(low)}
}

// A gate is parts of words of which a text must hold one before a pattern can fit it. It is safe for concurrent use.
type gate struct {
	parts []string
	once  sync.Once
	pairs []pairs // of the parts, counted at the first text: most runs of the program ask no gate
}

func gateOf(parts ...string) *gate { return &gate{parts: parts} }

func (g *gate) count() {
	for _, part := range g.parts {
		g.pairs = append(g.pairs, pairsOf(part))
	}
}

// open reports whether the text holds one of the parts.
func (g *gate) open(t *lowText) bool {
	g.once.Do(g.count)
	for i := range g.parts {
		if !t.pairs.lacks(&g.pairs[i]) && strings.Contains(t.text, g.parts[i]) {
			return true
		}
	}
	return false
}

// A phrase is a pattern behind a gate.
type phrase struct {
	gate *gate
	says *pattern.Regexp
}

func (p *phrase) in(t *lowText) bool { return p.gate.open(t) && p.says.MatchString(t.text) }
