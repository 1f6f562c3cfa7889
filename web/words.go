package web

import (
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"
	"unicode"

	"downwind"
	"downwind/internal/pattern"
)

// clean makes provider text safe to show as text: valid UTF-8 without control and direction characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == 0xFEFF, r == 0xFFFE, r == 0xFFFF,
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// oneLine is clean text with all white space collapsed.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// clip cuts text to at most n bytes on a word boundary, with an ellipsis where something was cut.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := n - len("…")
	for cut > 0 && !isStart(text[cut]) {
		cut--
	}
	head := text[:cut]
	if i := strings.LastIndexAny(head, " \n"); i > cut/2 {
		head = head[:i]
	}
	return strings.TrimRight(head, " \n.,;:") + "…"
}

func isStart(b byte) bool { return b&0xC0 != 0x80 }

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// timeTag wraps words for an instant; the words are of our own making.
func timeTag(t time.Time, words string) template.HTML {
	return template.HTML(`<time datetime="` + isoTime(t) + `">` + template.HTMLEscapeString(words) + `</time>`)
}

// A dater shows times in UTC. It leaves the year out where nobody can be in doubt of it.
type dater struct{ now func() time.Time }

// layout is that of a time's date.
func (d dater) layout(t time.Time) string {
	if away := d.now().Sub(t); away > 270*24*time.Hour || away < -90*24*time.Hour {
		return "2 Jan 2006"
	}
	return "2 Jan"
}

// day shows the date alone: "30 Nov".
func (d dater) day(t time.Time) string { return t.UTC().Format(d.layout(t)) }

// utc shows date and time: "30 Nov, 03:16 UTC".
func (d dater) utc(t time.Time) template.HTML {
	if t.IsZero() {
		return "not stated"
	}
	return timeTag(t, d.day(t)+", "+t.UTC().Format("15:04")+" UTC")
}

// clock shows the time alone, where the date stands above: "03:16 UTC".
func (d dater) clock(t time.Time) template.HTML {
	if t.IsZero() {
		return "not stated"
	}
	return timeTag(t, t.UTC().Format("15:04")+" UTC")
}

// period shows a period and names the day once where both ends are on one.
func (d dater) period(start, end time.Time) template.HTML {
	if start.IsZero() || end.IsZero() {
		return d.utc(start) + " to " + d.utc(end)
	}
	a, b := start.UTC(), end.UTC()
	if a.Format(time.DateOnly) != b.Format(time.DateOnly) {
		return timeTag(a, d.day(a)+", "+a.Format("15:04")) + " to " + d.utc(b)
	}
	return timeTag(a, d.day(a)+", "+a.Format("15:04")) + " to " + d.clock(b)
}

// spanWords tells a duration in words: "33 min", "2 h 5 min", "3 d 4 h".
func spanWords(d time.Duration) string {
	switch {
	case d < 0:
		return "0 min"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		if m := int(d.Minutes()) % 60; m != 0 {
			return fmt.Sprintf("%d h %d min", int(d.Hours()), m)
		}
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	days := int(d.Hours()) / 24
	if h := int(d.Hours()) % 24; h != 0 && days < 10 {
		return fmt.Sprintf("%d d %d h", days, h)
	}
	return fmt.Sprintf("%d d", days)
}

// pieces splits what is to be copied into parts that should not be broken: times and quoted times.
func pieces(text string) []string { return copyPiece.FindAllString(text, -1) }

var copyPiece = pattern.New(`[^/ ]+[/ ]?`)

// spanTag keeps a duration on one line.
func spanTag(d time.Duration) template.HTML {
	return template.HTML(`<span class="nb">` + spanWords(d) + `</span>`)
}

func countWord(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func phaseWord(p downwind.Phase) string {
	switch p {
	case downwind.InProgress:
		return "in progress"
	case downwind.PhaseUnknown, "":
		return "state not stated"
	}
	return string(p)
}

func impactWord(i downwind.Impact) string {
	switch i {
	case downwind.ImpactUnknown, "":
		return "impact not stated"
	case downwind.ImpactNone:
		return "no impact"
	}
	return string(i)
}

func statusWord(s downwind.Status) string {
	switch s {
	case downwind.PartialOutage:
		return "partial outage"
	case downwind.MajorOutage:
		return "major outage"
	case downwind.UnderMaintenance:
		return "maintenance"
	case downwind.StatusUnknown, "":
		return "not known"
	}
	return string(s)
}

func kindWord(k downwind.ChangeKind) string {
	switch k {
	case downwind.ChangeNew:
		return "first post"
	case downwind.ChangeEdit:
		return "silent edit"
	case downwind.ChangeComponents:
		return "components"
	}
	return string(k)
}

// upperFirst begins a sentence of our own words.
func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fieldWord names a field of an incident or post for people.
func fieldWord(field string) string {
	switch field {
	case "body":
		return "text"
	case "posted_at":
		return "time"
	case "phase":
		return "state"
	}
	return strings.ReplaceAll(field, "_", " ")
}

var categoryWords = sync.OnceValue(func() map[downwind.Category]string {
	return map[downwind.Category]string{
		downwind.CategoryAPIErrors: "API errors", downwind.CategoryLatency: "latency", downwind.CategorySessions: "sessions",
		downwind.CategoryCalls: "calls", downwind.CategoryRecordings: "recordings", downwind.CategoryWebhooks: "webhooks",
		downwind.CategoryAuth: "sign-in", downwind.CategoryData: "data", downwind.CategoryDashboard: "dashboard",
		downwind.CategoryDNS: "DNS", downwind.CategoryBuilds: "builds", downwind.CategoryUpstream: "upstream",
		downwind.CategoryMaintenance: "maintenance",
	}
})

var holdWords = sync.OnceValue(func() map[downwind.HoldReason]string {
	return map[downwind.HoldReason]string{
		downwind.HeldProvider: "not in the stack", downwind.HeldProduct: "another product", downwind.HeldRegion: "another region",
		downwind.HeldSelfHosted: "run by yourselves", downwind.HeldTypeOnly: "types or mocks only", downwind.HeldTransitive: "somebody else's dependency",
		downwind.HeldVendored: "registry not asked", downwind.HeldDashboard: "consoles only", downwind.HeldFirstPoll: "history at first contact",
		downwind.HeldNothing: "nothing new for readers", downwind.HeldSeverity: "below the minimum", downwind.HeldKinds: "kind left out",
		downwind.HeldFilter: "filtered", downwind.HeldMuted: "muted", downwind.HeldQuiet: "quiet hours", downwind.HeldRule: "marked as not ours",
		downwind.HeldUntold: "never told here", downwind.HeldInconsequent: "edit without consequence", downwind.HeldJoined: "told in a collecting message",
		downwind.HeldFlicker: "waits for confirmation", downwind.HeldDigest: "left to the digest",
	}
})
