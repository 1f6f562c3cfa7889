package when

import "strconv"

// bounds resolves a range.
func (p *parser) bounds(r rng) (s, e instant) {
	a, b := &p.pts[r.a], &p.pts[r.b]
	za, _ := p.zoneOf(r.a)
	zb, _ := p.zoneOf(r.b)
	ca, cb := spread(a, b)
	if a.altDate || b.altDate || a.hasAlt && a.hasDate {
		s, e = p.at(r.a), p.at(r.b)
		for n := 0; s.ok && e.ok && e.unix < s.unix && n < 1; n++ {
			e.unix += day
		}
		return s, e
	}
	d, own, ok := p.dateFor(r.a)
	switch {
	case ok && d.smallHours(a):
		d.rel++
	case ok && d.half == halfPM && a.ampm == halfNone && !a.h24 && b.ampm == halfNone && !b.h24 && cb <= 12*3600:
		ca, cb = ca+12*3600, cb+12*3600
	}
	if !ok {
		return p.byPost(za, zb, ca, cb)
	}
	if !own {
		if e, again := p.toldBefore(r); again {
			d = e // the same period once more
		} else if cb < ca {
			d = p.firstNight(d)
		}
	}
	da := p.days(d, za)
	if da == noDay {
		return p.byPost(za, zb, ca, cb)
	}
	s = instant{unix: za.unix(civil{da, ca}), inherit: !own, ok: true}
	if b.hasDate && a.hasDate {
		if db := p.days(b.date, zb); db != noDay {
			if db < da-300 && b.date.m == a.date.m && b.date.d >= a.date.d {
				db = p.days(dateVal{y: a.date.y, m: b.date.m, d: b.date.d, weekday: -1}, zb) // a year typed wrong
			}
			e = instant{unix: zb.unix(civil{db, cb}), ok: true}
			if !b.hasClock {
				e.unix = zb.unix(civil{db + 1, 0})
			}
			return s, e
		}
	}
	e = instant{unix: zb.unix(civil{da, cb}), inherit: !own, ok: true}
	if e.unix < s.unix {
		if b.hasDate && !a.hasDate {
			s.unix = za.unix(civil{da - 1, ca})
		} else {
			e.unix = zb.unix(civil{da + 1, cb})
		}
	}
	// a day inherited from "today" or from another sentence must not put a finished period after the post
	if post, posted := p.posted(); posted && d.isRel && e.unix > post+slack && !p.in.Maintenance && p.sents[a.sent].c&cFuture == 0 {
		s.unix, e.unix = s.unix-day, e.unix-day
	}
	return s, e
}

// toldBefore returns the date of the first period of the text with the same two times and a date of its own.
func (p *parser) toldBefore(r rng) (dateVal, bool) {
	a, b := &p.pts[r.a], &p.pts[r.b]
	for i := range min(len(p.rngs), 16) {
		q := p.rngs[i]
		if q.a >= r.a {
			break
		}
		x, y := &p.pts[q.a], &p.pts[q.b]
		if x.clock != a.clock || y.clock != b.clock || x.ampm != a.ampm || y.ampm != b.ampm || !x.hasClock || !y.hasClock {
			continue
		}
		if d, own, ok := p.dateFor(q.a); ok && own || ok && y.hasDate {
			return d, true
		}
	}
	return dateVal{}, false
}

// firstNight takes, for a period over midnight, the first of two days that the text joins ("the night of 9 to 10 August").
func (p *parser) firstNight(d dateVal) dateVal {
	for _, r := range p.rngs {
		if a, b := &p.pts[r.a].date, &p.pts[r.b].date; r.days && *b == d && p.days(*a, zoneUTC) == p.days(d, zoneUTC)-1 {
			return *a
		}
	}
	for k := range p.pts {
		if pt := &p.pts[k]; pt.hasDate && pt.date == d && pt.first > 1 && p.t[pt.first-1].p == '/' && p.text(pt.first-2) == strconv.Itoa(int(d.d-1)) {
			d.d-- // "30/31 May"
			return d
		}
	}
	return d
}

// byPost places a range without any date: the last time it was over before the post; planned work comes after it.
func (p *parser) byPost(za, zb zone, ca, cb int64) (s, e instant) {
	post, posted := p.posted()
	if !posted {
		return
	}
	e = instant{unix: p.latest(zb, cb, post), guessed: true, ok: true}
	day0 := za.civilOf(e.unix).days
	s = instant{unix: za.unix(civil{day0, ca}), guessed: true, ok: true}
	for s.unix > e.unix {
		day0--
		s.unix = za.unix(civil{day0, ca})
	}
	if e.unix-s.unix > day {
		s.unix = za.unix(civil{day0 + 1, ca})
	}
	return s, e
}

// spread lets am and pm hold for both ends of a range.
func spread(a, b *point) (ca, cb int64) {
	ca, cb = a.clock, b.clock
	const half = 12 * 3600
	switch {
	case a.ampm == halfNone && b.ampm != halfNone && !a.h24 && a.clock >= 3600 && a.clock < 13*3600 && !a.hasAlt:
		h := ca % half
		am, pm := h, h+half
		ca = am
		if b.ampm == halfPM {
			ca = pm
			if !a.hasDate && !b.hasDate || a.hasDate != b.hasDate {
				if pm > cb && am <= cb {
					ca = am
				}
			}
		}
	case b.ampm == halfNone && a.ampm != halfNone && !b.h24 && b.clock >= 3600 && b.clock < 13*3600 && !b.hasAlt:
		h := cb % half
		switch {
		case h >= ca:
			cb = h
		case h+half >= ca:
			cb = h + half
		default:
			cb = h
		}
	}
	return ca, cb
}
