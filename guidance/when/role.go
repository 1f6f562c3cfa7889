package when

// role is what a lone point bounds.
type role uint8

const (
	roleNone role = iota
	roleOnset
	roleRecovery
	roleInstant // a moment without a length
)

// A mark is a lone point with its role, resolved.
type mark struct {
	pt       int
	role     role
	strength int // 3 said of the impact itself, 2 said by a verb of it, 1 implied
	approx   bool
	part     bool // a recovery of a part only
	in       instant
	sec      section
	probe    bool // the onset is only the time somebody was alerted
	needsEnd bool // counts only where the text also states an end
}

// maxClause bounds how far the words of a clause are read on either side of a time, in tokens.
const maxClause = 36

// clause holds what the words around a lone point say.
type clause struct {
	l, r, s    class // left, right, whole sentence
	lo, hi     int   // token bounds of the clause, hi exclusive
	prep       wid   // the preposition or verb directly before
	prepAt     int
	entry      bool // "13:55 - text": an entry of a timeline
	pureL      bool // trouble is named on the left beside bare "issue" and "incident"
	pure       bool // trouble is named beside bare "issue" and "incident"
	changeSubj bool // what begins is a change, a rollout, a recovery
	online     bool
	negBad     bool // "no further errors"
	endsImpact bool // "impact ends"
	startsImp  bool // "impact begins"
	began      bool // the word before begins something
	ended      bool
	future     bool
	backlog    bool
}

// roles gives every point that is in no range what it bounds.
func (p *parser) roles() {
	for k := range p.pts {
		if len(p.marks) >= maxMarks {
			return
		}
		pt := &p.pts[k]
		if pt.rng >= 0 || pt.weak || !pt.hasClock && !p.dayPoint(k) {
			continue
		}
		c := p.clause(k)
		m := p.judge(k, &c)
		if m.role == roleNone {
			m = p.likeLast(k, &c)
		}
		if m.role == roleNone {
			continue
		}
		m.pt, m.sec = k, p.sents[pt.sent].section
		m.approx = m.approx || pt.approx
		m.in = p.at(k)
		if !m.in.ok {
			continue
		}
		p.marks = append(p.marks, m)
	}
}

// likeLast gives a point the role of the one before it where the words between leave the verb out ("Frankfurt recovered at
// 08:40, Singapore at 09:10").
func (p *parser) likeLast(k int, c *clause) mark {
	n := len(p.marks)
	if n == 0 || p.marks[n-1].pt != k-1 || p.pts[k-1].sent != p.pts[k].sent || p.marks[n-1].role != roleRecovery || c.prep != wAt && c.prep != wBy {
		return mark{}
	}
	a, b := &p.pts[k-1], &p.pts[k]
	if b.first-a.last > 8 || c.l&^(cPrep|cHead|cTrue) != 0 {
		return mark{}
	}
	m := p.marks[n-1]
	return mark{role: m.role, strength: m.strength}
}

// dayPoint accepts a date without a time as a bound only where words make it one ("late on August 21", "since 4 May").
func (p *parser) dayPoint(k int) bool {
	pt := &p.pts[k]
	if !pt.hasDate || pt.date.isRel || pt.date.dayOnly {
		return false
	}
	for j := pt.first - 1; j >= 0 && j >= pt.first-4; j-- {
		t := &p.t[j]
		if t.k != kWord {
			return false
		}
		switch t.w.id {
		case wSince:
			return true
		case wStart, wBegin:
			return string(p.b[t.start:t.end]) != "start"
		case wOn, wThe, wLate, wEarly, wFrom, wAt, wIn:
			continue
		}
		if t.w.c&cApprox == 0 {
			return false
		}
	}
	return false
}

// clause reads the words around point k.
func (p *parser) clause(k int) clause {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	c := clause{lo: max(s.first, pt.first-maxClause), hi: min(s.last+1, pt.last+1+maxClause), s: s.c}
	// other points bound the clause
	for j := k - 1; j >= 0 && p.pts[j].last >= c.lo; j-- {
		if p.pts[j].hasClock || p.pts[j].rng >= 0 {
			c.lo = p.pts[j].last + 1
			break
		}
	}
	for j := k + 1; j < len(p.pts) && p.pts[j].first < c.hi; j++ {
		if p.pts[j].hasClock || p.pts[j].rng >= 0 {
			c.hi = p.pts[j].first
			break
		}
	}
	c.entry = p.isEntry(k)
	p.leftClause(pt, &c)
	p.rightClause(pt, &c)
	c.prep, c.prepAt = p.prepOf(pt, c.lo)
	p.subject(pt, &c)
	return c
}

// isEntry reports whether the point opens an entry of a timeline.
func (p *parser) isEntry(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	if pt.first-s.first > 2 {
		return false
	}
	for j := s.first; j < pt.first; j++ {
		if p.t[j].k == kWord && p.t[j].w.c&cApprox == 0 && p.t[j].w.id != wAt {
			return false
		}
	}
	n := pt.last + 1
	for n < len(p.t) && p.t[n].k == kPunct && p.t[n].p == ')' {
		n++
	}
	return n < len(p.t) && p.t[n].k == kPunct && (p.t[n].p == '-' || p.t[n].p == ':' || p.t[n].p == '|') || n < len(p.t) && p.t[n].k == kItem
}

// splits reports whether a new clause begins at token j: a semicolon, "but", "while", or a comma with "and".
func (p *parser) splits(j int) bool {
	t := &p.t[j]
	if t.k == kPunct && (t.p == ';' || t.p == '|') {
		return true
	}
	return t.k == kWord && (t.w.id == wBut || t.w.id == wWhile)
}

func (p *parser) leftClause(pt *point, c *clause) {
	neg := false
	for j := pt.first - 1; j >= c.lo; j-- {
		if p.splits(j) || p.t[j].k == kPunct && p.t[j].p == ',' && p.t[j+1].w.id == wAnd {
			c.lo = j + 1
			break
		}
	}
	for j := c.lo; j < pt.first; j++ {
		w := p.t[j].w
		c.l |= w.c
		c.pureL = c.pureL || w.c&cBad != 0 && w.c&cEvent == 0
		c.pure = c.pureL
		if w.c&cNeg != 0 {
			neg = true
		}
		if neg && w.c&cBad != 0 {
			c.negBad = true
		}
		if w.id == wOnline {
			c.online = true
		}
		if w.id == wBackfill {
			c.backlog = true
		}
	}
}

func (p *parser) rightClause(pt *point, c *clause) {
	neg := false
	for j := pt.last + 1; j < c.hi; j++ {
		if p.splits(j) && !c.entry {
			c.hi = j
			break
		}
		w := p.t[j].w
		c.r |= w.c
		c.pure = c.pure || w.c&cBad != 0 && w.c&cEvent == 0
		if w.c&cNeg != 0 {
			neg = true
		}
		if neg && (w.c&cBad != 0 || w.id == wFurther) {
			c.negBad = true
		}
		if w.id == wOnline {
			c.online = true
		}
		if w.id == wBackfill {
			c.backlog = true
		}
		if j+1 < c.hi && w.id == wImpact {
			n := p.t[j+1].w
			c.endsImpact = c.endsImpact || n.id == wEnd || n.c&(cWeakRec|cRecov) != 0 && n.id != wBack
			c.startsImp = c.startsImp || n.id == wBegin || n.id == wStart
		}
		if w.c&cOnset != 0 && j+1 < c.hi {
			for n := j + 1; n < min(j+6, c.hi); n++ {
				if p.t[n].w.id == wImpact {
					c.startsImp = true
				}
			}
		}
		if w.id == wEnd && j+2 < c.hi && (p.t[j+1].w.id == wImpact || p.t[j+1].w.id == wOf && p.t[j+2].w.c&cBad != 0) {
			c.endsImpact = true
		}
	}
}

// prepOf returns the word that ties the point to its clause.
func (p *parser) prepOf(pt *point, lo int) (wid, int) {
	for j := pt.first - 1; j >= lo && j >= pt.first-6; j-- {
		t := &p.t[j]
		switch {
		case t.k == kPunct && (t.p == '~' || t.p == ':' || t.p == '(' || t.p == '-' || t.p == ','):
			continue
		case t.k != kWord:
			return wNone, j
		case t.w.c&cApprox != 0 && t.w.id != wShortly, t.w.id == wThe, t.w.id == wOn, t.w.id == wLate, t.w.id == wEarly, t.w.id == wTime:
			continue
		case t.w.id == wOf && j > lo && p.t[j-1].w.id == wAs:
			return wAs, j - 1
		case t.w.id == wAt || t.w.id == wFrom || t.w.id == wIn:
			// "starting at", "began at", "recovered at": the verb decides, but only when it stands beside
			if j > lo && (p.t[j-1].w.id == wBegin || p.t[j-1].w.id == wStart || p.t[j-1].w.id == wEnd) {
				return p.t[j-1].w.id, j - 1
			}
			if j > lo+1 && p.t[j-1].w.c&cApprox != 0 && (p.t[j-2].w.id == wBegin || p.t[j-2].w.id == wStart) {
				return p.t[j-2].w.id, j - 2
			}
			return t.w.id, j
		case t.w.c&(cPrep|cRange|cOpen) != 0 || t.w.id == wBegin || t.w.id == wStart || t.w.id == wEnd:
			return t.w.id, j
		}
		return wNone, j
	}
	return wNone, pt.first - 1
}

// subject looks at what begins: a change and a recovery begin too, and neither is impact.
func (p *parser) subject(pt *point, c *clause) {
	at := c.prepAt
	if c.prep != wBegin && c.prep != wStart {
		return
	}
	c.began = true
	bad, change, rec := false, false, false
	for j := max(c.lo, at-9); j < at; j++ {
		w := p.t[j].w
		bad = bad || w.c&cBad != 0
		change = change || w.c&(cChange|cWork) != 0 && w.c&cBad == 0
		if w.c&cRecov != 0 || w.id == wResolution && w.c&cHead != 0 {
			rec = true
		}
	}
	c.changeSubj = (change || rec) && !bad
}

// judge decides the role of a lone point from its clause.
func (p *parser) judge(k int, c *clause) mark {
	pt := &p.pts[k]
	both := c.l | c.r
	if c.backlog && c.l&cBad == 0 && !c.entry {
		return mark{}
	}
	if c.l&cUpdate != 0 && (c.l&cFuture != 0 || p.hasWord(c.lo, pt.first, wAnother)) || c.entry && false {
		return mark{}
	}
	maint := p.in.Maintenance || c.s&cMaint != 0 && c.s&cFuture != 0
	if c.l&cFuture != 0 && c.l&(cRecov|cWeakRec|cUpdate|cWork|cFuture) != 0 && c.prep != wSince && !maint && !p.pastLater(c, pt) {
		return mark{}
	}
	if c.entry {
		return p.judgeEntry(k, c)
	}
	switch c.prep {
	case wUntil, wThrough:
		if c.l&cMonitor != 0 && c.l&cBad == 0 || p.mayTake(c, pt) {
			return mark{}
		}
		return mark{role: roleRecovery, strength: 3}
	case wSince:
		return p.judgeSince(c)
	case wAs:
		return p.judgeAsOf(k, c)
	case wBegin, wStart:
		if maint && c.changeSubj {
			return mark{role: roleOnset, strength: 3}
		}
		return p.judgeBegin(k, c)
	case wEnd:
		if p.objects(c, pt) {
			return mark{role: roleInstant, strength: 1, approx: true}
		}
		if c.l&cBad == 0 && c.l&cWork != 0 {
			return mark{}
		}
		return mark{role: roleRecovery, strength: 3}
	case wFrom:
		return mark{role: roleOnset, strength: 2}
	case wAfter:
		switch {
		case c.negBad:
			return mark{role: roleRecovery, strength: 2}
		case c.l&cMade != 0 && c.l&cNeg == 0:
			return mark{role: roleOnset, strength: 2}
		}
		return mark{}
	case wBefore, wShortly:
		if c.l&(cRecov|cWeakRec) != 0 {
			return mark{role: roleRecovery, strength: 2, approx: true}
		}
		return mark{}
	case wBy:
		return p.judgeBy(k, c)
	}
	return p.judgeAt(k, c, both)
}

func (p *parser) hasWord(lo, hi int, id wid) bool {
	for j := max(lo, hi-14); j < hi; j++ {
		if p.t[j].w.id == id {
			return true
		}
	}
	return false
}

// pastLater reports whether a past verb stands between a word of the future and the point ("should have …, which recovered at").
func (p *parser) pastLater(c *clause, pt *point) bool {
	seen := false
	for j := c.lo; j < pt.first; j++ {
		w := p.t[j].w
		if w.c&cFuture != 0 {
			seen = false
		}
		if w.id == wBegin || w.id == wStart || w.id == wWas || w.id == wWere || w.id == wHas || w.c&(cRecov|cWeakRec|cSeen) != 0 && w.id != wReturn && !p.infinitive(j) {
			seen = true
		}
	}
	return seen
}

// mayTake reports whether "until" bounds a wait to come ("it may take until").
func (p *parser) mayTake(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-5; j-- {
		if w := string(p.b[p.t[j].start:p.t[j].end]); w == "take" || w == "takes" {
			return true
		}
	}
	return false
}

// switchedOff reports whether something is out of use since the point.
func (p *parser) switchedOff(c *clause) bool {
	for j := c.prepAt - 1; j >= c.lo && j >= c.prepAt-3; j-- {
		switch string(p.b[p.t[j].start:p.t[j].end]) {
		case "disabled", "paused", "suspended", "closed", "halted":
			return c.l&cNeg == 0
		}
	}
	return false
}

// nearest returns the classes of the last word before the preposition that speaks of trouble or of its end.
func (p *parser) nearest(c *clause) class {
	for j := c.prepAt - 1; j >= c.lo && j >= c.prepAt-8; j-- {
		if w := p.t[j].w; w.c&(cBad|cRecov|cWeakRec) != 0 && w.c&cEvent == 0 {
			if w.c&(cRecov|cWeakRec) != 0 {
				return w.c &^ cBad
			}
			return w.c
		}
	}
	return 0
}

// infinitive reports whether the verb at token j belongs to a wish ("to be resolved", "to be fully restored").
func (p *parser) infinitive(j int) bool {
	for n := j - 1; n >= 0 && n >= j-2; n-- {
		if w := string(p.b[p.t[n].start:p.t[n].end]); w == "be" || w == "to" {
			return true
		}
	}
	return false
}

func (p *parser) judgeSince(c *clause) mark {
	both := c.l | c.r
	near := p.nearest(c)
	switch {
	case p.hasWord(c.lo, c.prepAt, wAgain):
		return mark{role: roleRecovery, strength: 3}
	case p.switchedOff(c):
		return mark{role: roleOnset, strength: 2}
	case near&cBad != 0 && !c.negBad && c.l&cMonitor == 0:
		return mark{role: roleOnset, strength: 3}
	case c.l&cMonitor != 0 && c.l&cBad == 0:
		if c.negBad || c.r&cRecov != 0 {
			return mark{role: roleRecovery, strength: 2}
		}
		return mark{}
	case c.negBad, both&cRecov != 0, both&cWeakRec != 0:
		if c.l&cBad != 0 && c.l&(cRecov|cWeakRec|cNeg) == 0 {
			return mark{role: roleOnset, strength: 3}
		}
		return mark{role: roleRecovery, strength: 3}
	case c.l&cWork != 0 && c.l&cBad == 0 && c.l&cProbe == 0 && c.r&cBad == 0:
		return mark{}
	}
	return mark{role: roleOnset, strength: 3}
}

// judgeAsOf reads "as of A …": what the sentence says decides, also behind the next "and".
func (p *parser) judgeAsOf(k int, c *clause) mark {
	both := c.l | c.r
	rec := both&cRecov != 0
	switch {
	case c.l&cOnset != 0 && c.l&cBad != 0:
		return mark{role: roleOnset, strength: 3}
	case c.l&cBad != 0 && c.l&(cRecov|cWeakRec) == 0 && !c.negBad && c.l&cWork == 0:
		return mark{role: roleOnset, strength: 2}
	case rec || c.negBad && both&(cBad|cSeen) != 0:
		return mark{role: roleRecovery, strength: 3, approx: both&cWork != 0 && c.l|c.r&cSeen != 0 && !c.negBad, part: both&cPart != 0 && both&cWeakRec == 0 && p.partial(c)}
	case both&cWeakRec != 0 && both&cWork == 0:
		return mark{role: roleRecovery, strength: 2}
	case c.online && both&cBad == 0:
		return mark{role: roleRecovery, strength: 1}
	case both&(cWork|cWeakRec|cChange) != 0 && both&cProbe == 0:
		if p.recoveryFollows(k) {
			return mark{role: roleRecovery, strength: 2, approx: true}
		}
		return mark{}
	case both&cProbe != 0 && both&cBad != 0:
		return mark{role: roleOnset, strength: 2, approx: true, probe: true}
	case both&cBad != 0 || both&cNeg != 0:
		return mark{role: roleOnset, strength: 2}
	}
	return mark{}
}

// partial reports whether a recovery is only of a part: such a word stands before the verb of recovery, and none like "fully".
func (p *parser) partial(c *clause) bool {
	part := false
	for j := c.lo; j < c.hi && j < len(p.t); j++ {
		w := p.t[j].w
		switch {
		case w.c&cTrue != 0:
			return false
		case w.c&(cRecov|cWeakRec) != 0:
			return part || w.c&cPart != 0
		case w.c&cPart != 0:
			part = true
		}
	}
	return true
}

// recoveryFollows reports whether the sentence of point k, or the next, says that things are normal again.
func (p *parser) recoveryFollows(k int) bool {
	pt := &p.pts[k]
	s := pt.sent
	for n := max(0, s-1); n <= s+1 && n < len(p.sents); n++ {
		if n < s && p.sents[n].section != p.sents[s].section {
			continue
		}
		if n > s && (p.sents[n].section != p.sents[s].section || p.sents[n].c&cFuture != 0 && p.sents[n].c&cRecov == 0) {
			return false
		}
		lo := p.sents[n].first
		if n == s {
			lo = pt.last + 1
		}
		for j := lo; j <= p.sents[n].last && j < lo+30; j++ {
			w := p.t[j].w
			if w.id == wNormal || w.id == wBaseline || w.id == wReturn && j+1 < len(p.t) || w.c&cRecov != 0 && w.id == wNone {
				return true
			}
		}
	}
	return false
}

func (p *parser) judgeBegin(k int, c *clause) mark {
	pt := &p.pts[k]
	switch {
	case c.changeSubj:
		if p.t[c.prepAt].w.c&cOnset != 0 && c.r&cBad != 0 && p.startsSentence(c.prepAt, pt.sent) {
			break
		}
		return mark{}
	case c.r&cRecov != 0 && c.r&cBad == 0 && c.l&cBad == 0 && p.startsSentence(c.prepAt, pt.sent):
		return mark{role: roleRecovery, strength: 2}
	}
	m := mark{role: roleOnset, strength: 3}
	if !pt.hasClock {
		m.approx = true
	}
	return m
}

func (p *parser) startsSentence(j, sent int) bool { return j-p.sents[sent].first <= 2 }

func (p *parser) judgeBy(k int, c *clause) mark {
	both := c.l | c.r
	// "by" at the head of a sentence speaks of what comes after it
	if c.prepAt-p.sents[p.pts[k].sent].first <= 2 {
		both = c.r
	}
	switch {
	case both&(cRecov|cWeakRec) != 0:
		m := mark{role: roleRecovery, strength: 3}
		if both&cRecov == 0 {
			m.strength = 2
		}
		m.part = both&cPart != 0 && p.partial(c)
		return m
	case p.recoveryNoun(c, &p.pts[k]) && both&cFuture == 0:
		return mark{role: roleRecovery, strength: p.nounStrength(c, &p.pts[k])}
	case both&cWork != 0:
		if p.recoveryFollows(k) {
			return mark{role: roleRecovery, strength: 2, approx: true}
		}
	}
	return mark{}
}

// judgeAt reads a point tied by "at", "on", "around" or nothing.
func (p *parser) judgeAt(k int, c *clause, both class) mark {
	pt := &p.pts[k]
	if c.prep == wNone && !pt.hasZone && !pt.hasDate && !pt.approx && !p.isDoc && pt.first > p.sents[pt.sent].first {
		return mark{} // a figure with a colon
	}
	head := !c.pureL && c.l&(cRecov|cWeakRec|cWork) == 0 && (c.prepAt-p.sents[pt.sent].first <= 3 || pt.last+1 < len(p.t) && p.t[pt.last+1].k == kPunct && p.t[pt.last+1].p == ',')
	say := c.l
	if head {
		say = c.r
	}
	verb := p.lastVerb(pt, c, head)
	switch {
	case say&cUpdate != 0 && say&cFuture != 0:
		return mark{}
	case !head && p.untilBefore(c, pt) && c.l&cFuture == 0:
		return mark{role: roleRecovery, strength: 3}
	case !head && c.l&cFuture == 0 && p.recoveryNoun(c, pt):
		return mark{role: roleRecovery, strength: p.nounStrength(c, pt)}
	case !head && c.l&cBad != 0 && p.hasWord(c.lo, pt.first, wLast):
		return mark{role: roleRecovery, strength: 3} // "the last errors occurred at"
	case !head && c.l&cMaint != 0 && !c.pureL && !p.in.Maintenance && verb&(cRecov|cWeakRec) != 0:
		return mark{} // the end of planned work
	case verb == 0 && !head && p.badBeside(c, pt):
		return mark{role: roleOnset, strength: 2}
	case verb&cOnset != 0 && verb&(cRecov|cEnd) == 0:
		if p.onsetOfOther(c, pt, head) {
			return mark{}
		}
		return mark{role: roleOnset, strength: 2}
	case verb&cRecov != 0 && c.negBad == (verb&cNeg != 0):
		if say&cMade != 0 && p.objects(c, pt) {
			return mark{role: roleInstant, strength: 1, approx: true}
		}
		return mark{role: roleRecovery, strength: 3, part: say&cPart != 0 && p.partial(c)}
	case verb&cWeakRec != 0:
		m := mark{role: roleRecovery, strength: 2, part: say&cPart != 0 && p.partial(c)}
		if p.hasWord(c.lo, pt.first, wIncident) {
			m.strength = 1 // the incident was closed; the impact may have ended before
		}
		return m
	case say&cWork != 0 && say&(cRecov|cWeakRec) != 0, both&cWork != 0 && c.r&(cWeakRec|cRecov) != 0 && !head:
		return mark{role: roleRecovery, strength: 1}
	case say&cWork != 0 && say&cBad == 0 && p.alertBefore(c, pt):
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	case say&cWork != 0 && say&cBad == 0:
		if p.recoveryFollows(k) {
			return mark{role: roleRecovery, strength: 1, approx: true}
		}
		if c.r&cBad != 0 && (!head || c.r&cCause != 0) || p.causes(pt.sent) {
			return mark{role: roleOnset, strength: 1}
		}
		return mark{}
	case say&cBad != 0:
		if !c.pure && say&(cSeen|cProbe|cOnset|cMade) == 0 && c.r&cCause == 0 {
			return mark{}
		}
		m := mark{role: roleOnset, strength: 2}
		if say&cWork != 0 {
			m.strength = 1
		}
		if say&(cSeen|cProbe) != 0 {
			m.probe = true
		}
		return m
	case head && p.troubleNext(pt.sent):
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	}
	return mark{}
}

// troubleNext reports whether the sentence or the next one names trouble.
func (p *parser) troubleNext(sent int) bool {
	return p.sents[sent].c&cBad != 0 || sent+1 < len(p.sents) && p.sents[sent+1].c&cBad != 0
}

// alertBefore reports whether an alarm is what happened at the point ("alerts fired at").
func (p *parser) alertBefore(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-5; j-- {
		switch string(p.b[p.t[j].start:p.t[j].end]) {
		case "alert", "alerts", "alarm", "alarms", "alerted":
			return true
		}
	}
	return false
}

// recoveryNoun reports whether "recovery" or "resolution" stands directly before the point, and is not only beginning.
func (p *parser) recoveryNoun(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-4; j-- {
		w := p.t[j].w
		if w.id == wResolution {
			for n := j - 1; n >= c.lo && n >= j-4; n-- {
				if v := p.t[n].w; v.c&(cOnset|cPart) != 0 || v.c&cSeen != 0 && v.c&cWork == 0 {
					return false
				}
			}
			return true
		}
		if w.c&(cApprox|cPrep|cRecov|cTrue) == 0 && w.id != wWas {
			return false
		}
	}
	return false
}

// nounStrength grades a recovery given as a noun: "full recovery" is the impact's, "confirmed resolution" the incident's.
func (p *parser) nounStrength(c *clause, pt *point) int {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-6; j-- {
		if string(p.b[p.t[j].start:p.t[j].end]) == "confirmed" {
			return 2
		}
	}
	return 3
}

// badBeside reports whether a word of trouble stands directly before the point ("became unresponsive around").
func (p *parser) badBeside(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-4; j-- {
		w := p.t[j].w
		if w.c&cBad != 0 && w.c&cEvent == 0 {
			return true
		}
		if w.c&(cApprox|cPrep) == 0 {
			return false
		}
	}
	return false
}

// causes reports whether the sentence, or the two after it, say that something resulted in trouble.
func (p *parser) causes(sent int) bool {
	for n := sent; n <= sent+2 && n < len(p.sents); n++ {
		if c := p.sents[n].c; c&cCause != 0 && c&cBad != 0 {
			return true
		}
	}
	return false
}

// untilBefore reports whether "until" opens the words before the point ("until the region was drained at").
func (p *parser) untilBefore(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-14; j-- {
		if p.t[j].w.id == wUntil {
			return true
		}
		if p.t[j].k == kPunct && p.t[j].p == ',' {
			return false
		}
	}
	return false
}

// lastVerb returns the classes of the verb nearest to the point.
func (p *parser) lastVerb(pt *point, c *clause, head bool) class {
	const verbs = cOnset | cRecov | cWeakRec
	if head {
		for j := pt.last + 1; j < c.hi && j < pt.last+24; j++ {
			if w := p.t[j].w; w.c&(verbs|cBad) != 0 && w.id != wFull && w.id != wImpact && w.c&cEvent == 0 {
				if w.c&cBad != 0 && w.c&verbs == 0 {
					// "increased API errors … were resolved": the verb comes after the noun
					if v := p.verbAfter(j, c.hi); v != 0 {
						return v
					}
				}
				return w.c
			}
		}
		return 0
	}
	for j := pt.first - 1; j >= c.lo && j >= pt.first-14; j-- {
		if w := p.t[j].w; w.c&verbs != 0 {
			if w.id == wBack && j+1 < pt.first && p.t[j+1].w.id == wOnline {
				return 0
			}
			return w.c
		}
	}
	return 0
}

// verbAfter finds "were resolved", "had returned to normal" after a noun of trouble.
func (p *parser) verbAfter(j, hi int) class {
	for n := j + 1; n < hi && n < j+18; n++ {
		w := p.t[n].w
		if (w.id == wWas || w.id == wWere || w.id == wHas || w.id == wHad) && n+1 < hi {
			for q := n + 1; q < hi && q < n+6; q++ {
				if v := p.t[q].w; v.c&(cRecov|cWeakRec) != 0 && v.c&cOnset == 0 {
					return v.c
				}
			}
		}
	}
	return 0
}

// onsetOfOther reports whether what began is a change or a recovery.
func (p *parser) onsetOfOther(c *clause, pt *point, head bool) bool {
	lo, hi := c.lo, pt.first
	if head {
		lo, hi = pt.last+1, c.hi
	}
	bad, other := false, false
	for j := lo; j < hi; j++ {
		w := p.t[j].w
		bad = bad || w.c&cBad != 0
		other = other || w.c&(cChange|cRecov) != 0 && w.c&cBad == 0 || w.id == wResolution || w.c&cWork != 0 && w.c&cBad == 0
	}
	return other && !bad
}

// objects reports whether the clause speaks of things made or ended at the time ("sessions that ended around 09:57").
func (p *parser) objects(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-8; j-- {
		if p.t[j].w.id == wThat || p.t[j].w.id == wWhich {
			return true
		}
	}
	return false
}

// judgeEntry reads an entry of a timeline: the words after the time.
func (p *parser) judgeEntry(k int, c *clause) mark {
	switch {
	case c.endsImpact && !c.startsImp:
		return mark{role: roleRecovery, strength: 3}
	case c.startsImp:
		return mark{role: roleOnset, strength: 3}
	case c.r&cRecov != 0:
		if c.r&cOnset != 0 || c.r&cFuture != 0 {
			return mark{}
		}
		return mark{role: roleRecovery, strength: 2, part: c.r&cPart != 0}
	case c.r&cOnset != 0 && c.r&cBad != 0:
		return mark{role: roleOnset, strength: 2}
	case c.r&cWeakRec != 0 && c.r&cWork == 0:
		return mark{role: roleRecovery, strength: 1, part: c.r&cPart != 0}
	case c.r&cBad != 0:
		return mark{role: roleOnset, strength: 1, probe: c.r&(cWork|cSeen) != 0}
	}
	return mark{}
}
