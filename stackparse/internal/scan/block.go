package scan

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A blockReader reads YAML as it is mostly written: maps and lists in blocks or brackets, of scalars that stand on one line or in a
// text of their own, with comments, the tags of a tool, and anchors for what is said more than once. Where it meets anything else it
// gives up, and the library reads all: tabs, escapes, texts that go on in the next line, and whatever may be an error. So it knows no
// rule by which a text is refused, and what it reads, it reads as the library does.
type blockReader struct {
	b []byte
	// next is where the line after the current one begins.
	next int
	// line is the number of the current line, i and end are the places of its content in b.
	line, i, end int
	// column is that of the content, -1 at the end of the document.
	column int
	// given says that the reader gave up.
	given bool
	// left is how many nodes may still be made, made are some that are not used yet.
	left int
	made []Node
	// batch is how many were made at once.
	batch int
	// held are the fields and, without keys, the elements of the maps and lists that are being read, outermost first.
	held []Field
	// anchors are the nodes that aliases may name.
	anchors map[string]*Node
	// room is that for a text on lines of its own.
	room []byte
	// bare says that no tree is asked for: all nodes are one.
	bare bool
}

// maxBlocks is how deep maps and lists may lie in each other.
const maxBlocks = 64

// blockYAML reads all documents of a text, of which it makes no trees if bare; ok is false where it gave up.
func blockYAML(b []byte, offset int, bare bool) (docs []*Node, ok bool) {
	if !plainText(b) {
		return nil, false
	}
	r := &blockReader{b: b, line: offset, left: maxYAMLNodes, bare: bare}
	r.advance()
	if r.column < 0 && r.i < r.end { // the mark before the first document
		r.advance()
	}
	for r.column >= 0 && len(docs) < maxDocuments {
		r.left--
		docs = append(docs, r.block(-1, 0))
		if r.given || r.column >= 0 {
			return nil, false
		}
		if r.i == r.end {
			return docs, true
		}
		r.advance()
	}
	return nil, false // there is an empty document, which is null, or none
}

// plainText says whether a text has only ends of lines as we write them, and characters that stand for themselves.
func plainText(b []byte) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			return false
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError || r < 0xA0 || r >= 0x2028 && r <= 0x2029 || r == 0xFEFF || r >= 0xFFFE && r <= 0xFFFF {
			return false
		}
		i += size
	}
	return true
}

// giveUp ends the reading: what was read so far is of no use.
func (r *blockReader) giveUp() {
	r.given, r.column = true, -1
}

// advance goes to the next line that has content. At the end of a document, the column is -1 and there is content only if another
// one follows.
func (r *blockReader) advance() {
	for r.next < len(r.b) && !r.given {
		r.i, r.end = r.next, len(r.b)
		if n := bytes.IndexByte(r.b[r.i:], '\n'); n >= 0 {
			r.end = r.i + n
		}
		r.next = r.end + 1
		r.line++
		r.column = r.spaces()
		switch {
		case r.i == r.end || r.b[r.i] == '#':
			continue
		case bytes.IndexByte(r.b[r.i:r.end], '\t') >= 0:
			r.giveUp()
		case r.column == 0:
			r.mark()
		}
		return
	}
	r.i, r.end, r.column = len(r.b), len(r.b), -1
}

// mark ends the document at a line that stands between documents.
func (r *blockReader) mark() {
	switch line := r.b[r.i:r.end]; {
	case bytes.HasPrefix(line, []byte("---")):
		if len(bytes.TrimRight(line[3:], " ")) > 0 {
			r.giveUp()
		}
		r.column = -1
	case line[0] == '.' || line[0] == '%':
		r.giveUp()
	}
}

// spaces passes over spaces and returns how many there were.
func (r *blockReader) spaces() int {
	from := r.i
	for r.i < r.end && r.b[r.i] == ' ' {
		r.i++
	}
	return r.i - from
}

// ended says that nothing but a comment is left of the line.
func (r *blockReader) ended() bool { return r.i == r.end || r.b[r.i] == '#' && r.b[r.i-1] == ' ' }

// node makes a node of the current line.
func (r *blockReader) node(kind Kind) *Node {
	const most = 64
	if r.left--; r.left <= 0 {
		r.giveUp()
	}
	if len(r.made) == 0 {
		r.batch = min(2*r.batch+1, most)
		r.made = make([]Node, r.batch)
	}
	n := &r.made[0]
	if !r.bare {
		r.made = r.made[1:]
	}
	n.Kind, n.Line = kind, r.line
	return n
}

// hold adds to what is held of the innermost map or list.
func (r *blockReader) hold(key []byte, line int, v *Node) {
	r.held = append(r.held, Field{r.string(key), line, v})
}

// close ends a map or list before which as much was held as mark says.
func (r *blockReader) close(n *Node, mark int) {
	held := r.held[mark:]
	r.held = r.held[:mark]
	switch {
	case r.bare || len(held) == 0:
	case n.Kind == Map:
		n.Fields = slices.Clone(held)
	default:
		n.Items = make([]*Node, len(held))
		for i, f := range held {
			n.Items[i] = f.Value
		}
	}
}

// string is a piece of the text that is kept.
func (r *blockReader) string(b []byte) string {
	if r.bare {
		return ""
	}
	return string(b)
}

// block reads what begins on this line below a key or dash in the column of owner.
func (r *blockReader) block(owner, depth int) *Node {
	switch {
	case depth > maxBlocks:
		r.giveUp()
		return nil
	case r.entry():
		return r.sequence(depth)
	case owner < 0 || r.keyed():
		return r.mapping(depth)
	}
	return r.value(owner, depth)
}

// entry says whether an element of a list begins here.
func (r *blockReader) entry() bool {
	return r.column >= 0 && r.b[r.i] == '-' && (r.i+1 == r.end || r.b[r.i+1] == ' ')
}

// sequence reads the list whose first dash stands here.
func (r *blockReader) sequence(depth int) *Node {
	n, column, mark := r.node(List), r.column, len(r.held)
	for r.column == column && r.entry() {
		line := r.line
		r.i++
		r.column += 1 + r.spaces()
		var v *Node
		switch {
		case r.ended():
			v = r.below(column, line, depth, false)
		case r.entry() || r.keyed():
			v = r.block(column, depth+1)
		default:
			v = r.value(column, depth)
		}
		r.hold(nil, 0, v)
	}
	if r.close(n, mark); r.column > column {
		r.giveUp()
	}
	return n
}

// mapping reads the map whose first key stands here.
func (r *blockReader) mapping(depth int) *Node {
	n, column, mark := r.node(Map), r.column, len(r.held)
	for r.column == column && !r.entry() {
		line := r.line
		key := r.key()
		r.spaces()
		var v *Node
		switch {
		case r.given:
			return n
		case r.ended():
			v = r.below(column, line, depth, true)
		default:
			v = r.value(column, depth)
		}
		r.field(key, line, v)
	}
	if r.close(n, mark); r.column > column {
		r.giveUp()
	}
	return n
}

// field holds a field, or those of the maps that are merged into the one that is being read.
func (r *blockReader) field(key []byte, line int, v *Node) {
	switch {
	case string(key) != "<<":
		r.hold(key, line, v)
	case r.bare || r.given:
		r.giveUp()
	default:
		for _, m := range v.All() {
			r.held = append(r.held, m.Fields...)
		}
	}
}

// below reads what stands below a key or dash that has nothing behind it. A list may begin in the column of its key.
func (r *blockReader) below(column, line, depth int, key bool) *Node {
	r.advance()
	if r.column > column || key && r.column == column && r.entry() {
		return r.block(column, depth+1)
	}
	n := r.node(Null)
	n.Line = line
	return n
}

// value reads what stands behind a key or dash in the column of owner, and goes to the next line. What lies deeper there would
// belong to it, too.
func (r *blockReader) value(owner, depth int) *Node {
	var n *Node
	switch r.b[r.i] {
	case '&', '!':
		return r.marked(owner, depth)
	case '|', '>':
		n = r.blockText(owner)
	default:
		n = r.inline()
		if r.spaces(); !r.ended() {
			r.giveUp()
		}
	}
	if r.advance(); r.column > owner {
		r.giveUp()
	}
	return n
}

// marked reads an anchor or a tag with what it stands before.
func (r *blockReader) marked(owner, depth int) *Node {
	line, mark := r.line, r.b[r.i]
	name := r.name()
	if mark == '&' {
		delete(r.anchors, name) // what follows cannot hold itself
	}
	r.spaces()
	below := r.ended()
	if below {
		r.advance()
	}
	if r.given || below && r.column <= owner || bytes.IndexByte([]byte("&*!"), r.b[r.i]) >= 0 {
		r.giveUp()
		return nil
	}
	var n *Node
	if below {
		n = r.block(owner, depth+1)
	} else {
		n = r.value(owner, depth)
	}
	if r.given {
		return nil
	}
	n.Line = line
	if mark == '!' {
		return tagged(n)
	}
	if r.anchors == nil {
		r.anchors = map[string]*Node{}
	}
	r.anchors[name] = n
	return n
}

// tagged is a node behind a tag that says nothing of numbers and the like.
func tagged(n *Node) *Node {
	if n.Kind < List {
		n.Kind = String
	}
	return n
}

// alias reads the name of an anchor in the place of what the anchor stands before.
func (r *blockReader) alias() *Node {
	n := r.anchors[r.name()]
	if n == nil || r.bare {
		r.giveUp()
		return r.node(Null)
	}
	r.left--
	r.charge(n, 0)
	return n
}

// charge takes what is said once more off the nodes that may be made.
func (r *blockReader) charge(n *Node, depth int) {
	if r.left -= 2 * aliasCost; r.left <= 0 || depth > maxBlocks {
		r.giveUp()
		return
	}
	for _, v := range n.Items {
		r.charge(v, depth+1)
	}
	for _, f := range n.Fields {
		r.charge(f.Value, depth+1)
	}
}

// name reads that of an anchor, an alias or a tag.
func (r *blockReader) name() string {
	ends := " ,]}"
	if r.b[r.i] == '!' {
		ends = " "
	}
	r.i++
	from := r.i
	for r.i < r.end && (r.b[r.i] == '-' || r.b[r.i] == '_' || letter(r.b[r.i])) {
		r.i++
	}
	if r.i == from || r.i < r.end && strings.IndexByte(ends, r.b[r.i]) < 0 {
		r.giveUp()
	}
	return string(r.b[from:r.i])
}

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
