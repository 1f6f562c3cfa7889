package pattern

import (
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

// A search finds where matches lie in a text of ASCII, as package regexp does in small texts: it tries one way after the other and
// remembers which have failed. Package regexp would have to compile the expression again.
type search[T string | []byte] struct {
	*automaton
	text T
	*ways
}

// ways are what a search remembers.
type ways struct {
	// failed are the choices of the program that lead to no match, at each place of the text.
	failed []uint64
	// at are the places where the groups of the match begin and end, the whole first; -1 where a group has no part in it.
	at []int
}

var spareWays = sync.Pool{New: func() any { return new(ways) }}

const (
	// maxText bounds the texts that are searched so, maxWays the bits of what is remembered of one.
	maxText = 4 << 10
	maxWays = 1 << 18
)

// each calls f with the places of at most n matches, all if n is negative; they hold until f returns. It reports false where package
// regexp must be asked.
func each[T string | []byte](r *Regexp, text T, n int, f func(at []int)) bool {
	switch match, ok := scouted(r, text); {
	case !ok:
		return false
	case !match || n == 0:
		return true
	}
	bits := len(r.scout.prog.Inst) * (len(text) + 1)
	if len(text) > maxText || bits > maxWays || !ascii(text) {
		return false
	}
	w := spareWays.Get().(*ways)
	defer spareWays.Put(w)
	s := search[T]{r.scout, text, w}
	for from, end := 0, -1; n != 0 && from <= len(text); {
		if !s.find(from, bits) {
			break
		}
		begins, ends := s.at[0], s.at[1]
		if begins != ends || begins != end { // an empty match beside another is none
			f(s.at)
			n--
		}
		from, end = ends, ends
		if begins == ends {
			from++
		}
	}
	return true
}

func ascii[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// find looks for the first match that begins at a place or behind it.
func (s *search[T]) find(from, bits int) bool {
	s.failed = fresh(s.failed, (bits+63)/64, 0)
	s.at = fresh(s.at, s.prog.NumCap, -1)
	for at := from; at <= len(s.text) && (at == 0 || !s.anchored); at++ {
		if s.at[0] = at; s.try(uint32(s.prog.Start), at) {
			return true
		}
	}
	return false
}

// fresh returns a slice of n values, of the same memory where that is large enough.
func fresh[E any](b []E, n int, value E) []E {
	if cap(b) < n {
		b = make([]E, n)
	}
	b = b[:n]
	for i := range b {
		b[i] = value
	}
	return b
}

// try goes on from an instruction at a place, and reports whether that leads to a match.
func (s *search[T]) try(pc uint32, at int) bool {
	for {
		switch inst := &s.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			s.at[1] = at
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			choice := int(pc)*(len(s.text)+1) + at
			if s.failed[choice/64]&(1<<(choice%64)) != 0 {
				return false
			}
			s.failed[choice/64] |= 1 << (choice % 64)
			if s.try(inst.Out, at) {
				return true
			}
			pc = inst.Arg
		case syntax.InstCapture:
			before := s.at[inst.Arg]
			s.at[inst.Arg] = at
			if s.try(inst.Out, at) {
				return true
			}
			s.at[inst.Arg] = before
			return false
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^s.holding(at) != 0 {
				return false
			}
			pc = inst.Out
		case syntax.InstNop:
			pc = inst.Out
		case syntax.InstFail:
			return false
		default:
			if at == len(s.text) || !inst.MatchRune(rune(s.text[at])) {
				return false
			}
			pc = inst.Out
			at++
		}
	}
}

// holding are the conditions that hold at a place.
func (s *search[T]) holding(at int) syntax.EmptyOp {
	before, after := rune(-1), rune(-1)
	if at > 0 {
		before = rune(s.text[at-1])
	}
	if at < len(s.text) {
		after = rune(s.text[at])
	}
	return syntax.EmptyOpContext(before, after)
}
