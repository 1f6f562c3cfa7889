package marks

// grams are the runs of three bytes in a text, as a set of their hashes. A word can only stand in the text if all its runs
// do, which tells most of the hundreds of words that are asked for without a search.
type grams [(1 << (3 * gramBits)) / 64]uint64

// gramBits is how many bits of each byte count: five tell letters apart, and not the small ones from the capitals.
const gramBits = 5

// next takes one more byte into the hash of the last three.
func next(h uint, c byte) uint {
	return (h<<gramBits | uint(c)&(1<<gramBits-1)) & (1<<(3*gramBits) - 1)
}

// gramsOf collects the runs of a text.
func gramsOf(text string) *grams {
	g := new(grams)
	h := uint(0)
	for i := range len(text) {
		h = next(h, text[i])
		if i >= 2 {
			g[h/64] |= 1 << (h % 64)
		}
	}
	return g
}

// may reports whether the text can hold a word.
func (g *grams) may(word string) bool {
	h := uint(0)
	for i := range len(word) {
		h = next(h, word[i])
		if i >= 2 && g[h/64]&(1<<(h%64)) == 0 {
			return false
		}
	}
	return true
}
