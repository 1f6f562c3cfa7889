package when

// moments reads a list of dated moments with a common length ("less than 5 minutes", then one moment an item).
func (p *parser) moments() []Span {
	var length int64
	each := false // the length is said to be that of each: the moments need no dates
	for j := range p.t {
		if t := &p.t[j]; t.k == kDur && t.val <= 3600 && p.shortEach(j) {
			length = int64(t.val)
			each = j+1 < len(p.t) && p.t[j+1].w.id == wEvery || p.hasWord(max(0, j-4), j, wEvery)
			break
		}
	}
	if length == 0 {
		return nil
	}
	var best, run []int
	for k := range p.pts {
		pt := &p.pts[k]
		if !pt.hasClock || !pt.hasDate && (!each || len(run) == 0 && p.sents[pt.sent].c&cBad == 0) || pt.rng >= 0 {
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
		pt := &p.pts[k]
		if in := p.at(k); in.ok {
			out = append(out, Span{
				Start: at(in.unix), End: at(in.unix + length), ApproxStart: pt.approx, ApproxEnd: true,
				From: int(pt.start), To: int(pt.end), sent: pt.sent, Closed: true,
			})
		}
	}
	return out
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

// shortEach reports whether the length at j is that of each moment in a list ("under 5 minutes").
func (p *parser) shortEach(j int) bool {
	for n := j - 1; n >= 0 && n >= j-3; n-- {
		if id := p.t[n].w.id; id == wUnder || id == wLess || id == wLasted {
			return true
		}
	}
	return j+1 < len(p.t) && p.t[j+1].w.id == wEvery
}
