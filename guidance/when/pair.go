package when

import "slices"

// fromMarks builds spans from lone onsets and recoveries where no range is stated.
func (p *parser) fromMarks() []Span {
	on, rec := p.bestOnset(), p.recoveries()
	switch {
	case on == nil && len(rec) > 0:
		on = p.onsetBefore(&rec[0])
	case on != nil && len(rec) == 0:
		rec = p.endAfter(on)
	}
	if on != nil && on.needsEnd && len(rec) == 0 {
		if _, _, ok := p.lengthOf(on, rec); !ok {
			on = nil
		}
	}
	if on == nil && len(rec) == 0 {
		return nil
	}
	if on == nil {
		return p.endsOnly(rec)
	}
	if many := p.alternating(); len(many) > 1 {
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

// onsetBefore takes for the onset of a recovery the first time told before it that nothing else explains: neither what the
// provider did nor what is to come. Where an onset is stated in words this is not asked.
func (p *parser) onsetBefore(rec *mark) *mark {
	for k := 0; k < rec.pt; k++ {
		if !p.unexplained(k) || p.pts[rec.pt].sent-p.pts[k].sent > 3 {
			continue
		}
		c := p.clause(k)
		if c.l&(cFuture|cRecov|cWeakRec|cMonitor|cWait) != 0 || c.prep == wUntil || c.prep == wBy || (c.l|c.r)&cWork != 0 && !c.pure {
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

// unexplained reports whether point k is a time in prose that has no role and stands in no range.
func (p *parser) unexplained(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	if !pt.hasClock || pt.rng >= 0 || pt.weak || s.spared || s.section == secFix || s.c&(cUpdate|cPeak) != 0 {
		return false
	}
	return !slices.ContainsFunc(p.marks, func(m mark) bool { return m.pt == k })
}

// endsOnly builds spans from recoveries without an onset: the last stated, and those of other places.
func (p *parser) endsOnly(rec []mark) []Span {
	last := p.open(nil, &rec[len(rec)-1])
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

// recoveries returns the recoveries that count: the strongest sort stated, whole ones before partial ones, in text order.
func (p *parser) recoveries() []mark {
	best := -1
	for i := range p.marks {
		m := &p.marks[i]
		if m.role == roleRecovery {
			best = max(best, rankRecovery(m))
		}
	}
	var out []mark
	for i := range p.marks {
		m := p.marks[i]
		if m.role == roleRecovery && rankRecovery(&m) == best {
			out = append(out, m)
		}
	}
	return out
}

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
	recurs := slices.ContainsFunc(p.marks, func(m mark) bool { return m.role == roleOnset && p.recursAt(m.pt) })
	for i := range p.marks {
		m := &p.marks[i]
		if m.weight() < 2 || m.part || m.strength < 3 && !(m.strength == 2 && (recurs || m.role == roleOnset && on == nil)) {
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
	return out
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

// lengthAfter finds the length of impact stated with point k, in seconds: after it in its sentence, else before it; 0: none.
func (p *parser) lengthAfter(k int) int64 {
	pt, s := &p.pts[k], &p.sents[p.pts[k].sent]
	hi := min(s.last, s.first+80)
	if k+1 < len(p.pts) {
		hi = min(hi, p.pts[k+1].first)
	}
	for j := pt.first - 1; j >= max(s.first, pt.first-4); j-- {
		if p.t[j].k == kDur && p.isLength(j, false) {
			return int64(p.t[j].val) // "for 12 minutes beginning at"
		}
		if p.t[j].k != kWord || p.t[j].w.c&(cPrep|cOnset|cApprox) == 0 {
			break
		}
	}
	for j := pt.last + 1; j <= hi; j++ {
		if p.t[j].k == kDur && p.isLength(j, false) {
			return int64(p.t[j].val)
		}
	}
	for j := s.first; j < pt.first && j < s.first+80; j++ {
		if p.t[j].k == kDur && p.isLength(j, false) {
			return int64(p.t[j].val)
		}
	}
	return 0
}

// lengthBefore reports whether a length of trouble stands directly before the words of a point ("for three minutes at 10:10").
func (p *parser) lengthBefore(pt *point) bool {
	for j := pt.first - 1; j > 0 && j >= pt.first-4; j-- {
		if p.t[j].k == kDur {
			return p.isLength(j, false) && p.sents[pt.sent].c&cBad != 0
		}
		if p.t[j].k != kWord || p.t[j].w.c&(cPrep|cApprox) == 0 {
			break
		}
	}
	return false
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
		if i != last && (in[i].own || in[i].sent != in[last].sent && !p.sameSubject(in[i].sent, in[last].sent) || in[i].sent == in[last].sent && p.otherThings(in[i].pt, in[last].pt)) {
			in[i].own = true
			out = append(out, in[i])
		}
	}
	return out
}

// ofAll reports whether the sentence of a point says, before it, that it holds for all: earlier ends are those of parts.
func (p *parser) ofAll(k int) bool {
	pt := &p.pts[k]
	return p.hasWord(p.sents[pt.sent].first, pt.first, wAll)
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

// lengthOf finds a length stated with an onset ("for about 3 minutes") that no recovery bounds.
func (p *parser) lengthOf(on *mark, rec []mark) (secs int64, approx, ok bool) {
	pt := &p.pts[on.pt]
	for i := range rec {
		if rec[i].strength >= 2 || rec[i].in.unix > on.in.unix {
			return 0, false, false
		}
	}
	for n := max(0, pt.sent-1); n <= pt.sent+1 && n < len(p.sents); n++ {
		s := &p.sents[n]
		for j := s.first; j <= s.last && j < s.first+80; j++ {
			if t := &p.t[j]; t.k == kDur && (p.isLength(j, n != pt.sent) || p.overAfter(j, on.pt)) {
				return int64(t.val), true, true
			}
		}
	}
	for j := range p.t {
		if p.t[j].k == kDur && p.totalLength(j) {
			return int64(p.t[j].val), true, true
		}
	}
	return 0, false, false
}

// totalLength reports whether the length at token j is said to be that of the whole impact, in whatever sentence.
func (p *parser) totalLength(j int) bool {
	lo := max(0, j-9)
	return p.isLength(j, true) && p.hasText(lo, j, "impact", "outage", "downtime", "incident", "disruption") && p.hasText(lo, j, "total", "period", "duration")
}

// recursAt reports whether point k says that trouble began anew.
func (p *parser) recursAt(k int) bool {
	pt := &p.pts[k]
	s := &p.sents[pt.sent]
	return p.hasWord(s.first, pt.first, wRecurs)
}

// isLength reports whether the length at token j is that of the impact.
func (p *parser) isLength(j int, strict bool) bool {
	t := &p.t[j]
	if t.val > 30*day {
		return false
	}
	if p.outageNext(j) {
		return !p.pastOnly(j - 2)
	}
	if t.hyphen {
		return false
	}
	for n := j - 1; n >= 0 && n >= j-5; n-- {
		w := p.t[n].w
		switch {
		case w.id == wFor || w.id == wLasted || w.id == wDuration || w.id == wUnder || w.id == wOutage && p.t[n+1].k == kPunct && p.t[n+1].p == ':':
			if w.id == wFor && strict && !p.impactBefore(n) {
				return false
			}
			return !p.pastOnly(n)
		case w.id == wOf && n > 0 && isOutage(p.text(n-1)):
			return !p.pastOnly(n)
		case w.id == wUp && p.t[n+1].w.id == wTo && p.hasText(n-3, n, "queued", "delayed", "waited", "waiting", "late"):
			return false // "queued for up to 15 minutes": each of them, and not all the time
		case w.id == wOf && n > 0 && p.hasText(n-2, n, "one", "spike", "dip", "drop", "wave", "blip", "peak"), w.id == wImpact && p.t[n+1].w.id == wWas:
			return !p.pastOnly(n)
		case w.id == wWas && n > 0 && p.t[n-1].w.id == wImpact, p.hasText(n, n+1, "little", "bit", "more", "than", "over"):
			continue
		case w.c&cApprox != 0 || w.id == wUp || w.id == wTo || w.id == wA || w.id == wLess || w.id == wThe || w.id == wOf || p.t[n].k == kPunct && (p.t[n].p == '~' || p.t[n].p == ':' || p.t[n].p == '('):
			continue
		case w.id == wWithin || p.in.Maintenance && p.takes(n):
			return p.in.Maintenance || p.sents[p.of[j]].c&cMaint != 0
		}
		return false
	}
	return false
}

// takes reports whether token n is the verb of a length: "is expected to take four hours".
func (p *parser) takes(n int) bool {
	switch p.text(n) {
	case "take", "takes", "last", "lasts":
		return p.t[n].k == kWord
	}
	return false
}

// overAfter reports whether the length at token j runs from point k to the end of trouble: "recovered 12 minutes later",
// "resolved itself after 12 minutes".
func (p *parser) overAfter(j, k int) bool {
	later := j+1 < len(p.t) && p.t[j+1].w.id == wLater
	first := p.sents[p.of[j]].first
	n := j - 1
	for ; n > first && (p.t[n].w.c&cApprox != 0 || p.t[n].k == kPunct && p.t[n].p == '~'); n-- {
	}
	if !later && (n <= first || p.t[n].w.id != wAfter) || k+1 < len(p.pts) && p.pts[k+1].first < j || p.pts[k].first > j {
		return false
	}
	for ; n >= first && n >= j-12 && n > p.pts[k].last; n-- {
		if p.t[n].w.c&(cRecov|cWeakRec) != 0 && !p.infinitive(n) {
			return !p.negated(n)
		}
	}
	return false
}

// outageNext reports whether a length is that of an outage named after it ("a 32-minute outage").
func (p *parser) outageNext(j int) bool {
	for n := j + 1; n < len(p.t) && n <= j+3 && p.t[n].k == kWord; n++ {
		if isOutage(p.text(n)) {
			return true
		}
	}
	return false
}

// isOutage reports whether a word is the noun of trouble that has a length.
func isOutage(w string) bool {
	switch w {
	case "outage", "disruption", "interruption", "downtime", "degradation":
		return true
	}
	return false
}

func (p *parser) impactBefore(n int) bool {
	for j := n - 1; j >= 0 && j >= n-10; j-- {
		if p.t[j].w.c&cBad != 0 {
			return true
		}
		if p.t[j].k == kStop {
			return false
		}
	}
	return false
}

// pastOnly reports whether "for" begins "for the past 16 hours".
func (p *parser) pastOnly(n int) bool {
	for j := max(0, n+1); j < len(p.t) && j <= n+3; j++ {
		if id := p.t[j].w.id; id == wPast || id == wLast || id == wNext || id == wAnother {
			return true
		}
	}
	return false
}
