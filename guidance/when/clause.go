package when

import "strings"

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
	backlog    bool
	drains     bool // "queued events were delivered": a late effect of trouble, not the trouble
}

// side returns the tokens of the clause on the side of the point that says what was at it: after it where it heads the clause, else
// before it.
func (c *clause) side(pt *point, head bool) (lo, hi int) {
	if head {
		return pt.last + 1, c.hi
	}
	return c.lo, pt.first
}

// dayPoint accepts a date without a time as a bound only where words make it one ("late on August 21", "since 4 May").
func (p *parser) dayPoint(k int) bool {
	pt := &p.pts[k]
	if !pt.hasDate || pt.date.isRel || pt.date.dayOnly || pt.date.isWeek {
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
		case wUntil:
			return j > 0 && p.t[j-1].w.id == wLasted // "the incident persisted until 16 March"
		case wBy:
			return j > 1 && p.t[j-1].w.c&cRecov != 0 && p.says(max(0, j-5), j)&cTrue != 0 // "all customers restored by 18 April"
		case wStart, wBegin:
			return p.low[t.start:t.end] != "start"
		case wLate, wEarly:
			return true
		case wOn, wThe, wFrom, wAt, wIn:
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
	if c.entry = p.isEntry(k); c.entry {
		c.hi = p.lineEnd(pt.last + 1)
		if k+1 < len(p.pts) {
			c.hi = min(c.hi, p.pts[k+1].first)
		}
	}
	p.leftClause(pt, &c)
	p.rightClause(pt, &c)
	if s.last == pt.last+1 || c.hi > 0 && c.hi == s.last+1 && p.t[s.last].k == kPunct && p.t[s.last].p == ':' {
		c.r |= p.itemsAfter(pt.sent)
	}
	c.prep, c.prepAt = p.prepOf(pt, c.lo)
	p.subject(pt, &c)
	return c
}

// isEntry reports whether the point opens an entry of a timeline.
func (p *parser) isEntry(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	if pt.entry {
		return true
	}
	if pt.first-s.first > 2 {
		return p.inlineEntry(k)
	}
	for j := s.first; j < pt.first; j++ {
		if p.t[j].k == kWord && p.t[j].w.c&(cApprox|cUpdate) == 0 && p.t[j].w.id != wAt && !p.phaseWord(j) {
			return false
		}
	}
	if s.entry {
		return true
	}
	n := pt.last + 1
	for n < len(p.t) && p.t[n].k == kPunct && p.t[n].p == ')' {
		n++
	}
	return n < len(p.t) && p.t[n].k == kPunct && (p.t[n].p == '-' || p.t[n].p == ':' || p.t[n].p == '|') || n < len(p.t) && p.t[n].k == kItem
}

// inlineEntry reports whether the point opens an entry of a timeline told in one sentence: "18:20 - errors start, 18:26 - team
// alerted".
func (p *parser) inlineEntry(k int) bool {
	pt := &p.pts[k]
	if k == 0 || p.pts[k-1].sent != pt.sent || pt.last+2 >= len(p.t) {
		return false
	}
	before, after := &p.t[pt.first-1], &p.t[pt.last+1]
	return before.k == kPunct && (before.p == ',' || before.p == ';') && after.k == kPunct && (after.p == '-' || after.p == ':') && p.t[pt.last+2].k == kWord && p.isEntry(k-1)
}

// maxItems bounds how many items of a list are read with the sentence that opens it.
const maxItems = 8

// itemsAfter joins the classes of the list that a sentence opens with its colon ("As of 18:04: - API errors are back to normal").
func (p *parser) itemsAfter(sent int) (c class) {
	s := &p.sents[sent]
	if s.last < s.first || p.t[s.last].k != kPunct || p.t[s.last].p != ':' {
		return 0
	}
	for n := sent + 1; n < len(p.sents) && n <= sent+maxItems; n++ {
		if f := p.sents[n].first; f >= len(p.t) || p.t[f].k != kItem && p.t[f].k != kPara {
			break
		}
		c |= p.sents[n].c
	}
	return c
}

// splits reports whether a new clause begins at token j: a semicolon, "but", "while", or a comma with "and".
func (p *parser) splits(j int) bool {
	t := &p.t[j]
	if t.k == kPunct && (t.p == ';' || t.p == '|') {
		return true
	}
	return t.k == kWord && (t.w.id == wBut && !p.aside(j) || t.w.id == wWhile && !(j+1 < len(p.t) && p.t[j+1].k == kWord && isGerund(p.text(j+1))))
}

// aside reports whether a comma stands on either side of token j: "the team had come, however, the site was up".
func (p *parser) aside(j int) bool {
	comma := func(i int) bool { return i >= 0 && i < len(p.t) && p.t[i].k == kPunct && p.t[i].p == ',' }
	return comma(j-1) && comma(j+1)
}

func (p *parser) leftClause(pt *point, c *clause) {
	neg := false
	for j := pt.first - 1; j >= c.lo; j-- {
		if p.splits(j) || p.t[j].k == kPunct && p.t[j].p == ',' && p.t[j+1].w.id == wAnd {
			c.lo = j + 1
			break
		}
	}
	queued := false
	for j := c.lo; j < pt.first; j++ {
		w := p.t[j].w
		c.l |= w.c
		queued = queued || w.id == wQueued
		c.drains = c.drains || queued && (w.c&cMade != 0 || w.id == wDrained || p.text(j) == "gone")
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
		if c.entry && j+1 < c.hi && p.hasText(j, j+1, "problem", "issue") && (p.t[j+1].w.id == wBegin || p.t[j+1].w.id == wStart) {
			c.startsImp = true // "(problem started)"
		}
		p.namesImpact(j, c)
	}
}

// namesImpact reads whether the words from token j on say that impact begins or ends: "outage 2 begins", "end of EU impact".
func (p *parser) namesImpact(j int, c *clause) {
	w := p.t[j].w
	if n := j + 1; n < c.hi && p.impactNoun(j) {
		if p.t[n].k == kNum && n+1 < c.hi {
			n++
		}
		next := p.t[n].w
		c.endsImpact = c.endsImpact || next.id == wEnd || next.c&(cWeakRec|cRecov) != 0 && next.id != wBack
		c.startsImp = c.startsImp || (next.id == wBegin || next.id == wStart) && !p.hasText(j-3, j, "before", "since", "when")
	}
	if j+2 >= c.hi {
		return
	}
	of := p.t[j+1].w.id == wOf
	switch {
	case w.c&cOnset != 0:
		for n := j + 1; n < min(j+6, c.hi); n++ {
			c.startsImp = c.startsImp || p.t[n].w.id == wImpact || of && p.impactNoun(n)
		}
	case w.id == wEnd:
		for n := j + 1; n < min(j+5, c.hi); n++ {
			c.endsImpact = c.endsImpact || n == j+1 && p.t[n].w.id == wImpact || n == j+2 && of && p.t[n].w.c&cBad != 0 || of && p.impactNoun(n)
		}
	}
}

// impactNoun reports whether token j is the noun of impact, also as the last part of a word ("first-outage").
func (p *parser) impactNoun(j int) bool {
	switch p.t[j].w.id {
	case wImpact, wOutage:
		return true
	case wWindow:
		return p.hasText(j-1, j, "first", "second", "third", "impact", "outage", "unavailability", "degradation")
	}
	w := p.text(j)
	return p.t[j].k == kWord && (strings.HasSuffix(w, "-outage") || strings.HasSuffix(w, "-impact"))
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
		if id := p.sincePhrase(j, lo); id != wNone {
			return id, j
		}
		return wNone, j
	}
	return wNone, pt.first - 1
}

// sincePhrase returns wSince where token j is the noun of "since the release (06:00 UTC)".
func (p *parser) sincePhrase(j, lo int) wid {
	for n := j - 1; n >= lo && n >= j-3 && p.t[n].k == kWord; n-- {
		if id := p.t[n].w.id; id == wSince {
			return wSince
		} else if id != wThe && id != wA && id != wNone {
			break
		}
	}
	return wNone
}

// subject looks at what begins: a change and a recovery begin too, and neither is impact.
func (p *parser) subject(pt *point, c *clause) {
	at := c.prepAt
	if c.prep != wBegin && c.prep != wStart {
		return
	}
	c.began = true
	if at > c.lo && p.t[at-1].w.id == wAnd {
		return // "the first mitigation did not hold and starting at 14:00 …"
	}
	bad, change, rec := false, false, false
	for j := max(c.lo, at-9); j < at; j++ {
		w := p.t[j].w
		bad = bad || w.c&cBad != 0
		change = change || w.c&(cChange|cWork) != 0 && w.c&cBad == 0 && !p.hasText(j, j+1, "identified", "found", "discovered", "confirmed")
		if w.c&cRecov != 0 || w.id == wResolution && w.c&cHead != 0 {
			rec = true
		}
	}
	c.changeSubj = (change || rec) && !bad
}
