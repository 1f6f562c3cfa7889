package notify

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"downwind"
)

// Icon repeats a tone's word as a symbol; it never stands alone.
func (t Tone) Icon() string {
	switch t {
	case ToneCritical:
		return "🔴"
	case ToneMajor:
		return "🟠"
	case ToneMinor:
		return "🟡"
	case ToneMonitoring:
		return "🔵"
	case ToneResolved:
		return "🟢"
	case ToneMaintenance:
		return "🔧"
	case ToneEdited:
		return "✏️"
	}
	return ""
}

// Color is a tone's colour as 0xRRGGBB; 0 for none.
func (t Tone) Color() int {
	switch t {
	case ToneCritical:
		return 0xB3261E
	case ToneMajor:
		return 0xD9822B
	case ToneMinor:
		return 0xC9A227
	case ToneMonitoring:
		return 0x4A6FA5
	case ToneResolved:
		return 0x2E8B57
	case ToneMaintenance:
		return 0x5B7083
	case ToneEdited:
		return 0x7A5195
	}
	return 0
}

// PhaseWord is a phase as people read it.
func PhaseWord(p downwind.Phase) string {
	switch p {
	case downwind.Investigating:
		return "Investigating"
	case downwind.Identified:
		return "Identified"
	case downwind.Monitoring:
		return "Monitoring"
	case downwind.Resolved:
		return "Resolved"
	case downwind.Postmortem:
		return "Resolved, postmortem published"
	case downwind.Scheduled:
		return "Planned"
	case downwind.InProgress:
		return "Running"
	case downwind.Verifying:
		return "Verifying"
	case downwind.Completed:
		return "Done"
	case downwind.Cancelled:
		return "Cancelled"
	}
	return "State not stated"
}

// ImpactWord is an impact as people read it.
func ImpactWord(i downwind.Impact) string {
	switch i {
	case downwind.ImpactNone:
		return "none"
	case downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical, downwind.ImpactMaintenance:
		return string(i)
	}
	return "not stated"
}

// StatusWord is a component's state as people read it.
func StatusWord(s downwind.Status) string {
	switch s {
	case downwind.Operational:
		return "operational"
	case downwind.Degraded:
		return "degraded"
	case downwind.PartialOutage:
		return "partial outage"
	case downwind.MajorOutage:
		return "major outage"
	case downwind.UnderMaintenance:
		return "under maintenance"
	}
	return "state not stated"
}

// componentName is the name with its group, as the page shows it.
func componentName(c downwind.Component) string {
	if c.Group != "" && !strings.HasPrefix(c.Name, c.Group) {
		return c.Group + " - " + c.Name
	}
	return c.Name
}

// Span is a length of time for people: "40 s", "28 min", "1 h 50 min", "3 days".
func Span(d time.Duration) string {
	if d < 0 {
		d = -d
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		h, m := int(d.Hours()), int(d.Minutes())%60
		if m == 0 {
			return fmt.Sprintf("%d h", h)
		}
		return fmt.Sprintf("%d h %d min", h, m)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// iso is an instant to the minute, or to the second where it has one, as jobs take it.
func iso(t time.Time) string {
	t = t.UTC()
	if t.Second() != 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04Z")
}

// ISOInterval is a period as ISO 8601 interval; an open bound is "..".
func ISOInterval(start, end time.Time) string {
	a, b := "..", ".."
	if !start.IsZero() {
		a = iso(start)
	}
	if !end.IsZero() {
		b = iso(end)
	}
	return a + "/" + b
}

// Clean removes what no sink should see of provider text: control characters but line breaks, and marks that turn
// the direction of writing or are invisible.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || unicode.IsControl(r):
			return -1
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0x200B && r <= 0x200F, r == 0x061C, r == 0xFEFF, r == 0x2028, r == 0x2029, r == 0x00AD, r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, s)
}

// OneLine is Clean text on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Size counts a text as the platforms do at worst: in UTF-16 units.
func Size(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Cut shortens a text to at most max units (see Size) on a word boundary, with "…" at the end.
func Cut(s string, max int) string {
	if Size(s) <= max {
		return s
	}
	if max <= 1 {
		return ""
	}
	n, end, space := 0, 0, -1
	for i, r := range s {
		w := 1
		if r > 0xFFFF {
			w = 2
		}
		if n+w > max-1 {
			break
		}
		if unicode.IsSpace(r) {
			space = i
		}
		n += w
		end = i + len(string(r))
	}
	if space > end/2 {
		end = space
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + "…"
}

// and joins words: "a", "a and b", "a, b and c".
func and(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// share says how many of the named components are the team's: "2 of the 5 components named here are yours."
func share(used, of int) string {
	switch {
	case of == 1:
		return "The component named here is yours."
	case used == of && of == 2:
		return "Both components named here are yours."
	case used == of:
		return fmt.Sprintf("All %d components named here are yours.", of)
	case used == 1:
		return fmt.Sprintf("1 of the %d components named here is yours.", of)
	}
	return fmt.Sprintf("%d of the %d components named here are yours.", used, of)
}
