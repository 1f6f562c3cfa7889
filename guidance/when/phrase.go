package when

// trouble and over are what a phrase of several words makes of each of them.
var (
	trouble = word{c: cBad}
	over    = word{c: cRecov}
)

// phrases gives words the class of the phrase they stand in: "stopped responding" is trouble, "started responding again"
// and "up and running" are its end.
func (p *parser) phrases() {
	t := p.t
	for i := range t {
		switch {
		case t[i].k == kWord && t[i].w.lead:
			p.phraseAt(i)
		case t[i].k == kNum && t[i].digits == 3 && i+1 < len(t) && failureCode(t[i].num) && p.codeNext(i+1):
			t[i+1].w = trouble
		case t[i].k == kNum && t[i].digits == 3 && i > 0 && failureCode(t[i].num) && p.hasText(i-1, i, "status", "http"):
			t[i].k, t[i].w = kWord, trouble // "status 503 on all services"
		case t[i].k == kJunk && p.isZeroRate(i):
			t[i].k, t[i].w = kWord, over
		}
	}
}

// phraseAt reads the phrase that may begin with the word at token i.
func (p *parser) phraseAt(i int) {
	t := p.t
	switch {
	case p.inContext(i):
	case p.thingStops(i):
		t[i].w = wordStops
	case t[i].w.id == wReturn && (p.troubleReturned(i+1) || p.hasText(i+1, i+2, "by", "from") && i > 0 && t[i-1].w.c&cBad != 0):
		t[i].w = trouble
	case i+1 < len(t) && t[i+1].k == kWord:
		p.pairOfWords(i)
	case t[i].w.c&cRecov != 0 && i+1 < len(t) && p.text(i) == "over":
		t[i].w = wordPlain // "over 30 minutes"
	}
	if t[i].w.id == wAgain && (p.againEnds(i) || p.hasText(i+1, i+2, "accessible", "available", "reachable", "operational")) {
		t[i].w.c |= cRecov
	}
}

// inContext gives the word at token i the class that it has only beside some others; false where it stands beside none of them.
func (p *parser) inContext(i int) bool {
	w := &p.t[i].w
	switch p.text(i) {
	case "empty":
		if p.hasText(i-3, i, "queue", "queues", "backlog", "buffer") && !p.negated(i) {
			*w = over
			return true
		}
	case "twice":
		if p.hasText(i-1, i, "reported", "counted", "billed", "charged", "sent", "computed", "delivered", "processed", "executed", "run", "ran") {
			*w = trouble
			return true
		}
	case "late":
		if p.lateAfter(i) {
			*w = trouble
			return true
		}
	case "everyone":
		if (p.hasText(i-1, i, "for") || p.hasText(i+1, i+2, "could", "can")) && p.says(max(0, i-4), i)&(cBad|cNeg) == 0 {
			*w = over // "boards loaded for everyone", "when everyone could sign in"
			return true
		}
	case "up":
		if p.hasText(i-4, i, "bring", "brings", "bringing", "brought") && !p.negated(i) && p.hasText(i-3, i, "service", "services", "site", "system", "systems", "everything", "it", "them") {
			*w = over
			return true
		}
	case "stop":
		if i > 0 && p.t[i-1].w.c&cBad != 0 && p.t[i-1].w.c&cEvent == 0 {
			*w = over // "errors stop"
			return true
		}
	case "working", "passing":
		if p.worksAgain(i) {
			*w = over
			return true
		}
	case "work", "works":
		if p.thingsWork(i) {
			*w = over
			return true
		}
	case "zero":
		if p.hasText(i-1, i, "to") && p.hasText(i-2, i-1, "down", "back", "dropped", "fell", "went", "and") {
			*w, p.t[i-2].w = over, wordPlain // "was down to zero"
			return true
		}
	case "succeeded":
		if p.says(max(0, i-3), i)&(cWork|cChange) != 0 {
			*w = wordPlain // "the rollback succeeded"
			return true
		}
	}
	return false
}

// worksAgain reports whether "working" or "passing" at token i says what a service does, at the end of a clause or "in all regions", and not what
// people do.
func (p *parser) worksAgain(i int) bool {
	if i == 0 || !isBe(p.text(i-1)) || p.negated(i) || p.hasText(i-4, i, "we", "team", "teams", "engineers", "they", "who") {
		return false
	}
	if i+1 >= len(p.t) || p.t[i+1].k != kWord {
		return true
	}
	return p.hasText(i+1, i+2, "in", "for") && p.hasText(i+2, i+3, "all", "every", "everyone")
}

// thingsWork reports whether "work" at token i is all that a short sentence says of a thing: "Top-ups work."
func (p *parser) thingsWork(i int) bool {
	if i+1 < len(p.t) && p.t[i+1].k == kWord || i < 2 || p.t[i-1].k != kWord || p.t[i-1].w != wordPlain {
		return false
	}
	return p.t[i-2].k != kWord || i > 2 && p.t[i-3].k != kWord && p.t[i-2].w == wordPlain
}

// lateAfter reports whether "late" at token i says that something was not done in time: "jobs were picked up late".
func (p *parser) lateAfter(i int) bool {
	if i == 0 || p.t[i-1].k != kWord || i+1 < len(p.t) && p.t[i+1].k == kWord && p.t[i+1].w.id != wAnd && p.t[i+1].w.id != wBut {
		return false
	}
	w := p.text(i - 1)
	return len(w) > 4 && w[len(w)-2:] == "ed" || p.hasText(i-1, i, "up", "sent", "ran", "came", "arrive", "shown", "be", "been", "were", "was", "are", "is")
}

// text is the token i as the lexer saw it, in lower case.
func (p *parser) text(i int) string { return p.low[p.t[i].start:p.t[i].end] }

// pairOfWords gives words i and i+1 the class of the phrase that begins with them.
func (p *parser) pairOfWords(i int) {
	if id := p.t[i].w.id; id == wStart || id == wBegin {
		p.whatBegins(i, p.text(i+1))
		return
	}
	t := p.t
	word, next := p.text(i), p.text(i+1)
	if isBe(word) { // first, since it stands in nearly every sentence
		switch {
		case p.negated(i):
		case isSound(next) && !p.hasText(i-4, i, "if", "whether"):
			t[i+1].w = over
		case next == "in" && p.hasText(i+2, i+3, "service"):
			t[i].w = over
		}
		return
	}
	switch {
	case p.declines(i):
	case p.stops(i) && next == "for" && i+2 < len(t) && t[i+2].k == kDur && !p.troubleBefore(i):
		t[i].w = trouble // "processing was stopped for 11 minutes"
	case p.stops(i) && isGerund(next) && !p.troubleBefore(i):
		t[i].w, t[i+1].w = trouble, trouble
	case word == "end" && (next == "user" || next == "users" || next == "customer" || next == "customers" || next == "with" || next == "in" || next == "up" || next == "of" && i+2 < len(t) && p.text(i+2) == "day"):
		t[i].w = wordPlain
	case p.ourWork(i, word):
		t[i+1].w = wordWork
	case word == "over" && t[i].w.c&cRecov != 0 && p.hasText(i+1, i+2, "ipv4", "ipv6", "http", "https", "tcp", "udp", "tls", "vpn"):
		t[i].w = wordPlain // "cannot be reached over IPv6"
	case word == "over" && p.hasText(i-1, i, "took", "take", "takes", "taken"):
		t[i].w = wordPlain
	case word == "over" && p.hasText(i-1, i, "fail", "failed", "failing"):
		t[i-1].w, t[i].w = wordWork, wordPlain // "to fail over the replica"
	case (word == "run" || word == "runs" || word == "running") && next == "on" && p.hasText(i+2, i+3, "time") && !p.negated(i):
		t[i].w = over
	case word == "than" && (t[i+1].w.id == wNormal || next == "usual" || next == "expected"):
		t[i].w, t[i+1].w = trouble, trouble
	case word == "as" && isUsual(next):
		w := over
		if p.negated(i) || p.negated(i-1) {
			w = trouble
		}
		t[i].w, t[i+1].w = w, w
	case word == "working" && (t[i+1].w.id == wAgain || t[i+1].w.id == wNormal || t[i+1].w.id == wSince || t[i+1].w.id == wAs || next == "correctly" || next == "properly") && t[i].w.c&cBad == 0 && !p.negated(i):
		t[i].w = over
	case t[i].w.id == wNo && next == "longer" && !p.troubleNear(i+2):
		t[i].w, t[i+1].w = trouble, trouble
	case p.denied(i, word) && isAbility(next):
		t[i].w, t[i+1].w = trouble, trouble
	case word == "t" && i > 0 && t[i-1].w.c&cNeg != 0 && isAbility(next):
		t[i-1].w, t[i+1].w = trouble, trouble // "don't resolve"
	case t[i+1].w.c&cNeg != 0 && word == "could" && (i == 0 || p.text(i-1) != "we"):
		t[i].w, t[i+1].w = trouble, trouble
	case t[i].w.id == wBack && (t[i+1].w.id == wOnline || t[i+1].w.id == wIn || next == "into"):
		t[i].w, t[i+1].w = wordOnline, wordOnline
	case (word == "backed" || word == "piled" || word == "queued") && next == "up":
		t[i].w, t[i+1].w = trouble, trouble
	default:
		p.pairOfPlain(i, word, next)
	}
}

// pairOfPlain goes on with the phrases of pairOfWords: those of words that by themselves say nothing of trouble.
func (p *parser) pairOfPlain(i int, word, next string) {
	t := p.t
	switch {
	case (word == "normally" || word == "usually" || word == "typically") && t[i+1].w.c&(cPrep|cOpen|cRange) == 0 && t[i+1].w.id != wAgain && t[i+1].w.id != wAnd:
		t[i].w, t[i+1].w = wordPlain, wordPlain // "normally runs at 02:30": a schedule
	case (word == "shut" || word == "took" || word == "switched") && i > 0 && (p.text(i-1) == "we" || p.text(i-1) == "i"):
		for j := i + 1; j < len(t) && j <= i+4 && t[j].k == kWord; j++ {
			if w := p.text(j); w == "down" || w == "offline" {
				t[j].w = wordWork // "we shut one node down"
			}
		}
	case t[i].w.id == wNo && next == "data" && p.hasText(i-1, i, "show", "shows", "showed", "showing", "display", "displays", "displayed", "contain", "contains"):
		t[i].w, t[i+1].w = trouble, trouble
	case word == "again" && next == "and" && p.hasText(i+2, i+3, "again"):
		t[i].w, t[i+2].w = wordPlain, wordPlain
	case word == "logged" && next == "out" && (isBe(p.text(max(0, i-1))) || p.hasText(i-1, i, "get", "got", "being", "be")):
		t[i].w = trouble
	case word == "normal" && (next == "latency" || next == "latencies" || next == "connectivity"):
		t[i+1].w = wordPlain
	case (word == "time" || word == "times") && next == "out":
		t[i].w, t[i+1].w = trouble, trouble
	case (word == "set" || word == "put") && next == "right":
		t[i].w, t[i+1].w = over, over
	case (word == "fell" || word == "fall") && next == "behind":
		t[i].w, t[i+1].w = trouble, trouble
	case word == "all" && next == "clear":
		t[i+1].w = wordClosed // said of the incident
	case word == "instead" && next == "of":
		t[i].w = trouble
	case word == "should" && i > 1 && (p.text(i-2) == "where" || p.text(i-2) == "as"):
		t[i].w = wordPlain // "back to where they should be"
	case word == "introduced" && p.troubleBefore(i):
		t[i].w = wordStops // "the issue was introduced at"
	case word == "known" && next == "good":
		t[i+1].w = wordPlain // "the last known good version"
	case (word == "verified" || word == "confirmed") && next == "working":
		t[i+1].w = over
	case word == "caught" && next == "up" && !p.negated(i):
		t[i].w, t[i+1].w = over, wordPlain
	case (word == "came" || word == "come") && t[i+1].w.id == wBack && p.troubleBefore(i):
		if !p.wasSo(i) { // "was unreachable and came back"
			t[i].w, t[i+1].w = wordRecurs, wordRecurs
		}
	case word == "same" && (next == "happened" || next == "occurred"), p.stops(i) && t[i+1].w.id == wAgain && p.hasText(i-1, i, "it", "they"):
		t[i].w, t[i+1].w = wordRecurs, wordRecurs // "the same happened at 22:52", "it stopped again"
	case t[i].w.id == wBack && i > 0 && (t[i-1].w.c&cWork != 0 || p.hasText(i-1, i, "moved", "failed")):
		t[i].w = wordPlain // "rolled back"
	case t[i].w.id == wUp && t[i+1].w.id == wAnd && i+2 < len(t) && p.text(i+2) == "running":
		t[i].w = over
	}
}

// whatBegins gives the verb of beginning at token i, and the word after it, the class of what begins.
func (p *parser) whatBegins(i int, next string) {
	t := p.t
	switch {
	case next == "to" && p.hasText(i+2, i+3, "queue", "climb", "rise", "leak", "crawl", "grow", "slow"):
		t[i+2].w = trouble
	case p.eases(i + 1):
		t[i].w = wordEases // "packet loss started to decline"
	case next == "returning" && !p.hasText(i+2, i+3, "to", "online"):
		t[i+1].w = trouble // "started returning a page that …"
	case t[i].w.id == wStart && t[i+1].w.id == wTimes:
		t[i].w = wordPlain // "start times are back to normal"
	case isGerund(next) && p.againNear(i+2):
		t[i].w, t[i+1].w = over, over
	}
}

// declines gives a verb of decline at token i the class of where it ends: at what is usual, or at less than before; false where
// there is none.
func (p *parser) declines(i int) bool {
	switch {
	case p.asBefore(i), p.falls(i) && p.normalNear(i+1):
		p.t[i].w = over // "error rates drop to levels similar to those before"
	case p.hasText(i, i+1, "fell", "declined", "decreased") && p.hasText(i-1, i, "rate", "rates", "errors", "latency", "loss") && p.troubleBefore(i):
		p.t[i].w = wordEases // "error rates fell sharply"
	default:
		return false
	}
	return true
}

// Words that a phrase makes of others.
var (
	wordOnline = word{id: wOnline}
	wordPlain  = word{}
	wordRecurs = word{id: wRecurs, c: cBad | cOnset}
	wordStops  = word{c: cBad | cOnset}
	wordWork   = word{c: cWork}
	wordClosed = word{c: cWeakRec}
	wordEases  = word{id: wEases, c: cPart}
)

// thingStops reports whether token i says that a thing stopped which should have gone on ("our sync stopped at 10:00"): a noun
// stands before the verb, no pronoun and no trouble.
func (p *parser) thingStops(i int) bool {
	if p.t[i].w.id != wEnd || !p.stops(i) || i == 0 || p.t[i-1].k != kWord || p.t[i-1].w.c&^cHead != 0 {
		return false
	}
	switch p.text(i - 1) {
	case "we", "it", "they", "this", "these", "that", "which", "was", "were", "be", "been", "has", "had", "have", "and", "is", "are", "who", "i":
		return false
	}
	return !p.troubleBefore(p.subjectStart(i))
}

// subjectStart returns the token after which the subject of the verb at token i stands: "our sync" in "because of an expired
// token our sync stopped" has nothing to do with what stands before it, other than in "errors of our sync stopped".
func (p *parser) subjectStart(i int) int {
	for j := i - 1; j > 0 && j >= i-5; j-- {
		switch p.text(j) {
		case "our", "the", "all", "some":
			if p.t[j-1].k == kWord && p.t[j-1].w.c&(cPrep|cOpen|cRange) == 0 && p.t[j-1].w.id != wIn && p.t[j-1].w.id != wFor {
				return 0
			}
			return i
		case "and":
			if p.hasText(j-6, j, "lost", "failed", "crashed", "died", "broke", "went", "hung", "rebooted", "restarted") {
				return 0 // "the cluster lost its leader and background jobs stopped"
			}
		}
	}
	return i
}

// ourWork reports whether the word after token i is what the provider did about the trouble, though by itself it would be
// trouble: "we blocked", "we have dropped".
func (p *parser) ourWork(i int, word string) bool {
	if word != "we" && word != "i" {
		return false
	}
	switch p.text(i + 1) {
	case "blocked", "rejected", "dropped", "terminated", "stopped", "throttled", "refused", "halted", "reduced", "increased", "disconnected", "interrupted", "skipped", "suspended", "waited":
		return true
	}
	return false
}

// isBe reports whether a word is a form of "to be", and isSound whether the word after it says that data is right.
func isBe(w string) bool {
	switch w {
	case "is", "are", "was", "were", "been":
		return true
	}
	return false
}

func isSound(w string) bool {
	switch w {
	case "current", "accurate", "correct", "fresh", "consistent", "up":
		return true
	}
	return false
}

// isGerund reports whether a word is a verb in "-ing".
func isGerund(w string) bool { return len(w) > 4 && w[len(w)-3:] == "ing" }

// isUsual reports whether "as" before a word says that all is as it should be.
func isUsual(w string) bool {
	switch w {
	case "usual", "before", "normal", "expected", "intended", "designed":
		return true
	}
	return false
}

// denied reports whether token i denies what comes after it.
func (p *parser) denied(i int, word string) bool {
	if p.t[i].w.c&cNeg == 0 {
		return false
	}
	return word != "no" && word != "without" && word != "none" && word != "zero"
}

// isAbility reports whether a word names what a service does while it is well, so that its denial is trouble.
func isAbility(w string) bool {
	switch w {
	case "able", "available", "accessible", "reachable", "possible", "visible", "working", "loading", "responding", "delivered", "delivering", "sent", "sending", "received", "receiving", "processed", "processing", "displayed", "shown", "saved", "synced", "syncing", "running",
		"work", "load", "respond", "connect", "open", "start", "receive", "send", "run", "sync", "update", "arrive", "appear", "complete", "fire", "recover", "register", "deliver", "function", "save", "show", "display", "finish", "finished", "imported", "created", "generated", "reach", "resolve", "accept", "accepted", "answered", "picked":
		return true
	}
	return false
}

// isZeroRate reports whether the figure at token i says that nothing fails any more ("the error rate is at 0%").
func (p *parser) isZeroRate(i int) bool {
	t := &p.t[i]
	if t.end-t.start != 1 || p.b[t.start] != '0' {
		return false
	}
	return p.troubleBefore(i)
}

// troubleBefore reports whether a word of trouble stands within eight tokens before token i, in its sentence.
func (p *parser) troubleBefore(i int) bool {
	for j := i - 1; j >= 0 && j >= i-8; j-- {
		if t := &p.t[j]; t.k == kStop || t.k == kPara || t.k == kPunct && (t.p == ':' || t.p == ';') {
			return false
		}
		if p.t[j].w.c&cBad != 0 {
			return true
		}
	}
	return false
}

// againEnds reports whether "again" at token i says that something goes on as before the trouble: "was fast again", "calls
// connect again". It does not after trouble ("failed again"), a request ("try again"), or "and".
func (p *parser) againEnds(i int) bool {
	if i == 0 || p.t[i-1].k != kWord && p.t[i-1].k != kDur {
		return false
	}
	switch p.text(i - 1) {
	case "and", "once", "then", "but", "yet", "over", "try", "retry", "happen", "briefly":
		return false
	}
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		w := p.t[j].w
		if p.t[j].k == kStop || p.t[j].k == kPara {
			break
		}
		if w.c&cUpdate != 0 {
			return false // "we will update again by"
		}
		if w.c&(cBad|cNeg|cFuture|cProbe) != 0 && w.c&cRecov == 0 || w.id == wTo {
			return false
		}
	}
	return true
}

// failureCode reports whether a number is an HTTP status of a request that failed for no fault of its own.
func failureCode(n int32) bool { return n >= 500 && n <= 511 || n == 408 || n == 429 }

// codeNext reports whether the word at token i makes the number before it a status code.
func (p *parser) codeNext(i int) bool {
	switch p.text(i) {
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
		case t.k == kNum && t.digits == 3 && t.num >= 400 && t.num <= 511, t.k == kWord && t.w.c&cBad != 0:
			return true
		case t.k != kWord || t.w.c&(cPrep|cRange|cRecov) != 0:
			return false
		case t.w.c&cNeg != 0:
			return true
		}
	}
	return false
}

// wasSo reports whether the last word of trouble before token i is what something was, and not what is spoken of.
func (p *parser) wasSo(i int) bool {
	for j := i - 1; j > 0 && j >= i-8; j-- {
		if p.t[j].w.c&cBad != 0 {
			return isBe(p.text(j-1)) || p.hasText(j-1, j, "went", "became", "gone")
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
	switch p.text(i) {
	case "dropped", "fell", "declined", "decreased", "went", "came", "reduced", "settled", "stabilized":
		return true
	}
	return false
}

// asBefore reports whether token i is a verb of decline that ends at what was usual before the trouble.
func (p *parser) asBefore(i int) bool {
	switch p.text(i) {
	case "drop", "drops", "dropped", "fell", "fall", "declined", "decreased", "went", "came", "returned":
		return p.hasText(i+1, i+4, "level", "levels") && p.hasText(i+2, i+9, "before", "prior", "usual", "pre-incident") || p.hasText(i+1, i+4, "pre-incident")
	}
	return false
}

// normalNear reports whether "normal", "baseline" or "zero" stands within four tokens from token i.
func (p *parser) normalNear(i int) bool {
	for j := i; j < len(p.t) && j < i+4; j++ {
		if id := p.t[j].w.id; id == wNormal || id == wBaseline || p.text(j) == "zero" {
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

// stops reports whether token i is "stopped" or its like, and not "ended".
func (p *parser) stops(i int) bool {
	switch p.text(i) {
	case "stopped", "stoped", "ceased", "stop", "stops":
		return true
	}
	return false
}

// eases reports whether the word at token i, or after its "to", says that something gets less or better.
func (p *parser) eases(i int) bool {
	if p.t[i].w.id == wTo {
		i++
	}
	return p.hasText(i, i+1, "decline", "declining", "decrease", "decreasing", "improve", "improving", "subside", "subsiding", "recover", "recovering", "ease", "easing", "clear", "clearing", "abate", "abating")
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
