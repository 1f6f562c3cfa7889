package when

import (
	"slices"
	"sync"
	"time"

	"downwind/internal/lexicon"
)

// Input is one text with what is known of it.
type Input struct {
	// Text is the provider's prose, with whatever markup was left in.
	Text string
	// Posted is when it went out, UTC; zero when not known: dates then come from the text alone.
	Posted time.Time
	// Zone is the IANA name of the zone the provider usually writes in, empty for UTC.
	Zone string
	// Maintenance says that the text announces planned work: its times may lie ahead.
	Maintenance bool
	// Mentions are the places and products named in the text, in order; they give windows their scope.
	Mentions []Mention
}

// A Mention is a place or product named in a text.
type Mention struct {
	From, To int // byte offsets in the text
	Name     string
	Region   bool
}

// A Span is a period of impact that the text states.
type Span struct {
	// Start is zero where only an end is stated; End is zero where none is. UTC.
	Start, End time.Time
	// ApproxStart and ApproxEnd say that the bound is approximate.
	ApproxStart, ApproxEnd bool
	// ByDay says that a bound is known to the day only.
	ByDay bool
	// From and To are the byte offsets of the statement; StartFrom and StartTo those of the words that give the start, where
	// they stand outside of it.
	From, To           int
	StartFrom, StartTo int
	// Scope is the place or product the span is about, in the provider's words, empty when the text names none beside it.
	Scope string
	// Closed says that the text closes the span with a statement that all is over.
	Closed bool
	// Planned says that the span is announced work.
	Planned bool
	// Guessed says that the day was taken from the time of the post, not from the text.
	Guessed bool
	// Other are further readings that the text gives for the same impact.
	Other []Reading
	// Ongoing says that the text states an onset of impact that it does not close.
	Ongoing bool

	sent    int
	onset   int // the sentence of the start, where it is another
	pt      int // the point before which its subject stands
	sec     section
	part    bool
	own     bool // ends of its own, though it lies inside another
	regions []string
}

// A Reading is another pair of bounds for a span.
type Reading struct {
	Start, End time.Time
	// Stage says that this is an earlier stage of the same impact ("unavailable until A, degraded until B"), no contradiction.
	Stage bool
}

// ConflictKind sorts what is contradictory in a text.
type ConflictKind uint8

// The kinds of contradictions.
const (
	AfterPost    ConflictKind = iota // a finished impact that ends after the text was posted
	TwoEnds                          // one impact with two ends
	ZonesDiffer                      // figures of two zones side by side that disagree
	WrongWeekday                     // a weekday that does not fit its date
	WrongYear                        // a year that puts the impact a year away from the post
	WrongHalf                        // a day or half of the day that was corrected
	NoZone                           // no zone in the text: A, the provider's usual one, was taken; A is empty for UTC
	CountDiffers                     // "five windows" with six listed
	LateStart                        // an onset that is dated a day after its own end: A, and the day before, B, was taken
	DayBefore                        // no day in the text, and on the post's own the impact would end soon after the post: the day before was taken
)

// A Conflict is a contradiction in the text, or between it and its post time.
type Conflict struct {
	Kind ConflictKind
	// Span is the index of the span concerned, -1 when none.
	Span int
	// A and B are the two values that disagree, in the text's words or as times.
	A, B string
}

// Read returns the periods of impact that a text states, earliest first, and what contradicts itself in it.
func Read(in Input) ([]Span, []Conflict) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.read(in)
	return p.out, p.slips
}

// read finds the periods and contradictions of a text.
func (p *parser) read(in Input) {
	p.in = in
	p.b = lexicon.Lower(p.b, in.Text)
	clean(p.b, in.Text)
	p.low = string(p.b)
	p.t = slices.Grow(p.t[:0], min(len(p.b)/3, maxTokens)) // a text has a token for every five bytes; only a hostile one has more
	l := lexer{b: p.b, raw: in.Text, t: p.t[:0], dates: p.dates[:0], words: allWords()}
	l.lex()
	p.t, p.dates, p.kinds, p.bars = l.t, l.dates, l.kinds, l.bars
	if p.kinds&timed == 0 {
		return
	}
	p.sents = slices.Grow(p.sents, l.ends+1)
	p.promote()
	p.phrases()
	p.split()
	p.points()
	if len(p.pts) == 0 {
		return
	}
	p.docZone()
	p.lines()
	p.denials()
	p.ranges()
	p.roles()
	p.assemble()
}

// parsers keeps the working memory of past readings for the next: without it, most of what a post costs would be its tokens.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// maxKept is the length in bytes of the longest text whose working memory is kept.
const maxKept = 64 << 10

// release hands the working memory back; what was found belongs to the caller.
func (p *parser) release() {
	if cap(p.b) > maxKept {
		return
	}
	clear(p.found) // they hold strings
	clear(p.spans)
	*p = parser{
		b: p.b, t: p.t, dates: p.dates, sents: p.sents[:0], of: p.of, pts: p.pts[:0], rngs: p.rngs[:0], marks: p.marks[:0],
		found: p.found[:0], spans: p.spans[:0],
	}
	parsers.Put(p)
}
