// Package textseg stands in for version 15 of the library of that name, by which HCL and its values find the ends of characters
// (grapheme clusters, Unicode standard annex 29). HCL asks for every byte of a file, and version 15 takes a third of the time of
// its lexer for that. Version 17, by the same author, is faster, and both libraries use it from Go 1.27 on: then this module and
// its line in go.mod can go.
package textseg

import (
	"unicode/utf8"

	"github.com/apparentlymart/go-textseg/v17/textseg"
)

// ScanGraphemeClusters is a bufio.SplitFunc for grapheme clusters, as version 17 has it.
func ScanGraphemeClusters(data []byte, atEOF bool) (int, []byte, error) {
	// Between two characters of ASCII is a boundary, but for a carriage return and its line feed.
	if len(data) > 1 && data[0] < utf8.RuneSelf && data[1] < utf8.RuneSelf && data[0] != '\r' {
		return 1, data[:1], nil
	}
	return textseg.ScanGraphemeClusters(data, atEOF)
}
