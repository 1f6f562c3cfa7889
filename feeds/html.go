package feeds

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PlainText turns a provider's HTML, Markdown or plain text into plain text: tags removed (those of blocks become line
// breaks), scripts and styles dropped, entities decoded also when escaped twice, white space collapsed but for line
// breaks. Markdown stays as it is. What looks like a tag but is no HTML element ("<eu-west-1>") stays as text.
// The result is still the provider's text: hostile until a sink has escaped it.
func PlainText(s string) string {
	if strings.IndexByte(s, '<') >= 0 {
		s = stripTags(s)
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
		if strings.IndexByte(s, '&') >= 0 {
			s = html.UnescapeString(s)
		}
	}
	return collapse(s)
}

// PlainLine is PlainText on one line: for titles and names.
func PlainLine(s string) string {
	if strings.IndexByte(s, '<') >= 0 || strings.IndexByte(s, '&') >= 0 {
		s = PlainText(s)
	}
	if isTidyLine(s) {
		return s
	}
	return strings.Join(strings.Fields(collapse(s)), " ")
}

// isTidyLine reports whether a line needs no collapsing.
func isTidyLine(s string) bool {
	space := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || (c == ' ' && space) {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}

// stripTags removes HTML tags. When the text has block tags, its own line breaks are only spaces, as in a browser.
func stripTags(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blocks := hasBlocks(s)
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			writeText(&b, s, blocks)
			return b.String()
		}
		writeText(&b, s[:i], blocks)
		s = s[i:]
		name, end := tagAt(s)
		if end == 0 { // a lone "<" or no element of HTML
			b.WriteByte('<')
			s = s[1:]
			continue
		}
		s = s[end:]
		switch tagKind(name) {
		case tagBreak:
			b.WriteByte('\n')
		case tagParagraph:
			b.WriteString("\n\n")
		case tagItem:
			b.WriteString("\n- ")
		case tagCell:
			b.WriteByte(' ')
		case tagHidden:
			s = afterHidden(s, name)
		}
	}
}

func writeText(b *strings.Builder, s string, blocks bool) {
	if !blocks {
		b.WriteString(s)
		return
	}
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			b.WriteString(s)
			return
		}
		b.WriteString(s[:i])
		b.WriteByte(' ')
		s = s[i+1:]
	}
}

// hasBlocks reports whether any tag of the text breaks lines.
func hasBlocks(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i:]
		name, end := tagAt(s)
		if end == 0 {
			s = s[1:]
			continue
		}
		switch tagKind(name) {
		case tagBreak, tagParagraph, tagItem:
			return true
		}
		s = s[end:]
	}
}

// tagAt reads the tag or comment at the start of s ("<…"): its element name in lower case ("/p" for closing tags, "!" for
// comments) and its length; length 0 when it is none.
func tagAt(s string) (name string, end int) {
	if strings.HasPrefix(s, "<!--") {
		if i := strings.Index(s, "-->"); i > 0 {
			return "!", i + 3
		}
		return "!", len(s)
	}
	if strings.HasPrefix(s, "<![CDATA[") || strings.HasPrefix(s, "<!DOCTYPE") || strings.HasPrefix(s, "<?") {
		if i := strings.IndexAny(s[1:], "<>"); i >= 0 && s[i+1] == '>' { // never past the next tag: that would be slow
			return "!", i + 2
		}
		return "", 0
	}
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	start := i
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > start && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == start || i-start > 12 || i >= len(s) {
		return "", 0
	}
	switch s[i] {
	case '>', ' ', '/', '\t', '\n', '\r':
	default:
		return "", 0
	}
	name = strings.ToLower(s[1:i])
	if tagKind(name) == tagNone {
		return "", 0
	}
	return name, tagEnd(s, i)
}

// tagEnd finds the ">" that ends a tag, minding quoted attribute values; 0 when the tag never ends nearby.
func tagEnd(s string, i int) int {
	const longest = 16 << 10
	limit := min(len(s), i+longest)
	var quote byte
	for ; i < limit; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && s[i-1] == '=':
			quote = c
		case c == '>':
			return i + 1
		case c == '<': // a tag never holds another; looking on would make many open ones slow
			return 0
		}
	}
	return 0
}

// afterHidden skips the content of a script, style or head up to its closing tag.
func afterHidden(s, name string) string {
	if strings.HasPrefix(name, "/") {
		return s
	}
	for i := 0; i < len(s); {
		j := strings.Index(s[i:], "</")
		if j < 0 {
			return ""
		}
		i += j
		if len(s) >= i+2+len(name) && strings.EqualFold(s[i+2:i+2+len(name)], name) {
			if k := strings.IndexByte(s[i:], '>'); k >= 0 {
				return s[i+k+1:]
			}
			return ""
		}
		i += 2
	}
	return s
}

type tagClass int

const (
	tagNone tagClass = iota
	tagInline
	tagBreak
	tagParagraph
	tagItem
	tagCell
	tagHidden
)

// tagKind tells what an element does to the flow of text; tagNone for names that HTML does not know.
func tagKind(name string) tagClass {
	switch name {
	case "br", "hr", "tr", "/tr", "div", "/div", "dt", "dd", "/dt", "/dd", "/br", "option", "/option":
		return tagBreak
	case "p", "/p", "ul", "/ul", "ol", "/ol", "h1", "/h1", "h2", "/h2", "h3", "/h3", "h4", "/h4", "h5", "/h5", "h6", "/h6",
		"table", "/table", "blockquote", "/blockquote", "pre", "/pre", "section", "/section", "article", "/article",
		"header", "/header", "footer", "/footer", "dl", "/dl", "form", "/form", "figure", "/figure", "body", "/body", "html", "/html",
		"main", "/main", "nav", "/nav", "aside", "/aside", "details", "/details", "fieldset", "/fieldset":
		return tagParagraph
	case "li":
		return tagItem
	case "td", "th", "/td", "/th", "img":
		return tagCell
	case "script", "/script", "style", "/style", "head", "/head", "noscript", "/noscript", "template", "/template", "title", "/title", "iframe", "/iframe", "svg", "/svg":
		return tagHidden
	case "!", "/li", "a", "/a", "b", "/b", "strong", "/strong", "em", "/em", "i", "/i", "u", "/u", "s", "/s", "small", "/small", "span", "/span",
		"var", "/var", "code", "/code", "font", "/font", "sub", "/sub", "sup", "/sup", "tt", "/tt", "mark", "/mark", "del", "/del",
		"ins", "/ins", "center", "/center", "abbr", "/abbr", "time", "/time", "kbd", "/kbd", "samp", "/samp", "cite", "/cite", "q", "/q",
		"thead", "/thead", "tbody", "/tbody", "tfoot", "/tfoot", "caption", "/caption", "col", "colgroup", "/colgroup", "wbr", "big", "/big",
		"strike", "/strike", "label", "/label", "input", "button", "/button", "meta", "link", "summary", "/summary", "figcaption", "/figcaption",
		"video", "/video", "audio", "/audio", "source", "object", "/object", "embed", "base", "legend", "/legend", "address", "/address",
		"select", "/select", "textarea", "/textarea", "o", "dfn", "/dfn", "picture", "/picture", "bdi", "/bdi":
		return tagInline
	}
	return tagNone
}

// collapse joins white space: runs of blanks become one, runs of line breaks at most an empty line, none at the ends.
// Control characters, zero-width characters and direction overrides are dropped.
func collapse(s string) string {
	if isTidyLine(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	breaks, blank := 0, false
	for i := 0; i < len(s); {
		c := s[i]
		if c > ' ' && c < 0x7f {
			end := i + plainRun(s[i:])
			b = append(separate(b, breaks, blank), s[i:end]...)
			breaks, blank, i = 0, false, end
			continue
		}
		size := 1
		r := rune(c)
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			breaks++
			continue
		case r == '\r':
			if i >= len(s) || s[i] != '\n' {
				breaks++
			}
			continue
		case r == ' ' || r == '\t' || r == '\u00a0' || (r >= 0x80 && unicode.IsSpace(r)):
			blank = true
			continue
		case r < ' ' || r == 0x7f || isInvisible(r):
			continue
		}
		b = utf8.AppendRune(separate(b, breaks, blank), r)
		breaks, blank = 0, false
	}
	return string(b)
}

// plainRun is the length of the printable ASCII at the start of s, with single blanks inside but not at its end.
func plainRun(s string) int {
	n := 1
	for n < len(s) && (s[n] > ' ' && s[n] < 0x7f || s[n] == ' ' && s[n-1] != ' ') {
		n++
	}
	if s[n-1] == ' ' {
		n--
	}
	return n
}

// separate ends what was written so far with the white space that was met since: an empty line at most.
func separate(b []byte, breaks int, blank bool) []byte {
	switch {
	case len(b) == 0:
	case breaks > 1:
		return append(b, '\n', '\n')
	case breaks == 1:
		return append(b, '\n')
	case blank:
		return append(b, ' ')
	}
	return b
}

// isInvisible reports characters that show nothing and only serve to deceive or to break words.
func isInvisible(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9f, r == 0xad, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff:
		return true
	}
	return false
}
