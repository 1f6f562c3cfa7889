// Package words finds hundreds of words in a text at once.
package words

import (
	"fmt"
	"slices"
	"sync"
)

// A List has the words that are looked for. Words are added before the first search; searches may run at the same time.
type List struct {
	// fold says that capitals in a text count as small letters, which all words are then written in.
	fold  bool
	words []string

	once sync.Once
	// first is the first word, counted from 1, of those whose key has a hash.
	first *[1 << (size * bits)]Word
	// filed are the words as they are filed under their keys.
	filed []filed
}

// A filed word has a key that ends behind so many of its bytes; next is the one after it with a key of that hash.
type filed struct {
	text string
	end  int
	next Word
}

// A Word is the number of a word in its List.
type Word uint16

// most bounds the words of a list.
const most = 512

// A Run is the words that were added together.
type Run struct{ from, to Word }

// Holds reports whether a word is among those of the run.
func (r Run) Holds(w Word) bool { return r.from <= w && w < r.to }

// A Set is a set of words of one List.
type Set [most / 64]uint64

// Exact returns a list of words that are found as they are written.
func Exact() *List { return &List{} }

// Folded returns a list of words in small letters that are found in capitals, too. Only ASCII has capitals here.
func Folded() *List { return &List{fold: true} }

// Clone returns a list that has the words of this one, by the same numbers.
func (l *List) Clone() *List { return &List{fold: l.fold, words: slices.Clone(l.words)} }

// Add takes in words, each of three bytes at least. A word that is added twice is found as both.
func (l *List) Add(words ...string) Run {
	from := Word(len(l.words))
	for _, w := range words {
		if len(w) < size || len(l.words) == most {
			panic(fmt.Sprintf("words: %q is too short, or one word too many", w))
		}
		l.words = append(l.words, w)
	}
	return Run{from, Word(len(l.words))}
}

const (
	// size is the length of the part of a word by whose hash it is looked for, its key.
	size = 3
	// bits is how many bits of each byte count: five tell letters apart, and not the small ones from the capitals.
	bits = 5
)

// hash takes one more byte into the hash of the last three.
func hash(h uint, c byte) uint {
	return (h<<bits | uint(c)&(1<<bits-1)) & (1<<(size*bits) - 1)
}

// build files each word under the part of it that few others have.
func (l *List) build() {
	count := make([]uint16, 1<<(size*bits))
	each := func(w string, f func(end int, h uint)) {
		h := uint(0)
		for i := range len(w) {
			if h = hash(h, w[i]); i >= size-1 {
				f(i+1, h)
			}
		}
	}
	for _, w := range l.words {
		each(w, func(_ int, h uint) { count[h]++ })
	}
	l.first = new([1 << (size * bits)]Word)
	for n, w := range l.words {
		x, key := filed{text: w}, uint(0)
		each(w, func(end int, h uint) {
			if x.end == 0 || count[h] <= count[key] {
				x.end, key = end, h
			}
		})
		x.next, l.first[key] = l.first[key], Word(n+1)
		l.filed = append(l.filed, x)
	}
}

// A Hit is a place where a word begins.
type Hit struct {
	Word Word
	At   int
}

// Find appends the places where words stand in a text, line by line.
func Find[T string | []byte](l *List, text T, hits []Hit) []Hit {
	if len(text) < size {
		return hits
	}
	l.once.Do(l.build)
	first := l.first
	h, i := hash(hash(0, text[0]), text[1]), size-1
	for ; i+1 < len(text); i += 2 { // two bytes a round, of which few end a key
		odd := hash(h, text[i])
		h = hash(odd, text[i+1])
		if first[odd]|first[h] != 0 {
			hits = ending(l, first[odd], text, i+1, hits)
			hits = ending(l, first[h], text, i+2, hits)
		}
	}
	if i < len(text) {
		hits = ending(l, first[hash(h, text[i])], text, i+1, hits)
	}
	return hits
}

// ending appends those of the words n and after with the same hash whose key ends at a place in the text.
func ending[T string | []byte](l *List, n Word, text T, end int, hits []Hit) []Hit {
	for n != 0 {
		x := &l.filed[n-1]
		if at := end - x.end; at >= 0 && at+len(x.text) <= len(text) && same(x.text, text[at:at+len(x.text)], l.fold) {
			hits = append(hits, Hit{n - 1, at})
		}
		n = x.next
	}
	return hits
}

// same compares a word with a part of a text of the same length.
func same[T string | []byte](word string, text T, fold bool) bool {
	for i := range len(word) {
		c := text[i]
		if fold && 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// In returns the words that stand in a text.
func In[T string | []byte](l *List, text T) (s Set) {
	var room [16]Hit
	for _, h := range Find(l, text, room[:0]) {
		s.Add(h.Word)
	}
	return s
}

// Add adds a word.
func (s *Set) Add(w Word) { s[w/64] |= 1 << (w % 64) }

// AddRun adds the words of a run.
func (s *Set) AddRun(r Run) {
	for w := r.from; w < r.to; w++ {
		s.Add(w)
	}
}

// Holds reports whether a word is in the set.
func (s *Set) Holds(w Word) bool { return s[w/64]&(1<<(w%64)) != 0 }

// Has reports whether one of the words of a run is in the set.
func (s *Set) Has(r Run) bool {
	for w := r.from; w < r.to; w++ {
		if s.Holds(w) {
			return true
		}
	}
	return false
}
