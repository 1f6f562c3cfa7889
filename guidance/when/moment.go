package when

import "slices"

// moments reads a list of dated moments with a common length ("less than 5 minutes", then one moment an item).
func (p *parser) moments() []Span {
	if out := p.withLengths(); len(out) > 1 {
		return out
	}
	var length int64
	each := false // the length is said to be that of each: the moments need no dates
	for j := 0; j < len(p.t) && p.kinds.has(kDur); j++ {
		if t := &p.t[j]; t.k == kDur && t.val <= 3600 && p.shortEach(j) {
			length = int64(t.val)
			each = j+1 < len(p.t) && p.t[j+1].w.id == wEvery || p.hasWord(max(0, j-4), j, wEvery) || p.eachTime(int(p.of[j]))
			break
		}
	}
	if length == 0 {
		return nil
	}
	var best, run []int
	for k := range p.pts {
		pt := &p.pts[k]
		if !pt.hasClock || !pt.hasDate && (!each || len(run) == 0 && p.sents[pt.sent].c&cBad == 0 && !p.eachTime(pt.sent+1)) || pt.rng >= 0 {
			continue
		}
		if len(run) > 0 && !p.listed(run[len(run)-1], k) {
			run = run[:0:0]
		}
		if run = append(run, k); len(run) > len(best) {
			best = run
		}
	}
	var out []Span
	for _, k := range best {
		if in := p.at(k); in.ok {
			out = append(out, p.moment(k, in, length))
		}
	}
	return out
}

// withLengths reads a list of moments each with its own length in brackets: "5 May at 16:20 UTC (4 minutes), 6 May at 07:45 UTC (6
// minutes)".
func (p *parser) withLengths() []Span {
	var out []Span
	for k := range p.pts {
		pt := &p.pts[k]
		n := pt.last + 1
		if !pt.hasClock || pt.rng >= 0 || n+2 >= len(p.t) || p.t[n].k != kPunct || p.t[n].p != '(' {
			continue
		}
		for n++; n < len(p.t) && p.t[n].k == kWord && p.t[n].w.c&cApprox != 0; n++ {
		}
		if n+1 >= len(p.t) || p.t[n].k != kDur || p.t[n+1].k != kPunct || p.t[n+1].p != ')' || p.sents[pt.sent].c&(cBad|cSeen) == 0 {
			continue
		}
		if in := p.at(k); in.ok {
			out = append(out, p.moment(k, in, int64(p.t[n].val)))
		}
	}
	return out
}

// moment builds the span of a length that begins at point k.
func (p *parser) moment(k int, in instant, length int64) Span {
	pt := &p.pts[k]
	return Span{
		Start: at(in.unix), End: at(in.unix + length), ApproxStart: pt.approx, ApproxEnd: true,
		From: int(pt.start), To: int(pt.end), sent: pt.sent, pt: k, Closed: true,
	}
}

// eachTime reports whether a sentence tells what was so "each time".
func (p *parser) eachTime(sent int) bool {
	if sent >= len(p.sents) {
		return false
	}
	s := &p.sents[sent]
	for j := s.first; j < s.last && j < s.first+maxWords; j++ {
		if p.t[j].w.id == wEvery && p.t[j+1].w.id == wTime {
			return true
		}
	}
	return false
}

// listed reports whether only marks of a list stand between two points.
func (p *parser) listed(a, b int) bool {
	if b != a+1 {
		return false
	}
	for j := p.pts[a].last + 1; j < p.pts[b].first; j++ {
		t := &p.t[j]
		if !(t.k == kItem || t.k == kPara || t.k == kStop || t.k == kPunct && (t.p == '-' || t.p == ',' || t.p == ';') || t.k == kWord && (t.w.id == wAnd || t.w.id == wAt)) {
			return false
		}
	}
	return true
}

// instants reads a moment without a length that stands alone ("sessions that ended around 09:57").
func (p *parser) instants() []Span {
	for i := range p.marks {
		if m := &p.marks[i]; m.role == roleInstant {
			pt := &p.pts[m.pt]
			return []Span{{Start: at(m.in.unix), End: at(m.in.unix), ApproxStart: true, ApproxEnd: true, From: int(pt.start), To: int(pt.end), sent: pt.sent, Closed: true}}
		}
	}
	return nil
}

// bareDay reads the one day, or the two days with "and" between them, of a text without any time of day, where a sentence says that
// something was in trouble then: "entries were delayed on 7 May by up to 40 minutes".
func (p *parser) bareDay() []Span {
	if p.in.Maintenance || slices.ContainsFunc(p.pts, func(pt point) bool { return pt.hasClock }) {
		return nil
	}
	var out []Span
	for k := 0; k < len(p.pts); k++ {
		in := p.at(k)
		if !p.illDay(k, in) {
			continue
		}
		length, last := int64(day), k
		if next := k + 1; next < len(p.pts) && p.listed(k, next) && p.at(next).unix == in.unix+day {
			length, k = 2*day, next
		}
		span := p.moment(last, in, length)
		span.To, span.ApproxStart, span.ByDay = int(p.pts[k].end), true, true
		out = append(out, span)
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// recentDays is how many days before the post a bare day may lie.
const recentDays = 14

// illDay reports whether point k is a day of late on which, its sentence says, something was in trouble.
func (p *parser) illDay(k int, in instant) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	post, posted := p.posted()
	if !posted || !in.ok || in.unix > post || post-in.unix > recentDays*day || pt.rng >= 0 || pt.date.isRel || pt.date.isWeek || pt.date.dayOnly || pt.first == 0 {
		return false
	}
	if s.c&cUpdate != 0 || s.spared || !p.hasText(pt.first-1, pt.first, "on", "for", "of") || p.hasText(s.first, min(s.last+1, s.first+maxWords), "received", "noticed", "detected", "observed", "seen", "reports", "will", "expect", "expected", "scheduled", "planned") {
		return false
	}
	c := p.clause(k)
	head := p.heads(&c, pt)
	lo, hi := c.side(pt, head)
	return p.pureBad(lo, hi) && !c.negBad && p.says(lo, hi)&(cRecov|cWeakRec|cOnset) == 0 && !p.remedy(&c, pt, head) && !p.released(lo, hi)
}

// shortEach reports whether the length at j is that of each moment in a list ("under 5 minutes").
func (p *parser) shortEach(j int) bool {
	for n := j - 1; n >= 0 && n >= j-3; n-- {
		if id := p.t[n].w.id; id == wUnder || id == wLess || id == wLasted {
			return true
		}
	}
	return j+1 < len(p.t) && p.t[j+1].w.id == wEvery || p.eachTime(int(p.of[j]))
}
