package archive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"downwind"
)

// maxDiff bounds the texts that are compared word by word, in bytes of both together; beyond it the whole is replaced.
const maxDiff = 200_000

// Diff returns the word-level difference from a to b in reading order. Joining the kept and removed spans gives a, the
// kept and added ones b. The work is bounded: texts over 200,000 bytes come back as one removal and one addition.
func Diff(a, b string) []downwind.Span {
	if a == b {
		if a == "" {
			return nil
		}
		return []downwind.Span{{Op: 0, Text: a}}
	}
	if len(a)+len(b) > maxDiff {
		return spans(a, b)
	}
	words := newWords()
	ca, okA := words.encode(a)
	cb, okB := words.encode(b)
	if !okA || !okB {
		return spans(a, b)
	}
	dmp := diffmatchpatch.New()
	diffs := dmp.DiffMainRunes(ca, cb, false)
	diffs = dmp.DiffCleanupMerge(dmp.DiffCleanupSemantic(diffs))
	var out []downwind.Span
	for _, d := range diffs {
		out = append(out, downwind.Span{Op: int(d.Type), Text: words.decode(d.Text)})
	}
	return tidy(out)
}

// spans replaces a by b as a whole.
func spans(a, b string) []downwind.Span {
	var out []downwind.Span
	if a != "" {
		out = append(out, downwind.Span{Op: -1, Text: a})
	}
	if b != "" {
		out = append(out, downwind.Span{Op: 1, Text: b})
	}
	return out
}

// words maps each distinct word or gap to a rune, so that the differ works on words.
type words struct {
	code map[string]rune
	list []string
}

func newWords() *words { return &words{code: map[string]rune{}} }

// firstCode starts above the surrogates, so that every code is a valid rune that survives a round trip through a string.
const firstCode = 0xE000

func (w *words) encode(s string) ([]rune, bool) {
	out := make([]rune, 0, len(s)/4+1)
	for s != "" {
		n := wordLen(s)
		word := s[:n]
		s = s[n:]
		c, ok := w.code[word]
		if !ok {
			c = firstCode + rune(len(w.list))
			if c > utf8.MaxRune {
				return nil, false
			}
			w.code[word] = c
			w.list = append(w.list, word)
		}
		out = append(out, c)
	}
	return out, true
}

func (w *words) decode(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.WriteString(w.list[c-firstCode])
	}
	return b.String()
}

// wordLen is the length of the leading run: a word of letters and digits (with inner points and colons, as in "17:53"
// and "2.1"), a run of white space, or one other character.
func wordLen(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(first):
		return runLen(s, unicode.IsSpace)
	case !isWord(first):
		return size
	}
	n := runLen(s, isWord)
	for n+1 < len(s) && (s[n] == ':' || s[n] == '.') {
		more := runLen(s[n+1:], isWord)
		if more == 0 {
			break
		}
		n += 1 + more
	}
	return n
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func runLen(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

// tidy makes a difference readable: a gap of white space that stands unchanged between two changes joins them, and
// within a run of changes all removals come before all additions.
func tidy(in []downwind.Span) []downwind.Span {
	var out []downwind.Span
	var removed, added strings.Builder
	flush := func() {
		out = append(out, spans(removed.String(), added.String())...)
		removed.Reset()
		added.Reset()
	}
	for i, s := range in {
		switch {
		case s.Op < 0:
			removed.WriteString(s.Text)
		case s.Op > 0:
			added.WriteString(s.Text)
		case removed.Len()+added.Len() > 0 && strings.TrimSpace(s.Text) == "" && i+1 < len(in):
			removed.WriteString(s.Text)
			added.WriteString(s.Text)
		default:
			flush()
			out = append(out, s)
		}
	}
	flush()
	return out
}
