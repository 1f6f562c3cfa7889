package when

// maxLabel is how many words the label of a time may have ("Date and time of the event:").
const maxLabel = 9

// judgeLabel reads a time after a label of its own ("Restoration time: 10:00", "| Resolved | 10:00 |"); ok is false where none
// stands before it, or where it does not say what the time bounds.
func (p *parser) judgeLabel(k int) (m mark, ok bool) {
	pt := &p.pts[k]
	lo := p.labelStart(k)
	if lo < 0 {
		return mark{}, false
	}
	var has struct{ start, end, noun, closed, seen, news, future bool }
	for j := lo; j < pt.first; j++ {
		t := &p.t[j]
		if t.k != kWord {
			continue
		}
		has.future = has.future || t.w.c&cFuture != 0
		switch t.w.id {
		case wStart, wBegin:
			has.start = true
			continue
		case wEnd, wUntil, wLast:
			has.end = true
			continue
		case wResolution:
			has.end = true
			continue
		case wFrom:
			has.start = true
			continue
		case wTo:
			has.end = has.end || j == lo || j == pt.first-2
			continue
		}
		switch p.text(j) {
		case "restored", "recovered", "finish", "finished", "finishes", "fixed", "cleared", "stop":
			has.end = true
		case "fix", "resolved", "closed", "mitigated", "mitigation", "completed", "completion":
			has.closed = true
		case "first", "onset":
			has.start = true
		case "event", "occurred", "occurrence", "down", "failure", "outage", "duration":
			has.noun = true
		case "reported", "detected", "detection", "identified", "alerted", "acknowledged", "declared", "opened", "raised", "noticed", "alert", "alarm":
			has.seen = true
		case "published", "update", "updated", "posted", "created", "written", "review", "permanent":
			has.news = true
		}
	}
	switch {
	case has.future, has.start && has.end, !has.noun && !has.start && !has.end && !has.closed && !has.seen && !has.news:
		return mark{}, false
	case has.news:
		return mark{}, true
	case has.end:
		return mark{role: roleRecovery, strength: 3}, true
	case (has.start || has.noun) && !has.seen:
		return mark{role: roleOnset, strength: 3}, true
	case has.closed:
		return mark{role: roleRecovery, strength: 2}, true
	}
	return mark{role: roleOnset, strength: 1, probe: true, needsEnd: true}, true
}

// labelAbove returns the first token of the label that is alone in the line before a point that is alone in its own ("Started" over
// "10 June, 03:58 UTC"), -1 where there is none.
func (p *parser) labelAbove(pt *point) int {
	ends := func(j int) bool { return j < 0 || j >= len(p.t) || p.t[j].k == kPara }
	if pt.first < 2 || p.t[pt.first-1].k != kPara || !ends(pt.last+1) {
		return -1
	}
	j := pt.first - 2
	if j > 0 && p.t[j].k == kPara {
		j-- // a blank line between them
	}
	label := j
	for n := 0; n < 4 && !ends(j) && p.t[j].k == kWord; n++ {
		j--
	}
	if !ends(j) || j == label {
		return -1
	}
	return j + 1
}

// labelStart returns the first token of the label that stands before point k with a colon, -1 where there is none.
func (p *parser) labelStart(k int) int {
	pt := &p.pts[k]
	if lo := p.labelAbove(pt); lo >= 0 {
		return lo
	}
	if j := pt.first - 1; j < 0 || p.t[j].k != kPunct || p.t[j].p != ':' {
		return -1
	}
	lo := max(p.sents[pt.sent].first, pt.first-1-maxLabel)
	for j := pt.first - 2; j >= lo; j-- {
		t := &p.t[j]
		if t.k == kPara || t.k == kItem || t.k == kStop || t.k == kHead || t.k == kClock || t.k == kDate || t.k == kZone || t.k == kPunct && t.p != '/' && t.p != '(' && t.p != ')' && t.p != '-' {
			lo = j + 1
			break
		}
	}
	if lo >= pt.first-1 || p.t[lo].k == kNum && lo+1 >= pt.first-1 {
		return -1
	}
	return lo
}
