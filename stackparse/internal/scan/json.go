package scan

import (
	"bytes"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Stream reads JSON value by value without building a tree. It accepts comments, trailing commas and bare words, and
// stops at damage with a Problem; what was read before stays read.
type Stream struct {
	window
	line  int
	seen  int // how much of the text line counts
	depth int
	// Problem is the first damage met, nil while there is none.
	Problem *Problem
}

// maxText bounds one string or word: what is longer is cut, so that a file that is one string costs no more than others.
const maxText = 4 << 20

// NewStream reads b, which must be UTF-8.
func NewStream(b []byte) *Stream { return &Stream{window: window{b: b}, line: 1} }

// NewStreamOf reads what r reads, which must be UTF-8, and holds little of it at a time.
func NewStreamOf(r io.Reader) *Stream { return &Stream{window: newWindow(r), line: 1} }

// Line is the line of the next value.
func (s *Stream) Line() int {
	at := min(s.i, len(s.b))
	s.line += bytes.Count(s.b[max(s.seen-s.gone, 0):at], []byte{'\n'})
	s.seen = s.gone + at
	return s.line
}

// more makes more of the text be held, once all that is held was read.
func (s *Stream) more() bool {
	if s.rest == nil {
		return false
	}
	s.Line() // while what lies behind is still there to be counted
	return s.fill()
}

// ahead holds n bytes more, or all that are left, and reports whether there are as many.
func (s *Stream) ahead(n int) bool {
	for len(s.b)-s.i < n {
		if !s.more() {
			return false
		}
	}
	return true
}

func (s *Stream) fail(what string) {
	if s.Problem == nil {
		s.Problem = &Problem{Line: s.Line(), Summary: what}
	}
	s.i, s.rest = len(s.b), nil
}

func (s *Stream) space() {
	for s.i < len(s.b) || s.more() {
		switch c := s.b[s.i]; {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == 0:
			s.i++
		case c == '/' && s.ahead(2) && s.b[s.i+1] == '/':
			s.toLineEnd()
		case c == '/' && s.ahead(2) && s.b[s.i+1] == '*':
			s.i += 2
			s.comment()
		case (c == '<' || c == '=' || c == '>' || c == '|') && s.conflict():
		default:
			return
		}
	}
}

func (s *Stream) toLineEnd() {
	for {
		if n := bytes.IndexByte(s.b[s.i:], '\n'); n >= 0 {
			s.i += n
			return
		}
		if s.i = len(s.b); !s.more() {
			return
		}
	}
}

// comment passes over a comment whose beginning was read.
func (s *Stream) comment() {
	for {
		if n := bytes.Index(s.b[s.i:], []byte("*/")); n >= 0 {
			s.i += n + 2
			return
		}
		s.i = max(s.i, len(s.b)-1) // a star may stand last
		if !s.more() {
			s.i = len(s.b)
			return
		}
	}
}

// conflict skips a line that version control left where two versions met; both versions are read.
func (s *Stream) conflict() bool {
	if s.i > 0 && s.b[s.i-1] != '\n' {
		return false
	}
	if c := s.b[s.i]; !s.ahead(7) || !bytes.Equal(s.b[s.i:s.i+7], bytes.Repeat([]byte{c}, 7)) {
		return false
	}
	s.toLineEnd()
	return true
}

// Peek returns the kind of the next value; Null also at the end.
func (s *Stream) Peek() Kind {
	s.space()
	if s.i >= len(s.b) {
		return Null
	}
	switch c := s.b[s.i]; {
	case c == '{':
		return Map
	case c == '[':
		return List
	case c == '"' || c == '\'':
		return String
	case c == 't' || c == 'f':
		return Bool
	case c == '-' || '0' <= c && c <= '9':
		return Number
	}
	return Null
}

// Done says whether nothing is left to read.
func (s *Stream) Done() bool {
	s.space()
	return s.i >= len(s.b)
}

// Object reads a map: f is called with the reader standing before each value and may read it; what it leaves is
// skipped. A value of another kind is skipped.
func (s *Stream) Object(f func(key string, line int)) {
	if s.Peek() != Map {
		s.Skip()
		return
	}
	if s.depth++; s.depth > MaxDepth {
		s.fail("nested deeper than 512 levels")
		return
	}
	s.i++
	for {
		s.space()
		if s.i >= len(s.b) {
			s.fail("cut off inside an object")
			break
		}
		if s.b[s.i] == '}' {
			s.i++
			break
		}
		line := s.Line()
		key, ok := s.text()
		if !ok {
			s.fail("key expected")
			break
		}
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != ':' {
			s.fail("no value after key " + strconv.Quote(clip(key)))
			break
		}
		s.i++
		s.space()
		if s.i >= len(s.b) {
			// The key was read: let it count, its value is lost.
			f(key, line)
			s.fail("cut off inside an object")
			break
		}
		at := s.pos()
		f(key, line)
		if s.pos() == at {
			s.Skip()
		}
		if s.pos() == at {
			s.fail("unexpected character")
			break
		}
	}
	s.depth--
}

// Array reads a list the same way.
func (s *Stream) Array(f func()) {
	if s.Peek() != List {
		s.Skip()
		return
	}
	if s.depth++; s.depth > MaxDepth {
		s.fail("nested deeper than 512 levels")
		return
	}
	s.i++
	for {
		s.space()
		if s.i >= len(s.b) {
			s.fail("cut off inside a list")
			break
		}
		if s.b[s.i] == ']' {
			s.i++
			break
		}
		at := s.pos()
		f()
		if s.pos() == at {
			s.Skip()
		}
		if s.pos() == at {
			s.fail("unexpected character")
			break
		}
	}
	s.depth--
}

// Text reads a scalar as text; "" for null. Maps and lists are skipped and give "".
func (s *Stream) Text() string {
	if k := s.Peek(); k == Map || k == List {
		s.Skip()
		return ""
	}
	if s.i >= len(s.b) {
		return ""
	}
	quoted := s.b[s.i] == '"' || s.b[s.i] == '\''
	t, _ := s.text()
	if !quoted && t == "null" {
		return ""
	}
	return t
}

// Skip passes over the next value without keeping any of it.
func (s *Stream) Skip() {
	s.space()
	if s.i >= len(s.b) {
		return
	}
	if c := s.b[s.i]; c != '{' && c != '[' {
		s.skipScalar()
		return
	}
	depth := 0
	for s.i < len(s.b) || s.more() {
		switch s.b[s.i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.i++
				return
			}
		case '"':
			s.skipScalar()
			continue
		}
		s.i++
	}
	s.fail("cut off inside a value")
}

func (s *Stream) skipScalar() {
	c := s.b[s.i]
	if c != '"' && c != '\'' {
		var word [64]byte
		s.bare(word[:0])
		return
	}
	s.i++
	for s.i < len(s.b) || s.more() {
		n := bytes.IndexByte(s.b[s.i:], c)
		if n < 0 {
			n = len(s.b) - s.i
		}
		if e := bytes.IndexByte(s.b[s.i:s.i+n], '\\'); e >= 0 { // whatever follows is no end
			s.i += e + 1
			if s.ahead(1) {
				s.i++
			}
			continue
		}
		if s.i += n; s.i < len(s.b) {
			s.i++
			return
		}
	}
}

// bare appends a word without quotes.
func (s *Stream) bare(out []byte) []byte {
	for s.i < len(s.b) || s.more() {
		switch c := s.b[s.i]; c {
		case ' ', '\n', '\r', '\t', ',', ':', '{', '}', '[', ']', '"':
			return out
		default:
			out = put(out, c)
		}
		s.i++
	}
	return out
}

// put appends a character to a text that is not too long yet.
func put(out []byte, c byte) []byte {
	if len(out) < maxText {
		out = append(out, c)
	}
	return out
}

func (s *Stream) text() (string, bool) {
	var word [64]byte
	c := s.b[s.i]
	if c != '"' && c != '\'' {
		w := s.bare(word[:0])
		return string(w), len(w) > 0
	}
	s.i++
	if n := bytes.IndexByte(s.b[s.i:], c); n >= 0 && n <= maxText && bytes.IndexByte(s.b[s.i:s.i+n], '\\') < 0 {
		t := string(s.b[s.i : s.i+n])
		s.i += n + 1
		return t, true
	}
	out := word[:0]
	for s.i < len(s.b) || s.more() {
		switch b := s.b[s.i]; b {
		case c:
			s.i++
			return string(out), true
		case '\\':
			out = s.escape(out)
		default:
			out = put(out, b)
			s.i++
		}
	}
	s.fail("string without end")
	return string(out), true
}

func (s *Stream) escape(out []byte) []byte {
	s.i++
	if !s.ahead(1) {
		return out
	}
	c := s.b[s.i]
	s.i++
	if len(out) >= maxText {
		return out
	}
	switch c {
	case 'n':
		return append(out, '\n')
	case 't':
		return append(out, '\t')
	case 'r', 'b', 'f':
		return append(out, ' ')
	case 'u':
		r := s.hex()
		if utf16.IsSurrogate(r) && s.ahead(2) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
			s.i += 2
			r = utf16.DecodeRune(r, s.hex())
		}
		return utf8.AppendRune(out, r)
	}
	return append(out, c)
}

func (s *Stream) hex() rune {
	s.ahead(4)
	end := min(s.i+4, len(s.b))
	v, err := strconv.ParseUint(string(s.b[s.i:end]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	s.i = end
	return rune(v)
}

// JSON reads a whole document into a tree; a problem tells where it stopped.
func JSON(b []byte) (*Node, []Problem) {
	if len(b) > maxTree {
		return &Node{Line: 1}, tooLarge("JSON")
	}
	s := NewStream(b)
	n := s.Node()
	if s.Problem != nil {
		return n, []Problem{*s.Problem}
	}
	if !s.Done() && n.Kind != Map && n.Kind != List {
		return n, []Problem{{Line: s.Line(), Summary: "not JSON"}}
	}
	return n, nil
}

// Node reads the next value as a tree.
func (s *Stream) Node() *Node {
	k := s.Peek()
	n := &Node{Kind: k, Line: s.Line()}
	switch k {
	case Map:
		s.Object(func(key string, line int) {
			n.Fields = append(n.Fields, Field{Key: key, Line: line, Value: s.Node()})
		})
	case List:
		s.Array(func() { n.Items = append(n.Items, s.Node()) })
	default:
		if s.i < len(s.b) {
			at := s.pos()
			n.Text, _ = s.text()
			if s.pos() == at {
				s.fail("unexpected character")
			}
			if k == Null && n.Text != "null" {
				n.Kind = String
			}
		}
	}
	return n
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
