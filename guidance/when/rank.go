package when

// A setting is what stands around a range.
type setting struct {
	r      rng
	a, b   *point
	s      *sentence
	lo, hi int   // the tokens of its clause, hi exclusive
	near   int   // where the words begin that stand close before it
	l, rt  class // what the words before it say, and those after it
	maint  bool  // it is told of planned work
}

// around reads what stands around a range.
func (p *parser) around(r rng) setting {
	a, b := &p.pts[r.a], &p.pts[r.b]
	s := &p.sents[a.sent]
	v := setting{r: r, a: a, b: b, s: s, lo: max(s.first, a.first-maxClause), hi: min(s.last+1, b.last+1+maxClause), near: max(s.first, r.conn-maxClause)}
	for k := r.a - 1; k >= 0 && p.pts[k].last >= v.lo; k-- {
		if p.pts[k].rng >= 0 || p.pts[k].hasClock {
			v.lo = p.pts[k].last + 1
			break
		}
	}
	for j := r.conn - 1; j >= v.lo; j-- {
		if p.t[j].k == kPunct && p.t[j].p == ';' {
			v.lo = j + 1
			break
		}
	}
	v.l, v.rt = p.says(v.lo, r.conn), p.says(b.last+1, p.semicolon(b.last+1, v.hi))
	v.maint = p.in.Maintenance || s.c&cMaint != 0
	return v
}

// rank grades a range: 3 impact, 2 likely impact, 1 only when nothing else is stated, 0 never.
func (p *parser) rank(r rng) int {
	v := p.around(r)
	l, rt := v.l, v.rt
	switch {
	case p.notMeant(&v):
		return 0
	case p.besideImpact(&v):
		return 1
	case p.startAndEnd(v.a):
		return 3
	case v.s.section == secFix || v.s.section == secRoot:
		return 1
	case r.days:
		if (l|rt)&(cBad|cMade|cWeakRec) == 0 && v.s.c&(cBad|cMade|cMaint) == 0 {
			if p.figures(v.a.sent) && !p.troubleAround(v.a.sent) {
				return 0
			}
			return 1
		}
		return 2
	case !p.in.Maintenance && l&cMaint != 0 && l&cBad == 0 && v.a.first > 0 && p.t[v.a.first-1].p == '(':
		return 2 // "during the upgrade (from A to B)", beside what it did
	case (l|rt)&cBad == 0 && l&cWork != 0 && rt&cBad == 0, p.ofOthers(v.lo, r.conn):
		return 2
	}
	return 3
}

// notMeant reports whether a range is no period of impact at all: it lies ahead, recurs, is a figure, an example or somebody's hours,
// or what its sentence tells hit nobody.
func (p *parser) notMeant(v *setting) bool {
	conn, after, c := v.r.conn, v.b.last+1, v.s.c
	if v.s.spared || p.everyDay(v.r) || p.anotherIncident(v.near, conn) || p.hasText(conn-3, conn, "such", "example") || p.hasText(after, after+3, "per") {
		return true
	}
	if v.l&cFuture != 0 && !v.maint {
		if v.l&cUpdate != 0 && v.l&cBad == 0 {
			return true // the next post
		}
		if v.l&cSeen == 0 && v.rt&cBad == 0 && v.l&(cMonitor|cUpdate|cRecov|cWeakRec|cWork) != 0 && !p.pureBad(v.lo, conn) && !p.willChange(v.a.sent) {
			return true
		}
	}
	if c&(cSeen|cMade) == 0 && p.hasText(v.near, conn, "avoid") || !v.r.opened && p.numbered(conn) {
		return true
	}
	if v.l&cBad == 0 && (p.advised(v.lo, conn) || p.calledOff(after, v.hi) || v.maint && p.putOff(v.lo, conn)) {
		return true
	}
	return c&cBad == 0 && p.harmlessThen(v)
}

// harmlessThen reports whether the sentence of a range, which names no trouble, tells something that hits nobody: figures, opening
// hours, a release, a drill, work on our plant.
func (p *parser) harmlessThen(v *setting) bool {
	conn := v.r.conn
	if p.openingHours(v.s.first, conn) || p.asMeant(v.b.last+1, v.hi) || !v.maint && p.hasText(v.lo, conn, "test", "drill", "exercise") {
		return true
	}
	if !p.tabled && p.figures(v.a.sent) || !v.maint && (p.released(v.near, conn) || p.plantWork(v.s)) {
		return !p.troubleAround(v.a.sent)
	}
	return false
}

// besideImpact reports whether a range tells of what went on beside impact: recovery, work, a wait, a peak, late effects.
func (p *parser) besideImpact(v *setting) bool {
	conn, after, l, rt := v.r.conn, v.b.last+1, v.l, v.rt
	switch {
	case l == 0 && rt&(cBad|cNeg) == 0 && p.says(after, min(v.hi, v.b.last+6))&cRecov != 0,
		l == 0 && rt&cProbe != 0 && rt&cBad == 0:
		return true // "08:55-09:30: normal operation", "09:00 - 11:00 | investigation"
	case v.s.c&cBad == 0 && p.hasText(conn-2, conn, "ran", "out", "delivered", "sent", "completed") && !p.hasText(conn-1, conn, "late"):
		return true // "jobs that were due then ran between": late, and no trouble of its own
	case v.maint && (p.hasText(v.near, conn, "overran", "overrun", "exceeded") || p.hasText(after, after+3, "late", "longer")):
		return true // "overran its window", "from A to B ended late"
	case conn-v.s.first <= 2 && !v.r.opened && p.teamWorks(after, v.hi), p.teamTries(after):
		return true // "16:00 to 16:40 We moved traffic away", "between 16:40 and 16:55, the team tried several things"
	case p.changeWent(v.a.first):
		return true // "the rollout of a change, which began at 21:02 and continued until 22:40"
	case l&cWait != 0:
		return true
	case l&cBad != 0:
		return false
	}
	return p.hasWord(v.lo, conn, wBackfill) || l&cPeak != 0 || rt&cBad == 0 &&
		(l&cMonitor != 0 || p.hasText(conn-5, conn, "work", "worked", "working") && p.hasText(v.lo, conn, "we", "engineers", "team"))
}

// changeWent reports whether what begins at token i is a change that "which" points back to.
func (p *parser) changeWent(i int) bool {
	for j := i - 1; j > 1 && j >= i-4; j-- {
		if id := p.t[j].w.id; id == wWhich {
			n := j - 1
			if p.t[n].k == kPunct {
				n--
			}
			return p.t[n].w.c&cChange != 0
		} else if id != wBegin && id != wStart && id != wAt {
			break
		}
	}
	return false
}

// plantWork reports whether a sentence begins with what we did to our plant, which by itself hits nobody: "we moved the traffic".
func (p *parser) plantWork(s *sentence) bool {
	j := p.firstWord(s)
	return p.hasText(j, j+1, "we") && p.hasText(j+1, j+3, "moved", "migrated", "upgraded", "shifted", "rolled", "deployed", "tested", "replaced")
}

// released reports whether the words between two tokens say that something new was put into service.
func (p *parser) released(lo, hi int) bool {
	return p.hasText(lo, hi, "version", "release", "update", "feature", "sdk") && p.hasText(lo, hi, "rolled", "deployed", "released", "shipped", "installed")
}

// anotherIncident reports whether a range, before which the tokens stand, dates an incident that is named only to tell it from this
// one: "whether it is related to the outage of", "unrelated to the incident on".
func (p *parser) anotherIncident(lo, hi int) bool {
	for j := lo; j+2 < hi; j++ {
		if p.t[j+1].w.id != wTo || p.says(j+2, hi)&cBad == 0 {
			continue
		}
		if p.hasText(j, j+1, "unrelated") || p.hasText(j, j+1, "related", "connected", "linked") && (p.negated(j) || p.hasText(j-4, j, "whether", "if")) {
			return true
		}
	}
	return false
}

// openingHours reports whether the words between two tokens say when people can be reached.
func (p *parser) openingHours(lo, hi int) bool {
	lo = max(lo, hi-12)
	return p.hasText(lo, hi, "available", "open", "closed", "staffed", "reachable", "hours") && p.hasText(lo, hi, "support", "team", "phone", "chat", "office", "desk", "hotline", "helpdesk", "opening", "business", "on-call")
}

// ofOthers reports whether the words before a range, from token lo, are about somebody else's trouble, which ours may follow.
func (p *parser) ofOthers(lo, hi int) bool {
	for j := hi - 1; j >= lo; j-- {
		switch p.text(j) {
		case "vendor", "upstream", "supplier", "third-party":
			return true
		case "provider", "carrier":
			if p.hasText(max(lo, j-4), j, "at", "of", "with", "our") {
				return true // "the outage at a large cloud provider"
			}
		case "their":
			if p.hasText(j+1, j+2, "incident", "outage", "side", "network", "maintenance", "disruption", "issue") {
				return true
			}
		case "customers", "users", "clients", "you", "your":
			return false
		}
	}
	return false
}

// theirSide reports whether the words after a point say that the trouble was on somebody else's side.
func (p *parser) theirSide(pt *point) bool {
	hi := p.sents[pt.sent].last
	for j := pt.last + 1; j+1 < hi && j < pt.last+maxClause; j++ {
		if p.hasText(j, j+1, "their") && p.hasText(j+1, j+2, "side", "end") {
			return true
		}
	}
	return false
}

// putOff reports whether the words between two tokens say that work planned for what follows will not be then: "had to postpone the
// maintenance of".
func (p *parser) putOff(lo, hi int) bool {
	for j := hi - 1; j >= lo && p.t[j].w.c&cRange == 0; j-- {
		if p.hasText(j, j+1, "postpone", "postponed", "cancel", "cancelled", "canceled", "reschedule", "rescheduled") {
			return true
		}
	}
	return false
}

// calledOff reports whether the words after a period of planned work say that it will not be then.
func (p *parser) calledOff(lo, hi int) bool {
	for j := lo; j < min(hi, lo+8); j++ {
		switch p.text(j) {
		case "cancelled", "canceled", "postponed", "rescheduled":
			return !p.negated(j)
		case "called":
			return p.hasText(j+1, j+2, "off")
		case "moved":
			return p.hasText(j+1, j+2, "to")
		}
		if k := p.t[j].k; k == kStop || k == kPara || k == kClock {
			break
		}
	}
	return false
}

// asMeant reports whether the words after a period say that what was made in it is as it should be.
func (p *parser) asMeant(lo, hi int) bool {
	for j := lo; j+1 < hi; j++ {
		if isBe(p.text(j)) && p.hasText(j+1, j+2, "correct", "accurate", "complete", "unaffected", "valid", "available") {
			return !p.negated(j)
		}
	}
	return false
}

// inOtherZone reports whether the range after index i tells the same period in another zone: "12:08 PM - 1:30 PM (19:08 - 20:30 UTC)".
func (p *parser) inOtherZone(i int) bool {
	if i+1 >= len(p.rngs) {
		return false
	}
	q, r := p.rngs[i], p.rngs[i+1]
	a, b := &p.pts[q.b], &p.pts[r.a]
	if a.sent != b.sent || !p.pts[r.b].hasZone && !b.hasZone {
		return false
	}
	zq, _ := p.zoneOf(q.a)
	zr, _ := p.zoneOf(r.a)
	ca, cb := spread(&p.pts[q.a], &p.pts[q.b])
	da, db := spread(b, &p.pts[r.b])
	const half = 12 * 3600
	if (cb-ca-db+da)%half != 0 || zq == zr && (p.pts[q.b].hasZone || ca == da) {
		return false
	}
	for j := a.last + 1; j < b.first; j++ {
		if t := &p.t[j]; t.k == kPunct && (t.p == '(' || t.p == '/' || t.p == '|') {
			return true
		}
	}
	return false
}

// everyDay reports whether a range recurs ("every day between 9 and 10", "on the second Saturday of the month").
func (p *parser) everyDay(r rng) bool {
	for j := r.conn - 1; j >= 0 && j >= r.conn-8 && p.t[j].k != kStop && p.t[j].k != kPara; j-- {
		switch p.text(j) {
		case "weekday", "weekdays", "weekly":
			return true
		case "month", "week":
			if j > 1 && p.hasText(j-3, j, "of") {
				return true
			}
		}
		if p.t[j].w.id == wEvery && j >= r.conn-4 && p.t[j+1].p != ')' {
			return true
		}
		if p.t[j].k == kClock {
			break
		}
	}
	for j := p.pts[r.b].last + 1; j < len(p.t) && j <= p.pts[r.b].last+3; j++ {
		if p.hasText(j, j+1, "weekly", "daily", "monthly") || p.t[j-1].k != kPara && p.hasText(j, j+1, "every", "each") {
			return true // "12 PM to 6 PM UTC, weekly on Tuesdays"
		}
		if t := &p.t[j]; t.k == kStop || t.k == kWord && t.w.id != wOn {
			return p.weekdays(r)
		}
	}
	return p.weekdays(r)
}

// weekdays reports whether a range of weekdays stands before a range of hours ("Monday to Friday, 08:00 to 18:00").
func (p *parser) weekdays(r rng) bool {
	j := p.pts[r.a].first
	if p.pts[r.a].date.m > 0 || p.pts[r.a].date.a > 0 {
		return false
	}
	if p.t[j].k != kWeek {
		for j = r.conn - 1; j >= 0 && j >= r.conn-2 && p.t[j].k != kWeek; j-- {
		}
	}
	return j > 1 && p.t[j].k == kWeek && p.joins(&p.t[j-1]) && p.t[j-2].k == kWeek
}

// semicolon returns the first semicolon between two tokens, else the second.
func (p *parser) semicolon(lo, hi int) int {
	p.looks += max(0, hi-lo)
	for j := lo; j < hi; j++ {
		if p.t[j].k == kPunct && p.t[j].p == ';' {
			return j
		}
	}
	return hi
}

// pureBad reports whether trouble is named between two tokens beside bare "issue" and "incident".
func (p *parser) pureBad(lo, hi int) bool {
	p.looks += max(0, hi-lo)
	for j := lo; j < hi; j++ {
		if c := p.t[j].w.c; c&cBad != 0 && c&cEvent == 0 {
			return true
		}
	}
	return false
}

// says joins the classes of the words between two tokens.
func (p *parser) says(lo, hi int) (c class) {
	p.looks += max(0, hi-lo)
	for j := lo; j < hi; j++ {
		c |= p.t[j].w.c
	}
	return c
}
