package scan

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// maxKey is how long a key may be that a blockReader reads; the library holds longer ones for something else.
const maxKey = 1000

// inline reads a scalar, an alias or, in brackets, a list or map.
func (r *blockReader) inline() *Node {
	switch r.b[r.i] {
	case '[', '{':
		return r.flow(0)
	case '*':
		return r.alias()
	case '"', '\'':
		n := r.node(String)
		n.Text = r.string(r.quoted())
		return n
	}
	text := r.plain()
	if bytes.Contains(text, []byte(": ")) || bytes.HasSuffix(text, []byte(":")) {
		r.giveUp() // a key where none may stand
	}
	return r.scalar(text)
}

// scalar is a text without quotes, which may be a number or the like.
func (r *blockReader) scalar(text []byte) *Node {
	n := r.node(String)
	n.Text = r.string(text)
	if n.Text != "" && bytes.IndexByte([]byte("0123456789+-.~nNtTfF"), text[0]) >= 0 {
		n.Kind = kindOf((&yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}).ShortTag())
	}
	return n
}

// begins says whether a text without quotes may begin here.
func (r *blockReader) begins() bool {
	switch r.b[r.i] {
	case '-':
		return r.i+1 < r.end && r.b[r.i+1] != ' '
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return true
}

// plain reads a text without quotes to its end, which is that of the line or where a comment begins.
func (r *blockReader) plain() []byte {
	if !r.begins() {
		r.giveUp()
		return nil
	}
	text := r.b[r.i:r.end]
	if n := bytes.Index(text, []byte(" #")); n >= 0 {
		text = text[:n]
	}
	text = bytes.TrimRight(text, " ")
	r.i += len(text)
	return text
}

// quoted reads a text in quotes that ends on its line.
func (r *blockReader) quoted() []byte {
	quote := r.b[r.i]
	r.i++
	from := r.i
	var out []byte // set where the text is not what stands there
	for r.i < r.end && !r.given {
		c := r.b[r.i]
		twice := c == '\'' && quote == c && r.i+1 < r.end && r.b[r.i+1] == c
		switch {
		case twice:
			out = append(out, r.b[from:r.i+1]...)
			r.i++
			from = r.i + 1
		case c == quote:
			text := r.b[from:r.i]
			if r.i++; out != nil {
				return append(out, text...)
			}
			return text
		case c == '\\' && quote == '"':
			out = append(append(out, r.b[from:r.i]...), r.escaped())
			from = r.i + 1
		}
		r.i++
	}
	r.giveUp()
	return nil
}

// escaped is the character that a backslash and the next one stand for; it goes to the latter.
func (r *blockReader) escaped() byte {
	if r.i+1 < r.end {
		r.i++
		switch c := r.b[r.i]; c {
		case '"', '\\':
			return c
		case 'n':
			return '\n'
		case 't':
			return '\t'
		}
	}
	r.giveUp()
	return 0
}

// keyed says whether a key begins here.
func (r *blockReader) keyed() bool {
	from := r.i
	key := r.keyText()
	r.i = from
	return key != nil
}

// key reads a key with its colon.
func (r *blockReader) key() []byte {
	key := r.keyText()
	if key == nil {
		r.giveUp()
	}
	return key
}

// keyText is key where there may be none; then it is nil.
func (r *blockReader) keyText() (key []byte) {
	from := r.i
	switch c := r.b[r.i]; {
	case c == '"' || c == '\'':
		key = r.quoted()
	case r.begins():
		text := r.plain()
		n := bytes.Index(text, []byte(": "))
		if n < 0 {
			n = len(text) - 1
		}
		r.i = from + n
		key = bytes.TrimRight(text[:n], " ")
	}
	if r.given || r.i-from > maxKey || !r.colon() {
		return nil
	}
	r.i++
	return key
}

// colon says that a colon stands here behind a key.
func (r *blockReader) colon() bool {
	return r.i < r.end && r.b[r.i] == ':' && (r.i+1 == r.end || r.b[r.i+1] == ' ')
}

// flow reads a list or map in brackets, of which columns say nothing.
func (r *blockReader) flow(depth int) *Node {
	kind, end, mark := List, byte(']'), len(r.held)
	if r.b[r.i] == '{' {
		kind, end = Map, '}'
	}
	n := r.node(kind)
	for more := true; more && depth < maxBlocks; { // at the bracket or a comma
		r.i++
		if r.gap(); r.given {
			return n
		}
		if r.b[r.i] != end {
			r.element(kind, depth)
			if r.gap(); r.given {
				return n
			}
		}
		if r.b[r.i] == end {
			r.i++
			r.close(n, mark)
			return n
		}
		more = r.b[r.i] == ','
	}
	r.giveUp()
	return n
}

// gap passes over spaces and ends of lines between brackets.
func (r *blockReader) gap() {
	if r.spaces(); r.i < r.end || r.given {
		return
	}
	if r.advance(); r.column < 0 {
		r.giveUp()
	}
}

// element reads one element of a list or map in brackets.
func (r *blockReader) element(kind Kind, depth int) {
	if kind == List {
		r.hold(nil, 0, r.flowing(depth))
		return
	}
	from, line := r.i, r.line
	var key []byte
	if c := r.b[r.i]; c == '"' || c == '\'' {
		key = r.quoted()
	} else {
		key = r.flowText()
	}
	r.spaces()
	if r.given || r.i-from > maxKey || !r.colon() {
		r.giveUp()
		return
	}
	r.i++
	r.spaces()
	r.field(key, line, r.flowing(depth))
}

// flowing reads what stands between brackets and commas.
func (r *blockReader) flowing(depth int) *Node {
	if r.i < r.end {
		switch r.b[r.i] {
		case '[', '{':
			return r.flow(depth + 1)
		case '"', '\'', '*':
			return r.inline()
		case '!':
			r.name()
			if r.spaces(); r.i < r.end && r.b[r.i] != '*' && r.b[r.i] != '!' && depth < maxBlocks {
				return tagged(r.flowing(depth + 1))
			}
		}
	}
	return r.scalar(r.flowText())
}

// flowText reads a text without quotes between brackets and commas.
func (r *blockReader) flowText() []byte {
	if r.i == r.end || !r.begins() {
		r.giveUp()
		return nil
	}
	from := r.i
	for ; r.i < r.end; r.i++ {
		c := r.b[r.i]
		if c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || r.colon() {
			break
		}
		if c == '?' || c == '#' {
			r.giveUp()
			break
		}
	}
	return bytes.TrimRight(r.b[from:r.i], " ")
}
