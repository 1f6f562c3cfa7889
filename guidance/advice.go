package guidance

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"downwind"
)

// maxAdvice and maxChecklist bound what is said: somebody reads it at 3 a.m.
const (
	maxAdvice    = 6
	maxChecklist = 6
)

// wording is what the posts say, for cues.
type wording struct {
	said phraseKind
	ops  []string // operations named
}

// add takes in what one more text says.
func (w *wording) add(r *reader) {
	w.said |= r.said
	for _, op := range r.ops {
		if len(w.ops) < maxOperations && !slices.Contains(w.ops, op) {
			w.ops = append(w.ops, op)
		}
	}
}

// maxOperations bounds the names of operations that advice repeats.
const maxOperations = 3

// advise words advice and checklist for the windows at yours (nil: all), from the words of the posts and what a team uses.
func advise(g *downwind.Guidance, words wording, yours []int, use *downwind.Use) (advice, checklist []string) {
	st := stageOf(g.Phase, g.Categories)
	period := periodText(g.Windows, yours)
	uses := ^integration(0)
	if u := integrations(use); u != 0 {
		uses = u
	}
	cats := setOf(g.Categories)
	var room [len(adviceTable)]*saying
	picked := room[:0]
	lines := sayingsOf(st)
	for i := range lines {
		l := &lines[i]
		if l.alone && (len(picked) > 0 || g.NoneNeeded || len(g.Windows) == 0) {
			continue
		}
		if l.needs != usesAny && uses&l.needs == 0 || !fits(l.line, cats) {
			continue
		}
		if words.said&l.cue != l.cue || l.names && len(words.ops) == 0 || period == "" && l.timed {
			continue
		}
		picked = append(picked, l)
	}
	if g.NoneNeeded {
		picked = slices.DeleteFunc(picked, func(l *saying) bool { return l.cost < costReplay })
	}
	if cats&catDashboard != 0 && words.said&saysDashboardOnly != 0 {
		picked = slices.DeleteFunc(picked, func(l *saying) bool { return l.cat != catDashboard })
	}
	// what names an operation or an integration comes before what holds for every incident
	slices.SortStableFunc(picked, func(a, b *saying) int { return int(a.cost) - int(b.cost) })
	picked = trim(picked)
	full := false
	advice, checklist = roomFor(picked)
	for _, check := range [...]bool{false, true} {
		for _, l := range picked {
			if l.check != check || check && len(checklist) == maxChecklist || !check && len(advice) == maxAdvice {
				continue
			}
			text := l.word(period, full, words.ops)
			full = full || l.timed
			switch {
			case check && !slices.Contains(checklist, text):
				checklist = append(checklist, text)
			case !check && !slices.Contains(advice, text):
				advice = append(advice, text)
			}
		}
	}
	return openEnds(g, yours, st, advice), checklist
}

// sayingsOf are the lines of a stage; that of what was called off, 0, has none.
func sayingsOf(st stage) []saying {
	if st == 0 {
		return nil
	}
	return sayings()[bits.TrailingZeros8(uint8(st))]
}

// roomFor makes the lists that the lines go into, with room for one sentence about open ends.
func roomFor(ls []*saying) (advice, checklist []string) {
	checks := 0
	for _, l := range ls {
		if l.check {
			checks++
		}
	}
	if n := len(ls) - checks; n > 0 {
		advice = make([]string, 0, min(n, maxAdvice)+1)
	}
	if checks > 0 {
		checklist = make([]string, 0, min(checks, maxChecklist))
	}
	return advice, checklist
}

// trim keeps at most maxAdvice sentences: those that need an integration or a cue first, then by cost.
func trim(ls []*saying) []*saying {
	n := 0
	for _, l := range ls {
		if !l.check {
			n++
		}
	}
	for i := len(ls) - 1; i >= 0 && n > maxAdvice; i-- {
		if l := ls[i]; !l.check && l.needs == usesAny && l.cue == 0 && !l.names && l.cost != costReplay {
			ls = slices.Delete(ls, i, i+1)
			n--
		}
	}
	return ls
}

// stageOf maps a phase to its stage.
func stageOf(p downwind.Phase, cats []downwind.Category) stage {
	switch p {
	case downwind.Monitoring:
		return stageMonitoring
	case downwind.Resolved:
		return stageResolved
	case downwind.Postmortem:
		return stagePostmortem
	case downwind.Scheduled:
		return stageBefore
	case downwind.InProgress, downwind.Verifying:
		return stageDuring
	case downwind.Completed:
		return stageAfter
	case downwind.Cancelled:
		return 0
	}
	return stageActive
}

// fits reports whether a line is about an incident of these categories.
func fits(l *line, cats cat) bool {
	if l.cat&cats != l.cat {
		return false
	}
	// the API is no way round a dashboard that fails with it
	return l.cat != catDashboard || l.when != stageActive || cats&catAPI == 0
}

// integrations reads what kinds of integration a stack has: from the services that its files show (those that say nothing
// count as server use), else from the names of the packages that it runs. Zero: the files say nothing.
func integrations(use *downwind.Use) integration {
	if use == nil {
		return 0
	}
	var out integration
	for _, s := range use.Services {
		found := integrationOf(s)
		if found == 0 {
			found = usesServer
		}
		out |= found
	}
	if len(use.Services) > 0 {
		return out
	}
	for _, e := range use.Evidence {
		if e.Direct && !e.Dev {
			out |= integrationOf(e.Match)
		}
	}
	return out
}

// integrationOf reads one name of a service or package.
func integrationOf(name string) integration {
	name = strings.ToLower(name)
	var out integration
	for _, k := range [...]struct {
		words []string
		what  integration
	}{
		{[]string{"sip", "voice", "phone", "telephony", "sms", "messaging", "trunk", "call"}, usesCalls},
		{[]string{"agent"}, usesAgents | usesSessions | usesServer},
		{[]string{"realtime", "rtc", "video", "media", "client", "react", "swift", "android", "flutter"}, usesSessions},
		{[]string{"server", "admin"}, usesServer},
		{[]string{"egress", "record", "ingress", "stream"}, usesRecordings},
		{[]string{"webhook", "event"}, usesWebhooks},
		{[]string{"actions", "build", "deploy", "ci", "runner", "registry", "pages", "functions", "hosting"}, usesBuilds | usesServer},
	} {
		if slices.ContainsFunc(k.words, func(w string) bool { return w == name || len(w) > 2 && strings.Contains(name, w) }) {
			out |= k.what
		}
	}
	return out
}

// verbs that the names of operations begin with ("ListParticipants", "CreateIngress").
var operationVerbs = []string{"List", "Get", "Create", "Delete", "Update", "Transfer", "Put", "Post", "Start", "Stop", "Remove", "Send", "Describe", "Run", "Invoke", "Associate", "Disassociate", "Dispatch"}

func isOperation(w string) bool {
	if len(w) < 6 || len(w) > 40 || w[0] < 'A' || w[0] > 'Z' {
		return false
	}
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' {
			return slices.Contains(operationVerbs, w[:i])
		}
	}
	return false
}

// word fills the places of a sentence. The whole period is given once; later sentences say "in that time".
func (s *saying) word(period string, full bool, ops []string) string {
	text := s.text
	if s.timed {
		p, prep := period, "on "
		if full {
			p = "that time"
		}
		if full || strings.HasPrefix(period, "the ") {
			prep = "in "
		}
		if s.bare {
			prep = ""
		}
		text = s.before + prep + p + s.after
	}
	if s.names {
		text = strings.ReplaceAll(text, "{O}", join(ops))
	}
	return text
}

// openEnds adds a sentence where a bound is not stated and the period to paste holds a guess.
func openEnds(g *downwind.Guidance, yours []int, st stage, advice []string) []string {
	if g.NoneNeeded {
		advice = append([]string{"The provider says that no action is needed; the window is kept for the record."}, advice...)
	}
	if g.Padded == nil || st&stageOver == 0 && st != stageMonitoring {
		return advice
	}
	switch {
	case len(g.Windows) == 0 && g.PageGuess != nil && st&stageOver != 0:
		advice = append(advice, fmt.Sprintf("Replay failures from %s to %s UTC if you must: no impact time is stated, this is a guess from the page's clock.", g.Padded.Start.Format("2 Jan 15:04"), g.Padded.End.Format("15:04")))
	case g.Replay != nil && g.Replay.Start.IsZero() && !slices.ContainsFunc(g.Windows, func(w downwind.Window) bool { return !w.Start.IsZero() }):
		advice = append(advice, fmt.Sprintf("Replay from %s UTC: the start is not stated, this is a guess (an hour before the page began); a later post may settle it.", g.Padded.Start.Format("2 Jan 15:04")))
	case g.Replay != nil && g.Replay.End.IsZero() && st&stageOver != 0:
		advice = append(advice, fmt.Sprintf("Replay up to %s UTC: the end is not stated, this is a guess from the page's clock.", g.Padded.End.Format("2 Jan 15:04")))
	}
	return advice
}
