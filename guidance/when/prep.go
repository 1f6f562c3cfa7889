package when

// byPrep decides the role by the word that ties the point to its clause.
func (p *parser) byPrep(k int, c *clause) mark {
	pt := &p.pts[k]
	switch c.prep {
	case wUntil, wThrough:
		return p.judgeUntil(c, pt)
	case wSince:
		return p.judgeSince(c)
	case wAs:
		return p.judgeAsOf(k, c)
	case wBegin, wStart:
		if (p.in.Maintenance || c.s&cMaint != 0 && c.s&cFuture != 0) && c.changeSubj {
			return mark{role: roleOnset, strength: 3}
		}
		return p.judgeBegin(k, c)
	case wEnd:
		return p.judgeEnd(c, pt)
	case wFrom:
		return p.judgeFrom(c, pt)
	case wAfter:
		return p.judgeAfter(k, c)
	case wBetween:
		if p.andTheStep(pt) {
			return mark{role: roleOnset, strength: 2} // "between 11:20 and the mitigation"
		}
	case wBefore, wShortly:
		if c.l&(cRecov|cWeakRec) != 0 || p.hasText(max(c.lo, pt.first-4), pt.first, "recover", "return", "resume", "finish", "complete") {
			m := mark{role: roleRecovery, strength: 2, approx: true}
			if c.prep == wBefore && (c.l&cNeg != 0 || p.hasText(c.lo, pt.first, "not")) {
				m.strength = 3 // "was not complete before"
			}
			return m // also "did not recover before"
		}
		if c.prep == wBefore && (p.madeThen(c, pt) || p.lengthBefore(pt) || p.hasText(c.lo, c.prepAt-1, "still") && p.madeBy(c.prepAt-1)) {
			return mark{role: roleRecovery, strength: 2} // "could not be reached for 25 minutes before"
		}
		return mark{}
	case wBy:
		return p.judgeBy(k, c)
	}
	return p.judgeAt(k, c, c.l|c.r)
}

// judgeAfter reads "after A": what was made then may be hit, and "no errors after A" is an end.
func (p *parser) judgeAfter(k int, c *clause) mark {
	pt := &p.pts[k]
	if c.prepAt > 0 && p.t[c.prepAt-1].w.id == wShortly {
		m := p.judgeAt(k, c, c.l|c.r)
		m.approx = true
		return m
	}
	switch {
	case c.negBad, c.l&cMade != 0 && c.r&cRecov != 0 && (c.l|c.r)&(cBad|cNeg|cFuture) == 0:
		return mark{role: roleRecovery, strength: 2} // also "messages sent after 10:12 are delivered at once again"
	case p.madeThen(c, pt), p.lengthBefore(pt):
		return mark{role: roleOnset, strength: 2} // also "failed for 12 minutes after 17:08"
	case c.pureL && p.objects(c, pt), c.l&cMade != 0 && (c.l&cNeg == 0 || p.objects(c, pt)) || c.r&cBad != 0 && p.hasText(c.lo, pt.first, "who", "that", "which"):
		return mark{role: roleOnset, strength: 2}
	}
	return mark{}
}

func (p *parser) judgeSince(c *clause) mark {
	both := c.l | c.r
	near := p.nearest(c)
	switch {
	case p.hasText(c.lo, c.prepAt, "traffic", "load", "demand", "usage") && p.hasText(c.lo, c.prepAt, "due", "result", "because", "caused"):
		return mark{} // "this was due to traffic that had grown since"
	case p.hasWord(c.lo, c.prepAt, wAgain), c.l&cNeg != 0 && (p.hasText(c.prepAt-1, c.prepAt, "anymore") || p.hasText(c.prepAt-2, c.prepAt-1, "any")):
		return mark{role: roleRecovery, strength: 3} // also "does not any more since"
	case p.switchedOff(c):
		return mark{role: roleOnset, strength: 2}
	case c.online && c.l&(cBad|cNeg) == 0:
		return mark{role: roleRecovery, strength: 1} // "is back in rotation since"
	case c.pureL && p.hasText(max(c.lo, c.prepAt-5), c.prepAt, "below", "under"):
		return mark{role: roleRecovery, strength: 3} // "loss has been below 0.1 % since"
	case c.l&(cBad|cNeg) == 0 && p.hasText(max(c.lo, c.prepAt-5), c.prepAt, "within", "under"):
		return mark{role: roleRecovery, strength: 2} // "jobs have been starting within a minute since"
	case near&cBad != 0 && !c.negBad && c.l&cMonitor == 0:
		return mark{role: roleOnset, strength: 3}
	case c.l&cMonitor != 0 && c.l&cBad == 0:
		if c.negBad || c.r&cRecov != 0 {
			return mark{role: roleRecovery, strength: 2}
		}
		return mark{}
	case p.notWell(c):
		return mark{role: roleOnset, strength: 3} // "were not being returned since"
	case c.negBad, both&cRecov != 0, both&cWeakRec != 0:
		if c.l&cBad != 0 && c.l&(cRecov|cWeakRec|cNeg) == 0 {
			return mark{role: roleOnset, strength: 3}
		}
		return mark{role: roleRecovery, strength: 3}
	case c.l&(cWork|cChange) != 0 && c.l&cBad == 0 && c.l&cProbe == 0 && c.r&cBad == 0:
		return mark{}
	}
	return mark{role: roleOnset, strength: 3}
}

// judgeAsOf reads "as of A …": what the sentence says decides, also behind the next "and".
func (p *parser) judgeAsOf(k int, c *clause) mark {
	both := c.l | c.r
	rec := both&cRecov != 0 || p.fullRecovery(c, &p.pts[k]) || p.fullNoun(c.lo, p.pts[k].first) && c.l&(cFuture|cNeg) == 0
	switch {
	case p.onsetNext(k) && c.s&(cRecov|cWeakRec) != 0 && c.s&(cFuture|cPart) == 0:
		return mark{role: roleRecovery, strength: 3} // "as of B, the issue that began at A has been resolved"
	case c.l&cOnset != 0 && c.l&cBad != 0:
		return mark{role: roleOnset, strength: 3}
	case p.toResolve(&p.pts[k], c):
		return mark{role: roleOnset, strength: 2, approx: true, probe: true}
	case c.l&cBad != 0 && c.l&(cRecov|cWeakRec) == 0 && !c.negBad && c.l&cWork == 0:
		return mark{role: roleOnset, strength: 2}
	case rec || c.negBad && both&(cBad|cSeen) != 0:
		return mark{role: roleRecovery, strength: 3, approx: both&cWork != 0 && c.l|c.r&cSeen != 0 && !c.negBad, part: both&cPart != 0 && both&cWeakRec == 0 && p.partial(c)}
	case both&cWeakRec != 0 && both&cWork == 0:
		return mark{role: roleRecovery, strength: 2}
	case c.online && both&cBad == 0:
		return mark{role: roleRecovery, strength: 1}
	case both&(cRecov|cWeakRec) == 0 && !c.negBad && p.seesTrouble(&p.pts[k], c):
		return mark{role: roleOnset, strength: 2, approx: true, probe: true}
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

// seesTrouble reports whether the words after the point say that trouble is seen before they tell what is done: "as of A we are seeing
// more timeouts and have begun draining the node".
func (p *parser) seesTrouble(pt *point, c *clause) bool {
	seen := false
	for j := pt.last + 1; j < c.hi; j++ {
		switch w := p.t[j].w; {
		case w.c&cWork != 0:
			return false
		case w.c&cBad != 0 && w.c&cEvent == 0:
			return seen || p.hasText(j, j+1, "experiencing")
		case w.c&cSeen != 0:
			seen = true
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
	case c.l&(cBad|cSeen) == 0 && isBe(p.text(max(0, c.prepAt-1))) && c.r&cBad == 0:
		return mark{} // "it was started at": what somebody did
	case c.r&cRecov != 0 && c.r&cBad == 0 && c.l&cBad == 0 && p.startsSentence(c.prepAt, pt.sent):
		return mark{role: roleRecovery, strength: 2}
	}
	m := mark{role: roleOnset, strength: 3}
	if !pt.hasClock {
		m.approx = true
	}
	return m
}

func (p *parser) judgeBy(k int, c *clause) mark {
	both := c.l | c.r
	// "by" at the head of a sentence speaks of what comes after it
	if c.prepAt-p.sents[p.pts[k].sent].first <= 2 {
		both = c.r
	}
	switch {
	case p.wasIll(&p.pts[k], c):
		return mark{}
	case both&(cRecov|cWeakRec) != 0:
		m := mark{role: roleRecovery, strength: 3}
		if both&cRecov == 0 {
			m.strength = 2
		}
		m.part = both&cPart != 0 && p.partial(c)
		return m
	case p.recoveryNoun(c, &p.pts[k]) && both&cFuture == 0:
		return mark{role: roleRecovery, strength: p.nounStrength(c, &p.pts[k])}
	case p.achieved(k, c):
		return mark{role: roleRecovery, strength: 2}
	case both&cWork != 0:
		if p.recoveryFollows(k) {
			return mark{role: roleRecovery, strength: 2, approx: true}
		}
	}
	return mark{}
}

// achieved reports whether the words before "by" say that trouble was ended in full, though only as what was meant: "worked with them
// to fully mitigate it by", and the time is past.
func (p *parser) achieved(k int, c *clause) bool {
	post, posted := p.posted()
	if in := p.at(k); !posted || !in.ok || in.guessed || in.unix > post || c.l&cFuture != 0 {
		return false
	}
	for j := max(c.lo, c.prepAt-6); j+1 < c.prepAt; j++ {
		if p.t[j].w.id == wFull && p.hasText(j+1, j+2, "mitigate", "resolve", "restore", "recover") {
			return true
		}
	}
	return false
}

// judgeUntil reads "until A": the end of trouble, or of its absence.
func (p *parser) judgeUntil(c *clause, pt *point) mark {
	if c.prep == wUntil && p.notUntil(c) {
		return mark{role: roleOnset, strength: 3}
	}
	if p.hasText(c.lo, c.prepAt, "clean-up", "cleanup", "clean-ups", "decommissioning") {
		return mark{}
	}
	if c.prep == wUntil && p.hasText(c.prepAt-1, c.prepAt, "recover", "return", "resume", "succeed") && p.hasText(c.prepAt-2, c.prepAt-1, "not", "t", "never") {
		return mark{role: roleRecovery, strength: 3} // "did not recover until"
	}
	if p.thenCeased(c, pt) {
		return mark{role: roleRecovery, strength: 3}
	}
	if c.l&cMonitor != 0 && c.l&cBad == 0 || p.mayTake(c, pt) || p.keptOpen(c) || p.hasText(c.prepAt-2, c.prepAt, "improve", "improving", "recover", "decline") || c.s&cBad == 0 && !p.hasWord(c.lo, pt.first, wLasted) && !p.onsetIn(pt.sent) && !p.hasText(c.lo, pt.first, "took") {
		return mark{}
	}
	return mark{role: roleRecovery, strength: 3}
}

// judgeEnd reads "ended at A".
func (p *parser) judgeEnd(c *clause, pt *point) mark {
	if p.objects(c, pt) {
		return mark{role: roleInstant, strength: 1, approx: true}
	}
	if c.l&cBad == 0 && c.l&(cWork|cMonitor) != 0 {
		return mark{}
	}
	if c.l&cBad == 0 && c.r&cBad != 0 && p.stops(c.prepAt) {
		return mark{role: roleOnset, strength: 3} // "the bus stopped at 10:00 and was unavailable"
	}
	return mark{role: roleRecovery, strength: 3}
}

// judgeFrom reads "from A": trouble or its absence begins.
func (p *parser) judgeFrom(c *clause, pt *point) mark {
	if both := c.l | c.r; both&cFuture != 0 && both&(cBad|cMaint|cNeg) == 0 && p.hasText(pt.last+1, c.hi, "will") && !p.in.Maintenance {
		return mark{} // "from A on, our engineers will be watching"
	}
	if c.r&cRecov != 0 && (c.l|c.r)&(cBad|cNeg|cFuture) == 0 && p.says(pt.last+1, p.next(pt.last+1, c.hi, wAnd))&cRecov != 0 {
		return mark{role: roleRecovery, strength: 3} // "from 19:45 all pods were stable"
	}
	if c.l&cRecov != 0 && c.l&(cBad|cNeg) == 0 && p.hasWord(c.lo, c.prepAt, wAgain) {
		return mark{role: roleRecovery, strength: 3} // "ran normally again from"
	}
	return mark{role: roleOnset, strength: 2}
}
