package terraform

import (
	"bytes"
	"slices"
)

// ignored are kinds of top-level blocks that say nothing of what is used.
var ignored = []string{"moved", "import", "removed", "check"}

// withoutUnread returns the text of a file in which what is never looked at stands as blanks, so that the parser of the language
// need not read it: lines of comments, the descriptions of variables, blocks that say nothing. A quarter of most repositories is
// of these. Lines and places stay; src is returned as it is where there is nothing to blank.
//
// It goes by how the language's formatter lays files out and knows nothing of expressions: a text that the parser then finds
// fault with is to be read again as it was.
func withoutUnread(src []byte) []byte {
	e := eraser{src: src, skip: -1}
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if !e.line(at, end) {
			break
		}
		at = end
	}
	if e.out == nil {
		return src
	}
	return e.out
}

// An eraser blanks a text line by line.
type eraser struct {
	src []byte
	// out is src with blanks, nil while there are none.
	out []byte
	// marker ends the heredoc that the line stands in, nil outside of one.
	marker []byte
	// skip is the beginning of the block that the line stands in where that says nothing, else -1.
	skip int
	// variable says that the line stands in the block of a variable.
	variable bool
}

// line looks at the line between two places; it reports whether those after it can be looked at, too.
func (e *eraser) line(at, end int) bool {
	line := e.src[at:end]
	text := bytes.TrimSpace(line)
	switch {
	case e.marker != nil:
		if bytes.Equal(text, e.marker) {
			e.marker = nil
		}
		return true
	case len(text) == 0:
		return true
	case text[0] == '#' || bytes.HasPrefix(text, []byte("//")):
		e.erase(at, end)
		return true
	case bytes.HasPrefix(text, []byte("/*")):
		return false
	case line[0] == '}':
		if e.skip >= 0 && len(text) == 1 {
			e.erase(e.skip, end)
		}
		e.skip, e.variable = -1, false
	case line[0] >= 'a' && line[0] <= 'z' && text[len(text)-1] == '{':
		words := bytes.Fields(text)
		kind := string(words[0])
		e.skip, e.variable = -1, kind == "variable"
		if slices.Contains(ignored, kind) || kind == "data" && len(words) > 2 && aside.Match(bytes.Trim(words[1], `"`)) {
			e.skip = at
		}
	case e.variable && described(text):
		e.erase(at, end)
	}
	e.marker = heredoc(text)
	return true
}

func (e *eraser) erase(from, to int) {
	if e.out == nil {
		e.out = bytes.Clone(e.src)
	}
	for i := from; i < to; i++ {
		if c := e.out[i]; c != '\n' && c != '\r' {
			e.out[i] = ' '
		}
	}
}

// described says whether a line is a description and nothing else.
func described(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("description"))
	if !ok {
		return false
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " "), []byte("="))
	rest = bytes.TrimLeft(rest, " ")
	last := len(rest) - 1
	return ok && last > 0 && rest[0] == '"' && rest[last] == '"' && !bytes.ContainsAny(rest[1:last], "\"\\$%")
}

// heredoc returns the word that ends the heredoc that a line opens at its end, nil where it opens none.
func heredoc(text []byte) []byte {
	i := bytes.LastIndex(text, []byte("<<"))
	if i < 0 {
		return nil
	}
	marker := bytes.TrimPrefix(text[i+2:], []byte("-"))
	for _, c := range marker {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return nil
		}
	}
	if len(marker) == 0 {
		return nil
	}
	return marker
}
