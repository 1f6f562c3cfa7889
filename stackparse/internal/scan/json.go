package scan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Stream reads JSON value by value without building a tree. It accepts comments, trailing commas and bare words, and
// stops at damage with a Problem; what was read before stays read.
type Stream struct {
	b     []byte
	i     int
	line  int
	seen  int // offset up to which line counts
	depth int
	// Problem is the first damage met, nil while there is none.
	Problem *Problem
}

// NewStream reads b, which must be UTF-8.
func NewStream(b []byte) *Stream { return &Stream{b: b, line: 1} }

// Line is the line of the next value.
func (s *Stream) Line() int {
	s.line += bytes.Count(s.b[s.seen:min(s.i, len(s.b))], []byte{'\n'})
	s.seen = min(s.i, len(s.b))
	return s.line
}

func (s *Stream) fail(what string) {
	if s.Problem == nil {
		s.Problem = &Problem{Line: s.Line(), Summary: what}
	}
	s.i = len(s.b)
}

func (s *Stream) space() {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == 0:
			s.i++
		case c == '/' && s.i+1 < len(s.b) && s.b[s.i+1] == '/':
			if n := bytes.IndexByte(s.b[s.i:], '\n'); n >= 0 {
				s.i += n
			} else {
				s.i = len(s.b)
			}
		case c == '/' && s.i+1 < len(s.b) && s.b[s.i+1] == '*':
			if n := bytes.Index(s.b[s.i+2:], []byte("*/")); n >= 0 {
				s.i += n + 4
			} else {
				s.i = len(s.b)
			}
		case (c == '<' || c == '=' || c == '>' || c == '|') && s.conflict():
		default:
			return
		}
	}
}

// conflict skips a line that version control left where two versions met; both versions are read.
func (s *Stream) conflict() bool {
	if s.i > 0 && s.b[s.i-1] != '\n' {
		return false
	}
	c := s.b[s.i]
	if n := s.i + 7; n > len(s.b) || !bytes.Equal(s.b[s.i:n], bytes.Repeat([]byte{c}, 7)) {
		return false
	}
	if n := bytes.IndexByte(s.b[s.i:], '\n'); n >= 0 {
		s.i += n
	} else {
		s.i = len(s.b)
	}
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
		at := s.i
		f(key, line)
		if s.i == at {
			s.Skip()
		}
		if s.i == at {
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
		at := s.i
		f()
		if s.i == at {
			s.Skip()
		}
		if s.i == at {
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
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			depth--
			s.i++
			if depth == 0 {
				return
			}
		case '"':
			s.skipScalar()
		default:
			s.i++
		}
	}
	s.fail("cut off inside a value")
}

func (s *Stream) skipScalar() {
	c := s.b[s.i]
	if c != '"' && c != '\'' {
		s.bare()
		return
	}
	for s.i++; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case c:
			s.i++
			return
		}
	}
	s.i = len(s.b)
}

func (s *Stream) bare() []byte {
	at := s.i
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t', ',', ':', '{', '}', '[', ']', '"':
			return s.b[at:s.i]
		}
		s.i++
	}
	return s.b[at:s.i]
}

func (s *Stream) text() (string, bool) {
	c := s.b[s.i]
	if c != '"' && c != '\'' {
		w := s.bare()
		return string(w), len(w) > 0
	}
	s.i++
	at := s.i
	for s.i < len(s.b) && s.b[s.i] != c && s.b[s.i] != '\\' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return string(s.b[at : s.i-1]), true
	}
	out := append([]byte(nil), s.b[at:s.i]...)
	for s.i < len(s.b) {
		switch b := s.b[s.i]; b {
		case c:
			s.i++
			return string(out), true
		case '\\':
			out = s.escape(out)
		default:
			out = append(out, b)
			s.i++
		}
	}
	s.fail("string without end")
	return string(out), true
}

func (s *Stream) escape(out []byte) []byte {
	s.i++
	if s.i >= len(s.b) {
		return out
	}
	c := s.b[s.i]
	s.i++
	switch c {
	case 'n':
		return append(out, '\n')
	case 't':
		return append(out, '\t')
	case 'r', 'b', 'f':
		return append(out, ' ')
	case 'u':
		r := s.hex()
		if utf16.IsSurrogate(r) && s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
			s.i += 2
			r = utf16.DecodeRune(r, s.hex())
		}
		return utf8.AppendRune(out, r)
	}
	return append(out, c)
}

func (s *Stream) hex() rune {
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
			at := s.i
			n.Text, _ = s.text()
			if s.i == at {
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
