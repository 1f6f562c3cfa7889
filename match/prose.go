package match

import (
	"regexp"
	"strings"

	"downwind"
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

// A clause is one statement of the incident's words.
type clause struct {
	text string
	tone tone
	// update counts the posts from 0.
	update int
}

// prose is the words of an incident: title and clauses, oldest first.
type prose struct {
	title   string
	clauses []clause
}

var (
	breaks = regexp.MustCompile(`[.!?](?:\s+|$)|[\n;]|\s[-–—•*]\s|,?\s(?:but|while|whereas|although|though)\s`)
	// notHit are the ways to say that something is not hit.
	notHit    = regexp.MustCompile(`(?i)\b(?:not|never|n't|isn't|aren't|wasn't|weren't)\s+(?:been\s+|being\s+|be\s+)?(?:affected|impacted|involved|degraded)\b|\bunaffected\b|\b(?:is|are|was|were|stay|stays|stayed|remain|remains|remained)\s+(?:all\s+)?(?:fine|healthy|ok|okay|normal|available|operational|unaffected|stable|up|online)\b|\b(?:operat|work|function|process|serv|deliver|perform|answer|respond|runn|flow)\w*\s+(?:as\s+(?:expected|usual|normal|before)|normally|fine|correctly)\b|\b(?:keep|keeps|kept|continue|continues|continued)\s+(?:on\s+)?(?:to\s+)?(?:be\s+)?(?:work|serv|run|operat|flow|process|function|respond|accept|deliver)\w*|\bcontinued?\s*$|\b(?:work|works|worked|succeed|succeeds|succeeded)\s*$|\bno\s+(?:impact|effect)\s+(?:on|to|for)\b|\bwent\s+on\s*$|\b(?:is|are)\s+(?:still\s+)?(?:served|delivered|processed)\b|\bstayed\s+connected\b|\bdid\s+not\s+(?:affect|impact)\b|\bdoes\s+not\s+(?:affect|impact)\b`)
	wellAgain = regexp.MustCompile(`(?i)\b(?:again|now|back|recover\w*|restored|resum\w+|since|resolved|cleared|no longer|have been operating|has been operating|returned|fixed|completed|mitigated)\b`)
	wrong     = regexp.MustCompile(`(?i)\b(?:fail\w*|error\w*|degrad\w*|unavailab\w*|down|outage\w*|slow\w*|delay\w*|latenc\w*|tim(?:e|es|ed|ing)\s?-?outs?|stuck|reject\w*|drop(?:s|ped|ping)?|los[et]\w*|losing|cannot|can't|could not|unable|interrupt\w*|disrupt\w*|affect\w*|impact\w*|elevat\w*|increas\w*|missing|stale|5\d\d|5xx|unreachable|packet loss|servfail|paused?|refus\w*|late|broken|trouble|problem\w*|issue\w*|incorrect\w*|wrong\w*|congest\w*|intermittent\w*|not (?:start|finish|answer|work|load|respond|complet)\w*|do(?:es)? not \w+|pending|dropped|throttl\w*|restart\w*|disconnect\w*|one-way|duplicate\w*|maintenance|upgrad\w*|re-?rout\w*|see one|brief\w*)\b`)
	// elsewhere are clauses that name a place as the destination of traffic, or where somebody else's trouble is.
	elsewhere = regexp.MustCompile(`(?i)\b(?:mov(?:e|ed|ing)|rout(?:e|ed|ing)|drain(?:ed|ing)?|shift(?:ed|ing)?|fail(?:ed|ing)?\s+over)\b.*\b(?:to|through|away)\b`)
	upstream  = regexp.MustCompile(`(?i)\b(?:our|an?|the)\s+(?:upstream|cloud|hosting|infrastructure|network|third-party|transit)\s+(?:provider|vendor|carrier)\b`)
)

// readText splits title and updates into clauses with their tone.
func readText(inc *downwind.Incident) *prose {
	t := &prose{title: inc.Title}
	for n, u := range inc.Updates {
		body := u.Body
		if len(body) > maxBody {
			body = body[:maxBody]
		}
		for _, part := range breaks.Split(body, -1) {
			part = strings.TrimSpace(part)
			if part == "" {
				continue
			}
			t.clauses = append(t.clauses, clause{text: part, tone: toneOf(part), update: n})
		}
	}
	return t
}

// maxBody bounds how much of one update is read; longer ones are postmortems whose beginning holds the scope.
const maxBody = 20_000

func toneOf(s string) tone {
	if notHit.MatchString(s) {
		if wellAgain.MatchString(s) && !strings.Contains(strings.ToLower(s), "not affected") {
			return recovered
		}
		return spared
	}
	if wrong.MatchString(s) {
		if elsewhere.MatchString(s) && !strings.Contains(strings.ToLower(s), "error") {
			return neutral
		}
		return failing
	}
	if wellAgain.MatchString(s) {
		return recovered
	}
	return neutral
}

// failing returns the clauses that report trouble, in order; all but the spared ones where none does.
func (t *prose) failing() []clause {
	var out, rest []clause
	for _, c := range t.clauses {
		switch c.tone {
		case failing:
			out = append(out, c)
		case neutral, recovered:
			rest = append(rest, c)
		}
	}
	if len(out) == 0 {
		return rest
	}
	return out
}

// spared returns the clauses that clear what they name.
func (t *prose) spared() []clause {
	var out []clause
	for _, c := range t.clauses {
		if c.tone == spared {
			out = append(out, c)
		}
	}
	return out
}
