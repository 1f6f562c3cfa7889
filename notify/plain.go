package notify

import (
	"fmt"
	"strings"
)

// Plain writes a message without its first sentence as plain text: title, blocks, links, small print. It is what
// screen readers read and what platforms without markup show.
func Plain(m Message) string {
	var b strings.Builder
	for _, bl := range m.Blocks {
		writeBlock(&b, bl)
	}
	for _, a := range m.Actions {
		if a.URL != "" {
			fmt.Fprintf(&b, "%s: %s\n", a.Label, a.URL)
		}
	}
	if len(m.Footer) > 0 {
		b.WriteString(PlainRuns(m.Footer) + "\n")
	}
	return strings.TrimSpace(b.String())
}

// FullText is a message's plain form: its own, or one made of title and blocks where it has none.
func FullText(m Message) string {
	if m.Text != "" {
		return m.Text
	}
	return strings.TrimSpace(OneLine(m.Title) + "\n\n" + Plain(m))
}

func writeBlock(b *strings.Builder, bl Block) {
	if bl.Title != "" {
		b.WriteString(OneLine(bl.Title) + ":\n")
	}
	for i, line := range bl.Lines {
		text := PlainRuns(line)
		switch bl.Kind {
		case BlockSteps:
			fmt.Fprintf(b, "%d. %s\n", i+1, text)
		case BlockChecklist:
			b.WriteString("☐ " + text + "\n")
		case BlockList, BlockWindows:
			b.WriteString("• " + text + "\n")
		case BlockQuote:
			b.WriteString("> " + text + "\n")
		default:
			b.WriteString(text + "\n")
		}
	}
	b.WriteString("\n")
}

// PlainRuns writes runs as plain text; what is struck out is marked in words.
func PlainRuns(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		t := Clean(r.Text)
		if t == "" && !r.At.IsZero() {
			t = utc(r.At)
		}
		if r.Strike {
			t = "(was " + t + ")"
		}
		b.WriteString(t)
	}
	return strings.TrimSpace(b.String())
}
