package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// An automaton tells whether a text holds a match, and not where. It goes over the text once with one look-up a byte, a tenth
// of what package regexp takes, and most lines of most files hold no match. Its states are made when they are first met.
type automaton struct {
	prog *syntax.Prog
	// anchored: a match can only begin where the text does.
	anchored bool
	// line and word say that conditions of the expression ask whether a line begins, or whether a word ends.
	line, word bool
	// class groups the characters of ASCII that no part of the expression tells apart; end is the class of the end of the text.
	class [utf8.RuneSelf]uint8
	end   int

	start *state
	mu    sync.Mutex
	// states are those met so far, by what makes them.
	states map[string]*state
	// stack and seen serve reach.
	stack []uint32
	seen  []bool
}

// A state is what of the expression may go on at one place in a text.
type state struct {
	// next is the state behind a character, by its class; nil where that was not met yet.
	next []atomic.Pointer[state]
	// seeds are the instructions to go on with, sorted; before stands for the character that was read last, -1 for none.
	seeds  []uint32
	before rune
}

// Where a text can be left: a match was found, or none can follow.
var found, dead = new(state), new(state)

const (
	// maxStates bounds the memory of one expression to some 300 KB, maxInsts the work for one state.
	maxStates = 1000
	maxInsts  = 600
)

// newAutomaton returns nil for expressions that are too large for it.
func newAutomaton(text string) *automaton {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > maxInsts {
		return nil
	}
	a := &automaton{prog: prog, anchored: prog.StartCond()&syntax.EmptyBeginText != 0, states: map[string]*state{}, seen: make([]bool, len(prog.Inst))}
	a.classify()
	a.start = a.state([]uint32{uint32(prog.Start)}, -1)
	return a
}

// classify cuts ASCII where an instruction or a condition does.
func (a *automaton) classify() {
	var cut [utf8.RuneSelf + 1]bool
	ranges := func(bounds ...rune) {
		for i := 0; i+1 < len(bounds); i += 2 {
			cut[min(bounds[i], utf8.RuneSelf)], cut[min(bounds[i+1]+1, utf8.RuneSelf)] = true, true
		}
	}
	for _, inst := range a.prog.Inst {
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(inst.Rune) != 1 {
				ranges(inst.Rune...)
				continue
			}
			r := inst.Rune[0]
			ranges(r, r)
			if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 && r < utf8.RuneSelf {
				ranges(r|0x20, r|0x20, r&^0x20, r&^0x20)
			}
		case syntax.InstRuneAnyNotNL:
			ranges('\n', '\n')
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(inst.Arg)
			a.line = a.line || op&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
			a.word = a.word || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		}
	}
	if a.line {
		ranges('\n', '\n')
	}
	if a.word {
		ranges('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
	}
	n := uint8(0)
	for c := range a.class {
		if c > 0 && cut[c] {
			n++
		}
		a.class[c] = n
	}
	a.end = int(n) + 1
}

// holds reports whether the text holds a match; ok is false where that cannot be told.
func holds[T string | []byte](a *automaton, text T) (match, ok bool) {
	s := a.start
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf { // left to package regexp
			return false, false
		}
		next := s.next[a.class[c]].Load()
		if next == nil {
			if next = a.step(s, int(a.class[c]), rune(c)); next == nil {
				return false, false
			}
		}
		if next == found || next == dead {
			return next == found, true
		}
		s = next
	}
	next := s.next[a.end].Load()
	if next == nil {
		next = a.step(s, a.end, -1)
	}
	return next == found, true
}

// step finds the state behind a character, -1 for the end of the text; nil when there are too many.
func (a *automaton) step(s *state, class int, c rune) *state {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.follow(s, c)
	if next != nil {
		s.next[class].Store(next)
	}
	return next
}

func (a *automaton) follow(s *state, c rune) *state {
	reached, match := a.reach(s.seeds, syntax.EmptyOpContext(s.before, c))
	switch {
	case match:
		return found
	case c < 0:
		return dead
	}
	var seeds []uint32
	for _, pc := range reached {
		if inst := &a.prog.Inst[pc]; inst.MatchRune(c) {
			seeds = append(seeds, inst.Out)
		}
	}
	if !a.anchored {
		seeds = append(seeds, uint32(a.prog.Start))
	}
	if len(seeds) == 0 {
		return dead
	}
	slices.Sort(seeds)
	return a.state(slices.Compact(seeds), a.stands(c))
}

// stands returns the character that stands for all after which the conditions of the expression hold alike.
func (a *automaton) stands(c rune) rune {
	switch {
	case a.line && c == '\n':
		return '\n'
	case a.word && syntax.IsWordChar(c):
		return 'a'
	}
	return ' '
}

// reach returns the instructions that read a character and can be reached from the seeds where the conditions hold, and
// whether a match can.
func (a *automaton) reach(seeds []uint32, holding syntax.EmptyOp) (reached []uint32, match bool) {
	clear(a.seen)
	a.stack = append(a.stack[:0], seeds...)
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.seen[pc] {
			continue
		}
		a.seen[pc] = true
		switch inst := &a.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holding == 0 {
				a.stack = append(a.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			reached = append(reached, pc)
		}
	}
	return reached, false
}

// state returns the one state of these seeds.
func (a *automaton) state(seeds []uint32, before rune) *state {
	key := make([]byte, 0, 2*len(seeds)+1)
	for _, pc := range seeds {
		key = binary.LittleEndian.AppendUint16(key, uint16(pc))
	}
	key = append(key, byte(before))
	s := a.states[string(key)]
	if s == nil && len(a.states) < maxStates {
		s = &state{next: make([]atomic.Pointer[state], a.end+1), seeds: seeds, before: before}
		a.states[string(key)] = s
	}
	return s
}
