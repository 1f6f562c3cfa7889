package when

import "bytes"

// digits reads what begins with a digit at i: a date, a clock time, a length, or a number that means nothing here.
func (l *lexer) digits(i int) int {
	b := l.b
	j := i
	for j < len(b) && isDigit(b[j]) {
		j++
	}
	if l.partOfCode(i) {
		return l.junk(i, j)
	}
	n := j - i
	if n == 10 && l.epochBefore() {
		return l.epoch(i, j)
	}
	if n > 4 {
		return l.junk(i, j)
	}
	v := 0
	for k := i; k < j; k++ {
		v = v*10 + int(b[k]-'0')
	}
	if n == 4 {
		if e, ok := l.isoDate(i, j, v); ok {
			return e
		}
	}
	if n <= 2 {
		if e, ok := l.clock(i, j, v); ok {
			return e
		}
		if e, ok := l.oClock(i, j, v); ok {
			return e
		}
		if e, ok := l.numericDate(i, j, v); ok {
			return e
		}
		if e, ok := l.dayMonth(i, j, v); ok {
			return e
		}
	}
	if n >= 3 {
		if e, ok := l.compactClock(i, j, v); ok {
			return e
		}
	}
	if n == 1 && (v == 4 || v == 5) && bytes.HasPrefix(l.b[j:], []byte("xx")) {
		l.add(token{k: kWord, start: int32(i), end: int32(j + 2), w: trouble}) // "5xx"
		return j + 2
	}
	if e, ok := l.decimalLength(i, j, v); ok {
		return e
	}
	if n == 3 && failureCode(int32(v)) && j < len(l.b) && l.b[j] == 's' && (j+1 == len(l.b) || !isLetter(l.b[j+1])) {
		l.add(token{k: kWord, start: int32(i), end: int32(j + 1), w: trouble}) // "504s"
		return j + 1
	}
	if e, ok := l.length(i, j, int64(v)); ok {
		return e
	}
	return l.plain(i, j, v)
}

// epochBefore reports whether the words before ten digits make them seconds since 1970: "Start: 1777709520".
func (l *lexer) epochBefore() bool {
	for k := len(l.t) - 1; k >= 0 && k >= len(l.t)-3; k-- {
		t := &l.t[k]
		if t.k == kPunct && (t.p == ':' || t.p == '-' || t.p == '(') || t.k == kWord && t.w.c&cPrep != 0 {
			continue
		}
		if t.k != kWord {
			return t.k == kZone && k > 0 && l.t[k-1].k == kClock // the end of a range of two
		}
		switch string(l.b[t.start:t.end]) {
		case "unix", "epoch", "timestamp", "timestamps":
			return true
		}
		return t.w.c&(cOpen|cRange|cOnset|cEnd) != 0 || t.w.id == wAnd || t.w.id == wSince
	}
	return false
}

// epoch adds the day, time and zone of ten digits that count the seconds since 1970.
func (l *lexer) epoch(i, j int) int {
	v := int64(0)
	for k := i; k < j; k++ {
		v = v*10 + int64(l.b[k]-'0')
	}
	c := zoneUTC.civilOf(v)
	y, m, d := dateOf(c.days)
	if y > 2099 {
		return l.junk(i, j)
	}
	l.addDate(i, j, false, dateVal{y: int16(y), m: int16(m), d: int16(d), weekday: -1})
	l.add(token{k: kClock, start: int32(i), end: int32(j), val: int32(c.secs), num: 24})
	l.addZone(i, j, zoneUTC)
	return j
}

// partOfCode reports whether the digits at i continue a name, a version or a fraction.
func (l *lexer) partOfCode(i int) bool {
	if i == 0 {
		return false
	}
	b := l.b
	switch p := b[i-1]; {
	case isLetter(p):
		// words take their own digits; letters directly before are the "t" of ISO or a known word
		if n := len(l.t); n > 0 && int(l.t[n-1].end) == i && (l.t[n-1].k == kDate || l.t[n-1].k == kZone || l.t[n-1].k == kWord && l.t[n-1].w.id != wNone) {
			return false
		}
		return p != 't'
	case p == '=':
		return i+4 >= len(b) || b[i+4] != '-' // "start=2026-02-22T17:00Z" is a time
	case p == '_' || p == '#' || p == '$' || p == '@':
		return true
	case p == '.':
		return i > 1 && (isLetter(b[i-2]) && !(i > 2 && b[i-2] == 'm') || isDigit(b[i-2]))
	case p == '-' && i > 1 && isLetter(b[i-2]):
		n := len(l.t)
		// the dash was taken as a token of its own when the word before is a zone or am/pm
		if n > 1 && l.t[n-1].k == kPunct && (l.t[n-2].k == kZone || l.t[n-2].k == kClock || l.t[n-2].k == kDate || l.t[n-2].w.c&(cOpen|cRange) != 0) {
			return false
		}
		return true
	case p == ',' && i > 1 && isDigit(b[i-2]):
		// thousands
		return i+3 <= len(b) && isDigit(b[i]) && i+2 < len(b) && isDigit(b[i+1]) && isDigit(b[i+2]) && (i+3 == len(b) || !isDigit(b[i+3]) && b[i+3] != ':')
	}
	return false
}

func (l *lexer) junk(i, j int) int {
	b := l.b
	for j < len(b) && (isLetter(b[j]) || isDigit(b[j]) || (b[j] == '.' || b[j] == '-' || b[j] == '_' || b[j] == ':') && j+1 < len(b) && (isDigit(b[j+1]) || isLetter(b[j+1]))) {
		j++
	}
	l.add(token{k: kJunk, start: int32(i), end: int32(j)})
	return j
}

// decimalLength reads "1.5 hours".
func (l *lexer) decimalLength(i, j, v int) (int, bool) {
	b := l.b
	if j+1 >= len(b) || b[j] != '.' && b[j] != ',' || !isDigit(b[j+1]) || j+2 < len(b) && isDigit(b[j+2]) {
		return 0, false
	}
	k := skipBlanks(b, j+2)
	e := k
	for e < len(b) && isLetter(b[e]) {
		e++
	}
	u := units()[string(b[k:e])]
	if u < 60 || v > 1000 || e-k < 2 {
		return 0, false
	}
	l.add(token{k: kDur, start: int32(i), end: int32(e), val: int32(min(int64(v)*u+int64(b[j+1]-'0')*u/10, maxLength)), num: int32(u)})
	return e, true
}

// plain adds a number; a fraction, percentage, or number run into letters becomes junk.
func (l *lexer) plain(i, j, v int) int {
	b := l.b
	if j < len(b) {
		switch c := b[j]; {
		case c == '%' || isLetter(c) || c == '_':
			return l.junk(i, j)
		case (c == '.' || c == ':' || c == '/') && j+1 < len(b) && isDigit(b[j+1]):
			return l.junk(i, j)
		case c == ',' && j+3 < len(b) && isDigit(b[j+1]) && isDigit(b[j+2]) && isDigit(b[j+3]):
			return l.junk(i, j)
		}
		if k := skipBlanks(b, j); k < len(b) && b[k] == '%' {
			return l.junk(i, j)
		}
	}
	l.add(token{k: kNum, start: int32(i), end: int32(j), num: int32(v), digits: uint8(j - i)})
	return j
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && b[i] == ' ' {
		i++
	}
	return i
}

// two reads one or two digits; the end is 0 where there are none.
func (l *lexer) two(i int) (v, end int) {
	b := l.b
	for j := i; j < len(b) && j < i+2 && isDigit(b[j]); j++ {
		v = v*10 + int(b[j]-'0')
		end = j + 1
	}
	return v, end
}

// clock reads "13:55", "13:55:07", "9.23am", "5pm", "14h30", "00:08am".
func (l *lexer) clock(i, j, h int) (int, bool) {
	b := l.b
	if j >= len(b) {
		return 0, false
	}
	t := token{k: kClock, start: int32(i)}
	m, s, e, secs := 0, 0, j, false
	switch c := b[j]; {
	case (c == ':' || c == '.') && j+2 < len(b) && isDigit(b[j+1]) && isDigit(b[j+2]) && (j+3 == len(b) || !isDigit(b[j+3])):
		m = int(b[j+1]-'0')*10 + int(b[j+2]-'0')
		e = j + 3
		if c == ':' && e+2 < len(b) && b[e] == ':' && isDigit(b[e+1]) && isDigit(b[e+2]) {
			s = int(b[e+1]-'0')*10 + int(b[e+2]-'0')
			e, secs = e+3, true
			if e < len(b) && b[e] == '.' && e+1 < len(b) && isDigit(b[e+1]) {
				for e++; e < len(b) && isDigit(b[e]); e++ {
				}
			}
		}
		if c == '.' {
			t.weak = true
			if e < len(b) && (b[e] == '%' || b[e] == '.' && e+1 < len(b) && isDigit(b[e+1])) {
				return 0, false
			}
		}
	case c == 'h' && j+2 < len(b) && isDigit(b[j+1]) && isDigit(b[j+2]) && (j+3 == len(b) || !isDigit(b[j+3]) && b[j+3] != 'm'):
		m = int(b[j+1]-'0')*10 + int(b[j+2]-'0')
		e = j + 3
	default:
		return l.bareHour(i, j, h)
	}
	if h > 24 || m > 59 || s > 60 || h == 24 && m > 0 {
		return 0, false
	}
	half, end := l.half(e)
	if half != halfNone {
		e, t.weak = end, false
	}
	if e < len(b) && b[e] == '%' || k2(b, e) {
		return 0, false
	}
	switch {
	case half != halfNone && h >= 1 && h <= 12:
		h %= 12
		if half == halfPM {
			h += 12
		}
		t.ampm = half
	case half != halfNone:
		t.ampm = halfPM // "17:15pm", "00:08am": a 24-hour time
		if h < 12 {
			t.ampm = halfAM
		}
	case h == 0 || h > 12 || j-i == 2 && b[i] == '0' && b[j] == ':':
		t.num = 24 // certainly a 24-hour time, as is "03:12"
	}
	t.val = int32(h*3600 + m*60 + s)
	glued, n := l.gluedZone(e, secs)
	if n == 0 {
		e = l.hourWord(e)
	}
	t.weak = t.weak && n == 0
	t.end = int32(e)
	if t.weak && !l.timeWordNext(max(e, n)) {
		// "9.23" alone is a figure; in "9.23 - 10.23am" the range gives it a meaning
		if !l.openBefore() {
			return 0, false
		}
	} else {
		t.weak = false
	}
	l.add(t)
	if n > 0 {
		l.addZone(e, n, glued)
		return n, true
	}
	return e, true
}

// bareHour reads "5pm" and "2: PM": a bare hour counts only with am or pm.
func (l *lexer) bareHour(i, j, h int) (int, bool) {
	if l.b[j] == ':' {
		j++
	}
	half, end := l.half(j)
	if half == halfNone || h < 1 || h > 12 {
		return 0, false
	}
	t := token{k: kClock, start: int32(i), end: int32(end), val: int32(h%12) * 3600, ampm: half}
	if half == halfPM {
		t.val += 12 * 3600
	}
	l.add(t)
	return end, true
}

// hourWord passes over the word that says a figure was a time of day: "08:30 hrs", "14:00 Uhr", "10:15 h".
func (l *lexer) hourWord(e int) int {
	for _, w := range [...]string{"hrs", "hours", "uhr", "h"} {
		if k := l.follows(e, w); k > 0 {
			return k
		}
	}
	return e
}

// oClock reads the hour h of "9 o'clock".
func (l *lexer) oClock(i, j, h int) (int, bool) {
	b := l.b
	k := l.follows(j, "o")
	if k == 0 || h > 24 || k >= len(b) || b[k] != '\'' {
		return 0, false
	}
	if k = l.follows(k+1, "clock"); k == 0 {
		return 0, false
	}
	l.add(token{k: kClock, start: int32(i), end: int32(k), val: int32(h * 3600)})
	return k, true
}

// gluedZone reads the zone of "10:00Z" and, after an ISO date, of "10:00+02:00" and "10:00:00 -0700"; n is its end, 0 where
// there is none. secs says that the time has seconds: without them a minus after a blank is the dash of a range.
func (l *lexer) gluedZone(e int, secs bool) (z zone, n int) {
	b := l.b
	switch {
	case e >= len(b):
	case b[e] == 'z' && (e+1 == len(b) || !isLetter(b[e+1]) && !isDigit(b[e+1])):
		return zoneUTC, e + 1
	case (b[e] == '+' || b[e] == '-') && e+1 < len(b) && isDigit(b[e+1]) && l.gluedISO():
		off, n := l.offset(e)
		return zone{int32(off), dstNone}, n
	case b[e] == ' ' && e+2 < len(b) && (b[e+1] == '+' || b[e+1] == '-' && secs) && isDigit(b[e+2]) && l.gluedISO():
		// "2026-07-18 05:15:00 +0000"
		if off, n := l.offset(e + 1); n >= e+6 {
			return zone{int32(off), dstNone}, n
		}
	}
	return zone{}, 0
}

// k2 reports whether another ":" with a digit follows, as in addresses.
func k2(b []byte, e int) bool {
	return e+1 < len(b) && b[e] == ':' && isDigit(b[e+1])
}

// gluedISO reports whether the time is glued to an ISO date.
func (l *lexer) gluedISO() bool {
	n := len(l.t)
	return n > 0 && l.t[n-1].k == kDate
}

// openBefore reports whether a range word stands directly before.
func (l *lexer) openBefore() bool {
	for k := len(l.t) - 1; k >= 0 && k >= len(l.t)-6; k-- {
		t := &l.t[k]
		if t.k == kWord && t.w.c&cOpen != 0 {
			return true
		}
		if t.k == kClock || t.k == kPunct && t.p == '-' || t.k == kWord && t.w.c&(cRange|cApprox) != 0 || t.k == kWord && t.w.id == wAnd {
			continue
		}
		return false
	}
	return len(l.t) > 1 && l.t[len(l.t)-1].k == kPunct && l.t[len(l.t)-2].k == kClock
}

// timeWordNext reports whether a zone or a word of hours follows.
func (l *lexer) timeWordNext(e int) bool {
	b := l.b
	i := skipBlanks(b, e)
	j := i
	for j < len(b) && (isLetter(b[j]) || b[j] == '/') {
		j++
	}
	if j == i || j-i > 9 {
		return false
	}
	w := string(b[i:j])
	if _, ok := zoneNames()[w]; ok {
		return w != "central" && w != "eastern" || l.follows(j, "time") > 0
	}
	return w == "hrs" || w == "hours" || w == "us/pacific" || w == "us/eastern"
}

// half reads am or pm in any spelling at i; end is the position after it.
func (l *lexer) half(i int) (half uint8, end int) {
	b := l.b
	if i < len(b) && (b[i] == 'a' || b[i] == 'p') && i > 2 && isDigit(b[i-1]) && isDigit(b[i-2]) && (i+1 == len(b) || b[i+1] == ' ' || b[i+1] == '-' || b[i+1] == ',') && !(i+2 < len(b) && b[i+2] == 'm') {
		if b[i] == 'a' { // "4:30p - 5:15p"
			return halfAM, i + 1
		}
		return halfPM, i + 1
	}
	i = skipBlanks(b, i)
	if i+1 >= len(b) {
		return halfNone, 0
	}
	switch b[i] {
	case 'a':
		half = halfAM
	case 'p':
		half = halfPM
	default:
		return halfNone, 0
	}
	j := i + 1
	dotted := false
	if b[j] == '.' {
		dotted = true
		j++
	}
	j = skipIf(b, j, ' ', dotted)
	if j >= len(b) || b[j] != 'm' {
		return halfNone, 0
	}
	j++
	if j < len(b) && (isLetter(b[j]) || isDigit(b[j])) {
		// "pmpst" is seen, "amount" is a word
		e := j
		for e < len(b) && isLetter(b[e]) {
			e++
		}
		if _, ok := zoneNames()[string(b[j:e])]; !ok || e-j > 4 {
			return halfNone, 0
		}
	}
	if dotted && j < len(b) && b[j] == '.' {
		// the last dot may also end the sentence
		k := skipBlanks(b, j+1)
		if k < len(b) && !(k > j+1 && l.raw[k] >= 'A' && l.raw[k] <= 'Z') {
			j++
		} else if k < len(b) && l.zoneStarts(k) {
			j++
		}
	}
	return half, j
}

func skipIf(b []byte, i int, c byte, ok bool) int {
	if ok && i < len(b) && b[i] == c {
		return i + 1
	}
	return i
}

func (l *lexer) zoneStarts(i int) bool {
	j := i
	for j < len(l.b) && isLetter(l.b[j]) {
		j++
	}
	if j-i > 8 {
		return false
	}
	_, ok := zoneNames()[string(l.b[i:j])]
	return ok
}

// compactClock reads "1330 UTC", "0100 hrs", "930 pm"; four digits before a range word wait for their partner.
func (l *lexer) compactClock(i, j, v int) (int, bool) {
	h, m := v/100, v%100
	if h > 24 || m > 59 || j-i == 3 && h > 12 {
		return 0, false
	}
	b := l.b
	if j < len(b) && (b[j] == '.' && j+1 < len(b) && isDigit(b[j+1]) || b[j] == '%' || b[j] == '/') {
		return 0, false
	}
	t := token{k: kClock, start: int32(i), end: int32(j), val: int32(v/100*3600 + v%100*60), num: 24}
	if half, end := l.half(j); half != halfNone && h >= 1 && h <= 12 {
		t.ampm, t.end, t.num = half, int32(end), 0
		t.val = int32(h%12*3600 + m*60)
		if half == halfPM {
			t.val += 12 * 3600
		}
		l.add(t)
		return end, true
	}
	if j-i != 4 {
		return 0, false
	}
	if j < len(b) && b[j] == 'z' && (j+1 == len(b) || !isLetter(b[j+1])) {
		l.add(t)
		l.addZone(j, j+1, zoneUTC)
		return j + 1, true
	}
	if j < len(b) && b[j] == 'h' && (j+1 == len(b) || !isLetter(b[j+1]) && !isDigit(b[j+1])) {
		t.end = int32(j + 1)
		l.add(t)
		return j + 1, true
	}
	if l.timeWordNext(j) {
		// "March 5, 2024 UTC" is a year
		if n := len(l.t); n > 0 && v >= 1990 && v <= 2099 {
			p := &l.t[n-1]
			if p.k == kPunct && p.p == ',' && n > 1 {
				p = &l.t[n-2]
			}
			if p.k == kDate && l.dates[p.num].y == 0 && l.dates[p.num].m > 0 {
				return 0, false
			}
		}
		if e := l.follows(j, "hrs"); e > 0 {
			j = e
		} else if e := l.follows(j, "hours"); e > 0 {
			j = e
		}
		t.end = int32(j)
		l.add(t)
		return j, true
	}
	if v >= 1990 && v <= 2099 && !l.openBefore() {
		return 0, false
	}
	k := skipBlanks(b, j)
	if k < len(b) && (b[k] == '-' || l.follows(j, "to") > 0 || l.follows(j, "and") > 0 || l.follows(j, "until") > 0 || l.follows(j, "till") > 0 || l.follows(j, "through") > 0) {
		t.weak = true
		l.add(t)
		return j, true
	}
	return 0, false
}

// maxLength bounds a length in seconds; no rule takes more than a month.
const maxLength = 400 * day

// length reads "27 minutes", "10-minute", "1 hour 15 minutes", "2h".
func (l *lexer) length(i, j int, v int64) (int, bool) {
	b := l.b
	k := j
	hyphen := false
	if k < len(b) && b[k] == '-' {
		hyphen = true
		k++
	} else {
		k = skipBlanks(b, k)
	}
	e := k
	for e < len(b) && isLetter(b[e]) {
		e++
	}
	u, ok := units()[string(b[k:e])]
	if !ok || v > 10000 {
		return 0, false
	}
	if e-k == 1 && (k > j && !hyphen) && b[k] != 'h' && b[k] != 'm' {
		return 0, false
	}
	t := token{k: kDur, start: int32(i), end: int32(e), val: int32(min(v*u, maxLength)), hyphen: hyphen, num: int32(u)}
	// "1 hour and 15 minutes", "9 days, 17 hours": one length
	if n := len(l.t); n > 0 && !hyphen {
		p := n - 1
		for p >= 0 && n-p <= 2 && (l.t[p].k == kWord && l.t[p].w.id == wAnd || l.t[p].k == kPunct && l.t[p].p == ',') {
			p--
		}
		if p >= 0 && l.t[p].k == kDur && l.t[p].num > int32(u) {
			l.t[p].val += t.val
			l.t[p].num, l.t[p].end = int32(u), t.end
			l.t = l.t[:p+1]
			return e, true
		}
	}
	l.add(t)
	return e, true
}
