package when

// Marks that clean leaves in the buffer beside the letters of the text.
const (
	markBullet  = 0x02 // the star or dash of a list item
	markHeading = 0x03 // the hashes before a heading, or bold type at the start of a block
)

// marked tells the bytes that clean looks at from those that it passes over.
var marked = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x80
	}
	for _, c := range []byte{'*', '#', '<', '&', '\\', '`', '\t', '\r', markBullet, markHeading, ':'} {
		t[c] = true
	}
	return t
}()

// clean strips a text in lower case of its markup without changing its length: tags, links and entities become spaces, typographic
// dashes and quotes their plain forms, tags that end a block a line feed. Positions in it are positions in raw, the text as it was.
func clean(b []byte, raw string) {
	lastWide := -1
	for i := 0; i < len(b); {
		for i < len(b) && !marked[b[i]] {
			i++
		}
		if i == len(b) {
			return
		}
		switch c := b[i]; {
		case c == '*':
			i = cleanStars(b, i)
		case c == '#':
			i = cleanHashes(b, i)
		case c == '<':
			i = cleanTag(b, i)
		case c == '&':
			i = cleanEntity(b, raw, i)
		case c == ':':
			if i+2 < len(b) && b[i+1] == '/' && b[i+2] == '/' {
				i = cleanLink(b, i)
			} else {
				i++
			}
		case c >= 0x80:
			i, lastWide = cleanWide(b, i, lastWide)
		default:
			b[i] = ' '
			i++
		}
	}
}

func blank(b []byte, from, to int) {
	for i := from; i < to; i++ {
		b[i] = ' '
	}
}

// cleanStars turns bold marks into spaces and list stars into bullets.
func cleanStars(b []byte, i int) int {
	j := i
	for j < len(b) && b[j] == '*' {
		j++
	}
	start := i == 0 || b[i-1] == ' ' || b[i-1] == '\n'
	blank(b, i, j)
	switch {
	case j-i == 1 && start && j < len(b) && (b[j] == ' ' || b[j] == '\t'):
		b[i] = markBullet
	case j-i >= 2 && j < len(b) && isLetter(b[j]) && start && afterStop(b, i):
		b[i] = markHeading
	}
	return j
}

// maxBack bounds looks backward over blanks, so that a text made of marks costs no more than its length.
const maxBack = 64

// afterStop reports whether a line, a sentence or a list mark ends before i.
func afterStop(b []byte, i int) bool {
	for n := 0; i > 0 && b[i-1] == ' ' && n < maxBack; n++ {
		i--
	}
	if i == 0 {
		return true
	}
	switch b[i-1] {
	case '\n', '.', '!', '?', ':', markBullet, '-':
		return true
	}
	return false
}

func cleanHashes(b []byte, i int) int {
	j := i
	for j < len(b) && b[j] == '#' {
		j++
	}
	if (i == 0 || b[i-1] == ' ' || b[i-1] == '\n') && j < len(b) && b[j] == ' ' {
		blank(b, i, j)
		b[i] = markHeading
	}
	return j
}

// maxTag bounds the length of a tag, so that a stray "<" costs no more than that.
const maxTag = 300

func cleanTag(b []byte, i int) int {
	if i+1 >= len(b) || !(b[i+1] == '/' || b[i+1] == '!' || isLetter(b[i+1])) {
		return i + 1
	}
	for j := i + 1; j < len(b) && j < i+maxTag; j++ {
		if b[j] == '<' || b[j] == '\n' && j > i+120 {
			return i + 1
		}
		if b[j] != '>' {
			continue
		}
		n := i + 1
		if b[n] == '/' {
			n++
		}
		k := n
		for k < j && (isLetter(b[k]) || b[k] >= '0' && b[k] <= '9') {
			k++
		}
		mark := byte(' ')
		switch string(b[n:k]) {
		case "br", "p", "div", "tr", "ul", "ol", "table", "hr":
			mark = '\n'
		case "li":
			mark = markBullet
			if b[i+1] == '/' {
				mark = '\n'
			}
		case "h1", "h2", "h3", "h4", "h5", "h6":
			mark = markHeading
			if b[i+1] == '/' {
				mark = '\n'
			}
		}
		blank(b, i, j+1)
		b[i] = mark
		return j + 1
	}
	return i + 1
}

func cleanEntity(b []byte, raw string, i int) int {
	end := -1
	for j := i + 1; j < len(b) && j < i+9; j++ {
		if b[j] == ';' {
			end = j
			break
		}
		if b[j] == ' ' || b[j] == '&' {
			break
		}
	}
	if end < 0 {
		return i + 1
	}
	to := byte(' ')
	switch raw[i+1 : end] {
	case "amp":
		to = '&'
	case "ndash", "mdash", "minus", "#8211", "#8212", "#x2013", "#x2014":
		to = '-'
	case "#39", "apos", "rsquo", "lsquo", "#8217":
		to = '\''
	case "quot", "ldquo", "rdquo":
		to = '"'
	case "lt", "gt", "nbsp", "#160", "thinsp", "ensp", "emsp":
	default:
		return i + 1
	}
	blank(b, i, end+1)
	b[i] = to
	return end + 1
}

// cleanLink blanks an address with its scheme.
func cleanLink(b []byte, i int) int {
	s := i
	for s > 0 && i-s < 8 && isLetter(b[s-1]) {
		s--
	}
	j := i
	for j < len(b) && b[j] > ' ' && b[j] != ')' && b[j] != '<' && b[j] != '"' && b[j] != ']' {
		j++
	}
	// The full stop of the sentence is not part of the address.
	for j > i && (b[j-1] == '.' || b[j-1] == ',' || b[j-1] == ';') {
		j--
	}
	blank(b, s, j)
	return j
}

// cleanWide handles a character of more than one byte that begins at i; it returns the position after it.
func cleanWide(b []byte, i, lastWide int) (int, int) {
	n := 2
	switch {
	case b[i] >= 0xf0:
		n = 4
	case b[i] >= 0xe0:
		n = 3
	case b[i] < 0xc0:
		return i + 1, lastWide
	}
	if i+n > len(b) {
		return len(b), lastWide
	}
	switch {
	case n == 2 && b[i] == 0xc2 && b[i+1] == 0xa0: // no-break space
		blank(b, i, i+2)
	case n == 2 && b[i] == 0xc2 && b[i+1] == 0xb7: // middle dot
		b[i], b[i+1] = markBullet, ' '
	case n == 3 && b[i] == 0xe2 && b[i+1] == 0x80:
		cleanGeneral(b, i)
	case n == 3 && b[i] == 0xe2 && b[i+1] == 0x88 && (b[i+2] == 0x92 || b[i+2] == 0xbc): // minus, tilde operator
		to := byte('-')
		if b[i+2] == 0xbc {
			to = '~'
		}
		blank(b, i, i+3)
		b[i+1] = to
	case n == 3 && b[i] == 0xe2 && b[i+1] == 0x86 && b[i+2] == 0x92: // arrow
		blank(b, i, i+3)
		b[i+1] = '-'
	case n == 3 && b[i] == 0xe2 && b[i+1] >= 0x96 && b[i+1] <= 0x97: // squares and circles of lists
		blank(b, i, i+3)
		b[i] = markBullet
	case n == 3 && b[i] >= 0xe3 && b[i] <= 0xed:
		// Chinese, Japanese, Korean: the times between such characters are not English prose.
		if lastWide >= 0 && i-lastWide <= 48 {
			blank(b, lastWide, i)
		}
		blank(b, i, i+3)
		return i + 3, i
	}
	return i + n, lastWide
}

// cleanGeneral plains the marks of the block "general punctuation".
func cleanGeneral(b []byte, i int) {
	c := b[i+2]
	blank(b, i, i+3)
	switch {
	case c >= 0x90 && c <= 0x95:
		b[i+1] = '-'
	case c == 0x98 || c == 0x99 || c == 0xb2:
		b[i] = '\''
	case c >= 0x9c && c <= 0x9f || c == 0xb3:
		b[i] = '"'
	case c == 0xa2:
		b[i] = markBullet
	case c == 0xa6:
		b[i] = '.'
	case c == 0xa8 || c == 0xa9:
		b[i] = '\n'
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
