package scan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode brings a file into UTF-8: byte order marks are taken off, UTF-16 of either order is converted, bytes that
// are no UTF-8 become U+FFFD. It says false for what is no text at all.
func Decode(b []byte) ([]byte, bool) {
	switch {
	case bytes.HasPrefix(b, []byte{0xEF, 0xBB, 0xBF}):
		b = b[3:]
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		return fromUTF16(b[2:], false), true
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return fromUTF16(b[2:], true), true
	}
	for _, magic := range magics {
		if bytes.HasPrefix(b, magic) {
			return nil, false
		}
	}
	head := b[:min(len(b), 4096)]
	if nul := bytes.Count(head, []byte{0}); nul > 0 {
		if nul > len(head)/4 && len(head) >= 4 {
			if head[1] == 0 && head[3] == 0 {
				return fromUTF16(b, false), true
			}
			if head[0] == 0 && head[2] == 0 {
				return fromUTF16(b, true), true
			}
		}
		if nul > len(head)/50+8 {
			return nil, false
		}
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
		head = b[:min(len(b), 4096)]
		if bytes.Count(head, []byte("\uFFFD")) > len(head)/20+8 {
			return nil, false
		}
	}
	return b, true
}

// magics begin files that are no text, however much of them looks so.
var magics = [][]byte{
	[]byte("\x89PNG"), []byte("%PDF-"), []byte("\xff\xd8\xff"), []byte("GIF8"), []byte("PK\x03\x04"), []byte("\x1f\x8b"), []byte("\x7fELF"), []byte("\xcf\xfa\xed\xfe"), []byte("7z\xbc\xaf"), []byte("BZh"), []byte("\xfd7zXZ"), []byte("SQLite format 3"),
}

func fromUTF16(b []byte, big bool) []byte {
	out := make([]byte, 0, len(b)/2+8)
	for i := 0; i+1 < len(b); i += 2 {
		u := rune(b[i]) | rune(b[i+1])<<8
		if big {
			u = rune(b[i])<<8 | rune(b[i+1])
		}
		if utf16.IsSurrogate(u) && i+3 < len(b) {
			l := rune(b[i+2]) | rune(b[i+3])<<8
			if big {
				l = rune(b[i+2])<<8 | rune(b[i+3])
			}
			u = utf16.DecodeRune(u, l)
			i += 2
		}
		out = utf8.AppendRune(out, u)
	}
	return out
}

// maxLine is how much of one line is looked at; what generators write beyond is no entry of a list.
const maxLine = 16 << 10

// Lines calls f with every line of b, without its end, and its number from 1. Lines are cut at 16 KB.
func Lines(b []byte, f func(line int, text string)) {
	ByteLines(b, func(line int, text []byte) { f(line, string(text)) })
}

// ByteLines is Lines for readers that pass over most of what they see: text is part of b.
func ByteLines(b []byte, f func(line int, text []byte)) {
	n := 0
	for len(b) > 0 {
		n++
		l := b
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			l, b = b[:end], b[end+1:]
		} else {
			b = nil
		}
		if last := len(l) - 1; last >= 0 && l[last] == '\r' {
			l = l[:last]
		}
		f(n, l[:min(len(l), maxLine)])
	}
}
