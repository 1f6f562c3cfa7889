package when

import (
	"slices"
	"strconv"
)

// check finds what contradicts itself: bounds against the post time, weekdays against dates, figures side by side.
func (p *parser) check() {
	p.checkPost()
	p.checkZone()
	p.checkCount()
	for k := range p.pts {
		p.checkWeekday(k)
		p.checkAlt(k)
	}
	for i := range p.out {
		for _, o := range p.out[i].Other {
			if o.Stage {
				continue
			}
			p.slips = append(p.slips, Conflict{Kind: TwoEnds, Span: i, A: clockText(p.out[i].End.Unix()), B: clockText(o.End.Unix())})
		}
	}
}

// checkZone tells where the text has clock times and names no zone for any of them.
func (p *parser) checkZone() {
	if p.isDoc || onlyDays(p.out) || p.kinds.has(kZone) {
		return
	}
	p.slips = append(p.slips, Conflict{Kind: NoZone, Span: -1, A: p.in.Zone})
}

// checkCount compares a number of periods that the text announces ("three interruptions") with how many it states.
func (p *parser) checkCount() {
	if len(p.out) < 2 || slices.ContainsFunc(p.out, func(s Span) bool { return s.Scope != p.out[0].Scope }) {
		return
	}
	for i := range p.t {
		if i+1 >= len(p.t) || p.t[i].k != kWord {
			continue
		}
		n, named := smallNumbers()[p.text(i)]
		noun := i + 1
		if p.t[noun].k == kWord && p.t[noun].w.c&cBad == 0 && noun+1 < len(p.t) {
			noun++ // "three short interruptions"
		}
		if !named || n < 2 || !p.hasText(i+1, noun+1, "windows", "periods", "outages", "interruptions", "disruptions", "incidents", "episodes", "waves", "occasions", "drops", "dips", "blips") {
			continue
		}
		if int(n) != len(p.out) {
			p.slips = append(p.slips, Conflict{Kind: CountDiffers, Span: -1, A: p.text(i), B: strconv.Itoa(len(p.out))})
		}
		return
	}
}

func clockText(u int64) string { return at(u).Format("15:04") }

// checkPost corrects slips that a single step explains, and reports what reaches past the post.
func (p *parser) checkPost() {
	post, posted := p.posted()
	if !posted || p.in.Maintenance {
		return
	}
	for i := range p.out {
		s := &p.out[i]
		if s.Planned {
			continue
		}
		if p.wrongYear(i, post) {
			continue
		}
		end := s.End
		if end.IsZero() {
			end = s.Start
		}
		if end.Unix() <= post+slack {
			if p.dayBefore(s, post) {
				p.slips = append(p.slips, Conflict{Kind: DayBefore, Span: i, A: clockText(end.Unix()), B: clockText(post)})
			}
			continue
		}
		from := end
		if fixed := p.oneStep(s, post); fixed != 0 {
			p.slips = append(p.slips, Conflict{Kind: WrongHalf, Span: i, A: from.Format("2006-01-02 15:04"), B: s.End.Format("2006-01-02 15:04")})
			continue
		}
		p.slips = append(p.slips, Conflict{Kind: AfterPost, Span: i, A: clockText(end.Unix()), B: clockText(post)})
	}
}

// edited is how long after its stamp a period without a day may end so that the post may have been changed after it.
const edited = 2 * 3600

// dayBefore reports whether a span was taken for the day before the post only because on the post's own day it would end soon
// after the stamp.
func (p *parser) dayBefore(s *Span, post int64) bool {
	end := s.End.Unix() + day
	return s.Guessed && !s.Start.IsZero() && !s.End.IsZero() && end > post+slack && end <= post+edited && !p.lookedBack(s.sent)
}

// oneStep moves a span back by half a day or a day when that puts its end into the hour before the post.
func (p *parser) oneStep(s *Span, post int64) int64 {
	end := s.End
	if end.IsZero() {
		end = s.Start
	}
	for _, step := range [...]int64{12 * 3600, day} {
		if e := end.Unix() - step; e <= post+slack && e > post-3600 {
			if !s.Start.IsZero() {
				s.Start = at(s.Start.Unix() - step)
			}
			if !s.End.IsZero() {
				s.End = at(s.End.Unix() - step)
			}
			return step
		}
	}
	return 0
}

// wrongYear corrects a span that lies a year away from the post.
func (p *parser) wrongYear(i int, post int64) bool {
	s := &p.out[i]
	ref := s.End
	if ref.IsZero() {
		ref = s.Start
	}
	for _, years := range [...]int{1, -1} {
		d := post - ref.AddDate(years, 0, 0).Unix()
		if d < -slack || d > 5*day {
			continue
		}
		old := ref
		if !s.Start.IsZero() {
			s.Start = s.Start.AddDate(years, 0, 0)
		}
		if !s.End.IsZero() {
			s.End = s.End.AddDate(years, 0, 0)
		}
		p.slips = append(p.slips, Conflict{Kind: WrongYear, Span: i, A: old.Format("2006"), B: at(post).Format("2006")})
		return true
	}
	return false
}

var dayNames = [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

func (p *parser) checkWeekday(k int) {
	pt := &p.pts[k]
	if !pt.hasDate || pt.date.weekday < 0 || pt.date.isRel {
		return
	}
	z, _ := p.zoneOf(k)
	d := p.days(pt.date, z)
	if d == noDay || weekday(d) == int(pt.date.weekday) || pt.date.m == 0 {
		return
	}
	p.slips = append(p.slips, Conflict{Kind: WrongWeekday, Span: -1, A: p.in.Text[pt.start:pt.end], B: dayNames[weekday(d)]})
}

// checkAlt compares two figures side by side.
func (p *parser) checkAlt(k int) {
	pt := &p.pts[k]
	if !pt.hasAlt || pt.altDate {
		return
	}
	in := p.at(k)
	if !in.ok {
		return
	}
	c := pt.altZone.civilOf(in.unix)
	want := pt.altClock
	diff := (c.secs - want) % (12 * 3600)
	if pt.altHalf != halfNone {
		diff = (c.secs - want) % day
	}
	if abs(diff) <= 60 {
		return
	}
	p.slips = append(p.slips, Conflict{Kind: ZonesDiffer, Span: -1, A: p.in.Text[pt.start:pt.end], B: clockText(in.unix)})
}
