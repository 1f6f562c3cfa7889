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
		binary.LittleEndian.PutUint64(eight, x|capitals(x)>>2) // 0x80>>2 is what makes a letter small
	}
	return text
}

// Letters returns the end of the run of letters a to z that begins at a position of a text: the position itself where none
// stands there.
func Letters(text Text, i int) int {
	for {
		if other := others(binary.LittleEndian.Uint64(text[i : i+wide])); other != 0 {
			return i + bits.TrailingZeros64(other)/8
		}
		i += wide
	}
}

// others sets the top bit of each of eight bytes that is no letter a to z, and no other bit.
func others(x uint64) uint64 {
	low := x &^ tops
	return (^(low + (0x80-'a')*ones) | (low + (0x7f-'z')*ones) | x) & tops
}

// capitals sets the top bit of each of eight bytes that is a letter A to Z, and no other bit.
func capitals(x uint64) uint64 {
	low := x &^ tops
	return (low + (0x80-'A')*ones) &^ (low + (0x7f-'Z')*ones) &^ x & tops
}
