package notify

import "strings"

// maxNews bounds how many lines an announcement shows.
const maxNews = 40

// announcement builds a message that is not about one incident: an operator's note, a digest, a collecting root.
func (c *composer) announcement() Message {
	n := c.a.Announcement
	m := Message{Tone: ToneMonitoring, Title: OneLine(n.Title), Kind: "announcement", Delivery: c.o.Delivery, Incident: c.a.Incident.Key()}
	if n.Good {
		m.Tone = ToneResolved
	}
	if c.o.Continued {
		m.Title += " (continued)"
	}
	b := Block{Kind: BlockText}
	if len(n.Lines) > 1 {
		b.Kind = BlockList
	}
	for i, l := range n.Lines {
		if i == maxNews {
			b.Lines = append(b.Lines, []Run{plain(plural(len(n.Lines)-i, "more line", "more lines"))})
			break
		}
		b.Lines = append(b.Lines, []Run{foreign(Cut(l, 500))})
	}
	m.Blocks = kept([]Block{b, c.handled()})
	if u := SafeURL(n.URL); u != "" {
		m.URL = u
		m.Actions = []Action{{Label: "Open", URL: u}}
	}
	m.Thread = Cut(m.Title, 100)
	m.Broadcast, m.Silent = !c.o.Root && c.a.Broadcast, c.a.Quiet
	if c.a.Push && !m.Silent {
		m.Mention = c.a.Mention
	}
	if c.a.Sample {
		m.Title = "Sample: " + m.Title
	}
	return m
}

// tidy removes the marks of Markdown that providers leave in their posts: they would be shown as such.
func tidy(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if h := strings.TrimLeft(l, "#"); h != l && (h == "" || h[0] == ' ') {
			l = strings.TrimSpace(h)
		}
		lines[i] = strings.NewReplacer("****", "", "**", "", "__", "").Replace(l)
	}
	return strings.Join(lines, "\n")
}
