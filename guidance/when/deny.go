package when

import "slices"

// What denies impact: that of nobody, of none, of what might have been, of others only.

// denials marks the sentences that deny impact and name no other trouble ("was replaced without any customer impact").
func (p *parser) denials() {
	for n := range p.sents {
		s := &p.sents[n]
		first := p.firstWord(s)
		switch p.text(first) {
		case "if", "had":
			if p.supposed(s, first) {
				s.spared, s.unreal = true, true
				continue
			}
		case "this", "it", "that", "these":
			if p.falseAlarm(s, first) {
				s.spared, s.unreal = true, true
				if n > 0 {
					p.sents[n-1].spared = true
				}
				continue
			}
		}
		if s.c&cBad == 0 {
			p.none = p.none || s.c&cNeg != 0 && p.deniesAll(s, min(s.last, s.first+maxWords))
			continue
		}
		if p.inTarget(s) {
			s.spared = true
			continue
		}
		if s.c&cNeg == 0 {
			continue
		}
		said, other := false, false
		hi := min(s.last, s.first+maxWords)
		for j := s.first; j <= hi; j++ {
			if p.t[j].w.c&cNeg != 0 {
				if e := p.deniedImpact(j, hi); e > 0 {
					said, j = true, e
					continue
				}
			}
			other = other || p.t[j].w.c&cBad != 0
		}
		s.spared = said && !other
		p.none = p.none || s.spared && p.deniesAll(s, hi)
	}
}

// deniesAll reports whether a sentence denies all impact, and not that on something or in some place: "there was no customer
// impact", "neither had any effect on users".
func (p *parser) deniesAll(s *sentence, hi int) bool {
	if p.unnoticed(s, hi) {
		return true
	}
	first := p.firstWord(s)
	if p.t[first].w.c&cNeg == 0 && !p.hasText(first, first+1, "there", "customers", "users", "our", "we", "it", "this", "nobody") {
		return false // "calls had no impact", "for other regions there was none"
	}
	for j := first; j <= hi; j++ {
		if p.t[j].w.c&cNeg == 0 {
			continue
		}
		e := p.deniedImpact(j, hi)
		if e == 0 {
			continue
		}
		w := p.text(e)
		if (w == "affected" || w == "impacted") && (e > first+4 || !p.hasText(first, e, "customer", "customers", "users", "user", "nobody")) {
			return false
		}
		switch n := e + 1; {
		case (w == "effect" || w == "effects") && !p.hasText(n, n+1, "on"):
			return false // of what was done: "we added workers; no effect"
		case n > hi, p.t[n].k != kWord, p.hasText(n, n+1, "whatsoever", "was", "has"), p.hasText(n, n+1, "at") && p.hasText(n+1, n+2, "any"):
			return true
		case p.hasText(n, n+1, "on", "to", "for"):
			for n++; n <= hi && p.hasText(n, n+1, "our", "any", "the", "of", "end"); n++ {
			}
			return p.hasText(n, n+1, "customers", "users", "customer", "clients") && (n == hi || p.t[n+1].k != kWord)
		}
		return false
	}
	return false
}

// unnoticed reports whether a sentence says that customers did not notice.
func (p *parser) unnoticed(s *sentence, hi int) bool {
	for j := s.first + 1; j < hi; j++ {
		if (p.t[j].w.c&cNeg != 0 || p.hasText(j, j+1, "nothing")) && p.hasText(j+1, j+3, "notice", "noticed", "noticing", "feel") {
			return p.hasText(max(s.first, j-3), min(hi+1, j+6), "customers", "users", "clients", "nobody")
		}
	}
	return false
}

// inTarget reports whether a sentence says that a figure is as it should be ("which is within our target").
func (p *parser) inTarget(s *sentence) bool {
	for j, hi := s.first, min(s.last, s.first+maxWords); j <= hi; j++ {
		if p.t[j].w.id == wWithin {
			return p.hasText(j+1, min(j+4, s.last+1), "target", "targets", "limits", "bounds", "slo", "sla", "expectations", "normal", "range")
		}
	}
	return false
}

// deniedImpact returns the token of the impact that the word of denial at token j is about, 0 where it is about something
// else or only about more of it ("no further impact").
func (p *parser) deniedImpact(j, hi int) int {
	for n := j + 1; n <= hi && n <= j+4; n++ {
		switch w := p.text(n); w {
		case "impact", "impacts", "impacted", "impacting", "affected", "interruption", "interruptions", "disruption", "disruptions", "downtime", "outage", "effect", "effects":
			return n
		case "any", "a", "customer", "customers", "user", "users", "client", "service", "data", "production", "noticeable", "visible", "end-user", "been", "on", "of", "was", "were", "change", "changes", "had", "them", "these", "those":
		default:
			if n == j+1 && p.t[n].w.c == 0 && p.t[n].k == kWord && p.capital(&p.t[n]) {
				continue // "no Northwind customers were affected"
			}
			return 0
		}
	}
	return 0
}

// supposed reports whether a sentence, whose first word is an "if" or "had" at token j, tells what would have been: "if the second
// node had failed at 14:00, logins would have …".
func (p *parser) supposed(s *sentence, j int) bool {
	hi := min(s.last, s.first+maxWords)
	if !p.hasText(j+1, hi, "would", "could") {
		return false
	}
	for n := j + 1; n+1 < hi; n++ {
		if p.hasText(n, n+1, "would", "could") && p.t[n+1].w.id == wHas {
			return true
		}
	}
	return false
}

// falseAlarm reports whether a sentence, whose first word is a "this" or its like at token j, says that what the one before it told
// was none: "This was a false alarm".
func (p *parser) falseAlarm(s *sentence, j int) bool {
	if j+1 >= len(p.t) || p.t[j+1].w.id != wWas && p.t[j+1].w.id != wWere {
		return false
	}
	for n := j + 2; n < min(s.last, j+6); n++ {
		if p.hasText(n, n+1, "false") {
			return p.hasText(n+1, n+2, "alarm", "alarms", "alert", "alerts", "positive", "positives")
		}
	}
	return false
}

// sparesOurs reports whether some sentence says that what is ours was not hit.
func (p *parser) sparesOurs() bool {
	return slices.ContainsFunc(p.sents, func(s sentence) bool { return !s.unreal && p.sparesUs(&s, p.firstWord(&s)) })
}

// sparesUs reports whether a sentence, whose first word is at token j, says that what is ours was not hit: "our own services use
// another supplier and were not affected".
func (p *parser) sparesUs(s *sentence, j int) bool {
	hi := min(s.last, s.first+maxWords)
	if !p.hasText(j, j+3, "our", "we") {
		return false
	}
	for n := j; n <= hi && s.c&cNeg != 0; n++ {
		if p.t[n].w.c&cNeg != 0 && (p.deniedImpact(n, hi) > 0 || p.hasText(n+1, n+2, "use", "used", "run", "rely", "depend")) {
			return true
		}
	}
	return p.hasText(j, hi+1, "unaffected", "usual")
}

// hearsay reports whether a sentence tells what somebody else has reported.
func (p *parser) hearsay(sent int) bool {
	s := &p.sents[sent]
	for j := s.first; j+1 < s.last && j < s.first+maxWords; j++ {
		if p.t[j].w.id == wHas && p.hasText(j+1, j+2, "reported", "announced") {
			return !p.hasText(s.first, j, "customers", "users", "we") || p.hasText(s.first, j, "aware")
		}
	}
	return false
}

// firstWord returns the first token of a sentence that is a word, else the last that is looked at.
func (p *parser) firstWord(s *sentence) int {
	j, hi := s.first, min(s.last, s.first+maxWords)
	for j < hi && p.t[j].k != kWord {
		j++
	}
	p.looks += j - s.first
	return j
}
