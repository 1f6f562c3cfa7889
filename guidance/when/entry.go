package when

// judgeEntry reads an entry of a timeline: the words after the time.
func (p *parser) judgeEntry(k int, c *clause) mark {
	after := p.pts[k].last + 1
	if p.notYet(p.pts[k].sent) || c.r&(cRecov|cNeg) == cNeg && p.unharmed(after, c.hi) {
		return mark{}
	}
	switch {
	case p.callEnds(after, c.hi), c.r&cMaint != 0 && c.r&(cBad|cRecov) == 0:
		return mark{} // "11:30 - monitoring ended", "01:00 - maintenance completed"
	case c.endsImpact && !c.startsImp, p.rowLabel(after, "recovery", "recovered"):
		return mark{role: roleRecovery, strength: 3}
	case c.startsImp:
		return mark{role: roleOnset, strength: 3}
	case p.lastOf(after, c.hi), p.belowRate(after, c.hi):
		return mark{role: roleRecovery, strength: 2}
	case p.illFirst(k, c):
		return mark{role: roleOnset, strength: 1}
	case c.negBad && c.r&cBad != 0 && c.r&(cOnset|cFuture) == 0 && !(c.r&cWork != 0 && p.hasText(after, c.hi, "without")):
		return mark{role: roleRecovery, strength: 2} // "no longer seeing errors"
	case c.r&(cRecov|cBad) == cRecov && p.onlyStops(after, c.hi):
		return mark{} // "replication service stopped": what was done
	case c.r&(cBad|cNeg|cFuture) == 0 && p.hasText(after, c.hi, "re-enabled", "reenabled"):
		return mark{role: roleRecovery, strength: 1}
	case c.r&cRecov != 0:
		if c.r&cOnset != 0 && !p.overFirst(after, c.hi) || c.r&cFuture != 0 {
			return mark{}
		}
		return mark{role: roleRecovery, strength: 2, part: c.r&cPart != 0 && p.partial(c)}
	case c.r&cOnset != 0 && c.r&cBad != 0 && !p.teamBegins(after, c.hi):
		return mark{role: roleOnset, strength: 2}
	case c.r&(cRecov|cWeakRec) == cWeakRec && p.hasText(after, c.hi, "awaiting", "await"):
		return mark{}
	case c.r&cWeakRec != 0 && c.r&cWork == 0:
		if p.hasWord(after, c.hi, wIncident) {
			return mark{role: roleRecovery} // the incident was closed; the impact may have ended before
		}
		return mark{role: roleRecovery, strength: 1, part: c.r&cPart != 0}
	case c.r&cBad != 0:
		return mark{role: roleOnset, strength: 1, probe: p.teamFirst(after, c.hi) || after < c.hi && p.t[p.wordAt(after, c.hi)].w.c&cProbe != 0}
	case c.online && c.r&cTrue != 0 && c.r&(cNeg|cFuture) == 0:
		return mark{role: roleRecovery, strength: 2} // "all nodes brought back online"
	case c.r&cMade != 0 && p.t[p.wordAt(after, c.hi)].w.id == wAll && c.r&(cNeg|cFuture|cWork) == 0:
		return mark{role: roleRecovery, strength: 1} // "all devices registered"
	case (c.r&cSeen != 0 || p.rowSays(after, "investigating") || p.hasText(after, c.hi, "report", "complaint", "ticket", "tickets", "paged")) && c.r&cFuture == 0:
		return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}
	}
	return mark{}
}

// lastOf reports whether an entry tells of the last of the trouble: "last failed webhook".
func (p *parser) lastOf(lo, hi int) bool {
	j := p.wordAt(lo, hi)
	return j < hi && p.t[j].w.id == wLast && p.pureBad(j+1, min(hi, j+6))
}

// belowRate reports whether an entry says that a rate of trouble is below a figure: "error rate below 0.1%".
func (p *parser) belowRate(lo, hi int) bool {
	for j := lo + 1; j < hi; j++ {
		if p.hasText(j, j+1, "below", "under") {
			return p.hasText(max(lo, j-3), j, "rate", "rates", "errors", "loss", "latency") && p.pureBad(max(lo, j-5), j)
		}
	}
	return false
}

// unharmed reports whether an entry denies that customers felt it.
func (p *parser) unharmed(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		if p.t[j].w.c&cNeg != 0 && p.deniedImpact(j, hi-1) > 0 && p.hasText(j, j+5, "customer", "customers", "user", "users") {
			return true
		}
	}
	return false
}

// onlyStops reports whether "stopped" or its like is all that an entry tells of an end.
func (p *parser) onlyStops(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		if p.t[j].w.c&cRecov != 0 && !p.stops(j) {
			return false
		}
	}
	return true
}

// callEnds reports whether an entry tells that a call, a test or the watch over a fix ended, and not the trouble.
func (p *parser) callEnds(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		if p.t[j].w.id == wEnd {
			return p.hasText(max(lo, j-2), j+3, "monitoring", "call", "calls", "meeting", "bridge", "zoom", "test", "drill", "exercise", "shift")
		}
	}
	return false
}

// illFirst reports whether the first sentence of an entry tells of trouble and not of its end, which only what follows in the
// line may do ("errors rise. All of them are in one stable set").
func (p *parser) illFirst(k int, c *clause) bool {
	after, s := p.pts[k].last+1, &p.sents[p.pts[k].sent]
	return s.last+1 < c.hi && p.says(after, s.last+1)&(cRecov|cWeakRec) == 0 && p.pureBad(after, s.last+1) && !p.teamFirst(after, s.last+1) && p.t[p.wordAt(after, c.hi)].w.c&cProbe == 0 && !p.hasText(after, s.last+1, "we")
}

// rowSays reports whether a word is all that the line of an entry says.
func (p *parser) rowSays(i int, word string) bool {
	for i < len(p.t) && p.t[i].k == kPunct {
		i++
	}
	return p.hasText(i, i+1, word) && (i+1 >= len(p.t) || p.t[i+1].k != kWord)
}

// rowLabel reports whether the entry from token i begins with one of the words and a colon ("**Recovery:** …").
func (p *parser) rowLabel(i int, words ...string) bool {
	for i < len(p.t) && p.t[i].k != kWord && p.t[i].k != kPara && p.t[i].k != kClock {
		i++
	}
	return p.hasText(i, i+1, words...) && i+1 < len(p.t) && p.t[i+1].k == kPunct && p.t[i+1].p == ':'
}

// notYet reports whether an entry, or the sentence after it in its line, says that customers did not feel it so far.
func (p *parser) notYet(sent int) bool {
	for n := sent; n <= sent+1 && n < len(p.sents); n++ {
		s := &p.sents[n]
		if n > sent && (p.t[s.first].k != kWord || s.c&cNeg == 0) {
			return false
		}
		if s.c&cNeg != 0 && p.hasText(s.first, min(s.last+1, s.first+maxWords), "yet") && p.hasText(s.first, min(s.last+1, s.first+maxWords), "customer", "customers", "users", "user", "impact") {
			return true
		}
	}
	return false
}

// overFirst reports whether an entry tells of recovery before it tells that something begins ("the site is up and we begin a review").
func (p *parser) overFirst(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		if c := p.t[j].w.c; c&(cRecov|cOnset|cBad) != 0 {
			return c&cRecov != 0
		}
	}
	return false
}

// teamFirst reports whether an entry tells what the provider's people did before it names trouble; what users said is trouble.
func (p *parser) teamFirst(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		w := p.t[j].w
		switch {
		case p.hasText(j, j+1, "verification", "confirmation", "joined", "contacted"):
			return true
		case w.c&cBad != 0 && w.c&cEvent == 0, p.isUser(j):
			return false
		case w.c&cWork != 0 && !p.hasText(j, j+1, "alert", "alerts"):
			return !p.breaks(j, hi)
		}
	}
	return false
}

// wordAt returns the first token from lo on that is a word, else hi-1.
func (p *parser) wordAt(lo, hi int) int {
	for lo < hi-1 && p.t[lo].k != kWord {
		lo++
	}
	return lo
}

// teamWorks reports whether the words of an entry begin with what the provider's people did: "We moved", "Investigated why".
func (p *parser) teamWorks(lo, hi int) bool {
	lo = p.wordAt(lo, hi)
	for j := lo; j < min(hi, lo+4); j++ {
		w := p.t[j].w
		switch {
		case w.c&(cBad|cSeen) != 0 && w.c&cEvent == 0:
			return false
		case w.c&(cWork|cProbe|cMonitor) != 0, p.hasText(j, j+1, "investigated", "worked", "monitored", "tried"):
			return true
		}
	}
	return p.hasText(lo, lo+1, "we", "engineers")
}

// teamTries reports whether the words from token j on say that the provider's people tried something.
func (p *parser) teamTries(j int) bool {
	for n := 0; n < 3 && j < len(p.t) && !p.hasText(j, j+1, "we", "team", "engineers"); n++ {
		j++
	}
	return j+1 < len(p.t) && p.hasText(j, j+1, "we", "team", "engineers") && (p.hasText(j+1, j+2, "attempted", "tried", "worked", "performed", "took", "investigated", "continued", "proceeded") || p.t[j+1].w.id == wWere && p.hasText(j+2, j+3, "able"))
}

// breaks reports whether an entry says that what was done was "breaking" something, which is no adjective there.
func (p *parser) breaks(lo, hi int) bool {
	for j := lo + 1; j < hi; j++ {
		if p.hasText(j, j+1, "breaking") {
			return !p.hasText(j-1, j, "the", "a", "this")
		}
	}
	return false
}

// isUser reports whether token j names those who use a service.
func (p *parser) isUser(j int) bool {
	return p.hasText(j, j+1, "user", "users", "customer", "customers", "client", "clients", "developer", "developers")
}

// teamBegins reports whether what begins in an entry is what the provider's people do: "started looking into the problem".
func (p *parser) teamBegins(lo, hi int) bool {
	for j := lo; j < hi; j++ {
		if p.t[j].w.c&cOnset != 0 {
			if j > lo && p.t[j-1].k == kStop && j+1 < len(p.t) && isGerund(p.text(j+1)) || p.hasText(max(lo, j-5), j, "work") {
				return true // "Issue resolved. Started adding hosts", "the work on it has started"
			}
			return p.hasText(j+1, min(hi, j+3), "looking", "investigating", "investigation", "working", "work", "debugging", "troubleshooting", "to", "rolling", "restarting", "restoring") &&
				(p.t[j+1].w.id != wTo || p.says(j+2, min(hi, j+4))&(cProbe|cWork|cMonitor) != 0)
		}
	}
	return false
}
