package when

import "slices"

// fromMarks builds spans from lone onsets and recoveries where no range is stated.
func (p *parser) fromMarks() []Span {
	if span := p.inBetween(); span != nil {
		return span
	}
	on, rec := p.bestOnset(), p.recoveries()
	switch {
	case on == nil && len(rec) > 0:
		on = p.onsetBefore(&rec[0])
	case on != nil && len(rec) == 0:
		if rec = p.untilThen(on); rec == nil {
			rec = p.endAfter(on)
		}
	}
	if on != nil && on.needsEnd && len(rec) == 0 {
		if _, _, ok := p.lengthOf(on, rec); !ok {
			on = nil
		}
	}
	if on == nil {
		// an end that is only expected bounds nothing by itself
		rec = slices.DeleteFunc(rec, func(m mark) bool { return p.expected(m.pt) })
		if len(rec) == 0 {
			return nil
		}
		return p.endsOnly(rec)
	}
	if many := p.waysApart(on, rec); many != nil {
		return many
	}
	if change := p.takenBack(on, rec); change != nil {
		on = change
	}
	if many := p.alternating(); len(many) > 1 {
		return many
	}
	if many := p.waves(on, rec); len(many) > 1 {
		return many
	}
	if many := p.ownLengths(); len(many) > 1 {
		return many
	}
	if end, approx, ok := p.lengthOf(on, rec); ok {
		s := p.open(on, nil)
		s.End, s.ApproxEnd, s.Closed, s.Ongoing = at(on.in.unix+end), approx, true, false
		return []Span{s}
	}
	var out []Span
	for i := range rec {
		m := &rec[i]
		if m.pt < on.pt && m.in.unix < on.in.unix && (len(rec) > 1 || p.datedBefore(m.pt) && m.in.unix+day-on.in.unix > day/2) {
			continue // of what was before
		}
		p.afterOnset(on, m)
		if m.in.unix < on.in.unix-60 {
			continue
		}
		m.in.unix = max(m.in.unix, on.in.unix) // the same minute, told with seconds and without
		out = append(out, p.open(on, m))
	}
	if len(out) == 0 {
		if len(rec) > 0 && on.strength < 2 {
			return p.endsOnly(rec) // what was told after the end is no new onset
		}
		return []Span{p.open(on, nil)}
	}
	return p.ends(out)
}

// expected reports whether the words before point k say that the end of planned work is expected there.
func (p *parser) expected(k int) bool {
	c := p.clause(k)
	return (p.in.Maintenance || c.s&cMaint != 0) && p.hasText(c.lo, p.pts[k].first, "expected", "expect", "planned", "scheduled")
}

// waysApart builds the spans of a text whose parts go different ways; nil where it tells of one.
func (p *parser) waysApart(on *mark, rec []mark) []Span {
	if len(rec) > 0 {
		if many := p.stillIll(on, rec); many != nil {
			return many
		}
		if many := p.oneStillIll(on, &rec[len(rec)-1]); many != nil {
			return many
		}
	}
	if many := p.bySubject(); many != nil {
		return many
	}
	if many := p.namedRows(); many != nil {
		return many
	}
	return p.shortAndLong(on, rec)
}

// datedBefore reports whether the text names a day before point k.
func (p *parser) datedBefore(k int) bool {
	return slices.ContainsFunc(p.pts[:k], func(pt point) bool { return pt.hasDate })
}

// onsetBefore takes for the onset of a recovery the first time told before it that nothing else explains: neither what the
// provider did nor what is to come. Where an onset is stated in words this is not asked.
func (p *parser) onsetBefore(rec *mark) *mark {
	for k := 0; k < rec.pt; k++ {
		if !p.unexplained(k) && !p.dayOfTrouble(k, rec) || p.pts[rec.pt].sent-p.pts[k].sent > 3 {
			continue
		}
		c := p.clause(k)
		if c.l&(cFuture|cRecov|cWeakRec|cMonitor|cWait) != 0 || c.prep == wUntil || c.prep == wBy || (c.l|c.r)&cWork != 0 && !c.pure && !p.thenIll(k) {
			continue
		}
		m := mark{pt: k, role: roleOnset, strength: 1, approx: p.pts[k].approx, in: p.at(k), sec: p.sents[p.pts[k].sent].section}
		if !m.in.ok || m.in.unix >= rec.in.unix && p.pts[rec.pt].hasDate {
			continue
		}
		return &m
	}
	return nil
}

// thenIll reports whether the sentence after that of point k tells of trouble and of no time: that of a change begins with it.
func (p *parser) thenIll(k int) bool {
	n := p.pts[k].sent + 1
	if n >= len(p.sents) || k+1 < len(p.pts) && p.pts[k+1].sent <= n || p.sents[n].c&(cRecov|cWeakRec|cFuture) != 0 {
		return false
	}
	return p.pureBad(p.sents[n].first, min(p.sents[n].last+1, p.sents[n].first+maxWords))
}

// untilThen takes for the end of an onset the time told last before it, where the text goes on with "until then", "to that time" or
// "and the rollback".
func (p *parser) untilThen(on *mark) []mark {
	pt := &p.pts[on.pt]
	n := pt.last + 1
	if n+1 >= len(p.t) || on.pt == 0 || !p.andTheStep(pt) && !(p.t[n].w.c&cRange != 0 && p.hasText(n+1, n+2, "then", "that")) {
		return nil
	}
	k := on.pt - 1
	in := p.at(k)
	if !p.pts[k].hasClock || !in.ok || in.unix < on.in.unix {
		return nil
	}
	return []mark{{pt: k, role: roleRecovery, strength: 2, approx: p.pts[k].approx, in: in, sec: p.sents[p.pts[k].sent].section}}
}

// endAfter takes for the end of an onset the only time told after it that nothing else explains, where the text says that the
// trouble is over.
func (p *parser) endAfter(on *mark) []mark {
	over := false
	for i := range p.sents {
		c := p.sents[i].c
		over = over || c&(cRecov|cWeakRec) != 0 && c&cFuture == 0 && c&cPart == 0
	}
	if !over || p.in.Maintenance {
		return nil
	}
	var out []mark
	for k := range p.pts {
		if k == on.pt || !p.unexplained(k) {
			continue
		}
		c := p.clause(k)
		if (c.l|c.r)&(cRecov|cWeakRec) == 0 || c.l&(cFuture|cMonitor|cPart) != 0 || c.r&cPart != 0 {
			continue
		}
		m := mark{pt: k, role: roleRecovery, strength: 1, approx: p.pts[k].approx, in: p.at(k), sec: p.sents[p.pts[k].sent].section}
		if m.in.ok {
			out = append(out, m)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// dayOfTrouble reports whether point k is the day at the head of a sentence that tells of trouble, where the end is a day too.
func (p *parser) dayOfTrouble(k int, rec *mark) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	return !p.pts[rec.pt].hasClock && pt.hasDate && !pt.hasClock && pt.rng < 0 && pt.first-s.first <= 2 && p.pureBad(pt.last+1, min(s.last+1, pt.last+maxClause))
}

// unexplained reports whether point k is a time in prose that has no role and stands in no range.
func (p *parser) unexplained(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	if !pt.hasClock || pt.rng >= 0 || pt.weak || s.spared || s.section == secFix || s.c&cPeak != 0 || s.c&(cUpdate|cFuture) == cUpdate|cFuture {
		return false
	}
	return !slices.ContainsFunc(p.marks, func(m mark) bool { return m.pt == k })
}

// endsOnly builds spans from recoveries without an onset: the last stated, and those of other places.
func (p *parser) endsOnly(rec []mark) []Span {
	last := p.open(nil, &rec[len(rec)-1])
	if n := p.lengthTo(&rec[0]); n > 0 && len(rec) == 1 {
		last.Start, last.ApproxStart = at(rec[0].in.unix-n), true
	}
	out := []Span{last}
	here := p.regionsOf(&last)
	for i := range rec[:len(rec)-1] {
		s := p.open(nil, &rec[i])
		if there := p.regionsOf(&s); len(here) > 0 && len(there) > 0 && !overlap(here, there) {
			out = append(out, s)
		}
	}
	return out
}

// weight grades a bound by its section: one of the timeline counts only where the rest of the text gives none.
func (m *mark) weight() int {
	switch m.sec {
	case secTimeline:
		return 1
	case secRoot, secFix:
		return 0
	}
	return 2
}

// bestOnset picks the strongest onset, the earliest of equals.
func (p *parser) bestOnset() *mark {
	var best *mark
	for i := range p.marks {
		m := &p.marks[i]
		if m.role != roleOnset {
			continue
		}
		if best == nil || rankOnset(m) > rankOnset(best) || rankOnset(m) == rankOnset(best) && m.in.unix < best.in.unix {
			best = m
		}
	}
	if best == nil || p.pts[best.pt].hasClock {
		return best
	}
	for i := range p.marks {
		// the same day again, with a time
		if m := &p.marks[i]; m.role == roleOnset && p.pts[m.pt].hasClock && (m.in.unix >= best.in.unix && m.in.unix < best.in.unix+day || m.strength >= 3) {
			return m
		}
	}
	return best
}

func rankOnset(m *mark) int {
	strength := m.strength
	if m.sec == secTimeline && !m.probe && !m.needsEnd {
		strength = max(strength, 2) // of a timeline the first row that tells of trouble
	}
	r := m.weight()*10 + strength*2
	if m.probe {
		r--
	}
	return r
}

// recoveries returns the recoveries that count: the strongest sort stated, whole ones before partial ones, in text order; and beside
// them the ends of trouble named with them ("the API errors were mitigated by 10:58 … full service was restored at 16:55").
func (p *parser) recoveries() []mark {
	best := -1
	for i := range p.marks {
		if m := &p.marks[i]; m.role == roleRecovery {
			best = max(best, rankRecovery(m))
		}
	}
	var out []mark
	for i := range p.marks {
		m := p.marks[i]
		if m.role != roleRecovery {
			continue
		}
		part := best == rankStated && rankRecovery(&m) == best-1 && p.named(m.pt)
		if rankRecovery(&m) == best || part {
			out = append(out, m)
		}
	}
	return out
}

// named reports whether the clause of point k names the trouble that ended.
func (p *parser) named(k int) bool {
	c := p.clause(k)
	if pt := &p.pts[k]; p.heads(&c, pt) {
		return p.pureBad(pt.last+1, c.hi) && c.r&cWork == 0
	}
	return c.pureL && c.l&cWork == 0
}

// rankStated is the rank of a recovery of the whole that prose states of the impact itself.
const rankStated = 2*8 + 4 + 3

func rankRecovery(m *mark) int {
	r := m.weight() * 8
	if !m.part {
		r += 4
	}
	return r + m.strength
}

// afterOnset moves a recovery without a date of its own behind the onset.
func (p *parser) afterOnset(on, rec *mark) {
	pt := &p.pts[rec.pt]
	if pt.hasDate || rec.in.unix >= on.in.unix-60 {
		// a guessed end days after the onset belongs to the onset's day
		if !pt.hasDate && rec.in.guessed && !on.in.guessed {
			for rec.in.unix-day >= on.in.unix {
				rec.in.unix -= day
			}
		}
		return
	}
	if on.in.guessed && rec.in.guessed {
		on.in.unix -= day
		return
	}
	rec.in.unix += day
}

// alternating builds spans from onsets and ends of impact that take turns ("Start … End …" for each of several products).
func (p *parser) alternating() []Span {
	var out []Span
	var on *mark
	recurs := slices.ContainsFunc(p.marks, func(m mark) bool { return m.role == roleOnset && (p.recursAt(m.pt) || p.troubleAgain(m.pt)) })
	p.laterOnset()
	for i := range p.marks {
		m := &p.marks[i]
		closes := on != nil && m.role == roleRecovery && m.sec == secFix && m.strength >= 3
		if m.weight() < 2 && !closes || m.part || m.strength < 3 && !(m.strength == 2 && (recurs || m.role == roleOnset && on == nil)) {
			continue
		}
		switch {
		case m.role == roleOnset && on == nil:
			on = m
		case m.role == roleRecovery && on != nil:
			p.afterOnset(on, m)
			if m.in.unix < on.in.unix {
				return nil
			}
			s := p.open(on, m)
			s.own = true
			out, on = append(out, s), nil
		default:
			return nil
		}
	}
	if n := len(out); n > 0 && on != nil && on.in.unix > out[n-1].End.Unix() {
		out = append(out, p.open(on, nil))
	}
	return out
}

// waves builds the spans of a timeline whose rows tell of trouble, of its end, and then of further trouble ("same symptoms
// again", "a separate spike").
func (p *parser) waves(first *mark, rec []mark) []Span {
	if first.sec != secTimeline {
		return nil
	}
	var out []Span
	on, end := first, (*mark)(nil)
	for i := range p.marks {
		m := &p.marks[i]
		if m.sec != secTimeline || m.part || m.in.unix < on.in.unix {
			continue
		}
		switch {
		case m.role == roleRecovery && (end == nil || m.strength >= end.strength):
			end = m
		case m.role == roleOnset && end != nil && m.in.unix > end.in.unix && p.anew(m.pt):
			s := p.open(on, end)
			s.own = true
			out, on, end = append(out, s), m, nil
		}
	}
	if len(out) == 0 {
		return nil
	}
	s := p.open(on, end)
	s.own = true
	return append(out, s)
}

// anew reports whether the row of point k says that its trouble is further trouble.
func (p *parser) anew(k int) bool {
	pt := &p.pts[k]
	hi := p.lineEnd(pt.last + 1)
	for j := pt.last + 1; j < hi; j++ {
		switch p.text(j) {
		case "again", "return", "returns", "re-triggered", "retriggered":
			return true
		case "second", "third", "separate", "another", "same", "similar":
			if p.hasText(j+1, j+3, "wave", "spike", "surge", "outage", "incident", "disruption", "round", "peak", "drop", "dip", "symptoms", "problem", "issue", "errors") {
				return true
			}
		}
	}
	return p.hasWord(pt.last+1, hi, wRecurs)
}

// ownLengths builds spans from several onsets that each have a length in their sentence.
func (p *parser) ownLengths() []Span {
	var out []Span
	for i := range p.marks {
		m := &p.marks[i]
		if m.role != roleOnset || m.weight() < 2 {
			continue
		}
		if n := p.lengthAfter(m.pt); n > 0 {
			w := p.open(m, nil)
			w.End, w.ApproxEnd, w.Closed, w.Ongoing = at(m.in.unix+n), true, true, false
			out = append(out, w)
		}
	}
	return out
}

// ends keeps of several ends of one onset the last, and those that speak of something else.
func (p *parser) ends(in []Span) []Span {
	last := 0
	for i := range in {
		if !in[i].End.Before(in[last].End) {
			last = i
		}
	}
	out := []Span{in[last]}
	if len(in) > 1 && (in[last].sec == secTimeline || p.ofAll(in[last].pt)) {
		return out
	}
	for i := range in {
		if i != last && (in[i].own || in[i].sent != in[last].sent && !p.sameSubject(in[i].sent, in[last].sent) || in[i].sent == in[last].sent && (p.otherThings(in[i].pt, in[last].pt) || p.ownClause(in[i].pt, in[last].pt))) {
			in[i].own = true
			out = append(out, in[i])
		}
	}
	return out
}

// ofAll reports whether the sentence of a point says that it holds for all: earlier ends are those of parts.
func (p *parser) ofAll(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	hi := min(s.last+1, pt.last+14)
	n := p.next(pt.last+1, hi, wAll)
	return p.hasWord(s.first, pt.first, wAll) || n < hi && p.t[n-1].w.id == wFor
}

// otherThings reports whether two points of a sentence each have a product named before them, and not the same one.
func (p *parser) otherThings(a, b int) bool {
	for j := p.pts[a].last; j < p.pts[b].first; j++ {
		if p.t[j].w.id == wBut {
			return false
		}
	}
	x, y := p.namesBefore(a), p.namesBefore(b)
	return len(x) > 0 && len(y) > 0 && !overlap(x, y)
}

// namesBefore lists the product names between the point before k and k itself, in the sentence of k.
func (p *parser) namesBefore(k int) []string {
	pt := &p.pts[k]
	first := p.sents[pt.sent].first
	lo := max(first, pt.first-14)
	if k > 0 && p.pts[k-1].sent == pt.sent {
		lo = max(lo, p.pts[k-1].last+1)
	}
	var out []string
	for j := lo; j < pt.first; j++ {
		if p.properName(j, first) || p.t[j].k == kWord && p.inRegion(j) {
			out = append(out, p.text(j))
		}
	}
	return out
}

// sameSubject reports whether two sentences speak of the same thing: they share a word of trouble or a name.
func (p *parser) sameSubject(a, b int) bool {
	seen := map[string]bool{}
	for j := p.sents[a].first; j <= p.sents[a].last && j < p.sents[a].first+maxWords; j++ {
		if p.telling(j) {
			seen[p.text(j)] = true
		}
	}
	total, shared := 0, 0
	for j := p.sents[b].first; j <= p.sents[b].last && j < p.sents[b].first+maxWords; j++ {
		if p.telling(j) {
			total++
			if seen[p.text(j)] {
				shared++
			}
		}
	}
	return len(seen) == 0 || total == 0 || shared*2 >= total
}

// telling reports whether token j is a word that tells what a sentence is about.
func (p *parser) telling(j int) bool {
	t := &p.t[j]
	if t.k != kWord || t.end-t.start < 3 {
		return false
	}
	return t.w.c == 0 && t.w.id == wNone || t.w.c&cBad != 0 && t.w.c&cEvent == 0
}

// troubleAgain reports whether the words after point k say that trouble was seen again.
func (p *parser) troubleAgain(k int) bool {
	pt := &p.pts[k]
	n := p.next(pt.last+1, min(len(p.t), pt.last+10), wAgain)
	return n < min(len(p.t), pt.last+10) && int(p.of[n]) == pt.sent && p.pureBad(pt.last+1, n)
}

// laterOnset puts right the slip of a day in a first onset that would lie after its own end, where both are dated and a day earlier
// it lies before.
func (p *parser) laterOnset() {
	for i := 0; i+1 < len(p.marks); i++ {
		on, rec := &p.marks[i], &p.marks[i+1]
		if on.role != roleOnset || rec.role != roleRecovery || !p.pts[on.pt].hasDate || !p.pts[rec.pt].hasDate || on.in.unix <= rec.in.unix || on.in.unix-day >= rec.in.unix {
			continue
		}
		before := on.in.unix
		on.in.unix -= day
		p.slips = append(p.slips, Conflict{Kind: LateStart, Span: -1, A: at(before).Format("2006-01-02 15:04"), B: at(on.in.unix).Format("2006-01-02 15:04")})
		return
	}
}

// recursAt reports whether point k says that trouble began anew.
func (p *parser) recursAt(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	return p.hasWord(s.first, pt.first, wRecurs)
}
