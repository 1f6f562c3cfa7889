package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A markupReader reads XML as manifests are written: elements with attributes in quotes, text with the five common entities, and
// comments. Where it meets anything else, and whatever may be an error, it gives up, and the library reads all.
type markupReader struct {
	b []byte
	i int
	// line is that of i as far as was asked, seen how much of b was counted for it.
	line, seen int
	// stack are the nodes of the elements that are open, with that of the document before them; names are those of the elements.
	stack []*Node
	names [][]byte
}

// plainXML is XML for a text that needs no library; ok is false where it gave up.
func plainXML(b []byte) (root *Node, ok bool) {
	if !utf8.Valid(b) || bytes.ContainsFunc(b, noCharacter) {
		return nil, false
	}
	root = &Node{Kind: Map, Line: 1}
	r := &markupReader{b: b, line: 1, stack: []*Node{root}}
	for r.i < len(b) {
		switch {
		case b[r.i] != '<':
			ok = r.text()
		case r.skip("</"):
			ok = r.endTag()
		case r.skip("<!--"):
			comment, whole := r.until("-->")
			ok = whole && !bytes.Contains(comment, []byte("--")) && !bytes.HasSuffix(comment, []byte("-"))
		case r.skip("<?xml "):
			head, whole := r.until("?>")
			ok = whole && bytes.Contains(head, []byte(`version="1.0"`))
		default:
			ok = r.startTag()
		}
		if !ok {
			return nil, false
		}
	}
	return root, len(r.names) == 0
}

// noCharacter says whether XML knows no such character.
func noCharacter(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
}

// skip passes over what is expected here, if it is here.
func (r *markupReader) skip(what string) bool {
	found := bytes.HasPrefix(r.b[r.i:], []byte(what))
	if found {
		r.i += len(what)
	}
	return found
}

// until passes over what ends with a mark, and returns what stands before that.
func (r *markupReader) until(mark string) ([]byte, bool) {
	n := bytes.Index(r.b[r.i:], []byte(mark))
	if n < 0 {
		return nil, false
	}
	text := r.b[r.i : r.i+n]
	r.i += n + len(mark)
	return text, true
}

func (r *markupReader) blanks() {
	for r.i < len(r.b) && strings.IndexByte(" \t\r\n", r.b[r.i]) >= 0 {
		r.i++
	}
}

// top is the node of the innermost element.
func (r *markupReader) top() *Node { return r.stack[len(r.stack)-1] }

// text takes the text up to the next mark into its element; around the outermost there is none.
func (r *markupReader) text() bool {
	text := r.b[r.i:]
	if n := bytes.IndexByte(text, '<'); n >= 0 {
		text = text[:n]
	}
	r.i += len(text)
	top := r.top()
	if top.Text == "" {
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	if len(text) == 0 || len(r.names) > 0 && len(top.Text) >= maxXMLText {
		return true
	}
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	t, ok := unescaped(text)
	top.Text += t
	return ok && len(r.names) > 0 && !bytes.Contains(text, []byte("]]>"))
}

// unescaped replaces entities; ok is false where there are others.
func unescaped(text []byte) (t string, ok bool) {
	if bytes.IndexByte(text, '&') < 0 {
		return string(text), true
	}
	var out []byte
	for {
		before, rest, more := bytes.Cut(text, []byte("&"))
		out = append(out, before...)
		if !more {
			return string(out), true
		}
		name, after, ends := bytes.Cut(rest, []byte(";"))
		c := entity(name)
		if !ends || c == 0 {
			return "", false
		}
		out, text = append(out, c), after
	}
}

// entity is the character that XML writes by a name, 0 for others.
func entity(name []byte) byte {
	switch string(name) {
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "amp":
		return '&'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	return 0
}

// name reads a name and returns it with and without what stands before its colon; nil where there is none.
func (r *markupReader) name() (full, local []byte) {
	from := r.i
	for r.i < len(r.b) && (letter(r.b[r.i]) || strings.IndexByte("_-.:", r.b[r.i]) >= 0) {
		r.i++
	}
	full = r.b[from:r.i]
	local = full
	if n := bytes.IndexByte(full, ':'); n >= 0 {
		local = full[n+1:]
		if n == 0 || bytes.IndexByte(local, ':') >= 0 {
			return nil, nil
		}
	}
	if len(local) == 0 || strings.IndexByte("-.0123456789", full[0]) >= 0 {
		return nil, nil
	}
	return full, local
}

// startTag reads the beginning of an element, or an element that has nothing but attributes.
func (r *markupReader) startTag() bool {
	r.line += bytes.Count(r.b[r.seen:r.i], []byte{'\n'})
	r.seen = r.i
	r.i++
	full, local := r.name()
	if full == nil || len(r.stack) > MaxDepth {
		return false
	}
	n := &Node{Kind: String, Line: r.line}
	top := r.top()
	top.Kind = Map
	top.Fields = append(top.Fields, Field{string(local), r.line, n})
	for {
		r.blanks()
		switch {
		case r.skip(">"):
			r.stack, r.names = append(r.stack, n), append(r.names, full)
			return true
		case r.skip("/>"):
			return true
		case !r.attribute(n):
			return false
		}
	}
}

// attribute reads one of an element.
func (r *markupReader) attribute(n *Node) bool {
	full, local := r.name()
	r.blanks()
	if full == nil || !r.skip("=") {
		return false
	}
	r.blanks()
	quote := `"`
	if !r.skip(quote) {
		if quote = "'"; !r.skip(quote) {
			return false
		}
	}
	value, ok := r.until(quote)
	if !ok || bytes.IndexByte(value, '<') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		return false
	}
	text, ok := unescaped(value)
	n.Kind = Map
	n.Fields = append(n.Fields, Field{"@" + string(local), n.Line, &Node{Kind: String, Text: text, Line: n.Line}})
	return ok
}

// endTag reads the end of the innermost element.
func (r *markupReader) endTag() bool {
	full, _ := r.name()
	r.blanks()
	last := len(r.names) - 1
	if full == nil || last < 0 || !bytes.Equal(full, r.names[last]) || !r.skip(">") {
		return false
	}
	r.top().Text = strings.TrimSpace(r.top().Text)
	r.stack, r.names = r.stack[:last+1], r.names[:last]
	return true
}
