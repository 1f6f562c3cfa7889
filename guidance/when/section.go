package when

// A sentence is a run of tokens between stops, line ends, bullets and headings.
type sentence struct {
	first, last int // token positions, last inclusive
	section     section
	item        bool // a list item
	c           class
	date        int  // the point that holds its first date, -1 none
	spared      bool // it says that there was no impact, and names no other trouble
	unreal      bool // it tells what would have been, or that there was nothing
	entry       bool // it opens a line of a timeline with its time
}

// section is the kind of heading that a sentence stands under.
type section uint8

const (
	secNone section = iota
	secSummary
	secImpact
	secTimeline
	secRoot // causes, technical analysis
	secFix  // corrective actions, prevention
)

// split numbers the sentences and finds the sections they stand under.
func (p *parser) split() {
	p.of = append(p.of[:0], make([]int32, len(p.t))...)
	cur := sentence{first: 0, date: -1}
	sec := secNone
	// a heading within a line ("10:00 - 10:20 UTC. Cause: a leak") holds for that line only
	before, inline := secNone, false
	flush := func(last int) {
		if last >= cur.first {
			cur.last, cur.section = last, sec
			p.sents = append(p.sents, cur)
		}
	}
	for i := 0; i < len(p.t); i++ {
		t := &p.t[i]
		if t.k < kStop && i > cur.first+1 {
			p.of[i] = int32(len(p.sents)) // neither a mark nor near the start of its sentence, as nearly all tokens
			cur.c |= t.w.c
			continue
		}
		switch t.k {
		case kStop:
			p.of[i] = int32(len(p.sents))
			flush(i)
			cur = sentence{first: i + 1, date: -1}
		case kPara, kItem, kHead:
			flush(i - 1)
			cur = sentence{first: i, item: t.k == kItem, date: -1}
			if inline && t.k != kHead {
				sec, inline = before, false
			}
		}
		if i == cur.first && p.label(i) {
			for n := i; n < i+2; n++ {
				p.of[n] = int32(len(p.sents))
			}
			flush(i + 1)
			cur = sentence{first: i + 2, date: -1}
			i++
			continue
		}
		if i == cur.first || i == cur.first+1 && p.t[cur.first].k != kWord {
			if s, n, ok := p.heading(i); ok {
				flush(i - 1)
				cur = sentence{first: i, date: -1}
				if !inline {
					before = sec
				}
				inline = i > 0 && p.t[i-1].k == kStop
				sec = s
				if len(p.sents) == 0 && (s == secRoot || s == secFix) {
					sec = secNone // "Root Cause Analysis", the title of it all
				}
				for ; i < n; i++ {
					p.of[i] = int32(len(p.sents))
					cur.c |= p.t[i].w.c
				}
				flush(n - 1)
				cur = sentence{first: n, date: -1}
				i = n - 1
				continue
			}
		}
		p.of[i] = int32(len(p.sents))
		cur.c |= t.w.c
	}
	flush(len(p.t) - 1)
	if len(p.sents) == 0 {
		p.sents = append(p.sents, sentence{date: -1, last: -1})
	}
	for i := range p.of {
		if int(p.of[i]) >= len(p.sents) {
			p.of[i] = int32(len(p.sents) - 1)
		}
	}
}

// label reports whether the phase of a post stands before its text ("Resolved - On April 28 …").
func (p *parser) label(i int) bool {
	if i+2 >= len(p.t) || p.t[i].k != kWord || p.t[i+1].k != kPunct || p.t[i+1].p != '-' && p.t[i+1].p != ':' {
		return false
	}
	return p.phaseWord(i)
}

// phaseWord reports whether token i is what pages call the phase of a post.
func (p *parser) phaseWord(i int) bool {
	return p.hasText(i, i+1, "resolved", "monitoring", "update", "investigating", "identified", "completed", "scheduled", "postmortem", "verifying")
}

// heading reads a section heading at token i; n is the first token after it.
func (p *parser) heading(i int) (s section, n int, ok bool) {
	marked := i > 0 && p.t[i-1].k == kHead || p.t[i].k == kHead
	j := i
	if p.t[j].k == kHead {
		j++
	}
	main := 0
	for ; j < len(p.t) && j < i+8; j++ {
		t := &p.t[j]
		if t.k == kPunct && (t.p == '&' || t.p == '/') && main > 0 {
			continue
		}
		if t.k != kWord || t.w.c&cHead == 0 && t.w.id != wAnd && t.w.id != wThe && t.w.id != wTo && t.w.id != wWas && t.w.id != wWere && t.w.id != wNext {
			break
		}
		if t.w.c&cHead != 0 && main == 0 && !p.capital(t) && (t.w.id != wRoot || j == i) {
			return 0, 0, false
		}
		switch t.w.id {
		case wTimeline:
			s, main = secTimeline, 9
		case wSummary:
			s, main = pick(s, secSummary, main, 3), max(main, 3)
		case wImpact:
			s, main = pick(s, secImpact, main, 4), max(main, 4)
		case wRoot, wCause, wDetection:
			s, main = pick(s, secRoot, main, 5), max(main, 5)
		case wResolution, wMitigation, wCorrective, wPrevention:
			s, main = pick(s, secFix, main, 5), max(main, 5)
		case wWhat, wHow:
			s, main = pick(s, secNone, main, 1), max(main, 1)
		case wNone, wFurther:
			if p.low[t.start:t.end] == "prevent" || p.low[t.start:t.end] == "analysis" {
				s, main = secFix, max(main, 5)
			}
		}
	}
	if main == 0 || j == i || j >= len(p.t) {
		return 0, 0, false
	}
	t := &p.t[j]
	if p.hasText(j, j+1, "time", "date") {
		return 0, 0, false // the label "Resolution time:"
	}
	switch {
	case t.k == kPara || t.k == kHead || t.k == kItem || t.k == kStop && main > 1 || t.k == kStop && j-i >= 2:
	case t.k == kPunct && (t.p == ':' || t.p == '(' || t.p == '-'):
	case t.k == kClock || t.k == kDate || t.k == kWeek:
		// "Impact 10:00", but "Impact occurred …" has a verb
	case (t.k == kWord) && p.capital(t) && p.capital(&p.t[j-1]) && main > 1:
	case marked && main > 1 && p.capital(t):
	default:
		return 0, 0, false
	}
	if main == 1 && !marked && t.k == kWord {
		return 0, 0, false
	}
	return s, j, true
}

func pick(old, new section, main, weight int) section {
	if main > weight {
		return old
	}
	return new
}
