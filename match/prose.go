package match

import (
	"slices"
	"strings"
	"sync"

	"downwind/internal/pattern"
)

// tone says what a clause reports of the things it names.
type tone int

const (
	neutral tone = iota
	// failing: something is or was wrong with them.
	failing
	// spared: they are not hit.
	spared
	// recovered: they were hit and are well again.
	recovered
)

// The patterns below run on text in lower case.
var (
	// elsewhere are clauses that name a place as the destination of traffic.
	elsewhere = pattern.New(`\b(?:mov(?:e|ed|ing)|rout(?:e|ed|ing)|drain(?:ed|ing)?|shift(?:ed|ing)?|fail(?:ed|ing)?\s+over)\b.*\b(?:to|through|away)\b`)
	upstream  = pattern.New(`\b(?:our|an?|the)\s+(?:upstream|cloud|hosting|infrastructure|network|third-party|transit)\s+(?:provider|vendor|carrier)\b`)
	wrongPart = pattern.New(`\btim(?:e|es|ed|ing)\s?-?outs?\b|\bcan't\b|\bcould not\b|\bpacket loss\b|\bdo(?:es)? not \w+|\bnot (?:start|finish|answer|work|load|respond|complet)\w*|\bsee one\b`)
)

// notHit are the ways to say that something is not hit. They are kept apart because small patterns run much faster than one big one.
var notHit = []phrase{
	{gateOf("affected", "impacted", "involved", "degraded"), pattern.New(`\b(?:not|never|n't|isn't|aren't|wasn't|weren't)\s+(?:been\s+|being\s+|be\s+)?(?:affected|impacted|involved|degraded)\b|\bunaffected\b`)},
	{
		gateOf("fine", "healthy", " ok", "normal", "available", "operational", "stable", "online"),
		pattern.New(`\b(?:is|are|was|were|stay|stays|stayed|remain|remains|remained)\s+(?:all\s+)?(?:fine|healthy|ok|okay|normal|available|operational|stable|online)\b`),
	},
	{
		gateOf("expected", "usual", "normal", "as before", "fine", "correctly"),
		pattern.New(`\b(?:operat|work|function|process|serv|deliver|perform|answer|respond|runn|flow)\w*\s+(?:as\s+(?:expected|usual|normal|before)|normally|fine|correctly)\b`),
	},
	{
		gateOf("keep", "kept", "continu"),
		pattern.New(`\b(?:keep|keeps|kept|continue|continues|continued)\s+(?:on\s+)?(?:to\s+)?(?:be\s+)?(?:work|serv|run|operat|flow|process|function|respond|accept|deliver|evaluat)\w*|\bcontinued?\s*$`),
	},
	{gateOf(" work", "succe", "went on"), pattern.New(`\b(?:works?|worked|succeeds?|succeeded|went\s+on)\s*$`)},
	{
		gateOf("no impact", "no effect", "served", "delivered", "processed", "stayed connected"),
		pattern.New(`\bno\s+(?:impact|effect)\s+(?:on|to|for)\b|\b(?:is|are)\s+(?:still\s+)?(?:served|delivered|processed)\b|\bstayed\s+connected\b`),
	},
	{gateOf("not affect", "not impact"), pattern.New(`\bdo(?:es|d)?\s+not\s+(?:affect|impact)\b|\bdid\s+not\s+(?:affect|impact)\b`)},
}

var elsewhereGate = gateOf("mov", "rout", "drain", "shift", "fail")

var wrongPartGate = gateOf("-out", "time", "timing", "can't", "not ", "packet", "see one")

// wordSet holds whole words and, ending in "*", beginnings of words. It is safe for concurrent use.
type wordSet struct {
	list string

	// What follows is sorted from the list when the set is first asked.
	once   sync.Once
	whole  map[string]bool
	starts map[byte][]string
}

func words(list string) *wordSet { return &wordSet{list: list} }

func (s *wordSet) sort() {
	s.whole, s.starts = map[string]bool{}, map[byte][]string{}
	for w := range strings.FieldsSeq(s.list) {
		if start, ok := strings.CutSuffix(w, "*"); ok {
			s.starts[start[0]] = append(s.starts[start[0]], start)
			continue
		}
		s.whole[w] = true
	}
}

// in reports whether a text in lower case holds one of the words.
func (s *wordSet) in(low string) bool {
	start := -1
	for i := 0; i <= len(low); i++ {
		if i < len(low) && isWordByte(low[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if s.has(low[start:i]) {
				return true
			}
			start = -1
		}
	}
	return false
}

func isWordByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 }

func (s *wordSet) has(w string) bool {
	if w == "" {
		return false
	}
	s.once.Do(s.sort)
	if s.whole[w] {
		return true
	}
	for _, start := range s.starts[w[0]] {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	return false
}

var (
	wrongWords = words(`fail* error* degrad* unavailab* down outage* slow* delay* latenc* stuck reject* drop drops dropped dropping lost lose* losing cannot unable
		interrupt* disrupt* affect* impact* impair* elevat* increas* missing stale 500 502 503 504 5xx unreachable servfail pause paused refus* late broken trouble problem*
		issue* incorrect* wrong* congest* intermittent* pending throttl* restart* disconnect* wait* queue* backlog* hang* crash* denied denies block* misrout* short* duplicate* maintenance upgrad* rerout* rout* brief* way`)
	againWords = words(`again now back recover* restored resum* since resolved cleared returned fixed completed mitigated longer`)
)

// anyOf reports whether a text holds one of the parts.
func anyOf(low string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(low, p) })
}

// turns are words that begin a statement of their own.
var turns = [...]string{"but ", "while ", "whereas ", "although ", "though "}

// statements splits text at the ends of sentences, lines and list items, semicolons, dashes and words that turn the thought.
func statements(s string) []string {
	var out []string
	start := 0
	cut := func(end, next int) {
		if part := strings.Trim(s[start:end], " \t\r,"); part != "" {
			out = append(out, part)
		}
		start = next
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\n', ';':
			cut(i, i+1)
		case '.', '!', '?':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '\t' {
				cut(i, i+1)
			}
		case ' ':
			rest := s[i+1:]
			for _, dash := range [...]string{"- ", "* ", "– ", "— ", "• "} {
				if strings.HasPrefix(rest, dash) {
					cut(i, i+1+len(dash))
				}
			}
			for _, w := range turns {
				if strings.HasPrefix(rest, w) {
					cut(i, i+1)
				}
			}
		}
	}
	cut(len(s), len(s))
	return out
}

// maxBody bounds how much of one update is read; longer ones are postmortems whose beginning holds the scope.
const maxBody = 20_000

// toneOf reads the tone of a clause.
func toneOf(t *lowText) tone {
	low := t.text
	if denied(t) && !ourWork(low) && !lateWords.in(low) {
		if wellAgain(low) && !strings.Contains(low, "not affected") {
			return recovered
		}
		return spared
	}
	if wrongWords.in(low) || wrongPartGate.open(t) && wrongPart.MatchString(low) {
		if elsewhereGate.open(t) && elsewhere.MatchString(low) && !strings.Contains(low, "error") {
			return neutral
		}
		return failing
	}
	if wellAgain(low) {
		return recovered
	}
	return neutral
}

// denied reports whether a clause says that something is not hit.
func denied(t *lowText) bool {
	for i := range notHit {
		if notHit[i].in(t) {
			return true
		}
	}
	return false
}

// ourWork reports whether a clause tells what the provider goes on doing ("we continue to work on a fix").
func ourWork(low string) bool {
	return strings.Contains(low, "continu") && (strings.HasPrefix(low, "we") || strings.Contains(low, " team") || strings.Contains(low, "investigat") || strings.Contains(low, "monitor"))
}

// lateWords turn a clause that says that something is processed or served into one of trouble.
var lateWords = words(`delay delays delayed late slow slowly slower latency`)

// wellAgain reports whether a clause speaks of something that was hit and is no longer.
func wellAgain(low string) bool {
	return againWords.in(low) || strings.Contains(low, "have been operating") || strings.Contains(low, "has been operating")
}
