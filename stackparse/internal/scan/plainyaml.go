package scan

import (
	"bytes"
	"unicode/utf8"
)

// PlainYAML reports whether a text surely is one document of YAML: maps and lists by indentation whose values stand in one line,
// and blocks of text, as nearly all pipelines are written. It costs a tenth of what YAML does. Of a text with anything else
// (anchors, tags, maps in braces, values that go on over lines) it says false, though that may be YAML as well.
func PlainYAML(b []byte) bool {
	if !utf8.Valid(b) || odd(b) {
		return false
	}
	p := plainYAML{rest: b, open: true, owner: -1}
	for len(p.rest) > 0 {
		line := p.next()
		indent := spaces(line)
		switch {
		case indent == len(line) || line[indent] == '#':
		case indent == 0 && string(line) == "---" && len(p.stack) == 0 && !p.marked:
			p.marked = true
		case indent == 0 && (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))), !p.line(line, indent):
			return false
		}
	}
	return len(p.stack) > 0
}

// odd reports whether a text holds control characters, or ends of lines besides the usual one.
func odd(b []byte) bool {
	for i, c := range b {
		switch {
		case c < ' ' && c != '\n' && c != '\t', c == 0x7F:
			return true
		case c == 0xC2 && b[i+1] < 0xA0: // control characters
			return true
		case c == 0xE2 && b[i+1] == 0x80 && (b[i+2] == 0xA8 || b[i+2] == 0xA9): // ends of lines and paragraphs
			return true
		case c == 0xEF && (b[i+1] == 0xBB && b[i+2] == 0xBF || b[i+1] == 0xBF && b[i+2] >= 0xBE): // byte order marks, and no characters
			return true
		}
	}
	return false
}

// plainYAML is a text that is being checked.
type plainYAML struct {
	rest []byte
	// stack are the maps and lists around the line, by the column where they begin.
	stack []plainBlock
	// open says that the key or the dash that was read last has no value yet; owner is the column of its map or list.
	open  bool
	owner int
	// marked says that the mark of a document was met.
	marked bool
}

type plainBlock struct {
	column int
	list   bool
}

// next cuts off a line, without its end.
func (p *plainYAML) next() (line []byte) {
	line, p.rest, _ = bytes.Cut(p.rest, []byte{'\n'})
	return line
}

func spaces(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// line checks one that is neither empty nor a comment and whose text begins at a column.
func (p *plainYAML) line(line []byte, column int) bool {
	if bytes.IndexByte(line, '\t') >= 0 {
		return false
	}
	first := true
	for column < len(line) {
		text := line[column:]
		list := text[0] == '-' && (len(text) == 1 || text[1] == ' ')
		size := 1
		if !list {
			if size = keySize(text); size == 0 {
				return !first && p.value(text) // what a dash lists
			}
		}
		if !p.enter(plainBlock{column, list}) {
			return false
		}
		p.open, p.owner = true, column
		first = false
		column += size + spaces(text[size:])
		if !list {
			break
		}
	}
	return column >= len(line) || line[column] == '#' && line[column-1] == ' ' || p.value(line[column:])
}

// enter takes a key or a dash into its map or list, which may begin there.
func (p *plainYAML) enter(b plainBlock) bool {
	if p.open && (b.column > p.owner || b.column == p.owner && b.list && !p.stack[len(p.stack)-1].list) {
		p.stack = append(p.stack, b)
		return true
	}
	for n := len(p.stack); n > 0; n = len(p.stack) {
		switch top := p.stack[n-1]; {
		case top == b:
			return true
		case top.column < b.column || top.column == b.column && !top.list:
			return false
		}
		p.stack = p.stack[:n-1]
	}
	return false
}

// keySize is the length of a key with its colon, 0 where the text begins with none.
func keySize(text []byte) int {
	const most = 1000 // longer ones are no keys
	end := 0
	switch c := text[0]; {
	case c == '"' || c == '\'':
		end = quotedSize(text)
	case !wordByte(c):
		return 0
	default:
		for end < len(text) && (wordByte(text[end]) || text[end] == ' ' || text[end] == '-') {
			end++
		}
	}
	if end == 0 || end >= min(len(text), most) || text[end] != ':' || end+1 < len(text) && text[end+1] != ' ' {
		return 0
	}
	return end + 1
}

// wordByte says whether a byte means nothing but itself wherever it stands.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/' || c >= utf8.RuneSelf
}

// quotedSize is the length of a text in quotes that ends in its line and escapes nothing but quotes and backslashes, else 0.
func quotedSize(text []byte) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote == '"':
			if i++; i == len(text) || text[i] != '"' && text[i] != '\\' && text[i] != 'n' {
				return 0
			}
		case c == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case c == quote:
			return i + 1
		}
	}
	return 0
}

// value checks what stands behind a key or a dash.
func (p *plainYAML) value(text []byte) bool {
	p.open = false
	end := 0
	switch c := text[0]; {
	case c == '|' || c == '>':
		if end = 1; end < len(text) && (text[end] == '-' || text[end] == '+') {
			end++
		}
		return ends(text[end:]) && p.block()
	case c == '"' || c == '\'':
		end = quotedSize(text)
	case c == '[':
		end = listSize(text)
	case c == '{':
		if bytes.HasPrefix(text, []byte("{}")) {
			end = 2
		}
	case wordByte(c) || bytes.IndexByte([]byte("$(<=+~^;\\"), c) >= 0, c == '-' && len(text) > 1 && text[1] != ' ':
		return plainText(text)
	}
	return end > 0 && ends(text[end:])
}

// ends reports whether nothing follows a value but a comment.
func ends(text []byte) bool {
	n := spaces(text)
	return n == len(text) || n > 0 && text[n] == '#'
}

// plainText reports whether a text without quotes holds nothing that ends it, but for a comment.
func plainText(text []byte) bool {
	for i, c := range text {
		switch {
		case c == ':' && (i+1 == len(text) || text[i+1] == ' '):
			return false
		case c == '#' && text[i-1] == ' ':
			return true
		}
	}
	return true
}

// listSize is the length of a list in brackets whose elements are words or stand in quotes, else 0.
func listSize(text []byte) int {
	i := 1 + spaces(text[1:])
	if i < len(text) && text[i] == ']' {
		return i + 1
	}
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			size := quotedSize(text[i:])
			if size == 0 {
				return 0
			}
			i += size + spaces(text[i+size:])
		case wordByte(c):
			for i < len(text) && (wordByte(text[i]) || text[i] == ' ' || text[i] == '-') {
				i++
			}
		default:
			return 0
		}
		if i < len(text) && text[i] == ']' {
			return i + 1
		}
		if i >= len(text) || text[i] != ',' {
			return 0
		}
		i += 1 + spaces(text[i+1:])
	}
	return 0
}

// block passes over the lines of a text that the lines before begin. Its first line tells how far it is indented.
func (p *plainYAML) block() bool {
	least, blank := 0, 0
	for len(p.rest) > 0 {
		before := p.rest
		line := p.next()
		n := spaces(line)
		switch {
		case n == len(line):
			if least == 0 {
				blank = max(blank, n)
			}
			continue
		case line[n] == '\t' && (least == 0 || n < least):
			return false
		case least == 0:
			if least = max(p.stack[len(p.stack)-1].column+1, n); blank > least {
				return false
			}
		}
		if n < least {
			p.rest = before
			return true
		}
	}
	return true
}
