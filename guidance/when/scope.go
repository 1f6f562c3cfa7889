package when

import "slices"

// regionsOf gives the places named nearest to a span: in its clause, else in its sentence, else in its heading or item.
func (p *parser) regionsOf(s *Span) []string {
	if len(p.in.Mentions) == 0 || s.sent >= len(p.sents) {
		return nil
	}
	st := p.sents[s.sent]
	if st.last < st.first || st.last >= len(p.t) {
		return nil
	}
	lo, hi := int(p.t[st.first].start), int(p.t[st.last].end)
	// neighbours of the same sentence bound the search
	left, right := lo, hi
	for _, r := range p.rngs {
		f, e := int(p.t[r.conn].start), int(p.pts[r.b].end)
		if p.pts[r.a].sent != s.sent || f == s.From {
			continue
		}
		if e <= s.From && e > left {
			left = e
		}
		if f >= s.To && f < right {
			right = f
		}
	}
	// so do lone times; where another follows, what stands before the span is its own
	followed := false
	for k := p.firstPoint(lo); k < len(p.pts) && int(p.pts[k].start) < hi && k < p.firstPoint(lo)+maxRanges; k++ {
		f, e := int(p.pts[k].start), int(p.pts[k].end)
		if p.pts[k].rng >= 0 || !p.pts[k].hasClock {
			continue
		}
		if e <= s.From && e > left {
			left = e
		}
		if f >= s.To && f < right {
			right, followed = f, true
		}
	}
	if followed {
		if in := p.mentions(left, s.From); len(in) > 0 {
			return in
		}
	}
	in := p.mentions(left, right)
	if len(in) == 0 {
		in = p.mentions(lo, hi)
	}
	return in
}

// firstPoint finds the first point at or after a byte offset.
func (p *parser) firstPoint(at int) int {
	k, _ := slices.BinarySearchFunc(p.pts, at, func(pt point, at int) int { return int(pt.start) - at })
	return k
}

func (p *parser) mentions(lo, hi int) []string {
	var out []string
	i, _ := slices.BinarySearchFunc(p.in.Mentions, lo, func(m Mention, v int) int { return m.From - v })
	for ; i < len(p.in.Mentions) && p.in.Mentions[i].From < hi && len(out) < 12; i++ {
		if m := p.in.Mentions[i]; m.Region && !slices.Contains(out, m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

func join(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	s := names[0]
	for _, n := range names[1 : len(names)-1] {
		s += ", " + n
	}
	return s + " and " + names[len(names)-1]
}
