package when

func (p *parser) hasWord(lo, hi int, id wid) bool {
	for j := max(lo, hi-14); j < hi; j++ {
		if p.t[j].w.id == id {
			return true
		}
	}
	return false
}

// next returns the first token of a word between two tokens, else the second.
func (p *parser) next(lo, hi int, id wid) int {
	p.looks += max(0, hi-lo)
	for ; lo < hi; lo++ {
		if p.t[lo].w.id == id {
			break
		}
	}
	return lo
}

// andTheStep reports whether a range goes from the point to something done, told without its time: "and the rollback".
func (p *parser) andTheStep(pt *point) bool {
	j := pt.last + 1
	return j+2 < len(p.t) && (p.t[j].w.id == wAnd || p.t[j].w.c&cRange != 0) && p.t[j+1].w.id == wThe && p.hasText(j+2, j+3, "mitigation", "fix", "rollback", "revert", "repair", "restart", "recovery", "resolution", "failover")
}

// pastLater reports whether a past verb stands between a word of the future and the point ("should have …, which recovered at").
func (p *parser) pastLater(c *clause, pt *point) bool {
	seen := false
	for j := c.lo; j < pt.first; j++ {
		w := p.t[j].w
		if w.c&cFuture != 0 {
			seen = false
		}
		if (w.id == wBegin || w.id == wStart || w.id == wWas || w.id == wWere || w.id == wHas || w.c&(cRecov|cWeakRec|cSeen) != 0 && w.id != wReturn) && !p.infinitive(j) {
			seen = true
		}
	}
	return seen
}

// mayTake reports whether "until" bounds a wait to come ("it may take until").
func (p *parser) mayTake(c *clause, pt *point) bool {
	return p.hasText(max(c.lo, pt.first-5), pt.first, "take", "takes")
}

// hasText reports whether one of the words stands between two tokens. It is called from some two hundred places, and copied into
// each of them it would crowd the rules out of the processor's cache.
//
//go:noinline
func (p *parser) hasText(lo, hi int, words ...string) bool {
	p.looks += max(0, hi-lo)
	for j := max(0, lo); j < min(hi, len(p.t)); j++ {
		if p.t[j].k != kWord {
			continue
		}
		text := p.text(j)
		for _, w := range words {
			// the first letter tells nearly all words of one length apart
			if len(w) == len(text) && w[0] == text[0] && w == text {
				return true
			}
		}
	}
	return false
}

// untilNext reports whether the next point stands in the same sentence after "until".
func (p *parser) untilNext(k int) bool {
	return k+1 < len(p.pts) && p.pts[k+1].sent == p.pts[k].sent && p.hasWord(p.pts[k].last+1, p.pts[k+1].first, wUntil)
}

// notUntil reports whether "until" tells when trouble began that had not been there: "customers were not affected until".
func (p *parser) notUntil(c *clause) bool {
	for j := c.prepAt - 1; j > c.lo && j >= c.prepAt-4; j-- {
		if p.hasText(j, j+1, "affected", "impacted", "impact", "visible", "noticeable") {
			return p.negated(j)
		}
	}
	return false
}

// easing reports whether the clause says that trouble began to get less at the point, which neither begins nor ends it.
func (p *parser) easing(c *clause, pt *point, head bool) bool {
	lo, hi := c.side(pt, head)
	for j := lo; j < hi; j++ {
		switch w := p.t[j].w; {
		case w.c&(cRecov|cWeakRec) != 0:
			return false // "connectivity was restored and most hosts began to recover"
		case w.id == wEases:
			return true
		}
	}
	return false
}

// onsetNext reports whether the next point stands in the same sentence after a verb of beginning.
func (p *parser) onsetNext(k int) bool {
	return k+1 < len(p.pts) && p.pts[k+1].sent == p.pts[k].sent && p.says(max(p.pts[k].last+1, p.pts[k+1].first-3), p.pts[k+1].first)&cOnset != 0
}

// keptOpen reports whether "until" says how long an incident, not its impact, was open.
func (p *parser) keptOpen(c *clause) bool {
	return !c.pureL && c.prepAt > c.lo && p.text(c.prepAt-1) == "open"
}

// switchedOff reports whether something is out of use since the point.
func (p *parser) switchedOff(c *clause) bool {
	for j := c.prepAt - 1; j >= c.lo && j >= c.prepAt-3; j-- {
		switch p.text(j) {
		case "disabled", "paused", "suspended", "closed", "halted":
			return c.l&cNeg == 0
		}
	}
	return false
}

// toResolve reports whether the words after the point say that somebody works on an end of trouble.
func (p *parser) toResolve(pt *point, c *clause) bool {
	for j := pt.last + 1; j+2 < c.hi; j++ {
		if p.hasText(j, j+1, "working", "trying") && p.hasText(j+1, j+2, "to", "on") && p.hasText(j+2, min(c.hi, j+5), "resolve", "resolving", "fix", "restore", "mitigate", "repair") {
			return true
		}
	}
	return false
}

// wasIll reports whether the words after the point say first of all that something was in trouble ("by 09:20, the site was down").
func (p *parser) wasIll(pt *point, c *clause) bool {
	for j := pt.last + 1; j+1 < c.hi && p.t[j].w.c&(cRecov|cWeakRec|cNeg) == 0; j++ {
		if id := p.t[j].w.id; id == wWas || id == wWere {
			for n := j + 1; n < min(c.hi, j+3) && p.t[n].w.c&(cRecov|cWeakRec|cNeg) == 0; n++ {
				if p.t[n].w.c&cBad != 0 {
					return true
				}
			}
		}
	}
	return false
}

// madeThen reports whether things made after the point, or before it, are hit: "builds started after 09:10 are affected".
func (p *parser) madeThen(c *clause, pt *point) bool {
	return (c.r&cBad != 0 || p.hasWord(pt.last+1, c.hi, wQueued)) && c.prepAt > c.lo && p.madeBy(c.prepAt-1) &&
		p.hasText(pt.last+1, pt.last+2, "are", "is", "may", "might", "will", "were", "was", "have", "cannot", "fail", "failed")
}

// madeBy reports whether token j is a participle that says how things came to be.
func (p *parser) madeBy(j int) bool {
	return p.t[j].w.id == wStart || p.t[j].w.c&cMade != 0 || p.hasText(j, j+1, "opened", "launched", "deployed", "issued", "added", "initiated", "triggered", "scheduled", "provisioned", "queued", "begun", "produced", "received", "ingested")
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
		if w := p.text(n); w == "be" || w == "to" {
			return true
		}
	}
	return false
}

func (p *parser) startsSentence(j, sent int) bool { return j-p.sents[sent].first <= 2 }

// troubleNext reports whether the sentence or the next one names trouble.
func (p *parser) troubleNext(sent int) bool {
	return p.sents[sent].c&cBad != 0 || sent+1 < len(p.sents) && p.sents[sent+1].c&cBad != 0
}

// troubleAround reports whether a sentence or one of its neighbours names trouble.
func (p *parser) troubleAround(sent int) bool {
	return p.troubleNext(sent) || sent > 0 && p.sents[sent-1].c&cBad != 0
}

// figures reports whether a sentence tells statistics of a period.
func (p *parser) figures(sent int) bool {
	for j := p.sents[sent].first; j <= p.sents[sent].last && j < p.sents[sent].first+maxWords; j++ {
		switch p.text(j) {
		case "average", "averaged", "median", "uptime", "availability", "percentile", "covering", "covers", "statistics", "statements":
			return true
		}
	}
	return false
}

// numbered reports whether the word before token i makes what follows numbers and no times ("order numbers 10:45-11:20").
func (p *parser) numbered(i int) bool {
	if i == 0 || p.t[i-1].k != kWord {
		return false
	}
	switch p.text(i - 1) {
	case "number", "numbers", "ids", "ratio", "ratios", "ports", "versions", "builds":
		return true
	}
	return false
}

// advised reports whether the words before a range, from token lo, recommend it to the reader.
func (p *parser) advised(lo, hi int) bool {
	for j := max(lo, hi-6); j < hi; j++ {
		switch p.text(j) {
		case "best", "recommend", "recommended", "preferably", "please":
			return true
		}
	}
	return false
}

// heads reports whether a point stands at the head of its clause, so that what is said of it comes after it.
func (p *parser) heads(c *clause, pt *point) bool {
	if c.pureL || c.l&(cRecov|cWeakRec|cWork) != 0 || pt.first > 0 && p.t[pt.first-1].k == kPunct && p.t[pt.first-1].p == ':' {
		return false
	}
	next := pt.last + 1
	if next >= len(p.t) || p.t[next].k == kStop || p.t[next].k == kPara {
		return false
	}
	if c.prepAt-p.sents[pt.sent].first <= 3 {
		return true
	}
	if c.lo > p.sents[pt.sent].first && c.prepAt == c.lo+1 && p.t[c.lo].w.id == wAnd && next < c.hi && p.t[next].k == kWord {
		return true // ", and at 10:30 the last of them had recovered"
	}
	return c.l&(cBad|cSeen|cOnset) == 0 && next < len(p.t) && p.t[next].k == kPunct && p.t[next].p == ','
}

// seenBefore reports whether somebody's notice is what happened at the point ("Reported: 16:48", "first seen at").
func (p *parser) seenBefore(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-4; j-- {
		t := &p.t[j]
		if t.k == kWord && t.w.c&cSeen != 0 {
			return true
		}
		if t.k == kWord && t.w.c&(cPrep|cApprox) == 0 && !p.hasText(j, j+1, "came", "come", "arrived") {
			break
		}
	}
	// "received reports of login loops at"
	for j := pt.first - 2; j >= c.lo && j >= pt.first-8; j-- {
		if p.t[j].k == kWord && p.t[j].w.c&cSeen != 0 && p.t[j+1].w.id == wOf {
			return true
		}
	}
	return false
}

// onsetIn reports whether a sentence holds an onset already.
func (p *parser) onsetIn(sent int) bool {
	for i := len(p.marks) - 1; i >= 0 && p.pts[p.marks[i].pt].sent == sent; i-- {
		if p.marks[i].role == roleOnset {
			return true
		}
	}
	return false
}

// othersTrouble reports whether the clause speaks of somebody else's outage.
func (p *parser) othersTrouble(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-10; j-- {
		switch p.text(j) {
		case "vendor", "vendors", "upstream", "supplier", "third-party":
			return true
		case "provider", "carrier":
			if p.hasText(max(c.lo, j-3), j, "our") {
				return true
			}
		}
	}
	return false
}

// alertBefore reports whether an alarm is what happened at the point ("alerts fired at").
func (p *parser) alertBefore(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-5; j-- {
		switch p.text(j) {
		case "alert", "alerts", "alarm", "alarms", "alerted":
			return true
		}
	}
	return false
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
			if w := p.t[j].w; w.c&(verbs|cBad) != 0 && w.id != wFull && w.id != wImpact && w.c&cEvent == 0 && !(w.c&cWeakRec != 0 && p.t[j-1].w.id == wTo) {
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
		if w.c&cRecov != 0 && p.hasText(n, n+1, "returned", "recovered", "stopped", "ceased", "cleared", "subsided", "stabilized", "stabilised", "normalized", "normalised") {
			return w.c // "error rates returned to normal"
		}
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
	lo, hi := c.side(pt, head)
	bad, other, began := false, false, 0
	for j := lo; j < hi; j++ {
		w := p.t[j].w
		if w.c&cOnset != 0 && head && p.peopleBegin(lo, j) {
			return true
		}
		bad = bad || w.c&cBad != 0
		if began > 0 && j > began+3 && head {
			continue // what is said of it later
		}
		if w.c&cOnset != 0 {
			began = j
		}
		other = other || w.c&(cChange|cRecov|cWork|cProbe|cMonitor) != 0 && w.c&cBad == 0 || w.id == wResolution
	}
	return other && !bad
}

// peopleBegin reports whether those who begin something at token j are the provider's people, and it is no trouble that they met.
func (p *parser) peopleBegin(lo, j int) bool {
	return p.hasText(max(lo, j-2), j, "we", "engineers", "team", "technicians", "staff", "operators") &&
		!p.hasText(j+1, j+4, "see", "seeing", "receive", "receiving", "get", "getting", "notice", "noticing", "experience", "experiencing", "observe", "observing", "encounter", "have", "having")
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
