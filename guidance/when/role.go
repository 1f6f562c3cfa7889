package when

import "slices"

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
	paired   bool // one of several of a verb, each with its own subject ("A recovered at 12:15 and B at 13:00")
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
		if s := &p.sents[pt.sent]; m.role == roleNone || s.c&cBad == 0 && p.openingHours(s.first, pt.first) {
			continue
		}
		m.pt, m.sec = k, p.sents[pt.sent].section
		if m.strength > 1 && (m.role == roleOnset && p.othersTrouble(&c, pt) || m.role == roleRecovery && p.aftermath(k, &c)) {
			m.strength = 1
		}
		m.approx = m.approx || pt.approx
		m.in = p.at(k)
		if !m.in.ok {
			continue
		}
		if p.stamps(k) {
			m.strength = 1
		}
		if m.role == roleOnset && (p.harmless(pt.sent+1) || p.sents[pt.sent].c&cNeg != 0 && p.unharmed(pt.last+1, p.wholeClause(k))) {
			m.strength = 0 // any other onset is the impact's
		}
		if m.role == roleRecovery && !pt.hasClock && (c.prep == wBy || c.prep == wUntil || c.prep == wThrough) {
			m.in.unix, m.approx = m.in.unix+day, true // "all restored by 18 April": that day counts
		}
		p.marks = append(p.marks, m)
	}
	p.ofImpact()
}

// wholeClause returns the token after the last of the sentence of point k, or the first of the next point in it.
func (p *parser) wholeClause(k int) int {
	hi := min(p.sents[p.pts[k].sent].last+1, p.pts[k].last+maxClause)
	if k+1 < len(p.pts) {
		hi = min(hi, p.pts[k+1].first)
	}
	return hi
}

// harmless reports whether a sentence says that what the one before it told had no impact.
func (p *parser) harmless(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	s := &p.sents[sent]
	if s.c&cNeg == 0 || !p.hasText(s.first, min(s.last, s.first+12), "this", "it", "that") {
		return false
	}
	hi := min(s.last, s.first+maxClause)
	for j := s.first; j < hi; j++ {
		if p.t[j].w.c&cNeg != 0 && p.deniedImpact(j, hi) > 0 {
			return true
		}
	}
	return false
}

// ofImpact drops the bounds of an incident where the text gives those of its impact beside them: "Incident Start Date … Impact Start
// Date …".
func (p *parser) ofImpact() {
	on, end := false, false
	for i := range p.marks {
		if m := &p.marks[i]; m.sec == secImpact && m.strength > 1 {
			on, end = on || m.role == roleOnset, end || m.role == roleRecovery
		}
	}
	if !on || !end {
		return
	}
	p.marks = slices.DeleteFunc(p.marks, func(m mark) bool {
		pt := &p.pts[m.pt]
		return m.sec != secImpact && p.hasWord(p.sents[pt.sent].first, pt.first, wIncident)
	})
}

// comesPlanned reports whether point k is when work that we will do begins.
func (p *parser) comesPlanned(k int) bool {
	post, posted := p.posted()
	in := p.at(k)
	return posted && in.ok && in.unix > post && p.willDo(p.pts[k].sent) && p.sents[p.pts[k].sent].c&cUpdate == 0
}

// stamps reports whether point k only says when a text was written: "Update 12:55 CEST: …".
func (p *parser) stamps(k int) bool {
	pt := &p.pts[k]
	return pt.first > 0 && pt.first-p.sents[pt.sent].first <= 2 && p.hasText(pt.first-1, pt.first, "update", "updated", "edit")
}

// likeLast gives a point the role of the one before it where the words between leave the verb out ("Frankfurt recovered at
// 08:40, Singapore at 09:10").
func (p *parser) likeLast(k int, c *clause) mark {
	n := len(p.marks)
	if n == 0 || p.marks[n-1].pt != k-1 || p.pts[k-1].sent != p.pts[k].sent || c.prep != wAt && c.prep != wBy {
		return mark{}
	}
	a, b := &p.pts[k-1], &p.pts[k]
	if b.first-a.last > 8 || c.l&^(cPrep|cHead|cTrue|cApprox) != 0 {
		return mark{}
	}
	m := p.marks[n-1]
	if m.role != roleRecovery && p.lengthAfter(k) == 0 && !(p.hasWord(a.last+1, b.first, wAnd) && p.hasWord(a.last+1, b.first, wIn)) {
		return mark{} // other than "began in Paris at 09:17 and in Rome at 09:31"
	}
	p.marks[n-1].paired = true
	return mark{role: m.role, strength: m.strength, paired: true}
}

// judge decides the role of a lone point from its clause.
func (p *parser) judge(k int, c *clause) mark {
	pt := &p.pts[k]
	if p.sents[pt.sent].spared && c.prep != wSince && c.prep != wAs && c.prep != wBy && c.prep != wAfter {
		return mark{}
	}
	if p.hasText(pt.first-3, pt.first, "such", "example") {
		return mark{}
	}
	if (c.backlog && c.l&cBad == 0 || c.drains) && !c.entry {
		return mark{}
	}
	if c.l&cUpdate != 0 && (c.l&cFuture != 0 || p.hasWord(c.lo, pt.first, wAnother)) {
		return mark{}
	}
	maint := p.in.Maintenance || c.s&cMaint != 0 && c.s&cFuture != 0
	if c.l&cFuture != 0 && c.l&(cRecov|cWeakRec|cUpdate|cWork|cFuture) != 0 && c.prep != wSince && !maint && !p.pastLater(c, pt) && !(pt.hasDate && p.comesPlanned(k)) {
		return mark{}
	}
	if c.entry {
		return p.judgeEntry(k, c)
	}
	if m, ok := p.judgeLabel(k); ok {
		return m
	}
	return p.byPrep(k, c)
}

// judgeAt reads a point tied by "at", "on", "around" or nothing.
func (p *parser) judgeAt(k int, c *clause, both class) mark {
	pt := &p.pts[k]
	if c.prep == wNone && !pt.hasZone && !pt.hasDate && !pt.approx && !p.isDoc && pt.first > p.sents[pt.sent].first {
		return mark{} // a figure with a colon
	}
	head := p.heads(c, pt)
	say := c.l
	if head {
		say = c.r
	}
	verb := p.lastVerb(pt, c, head)
	switch {
	case !head && p.hasText(c.lo, pt.first, "provider", "vendor", "carrier", "supplier", "upstream") && p.hasText(c.lo, pt.first, "its", "their"):
		return mark{} // "the provider closed its incident at"

	case say&cUpdate != 0 && say&cFuture != 0, !head && p.hasText(pt.first-4, pt.first, "peaked", "peaking", "peak"):
		return mark{}
	case (c.l|c.r)&cFuture != 0 && pt.hasDate && p.comesPlanned(k):
		return mark{role: roleOnset, strength: 1, needsEnd: true}
	case head && p.in.Maintenance && c.r&cFuture != 0 && c.r&(cWork|cChange|cMaint) != 0:
		return mark{role: roleOnset, strength: 1, needsEnd: true}
	case !head && p.wellSince(c, pt):
		return mark{role: roleRecovery, strength: 2}
	case !head && p.untilBefore(c, pt) && c.l&cFuture == 0:
		return mark{role: roleRecovery, strength: 3}
	case !head && c.l&(cFuture|cPart|cOnset) == 0 && p.fullNoun(c.lo, pt.first):
		return mark{role: roleRecovery, strength: 3} // "confirmed full resolution of the issue at"
	case !head && c.l&cFuture == 0 && p.recoveryNoun(c, pt):
		return mark{role: roleRecovery, strength: p.nounStrength(c, pt)}
	case !head && (c.l&cBad != 0 || p.hasText(c.lo, pt.first, "them", "these", "those") && p.troubleAround(pt.sent)) && p.hasWord(c.lo, pt.first, wLast):
		return mark{role: roleRecovery, strength: 3} // "the last errors occurred at"
	case !head && c.l&cMaint != 0 && !c.pureL && !p.in.Maintenance && verb&(cRecov|cWeakRec) != 0:
		return mark{} // the end of planned work
	}
	return p.judgeSaid(k, c, both, head, verb)
}

// judgeSaid reads a point by what its clause says: say are the classes of the words on the side that counts, verb those of the
// verb nearest to it.
func (p *parser) judgeSaid(k int, c *clause, both class, head bool, verb class) mark {
	pt := &p.pts[k]
	say := c.l
	if head {
		say = c.r
	}
	switch {
	case p.easing(c, pt, head):
		return mark{}
	case verb&(cRecov|cWeakRec) == 0 && (c.l|c.r)&cFuture == 0 && p.setOff(k, c):
		return mark{role: roleOnset, strength: 2, needsEnd: true}
	case verb == 0 && !head && say&cWork != 0 && (p.faultySince(k) || p.hasText(c.lo, pt.first, "bug", "defect", "flaw") && p.hasText(c.lo, pt.first, "which", "that")):
		return mark{role: roleOnset, strength: 1, needsEnd: true}
	case verb == 0 && !head && ((p.hasText(c.lo, pt.first, "followed") || p.hasWord(c.lo, pt.first, wAgain) && p.lengthAfter(k) > 0) && p.secondWave(k) || p.lengthBefore(pt)):
		return mark{role: roleOnset, strength: 2, needsEnd: true} // "another one of 9 minutes followed at"
	case verb == 0 && !head && p.badBeside(c, pt) && !p.remedy(c, pt, head):
		return mark{role: roleOnset, strength: 2}
	case c.negBad && say&cFuture == 0 && c.r&cCause == 0 && p.noTrouble(c, pt, head):
		return mark{role: roleRecovery, strength: 2} // "at 21:08 jobs were starting without delay"
	case verb&cOnset != 0 && verb&(cRecov|cEnd) == 0:
		if p.onsetOfOther(c, pt, head) {
			return mark{}
		}
		if both&(cBad|cNeg|cSeen|cEvent) == 0 && !p.troubleAround(pt.sent) {
			return mark{} // "the invoice run was started on time"
		}
		if head && both&(cBad|cNeg|cSeen) == 0 {
			return mark{role: roleOnset, strength: 1} // "the nightly vacuum began"
		}
		return mark{role: roleOnset, strength: 2}
	case verb&cRecov != 0 && p.hasText(c.lo, pt.first, "chillers", "chiller", "cooling", "temperature", "temperatures"):
		return mark{} // what stood still because of the heat comes back after it
	case verb&cRecov != 0 && p.capacityBack(c, pt):
		return mark{role: roleRecovery, strength: 1}
	case verb&cRecov != 0 && c.negBad == (verb&cNeg != 0):
		if say&cMade != 0 && p.objects(c, pt) {
			return mark{role: roleInstant, strength: 1, approx: true}
		}
		return mark{role: roleRecovery, strength: 3, part: say&cPart != 0 && p.partial(c)}
	case verb&cWeakRec != 0 && head && p.deployed(pt, c):
		return mark{} // "at 09:10 the deployment completed"
	case verb&cWeakRec != 0:
		m := mark{role: roleRecovery, strength: 2, part: say&cPart != 0 && p.partial(c)}
		if p.recoveryFollows(k) && !p.stepDone(c, pt) {
			m.strength = 3
		}
		if p.hasWord(c.lo, pt.first, wIncident) {
			m.strength = 1 // the incident was closed; the impact may have ended before
		}
		return m
	}
	return p.judgeStep(k, c, both, head)
}

// judgeStep reads a point whose clause tells neither of a beginning nor of an end: what the provider did at it, what somebody saw, and
// what the sentences after it make of that.
func (p *parser) judgeStep(k int, c *clause, both class, head bool) mark {
	pt := &p.pts[k]
	say := c.l
	if head {
		say = c.r
	}
	switch {
	case !head && p.thenCeased(c, pt):
		return mark{role: roleRecovery, strength: 3} // "traffic was moved at 15:11, at which point errors ceased"
	case say&cWork != 0 && say&(cRecov|cWeakRec) != 0, both&cWork != 0 && c.r&(cWeakRec|cRecov) != 0 && !head:
		return mark{role: roleRecovery, strength: 1}
	case p.thenWell(pt.sent+1) && c.l&cFuture == 0:
		return mark{role: roleRecovery, strength: 2} // "put in a new one at 15:05. Since then transfers work"
	case p.thenIllSince(pt.sent+1) || p.thenIllSince(pt.sent+2):
		return mark{role: roleOnset, strength: 2, needsEnd: true}
	case p.thenOn(pt.sent + 1):
		return mark{role: roleOnset, strength: 1, needsEnd: true}
	case say&cWork != 0 && say&cBad == 0 && p.alertBefore(c, pt):
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	case say&cWork != 0 && (say&cBad == 0 || p.remedy(c, pt, head)):
		return p.judgeWork(k, c, head)
	case say&cBad != 0:
		return p.judgeBad(k, c, head, say)
	case !head && c.l&cFuture == 0 && p.hasText(max(c.lo, pt.first-5), pt.first, "first") && p.seenBefore(c, pt):
		return mark{role: roleOnset, strength: 2, probe: true} // "first seen at"
	case !head && c.l&cBad == 0 && c.l&cFuture == 0 && p.seenBefore(c, pt):
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	case !head && c.r&cBad != 0 && c.r&cWork == 0 && p.untilNext(k):
		return mark{role: roleOnset, strength: 2, needsEnd: true} // "the cache filled up at A and pages failed until B"
	case !head && say&cWait != 0 && p.hasText(c.lo, pt.first, "we"):
		return mark{role: roleOnset, strength: 1, needsEnd: true} // "we paused all webhooks at"
	case head && p.troubleNext(pt.sent):
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	}
	return mark{}
}

// judgeBad reads a point whose clause names trouble and neither its beginning nor its end: say are the classes of the words on the side
// that counts.
func (p *parser) judgeBad(k int, c *clause, head bool, say class) mark {
	pt := &p.pts[k]
	if !c.pure && say&(cSeen|cProbe|cOnset|cMade) == 0 && c.r&cCause == 0 {
		return mark{}
	}
	m := mark{role: roleOnset, strength: 2, probe: say&(cSeen|cProbe) != 0}
	if p.worked(c, pt, head) || head && p.hasText(pt.last+1, pt.last+3, "engineers", "technicians", "operators", "responders") && say&cSeen == 0 {
		m.strength = 1
	}
	return m
}

// faultySince reports whether the sentence of point k says that "it" was put into service there, and the one before that it did harm:
// "A faulty flag hid the tab. It was switched on at".
func (p *parser) faultySince(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	if pt.sent == 0 || !p.hasText(p.firstWord(s), p.firstWord(s)+1, "it", "this") || p.hasText(max(s.first, pt.first-maxClause), pt.first, "off", "back", "out", "again") {
		return false
	}
	before := &p.sents[pt.sent-1]
	return p.pureBad(before.first, min(before.last+1, before.first+maxWords)) && p.hasText(max(s.first, pt.first-maxClause), pt.first, "switched", "turned", "enabled", "deployed", "released", "introduced", "merged", "activated", "rolled")
}

// remedy reports whether the clause first of all says what the provider did to its plant: "we suspended the faulty node at".
func (p *parser) remedy(c *clause, pt *point, head bool) bool {
	lo, hi := c.side(pt, head)
	for j := lo; j < min(hi, lo+8); j++ {
		if j < lo+5 && p.hasText(j, j+1, "fix", "patch", "hotfix", "workaround") {
			return p.hasText(lo, j, "a", "the", "our") // "a fix for slow exports was merged at"
		}
		if p.hasText(j, j+1, "suspended", "disabled", "removed", "isolated", "drained", "restarted", "rebooted", "replaced", "reverted", "rerouted", "re-routed", "redirected", "flushed", "purged") {
			return p.hasText(lo, j, "we", "engineers", "team", "operators") || p.hasText(j-1, j, "was", "were", "been")
		}
	}
	return false
}

// worked reports whether the clause tells what the provider did, and not only what became of traffic.
func (p *parser) worked(c *clause, pt *point, head bool) bool {
	lo, hi := c.side(pt, head)
	for j := lo; j < hi; j++ {
		if p.t[j].w.c&cWork != 0 && p.text(j) != "traffic" {
			return true
		}
	}
	return false
}

// judgeWork reads what the provider did at a point: it may bound what it caused, or what it ended.
func (p *parser) judgeWork(k int, c *clause, head bool) mark {
	switch {
	case c.r&(cBad|cNeg|cFuture) == 0 && (p.eversince(&p.pts[k], c) || p.goesAgain(p.pts[k].sent+1)):
		return mark{role: roleRecovery, strength: 1, approx: true}
	case c.r&cBad != 0 && p.troubleAgain(k):
		return mark{role: roleOnset, strength: 2} // "when we switched back at A, the same fault appeared again"
	case c.r&cBad != 0 && p.untilNext(k):
		return mark{role: roleOnset, strength: 1, needsEnd: true} // "the failover happened at A and writes failed until B"
	case p.recoveryFollows(k) && c.r&(cBad|cCause) != cBad|cCause:
		return mark{role: roleRecovery, strength: 1, approx: true}
	case c.r&cBad != 0 && (!head || c.r&cCause != 0) || p.causes(p.pts[k].sent):
		return mark{role: roleOnset, strength: 1}
	}
	return mark{}
}
