package pattern

import (
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
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

	// rows have one row of classes for each state, with what follows there: the place of the next state's row, found, dead, or
	// unmet. The first is that before the text, to which nothing leads back. A larger table takes the place of one that is full.
	rows atomic.Pointer[[]atomic.Int32]

	mu sync.Mutex
	// states are the rows of the states by their keys, and keys the other way round: the instructions to go on with, sorted, of
	// two bytes each, and the character that stands for the one read last, 0xFF for none.
	states map[string]int32
	keys   []string
	// key, stack, seen and next serve follow.
	key        []byte
	stack      []uint32
	seen, next instSet
}

// An instSet is a set of instructions.
type instSet [(maxInsts + 63) / 64]uint64

func (s *instSet) add(pc uint32) { s[pc/64] |= 1 << (pc % 64) }

func (s *instSet) has(pc uint32) bool { return s[pc/64]&(1<<(pc%64)) != 0 }

// What may follow a state, beside another.
const (
	unmet int32 = -iota
	// found: there is a match. dead: none can follow.
	found
	dead
)

const (
	// maxStates bounds the memory of one expression to some 300 KB, maxInsts the work for one state.
	maxStates = 1000
	maxInsts  = 600
	// firstStates is how many states the first table has room for.
	firstStates = 8
	// none stands for the character before the text.
	none = 0xFF
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
	a := &automaton{prog: prog, anchored: prog.StartCond()&syntax.EmptyBeginText != 0, states: map[string]int32{}}
	a.classify()
	rows := make([]atomic.Int32, firstStates*(a.end+1))
	a.rows.Store(&rows)
	a.next.add(uint32(prog.Start))
	a.state(none)
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
	rows, row := *a.rows.Load(), int32(0)
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf { // left to package regexp
			return false, false
		}
		next := rows[row+int32(a.class[c])].Load()
		if next <= 0 {
			if next == unmet {
				next, rows = a.step(row, int32(a.class[c]), rune(c))
			}
			if next <= 0 {
				return next == found, next != unmet
			}
		}
		row = next
	}
	next := rows[row+int32(a.end)].Load()
	if next == unmet {
		next, _ = a.step(row, int32(a.end), -1)
	}
	return next == found, true
}

// step finds what follows a state behind a character, -1 for the end of the text; unmet when there are too many states. It returns
// the table that has it, too.
func (a *automaton) step(row, class int32, c rune) (int32, []atomic.Int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.follow(a.keys[int(row)/(a.end+1)], c)
	rows := *a.rows.Load()
	rows[row+class].Store(next)
	return next, rows
}

func (a *automaton) follow(key string, c rune) int32 {
	a.next = instSet{}
	before := rune(-1)
	if b := key[len(key)-1]; b != none {
		before = rune(b)
	}
	a.stack = a.stack[:0]
	for i := 0; i+1 < len(key); i += 2 {
		a.stack = append(a.stack, uint32(key[i])|uint32(key[i+1])<<8)
	}
	switch a.reach(syntax.EmptyOpContext(before, c), c) {
	case found:
		return found
	case dead:
		if a.anchored || c < 0 {
			return dead
		}
	}
	if !a.anchored {
		a.next.add(uint32(a.prog.Start))
	}
	return a.state(a.stands(c))
}

// stands returns the character that stands for all after which the conditions of the expression hold alike.
func (a *automaton) stands(c rune) byte {
	switch {
	case a.line && c == '\n':
		return '\n'
	case a.word && syntax.IsWordChar(c):
		return 'a'
	}
	return ' '
}

// reach goes from the instructions on the stack, where the conditions hold, to those that read the character, and marks in next the
// ones behind them. It returns found where that leads to a match, dead where to nothing.
func (a *automaton) reach(holding syntax.EmptyOp, c rune) int32 {
	a.seen = instSet{}
	out := dead
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.seen.has(pc) {
			continue
		}
		a.seen.add(pc)
		switch inst := &a.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return found
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holding == 0 {
				a.stack = append(a.stack, inst.Out)
			}
		case syntax.InstFail:
		case syntax.InstRune1: // as most are
			if c == inst.Rune[0] {
				a.next.add(inst.Out)
				out = unmet
			}
		default:
			if c >= 0 && inst.MatchRune(c) {
				a.next.add(inst.Out)
				out = unmet
			}
		}
	}
	return out
}

// state returns the row of the one state of the instructions in next; unmet when there are too many.
func (a *automaton) state(before byte) int32 {
	a.key = a.key[:0]
	for i, left := range a.next {
		for ; left != 0; left &= left - 1 {
			a.key = binary.LittleEndian.AppendUint16(a.key, uint16(64*i+bits.TrailingZeros64(left)))
		}
	}
	a.key = append(a.key, before)
	row, ok := a.states[string(a.key)]
	if ok || len(a.keys) == maxStates {
		return row
	}
	row = int32(len(a.keys) * (a.end + 1))
	a.keys = append(a.keys, string(a.key))
	a.states[a.keys[len(a.keys)-1]] = row
	if rows := *a.rows.Load(); int(row) == len(rows) {
		more := make([]atomic.Int32, 2*len(rows))
		copy(more, rows) // nobody else writes
		a.rows.Store(&more)
	}
	return row
}
