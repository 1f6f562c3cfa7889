package when

import "time"

// withMarks lets lone bounds complete stated ranges: a later return to normal widens the last one, an onset of other
// impact opens a further span.
func (p *parser) withMarks(spans []Span) []Span {
	for _, m := range p.marks {
		if m.sec == secTimeline || m.sec == secRoot || m.sec == secFix {
			continue
		}
		if m.role == roleRecovery && m.strength >= 3 && !m.part {
			spans = p.widen(spans, m)
		}
		if m.role == roleOnset && m.strength >= 2 {
			p.advance(spans, m)
		}
	}
	return p.strangers(spans)
}

// advance moves the start of the span of a sentence to an onset that the same sentence tells before it: what lies between is a
// phase ("degraded from 10:00, with no builds starting between 10:20 and 10:35").
func (p *parser) advance(spans []Span, m mark) {
	pt := &p.pts[m.pt]
	for i := range spans {
		w := &spans[i]
		if w.sent != pt.sent || w.From < int(pt.end) || w.ByDay || m.in.unix >= w.Start.Unix() || w.Start.Unix()-m.in.unix > 12*3600 || p.other(*w) {
			continue
		}
		w.Other = append(w.Other, Reading{w.Start, w.End, true})
		w.Start, w.ApproxStart = at(m.in.unix), m.approx
		w.StartFrom, w.StartTo, w.onset = int(pt.start), int(pt.end), pt.sent
		return
	}
}

// widen moves the end of the last span to a later statement of recovery that follows it in the text; that of another place makes
// a span of its own.
func (p *parser) widen(spans []Span, m mark) []Span {
	pt := &p.pts[m.pt]
	last := -1
	for i := range spans {
		if spans[i].From < int(pt.start) && !spans[i].ByDay && (last < 0 || !spans[i].End.Before(spans[last].End)) {
			last = i
		}
	}
	if last < 0 || m.in.guessed && !spans[last].Guessed {
		return spans
	}
	w := &spans[last]
	if !pt.hasDate && m.in.unix < w.Start.Unix() && m.in.unix+day-w.End.Unix() < 12*3600 {
		m.in.unix += day
	}
	d := m.in.unix - w.End.Unix()
	if d <= 60 || d > 12*3600 {
		return spans
	}
	if on := p.onsetSince(w, &m); on != nil {
		s := p.open(on, &m)
		s.own = true
		return append(spans, s)
	}
	end := p.open(nil, &m)
	if here, there := p.regionsOf(w), p.regionsOf(&end); pt.sent == w.sent && len(here) > 0 && len(there) > 0 && !overlap(here, there) {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end)
	}
	if pt.sent != w.sent && p.hasText(p.sents[pt.sent].first, pt.first, "longer") && !p.hasText(p.sents[pt.sent].first, pt.first, "no") {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end) // another product, which "lagged a little longer"
	}
	if pt.sent == w.sent && p.andUntil(w, &m) {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end) // "an outage from A to B, and delayed jobs until C"
	}
	if c := p.clause(m.pt); pt.sent != w.sent && (c.prep == wUntil && c.l&cBad != 0 || p.wereIll(pt) && !p.sameSubject(w.sent, pt.sent)) {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end) // "previews were unavailable until"
	}
	w.Other = append(w.Other, Reading{w.Start, w.End, true})
	w.End = at(m.in.unix)
	w.ApproxEnd = m.approx
	return spans
}

// onsetSince returns the last onset that the text tells between a span and a mark, where it lies between them in time too: the mark
// ends that.
func (p *parser) onsetSince(w *Span, m *mark) *mark {
	for i := len(p.marks) - 1; i >= 0; i-- {
		on := &p.marks[i]
		if on.pt >= m.pt || on.role != roleOnset || on.strength < 2 || on.weight() < 2 {
			continue
		}
		if int(p.pts[on.pt].start) < w.To {
			break
		}
		if on.in.unix > w.End.Unix()+60 && on.in.unix < m.in.unix {
			return on
		}
	}
	return nil
}

// andUntil reports whether "and", trouble of its own and "until" stand between a span and a mark of its sentence.
func (p *parser) andUntil(w *Span, m *mark) bool {
	c := p.clause(m.pt)
	if c.prep != wUntil || p.pts[w.pt].rng < 0 || c.lo <= p.pts[p.rngs[p.pts[w.pt].rng].b].last {
		return false
	}
	and := p.next(c.lo, c.prepAt, wAnd)
	return and < c.lo+3 && p.pureBad(and, c.prepAt)
}

// wereIll reports whether the words before the point say that something was in trouble: "traces were delayed, and caught up at".
func (p *parser) wereIll(pt *point) bool {
	for j := max(p.sents[pt.sent].first, pt.first-maxClause); j+1 < pt.first; j++ {
		if id := p.t[j].w.id; (id == wWas || id == wWere) && p.pureBad(j+1, min(j+3, pt.first)) {
			return true
		}
	}
	return false
}

// strangers adds spans for lone bounds of impact that no stated range covers.
func (p *parser) strangers(spans []Span) []Span {
	lo, hi := spans[0].Start, spans[0].End
	for _, s := range spans {
		if s.Start.Before(lo) {
			lo = s.Start
		}
		if s.End.After(hi) {
			hi = s.End
		}
	}
	if s, ok := p.pairBeside(spans); ok {
		spans = append(spans, s)
	}
	for i, m := range p.marks {
		if m.role == roleOnset && m.in.unix > hi.Unix()+120 && m.in.unix < hi.Unix()+day && p.secondWave(m.pt) && p.lengthAfter(m.pt) > 0 {
			s := p.open(&m, nil)
			s.End, s.ApproxEnd, s.Closed, s.Ongoing, s.own = at(m.in.unix+p.lengthAfter(m.pt)), true, true, false, true
			spans = append(spans, s)
			continue
		}
		if m.role == roleOnset && m.strength >= 2 && p.separate(m.pt) {
			s := p.open(&m, nil)
			s.own = true
			spans = append(spans, s)
			continue
		}
		if m.role == roleOnset && m.in.unix > hi.Unix()+120 && p.recursAt(m.pt) && p.pts[m.pt].start > int32(spans[0].From) {
			spans = append(spans, p.again(i))
			break
		}
		if m.sec == secTimeline || m.sec == secRoot || m.sec == secFix || m.strength < 3 || m.part {
			continue
		}
		// a recovery of its own, stated before any range, with a later end
		if m.role == roleRecovery && m.in.unix > hi.Unix()+120 && m.in.unix < hi.Unix()+12*3600 && p.pts[m.pt].end <= int32(spans[0].From) && p.pts[m.pt].sent != spans[0].sent && !m.in.guessed == !spans[0].Guessed {
			if !p.other(spans[0]) {
				continue
			}
			spans = append(spans, p.open(nil, &m))
		}
	}
	return spans
}

// secondWave reports whether the words before point k speak of further trouble of the same kind.
func (p *parser) secondWave(k int) bool {
	return p.hasText(p.sents[p.pts[k].sent].first, p.pts[k].first, "second", "another", "similar", "again", "third", "further", "well", "also")
}

// again builds the span of trouble that began anew at mark i, up to the recovery told after it.
func (p *parser) again(i int) Span {
	for n := i + 1; n < len(p.marks); n++ {
		if m := p.marks[n]; m.role == roleRecovery && !m.part && m.in.unix > p.marks[i].in.unix {
			return p.open(&p.marks[i], &m)
		}
	}
	return p.open(&p.marks[i], nil)
}

// pairBeside finds an onset and, in the next sentence, an "until" that no range states.
func (p *parser) pairBeside(spans []Span) (Span, bool) {
	for i := 0; i+1 < len(p.marks); i++ {
		n := i + 1
		for n+1 < len(p.marks) && n < i+3 && p.marks[n].role == roleRecovery && p.marks[n].strength < 3 {
			n++
		}
		on, rec := p.marks[i], p.marks[n]
		if on.role != roleOnset || rec.role != roleRecovery || on.strength < 2 || rec.strength < 3 || on.weight() < 2 || rec.weight() < 2 || on.part || rec.part {
			continue
		}
		d := p.pts[rec.pt].sent - p.pts[on.pt].sent
		if d < 0 || d > 4 || p.pts[rec.pt].end > int32(spans[0].From) {
			continue
		}
		p.afterOnset(&on, &rec)
		s := p.open(&on, &rec)
		// sentences may lie between the two where the pair is on a day of its own
		if s.End.After(s.Start) && (d <= 1 || spans[0].Start.Sub(s.End) > 6*time.Hour && p.pts[on.pt].hasDate) {
			return s, true
		}
	}
	return Span{}, false
}

// other reports whether a span speaks of further impact ("also", "as a note").
func (p *parser) other(s Span) bool {
	for j := p.sents[s.sent].first; j <= p.sents[s.sent].last && j < p.sents[s.sent].first+maxWords; j++ {
		switch p.text(j) {
		case "also", "additionally", "addition", "separately", "note":
			return true
		}
	}
	return false
}
