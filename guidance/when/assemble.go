package when

import (
	"slices"
	"time"
)

// A period is a range resolved, on its way to a span.
type period struct {
	span Span
	prio int
}

// assemble turns ranges and marks into spans.
func (p *parser) assemble() {
	ps := p.periods()
	best := 0
	for _, q := range ps {
		best = max(best, q.prio)
	}
	var spans []Span
	for _, q := range ps {
		if q.prio == best || q.prio >= 3 {
			spans = append(spans, q.span)
		}
	}
	list := p.moments()
	switch {
	case len(list) > 1 && (best < 2 || onlyDays(spans)):
		spans = list
	case len(spans) > 0 && best >= 2:
		spans = p.withMarks(spans)
	default:
		if loose := p.fromMarks(); len(loose) > 0 {
			spans = loose
		}
	}
	p.settle(spans)
	if len(spans) == 0 {
		spans = p.instants()
	}
	p.out = p.merge(slices.DeleteFunc(spans, p.unfelt))
	p.check()
}

// onlyDays reports whether no span has a clock time.
func onlyDays(spans []Span) bool {
	return !slices.ContainsFunc(spans, func(s Span) bool { return !s.ByDay })
}

// unfelt reports whether a span is no impact: it lies ahead, or the text denies all impact and the span's words name nobody hit.
func (p *parser) unfelt(s Span) bool {
	return p.ahead(s) || p.none && !p.hits(s.sent) && !p.hits(s.onset)
}

// hits reports whether a sentence tells of trouble that customers had.
func (p *parser) hits(sent int) bool {
	s := &p.sents[sent]
	return !s.spared && s.c&cBad != 0 && p.hasText(s.first, min(s.last+1, s.first+maxWords), "customers", "users", "customer", "clients", "visitors", "subscribers")
}

// ahead reports whether a span that is no planned work begins days after the post: an announcement, and no impact.
func (p *parser) ahead(s Span) bool {
	post, posted := p.posted()
	return posted && !s.Planned && !s.Start.IsZero() && s.Start.Unix() > post+2*day
}

// periods resolves all ranges and ranks them by what their clause and section say.
func (p *parser) periods() []period {
	var out []period
	var prev instant
	for i, r := range p.rngs {
		if p.inOtherZone(i) {
			continue
		}
		a, b := &p.pts[r.a], &p.pts[r.b]
		s, e := p.bounds(r)
		if !s.ok || !e.ok {
			continue
		}
		if post, ok := p.posted(); ok && s.guessed && prev.guessed && s.unix < prev.unix && s.unix+day > prev.unix && e.unix+day < post+afterwards && !p.lookedBack(a.sent) {
			// the second of two waves on one day: the post was edited after its stamp
			s.unix, e.unix = s.unix+day, e.unix+day
		}
		prev = s
		byDay := false
		if r.days || !b.hasClock {
			byDay = true
		}
		if e.unix < s.unix || e.unix-s.unix > 400*day {
			continue
		}
		q := period{prio: p.rank(r)}
		if n := len(out); n > 0 && q.prio > out[n-1].prio && out[n-1].span.sent == a.sent && out[n-1].prio > 1 && p.says(p.pts[p.rngs[i-1].b].last+1, r.conn)&^(cPrep|cHead) == 0 {
			q.prio = out[n-1].prio // "… were restarted between A and B and those of zone B between C and D"
		}
		if q.prio == 0 {
			continue
		}
		q.span = Span{
			Start: at(s.unix), End: at(e.unix), From: int(p.t[r.conn].start), To: int(b.end),
			ApproxStart: a.approx || byDay, ApproxEnd: a.approx && p.pairHedge(r) || b.approx || byDay, ByDay: byDay || !a.hasClock,
			Closed: true, Guessed: s.guessed, sent: a.sent, pt: r.a, sec: p.sents[a.sent].section,
			Planned: p.planned(a.sent, s.unix),
		}
		out = append(out, q)
	}
	return out
}

// planned reports whether what a sentence says of the instant is work to come.
func (p *parser) planned(sent int, unix int64) bool {
	c := p.sents[sent].c
	post, posted := p.posted()
	if p.in.Maintenance || c&cFuture != 0 && (c&cMaint != 0 || posted && unix > post && p.willDo(sent)) {
		return true
	}
	if c&cFuture == 0 {
		s := &p.sents[sent]
		return c&cMaint != 0 && posted && unix > post && p.hasText(s.first, min(s.last, s.first+maxWords), "takes") // "the upgrade takes place on"
	}
	return sent > 0 && p.sents[sent-1].c&cMaint != 0 // "… has been postponed. It will now take place on"
}

// willDo reports whether a sentence says what we will do.
func (p *parser) willDo(sent int) bool {
	s := &p.sents[sent]
	for j := s.first; j < s.last && j < s.first+maxWords; j++ {
		if p.hasText(j, j+1, "we", "they") && p.hasText(j+1, j+2, "will", "plan", "are") && p.says(j+1, min(j+4, s.last))&cFuture != 0 {
			return true
		}
	}
	return false
}

// afterwards is how long after its stamp a post may have been edited to tell of a further wave, in seconds.
const afterwards = 3 * 3600

// maxWords bounds how many tokens of one sentence are looked at.
const maxWords = 200

// lookedBack reports whether a sentence speaks of what was before.
func (p *parser) lookedBack(sent int) bool {
	for j := p.sents[sent].first; j <= p.sents[sent].last && j < p.sents[sent].first+maxWords; j++ {
		if id := p.t[j].w.id; id == wEarlier || id == wPrevious || id == wBefore || id == wYesterday {
			return true
		}
	}
	return false
}

func at(unix int64) time.Time { return time.Unix(unix, 0).UTC() }

// pairHedge reports whether one word of approximation stands before a pair, so that it holds for both ends.
func (p *parser) pairHedge(r rng) bool {
	return r.opened
}

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
	end := p.open(nil, &m)
	if here, there := p.regionsOf(w), p.regionsOf(&end); pt.sent == w.sent && len(here) > 0 && len(there) > 0 && !overlap(here, there) {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end)
	}
	if pt.sent != w.sent && p.hasText(p.sents[pt.sent].first, pt.first, "longer") && !p.hasText(p.sents[pt.sent].first, pt.first, "no") {
		end.Start, end.ApproxStart, end.StartFrom, end.StartTo, end.own = w.Start, w.ApproxStart, w.From, w.To, true
		return append(spans, end) // another product, which "lagged a little longer"
	}
	w.Other = append(w.Other, Reading{w.Start, w.End, true})
	w.End = at(m.in.unix)
	w.ApproxEnd = m.approx
	return spans
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

// open builds a span from an onset, a recovery, or both.
func (p *parser) open(on, rec *mark) Span {
	var s Span
	if on != nil {
		pt := &p.pts[on.pt]
		s.Start, s.ApproxStart = at(on.in.unix), on.approx
		s.From, s.To = int(p.t[p.phrase(pt)].start), int(pt.end)
		s.StartFrom, s.StartTo = s.From, s.To
		s.Guessed, s.sent, s.sec = on.in.guessed, pt.sent, on.sec
		s.onset = pt.sent
		s.ByDay = !pt.hasClock
		s.Ongoing = rec == nil
		s.Planned = p.planned(pt.sent, on.in.unix)
	}
	if rec != nil {
		pt := &p.pts[rec.pt]
		s.End, s.ApproxEnd, s.pt = at(rec.in.unix), rec.approx, rec.pt
		if on == nil || pt.sent != s.sent {
			s.From, s.To = int(p.t[p.phrase(pt)].start), int(pt.end)
			s.sent = pt.sent
		} else {
			s.From, s.To = min(s.From, int(pt.start)), max(s.To, int(pt.end))
		}
		s.Guessed = s.Guessed || rec.in.guessed
		s.sec, s.part, s.own, s.Closed = rec.sec, rec.part, rec.paired, true
	}
	return s
}

// phrase returns the first token of the words that tie a point to its clause ("starting around").
func (p *parser) phrase(pt *point) int {
	j := pt.first
	for n := 0; j > 0 && n < 4; n++ {
		t := &p.t[j-1]
		if t.k == kWord && (t.w.c&(cPrep|cApprox|cOnset|cRange|cOpen) != 0 || t.w.id == wThe || t.w.id == wLate) || t.k == kPunct && t.p == '~' {
			j--
			continue
		}
		break
	}
	return j
}

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
		in = p.dropCovers(in)
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
		inside := !s.Start.Before(o.Start.Add(-sameWithin)) && !s.End.IsZero() && !s.End.After(o.End.Add(sameWithin))
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
	if s.sent == o.sent && s.From == o.From {
		return false
	}
	if s.sent == o.sent {
		return p.otherThings(o.pt, s.pt) || near(o.Start, s.Start) && p.listedWith(o, s)
	}
	if a, b := p.subjectLabel(o.pt), p.subjectLabel(s.pt); a != "" && b != "" && a != b {
		return true // "Card payments: 09:30 to 11:15. PayPal: 09:30 to 10:20"
	}
	return p.other(*s) || p.otherNames(o, s)
}

// subjectLabel returns the label before point k where it names what was hit, and no part of the report.
func (p *parser) subjectLabel(k int) string {
	lo := p.labelStart(k)
	if lo < 0 || p.says(lo, p.pts[k].first)&(cHead|cPeak|cBad|cOnset|cEnd|cWork|cSeen|cUpdate) != 0 || p.hasText(lo, p.pts[k].first, "time", "window", "duration", "period", "when", "date") {
		return ""
	}
	return p.low[p.t[lo].start:p.t[p.pts[k].first-1].start]
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
	// "inbound calls from 08:02 to 08:19, outbound calls from 08:02 to 08:31"
	end := p.pts[p.rngs[max(0, p.pts[lo].rng)].b].last + 1
	return p.pts[lo].rng >= 0 && end < p.pts[hi].first && p.t[end].k == kPunct && p.t[end].p == ',' && p.says(end, p.pts[hi].first)&^(cOpen|cPrep|cMade|cHead) == 0
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
		o.Other = append(o.Other, Reading{s.Start, s.End, false})
	}
	if s.Start.Before(o.Start) {
		o.Start = s.Start
	}
	if s.End.After(o.End) {
		o.End = s.End
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
