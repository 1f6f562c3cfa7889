// Package lexicon has a table of what is known of words. It is made for readers of prose that ask for every word of a text,
// most of which the table does not hold.
package lexicon

import "math/bits"

// A Table maps words to what is known of them. It never changes, so that many may read it at once.
type Table[E any] struct {
	slots   []slot
	shift   uint
	words   []string
	entries []E
}

// A slot of the table names an entry by its index plus one, 0 for none, beside half of its hash: what the table does not hold
// is told by the slots alone, which stay in the processor's cache.
type slot struct{ tag, entry uint16 }

// maxEntries is what an index of 16 bits can name.
const maxEntries = 1<<16 - 1

// New makes a table of a map. It panics for the empty word and for more than 65,535 words.
func New[E any](m map[string]E) *Table[E] {
	if len(m) > maxEntries {
		panic("lexicon: too many words")
	}
	size := bits.Len(uint(4*len(m) + 3)) // at least a power of two: three slots of four stay empty
	t := &Table[E]{slots: make([]slot, 1<<size), shift: uint(32 - size), words: make([]string, 0, len(m)), entries: make([]E, 0, len(m))}
	for w, e := range m {
		if w == "" {
			panic("lexicon: an empty word")
		}
		t.words, t.entries = append(t.words, w), append(t.entries, e)
		h := hash(w)
		i := h >> t.shift
		for t.slots[i].entry != 0 {
			i = (i + 1) & uint32(len(t.slots)-1)
		}
		t.slots[i] = slot{uint16(h), uint16(len(t.words))}
	}
	return t
}

// Find returns what is known of a word, nil where it is not in the table. The caller must not change it.
func (t *Table[E]) Find(w string) *E {
	if w == "" {
		return nil
	}
	h := hash(w)
	for i := h >> t.shift; ; i = (i + 1) & uint32(len(t.slots)-1) {
		s := t.slots[i]
		if s.entry == 0 {
			return nil
		}
		if s.tag == uint16(h) && t.words[s.entry-1] == w {
			return &t.entries[s.entry-1]
		}
	}
}

// hash mixes the length, the first and the last four bytes of a word, which tell nearly all words of a language apart.
func hash(w string) uint32 {
	n := len(w)
	if n < 4 {
		return mix(uint32(w[0])|uint32(w[n/2])<<8|uint32(w[n-1])<<16, 0, n)
	}
	return mix(four(w), four(w[n-4:]), n)
}

func four(w string) uint32 {
	return uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 | uint32(w[3])<<24
}

func mix(a, b uint32, n int) uint32 {
	return uint32((uint64(a) ^ uint64(b)<<27 ^ uint64(n)<<59) * 0x9e3779b97f4a7c15 >> 32)
}
