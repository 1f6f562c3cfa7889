package guidance

import (
	"slices"
	"strings"
	"sync"

	"downwind/guidance/when"
	"downwind/internal/lexicon"
)

// A reader holds the words of a text with their positions and, sentence by sentence, what one pass over them found.
type reader struct {
	text      string
	lower     lexicon.Text // text in lower case
	words     []span
	sentences []sentence
	mentions  []when.Mention // memory for the places that it names
	said      phraseKind     // what its sentences say
	products  uint64         // common products that are named, by their index
	ops       []string       // operations named, at most maxOperations
}

// A span is a word: its bytes, and whether it may begin the name of a place.
type span struct {
	from, to int32
	place    bool
}

// A sentence is a stretch of a text, with the phrases and category cues in it.
type sentence struct {
	from, to    int32 // bytes
	first, last int32 // words
	phrases     phraseKind
	cues        cat
	spared      bool // it says what was not hit
}

// phraseKind is a set of sorts of phrases.
type phraseKind uint64

const (
	saysAsk phraseKind = 1 << iota
	saysHollow
	saysNone
	saysLossDenied
	saysLossHeld
	saysLossMaybe
	saysLossStated
	saysLate
	saysNoLate
	saysPlanned
	saysUnplanned
	saysMaintDone
	saysPast  // of planned work: it was
	saysAhead // of planned work: it will be
	saysMaintNow
	saysReview
	saysResolved
	saysMonitoring
	saysIdentified
	saysInvestigating
	saysMaintenance
	saysSpared
	saysQuoted
	saysDashboardOnly
	saysElsewhere
	saysTimeout
	saysGaveUp
	saysTransfer
	saysDispatch
	saysAgent
	saysSDK
	saysRetried
	saysDropped
	saysProduct // a common product; index in phrase.product
)

// A phrase begins at the word it is filed under.
type phrase struct {
	text    string
	kind    phraseKind
	product uint8
	next    byte // the first byte of its second word, 0 where it has none
}

// clue is what the lexicon knows of a word: cues for categories, and the phrases that begin with it.
type clue struct {
	cues    cat
	phrases []phrase
	// next has a bit for each byte, by its last five bits, that the second words of the phrases begin with; all where one of
	// them has no second word. Most words that begin phrases are told by it to begin none here.
	next  uint32
	place bool // begins or is the name of a place
}

// add files a phrase under its first word, whose clue this is.
func (c clue) add(p phrase, first string) clue {
	if second := len(first) + 1; second < len(p.text) {
		p.next = p.text[second]
		c.next |= 1 << (p.next & 31)
	} else {
		c.next = 1<<32 - 1
	}
	c.phrases = append(c.phrases, p)
	return c
}

// clues is the lexicon of guidance, built once from its tables and never changed.
var clues = sync.OnceValue(func() *lexicon.Table[clue] { return lexicon.New(buildClues()) })

func buildClues() map[string]clue {
	out := map[string]clue{}
	for w, c := range buildCues() {
		e := out[w]
		e.cues |= c
		out[w] = e
	}
	for i := range phraseTable {
		for _, p := range phraseTable[i].list {
			first := firstWord(p)
			out[first] = out[first].add(phrase{text: p, kind: phraseTable[i].kind}, first)
		}
	}
	for i, p := range commonProducts {
		low := strings.ToLower(p)
		first := firstWord(low)
		out[first] = out[first].add(phrase{text: low, kind: saysProduct, product: uint8(i)}, first)
	}
	for _, table := range []map[string]place{areas(), cities()} {
		for name := range table {
			first := firstWord(name)
			e := out[first]
			e.place = true
			out[first] = e
		}
	}
	for w := range points() {
		e := out[w]
		e.place = true
		out[w] = e
	}
	for _, w := range everywhere {
		first := firstWord(w)
		e := out[first]
		e.place = true
		out[first] = e
	}
	return out
}

// firstWord cuts the first word off a phrase as the reader would.
func firstWord(p string) string {
	for i := 0; i < len(p); i++ {
		if !(alnum(p[i]) || p[i] >= 0x80 || (p[i] == '-' || p[i] == '_') && i+1 < len(p) && alnum(p[i+1])) {
			return p[:i]
		}
	}
	return p
}

// byteKind sorts bytes for the reader: inWord letters, digits and the bytes of letters beyond ASCII, joinsWord marks that may
// stand inside a word, goesOn bytes that only continue a character, noWord all else.
var byteKind = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case alnum(b) || b >= 0xc3 && b < 0xe2:
			t[c] = inWord
		case b == '-' || b == '_':
			t[c] = joinsWord
		case b >= 0x80 && b < 0xc0:
			t[c] = goesOn
		}
	}
	return t
}()

const (
	noWord uint8 = iota
	inWord
	joinsWord
	goesOn
)

// readers keeps the words and sentences of past readings for the next: they are most of the memory that a post takes.
var readers = sync.Pool{New: func() any { return new(reader) }}

// maxKept is the length in bytes of the longest text whose reader is kept.
const maxKept = 64 << 10

// newReader reads a text. Who is done with all that came of it, but for strings, may release it.
func newReader(text string) *reader {
	r := readers.Get().(*reader)
	*r = reader{text: text, lower: lexicon.Lower(r.lower, text), words: r.words[:0], sentences: r.sentences[:0], mentions: r.mentions[:0]}
	r.scan()
	return r
}

// release hands the memory of a reader back.
func (r *reader) release() {
	if len(r.text) <= maxKept {
		clear(r.mentions)
		readers.Put(r)
	}
}

// maxScanned bounds how many words are read of a text: a megabyte of prose and more. The longest report that we know has a
// hundredth of it.
const maxScanned = 1 << 18

// scan cuts the text into words and sentences, and collects the phrases and cues of each sentence.
func (r *reader) scan() {
	text, table := r.lower, clues()
	r.words = slices.Grow(r.words, min(len(text)/5+4, maxScanned))
	var s sentence
	for i := 0; i < len(text); {
		if byteKind[text[i]] != inWord {
			i++
			continue
		}
		start, code := i, false
		end, e := table.Word(text, start)
		if end < len(text) && byteKind[text[end]] != noWord {
			if further, numbered := wordEnd(text, end); further > end {
				end, code, e = further, numbered, table.Find(text, start, further)
			}
		}
		i = end
		n := len(r.words)
		if n == maxScanned {
			break
		}
		if n == 0 {
			s.from = int32(start)
		} else if before := int(s.to); (start > before+1 || text[before] != ' ') && r.endsSentence(n-1, start) {
			r.close(&s, n-1)
			s = sentence{from: int32(start), first: int32(n)}
		}
		s.to = int32(i)
		r.words = append(r.words, span{from: int32(start), to: int32(i), place: code || e != nil && e.place})
		if e != nil {
			r.note(n, e, &s)
		}
		if c := r.text[start]; c >= 'A' && c <= 'Z' && i-start >= 6 && len(r.ops) < maxOperations {
			if name := r.text[start:i]; isOperation(name) && !slices.Contains(r.ops, name) {
				r.ops = append(r.ops, name)
			}
		}
	}
	if n := len(r.words); n > 0 {
		r.close(&s, n-1)
	}
}

// wordEnd finds the end of a word that goes on with no letter a to z at i; code says that it may be a code, as "us-east-1" and
// "fra1" are.
func wordEnd(text lexicon.Text, i int) (end int, code bool) {
	for ; i < len(text); i++ {
		k := byteKind[text[i]]
		if k == noWord || k == joinsWord && (i+1 >= len(text) || !alnum(text[i+1])) {
			break
		}
		code = code || text[i] == '-'
	}
	return i, code || text[i-1] >= '0' && text[i-1] <= '9'
}

// note adds what a word says to its sentence.
func (r *reader) note(i int, e *clue, s *sentence) {
	if e.cues != 0 {
		c := e.cues
		if c == catCalls && i > 0 && r.word(i) == "calls" && (r.word(i-1) == "api" || r.word(i-1) == "rpc") {
			c = cueRequest
		}
		s.cues |= c
	}
	rest := r.lower[r.words[i].from:]
	second, next := int(r.words[i].to-r.words[i].from)+1, byte(0)
	if second < len(rest) {
		next = rest[second]
	}
	if e.next>>(next&31)&1 == 0 {
		return
	}
	for k := range e.phrases {
		p := &e.phrases[k]
		if p.next != 0 && p.next != next || len(rest) < len(p.text) || string(rest[:len(p.text)]) != p.text || len(rest) > len(p.text) && alnum(rest[len(p.text)]) && alnum(p.text[len(p.text)-1]) {
			continue
		}
		if p.kind == saysProduct {
			r.products |= 1 << p.product
			continue
		}
		s.phrases |= p.kind
	}
}

// close takes the closing marks into the sentence, whose last word is given, and keeps it.
func (r *reader) close(s *sentence, last int) {
	end := int(s.to)
	for end < len(r.text) && end < int(s.to)+3 && closing(r.text[end]) {
		end++
	}
	s.to, s.last = int32(end), int32(last)
	s.spared = s.phrases&saysSpared != 0
	r.said |= s.phrases
	r.sentences = append(r.sentences, *s)
}

// closing reports whether a mark may end a sentence.
func closing(c byte) bool { return c == '.' || c == '!' || c == '?' || c == '"' || c == ')' }

func alnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

func (r *reader) word(i int) string { return string(r.lower[r.words[i].from:r.words[i].to]) }

// capital reports whether word i was written with a capital first letter.
func (r *reader) capital(i int) bool {
	c := r.text[r.words[i].from]
	return c >= 'A' && c <= 'Z' || c >= 0xc3
}

// joined reports whether only one blank or dash stands between words i and i+1.
func (r *reader) joined(i int) bool {
	if i+1 >= len(r.words) {
		return false
	}
	gap := r.text[r.words[i].to:r.words[i+1].from]
	return gap == " " || gap == "-" || gap == "  " || gap == "\u00a0" || gap == ". " && r.words[i].to-r.words[i].from == 1
}

// endsSentence reports whether a stop, a line end or a semicolon stands between word i and the next, which begins at a byte
// offset.
func (r *reader) endsSentence(i, next int) bool {
	w := r.words[i]
	gap := r.text[w.to:next]
	if len(gap) == 1 {
		return gap[0] == '\n' || gap[0] == ';'
	}
	for k := 0; k < len(gap); k++ {
		switch gap[k] {
		case '\n', ';', '!', '?':
			return true
		case '.':
			if k+1 < len(gap) && (gap[k+1] == ' ' || gap[k+1] == '\n') && w.to-w.from > 1 {
				return true
			}
		}
	}
	return false
}
