package notify

import (
	"strings"

	"downwind"
)

// announcement makes the message of an alert that is about no incident: an operator's note, an unreadable source, a
// digest, a collecting root. Its lines may hold provider text.
func announcement(a downwind.Alert, o ComposeOptions) Message {
	what := a.Announcement
	m := Message{
		Tone: ToneMonitoring, Title: OneLine(what.Title), Silent: a.Quiet, Mention: "", Thread: Cut(OneLine(what.Title), 100),
		Delivery: o.Delivery, Incident: a.Incident.Key(), Kind: "announcement",
	}
	if what.Good {
		m.Tone = ToneResolved
	}
	kind := BlockList
	if len(what.Lines) == 1 {
		kind = BlockText
	}
	b := Block{Kind: kind}
	for i, l := range what.Lines {
		b.Lines = append(b.Lines, []Run{{Text: l, Foreign: true}})
		if i == 49 && len(what.Lines) > 50 {
			b.Lines = append(b.Lines, []Run{plain("… and more on the page")})
			break
		}
	}
	m.Blocks = []Block{b}
	if what.URL != "" {
		m.URL = what.URL
		m.Actions = []Action{{Label: "Open", URL: what.URL}}
	}
	m.Text = strings.TrimSpace(m.Title + "\n\n" + Plain(m))
	return m
}
