package when

// zoneAt reads a zone that begins at i: an abbreviation, "utc+8", "us/pacific", "pacific time", "beijing time".
func (l *lexer) zoneAt(i, simple, compound int, e *entry) (int, bool) {
	b := l.b
	// America/Los_Angeles, US/Pacific
	if simple < len(b) && b[simple] == '/' && compound > simple {
		j := simple + 1
		for j < len(b) && (isLetter(b[j]) || b[j] == '_') {
			j++
		}
		if z, ok := zoneIANA()[string(b[i:j])]; ok {
			l.addZone(i, j, z)
			return j, true
		}
	}
	if e.place {
		if z, j, ok := l.zonePhrase(i); ok {
			l.addZone(i, j, z)
			return j, true
		}
	}
	if !e.zoned {
		return 0, false
	}
	z := e.z
	j := simple
	if j < len(b) && (b[j] == '-' || b[j] == '+') || z == zoneUTC {
		if off, n := l.offset(j); n > 0 {
			l.addZone(i, n, zone{int32(off), dstNone})
			return n, true
		}
	}
	if compound > simple && b[simple] != '/' && !(b[simple] == '-' && simple+1 < len(b) && isDigit(b[simple+1])) && !isDigit(b[simple]) {
		return 0, false // "eastern-region", "et-al"
	}
	switch string(b[i:simple]) {
	case "pacific", "eastern", "central", "mountain":
		if !l.afterTime() && !l.namesTimes() {
			return 0, false
		}
	case "et", "ct", "mt", "pt", "ist", "est", "wet", "ut", "gst", "mst", "hst", "trt", "brt", "cat", "wat", "eat", "art", "ast", "cot", "clt", "ict", "npt":
		if !l.afterTime() && !l.inParens(i, simple) && !l.namesTimes() {
			return 0, false
		}
	}
	if k := l.follows(j, "time"); k > 0 {
		j = k
	}
	l.addZone(i, j, z)
	return j, true
}

// zonePhrase reads a zone written out, up to the word "time", that begins at i: "Central European Summer Time", "India time".
func (l *lexer) zonePhrase(i int) (z zone, end int, ok bool) {
	const maxWords = 5
	var key [32]byte
	n, b := 0, l.b
	for w := 0; w < maxWords; w++ {
		j := i
		for j < len(b) && isLetter(b[j]) {
			j++
		}
		switch word := b[i:j]; {
		case j == i:
			return zone{}, 0, false
		case string(word) == "time":
			z, ok = zonePlaces()[string(key[:n])]
			return z, j, ok
		case zoneFiller(string(word)):
		case n+1+len(word) > len(key):
			return zone{}, 0, false
		default:
			if n > 0 {
				key[n] = ' '
				n++
			}
			n += copy(key[n:], word)
		}
		i = skipBlanks(b, j)
	}
	return zone{}, 0, false
}

// follows returns the end of word when it comes next after blanks, else 0.
func (l *lexer) follows(i int, word string) int {
	b := l.b
	for i < len(b) && b[i] == ' ' {
		i++
	}
	if i+len(word) <= len(b) && string(b[i:i+len(word)]) == word && (i+len(word) == len(b) || !isLetter(b[i+len(word)])) {
		return i + len(word)
	}
	return 0
}

// afterTime reports whether the last token is a time, a number, or a date.
func (l *lexer) afterTime() bool {
	n := len(l.t)
	if n == 0 {
		return false
	}
	t := &l.t[n-1]
	if t.k == kPunct && t.p == '(' && n > 1 {
		t = &l.t[n-2]
	}
	return t.k == kClock || t.k == kDate || t.k == kNum && t.digits >= 3
}

func (l *lexer) inParens(i, j int) bool {
	return i > 0 && l.b[i-1] == '(' && j < len(l.b) && l.b[j] == ')'
}

// namesTimes reports whether the tokens before say that a zone is being named: "all times (are) in".
func (l *lexer) namesTimes() bool {
	for k := len(l.t) - 1; k >= 0 && k > len(l.t)-6; k-- {
		if l.t[k].k == kWord && l.t[k].w.id == wTimes {
			return true
		}
	}
	return false
}

// offset reads "+8", "-05:00", "+0530" at i; n is the end, 0 where there is none. "UTC-11:30 UTC" is a range and no offset.
func (l *lexer) offset(i int) (off int64, n int) {
	b := l.b
	for i < len(b) && b[i] == ' ' {
		i++
	}
	if i+1 >= len(b) || b[i] != '+' && b[i] != '-' {
		return 0, 0
	}
	neg := b[i] == '-'
	spaced := i > 0 && b[i-1] == ' '
	j := i + 1
	for j < len(b) && isDigit(b[j]) && j-i <= 4 {
		j++
	}
	digits := j - i - 1
	if digits == 0 || digits == 3 || neg && spaced && digits != 1 && !(digits == 4 && l.gluedISO()) || j < len(b) && isDigit(b[j]) {
		return 0, 0
	}
	h, m := int64(0), int64(0)
	for k := i + 1; k < j; k++ {
		h = h*10 + int64(b[k]-'0')
	}
	if digits == 4 {
		h, m = h/100, h%100
	} else if j+2 < len(b) && b[j] == ':' && isDigit(b[j+1]) && isDigit(b[j+2]) {
		m = int64(b[j+1]-'0')*10 + int64(b[j+2]-'0')
		j += 3
	} else if j < len(b) && b[j] == '.' && j+1 < len(b) && isDigit(b[j+1]) {
		return 0, 0
	}
	if h > 14 || m != 0 && m != 30 && m != 45 {
		return 0, 0
	}
	if neg && (h > 12 || m != 0 && m != 30) {
		return 0, 0
	}
	// A second zone or am/pm after it makes it a time.
	k := j
	for k < len(b) && b[k] == ' ' {
		k++
	}
	e := k
	for e < len(b) && isLetter(b[e]) {
		e++
	}
	if w := string(b[k:e]); e > k && e-k < 5 {
		if _, isZone := zoneNames()[w]; isZone || w == "am" || w == "pm" || w == "hrs" {
			return 0, 0
		}
	}
	off = h*3600 + m*60
	if neg {
		off = -off
	}
	return off, j
}
