package when

import "slices"

// Parts of one text that go different ways: what still fails beside what has recovered, a short effect beside a long one, a change
// that did harm until it was taken back.

// stillIll builds the two spans of a text in which one thing has recovered and another, told with its onset, still fails.
func (p *parser) stillIll(on *mark, rec []mark) []Span {
	if sent := p.pts[on.pt].sent; !p.failsNow(sent) && !(p.separate(on.pt) && p.hasText(p.sents[sent].first, min(p.sents[sent].last, p.sents[sent].first+maxWords), "seeing", "investigating")) {
		return nil
	}
	last := &rec[len(rec)-1]
	if p.pts[last.pt].sent == p.pts[on.pt].sent || p.ofAll(last.pt) || last.in.unix < on.in.unix && !p.separate(on.pt) {
		return nil
	}
	a, b := p.open(nil, last), p.open(on, nil)
	a.own, b.own = true, true
	return []Span{a, b}
}

// oneStillIll builds the two spans of an onset that names two things, one of which recovered while the other, the text goes on, still
// fails: "calls and recordings fail since 10:00. Calls recovered at 11:05; recordings are still failing".
func (p *parser) oneStillIll(on, rec *mark) []Span {
	pt := &p.pts[rec.pt]
	s := &p.sents[pt.sent]
	if pt.sent == p.pts[on.pt].sent || rec.in.unix <= on.in.unix {
		return nil
	}
	ill := p.stillAt(pt.last+1, s.last)
	if ill < 0 && pt.sent+1 < len(p.sents) {
		ill = p.stillAt(p.sents[pt.sent+1].first, p.sents[pt.sent+1].last)
	}
	if ill < 1 {
		return nil
	}
	first := &p.sents[p.pts[on.pt].sent]
	well := p.subjects(rec.pt)
	if p.hasText(first.first, first.last, p.text(ill-1)) && p.t[ill-1].w.c == 0 && p.hasText(first.first, first.last, well...) && !slices.Contains(well, p.text(ill-1)) {
		a, b := p.open(on, nil), p.open(on, rec)
		a.own, b.own = true, true
		return []Span{a, b}
	}
	return nil
}

// stillAt returns the verb of being before "still" and trouble between two tokens, -1 where none stands there.
func (p *parser) stillAt(lo, hi int) int {
	for j := lo + 1; j < hi && j < lo+maxWords; j++ {
		if p.text(j) == "still" && isBe(p.text(j-1)) && p.pureBad(j+1, min(hi+1, j+5)) {
			return j - 1
		}
	}
	return -1
}

// failsNow reports whether a sentence says that something is in trouble at the time of the post: "are still failing".
func (p *parser) failsNow(sent int) bool {
	s := &p.sents[sent]
	for j := s.first + 1; j+1 <= s.last && j < s.first+maxWords; j++ {
		if p.text(j) == "still" && p.hasText(j-1, j, "is", "are", "re") || p.hasText(j, j+1, "continue", "continues") && p.t[j+1].w.id == wTo {
			return p.pureBad(j+1, min(s.last+1, j+5))
		}
	}
	return false
}

// bySubject pairs two onsets with two ends by the words for what they are of: "the front page went down at 07:02. Mail was late
// beginning at 07:40. By 08:31 the front page was back, and mail was no longer late as of 10:28".
func (p *parser) bySubject() []Span {
	var on, rec []*mark
	for i := range p.marks {
		m := &p.marks[i]
		if m.weight() < 2 || m.part || m.strength < 2 {
			continue
		}
		if m.role == roleOnset {
			on = append(on, m)
		} else {
			rec = append(rec, m)
		}
	}
	if len(on) != 2 || len(rec) != 2 || on[0].in.unix == on[1].in.unix || on[1].pt > rec[0].pt {
		return nil
	}
	a, b := p.subjects(on[0].pt), p.subjects(on[1].pt)
	x, y := p.subjects(rec[0].pt), p.subjects(rec[1].pt)
	if overlap(a, b) || overlap(x, y) {
		return nil
	}
	switch {
	case overlap(a, x) && overlap(b, y) && !overlap(a, y) && !overlap(b, x):
	case overlap(a, y) && overlap(b, x) && !overlap(a, x) && !overlap(b, y):
		rec[0], rec[1] = rec[1], rec[0]
	default:
		return nil
	}
	var out []Span
	for i := range on {
		p.afterOnset(on[i], rec[i])
		if rec[i].in.unix <= on[i].in.unix {
			return nil
		}
		s := p.open(on[i], rec[i])
		s.own = true
		out = append(out, s)
	}
	return out
}

// subjects lists the words of the clause of point k that no rule knows, and names like "EU", up to the next "and" behind the point.
func (p *parser) subjects(k int) []string {
	c, pt := p.clause(k), &p.pts[k]
	hi := p.next(pt.last+1, c.hi, wAnd)
	if !p.heads(&c, pt) && pt.last+1 < hi && p.t[pt.last+1].k == kPunct {
		hi = pt.last + 1 // what comes after the comma belongs to the next point
	}
	var out []string
	for j := c.lo; j < hi; j++ {
		if t := &p.t[j]; t.k == kWord && (t.w.c == 0 && t.w.id == wNone && (t.end-t.start > 3 || t.end-t.start == 2 && p.capital(t) && p.in.Text[t.end-1] < 'a') || p.inRegion(j)) {
			out = append(out, p.text(j))
		}
	}
	return out
}

// shortAndLong builds the two spans of an onset whose first effect has a length and whose second goes on until a time: "audio was
// poor for about 4 minutes. Recordings continued to fail until 06:52".
func (p *parser) shortAndLong(on *mark, rec []mark) []Span {
	if len(rec) != 1 || rec[0].in.unix <= on.in.unix {
		return nil
	}
	end := p.pts[rec[0].pt].sent
	if s := &p.sents[end]; !p.hasText(max(s.first, p.pts[rec[0].pt].first-maxClause), p.pts[rec[0].pt].first, "continued", "remained", "persisted") || s.c&cBad == 0 {
		return nil
	}
	for n := p.pts[on.pt].sent; n < end && n <= p.pts[on.pt].sent+1; n++ {
		for j := p.sents[n].first; j <= p.sents[n].last && j < p.sents[n].first+maxWords; j++ {
			if p.t[j].k != kDur || !p.isLength(j, true) || on.in.unix+int64(p.t[j].val) >= rec[0].in.unix {
				continue
			}
			short, long := p.open(on, nil), p.open(on, &rec[0])
			short.End, short.ApproxEnd, short.Closed, short.Ongoing = at(on.in.unix+int64(p.t[j].val)), true, true, false
			short.own, long.own = true, true
			return []Span{short, long}
		}
	}
	return nil
}

// inBetween builds the span between the two times of a sentence after which "in between" tells of trouble.
func (p *parser) inBetween() []Span {
	for n := 1; n < len(p.sents); n++ {
		s := &p.sents[n]
		if s.c&cBad == 0 || !p.betweenThem(s) {
			continue
		}
		k := p.firstPoint(int(p.t[p.sents[n-1].first].start))
		if k+1 >= len(p.pts) || p.pts[k].sent != n-1 || p.pts[k+1].sent != n-1 || k+2 < len(p.pts) && p.pts[k+2].sent == n-1 || p.pts[k].rng >= 0 {
			continue
		}
		a, b := p.at(k), p.at(k+1)
		if !p.pts[k].hasClock || !p.pts[k+1].hasClock || !a.ok || !b.ok || b.unix <= a.unix || b.unix > a.unix+day {
			continue
		}
		span := p.open(&mark{pt: k, in: a, approx: p.pts[k].approx}, &mark{pt: k + 1, in: b, approx: p.pts[k+1].approx})
		return []Span{span}
	}
	return nil
}

// betweenThem reports whether a sentence begins with "in between" or its like.
func (p *parser) betweenThem(s *sentence) bool {
	j := s.first
	for j < s.last && p.t[j].k != kWord {
		j++
	}
	switch p.text(j) {
	case "in":
		return p.hasText(j+1, j+3, "between", "meantime")
	case "between":
		return p.hasText(j+1, j+2, "these", "those", "the") && p.hasText(j+2, j+3, "times", "two")
	}
	return false
}

// takenBack returns the onset that a change is which a timeline tells first and takes back at the end, where before the change
// was found to be at fault nobody told of trouble: the trouble began with it.
func (p *parser) takenBack(on *mark, rec []mark) *mark {
	if !on.probe || on.sec != secTimeline || len(rec) == 0 {
		return nil
	}
	back := p.pts[rec[len(rec)-1].pt].last + 1
	if !p.hasText(back, p.lineEnd(back), "rolled", "reverted", "rollback", "revert") {
		return nil
	}
	for k := range min(on.pt, maxMarks) {
		pt := &p.pts[k]
		if !pt.hasClock || p.sents[pt.sent].section != secTimeline || !p.isEntry(k) {
			continue
		}
		if row := p.says(pt.last+1, p.lineEnd(pt.last+1)); row&(cBad|cRecov|cMonitor) != 0 || !p.hasText(pt.last+1, p.lineEnd(pt.last+1), "deployed", "released", "merged", "pushed", "applied", "upgraded", "shipped", "enabled", "changed") {
			return nil // the first row is no change
		}
		if in := p.at(k); in.ok && in.unix < on.in.unix {
			return &mark{pt: k, role: roleOnset, strength: 1, approx: pt.approx, in: in, sec: secTimeline}
		}
		return nil
	}
	return nil
}

// ownClause reports whether a clause with a subject and verb of its own stands between two points and belongs to the second: "A
// recovered at 09:03 and B recovered at".
func (p *parser) ownClause(a, b int) bool {
	if b != a+1 {
		return false
	}
	lo, hi := p.pts[a].last+1, p.pts[b].first
	for lo < hi && !(p.t[lo].k == kPunct && (p.t[lo].p == ';' || p.t[lo].p == ',')) && p.t[lo].w.id != wAnd {
		lo++
	}
	subject, verb := false, false
	for j := lo + 1; j < hi; j++ {
		t := &p.t[j]
		switch {
		case t.k != kWord || t.w.id == wBut || t.w.c&cTrue != 0 && (!subject || t.w.id != wFull) || t.w.c&cPart != 0 || t.w.id == wBackfill:
			return false
		case t.w.c&(cRecov|cWeakRec|cBad) != 0 && t.w.c&cEvent == 0:
			if !subject {
				return false
			}
			verb = true
		case t.w.c == 0 && t.w.id == wNone && t.end-t.start > 2:
			subject = true
		}
	}
	return verb
}

// separate reports whether the words before point k say that its trouble is another than that told before.
func (p *parser) separate(k int) bool {
	pt := &p.pts[k]
	return p.hasText(max(p.sents[pt.sent].first, pt.first-maxClause), pt.first, "separate", "separately", "different", "unrelated")
}
