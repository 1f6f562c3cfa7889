package when

import (
	"slices"
	"time"
)

// merge drops restatements and peaks inside a stated period, and sorts what is left.
func (p *parser) merge(in []Span) []Span {
	for i := range in {
		in[i].regions = p.regionsOf(&in[i])
		in[i].Scope = join(in[i].regions)
	}
	slices.SortStableFunc(in, func(a, b Span) int {
		if a.Start.IsZero() && b.Start.IsZero() {
			return a.End.Compare(b.End)
		}
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return b.End.Compare(a.End) // the wider first: it takes in the narrower
	})
	if len(in) > 1 {
		in = p.dropFrames(p.dropCovers(in))
	}
	var out []Span
	for _, s := range in {
		if k := p.sameAs(out, s); k >= 0 {
			p.absorb(&out[k], s)
			continue
		}
		out = append(out, s)
	}
	return out
}

// dropCovers removes day ranges that only cover stated clock times.
func (p *parser) dropCovers(in []Span) []Span {
	clock := false
	for _, s := range in {
		clock = clock || !s.ByDay
	}
	if !clock {
		return in
	}
	out := in[:0:0]
	for i, s := range in {
		if s.ByDay {
			inside := 0
			for j, o := range in {
				if j != i && !o.ByDay && !o.Start.Before(s.Start) && !o.End.IsZero() && !o.End.After(s.End.Add(24*time.Hour)) {
					inside++
				}
			}
			if inside > 0 && s.Start.Unix()%3600 == 0 && s.End.Sub(s.Start)%time.Hour == 0 && !p.mixed(s) {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// dropFrames removes a span that only frames shorter ones which one sentence lists: "at intervals between 10:00 and 14:30, namely
// 10:00 to 10:20, 10:45 to 11:50 and 13:00 to 14:25".
func (p *parser) dropFrames(in []Span) []Span {
	if len(in) < 3 {
		return in
	}
	out := in[:0:0]
	for _, s := range in {
		if !p.frames(&s, in) {
			out = append(out, s)
		}
	}
	return out
}

// frames reports whether a sentence lists two or more spans that lie within another, and one of the two says that trouble came and went.
func (p *parser) frames(f *Span, in []Span) bool {
	listed := map[int]int{}
	for _, s := range in {
		if s.From == f.From || s.Start.Before(f.Start) || s.End.IsZero() || s.End.After(f.End) || s.End.Sub(s.Start) >= f.End.Sub(f.Start) || p.sents[s.sent].c&cPeak != 0 {
			continue
		}
		if listed[s.sent]++; listed[s.sent] > 1 && (p.intervals(s.sent) || p.intervals(f.sent)) {
			return true
		}
	}
	return false
}

// intervals reports whether a sentence says that trouble came and went.
func (p *parser) intervals(sent int) bool {
	s := &p.sents[sent]
	return p.hasText(s.first, min(s.last+1, s.first+maxWords), "intermittent", "intermittently", "intervals", "periods", "windows", "timeframes", "specifically", "namely", "occasions", "times", "waves", "episodes", "bursts")
}

// mixed reports whether a span known to the day on one side has a clock time on the other.
func (p *parser) mixed(s Span) bool {
	return s.ApproxStart != s.ApproxEnd || s.End.Unix()%day != s.Start.Unix()%day
}

const sameWithin = 2 * time.Minute

// sameAs finds the span that s restates or lies within; -1 where it is one of its own.
func (p *parser) sameAs(out []Span, s Span) int {
	for k := range out {
		o := &out[k]
		if near(o.Start, s.Start) && near(o.End, s.End) && (o.End.IsZero() || s.Start.IsZero() || !s.Start.After(o.End)) {
			if len(o.regions) > 0 && len(s.regions) > 0 && !overlap(o.regions, s.regions) {
				continue
			}
			return k
		}
		if o.Start.IsZero() || s.Start.IsZero() || o.End.IsZero() {
			continue
		}
		inside := !s.Start.After(o.End) && !s.Start.Before(o.Start.Add(-sameWithin)) && !s.End.IsZero() && !s.End.After(o.End.Add(sameWithin))
		if !inside {
			continue
		}
		if len(o.regions) > 0 && len(s.regions) > 0 && !overlap(o.regions, s.regions) {
			continue
		}
		if p.ownImpact(o, &s) {
			continue
		}
		return k
	}
	return -1
}

// ownImpact reports whether a span inside another speaks of impact of its own: another product, or "also".
func (p *parser) ownImpact(o, s *Span) bool {
	if s.own || o.own {
		return true
	}
	if s.sec == secTimeline && o.sec != secTimeline {
		return false
	}
	if s.sent == o.sent && s.From == o.From {
		return false
	}
	if s.sent == o.sent {
		return p.otherThings(o.pt, s.pt) || p.bracketed(o, s) || near(o.Start, s.Start) && p.listedWith(o, s)
	}
	if a, b := p.subjectLabel(o.pt), p.subjectLabel(s.pt); a != "" && b != "" && a != b {
		return true // "Card payments: 09:30 to 11:15. PayPal: 09:30 to 10:20"
	}
	return p.other(*s) || p.otherNames(o, s) || p.parallel(o.sent, s.sent) || near(o.Start, s.Start) && p.sents[s.sent].c&cPeak == 0 && !p.duringIt(s.sent) && !p.sameSubject(o.sent, s.sent) && !p.sameSubject(s.sent, o.sent)
}

// parallel reports whether two sentences each begin with what was hit, and not with the same: "Emails were not sent from … SMS were
// late between …".
func (p *parser) parallel(a, b int) bool {
	x, y := p.headNoun(a), p.headNoun(b)
	return x != "" && y != "" && x != y
}

// headNoun returns the first word of a sentence where it is a noun that no rule knows and a verb of being follows at once; else "".
func (p *parser) headNoun(sent int) string {
	s := &p.sents[sent]
	first := p.firstWord(s)
	j := first
	for n := 0; n < 3 && j < s.last && p.t[j].k == kWord && p.t[j].w.c == 0 && p.t[j].w.id == wNone; n++ {
		j++
	}
	if id := p.t[j].w.id; j == first || id != wWas && id != wWere {
		return ""
	}
	return p.text(first)
}

// duringIt reports whether a sentence is an item of a list of what was so during a period told before: "During this period: …".
func (p *parser) duringIt(sent int) bool {
	for n := sent - 1; n >= 0 && n >= sent-maxItems; n-- {
		s := &p.sents[n]
		if s.last >= s.first && p.t[s.last].k == kPunct && p.t[s.last].p == ':' {
			hi := min(s.last, s.first+maxWords)
			return p.hasText(s.first, hi, "during") && p.hasText(s.first, hi, "period", "time", "window")
		}
	}
	return false
}

// subjectLabel returns the label before point k where it names what was hit, and no part of the report.
func (p *parser) subjectLabel(k int) string {
	lo := p.labelStart(k)
	if lo < 0 || p.says(lo, p.pts[k].first)&(cHead|cPeak|cBad|cOnset|cEnd|cWork|cSeen|cUpdate) != 0 || p.hasText(lo, p.pts[k].first, "time", "window", "duration", "period", "when", "date") {
		return ""
	}
	return p.low[p.t[lo].start:p.t[p.pts[k].first-1].start]
}

// bracketed reports whether two periods of a sentence each stand in brackets behind what they are of, with "and" between them.
func (p *parser) bracketed(o, s *Span) bool {
	a, b := &p.pts[min(o.pt, s.pt)], &p.pts[max(o.pt, s.pt)]
	open := func(i int) bool { return i > 0 && p.t[i-1].k == kPunct && p.t[i-1].p == '(' }
	return open(a.first) && open(b.first) && p.hasWord(a.last+1, b.first, wAnd) && p.says(a.last+1, b.first)&(cPeak|cCause) == 0
}

// listedWith reports whether "and" or a comma joins two periods of one sentence that begin together: each is of something else.
func (p *parser) listedWith(o, s *Span) bool {
	lo, hi := min(o.pt, s.pt), max(o.pt, s.pt)
	if p.sents[s.sent].c&cPeak != 0 {
		return false
	}
	if p.hasWord(p.pts[lo].last+1, p.pts[hi].first, wAnd) {
		return true
	}
	if p.pts[lo].rng < 0 {
		return false
	}
	// "inbound calls from 08:02 to 08:19, outbound calls from 08:02 to 08:31"
	end := p.pts[p.rngs[p.pts[lo].rng].b].last + 1
	return end < p.pts[hi].first && p.t[end].k == kPunct && p.t[end].p == ',' && p.says(end, p.pts[hi].first)&^(cOpen|cPrep|cMade|cHead) == 0
}

// otherNames reports whether the sentences of two spans name products, and none in common.
func (p *parser) otherNames(a, b *Span) bool {
	var names [2][]string
	for i, sp := range [...]*Span{a, b} {
		sents := []int{sp.sent}
		if sp.StartTo > 0 && sp.onset != sp.sent {
			sents = append(sents, sp.onset)
		}
		for _, n := range sents {
			s := &p.sents[n]
			if s.c&cPeak != 0 {
				return false
			}
			for j := s.first; j <= s.last && j < s.first+60; j++ {
				if p.properName(j, s.first) {
					names[i] = append(names[i], p.text(j))
				}
			}
		}
	}
	return len(names[0]) > 0 && len(names[1]) > 0 && !overlap(names[0], names[1])
}

// properName reports whether token j is the name of a product: a capital inside a sentence, or two capitals anywhere, and no
// word of ours, place or generic abbreviation.
func (p *parser) properName(j, first int) bool {
	t := &p.t[j]
	if t.k != kWord || t.w.c != 0 || t.w.id != wNone || t.end-t.start < 3 || !p.capital(t) {
		return false
	}
	switch p.low[t.start:t.end] {
	case "api", "apis", "region", "regions", "availability", "zone", "zones", "http", "cpu", "east", "west", "north", "south", "central", "europe", "asia", "north-america", "customers", "users", "our", "during":
		return false
	}
	if p.inRegion(j) {
		return false
	}
	c := p.in.Text[t.start+1]
	return j > first || c >= 'A' && c <= 'Z' || isDigit(c)
}

// inRegion reports whether token j is part of the name of a region.
func (p *parser) inRegion(j int) bool {
	t := &p.t[j]
	for _, m := range p.in.Mentions {
		if m.Region && m.From <= int(t.start) && int(t.end) <= m.To {
			return true
		}
	}
	return false
}

func near(a, b time.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && b.IsZero()
	}
	d := a.Sub(b)
	return d <= sameWithin && d >= -sameWithin
}

func overlap(a, b []string) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// absorb joins a restatement into a span: the wider bounds stand, another end is kept as a reading.
func (p *parser) absorb(o *Span, s Span) {
	if !near(o.End, s.End) && near(o.Start, s.Start) && !s.End.IsZero() {
		o.Other = append(o.Other, Reading{s.Start, s.End, p.duringIt(s.sent)})
	}
	if s.Start.Before(o.Start) {
		o.Start = s.Start
	}
	if s.End.After(o.End) && near(o.Start, s.Start) {
		o.End = s.End // a phase inside another does not move its end
	}
	if near(o.Start, s.Start) && !s.ApproxStart {
		o.ApproxStart = false
	}
	if near(o.End, s.End) && !s.ApproxEnd {
		o.ApproxEnd = false
	}
	if o.Scope == "" {
		o.Scope, o.regions = s.Scope, s.regions
	}
}
