package when

// minLines is how many lines must begin with a time to make a timeline of them.
const minLines = 3

// lines finds the timelines that have no heading: three or more lines that begin with a time.
func (p *parser) lines() {
	var found, alone []int
	for k := range p.pts {
		if pt := &p.pts[k]; pt.hasClock && p.alone(pt) {
			alone = append(alone, k)
		}
		if pt := &p.pts[k]; pt.hasClock && p.opensLine(pt) {
			found = append(found, pt.sent)
		}
		p.semicolons(k)
	}
	if len(alone) > 1 {
		for _, k := range alone {
			p.pts[k].entry = true
		}
	}
	if len(found) < minLines {
		return
	}
	for _, n := range found {
		s := &p.sents[n]
		s.entry = true
		if s.section == secNone {
			s.section = secTimeline
		}
	}
}

// alone reports whether a point is all of its line and heads the text in the next: "14:28 UTC", and under it "Performance has
// stabilized".
func (p *parser) alone(pt *point) bool {
	n := pt.last + 1
	if pt.first > 0 && p.t[pt.first-1].k != kPara || n >= len(p.t) || p.t[n].k != kPara || p.labelAbove(pt) >= 0 {
		return false
	}
	for n < len(p.t) && p.t[n].k == kPara && n < pt.last+4 {
		n++
	}
	return n+2 < len(p.t) && p.t[n].k == kWord && p.t[n+1].k == kWord && p.t[n+2].k == kWord
}

// semicolons makes entries of three or more times from point k on that semicolons part ("18:26 first report; 18:33 confirmed; …").
func (p *parser) semicolons(k int) {
	if p.pts[k].entry {
		return
	}
	n := k
	for n+1 < len(p.pts) && p.pts[n+1].sent == p.pts[k].sent && p.opensPart(&p.pts[n+1]) {
		n++
	}
	if n-k+1 < minLines || p.pts[k].last+1 >= len(p.t) || p.t[p.pts[k].last+1].k != kWord {
		return
	}
	for i := k; i <= n; i++ {
		p.pts[i].entry = p.pts[i].hasClock
	}
}

// opensPart reports whether a point stands between a semicolon and a word.
func (p *parser) opensPart(pt *point) bool {
	return pt.hasClock && p.t[pt.first-1].k == kPunct && p.t[pt.first-1].p == ';' && pt.last+1 < len(p.t) && p.t[pt.last+1].k == kWord
}

// opensLine reports whether a point is the first thing of its line, or of its sentence, and words follow it.
func (p *parser) opensLine(pt *point) bool {
	j := pt.first - 1
	for n := 0; j >= 0 && n < 2 && p.t[j].k == kPunct && p.t[j].p != ':'; n++ {
		j--
	}
	if j >= 0 && p.t[j].k != kPara && p.t[j].k != kItem && (p.t[j].k != kStop || pt.last+1 >= len(p.t) || p.t[pt.last+1].k != kWord) {
		return false
	}
	n := pt.last + 1
	for n < len(p.t) && p.t[n].k == kPunct && n < pt.last+4 {
		if p.t[n].p == '-' && n+1 < len(p.t) && p.t[n+1].k == kClock {
			return false // a range
		}
		n++
	}
	return n < len(p.t) && p.t[n].k != kPara && p.t[n].k != kStop && p.t[n].k != kClock && p.t[n].k != kDate
}

// lineEnd returns the token after the last of the line that holds token j, or that follows it where j ends a line.
func (p *parser) lineEnd(j int) int {
	hi := min(len(p.t), j+maxClause)
	for j < hi && p.t[j].k == kPara {
		j++ // the time is alone in its line
	}
	for ; j < hi; j++ {
		if k := p.t[j].k; k == kPara || k == kItem {
			break
		}
	}
	return j
}
