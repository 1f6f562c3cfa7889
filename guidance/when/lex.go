package when

import (
	"bytes"
	"sync"

	"downwind/internal/lexicon"
)

// kind tells tokens apart.
type kind uint8

const (
	kWord kind = iota
	kPunct
	kNum   // a bare number
	kClock // a time of day
	kDate  // a calendar date or a relative day
	kZone
	kDur  // a length: val is seconds
	kWeek // a weekday
	kJunk // a version, an address, a number that is no time
	kStop // the end of a sentence
	kPara // the end of a line
	kItem // the start of a list item
	kHead // the mark of a heading
)

// A kindSet is a set of kinds, one bit each.
type kindSet uint16

// The kinds that make a text one of times.
const timed = 1<<kClock | 1<<kDate | 1<<kZone

// has reports whether a kind is in the set.
func (s kindSet) has(k kind) bool { return s&(1<<k) != 0 }

// A token is one piece of the text. It is kept small, since a text is cut into one for every five bytes.
type token struct {
	start, end int32
	val        int32 // clock: seconds of the day; length: seconds; weekday: 0 for Sunday; zone: seconds east of Greenwich
	num        int32 // number: its value; clock: 24 if certainly of 24 hours; length: seconds of its smallest unit; date: its index in dates
	w          word
	k          kind
	p          byte  // punctuation
	digits     uint8 // number: how many; zone: its rule
	ampm       uint8
	weak       bool // clock: needs company (four digits, dotted without am/pm, bare hour); date: a fraction-like "4/20"
	hyphen     bool // duration used as an adjective, "10-minute"
}

// zone is what a zone token names.
func (t *token) zone() zone { return zone{t.val, dstRule(t.digits)} }

// am/pm marks.
const (
	halfNone uint8 = iota
	halfAM
	halfPM
)

// dateVal is a date as written: numeric dates keep both numbers until the order is known.
type dateVal struct {
	y, m, d int16 // y 0: not stated; m 0: relative or numeric
	a, b    int16 // numeric a/b, order open
	rel     int16 // days from the post's day, valid when isRel
	isRel   bool
	half    uint8 // morning or evening of a relative day
	night   bool  // the night after a relative day: its small hours lie in the next
	isWeek  bool  // only a weekday is stated
	dayOnly bool  // "the 13th": month not stated
	weekday int8  // -1 none
}

// A lexer cuts the cleaned buffer into tokens.
type lexer struct {
	b     lexicon.Text
	raw   string
	t     []token
	dates []dateVal
	words *lexicon.Table[entry]
	kinds kindSet // those of the tokens so far
	bars  bool    // a "|" stands in the text
	ends  int     // how many of the tokens end or begin a sentence
}

// maxTokens bounds how much of a text is read: a megabyte of prose and more, or less of what is all marks. The longest report
// that we know has a hundredth of it.
const maxTokens = 1 << 18

// lex fills t; the slice is reused by the caller.
func (l *lexer) lex() {
	b := l.b
	for i := 0; i < len(b) && len(l.t) < maxTokens; {
		c := b[i]
		switch {
		case isLetter(c):
			i = l.word(i)
		case isDigit(c):
			i = l.digits(i)
		case c == ' ':
			i++
		case c >= 0x80:
			j := i
			for j < len(b) && b[j] >= 0x80 {
				j++
			}
			l.add(token{k: kWord, start: int32(i), end: int32(j)})
			i = j
		default:
			i = l.punct(i)
		}
	}
}

func (l *lexer) add(t token) {
	l.kinds |= 1 << t.k
	l.t = append(l.t, t)
}

func (l *lexer) addDate(i, j int, weak bool, d dateVal) {
	l.add(token{k: kDate, start: int32(i), end: int32(j), weak: weak, num: int32(len(l.dates))})
	l.dates = append(l.dates, d)
}

func (l *lexer) addZone(i, j int, z zone) {
	l.add(token{k: kZone, start: int32(i), end: int32(j), val: z.off, digits: uint8(z.rule)})
}

func (l *lexer) punct(i int) int {
	b := l.b
	t := token{k: kPunct, start: int32(i), end: int32(i + 1), p: b[i]}
	switch b[i] {
	case '\n':
		if l.goesOn(i) {
			return i + 1
		}
		t.k = kPara
	case markBullet:
		t.k = kItem
	case markHeading:
		t.k = kHead
	case '!', '?':
		t.k = kStop
	case '.':
		if l.sentenceEnds(i) {
			t.k = kStop
		} else {
			return i + 1
		}
	case '-', '+':
		// A dash at the start of a line, or between blanks after a colon, opens a list item.
		if b[i] == '-' && l.opensItem(i) {
			t.k = kItem
		}
	case '=':
		t.p = ':'
	case '|':
		l.bars = true
		// the cell of a table after its label
		if n := len(l.t); n > 0 && l.t[n-1].k == kWord && l.digitNext(i+1) {
			t.p = ':'
		}
	case '\'', '"', '[', ']', '{', '}', '_', '^', '$', '@':
		return i + 1
	}
	if t.k >= kStop {
		l.ends++
	}
	l.add(t)
	return i + 1
}

// digitNext reports whether a digit is the next thing after blanks and "~".
func (l *lexer) digitNext(i int) bool {
	for i < len(l.b) && (l.b[i] == ' ' || l.b[i] == '~') {
		i++
	}
	return i < len(l.b) && isDigit(l.b[i])
}

func (l *lexer) opensItem(i int) bool {
	b := l.b
	if i+1 >= len(b) || b[i+1] != ' ' || len(l.t) > 0 && l.t[len(l.t)-1].k == kClock {
		return false
	}
	j := i - 1
	for j >= 0 && b[j] == ' ' && i-j < maxBack {
		j--
	}
	return j < 0 || b[j] == '\n' || i > 0 && b[i-1] == ' ' && (b[j] == ':' || b[j] == '.') && j < i-1
}

// goesOn reports whether the line feed at i only wraps a sentence: a letter, digit or comma stands before it, a small letter after.
func (l *lexer) goesOn(i int) bool {
	b := l.b
	if i == 0 || i+2 >= len(b) || !isLetter(b[i+1]) || l.raw[i+1] != b[i+1] {
		return false
	}
	return (isLetter(b[i-1]) || isDigit(b[i-1]) || b[i-1] == ',') && (isLetter(b[i+2]) || b[i+2] == ' ')
}

// sentenceEnds reports whether the full stop at i ends a sentence: what follows is a blank and then no small letter.
func (l *lexer) sentenceEnds(i int) bool {
	b := l.b
	j := i + 1
	if j < len(b) && b[j] == '.' {
		return false // the last dot of "…" decides
	}
	for j < len(b) && j < i+4 && (b[j] == '"' || b[j] == '\'' || b[j] == ')' || b[j] == '.') {
		j++
	}
	if j >= len(b) || b[j] == '\n' {
		return true
	}
	if b[j] != ' ' {
		// "resolved.We": a capital directly after the stop.
		return isLetter(b[j]) && l.raw[j] != b[j] && i > 1 && isLetter(b[i-1]) && isLetter(b[i-2]) && j+1 < len(b) && l.raw[j+1] == b[j+1]
	}
	for j < len(b) && b[j] == ' ' {
		j++
	}
	if j >= len(b) {
		return true
	}
	if isLetter(b[j]) && l.raw[j] == b[j] {
		return false
	}
	return !l.shortBefore(i)
}

// shortBefore reports whether the word before a full stop is an abbreviation.
func (l *lexer) shortBefore(i int) bool {
	s := i
	for s > 0 && isLetter(l.b[s-1]) && i-s < 8 {
		s--
	}
	if i-s == 1 && (s == 0 || !isDigit(l.b[s-1])) && l.raw[s] != l.b[s] {
		switch l.b[s] {
		case 'n', 's', 'u', 'e', 'w': // "N. Virginia", "U.S. East"
			return true
		}
	}
	switch string(l.b[s:i]) {
	case "approx", "ca", "e", "g", "i", "vs", "no", "inc", "st", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun":
		return true
	}
	return false
}

// word reads letters; hyphens and digits inside make a compound ("roll-out", "us-east-1", "v2").
func (l *lexer) word(i int) int {
	b := l.b
	simple, e := l.words.Word(b, i)
	j := simple
	if simple < len(b) && joinsWord[b[simple]] {
		j = l.compoundEnd(i, simple)
	}
	slashed := simple < len(b) && b[simple] == '/'
	if e == nil {
		if e = &unknown; j == simple && !slashed {
			l.add(token{k: kWord, start: int32(i), end: int32(j)})
			return j
		}
	}
	if e.place || e.zoned || slashed {
		if n, ok := l.zoneAt(i, simple, j, e); ok {
			return n
		}
	}
	if e.month > 0 {
		if n, ok := l.monthAt(i, simple, int(e.month)); ok {
			return n
		}
	}
	if j > simple && slashed {
		j = simple // "and/or", "pst/pdt"
	}
	if j > simple {
		return l.compound(i, simple, j, e)
	}
	if e.unit > 0 && l.lengthInWords(i, j, e.unit) {
		return j
	}
	if e.known {
		return l.known(e.w, i, j)
	}
	l.add(token{k: kWord, start: int32(i), end: int32(j)})
	return j
}

// joinsWord are the bytes with which a word may go on after its letters.
var joinsWord = func() (t [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = true
	}
	t['-'], t['_'], t['/'] = true, true, true
	return t
}()

// compoundEnd finds the end of the word that begins at i and may go on with a digit or mark at j.
func (l *lexer) compoundEnd(i, j int) int {
	b := l.b
	for j < len(b) && (isLetter(b[j]) || isDigit(b[j]) || (b[j] == '-' || b[j] == '_' || b[j] == '/' && j-i < 12) && j+1 < len(b) && (isLetter(b[j+1]) || isDigit(b[j+1]) && b[j] != '/')) {
		j++
	}
	return j
}

// compound reads a word with hyphens or digits in it: whole if it is known, else by its first part.
func (l *lexer) compound(i, simple, j int, first *entry) int {
	b := l.b
	if e := l.words.Find(b, i, j); e != nil && e.known {
		return l.known(e.w, i, j)
	}
	if k := bytes.LastIndexByte(b[i:j], '_'); k > 0 {
		if e := l.words.Find(b, i+k+1, j); e != nil && e.known && e.w.c&(cOnset|cEnd) != 0 {
			return l.known(e.w, i, j) // "time_start"
		}
	}
	if n, ok := smallNumbers()[string(b[i:simple])]; ok && b[simple] == '-' {
		if e := l.words.Find(b, simple+1, j); e != nil && e.unit > 0 {
			l.add(token{k: kDur, start: int32(i), end: int32(j), val: int32(n) * e.unit, num: e.unit, hyphen: true})
			return j // "one-minute"
		}
	}
	if isDigit(b[simple]) && first.known && first.w.c&(cRange|cOpen|cPrep) != 0 {
		return l.known(first.w, i, simple) // "until18:00"
	}
	if b[simple] == '-' && first.known && simple+1 < len(b) && isLetter(b[simple+1]) && first.w.id != wTo && first.w.id != wIn && first.w.id != wUp && first.w.id != wOn {
		// "degraded-performance" counts by its parts; "us-east-1" and "on-call" do not
		return l.known(first.w, i, simple)
	}
	l.add(token{k: kWord, start: int32(i), end: int32(j)})
	return j
}

func (l *lexer) known(w word, i, j int) int {
	t := token{k: kWord, start: int32(i), end: int32(j), w: w}
	switch {
	case w.id < wToday || w.id > wMidnight && w.id < wMonday || w.id > wSunday:
		// a word, as nearly all
	case w.id >= wMonday && w.id <= wSunday:
		t.k, t.val = kWeek, int32(w.id-wMonday+1)%7
	case w.id == wNoon:
		t.k, t.val, t.num = kClock, 12*3600, 24
	case w.id == wMidnight:
		t.k, t.val, t.num = kClock, 0, 24
	case w.id == wToday || w.id == wYesterday || w.id == wTonight || w.id == wTomorrow:
		d := dateVal{isRel: true, weekday: -1}
		switch w.id {
		case wYesterday:
			d.rel = -1
		case wTomorrow:
			d.rel = 1
		}
		if w.id == wTonight {
			d.half = halfPM
		}
		l.addDate(i, j, false, d)
		return j
	case w.id == wMorning || w.id == wAfternoon || w.id == wEvening || w.id == wNight:
		l.partOfDay(w, t)
		return j
	}
	l.add(t)
	return j
}

// partOfDay reads "this morning", "last night", "yesterday evening".
func (l *lexer) partOfDay(w word, t token) {
	half := halfPM
	if w.id == wMorning {
		half = halfAM
	}
	if n := len(l.t); n > 0 {
		p := &l.t[n-1]
		switch {
		case p.k == kWord && p.w.id == wThis:
			from := int(p.start)
			l.t = l.t[:n-1]
			l.addDate(from, int(t.end), false, dateVal{isRel: true, half: half, weekday: -1})
			return
		case p.k == kWord && p.w.id == wLast && w.id != wMorning:
			from := int(p.start)
			l.t = l.t[:n-1]
			l.addDate(from, int(t.end), false, dateVal{isRel: true, rel: -1, half: half, night: w.id == wNight, weekday: -1})
			return
		case p.k == kDate && l.dates[p.num].isRel:
			d := &l.dates[p.num]
			d.half, d.night, p.end = half, w.id == wNight, t.end
			return
		}
	}
	l.add(t)
}

// word numbers that stand before a unit.
var smallNumbers = sync.OnceValue(func() map[string]int64 {
	return map[string]int64{
		"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty-five": 25, "thirty-five": 35, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50, "sixty": 60, "ninety": 90,
	}
})

// lengthInWords reads "two hours" and "half an hour" at the unit.
func (l *lexer) lengthInWords(i, j int, unit int32) bool {
	u := int64(unit)
	n := len(l.t)
	if j-i < 3 || n == 0 || l.t[n-1].k != kWord {
		return false
	}
	p := l.t[n-1]
	v, ok := smallNumbers()[string(l.b[p.start:p.end])]
	if !ok || u == 1 && p.w.id == wA { // "a second one"
		return false
	}
	t := token{k: kDur, start: p.start, end: int32(j), val: int32(v * u), num: int32(u)}
	l.t = l.t[:n-1]
	if k := l.follows(j, "and"); k > 0 && l.follows(k, "a") > 0 && l.follows(l.follows(k, "a"), "half") > 0 {
		t.val += int32(u / 2) // "an hour and a half"
	}
	if q := l.quarters(); q > 0 {
		t.start, t.val = l.t[n-4].start, int32(q*u/4)
		l.t = l.t[:n-4]
	} else if n > 1 && p.w.id == wA && l.t[n-2].k == kWord && l.t[n-2].w.id == wHalf {
		t.start, t.val = l.t[n-2].start, int32(u/2)
		l.t = l.t[:n-2]
	}
	l.add(t)
	return true
}

// quarters returns how many quarters of the unit stand last: "three quarters of (an hour)"; 0: none.
func (l *lexer) quarters() int64 {
	n := len(l.t)
	if n < 3 || l.t[n-1].w.id != wOf || l.t[n-2].k != kWord || l.t[n-3].k != kWord {
		return 0
	}
	if w := string(l.b[l.t[n-2].start:l.t[n-2].end]); w != "quarter" && w != "quarters" {
		return 0
	}
	return smallNumbers()[string(l.b[l.t[n-3].start:l.t[n-3].end])]
}

// units of length in seconds.
var units = sync.OnceValue(func() map[string]int64 {
	return map[string]int64{
		"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
		"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "d": day, "day": day, "days": day, "week": 7 * day, "weeks": 7 * day,
	}
})
