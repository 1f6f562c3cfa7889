package when

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

// setOff reports whether what happened at point k set off trouble whose length its sentence or the next tells: "a bad route at 10:02
// caused nodes to restart. The disruption lasted 4 minutes".
func (p *parser) setOff(k int, c *clause) bool {
	sent := p.pts[k].sent
	if (c.l|c.r)&cCause == 0 && !p.hasText(c.lo, c.hi, "rebooted", "restarted", "restart", "reboot", "crashed", "failover", "failed") {
		return false
	}
	for n := sent; n <= sent+1 && n < len(p.sents); n++ {
		s := &p.sents[n]
		for j := s.first; j <= s.last && j < s.first+maxWords; j++ {
			if p.t[j].k == kDur && (p.isLength(j, n != sent) || p.overAfter(j, k)) {
				return true
			}
		}
	}
	return false
}

// lengthOf finds a length stated with an onset ("for about 3 minutes") that no recovery bounds.
func (p *parser) lengthOf(on *mark, rec []mark) (secs int64, approx, ok bool) {
	pt := &p.pts[on.pt]
	if c := p.clause(on.pt); c.prep == wSince && p.hasWord(c.lo, c.prepAt, wBeen) {
		return 0, false, false // "has been queueing for more than a minute since"
	}
	for i := range rec {
		if rec[i].strength >= 2 || rec[i].in.unix > on.in.unix {
			return 0, false, false
		}
	}
	for n := max(0, pt.sent-1); n <= pt.sent+1 && n < len(p.sents); n++ {
		s := &p.sents[n]
		for j := s.first; j <= s.last && j < s.first+80; j++ {
			if t := &p.t[j]; t.k == kDur && (p.isLength(j, n != pt.sent) || p.overAfter(j, on.pt)) {
				return int64(t.val) + p.another(j, s.last), true, true
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

// lengthTo returns the length of the trouble that a recovery ended, in seconds, where it is told before it in its sentence or the one
// before; 0: none. "For about 10 minutes logins failed. All was back to normal at 11:07".
func (p *parser) lengthTo(rec *mark) int64 {
	pt := &p.pts[rec.pt]
	for n := max(0, pt.sent-1); n <= pt.sent; n++ {
		s := &p.sents[n]
		for j := s.first; j <= s.last && j < pt.first && j < s.first+maxWords; j++ {
			if p.t[j].k == kDur && p.isLength(j, false) && p.pureBad(s.first, min(s.last+1, s.first+maxWords)) && !p.hasText(j-3, j, "up", "than") && !p.hasText(j+1, j+2, "each") {
				return int64(p.t[j].val)
			}
		}
	}
	return 0
}

// another returns the length that goes on after the one at token j: "for 60 minutes, and partly for another 17 minutes".
func (p *parser) another(j, last int) int64 {
	for n := j + 1; n <= min(last, j+10); n++ {
		if p.t[n].k == kDur {
			if p.hasText(n-1, n, "another", "further", "additional") {
				return int64(p.t[n].val)
			}
			break
		}
	}
	return 0
}

// totalLength reports whether the length at token j is said to be that of the whole impact, in whatever sentence.
func (p *parser) totalLength(j int) bool {
	lo := max(0, j-9)
	if p.hasText(j+1, j+2, "of") && p.pureBad(j+2, min(j+5, len(p.t))) {
		return !p.t[j].hyphen // "95 minutes of failed deployments"
	}
	return p.isLength(j, true) && p.hasText(lo, j, "impact", "outage", "downtime", "incident", "disruption") && p.hasText(lo, j, "total", "period", "duration")
}

// isLength reports whether the length at token j is that of the impact.
func (p *parser) isLength(j int, strict bool) bool {
	t := &p.t[j]
	if t.val > 30*day {
		return false
	}
	if p.outageNext(j) || p.hasText(j+1, j+2, "of") && p.pureBad(j+2, min(j+5, len(p.t))) {
		return !p.pastOnly(j - 2)
	}
	if t.hyphen {
		return false
	}
	for n := j - 1; n >= 0 && n >= j-5; n-- {
		w := p.t[n].w
		switch {
		case w.id == wFor || w.id == wLasted || w.id == wDuration || w.id == wUnder || w.id == wOutage && p.t[n+1].k == kPunct && p.t[n+1].p == ':':
			if w.id == wFor && strict && !p.impactBefore(n) && !p.impactAfter(n) {
				return false
			}
			return !p.pastOnly(n)
		case w.id == wOf && n > 0 && isOutage(p.text(n-1)):
			return !p.pastOnly(n)
		case w.id == wUp && p.t[n+1].w.id == wTo && p.hasText(n-3, n, "queued", "delayed", "waited", "waiting", "late"):
			return false // "queued for up to 15 minutes": each of them, and not all the time
		case w.id == wOf && n > 0 && p.hasText(n-2, n, "one", "spike", "dip", "drop", "wave", "blip", "peak"), (w.id == wImpact || isOutage(p.text(n))) && p.t[n+1].w.id == wWas:
			return !p.pastOnly(n)
		case w.id == wWas && n > 0 && (p.t[n-1].w.id == wImpact || isOutage(p.text(n-1))), p.hasText(n, n+1, "little", "bit", "more", "than", "over", "some"):
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
// "resolved itself after 12 minutes", "was back within 3 minutes".
func (p *parser) overAfter(j, k int) bool {
	later := j+1 < len(p.t) && p.t[j+1].w.id == wLater
	first := p.sents[p.of[j]].first
	n := j - 1
	for ; n > first && (p.t[n].w.c&cApprox != 0 || p.t[n].k == kPunct && p.t[n].p == '~'); n-- {
	}
	within := n > first && p.t[n].w.id == wWithin && !p.hasText(j+1, j+2, "of")
	if !later && !within && (n <= first || p.t[n].w.id != wAfter) || k+1 < len(p.pts) && p.pts[k+1].first < j || p.pts[k].first > j {
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
		if isOutage(p.text(n)) || p.t[j].hyphen && p.hasText(n, n+1, "window", "period", "blip", "hiccup", "glitch", "drop", "dip", "spike") {
			return true
		}
	}
	return false
}

// isOutage reports whether a word is the noun of trouble that has a length.
func isOutage(w string) bool {
	switch w {
	case "outage", "disruption", "interruption", "downtime", "degradation", "disturbance":
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

// impactAfter reports whether "for" at token n opens a sentence that tells of trouble: "For 47 minutes, our site was unavailable".
func (p *parser) impactAfter(n int) bool {
	s := &p.sents[p.of[n]]
	return n == p.firstWord(s) && p.pureBad(n, min(s.last+1, n+maxClause))
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

// A total is the length that a text states for the whole impact, in seconds; zero where it states none, or several.
type total struct {
	secs int64
	// slack is how far from it the distance of two times may be that it tells.
	slack  int64
	approx bool
}

// total finds the length of the whole impact: "the outage lasted 52 minutes", "Duration: 2 h 30 min", "time to recovery: 68
// minutes".
func (p *parser) total() (t total) {
	if p.in.Maintenance || !p.kinds.has(kDur) {
		return total{}
	}
	for j := range p.t {
		if p.t[j].k != kDur || !p.wholeLength(j) {
			continue
		}
		v := int64(p.t[j].val)
		if t.secs != 0 && t.secs != v {
			return total{}
		}
		t = total{secs: v, slack: 90}
		if p.says(max(0, j-3), j)&cApprox != 0 || j > 0 && p.t[j-1].k == kPunct && p.t[j-1].p == '~' {
			t.slack, t.approx = max(t.slack, v/8), true
		}
	}
	return t
}

// wholeLength reports whether the length at token j is said to be that of the impact as a whole.
func (p *parser) wholeLength(j int) bool {
	if p.hasText(j+1, j+2, "of") && p.outageNext(j) && p.hasText(j-1, j, "the") {
		return true // "within the 40 minutes of disruption"
	}
	first := p.sents[p.of[j]].first
	for n := j - 1; n >= first && n >= j-5; n-- {
		w := p.t[n].w
		switch {
		case w.c&cFuture != 0:
			return false
		case w.id == wResolution && p.hasText(n-2, n, "time"), p.text(n) == "downtime" && p.hasText(n-1, n, "total"):
			return true // "time to recovery: 68 minutes"
		case w.id == wDuration && p.text(n) != "period" && p.t[n+1].w.id != wOf:
			return p.t[n+1].k == kPunct || p.hasText(n+1, j, "is", "was")
		case w.id == wLasted && p.text(n) != "remained":
			return p.hasText(max(first, n-8), n, "outage", "downtime", "incident", "disruption", "interruption", "impact") && p.says(max(first, n-8), n)&cFuture == 0
		case w.c&cApprox == 0 && w.id != wFor && w.id != wWas && w.id != wA && p.t[n].k != kPunct && !p.hasText(n, n+1, "total"):
			return false
		}
	}
	return false
}

// settle lets the stated length decide between times. Where the one span that was read is of another length, and the text tells
// a time that gives it the stated one, that time is its bound; where both bounds are stated and the length is only about right,
// it must be off by half or more.
func (p *parser) settle(spans []Span) {
	if len(spans) != 1 || spans[0].ByDay {
		return
	}
	t, s := p.total(), &spans[0]
	if t.secs == 0 {
		return
	}
	open := s.Start.IsZero() || s.End.IsZero()
	if d := s.End.Unix() - s.Start.Unix(); !open && (abs(d-t.secs) <= t.slack || t.approx && d < 2*t.secs && 2*d > t.secs) {
		return
	}
	if !s.End.IsZero() {
		if k := p.pointAt(s.End.Unix()-t.secs, t.slack, roleOnset); k >= 0 {
			p.startAt(s, k)
			return
		}
	}
	if !s.Start.IsZero() {
		if k := p.pointAt(s.Start.Unix()+t.secs, t.slack, roleRecovery); k >= 0 {
			p.endAt(s, k)
			return
		}
	}
	for i := range p.marks {
		if m := &p.marks[i]; m.role == roleRecovery && !t.approx {
			if k := p.pointAt(m.in.unix-t.secs, 60, roleOnset); k >= 0 {
				p.startAt(s, k)
				p.endAt(s, m.pt)
				return
			}
		}
	}
}

// startAt makes point k the start of a span, and endAt its end.
func (p *parser) startAt(s *Span, k int) {
	pt := &p.pts[k]
	s.Start, s.ApproxStart, s.Ongoing = at(p.at(k).unix), pt.approx, false
	s.StartFrom, s.StartTo, s.onset = int(pt.start), int(pt.end), pt.sent
}

func (p *parser) endAt(s *Span, k int) {
	pt := &p.pts[k]
	s.End, s.ApproxEnd, s.Closed, s.Ongoing = at(p.at(k).unix), pt.approx, true, false
	if s.StartTo == 0 && !s.Start.IsZero() {
		s.StartFrom, s.StartTo, s.onset = s.From, s.To, s.sent
	}
	s.From, s.To, s.sent, s.pt = int(pt.start), int(pt.end), pt.sent, k
}

// pointAt returns the point with a time of day that lies nearest to an instant, within slack, and that nothing says to bound
// the other side; -1 where none does.
func (p *parser) pointAt(unix, slack int64, side role) int {
	best := -1
	for k := range min(len(p.pts), maxMarks) {
		if !p.pts[k].hasClock || p.sents[p.pts[k].sent].c&cUpdate != 0 {
			continue
		}
		in := p.at(k)
		if d := abs(in.unix - unix); in.ok && d <= slack && p.maybe(k, side) {
			best, slack = k, d
		}
	}
	return best
}

// maybe reports whether point k can bound impact on a side: no mark gives it the other role, and no row that tells of trouble is
// an end.
func (p *parser) maybe(k int, side role) bool {
	for i := range p.marks {
		if p.marks[i].pt == k {
			return p.marks[i].role == side
		}
	}
	return side == roleOnset || p.clause(k).r&cBad == 0
}
