package lexicon

import (
	"encoding/binary"
	"math/bits"
)

// A Text is a text with the letters A to Z in lower case, as Lower makes it. Behind its end lie eight zeros, which belong to
// its capacity and not to its length: words are read eight bytes at a time, also the last one.
type Text []byte

// wide is how many bytes are read at once.
const wide = 8

var room [wide]byte

// Masks of the eight bytes that are read at once.
const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// Lower returns s with the letters A to Z in lower case and all else as it is, so that positions stay. It takes the memory
// of a text that is done with; nil is one.
func Lower(done Text, s string) Text {
	text := append(append(done[:0], s...), room[:]...)[:len(s)]
	for i := 0; i < len(text); i += wide {
		eight := text[i : i+wide]
		x := binary.LittleEndian.Uint64(eight)
		binary.LittleEndian.PutUint64(eight, x|between(x, 'A', 'Z')>>2) // 0x80>>2 is what makes a letter small
	}
	return text
}

// Letters returns the end of the run of letters a to z that begins at a position of a text: the position itself where none
// stands there.
func Letters(text Text, i int) int {
	for {
		other := ^between(binary.LittleEndian.Uint64(text[i:i+wide]), 'a', 'z') & tops
		if other != 0 {
			return i + bits.TrailingZeros64(other)/8
		}
		i += wide
	}
}

// between sets the top bit of each of eight bytes that lies between two of ASCII, and no other bit.
func between(x uint64, lo, hi byte) uint64 {
	low := x &^ tops
	from, past := low+(0x80-uint64(lo))*ones, low+(0x7f-uint64(hi))*ones
	return from &^ past &^ x & tops
}
