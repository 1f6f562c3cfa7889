package syndication

import (
	"strings"
	"time"
	"unicode"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// A body is what the HTML of an item says.
type body struct {
	// phase is the state that a word of its own tells, "" for none.
	phase      downwind.Phase
	text       string
	components []downwind.Component
	// posts are the updates that the text holds, each below its date, empty where it is one text; impact is what a line before
	// them tells.
	posts  []downwind.Update
	impact downwind.Impact
}

// affectedList is the head of a list of what is affected.
var affectedList = pattern.New(`(?i)(<[a-z0-9]+[^>]*>\s*)*affected\s+(services|components|systems|products)\s*:?\s*(</?[a-z0-9]+[^>]*>\s*)*<ul[^>]*>`)

// readBody reads an item: a state word at its head ("Status: Resolved", "<strong>Identified</strong> - …"), the text, and
// a closing list of affected components.
func readBody(html string) body {
	var b body
	if strings.Contains(html, "<ul") {
		if at := affectedList.FindStringIndex(html); at != nil {
			list, _, _ := strings.Cut(html[at[1]:], "</ul>")
			b.components = listItems(list)
			html = html[:at[0]]
		}
	}
	text := feeds.PlainText(html)
	b.phase, b.text = headWord(text)
	b.posts, b.impact = datedPosts(b.text)
	return b
}

// datedPosts parts a text at the lines that hold a date and a clock time and nothing else: each begins a post, whose first
// line may be its state. Before the first stand labels only ("Severity: minor"): prose there makes it one text.
func datedPosts(text string) (out []downwind.Update, impact downwind.Impact) {
	const most = 500
	var lines []string // of the last post
	end := func() {
		if len(out) > 0 {
			out[len(out)-1].Phase, out[len(out)-1].Body = postText(lines)
		}
		lines = lines[:0]
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if at, ok := dateLine(line); ok && len(out) < most {
			end()
			out = append(out, downwind.Update{ID: feeds.ContentID("post", at.Format(time.RFC3339)), PostedAt: at})
			continue
		}
		if len(out) > 0 {
			lines = append(lines, line)
			continue
		}
		label, word, ok := strings.Cut(line, ":")
		if !ok || len(label) > 24 || len(line) > 60 {
			return nil, ""
		}
		if strings.EqualFold(label, "severity") || strings.EqualFold(label, "impact") {
			impact, _ = feeds.ImpactOf(word)
		}
	}
	end()
	return out, impact
}

// postText parts the lines of a post into its state, "" where the first line tells none, and its words.
func postText(lines []string) (downwind.Phase, string) {
	var phase downwind.Phase
	if len(lines) > 0 {
		word := strings.ToLower(lines[0])
		if p, ok := statePhase(word); ok {
			phase, lines = p, lines[1:]
		} else if word == "update" || word == "updated" {
			lines = lines[1:]
		}
	}
	return phase, strings.Join(lines, "\n")
}

// dateLine reads a line whose every word is part of a date, a clock time or a zone.
func dateLine(line string) (time.Time, bool) {
	if len(line) < 12 || len(line) > 48 || !strings.Contains(line, ":") {
		return time.Time{}, false
	}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
		if _, month := feeds.MonthOf(w); month || strings.ContainsAny(w, "0123456789") {
			continue
		}
		if _, zone := feeds.ZoneOffset(w); zone {
			continue
		}
		switch strings.ToLower(strings.TrimSuffix(w, ".")) {
		case "am", "pm", "at", "mon", "tue", "wed", "thu", "fri", "sat", "sun",
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		default:
			return time.Time{}, false
		}
	}
	return feeds.ParseTime(line)
}

func listItems(list string) []downwind.Component {
	var out []downwind.Component
	parts := strings.Split(list, "<li")
	for _, item := range parts[1:] {
		if len(out) >= 500 {
			break
		}
		_, item, _ = strings.Cut(item, ">")
		name, _, _ := strings.Cut(item, "</li>")
		name = feeds.PlainLine(name)
		if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
			if _, ok := feeds.StatusOf(name[i+2 : len(name)-1]); ok {
				name = name[:i]
			}
		}
		if name != "" {
			out = append(out, downwind.Component{Name: name})
		}
	}
	return out
}

// headWord takes a state word off the head of a text: "Status: Resolved\n…", "Investigating - …", or the word alone.
func headWord(text string) (downwind.Phase, string) {
	line, rest, _ := strings.Cut(text, "\n")
	if word, ok := cutFold(line, "status:"); ok {
		if p, known := statePhase(word); known {
			return p, strings.TrimSpace(rest)
		}
		if first, more, ok := strings.Cut(word, " "); ok {
			if p, known := statePhase(first); known {
				return p, strings.TrimSpace(more + "\n" + rest)
			}
		}
		return "", text
	}
	if p, known := statePhase(strings.TrimRight(line, ".:")); known {
		if rest == "" {
			return p, text
		}
		return p, strings.TrimSpace(rest)
	}
	for _, sep := range []string{" - ", " – ", " — ", ": "} {
		word, after, ok := strings.Cut(line, sep)
		if !ok || len(word) > 24 {
			continue
		}
		if p, known := statePhase(word); known {
			after = strings.TrimSpace(after)
			if rest != "" {
				after += "\n" + rest
			}
			return p, after
		}
	}
	return "", text
}

// titleState takes a state off a title: before it, also behind a sign ("🔴 Investigating – …"), or after it ("… - Resolved",
// "… (Monitoring)").
func titleState(title string) (rest string, phase downwind.Phase) {
	bare := strings.TrimLeftFunc(title, func(r rune) bool { return r != '[' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if rest, phase = feeds.TrimState(bare); phase != "" {
		return rest, phase
	}
	for _, ends := range [][2]string{{" - ", ""}, {" – ", ""}, {" — ", ""}, {" | ", ""}, {" (", ")"}, {" [", "]"}} {
		at := strings.LastIndex(title, ends[0])
		if at <= 0 || !strings.HasSuffix(title, ends[1]) {
			continue
		}
		if p, ok := statePhase(strings.TrimSuffix(title[at+len(ends[0]):], ends[1])); ok {
			return strings.TrimSpace(title[:at]), p
		}
	}
	return title, ""
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return strings.TrimSpace(s[len(prefix):]), true
	}
	return "", false
}

// statePhase reads the words that platforms print as states; words of ordinary prose ("New", "Issue") do not count.
func statePhase(word string) (downwind.Phase, bool) {
	switch strings.ToLower(strings.Trim(word, " []")) {
	case "investigating", "identified", "monitoring", "resolved", "postmortem", "post-mortem", "scheduled", "in progress",
		"verifying", "completed", "cancelled", "canceled", "closed", "mitigated", "detected", "fixed", "watching":
		return feeds.PhaseOf(word)
	}
	return "", false
}

// notYet is a phrase of an end that has not come: "we will post again once it is resolved".
var notYet = pattern.New(`(?i)\b(not|isn't|hasn't|yet to be|until|once|when|as soon as)\b[^.]{0,40}\b(resolved|restored|recovered|fixed)\b`)

// proseStates are phrases that tell a state, strongest first.
var proseStates = []struct {
	phrase *pattern.Regexp
	phase  downwind.Phase
}{
	{pattern.New(`(?i)\b((has|have|been|is|are|was|were|now|fully|we've) (now |been |fully |all |since )*(resolved|restored|fixed|recovered)|operating normally|(incident|issue|problem|outage) (is over|resolved)|(back|returned) to normal|(back online|fully operational)( again)?)\b`), downwind.Resolved},
	{pattern.New(`(?i)\b(maintenance (has been |is |was )?(completed?|finished))\b`), downwind.Completed},
	{pattern.New(`(?i)\b((are|continue to|continuing to|closely) monitor(ing)?|monitoring the (results?|situation|recovery|fix)|fix (has been |was |is )?(implemented|applied|deployed|rolled out|released)|(deployed|applied|implemented|released|rolled out) (a|the) (fix|hotfix|patch)|(has|have) been mitigated|signs of recovery|keep(ing)? an eye on)\b`), downwind.Monitoring},
	{pattern.New(`(?i)\b((identified|found) (the|an?) (root )?(cause|issue|problem|source)|(cause|issue|problem) (has been|was|is) (identified|found)|(working on|rolling out|deploying|implementing|preparing|applying) (a|the) (fix|hotfix|patch|solution)|fix is being)\b`), downwind.Identified},
	{pattern.New(`(?i)\b(investigating|looking into|aware of)\b`), downwind.Investigating},
}

// proseState reads a state out of title and text, "" where they tell none.
func proseState(title, text string) downwind.Phase {
	if p, ok := statePhase(title); ok {
		return p
	}
	const enough = 2000
	title, text = title[:min(len(title), enough)], text[:min(len(text), enough)]
	open := notYet.MatchString(text)
	for _, s := range proseStates {
		if open && s.phase == downwind.Resolved {
			continue
		}
		if s.phrase.MatchString(text) || s.phrase.MatchString(title) {
			return s.phase
		}
	}
	if open {
		return downwind.Investigating
	}
	return foreignState(title + "\n" + text)
}

// workStates are phrases that tell how far planned work is.
var workStates = []struct {
	phrase *pattern.Regexp
	phase  downwind.Phase
}{
	{pattern.New(`(?i)\b(maintenance|work|upgrade|migration)s? ((has|have) (now )?(begun|started|commenced)|(is|are) (now |currently )?(underway|under way|in progress|ongoing))\b`), downwind.InProgress},
	{pattern.New(`(?i)\b(will (be|take|perform|undergo|carry|conduct|start|begin|upgrade|update|replace|move|migrate|restart|switch)|(is|are|have|has been) (scheduled|planned|planning)|scheduled for)\b`), downwind.Scheduled},
}

// workState reads how far planned work is, "" where the text does not tell.
func workState(text string) downwind.Phase {
	text = text[:min(len(text), 2000)]
	for _, s := range workStates {
		if s.phrase.MatchString(text) {
			return s.phase
		}
	}
	return ""
}

var (
	plannedTitle = pattern.New(`(?i)\b(scheduled|planned|upcoming|emergency|routine)\b.*\b(maintenance|downtime|upgrade)\b|^maintenance\b|\bmaintenance( window)?$`)
	noticeTitle  = pattern.New(`(?i)^(announcement|release notes?|notice|news|changelog|deprecation)\b\s*[:\-–]`)
)

func isPlanned(title string, categories []string) bool {
	if plannedTitle.MatchString(title) || foreignPlan(title) {
		return true
	}
	for _, c := range categories {
		if strings.EqualFold(c, "maintenance") || strings.EqualFold(c, "scheduled maintenance") {
			return true
		}
	}
	return false
}

func isNotice(title string, categories []string) bool {
	if noticeTitle.MatchString(title) {
		return true
	}
	for _, c := range categories {
		if strings.EqualFold(c, "announcement") || strings.EqualFold(c, "release") {
			return true
		}
	}
	return false
}
