package when

import (
	"bytes"
	"strings"
)

// slack is how long after its post time a text may still speak of as past, in seconds: posts are stamped a little early.
const slack = 5 * 60

// noDay marks a date that cannot be told.
const noDay = int64(-1 << 40)

// posted is the post time in seconds, ok false where it is not known.
func (p *parser) posted() (int64, bool) {
	if p.in.Posted.IsZero() {
		return 0, false
	}
	return p.in.Posted.Unix(), true
}

// docZone finds a line that sets the zone of all times, and turns "CST" to China's where the text is about China.
func (p *parser) docZone() {
	central := false
	for k := range p.pts {
		central = central || p.pts[k].z == zoneCentral
	}
	if central && (has(p.b, "china") || has(p.b, "beijing") || has(p.b, "shanghai")) {
		for k := range p.pts {
			if p.pts[k].z == zoneCentral {
				p.pts[k].z = zoneChina
			}
		}
	}
	for i := 0; i < len(p.t) && p.kinds.has(kZone) && !p.isDoc; i++ {
		if p.t[i].k != kZone {
			continue
		}
		// "all times (are) in UTC", "Timeline (UTC)", "times stated in UTC"
		for j := i - 1; j >= 0 && j >= i-5; j-- {
			w := p.t[j].w.id
			if p.t[j].k == kStop || p.t[j].k == kClock {
				break
			}
			if w == wTimes || w == wTimeline || w == wImpact && j == i-2 {
				p.doc, p.isDoc = p.t[i].zone(), true
				break
			}
		}
	}
}

func has(b []byte, s string) bool { return bytes.Contains(b, []byte(s)) }

// zoneOf gives the zone of a point: its own, its partner's, the document's, the nearest in the text, the provider's, UTC.
func (p *parser) zoneOf(k int) (z zone, stated bool) {
	pt := &p.pts[k]
	if pt.hasZone {
		return pt.z, true
	}
	if pt.rng >= 0 {
		r := p.rngs[pt.rng]
		o := r.a + r.b - k
		if p.pts[o].hasZone {
			return p.pts[o].z, true
		}
	}
	if p.isDoc {
		return p.doc, true
	}
	for d := 1; d <= 12; d++ {
		if k-d >= 0 && p.pts[k-d].hasZone && !p.stamp(k-d) {
			return p.pts[k-d].z, true
		}
		if k+d < len(p.pts) && p.pts[k+d].hasZone && !p.stamp(k+d) {
			return p.pts[k+d].z, true
		}
	}
	if z, ok := zoneIANA()[strings.ToLower(p.in.Zone)]; ok {
		return z, false
	}
	return zoneUTC, false
}

// stamp reports whether point k is the stamp of a post, which may be in the reader's zone: "Posted May 19, 2020 - 01:00 AEST".
func (p *parser) stamp(k int) bool {
	return p.pts[k].first > 0 && p.hasText(p.pts[k].first-1, p.pts[k].first, "posted")
}

// dateFor finds the date of a point: its own, its partner's, its sentence's, the last before it, the next after it.
func (p *parser) dateFor(k int) (d dateVal, own, ok bool) {
	pt := &p.pts[k]
	if pt.hasDate {
		return pt.date, true, true
	}
	if pt.rng >= 0 {
		r := p.rngs[pt.rng]
		if o := &p.pts[r.a+r.b-k]; o.hasDate {
			return o.date, false, true
		}
	}
	s := &p.sents[pt.sent]
	// the last date before it in its sentence, else the first of the sentence
	for j := k - 1; j >= 0 && j >= k-6 && p.pts[j].sent == pt.sent; j-- {
		if p.pts[j].hasDate && !(j > 0 && p.dateOfChange(&p.pts[j])) {
			return p.pts[j].date, false, true
		}
	}
	near := s.date >= 0 && !p.idle(s.date)
	if near && !(s.date > k && p.pts[s.date].hasClock) {
		return p.pts[s.date].date, false, true
	}
	for j, n := k-1, 0; j >= 0 && n < 40; j, n = j-1, n+1 {
		if p.pts[j].hasDate && !p.idle(j) {
			return p.pts[j].date, false, true
		}
	}
	if near {
		return p.pts[s.date].date, false, true // it stands with a later time of the sentence, and the text has none before
	}
	for j, n := k+1, 0; j < len(p.pts) && n < 12; j, n = j+1, n+1 {
		if p.pts[j].hasDate && !p.idle(j) && !p.pts[j].date.isRel && !p.comes(j) {
			return p.pts[j].date, false, true
		}
	}
	return dateVal{}, false, false
}

// comes reports whether the date of a point lies ahead of the post: it is that of a report or review to come, and dates
// nothing that was told before it.
func (p *parser) comes(k int) bool {
	post, posted := p.posted()
	if !posted || p.in.Maintenance {
		return false
	}
	z, _ := p.zoneOf(k)
	d := p.pts[k].date
	if d.m > 0 && d.y == 0 {
		y, _, _ := dateOf(z.civilOf(post).days)
		d.y = int16(y) // this year's, even if it lies ahead
	}
	days := p.days(d, z)
	return days != noDay && days > z.civilOf(post).days
}

// idle reports whether the date of a point belongs to an announcement (next update, estimate) and dates nothing else.
func (p *parser) idle(k int) bool {
	pt := &p.pts[k]
	if p.in.Maintenance {
		return false
	}
	if k > 0 && p.dateOfChange(pt) {
		return true
	}
	lo := max(p.sents[pt.sent].first, pt.first-12)
	for j := pt.first - 1; j >= lo; j-- {
		if t := &p.t[j]; t.k == kWord && t.w.c&(cFuture|cUpdate) == cFuture && t.w.c&cBad == 0 && !p.hasText(j+1, j+2, "down", "offline", "live") {
			return p.sents[pt.sent].c&cMaint == 0
		}
	}
	return false
}

// dateOfChange reports whether a date says when something had been rolled out before ("that had been merged on May 28th").
func (p *parser) dateOfChange(pt *point) bool {
	if pt.hasClock || pt.first < 3 || p.t[pt.first-1].w.id != wOn || p.t[pt.first-2].w.c&cWork == 0 {
		return false
	}
	for j := pt.first - 3; j >= 0 && j >= pt.first-5; j-- {
		if p.t[j].w.id == wHad {
			return true
		}
	}
	return false
}

// days turns a date into days since 1970 in a zone; noDay where the text and the post time do not tell.
func (p *parser) days(d dateVal, z zone) int64 {
	post, posted := p.posted()
	today := noDay
	if posted {
		today = z.civilOf(post).days
	}
	switch {
	case d.isRel:
		if !posted {
			return noDay
		}
		return today + int64(d.rel)
	case d.isWeek:
		return p.weekDay(int64(d.weekday), today)
	case d.dayOnly:
		if !posted {
			return noDay
		}
		y, m, _ := dateOf(today)
		for n := 0; n < 3; n++ {
			if validDate(y, m, int(d.d)) {
				if v := daysOf(y, m, int(d.d)); v <= today || p.in.Maintenance {
					return v
				}
			}
			if m--; m == 0 {
				y, m = y-1, 12
			}
		}
		return noDay
	case d.m > 0:
		return p.yearly(int(d.y), int(d.m), int(d.d), today)
	}
	md, dm := noDay, noDay
	y, a, b := int(d.y), int(d.a), int(d.b)
	first := p.order()
	if a <= 12 && first != dayFirst && validDate(y, a, b) {
		md = p.yearly(y, a, b, today)
	}
	if b <= 12 && first != monthFirst && validDate(y, b, a) {
		dm = p.yearly(y, b, a, today)
	}
	return p.chooseOrder(md, dm, today, z)
}

// dateOrder is what stands first in the numeric dates of a text.
type dateOrder uint8

const (
	anyOrder dateOrder = iota
	dayFirst
	monthFirst
)

// order tells from the numeric dates of the text that can be read in one way only what stands first in all of them.
func (p *parser) order() dateOrder {
	for i := range p.dates {
		switch d := &p.dates[i]; {
		case d.a > 12:
			return dayFirst
		case d.b > 12:
			return monthFirst
		}
	}
	return anyOrder
}

// weekDay finds the day that a lone weekday means: the nearest to a date of the text, else the last before the post, for
// planned work the next.
func (p *parser) weekDay(week, today int64) int64 {
	for k := 0; k < len(p.pts) && k < 60; k++ {
		if d := p.pts[k].date; p.pts[k].hasDate && d.m > 0 && !p.idle(k) {
			base := p.yearly(int(d.y), int(d.m), int(d.d), today)
			if base == noDay {
				continue
			}
			return base + (week-int64(weekday(base))+10)%7 - 3
		}
	}
	switch {
	case today == noDay:
		return noDay
	case p.in.Maintenance:
		return today + (week-int64(weekday(today))+7)%7
	}
	return today - (int64(weekday(today))-week+7)%7
}

// chooseOrder settles month/day against day/month: the reading that falls on or just before the post, for planned work the
// nearest to it, then the writer's habit.
func (p *parser) chooseOrder(md, dm, today int64, z zone) int64 {
	switch {
	case md == noDay:
		return dm
	case dm == noDay || md == dm:
		return md
	case today != noDay && p.in.Maintenance:
		if abs(md-today) <= abs(dm-today) {
			return md
		}
		return dm
	}
	if today != noDay {
		mdPast, dmPast := md <= today+1, dm <= today+1
		switch {
		case mdPast != dmPast && mdPast:
			return md
		case mdPast != dmPast:
			return dm
		case mdPast && today-md <= 7 && today-dm > 7:
			return md
		case mdPast && today-dm <= 7 && today-md > 7:
			return dm
		}
	}
	if z.rule == dstUS {
		return md
	}
	return dm
}

// yearly completes a date without a year: by another date of the text, else the latest not after the post.
func (p *parser) yearly(y, m, d int, today int64) int64 {
	if y > 0 {
		return daysOf(y, m, d)
	}
	if r := p.yearStated(m, d); r != noDay && (today == noDay || r <= today+2 || p.in.Maintenance) {
		return r
	}
	if today == noDay {
		return noDay
	}
	y, _, _ = dateOf(today)
	best := noDay
	for c := y + 1; c >= y-4; c-- {
		if !validDate(c, m, d) {
			continue
		}
		v := daysOf(c, m, d)
		if p.in.Maintenance {
			if best == noDay || abs(v-today-20) < abs(best-today-20) {
				best = v
			}
			continue
		}
		if v <= today+2 {
			if ahead := best; ahead != noDay && today-v > 300 && ahead-today < 60 {
				return ahead // an announcement, not last year's
			}
			return v
		}
		best = v
	}
	return best
}

// yearStated takes the year from a date of the text that has one, so that both lie as near as can be.
func (p *parser) yearStated(m, d int) int64 {
	for k := 0; k < len(p.pts) && k < 60; k++ {
		o := p.pts[k].date
		if !p.pts[k].hasDate || o.y == 0 || o.m == 0 {
			continue
		}
		base, best := daysOf(int(o.y), int(o.m), int(o.d)), noDay
		for c := int(o.y) - 1; c <= int(o.y)+1; c++ {
			if !validDate(c, m, d) {
				continue
			}
			if v := daysOf(c, m, d); best == noDay || abs(v-base) < abs(best-base) {
				best = v
			}
		}
		return best
	}
	return noDay
}

func abs(a int64) int64 {
	if a < 0 {
		return -a
	}
	return a
}

// An instant is a point in absolute time.
type instant struct {
	unix    int64
	guessed bool // the day comes from the post time
	inherit bool // the day comes from elsewhere in the text
	ok      bool
}

// at resolves a lone point.
func (p *parser) at(k int) instant {
	pt := &p.pts[k]
	z, _ := p.zoneOf(k)
	d, own, ok := p.dateFor(k)
	clock := pt.clock
	switch {
	case ok && d.smallHours(pt):
		d.rel++
	case ok && d.half == halfPM && pt.ampm == halfNone && !pt.h24 && clock < 12*3600:
		clock += 12 * 3600
	}
	if ok {
		if pt.altDate {
			if days := p.days(d, pt.altZone); days != noDay {
				u := pt.altZone.unix(civil{days, pt.altClock})
				return instant{unix: nearestClock(u, z, pt.clock), inherit: !own, ok: true}
			}
		}
		if days := p.days(d, z); days != noDay {
			in := instant{unix: z.unix(civil{days, clock}), inherit: !own, ok: true}
			if post, posted := p.posted(); posted && d.isRel && in.unix > post+slack && !p.in.Maintenance {
				switch {
				case clock != pt.clock: // "tonight at 4:00" told at noon: the small hours
					in.unix -= clock - pt.clock
				case !own:
					in.unix -= day
				}
			}
			return in
		}
	}
	post, posted := p.posted()
	if !posted {
		return instant{}
	}
	return instant{unix: p.latest(z, clock, post), guessed: true, ok: true}
}

// smallHours reports whether a time of the night after a relative day falls on the next one ("last night at 03:12").
func (d *dateVal) smallHours(pt *point) bool {
	if !d.isRel || !d.night || pt.ampm == halfPM {
		return false
	}
	if pt.ampm == halfAM || pt.h24 {
		return pt.clock < 9*3600
	}
	return pt.clock < 5*3600
}

// latest returns the last time the clock showed this before the post; for planned work the next.
func (p *parser) latest(z zone, clock, post int64) int64 {
	today := z.civilOf(post).days
	if p.in.Maintenance {
		u := z.unix(civil{today, clock})
		if u < post-6*3600 {
			u = z.unix(civil{today + 1, clock})
		}
		return u
	}
	for d := today + 1; ; d-- {
		if u := z.unix(civil{d, clock}); u <= post+slack || d < today-1 {
			return u
		}
	}
}

// nearestClock returns the instant nearest to u at which the zone's clock shows clock.
func nearestClock(u int64, z zone, clock int64) int64 {
	c := z.civilOf(u)
	best := z.unix(civil{c.days, clock})
	for _, d := range [...]int64{-1, 1} {
		if v := z.unix(civil{c.days + d, clock}); abs(v-u) < abs(best-u) {
			best = v
		}
	}
	return best
}
