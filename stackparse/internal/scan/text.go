package scan

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// headSize is how much of a file tells in what encoding it is.
const headSize = 4096

// An encoding is how the characters of a file are written, UTF-8 unless it is wide.
type encoding struct {
	// mark is the length of a byte order mark.
	mark      int
	wide, big bool
}

// encodingOf looks at the beginning of a file; ok is false for what is no text at all.
func encodingOf(head []byte) (e encoding, ok bool) {
	head = head[:min(len(head), headSize)]
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		e.mark = 3
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return encoding{mark: 2, wide: true}, true
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return encoding{mark: 2, wide: true, big: true}, true
	}
	head = head[e.mark:]
	for _, magic := range magics {
		if bytes.HasPrefix(head, magic) {
			return e, false
		}
	}
	if nul := bytes.Count(head, []byte{0}); nul > 0 {
		if nul > len(head)/4 && len(head) >= 4 {
			if head[1] == 0 && head[3] == 0 {
				return encoding{wide: true}, true
			}
			if head[0] == 0 && head[2] == 0 {
				return encoding{wide: true, big: true}, true
			}
		}
		if nul > len(head)/50+8 {
			return e, false
		}
	}
	if whole := head[:complete(head)]; !utf8.Valid(whole) {
		mended := bytes.ToValidUTF8(whole, []byte(replaced))
		if bytes.Count(mended, []byte(replaced)) > len(mended)/20+8 {
			return e, false
		}
	}
	return e, true
}

// replaced stands in the place of bytes that are no UTF-8.
const replaced = "\uFFFD"

// Decode brings a file into UTF-8: byte order marks are taken off, UTF-16 of either order is converted, bytes that
// are no UTF-8 become U+FFFD. It says false for what is no text at all.
func Decode(b []byte) ([]byte, bool) {
	e, ok := encodingOf(b)
	if !ok {
		return nil, false
	}
	b = b[e.mark:]
	switch {
	case e.wide:
		b, _ = fromUTF16(nil, b, e.big, true)
	case !utf8.Valid(b):
		b = bytes.ToValidUTF8(b, []byte(replaced))
	}
	return b, true
}

// magics begin files that are no text, however much of them looks so.
var magics = [][]byte{
	[]byte("\x89PNG"), []byte("%PDF-"), []byte("\xff\xd8\xff"), []byte("GIF8"), []byte("PK\x03\x04"), []byte("\x1f\x8b"), []byte("\x7fELF"), []byte("\xcf\xfa\xed\xfe"), []byte("7z\xbc\xaf"), []byte("BZh"), []byte("\xfd7zXZ"), []byte("SQLite format 3"),
}

// fromUTF16 appends b to out as UTF-8 and returns how much of b that was: unless b is the last of a text, half a character at its
// end is left.
func fromUTF16(out, b []byte, big, last bool) ([]byte, int) {
	out = slices.Grow(out, len(b)/2+8)
	unit := func(i int) rune {
		if big {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i]) | rune(b[i+1])<<8
	}
	i := 0
	for ; i+1 < len(b); i += 2 {
		u := unit(i)
		if utf16.IsSurrogate(u) {
			if i+3 < len(b) {
				u = utf16.DecodeRune(u, unit(i+2))
				i += 2
			} else if !last {
				break
			}
		}
		out = utf8.AppendRune(out, u)
	}
	return out, i
}

// complete is the length of b without a character of UTF-8 at its end that is cut off.
func complete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if utf8.FullRune(b[at:]) {
				return len(b)
			}
			return at
		}
	}
	return len(b)
}

// A decoder is Decode for a text that is read meanwhile.
type decoder struct {
	r io.Reader
	e encoding
	// begun says that the encoding is known, err why nothing more can be read.
	begun bool
	err   error
	// raw is what was read and is not converted yet, text what is converted and not handed out.
	raw, text []byte
	// broken says that the last bytes were no UTF-8: of a run of such, the first stands for all.
	broken bool
}

// NewDecoder returns a reader of r as Decode brings it into UTF-8. What is no text at all reads as the text that it is taken for:
// ask Decode about its beginning first.
func NewDecoder(r io.Reader) io.Reader { return &decoder{r: r} }

// Read hands out whole characters, so that p must have room for one.
func (d *decoder) Read(p []byte) (int, error) {
	if !d.begun {
		d.begin()
	}
	for len(d.text) == 0 && d.err == nil {
		if n := d.straight(p); n > 0 {
			return n, nil
		}
	}
	if len(d.text) == 0 {
		return 0, d.err
	}
	n := copy(p, d.text)
	d.text = d.text[n:]
	return n, nil
}

// begin finds the encoding.
func (d *decoder) begin() {
	d.begun = true
	head := make([]byte, headSize)
	n, err := io.ReadFull(d.r, head)
	if err != nil {
		d.err = err
		if errors.Is(err, io.ErrUnexpectedEOF) {
			d.err = io.EOF
		}
	}
	d.e, _ = encodingOf(head[:n])
	d.raw = head[d.e.mark:n]
	d.convert(d.err != nil)
}

// straight reads into p where what is read is good as it stands, as it mostly is; else the text has it afterwards.
func (d *decoder) straight(p []byte) int {
	if d.e.wide || len(p) < headSize {
		more := make([]byte, headSize)
		n, err := d.r.Read(more)
		d.raw, d.err = append(d.raw, more[:n]...), err
		d.convert(err != nil)
		return 0
	}
	kept := copy(p, d.raw)
	n, err := d.r.Read(p[kept:])
	got := p[:kept+n]
	d.err = err
	good := len(got)
	if err == nil {
		good = complete(got)
	}
	if d.broken || !utf8.Valid(got[:good]) {
		d.raw = bytes.Clone(got)
		d.convert(err != nil)
		return 0
	}
	d.raw = append(d.raw[:0], got[good:]...)
	return good
}

// convert brings what was read into UTF-8; last says that nothing follows.
func (d *decoder) convert(last bool) {
	if d.e.wide {
		var n int
		d.text, n = fromUTF16(d.text, d.raw, d.e.big, last)
		d.raw = d.raw[n:]
		return
	}
	n := len(d.raw)
	if !last {
		n = complete(d.raw)
	}
	for i := 0; i < n; {
		r, size := utf8.DecodeRune(d.raw[i:n])
		bad := r == utf8.RuneError && size == 1
		if !bad || !d.broken {
			d.text = utf8.AppendRune(d.text, r)
		}
		d.broken = bad
		i += size
	}
	d.raw = d.raw[n:]
}
