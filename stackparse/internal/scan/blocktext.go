package scan

import "bytes"

// A textBlock is a text on lines of its own, as it grows by them.
type textBlock struct {
	out []byte
	// literal says that lines stay what they are; else they are joined.
	literal bool
	// indent is what lines are indented by, 0 while that is not known; widest is how many spaces blank lines had till then.
	indent, widest int
	// end is the end of the last line, and blanks are those of the blank lines after it.
	end, blanks []byte
	// deep says that the last line began with a blank of its own.
	deep bool
}

// blockText reads the text that the sign here begins, below a key or dash in the column of owner.
func (r *blockReader) blockText(owner int) *Node {
	n := r.node(String)
	n.Block = r.b[r.i] == '|'
	r.i++
	chomp := byte(0)
	if r.i < r.end && (r.b[r.i] == '-' || r.b[r.i] == '+') {
		chomp = r.b[r.i]
		r.i++
	}
	if r.spaces(); r.i < r.end || owner < 0 {
		r.giveUp() // at a comment, or another way to tell the indent
		return n
	}
	t := textBlock{out: r.room[:0], literal: n.Block}
	for r.next < len(r.b) {
		line, whole := r.b[r.next:], false
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, whole = line[:end], true
		}
		in := len(line) - len(bytes.TrimLeft(line, " "))
		odd := in < len(line) && line[in] == '\t' && (t.indent == 0 || in < t.indent)
		if t.indent == 0 && in < len(line) && in > owner {
			t.indent = in
			odd = odd || t.widest > in
		}
		if odd {
			r.giveUp()
			return n
		}
		blank := in == len(line) && (t.indent == 0 || in <= t.indent)
		if !blank && (t.indent == 0 || in < t.indent) {
			break
		}
		t.add(line, blank, whole)
		r.next += len(line) + 1
		r.line++
	}
	if chomp != '-' {
		t.out = append(t.out, t.end...)
	}
	if chomp == '+' {
		t.out = append(t.out, t.blanks...)
	}
	n.Text, r.room = r.string(t.out), t.out
	return n
}

// add takes in a line; whole says that it has an end.
func (t *textBlock) add(line []byte, blank, whole bool) {
	if blank {
		if t.indent == 0 {
			t.widest = max(t.widest, len(line))
		}
		if whole {
			t.blanks = append(t.blanks, '\n')
		}
		return
	}
	line = line[t.indent:]
	deep := line[0] == ' ' || line[0] == '\t'
	if t.literal || t.deep || deep || len(t.end) == 0 {
		t.out = append(t.out, t.end...)
	} else if len(t.blanks) == 0 {
		t.out = append(t.out, ' ')
	}
	t.out = append(append(t.out, t.blanks...), line...)
	t.end, t.blanks, t.deep = t.end[:0], t.blanks[:0], deep
	if whole {
		t.end = append(t.end, '\n')
	}
}
