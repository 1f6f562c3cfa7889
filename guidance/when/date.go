package when

import "downwind/internal/lexicon"

// isoDate reads "2026-05-28", "2026/05/28", also with a "T" or a second dash before the time.
func (l *lexer) isoDate(i, j, y int) (int, bool) {
	b := l.b
	if y < 1990 || y > 2099 || j+2 >= len(b) || b[j] != '-' && b[j] != '/' && b[j] != '.' {
		return 0, false
	}
	sep := b[j]
	m, k := l.two(j + 1)
	if k == 0 || k >= len(b) || b[k] != sep {
		return 0, false
	}
	d, e := l.two(k + 1)
	if e == 0 || e < len(b) && isDigit(b[e]) || !validDate(y, m, d) {
		return 0, false
	}
	l.addDate(i, e, false, dateVal{y: int16(y), m: int16(m), d: int16(d), weekday: -1})
	// the time may be glued on: 2026-05-28T13:55, 2025-04-07:13:00:00
	if e+3 < len(b) && (b[e] == 't' || b[e] == ':' || b[e] == '-' || b[e] == '_') && isDigit(b[e+1]) {
		return e + 1, true
	}
	return e, true
}

// numericDate reads "10/31/2024", "22/9/2025", "5/12/26", "16.04.2025", and "4/20" which needs company.
func (l *lexer) numericDate(i, j, a int) (int, bool) {
	b := l.b
	if j >= len(b) || b[j] != '/' && b[j] != '.' && b[j] != '-' {
		return 0, false
	}
	sep := b[j]
	c, k := l.two(j + 1)
	if k == 0 || k < len(b) && isDigit(b[k]) || a < 1 || c < 1 || a > 31 || c > 31 || a > 12 && c > 12 {
		return 0, false
	}
	d := dateVal{a: int16(a), b: int16(c), weekday: -1}
	if k < len(b) && b[k] == sep {
		y, e := 0, k+1
		for e < len(b) && isDigit(b[e]) && e-k <= 4 {
			y = y*10 + int(b[e]-'0')
			e++
		}
		switch n := e - k - 1; {
		case n == 4 && y >= 1990 && y <= 2099:
		case n == 2 && sep == '/':
			y += 2000
		default:
			return 0, false
		}
		if e < len(b) && (isDigit(b[e]) || b[e] == '.' && e+1 < len(b) && isDigit(b[e+1])) {
			return 0, false
		}
		d.y = int16(y)
		if sep == '.' && c <= 12 {
			d = dateVal{y: d.y, m: d.b, d: d.a, weekday: -1} // dots stand between day and month
		}
		l.addDate(i, e, false, d)
		return e, true
	}
	if sep == '.' && k < len(b) && b[k] == '.' && c <= 12 && a <= 31 && l.onBefore() {
		l.addDate(i, k+1, true, dateVal{m: int16(c), d: int16(a), weekday: -1}) // "on 9.7. at 3:20"
		return k + 1, true
	}
	if sep != '/' || k < len(b) && (isLetter(b[k]) || b[k] == '%') {
		return 0, false
	}
	l.addDate(i, k, true, d)
	return k, true
}

// onBefore reports whether "on", "from" or "since" stands directly before.
func (l *lexer) onBefore() bool {
	n := len(l.t)
	if n == 0 || l.t[n-1].k != kWord {
		return false
	}
	id := l.t[n-1].w.id
	return id == wOn || id == wFrom || id == wSince
}

// dayMonth reads "22 Oct", "13th of May 2025", "28-Oct-2024".
func (l *lexer) dayMonth(i, j, d int) (int, bool) {
	if d < 1 || d > 31 {
		return 0, false
	}
	b := l.b
	e := ordinal(b, j)
	isOrd := e > j
	k := e
	if k < len(b) && (b[k] == '-' || b[k] == '/') {
		k++
	}
	k = skipBlanks(b, k)
	if n := l.follows(k, "of"); n > 0 {
		k = skipBlanks(b, n)
	}
	s := lexicon.Letters(b, k)
	m := l.month(k, s)
	if m == 0 || !validDate(0, m, d) || l.auxiliary(k, s) {
		if isOrd && l.theBefore() && l.dayAlone(e) {
			l.addDate(i, e, true, dateVal{d: int16(d), dayOnly: true, weekday: -1})
			return e, true
		}
		return 0, false
	}
	if s < len(b) && b[s] == '.' && len(monthNames[m-1]) > s-k && !l.capitalAfter(s) {
		s++ // "8 Sep. 2026", but not "8 May. Full service …"
	}
	y, end := l.year(s)
	if y == 0 && k == e+1 && s+2 < len(b) && (b[s] == '/' || b[s] == '-') && b[s] == b[e] {
		if v, n := l.two(s + 1); n == s+3 && v >= 10 && (n == len(b) || !isDigit(b[n]) && !isLetter(b[n]) && b[n] != ':') {
			y, end = 2000+v, n // "11/Feb/25"
		}
	}
	l.addDate(i, end, false, dateVal{y: int16(y), m: int16(m), d: int16(d), weekday: -1})
	return end, true
}

// auxiliary reports whether the name of a month at i, up to j, is the verb "may": "users of cell 2 may have seen".
func (l *lexer) auxiliary(i, j int) bool {
	if string(l.b[i:j]) != "may" || l.raw[i] != 'm' {
		return false
	}
	n := skipBlanks(l.b, j)
	return n > j && n < len(l.b) && isLetter(l.b[n]) && l.raw[n] == l.b[n] && l.follows(j, "at") == 0 && l.follows(j, "from") == 0 && l.follows(j, "between") == 0 && l.follows(j, "until") == 0 && l.follows(j, "to") == 0
}

// capitalAfter reports whether the next word after the stop at i has a capital.
func (l *lexer) capitalAfter(i int) bool {
	j := skipBlanks(l.b, i+1)
	return j < len(l.b) && isLetter(l.b[j]) && l.raw[j] != l.b[j]
}

// dayAlone reports whether nothing after the ordinal makes it a rank ("the 99th percentile").
func (l *lexer) dayAlone(e int) bool {
	b := l.b
	k := skipBlanks(b, e)
	if k >= len(b) || !isLetter(b[k]) {
		return true
	}
	for _, w := range [...]string{"at", "from", "between", "until", "around", "and", "to", "we", "through"} {
		if l.follows(k, w) > 0 {
			return true
		}
	}
	return false
}

func (l *lexer) theBefore() bool {
	n := len(l.t)
	return n > 0 && l.t[n-1].k == kWord && l.t[n-1].w.id == wThe
}

func ordinal(b []byte, j int) int {
	if j+1 < len(b) && (j+2 == len(b) || !isLetter(b[j+2])) {
		switch string(b[j : j+2]) {
		case "st", "nd", "rd", "th":
			return j + 2
		}
	}
	return j
}

var monthNames = [12]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// month returns 1 to 12 for a name of a month or its first letters between two positions, else 0.
func (l *lexer) month(i, j int) int {
	if e := l.words.Find(l.b, i, j); e != nil {
		return int(e.month)
	}
	return 0
}

// year reads ", 2026" or " 2026" after a date; end is i where there is none.
func (l *lexer) year(i int) (y, end int) {
	b := l.b
	k := skipBlanks(b, i)
	if k < len(b) && b[k] == ',' || k < len(b) && (b[k] == '-' || b[k] == '/') && k == i {
		k = skipBlanks(b, k+1)
	}
	if k+4 > len(b) {
		return 0, i
	}
	for n := 0; n < 4; n++ {
		if !isDigit(b[k+n]) {
			return 0, i
		}
		y = y*10 + int(b[k+n]-'0')
	}
	e := k + 4
	if y < 1990 || y > 2099 || e < len(b) && isDigit(b[e]) {
		return 0, i
	}
	return y, e
}

// monthAt reads a date that begins with the name of a month at i: "October 29th, 2025", "May 10", "Aug. 7".
func (l *lexer) monthAt(i, j, m int) (int, bool) {
	b := l.b
	k := j
	if k < len(b) && b[k] == '.' {
		k++
	}
	k = skipBlanks(b, k)
	if n := l.follows(k, "the"); n > 0 {
		k = skipBlanks(b, n)
	}
	d, e := l.two(k)
	if e == 0 || k == j || e < len(b) && isDigit(b[e]) || !validDate(0, m, d) {
		return 0, false
	}
	if e < len(b) && (b[e] == ':' && e+1 < len(b) && isDigit(b[e+1]) || b[e] == '%' || b[e] == '.' && e+1 < len(b) && isDigit(b[e+1]) || b[e] == '/' && e+1 < len(b) && isDigit(b[e+1])) {
		return 0, false
	}
	if half, _ := l.half(e); half != halfNone {
		return 0, false
	}
	if o := ordinal(b, e); o > e {
		e = o
	} else if e < len(b) && isLetter(b[e]) {
		return 0, false
	}
	y, end := l.year(e)
	l.addDate(i, end, false, dateVal{y: int16(y), m: int16(m), d: int16(d), weekday: -1})
	return end, true
}
