package when

// phrases gives words the class of the phrase they stand in: "stopped responding" is trouble, "started responding again"
// and "up and running" are its end.
func (p *parser) phrases() {
	t := p.t
	for i := range t {
		if t[i].k == kNum && t[i].digits == 3 && i+1 < len(t) && failureCode(t[i].num) && p.codeNext(i+1) {
			t[i+1].w = word{wNone, cBad}
			continue
		}
		if t[i].w.id == wReturn && p.troubleReturned(i+1) {
			t[i].w = word{wNone, cBad}
			continue
		}
		if t[i].k != kWord || i+1 >= len(t) || t[i+1].k != kWord {
			continue
		}
		next := p.b[t[i+1].start:t[i+1].end]
		switch {
		case t[i].w.id == wEnd && p.stops(i) && len(next) > 4 && string(next[len(next)-3:]) == "ing" && string(next) != "being":
			t[i].w, t[i+1].w = word{wNone, cBad}, word{wNone, cBad}
		case (t[i].w.id == wStart || t[i].w.id == wBegin) && len(next) > 4 && string(next[len(next)-3:]) == "ing" && p.againNear(i+2):
			t[i].w, t[i+1].w = word{wNone, cRecov}, word{wNone, cRecov}
		case string(p.b[t[i].start:t[i].end]) == "than" && (t[i+1].w.id == wNormal || string(next) == "usual" || string(next) == "expected"):
			t[i].w, t[i+1].w = word{wNone, cBad}, word{wNone, cBad}
		case string(p.b[t[i].start:t[i].end]) == "working" && (t[i+1].w.id == wAgain || t[i+1].w.id == wNormal || t[i+1].w.id == wSince || t[i+1].w.id == wAs || string(next) == "correctly" || string(next) == "properly") && !p.negated(i):
			t[i].w = word{wNone, cRecov}
		case t[i].w.id == wNo && string(next) == "longer" && !p.troubleNear(i+2):
			t[i].w, t[i+1].w = word{wNone, cBad}, word{wNone, cBad}
		case t[i+1].w.c&cNeg != 0 && string(p.b[t[i].start:t[i].end]) == "could" && (i == 0 || string(p.b[t[i-1].start:t[i-1].end]) != "we"):
			t[i].w, t[i+1].w = word{wNone, cBad}, word{wNone, cBad}
		case t[i].w.id == wBack && (t[i+1].w.id == wOnline || t[i+1].w.id == wIn || string(next) == "into"):
			t[i].w, t[i+1].w = word{wOnline, 0}, word{wOnline, 0}
		case p.falls(i) && p.normalNear(i+1):
			t[i].w = word{wNone, cRecov}
		case t[i].w.id == wBack && i > 0 && t[i-1].w.c&cWork != 0:
			t[i].w = word{} // "rolled back"
		case t[i].w.id == wUp && t[i+1].w.id == wAnd && i+2 < len(t) && string(p.b[t[i+2].start:t[i+2].end]) == "running":
			t[i].w = word{wNone, cRecov}
		}
	}
}

// failureCode reports whether a number is an HTTP status of a request that failed for no fault of its own.
func failureCode(n int32) bool { return n >= 500 && n <= 511 || n == 408 || n == 429 }

// codeNext reports whether the word at token i makes the number before it a status code.
func (p *parser) codeNext(i int) bool {
	switch string(p.b[p.t[i].start:p.t[i].end]) {
	case "response", "responses", "status", "statuses", "code", "codes", "s":
		return p.t[i].k == kWord
	}
	return false
}

// troubleReturned reports whether what is returned, from token i, is an error: "returns errors", "returned HTTP 503".
func (p *parser) troubleReturned(i int) bool {
	for j := i; j < len(p.t) && j < i+3; j++ {
		t := &p.t[j]
		switch {
		case t.k == kNum && t.digits == 3 && t.num >= 400 && t.num <= 511:
			return true
		case t.k != kWord || t.w.c&(cPrep|cRange|cRecov) != 0:
			return false
		case t.w.c&cBad != 0:
			return true
		}
	}
	return false
}

// troubleNear reports whether a word of trouble stands within three tokens from token i: "no longer failing" is none.
func (p *parser) troubleNear(i int) bool {
	for j := i; j < len(p.t) && j < i+3; j++ {
		if p.t[j].w.c&(cBad|cSeen) != 0 {
			return true
		}
	}
	return false
}

// falls reports whether token i is a verb of decline, which ends trouble when it ends at normal or zero.
func (p *parser) falls(i int) bool {
	switch string(p.b[p.t[i].start:p.t[i].end]) {
	case "dropped", "fell", "declined", "decreased", "went", "came", "reduced", "settled", "stabilized":
		return true
	}
	return false
}

// normalNear reports whether "normal", "baseline" or "zero" stands within four tokens from token i.
func (p *parser) normalNear(i int) bool {
	for j := i; j < len(p.t) && j < i+4; j++ {
		if id := p.t[j].w.id; id == wNormal || id == wBaseline || string(p.b[p.t[j].start:p.t[j].end]) == "zero" {
			return true
		}
	}
	return false
}

// negated reports whether "not" or its like stands within two tokens before token i.
func (p *parser) negated(i int) bool {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if p.t[j].w.c&cNeg != 0 {
			return true
		}
	}
	return false
}

// stops reports whether token i is "stopped" or "ceased", and not "ended".
func (p *parser) stops(i int) bool {
	w := string(p.b[p.t[i].start:p.t[i].end])
	return w == "stopped" || w == "ceased"
}

// againNear reports whether "again" or "normally" stands within three tokens.
func (p *parser) againNear(i int) bool {
	for j := i; j < len(p.t) && j < i+3; j++ {
		if p.t[j].w.id == wAgain || p.t[j].w.id == wNormal {
			return true
		}
	}
	return false
}
