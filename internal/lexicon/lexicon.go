// Package lexicon has a table of what is known of words. It is made for readers of prose that ask for every word of a text,
// most of which the table does not hold: words are cut and looked up eight bytes at a time, without a branch that depends on
// how long a word is, since a processor guesses that wrong for nearly every word of a text.
package lexicon

import (
	"encoding/binary"
	"math/bits"
)

// A Table maps words to what is known of them. It never changes, so that many may read it at once.
type Table[E any] struct {
	slots []slot
	shift uint
	cells []cell[E]
}

// A slot of the table names a cell by its index plus one, 0 for none, beside a part of its hash: what the table does not hold
// is told by the slots alone, which stay in the processor's cache.
type slot struct{ tag, cell uint16 }

// A cell is a word with what is known of it. The key tells words of up to sixteen bytes apart.
type cell[E any] struct {
	key   key
	word  string
	entry E
}

// A key is the length of a word with its first and its last eight bytes; a shorter word has zeros after it, and no last ones.
type key struct {
	head, tail uint64
	n          int
}

// keyed is the length of the longest word that its key tells from all others.
const keyed = 2 * wide

// maxEntries is what an index of 16 bits can name.
const maxEntries = 1<<16 - 1

// New makes a table of a map. It panics for the empty word and for more than 65,535 words.
func New[E any](m map[string]E) *Table[E] {
	if len(m) > maxEntries {
		panic("lexicon: too many words")
	}
	size := bits.Len(uint(4*len(m) + 3)) // at least a power of two: three slots of four stay empty
	t := &Table[E]{slots: make([]slot, 1<<size), shift: uint(64 - size), cells: make([]cell[E], 0, len(m))}
	var text Text
	for w, e := range m {
		if w == "" {
			panic("lexicon: an empty word")
		}
		// as it stands, not in lower case: a word with a capital is never found
		text = append(append(text[:0], w...), room[:]...)[:len(w)]
		k := keyOf(text, 0, len(w))
		t.cells = append(t.cells, cell[E]{k, w, e})
		h := k.hash()
		i := h >> t.shift
		for t.slots[i].cell != 0 {
			i = (i + 1) & uint64(len(t.slots)-1)
		}
		t.slots[i] = slot{uint16(h), uint16(len(t.cells))}
	}
	return t
}

// Find returns what is known of the word between two positions of a text, nil where it is not in the table. The caller must
// not change it.
func (t *Table[E]) Find(text Text, from, to int) *E {
	if from >= to {
		return nil
	}
	k := keyOf(text, from, to)
	h := k.hash()
	for i := h >> t.shift; ; i = (i + 1) & uint64(len(t.slots)-1) {
		s := t.slots[i]
		if s.cell == 0 {
			return nil
		}
		if s.tag != uint16(h) {
			continue
		}
		if c := &t.cells[s.cell-1]; c.key == k && (k.n <= keyed || c.word == string(text[from:to])) {
			return &c.entry
		}
	}
}

// keyOf makes the key of a word that is not empty.
func keyOf(text Text, from, to int) key {
	n := to - from
	head := binary.LittleEndian.Uint64(text[from : from+wide])
	if n > wide {
		return key{head, binary.LittleEndian.Uint64(text[to-wide : to]), n}
	}
	return key{head & (^uint64(0) >> (8 * uint(wide-n) & 63)), 0, n}
}

func (k key) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := (k.head ^ bits.RotateLeft64(k.tail, 29) ^ uint64(k.n)<<57) * odd
	return h ^ h>>32
}
