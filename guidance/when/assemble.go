package when

import (
	"slices"
	"time"
)

// A period is a range resolved, on its way to a span.
type period struct {
	span   Span
	prio   int
	others bool // it is somebody else's trouble
	apart  bool // its sentence names no other trouble than that
}

// assemble turns ranges and marks into spans.
func (p *parser) assemble() {
	p.found = p.periods(p.found[:0])
	ps := p.found
	best := 0
	for _, q := range ps {
		best = max(best, q.prio)
	}
	spans := p.spans[:0]
	for _, q := range ps {
		if q.prio == best || q.prio >= 3 {
			spans = append(spans, q.span)
		}
	}
	p.spans = spans
	if len(ps) == 1 && ps[0].others {
		if own := p.fromMarks(); ps[0].apart && p.sparesOurs() || len(own) == 1 && !own[0].Start.IsZero() && !own[0].End.IsZero() {
			spans, best = nil, 0 // ours was not hit, or what it did to ours is told too
		}
	}
	list := p.moments()
	switch {
	case len(list) > 1 && (best < 2 || onlyDays(spans)):
		spans = list
	case len(spans) > 0 && best >= 2:
		if rows := p.namedRows(); len(rows) > 1 && len(spans) == 1 && p.intervals(spans[0].sent) {
			spans = rows // prose gives the whole, the timeline its parts
		} else {
			spans = p.withMarks(spans)
		}
	default:
		if loose := p.fromMarks(); len(loose) > 0 {
			spans = loose
		}
	}
	p.settle(spans)
	if len(spans) == 0 {
		spans = p.instants()
	}
	if len(spans) == 0 {
		spans = p.bareDay()
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
	return p.ahead(s) || p.hearsay(s.sent) && p.sparesOurs() || p.none && !p.hits(s.sent) && !p.hits(s.onset)
}

// hits reports whether a sentence tells of trouble that customers had.
func (p *parser) hits(sent int) bool {
	s := &p.sents[sent]
	return !s.spared && s.c&cBad != 0 && p.hasText(s.first, min(s.last+1, s.first+maxWords), "customers", "users", "customer", "clients", "visitors", "subscribers")
}

// ahead reports whether a span that is no planned work begins days after the post, or after it at all where its sentence speaks of what
// will be: an announcement, and no impact.
func (p *parser) ahead(s Span) bool {
	post, posted := p.posted()
	if !posted || s.Planned || s.Start.IsZero() {
		return false
	}
	c := p.sents[s.sent].c
	return s.Start.Unix() > post+2*day || s.Start.Unix() > post && c&cFuture != 0 && c&cBad == 0
}

// periods resolves all ranges and ranks them by what their clause and section say. It adds them to a list, whose memory it takes.
func (p *parser) periods(out []period) []period {
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
		q := period{prio: p.rank(r), others: p.ofOthers(p.sents[a.sent].first, r.conn) || p.theirSide(b)}
		if n := len(out); n > 0 && q.prio > out[n-1].prio && out[n-1].span.sent == a.sent && out[n-1].prio > 1 && p.says(p.pts[p.rngs[i-1].b].last+1, r.conn)&^(cPrep|cHead) == 0 {
			q.prio = out[n-1].prio // "… were restarted between A and B and those of zone B between C and D"
		}
		if q.prio == 0 {
			continue
		}
		q.apart = !p.pureBad(b.last+1, min(p.sents[a.sent].last+1, b.last+maxClause))
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
	if s := &p.sents[sent]; posted && unix > post+6*3600 && p.hasText(s.first, min(s.last, s.first+maxWords), "may", "might") {
		return true // "customers may experience interruptions" then
	}
	if posted && unix > post+6*3600 && p.willChange(sent) {
		return true
	}
	if c&cFuture == 0 {
		s := &p.sents[sent]
		return c&cMaint != 0 && posted && unix > post && p.hasText(s.first, min(s.last, s.first+maxWords), "takes") // "the upgrade takes place on"
	}
	return sent > 0 && p.sents[sent-1].c&cMaint != 0 // "… has been postponed. It will now take place on"
}

// willChange reports whether a sentence says that something will be worked on or hit: "the cluster will be upgraded".
func (p *parser) willChange(sent int) bool {
	s := &p.sents[sent]
	hi := min(s.last, s.first+maxWords)
	return p.hasText(s.first, hi, "will", "ll") && (p.pureBad(s.first, hi+1) || s.c&cWait != 0 || p.hasText(s.first, hi+1, "upgraded", "migrated", "moved", "restart", "restarts", "restarted", "reboot", "rebooted", "election", "failover"))
}

// willDo reports whether a sentence says what we will do, and not that we will meet.
func (p *parser) willDo(sent int) bool {
	s := &p.sents[sent]
	for j := s.first; j < s.last && j < s.first+maxWords; j++ {
		if p.hasText(j, j+1, "we", "they") && p.hasText(j+1, j+2, "will", "ll", "plan", "are") && p.says(j+1, min(j+4, s.last))&cFuture != 0 {
			return !p.hasText(j+2, min(j+5, s.last), "hold", "host", "meet", "talk", "present", "publish", "share")
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
