package when

import "downwind/internal/lexicon"

// A point is a time expression: a clock time, a date, or both, with what stands beside them.
type point struct {
	first, last int // token positions
	start, end  int32
	hasClock    bool
	clock       int64
	ampm        uint8
	h24         bool // certainly a 24-hour time
	weak        bool // needs a partner
	hasDate     bool
	date        dateVal
	hasZone     bool
	z           zone
	approx      bool
	late        bool // "late on": the day is what counts
	entry       bool // it opens an entry of a timeline told in one sentence
	// alt is the other of two figures side by side, "9:27 PT / 16:27 UTC".
	hasAlt   bool
	altClock int64
	altZone  zone
	altHalf  uint8
	altDate  bool // the date stands with the other figure
	sent     int
	rng      int // index of the range it belongs to, -1 none
}

// A parser holds the working state of one text.
type parser struct {
	in    Input
	b     lexicon.Text
	low   string // b as a string
	t     []token
	dates []dateVal // as written, by the index in their tokens
	kinds kindSet   // those of the tokens as the lexer cut them: what is not among them no rule need look for
	bars  bool      // a "|" stands in the text
	sents []sentence
	of    []int32 // sentence of each token
	pts   []point
	rngs  []rng
	marks []mark
	found []period // memory for the ranges, resolved
	spans []Span   // memory for the spans on their way to out
	doc   zone     // the zone a line of the text sets for all times
	isDoc bool
	none  bool // a sentence says that there was no impact at all
	// tabled says that a table with columns of starts and ends stands in the text.
	tabled bool
	out    []Span
	slips  []Conflict
	looks  int // how many tokens the rules have looked at
}

// capital reports whether the token was written with a capital.
func (p *parser) capital(t *token) bool {
	c := p.in.Text[t.start]
	return c >= 'A' && c <= 'Z'
}

// promote gives bare numbers beside times their meaning: "8 to 8:45 am", "21-24 August", "August 21-24", "09:35-40".
func (p *parser) promote() {
	t := p.t
	for i := 0; i+2 < len(t); i++ {
		if k := t[i].k; k != kNum && k != kClock && k != kDate {
			continue
		}
		conn := i + 1
		if !p.joins(&t[conn]) {
			continue
		}
		to := conn + 1
		for to < len(t) && to < conn+3 && t[to].k == kWord && (t[to].w.c&cApprox != 0 || t[to].w.id == wThe) {
			to++
		}
		if to >= len(t) {
			return
		}
		dash := t[conn].k == kPunct
		opened := i > 0 && t[i-1].k == kWord && (t[i-1].w.c&(cOpen|cApprox) != 0)
		a, b := &t[i], &t[to]
		switch {
		case a.k == kNum && b.k == kClock && a.digits <= 2 && a.num <= 24 && (opened || dash && b.ampm != halfNone):
			a.k, a.val, a.weak = kClock, a.num*3600, true
			a.num = 0
		case a.k == kNum && b.k == kNum && opened && a.digits <= 2 && b.digits <= 2 && a.num <= 24 && b.num <= 24 && to+1 < len(t) && t[to+1].k == kZone:
			a.k, a.val, b.k, b.val = kClock, a.num*3600, kClock, b.num*3600
			a.num, b.num = 0, 0
		case a.k == kNum && b.k == kDate && a.digits <= 2 && a.num >= 1 && p.date(b).m > 0 && a.num < int32(p.date(b).d) && (t[conn].w.id != wAnd || opened || i > 0 && t[i-1].w.id == wOn):
			p.setDate(a, *p.date(b), int16(a.num))
		case a.k == kDate && p.date(a).dayOnly && b.k == kDate && p.date(b).m > 0 && p.date(a).d < p.date(b).d:
			p.setDate(a, *p.date(b), p.date(a).d)
			a.weak = false
		case a.k == kDate && (b.k == kNum && b.digits <= 2 || b.k == kDate && p.date(b).dayOnly) && p.date(a).m > 0:
			d := int16(b.num)
			if b.k == kDate {
				d = p.date(b).d
			}
			if first := p.date(a); d > first.d && validDate(0, int(first.m), int(d)) && !(to+1 < len(t) && t[to+1].k == kPunct && t[to+1].p == ':') {
				p.setDate(b, *first, d)
				b.weak = false
			}
		case a.k == kClock && b.k == kNum && b.digits == 2 && dash && b.num <= 59 && a.val%3600/60 < b.num && to+1 < len(t) && t[to+1].k == kZone:
			b.k, b.val, b.num = kClock, a.val/3600*3600+b.num*60, 24
		case a.k == kClock && b.k == kNum && b.digits <= 2 && b.num <= 24 && to+1 < len(t) && t[to+1].k == kZone:
			b.k, b.val = kClock, b.num*3600
			b.num = 0
		}
	}
}

// date is what a date token says.
func (p *parser) date(t *token) *dateVal { return &p.dates[t.num] }

// setDate makes a token the date d with another day of the month.
func (p *parser) setDate(t *token, d dateVal, dayOfMonth int16) {
	d.d = dayOfMonth
	t.k, t.num = kDate, int32(len(p.dates))
	p.dates = append(p.dates, d)
}

// joins reports whether a token may stand between the two ends of a range.
func (p *parser) joins(t *token) bool {
	return t.k == kPunct && t.p == '-' || t.k == kWord && (t.w.c&cRange != 0 || t.w.id == wAnd) || t.k == kPunct && t.p == '&'
}

// points groups neighbouring times, dates and zones.
func (p *parser) points() {
	for i := 0; i < len(p.t) && len(p.pts) < maxPoints; {
		t := &p.t[i]
		if t.k < kClock {
			i++ // a word, mark or number
			continue
		}
		if t.k == kClock || t.k == kDate && !p.ownedBy(i) || t.k == kWeek && (p.leadsDate(i) || i > 0 && p.t[i-1].w.id == wOn) || t.k == kZone && p.leadsTime(i) {
			if pt, n, ok := p.group(i); ok {
				p.pts = append(p.pts, pt)
				i = n
				continue
			}
		}
		i++
	}
	p.sideBySide()
	for k := range p.pts {
		pt := &p.pts[k]
		if s := &p.sents[pt.sent]; pt.hasDate && s.date < 0 {
			s.date = k
		}
	}
}

// ownedBy reports whether the relative day at token i only says whose something is that is no trouble or work of then: "yesterday's
// front page".
func (p *parser) ownedBy(i int) bool {
	t := &p.t[i]
	if !p.date(t).isRel || int(t.end)+1 >= len(p.b) || p.b[t.end] != '\'' || p.b[t.end+1] != 's' {
		return false
	}
	return p.says(i+1, min(len(p.t), i+4))&(cBad|cMaint|cChange|cWork) == 0
}

// leadsTime reports whether the zone at token i stands before its time ("UTC 10:00", "Beijing time 2026-06-20 10:10").
func (p *parser) leadsTime(i int) bool {
	return i+1 < len(p.t) && (p.t[i+1].k == kClock || p.t[i+1].k == kDate && i+2 < len(p.t) && p.t[i+2].k == kClock)
}

// leadsDate reports whether a weekday is followed by a date or a time.
func (p *parser) leadsDate(i int) bool {
	for j := i + 1; j < len(p.t) && j <= i+5; j++ {
		t := &p.t[j]
		if t.k == kDate || t.k == kClock {
			return true
		}
		if !(t.k == kPunct && (t.p == ',' || t.p == '(') || t.k == kWord && (t.w.id == wThe || t.w.id == wAt || t.w.c&cOpen != 0 || partOfDay(t.w.id) != halfNone)) {
			return false
		}
	}
	return false
}

// partOfDay is the half of the day that a word like "afternoon" stands for.
func partOfDay(id wid) uint8 {
	switch id {
	case wMorning:
		return halfAM
	case wAfternoon, wEvening:
		return halfPM
	}
	return halfNone
}

// group reads one point that begins at token i; n is the first token after it.
func (p *parser) group(i int) (pt point, n int, ok bool) {
	pt = point{first: i, last: i, start: p.t[i].start, sent: int(p.of[i]), rng: -1}
	pt.date.weekday = -1
	week, half := int8(-1), halfNone
	weakDate := false
	gap, approx := 0, false
loop:
	for j := i; j < len(p.t); j++ {
		t := &p.t[j]
		item := false
		switch t.k {
		case kClock:
			if pt.hasClock {
				break loop
			}
			pt.hasClock, pt.clock, pt.ampm, pt.h24, pt.weak = true, int64(t.val), t.ampm, t.num == 24, t.weak
			item = true
		case kDate:
			if pt.hasClock && p.t[j-1].w.id == wOn && p.opensNext(j+1) {
				break loop // "to 07:20, on 2 May from 09:00"
			}
			if !pt.hasDate {
				weakDate = t.weak
			}
			if !pt.addDate(*p.date(t), t.weak) {
				break loop
			}
			item = true
		case kZone:
			if pt.hasZone && !(j > 0 && p.t[j-1].k == kPunct && p.t[j-1].p == '(') {
				break loop
			}
			pt.hasZone, pt.z, item = true, t.zone(), true
		case kWeek:
			if week >= 0 {
				break loop
			}
			week, item = int8(t.val), true
		case kPunct:
			if !p.gapMark(j, &pt) {
				break loop
			}
		case kWord:
			switch {
			case t.w.c&cApprox != 0:
				approx = true
			case week >= 0 && partOfDay(t.w.id) != halfNone && p.t[j-1].k == kWeek:
				half = partOfDay(t.w.id)
			case !p.gapWord(j):
				break loop
			}
		case kItem:
			// "2026-06-12 · 12:10 UTC"
			if !pt.hasDate || pt.hasClock || j+1 >= len(p.t) || p.t[j+1].k != kClock {
				break loop
			}
		default:
			break loop
		}
		if item {
			pt.last, pt.end, gap = j, t.end, 0
			pt.approx = pt.approx || approx
			continue
		}
		if gap++; gap > 3 {
			break
		}
	}
	if weakDate && !pt.hasClock && week < 0 && !p.onDay(i, pt.last+1) {
		pt.hasDate = false
	}
	pt.setWeekday(week, half)
	if !pt.hasClock && !pt.hasDate {
		return pt, 0, false
	}
	p.before(&pt)
	return pt, pt.last + 1, true
}

// setWeekday gives a point the weekday that stands with it, -1 for none, and the half of the day where that is all there is of a date.
func (pt *point) setWeekday(week int8, half uint8) {
	if week >= 0 && !pt.hasDate {
		pt.hasDate, pt.date.isWeek, pt.date.half = true, true, half
	}
	if pt.hasDate {
		pt.date.weekday = week
	}
}

// opensNext reports whether a time of its own, or a range, follows a date at token j.
func (p *parser) opensNext(j int) bool {
	return j+1 < len(p.t) && p.t[j].k == kWord && (p.t[j].w.c&cOpen != 0 || p.t[j].w.id == wAt) && p.t[j+1].k == kClock
}

// addDate gives a point a date, or the half of the day where it has one; false where the date is another point's.
func (pt *point) addDate(d dateVal, weak bool) bool {
	switch {
	case !pt.hasDate:
		pt.hasDate, pt.date = true, d
	case pt.date.isRel && !d.isRel && !weak:
		half := pt.date.half
		pt.date = d
		pt.date.half = half
	case d.isRel && !pt.date.isRel:
		pt.date.half = d.half
	default:
		return false
	}
	return true
}

// onDay reports whether the words around make a fraction-like "12/30" between tokens i and n a day: "on 12/30 from …".
func (p *parser) onDay(i, n int) bool {
	if i == 0 || p.t[i-1].w.id != wOn || n >= len(p.t) {
		return false
	}
	t := &p.t[n]
	return t.k == kStop || t.k == kPunct && t.p == ',' || t.k == kWord && t.w.c&(cOpen|cPrep) != 0 && t.w.id != wOf
}

// gapWord reports whether the word at j may stand inside a point.
func (p *parser) gapWord(j int) bool {
	switch p.t[j].w.id {
	case wAt, wOn, wThe, wOf, wTime, wLocal:
		return true
	case wEarlier:
		return j+1 < len(p.t) && p.t[j+1].k == kDate
	}
	return false
}

// gapMark reports whether punctuation at j may stand inside a point.
func (p *parser) gapMark(j int, pt *point) bool {
	t := &p.t[j]
	next := kStop
	if j+1 < len(p.t) {
		next = p.t[j+1].k
	}
	switch t.p {
	case ',':
		return true
	case '(':
		return next == kZone || next == kDate || next == kWeek || next == kClock && !pt.hasClock
	case ')':
		return true
	case '~':
		return true
	case '-', ':', '@':
		// "Jun 21, 2022 - 06:43": a dash between date and time, and no range
		if pt.hasDate && !pt.hasClock && next == kClock {
			return t.p != '-' || !p.openedBefore(pt.first)
		}
		return false
	}
	return false
}

// openedBefore reports whether "between" or "from" stands before token i.
func (p *parser) openedBefore(i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		t := &p.t[j]
		if t.k == kWord && t.w.c&cOpen != 0 {
			return true
		}
		if !p.fills(j) && !(t.k == kPunct && (t.p == '~' || t.p == ':' || t.p == ',')) {
			return false
		}
	}
	return false
}

// before looks at the words directly before a point for "about", "~", "late on".
func (p *parser) before(pt *point) {
	for j := pt.first - 1; j >= 0 && j >= pt.first-4; j-- {
		t := &p.t[j]
		switch {
		case t.k == kPunct && t.p == '~', t.k == kWord && t.w.c&cApprox != 0:
			pt.approx = true
		case t.k == kWord && (t.w.id == wLate || t.w.id == wEarly):
			pt.late, pt.approx = true, true
		case t.k == kWord && (t.w.id == wThe || t.w.id == wOn || t.w.id == wAt || t.w.id == wBefore || t.w.id == wAfter):
		default:
			return
		}
	}
}

// sideBySide fuses "9:27 PT / 16:27 UTC" and "9:27 (16:27 UTC)" into one point that keeps the UTC figure.
func (p *parser) sideBySide() {
	out := p.pts[:0]
	for k := 0; k < len(p.pts); k++ {
		pt := p.pts[k]
		if k+1 < len(p.pts) {
			q := &p.pts[k+1]
			if pt.hasClock && q.hasClock && q.hasZone && (pt.hasZone && pt.z != q.z || !pt.hasZone && q.z == zoneUTC) && p.slash(pt.last, q.first, pt.hasZone) {
				out = append(out, fuse(pt, *q))
				k++
				continue
			}
		}
		out = append(out, pt)
	}
	p.pts = out
}

// slash reports whether only a slash, a parenthesis or "or" stands between two tokens.
func (p *parser) slash(a, b int, zoned bool) bool {
	if b-a > 4 || b-a < 2 {
		return false
	}
	seen := false
	for j := a + 1; j < b; j++ {
		t := &p.t[j]
		switch {
		case t.k == kPunct && (t.p == '/' && zoned || t.p == '(' || t.p == '|' && zoned || t.p == ';' && zoned):
			seen = true
		case t.k == kPunct && (t.p == ')' || t.p == ','):
		case t.k == kWord && (t.w.id == wOr || t.w.id == wAt || t.w.c&cApprox != 0):
			seen = seen || t.w.id == wOr && zoned
		default:
			return false
		}
	}
	return seen
}

func fuse(a, b point) point {
	m, o := b, a
	if a.hasZone && a.z == zoneUTC {
		m, o = a, b
	}
	m.hasAlt, m.altClock, m.altZone, m.altHalf = o.hasZone, o.clock, o.z, o.ampm
	if !m.hasDate && o.hasDate && o.hasZone && o.z == m.z {
		m.hasDate, m.date = true, o.date
	}
	if !m.hasDate && o.hasDate && !o.date.isRel {
		// the date belongs to the other zone: carry it over the civil difference later
		m.hasDate, m.date, m.altDate = true, o.date, o.hasZone
	}
	m.first, m.start, m.last, m.end = a.first, a.start, b.last, b.end
	m.approx = a.approx || b.approx
	m.sent = a.sent
	return m
}
