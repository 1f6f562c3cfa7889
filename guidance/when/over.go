package when

// What tells that trouble is over: verbs, nouns and what follows a step.

// thenCeased reports whether the words after the point say that trouble ended with what was done at it.
func (p *parser) thenCeased(c *clause, pt *point) bool {
	j := pt.last + 1
	if j < c.hi && p.t[j].k == kPunct && p.t[j].p == ',' {
		j++
	}
	if p.hasText(j+1, j+2, "which") && p.hasText(j+2, j+3, "no") && p.hasText(j+3, j+4, "more", "further", "new") {
		return true
	}
	if !p.hasText(j, j+2, "when", "which") || c.r&(cFuture|cNeg) != 0 {
		return false
	}
	bad := false
	for ; j < c.hi; j++ {
		w := p.t[j].w
		if bad && (w.id == wEnd || p.hasText(j, j+1, "cleared", "subsided", "disappeared")) || !bad && w.c&cRecov != 0 && w.id != wEnd {
			return true
		}
		bad = bad || w.c&cBad != 0 && w.c&cEvent == 0
	}
	return false
}

// capacityBack reports whether what came back at the point is a part of the provider's plant, which may be long after the errors
// ended: "the data center returned to service at".
func (p *parser) capacityBack(c *clause, pt *point) bool {
	for j := max(c.lo+1, pt.first-8); j < pt.first; j++ {
		if id := p.t[j].w.id; id != wReturn && id != wBack {
			continue
		}
		if p.hasText(j+2, min(j+3, pt.first), "service", "rotation", "production") || p.hasText(max(c.lo, j-5), j, "brought") {
			return p.hasText(max(c.lo, j-3), j, "center", "centre", "datacenter", "node", "host", "server", "site", "cell", "cluster", "replica", "machine", "router", "switch", "link")
		}
	}
	return false
}

// aftermath reports whether what is over at point k is only what the trouble left behind: its work was done once more ("all of them
// had been resent by"), or the plant is whole again ("full redundancy was restored at"). Either may be long after the trouble itself.
func (p *parser) aftermath(k int, c *clause) bool {
	pt := &p.pts[k]
	lo, hi := c.side(pt, c.entry || p.heads(c, pt))
	for j := lo; j < hi; j++ {
		switch w := p.text(j); {
		case p.t[j].k != kWord, w == "successfully", w == "successful":
		case isRedone(w):
			return true
		case w == "capacity" || w == "redundancy" || w == "resiliency" || w == "resilience":
			return p.says(max(lo, j-2), j)&cBad == 0
		case p.t[j].w.c&(cRecov|cWeakRec) != 0:
			return false
		}
	}
	return false
}

// isRedone reports whether a word says that what had failed was done once more.
func isRedone(w string) bool {
	switch w {
	case "retried", "resent", "re-sent", "redelivered", "re-delivered", "replayed", "reprocessed", "re-processed", "regenerated", "reconciled", "resubmitted", "re-submitted", "republished", "requeued", "re-queued", "re-run", "rerun", "re-ran", "reran", "backfilled":
		return true
	}
	return false
}

// fullRecovery reports whether "full restoration" or its like stands after the point ("as of 11:10 we have confirmed full recovery").
func (p *parser) fullRecovery(c *clause, pt *point) bool {
	return p.fullNoun(pt.last+1, c.hi) && c.r&(cFuture|cNeg) == 0
}

// fullNoun reports whether "full recovery" or its like stands between two tokens.
func (p *parser) fullNoun(lo, hi int) bool {
	for j := lo + 1; j < hi; j++ {
		if p.t[j].w.id == wResolution && p.t[j-1].w.c&cTrue != 0 && !p.negated(j-1) {
			return true
		}
	}
	return false
}

// nounStrength grades a recovery given as a noun: "full recovery" is the impact's, "confirmed resolution" the incident's.
func (p *parser) nounStrength(c *clause, pt *point) int {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-6; j-- {
		if p.text(j) == "confirmed" {
			return 2
		}
	}
	return 3
}

// recoveryNoun reports whether "recovery" or "resolution" stands directly before the point, and is not only beginning.
func (p *parser) recoveryNoun(c *clause, pt *point) bool {
	for j := pt.first - 1; j >= c.lo && j >= pt.first-4; j-- {
		w := p.t[j].w
		if w.id == wResolution {
			if p.t[j+1].w.c&cTrue != 0 || j > c.lo && p.t[j-1].w.c&cTrue != 0 {
				return true // "saw full recovery", "recovery complete"
			}
			for n := j - 1; n >= c.lo && n >= j-4; n-- {
				if v := p.t[n].w; v.c&(cOnset|cPart) != 0 || v.c&cSeen != 0 && v.c&cWork == 0 {
					return false
				}
			}
			return true
		}
		if w.c&(cApprox|cPrep|cRecov|cTrue|cWeakRec) == 0 && w.id != wWas {
			return false
		}
	}
	return false
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

// notWell reports whether the last word before the preposition that tells of an end is denied.
func (p *parser) notWell(c *clause) bool {
	for j := c.prepAt - 1; j >= c.lo; j-- {
		if p.t[j].w.c&(cRecov|cWeakRec) != 0 {
			return p.negated(j) || p.hasText(j-3, j, "not")
		}
	}
	return false
}

// thenOn reports whether a sentence tells what was so from the moment before it: "From then on …".
func (p *parser) thenOn(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	j := p.sents[sent].first
	if j+2 > p.sents[sent].last || p.t[j].w.id != wFrom && p.t[j].w.id != wSince {
		return false
	}
	w := p.text(j + 1)
	return w == "then" || w == "that" && p.t[j].w.id == wFrom
}

// thenIllSince reports whether a sentence tells that trouble went on from the moment before it: "deployments failed from that minute".
func (p *parser) thenIllSince(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	s := &p.sents[sent]
	for j := s.first; j+2 < s.last && j < s.first+maxWords; j++ {
		if p.t[j].w.id == wFrom && p.hasText(j+1, j+2, "that") && p.hasText(j+2, j+3, "minute", "moment", "point", "time", "second") {
			return p.pureBad(s.first, s.last)
		}
	}
	return false
}

// thenWell reports whether a sentence tells that all was well from the moment before it.
func (p *parser) thenWell(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	s := &p.sents[sent]
	if !p.thenOn(sent) && !(p.hasText(s.last-2, s.last-1, "that") && p.hasText(s.last-1, s.last, "point", "time", "moment")) {
		return false
	}
	return s.c&cBad == 0 && (s.c&cRecov != 0 || p.hasText(s.first, min(s.last+1, s.first+maxWords), "work", "works"))
}

// noTrouble reports whether all trouble that the clause names is denied.
func (p *parser) noTrouble(c *clause, pt *point, head bool) bool {
	lo, hi := c.side(pt, head)
	for j := lo; j < hi; j++ {
		if p.t[j].w.c&cBad != 0 && !p.negated(j) {
			return false
		}
	}
	return true
}

// wellSince reports whether the clause says that all is well since what was done at the point: "things have been quiet since we removed
// the host at A".
func (p *parser) wellSince(c *clause, pt *point) bool {
	since := p.next(c.lo, pt.first, wSince)
	return since < pt.first && p.says(c.lo, since)&cRecov != 0 && p.says(c.lo, since)&(cBad|cNeg|cFuture) == 0
}

// goesAgain reports whether a sentence says that something is again as it should be, and nothing of trouble or of what is to come.
func (p *parser) goesAgain(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	s := &p.sents[sent]
	if s.c&cRecov == 0 || s.c&(cFuture|cBad|cNeg) != 0 {
		return false
	}
	n := p.next(s.first, min(s.last, s.first+maxWords), wAgain)
	return p.t[n].w.id == wAgain && p.t[n].w.c&cRecov != 0
}

// eversince reports whether the clause goes on with what has been so since the point: "was reverted at A and all tokens have been
// accepted since".
func (p *parser) eversince(pt *point, c *clause) bool {
	for j := pt.last + 2; j < c.hi; j++ {
		if p.t[j].w.id == wSince {
			return (j+1 >= len(p.t) || p.t[j+1].k != kWord) && p.hasWord(pt.last+1, j, wHas)
		}
	}
	return false
}

// stepDone reports whether what was completed at the point is a step of the provider's: "the rollback was completed at".
func (p *parser) stepDone(c *clause, pt *point) bool {
	for j := pt.first - 1; j > c.lo && j >= pt.first-5; j-- {
		if p.hasText(j, j+1, "completed", "finished", "complete") {
			return p.says(max(c.lo, j-4), j)&(cChange|cWork) != 0
		}
	}
	return false
}

// deployed reports whether the first thing said after the point is that a rollout was completed.
func (p *parser) deployed(pt *point, c *clause) bool {
	for j := pt.last + 1; j < min(c.hi, pt.last+8); j++ {
		if p.t[j].w.c&cBad != 0 {
			return false
		}
		if p.hasText(j, j+1, "completed", "finished") {
			return p.hasText(j-2, j, "deployment", "rollout", "deploy", "release") || p.hasText(j+1, j+4, "deployment", "rollout", "release", "upgrade", "migration")
		}
	}
	return false
}
