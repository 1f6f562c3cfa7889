package scan

import (
	"bytes"
	"io"
)

// A window is the part of a text that is held while it is read from front to back: all of it, or a piece that moves on.
type window struct {
	b []byte
	// i is the place of the reader in b; gone is how much of the text lies before b.
	i    int
	gone int
	// rest is what follows b, nil at the end of the text.
	rest io.Reader
}

// Window is how many bytes of a text are held at once where it is not held whole. A word or a line that is longer makes the
// window grow.
const Window = 64 << 10

func newWindow(r io.Reader) window { return window{b: make([]byte, 0, Window), rest: r} }

// pos is the reader's place in the whole text.
func (w *window) pos() int { return w.gone + w.i }

// fill reads more of the text behind what is held, and lets go what lies before the reader but for one byte. It reports
// whether there was more. Slices of b hold other bytes afterwards.
func (w *window) fill() bool {
	if w.rest == nil {
		return false
	}
	if keep := min(max(w.i-1, 0), len(w.b)); keep > 0 {
		w.b = w.b[:copy(w.b, w.b[keep:])]
		w.i -= keep
		w.gone += keep
	}
	if len(w.b) == cap(w.b) {
		w.b = append(make([]byte, 0, 2*cap(w.b)), w.b...)
	}
	for range 100 {
		n, err := w.rest.Read(w.b[len(w.b):cap(w.b)])
		w.b = w.b[:len(w.b)+n]
		if err != nil {
			w.rest = nil
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	w.rest = nil // a reader that reads nothing
	return false
}

// has reports whether n bytes more are to be read, and holds them.
func (w *window) has(n int) bool {
	for len(w.b)-w.i < n {
		if !w.fill() {
			return false
		}
	}
	return true
}

// maxLine is how much of one line is looked at; what generators write beyond is no entry of a list.
const maxLine = 16 << 10

// Lines calls f with every line of b, without its end, and its number from 1. Lines are cut at 16 KB.
func Lines(b []byte, f func(line int, text string)) {
	ByteLines(b, func(line int, text []byte) { f(line, string(text)) })
}

// ByteLines is Lines for readers that pass over most of what they see: text is part of b.
func ByteLines(b []byte, f func(line int, text []byte)) {
	w := window{b: b}
	w.lines(f)
}

// LinesOf is ByteLines for a text that is read meanwhile: the line holds until f returns.
func LinesOf(r io.Reader, f func(line int, text []byte)) {
	w := newWindow(r)
	w.lines(f)
}

func (w *window) lines(f func(line int, text []byte)) {
	for n := 1; w.has(1); n++ {
		text, ended := w.line()
		f(n, text)
		for !ended { // what is cut off
			w.i = len(w.b)
			if !w.fill() {
				return
			}
			if end := bytes.IndexByte(w.b[w.i:], '\n'); end >= 0 {
				w.i += end + 1
				ended = true
			}
		}
	}
}

// line reads one line, or of a long one the beginning: ended says whether its end was met.
func (w *window) line() (text []byte, ended bool) {
	seen := 0
	for {
		held := w.b[w.i:]
		if end := bytes.IndexByte(held[seen:], '\n'); end >= 0 {
			text, ended = held[:seen+end], true
			w.i += seen + end + 1
			break
		}
		if seen = len(held); seen > maxLine || !w.fill() {
			text, ended = w.b[w.i:], seen <= maxLine
			w.i = len(w.b)
			break
		}
	}
	if last := len(text) - 1; ended && last >= 0 && text[last] == '\r' {
		text = text[:last]
	}
	return text[:min(len(text), maxLine)], ended
}
