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
	keys    index
	long    map[string]int // the words of more than keyed bytes, by their numbers
	entries []E
}

// An index gives the words of a table their numbers.
type index struct {
	// A slot holds a word's number plus one, 0 for none. Most of what the table does not hold is told by the slots alone, which
	// stay in the processor's cache.
	slots []uint16
	shift uint
	keys  []key
}

// A key is the length of a word with its first and its last eight bytes; a shorter word has zeros after it, and no last ones.
type key struct{ head, tail, n uint64 }

// keyed is the length of the longest word that its key tells from all others.
const keyed = 2 * wide

// maxEntries is what a number of 16 bits can name.
const maxEntries = 1<<16 - 1

// New makes a table of a map. It panics for the empty word and for more than 65,535 words.
func New[E any](m map[string]E) *Table[E] {
	if len(m) > maxEntries {
		panic("lexicon: too many words")
	}
	size := bits.Len(uint(4*len(m) + 3)) // at least a power of two: three slots of four stay empty
	t := &Table[E]{keys: index{slots: make([]uint16, 1<<size), shift: uint(64 - size)}, long: map[string]int{}}
	for w, e := range m {
		if w == "" {
			panic("lexicon: an empty word")
		}
		t.entries = append(t.entries, e)
		if len(w) > keyed {
			t.long[w] = len(t.entries) - 1
			continue
		}
		// as it stands, not in lower case: a word with a capital is never found
		t.keys.add(keyOf(Text(append([]byte(w), room[:]...)), 0, len(w)), len(t.entries))
	}
	return t
}

// add keeps the key of a word with its number plus one.
func (x *index) add(k key, number int) {
	for len(x.keys) < number {
		x.keys = append(x.keys, key{})
	}
	x.keys[number-1] = k
	i := k.hash() >> x.shift
	for x.slots[i] != 0 {
		i = (i + 1) & uint64(len(x.slots)-1)
	}
	x.slots[i] = uint16(number)
}

// find returns the number of the word with a key, -1 where there is none.
func (x *index) find(k key) int {
	slots := x.slots
	for i := k.hash() >> (x.shift & 63); ; i++ {
		n := int(slots[i&uint64(len(slots)-1)]) - 1
		if n < 0 || x.keys[n] == k {
			return n
		}
	}
}

// Find returns what is known of the word between two positions of a text, nil where it is not in the table. The caller must
// not change it.
func (t *Table[E]) Find(text Text, from, to int) *E {
	switch {
	case from >= to:
		return nil
	case to-from > keyed:
		if n, ok := t.long[string(text[from:to])]; ok {
			return &t.entries[n]
		}
		return nil
	}
	return t.of(keyOf(text, from, to))
}

// Word cuts the run of letters a to z that begins at a position of a text and looks it up, as Letters and Find do one after
// the other, but reads no byte of most words twice.
func (t *Table[E]) Word(text Text, i int) (end int, known *E) {
	eight := binary.LittleEndian.Uint64(text[i : i+wide])
	other := others(eight)
	if other == 0 {
		end = Letters(text, i+wide)
		return end, t.Find(text, i, end)
	}
	n := bits.TrailingZeros64(other) / 8
	letters := other&-other>>7 - 1 // all bits before the first byte that is no letter
	return i + n, t.of(key{head: eight & letters, n: uint64(n)})
}

// of returns what is known of the word with a key.
func (t *Table[E]) of(k key) *E {
	if n := t.keys.find(k); n >= 0 {
		return &t.entries[n]
	}
	return nil
}

// keyOf makes the key of a word that is not empty.
func keyOf(text Text, from, to int) key {
	n := to - from
	k := key{head: binary.LittleEndian.Uint64(text[from : from+wide]), n: uint64(n)}
	if n > wide {
		k.tail = binary.LittleEndian.Uint64(text[to-wide : to])
		return k
	}
	k.head &= ^uint64(0) >> (8 * uint(wide-n) & 63)
	return k
}

func (k key) hash() uint64 {
	return (k.head ^ bits.RotateLeft64(k.tail, 29) ^ k.n<<57) * 0x9e3779b97f4a7c15
}
