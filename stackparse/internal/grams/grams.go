// Package grams tells quickly that a word does not stand in a text.
package grams

// A Set holds the runs of three bytes in a text, as a set of their hashes. A word can only stand in the text if all its
// runs do, which tells most of the hundreds of words that are asked for without a search. Small letters and capitals are
// the same.
type Set [(1 << (3 * bits)) / 64]uint64

// bits is how many bits of each byte count: five tell letters apart, and not the small ones from the capitals.
const bits = 5

// next takes one more byte into the hash of the last three.
func next(h uint, c byte) uint {
	return (h<<bits | uint(c)&(1<<bits-1)) & (1<<(3*bits) - 1)
}

// Of collects the runs of a text.
func Of[T string | []byte](text T) *Set {
	g := new(Set)
	h := uint(0)
	for i := range len(text) {
		h = next(h, text[i])
		if i >= 2 {
			g[h/64] |= 1 << (h % 64)
		}
	}
	return g
}

// May reports whether the text can hold a word.
func (g *Set) May(word string) bool {
	h := uint(0)
	for i := range len(word) {
		h = next(h, word[i])
		if i >= 2 && g[h/64]&(1<<(h%64)) == 0 {
			return false
		}
	}
	return true
}
