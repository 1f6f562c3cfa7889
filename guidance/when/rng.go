package when

// A rng joins two points.
type rng struct {
	a, b int
	// conn is the first token of the range: "between", "from", or the first point.
	conn   int
	days   bool // both ends are dates without a time
	opened bool
}

// maxPoints, maxRanges and maxMarks bound what is read of one text; a post states a handful.
const (
	maxPoints = 4096
	maxRanges = 256
	maxMarks  = 256
)

// ranges joins neighbouring points with a range word between them.
func (p *parser) ranges() {
	p.tabled = len(p.pts) > 1 && p.bars && p.columns()
	for k := 0; k+1 < len(p.pts) && len(p.rngs) < maxRanges; k++ {
		a, b := &p.pts[k], &p.pts[k+1]
		if a.rng >= 0 || a.sent != b.sent && !p.sameLine(a, b) {
			continue
		}
		if a.weak && b.weak && !a.dated() && !b.dated() || !p.connected(a, b) || p.chained(k) {
			continue
		}
		r := rng{a: k, b: k + 1, conn: p.opener(a.first), days: !a.hasClock && !b.hasClock}
		r.opened = r.conn < a.first
		if r.days && !p.dayRange(a, b, r) {
			continue
		}
		a.rng, b.rng = len(p.rngs), len(p.rngs)
		p.rngs = append(p.rngs, r)
	}
}

// dated reports whether a date or zone stands with the point, so that "6.30" can only be a time.
func (pt *point) dated() bool { return pt.hasDate || pt.hasZone }

// chained reports whether the points around k are a list of dated moments with dashes between them.
func (p *parser) chained(k int) bool {
	dash := func(i int) bool {
		if i < 0 || i+1 >= len(p.pts) {
			return false
		}
		a, b := &p.pts[i], &p.pts[i+1]
		if !a.hasDate || !b.hasDate || !a.hasClock || !b.hasClock || b.first-a.last != 2 {
			return false
		}
		t := &p.t[a.last+1]
		return t.k == kItem || t.k == kPunct && t.p == '-'
	}
	return dash(k) && (dash(k+1) || dash(k-1) || p.pts[k].first > 0 && p.t[p.pts[k].first-1].k == kItem)
}

// sameLine lets a range run over a sentence end that is none ("10:22 p.m. - 11:30 p.m.").
func (p *parser) sameLine(a, b *point) bool {
	return b.first-a.last <= 4 && b.sent == a.sent+1 && b.first > a.last+1 && p.t[b.first-1].k != kPara && p.t[a.last+1].k != kItem && p.t[a.last+1].k != kPara
}

// connected reports whether the tokens between two points make them a range.
func (p *parser) connected(a, b *point) bool {
	if b.first-a.last > 8 {
		return false
	}
	if m := &p.t[a.last+1]; b.first == a.last+2 && m.k == kPunct && (m.p == '~' || m.p == '/' && (a.hasDate && b.hasDate || p.startAndEnd(a))) && a.hasClock && b.hasClock {
		return true // "19:25 ~ 20:10", "2026-04-09T09:05Z/2026-04-09T12:17Z"
	}
	if p.tabled && p.cells(a, b) {
		return true
	}
	conn, and := false, false
	for j := a.last + 1; j < b.first; j++ {
		t := &p.t[j]
		switch {
		case t.k == kPunct && t.p == '-':
			conn = true
		case t.k == kPunct && t.p == '&', t.k == kWord && t.w.id == wAnd:
			and = true
		case t.k == kPunct && (t.p == ',' || t.p == '(' || t.p == ')' || t.p == '~' || t.p == ':' || t.p == '>'):
		case t.k == kPunct && t.p == '/' && !a.hasClock && !b.hasClock:
			return false
		case t.k == kWord && t.w.c&cRange != 0:
			conn = true
		case t.k == kWord && (t.w.c&cApprox != 0 || t.w.id == wThe || t.w.id == wAt || t.w.id == wOn || t.w.id == wUp || t.w.id == wAfter || t.w.id == wBefore || t.w.id == wLater || t.w.id == wSame || t.w.id == wDay || t.w.id == wLate || t.w.id == wEarly || t.w.id == wThis || t.w.id == wLast || partOfDay(t.w.id) != halfNone || conn && (t.w.id == wOf || t.w.id == wAs) || p.text(j) == "now"):
		case t.k == kWord && t.w.id == wEnd:
			conn = true
		case conn && p.isStep(j):
		case t.k == kWord && (t.w.id == wLasted || t.w.id == wWas):
			// "started at A and ended at B", "A, ending at B"
		case t.k == kStop:
		default:
			return false
		}
	}
	if conn {
		return a.hasClock && b.hasClock || !a.hasClock && !b.hasClock || p.openedBefore(a.first)
	}
	return and && (p.openedBefore(a.first) || p.openedAgain(a) || b.first > 0 && a.first > 0 && p.t[b.first-1].w.id == wBefore && p.t[a.first-1].w.id == wAfter)
}

// startAndEnd reports whether the label before a point says that a start and an end follow: "Start / end: 10:05 UTC / 11:50 UTC".
func (p *parser) startAndEnd(pt *point) bool {
	lo := pt.first - 6
	return p.hasText(lo, pt.first, "end", "ended") && p.hasText(lo, pt.first, "start", "started", "begin", "began")
}

// isStep reports whether token j is what was done at one end of a range: "from the release on 4 May until the fix on 6 May".
func (p *parser) isStep(j int) bool {
	return j > 0 && p.t[j-1].w.id == wThe && p.hasText(j, j+1, "release", "deploy", "deployment", "rollout", "upgrade", "update", "fix", "rollback", "revert", "repair")
}

// cells reports whether two points stand in neighbouring cells of a row, and are all that these hold.
func (p *parser) cells(a, b *point) bool {
	bar := func(j int) bool {
		return j >= len(p.t) || p.t[j].k == kPara || p.t[j].k == kPunct && (p.t[j].p == '|' || p.t[j].p == ':')
	}
	return a.hasClock && b.hasClock && b.first == a.last+2 && bar(a.last+1) && bar(b.last+1) && a.first > 0 && bar(a.first-1)
}

// columns reports whether the head of a table names a start and an end side by side: "Region | Start (UTC) | End (UTC)".
func (p *parser) columns() bool {
	for j := range p.t {
		if t := &p.t[j]; t.k == kPunct && t.p == '|' && p.hasText(j+1, j+3, "end", "ended", "to", "until", "restored", "recovered", "resolved") &&
			p.hasText(j-5, j, "start", "started", "from", "begin", "began", "onset") {
			return true
		}
	}
	return false
}

// openedAgain reports whether a point goes on the list of ranges that "between" opened: "between A and B, as well as C and D".
func (p *parser) openedAgain(a *point) bool {
	if len(p.rngs) == 0 {
		return false
	}
	r := p.rngs[len(p.rngs)-1]
	lo := p.pts[r.b].last + 1
	if !r.opened || p.pts[r.b].sent != a.sent || a.first-lo > 5 || a.first == lo {
		return false
	}
	for j := lo; j < a.first; j++ {
		if p.t[j].k == kPunct && p.t[j].p == ',' || p.hasText(j, j+1, "and", "as", "well", "again", "also", "then") {
			continue
		}
		return false
	}
	return true
}

// opener returns the first token of the phrase that a range stands in.
func (p *parser) opener(i int) int {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		t := &p.t[j]
		if t.k == kWord && t.w.c&cOpen != 0 {
			return j
		}
		if !p.fills(j) && !(t.k == kPunct && (t.p == '~' || t.p == ',')) {
			break
		}
	}
	return i
}

// fills reports whether token j is a word that may stand between "between" or "from" and the time it opens: "from as early as about".
func (p *parser) fills(j int) bool {
	if p.t[j].k != kWord {
		return false
	}
	switch w := p.t[j].w; w.id {
	case wThe, wAt, wOn, wThis, wLast, wOf, wAs, wEarly:
		return true
	default:
		return w.c&cApprox != 0 || partOfDay(w.id) != halfNone || p.isStep(j)
	}
}

// dayRange accepts two dates as a period; a fraction, or two dates of a list, is none.
func (p *parser) dayRange(a, b *point, r rng) bool {
	if a.date.isRel || b.date.isRel || a.date.isWeek || b.date.isWeek {
		return false
	}
	return r.opened || a.date.m > 0 && b.date.m > 0 || a.date.y > 0 && b.date.y > 0
}
