package when

// minLines is how many lines must begin with a time to make a timeline of them.
const minLines = 3

// lines finds the timelines that have no heading: three or more lines that begin with a time.
func (p *parser) lines() {
	var found []int
	for k := range p.pts {
		if pt := &p.pts[k]; pt.hasClock && p.opensLine(pt) {
			found = append(found, pt.sent)
		}
	}
	if len(found) < minLines {
		return
	}
	for _, n := range found {
		s := &p.sents[n]
		s.entry = true
		if s.section == secNone {
			s.section = secTimeline
		}
	}
}

// opensLine reports whether a point is the first thing of its line, and words follow it.
func (p *parser) opensLine(pt *point) bool {
	j := pt.first - 1
	for n := 0; j >= 0 && n < 2 && p.t[j].k == kPunct && p.t[j].p != ':'; n++ {
		j--
	}
	if j >= 0 && p.t[j].k != kPara && p.t[j].k != kItem {
		return false
	}
	n := pt.last + 1
	for n < len(p.t) && p.t[n].k == kPunct && n < pt.last+4 {
		if p.t[n].p == '-' && n+1 < len(p.t) && p.t[n+1].k == kClock {
			return false // a range
		}
		n++
	}
	return n < len(p.t) && p.t[n].k != kPara && p.t[n].k != kStop && p.t[n].k != kClock && p.t[n].k != kDate
}

// lineEnd returns the token after the last of the line that holds token j.
func (p *parser) lineEnd(j int) int {
	hi := min(len(p.t), j+maxClause)
	for ; j < hi; j++ {
		if k := p.t[j].k; k == kPara || k == kItem {
			break
		}
	}
	return j
}

// denials marks the sentences that deny impact and name no other trouble ("was replaced without any customer impact").
func (p *parser) denials() {
	for n := range p.sents {
		s := &p.sents[n]
		if s.c&cNeg == 0 || s.c&cBad == 0 {
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
	}
}

// deniedImpact returns the token of the impact that the word of denial at token j is about, 0 where it is about something
// else or only about more of it ("no further impact").
func (p *parser) deniedImpact(j, hi int) int {
	for n := j + 1; n <= hi && n <= j+4; n++ {
		switch w := p.text(n); w {
		case "impact", "impacts", "impacted", "affected", "interruption", "interruptions", "disruption", "disruptions", "downtime", "outage":
			return n
		case "any", "a", "customer", "customers", "user", "users", "client", "service", "data", "production", "noticeable", "visible", "end-user", "been", "on", "of":
		default:
			return 0
		}
	}
	return 0
}
