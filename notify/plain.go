package notify

import (
	"fmt"
	"strings"
	"time"
)

// Plain writes a message without its first sentence as plain text: title, blocks, links, small print. It is what
// screen readers read and what platforms without markup show.
func Plain(m Message) string {
	var b strings.Builder
	b.WriteString(PlainBlocks(m))
	b.WriteString("\n\n")
	for _, a := range m.Actions {
		if u := SafeURL(a.URL); u != "" {
			fmt.Fprintf(&b, "%s: %s\n", OneLine(a.Label), u)
		}
	}
	if len(m.Footer) > 0 {
		b.WriteString(PlainRuns(m.Footer, m.Location) + "\n")
	}
	return strings.TrimSpace(b.String())
}

// PlainBlocks is Plain without links and small print.
func PlainBlocks(m Message) string {
	var b strings.Builder
	for _, bl := range m.Blocks {
		writeBlock(&b, bl, m.Location)
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

func writeBlock(b *strings.Builder, bl Block, loc *time.Location) {
	if bl.Title != "" {
		b.WriteString(OneLine(bl.Title) + ":\n")
	}
	for i, line := range bl.Lines {
		text := PlainRuns(line, loc)
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

// PlainRuns writes runs as plain text; what is struck out is marked in words, and instants are shown in the zone, where it
// is not UTC, with UTC beside.
func PlainRuns(runs []Run, loc *time.Location) string {
	var b strings.Builder
	for _, r := range Readable(runs, loc) {
		t := Clean(r.Text)
		if !r.At.IsZero() {
			t = Local(r, loc)
		}
		if r.Strike {
			t = "(was " + t + ")"
		}
		b.WriteString(t)
	}
	return strings.TrimSpace(b.String())
}

// Local writes a run with an instant for people in a zone: "4 Dec 10:40 CET (4 Dec 09:40 UTC)"; nil or UTC: UTC only.
func Local(r Run, loc *time.Location) string {
	if loc == nil {
		loc = time.UTC
	}
	t := r.At.In(loc)
	zone, off := t.Zone()
	switch {
	case off == 0:
		return utc(r.At)
	case r.Text == "":
		return t.Format("2 Jan 15:04 ") + zone
	}
	return t.Format("2 Jan 15:04 ") + zone + " (" + utc(r.At) + ")"
}

// Readable leaves out the runs that are of use only in another zone than UTC, where the zone is UTC or nil.
func Readable(runs []Run, loc *time.Location) []Run {
	var out []Run
	for _, r := range runs {
		if r.LocalOnly && isUTC(loc, r.At) {
			continue
		}
		out = append(out, r)
	}
	return out
}

// isUTC reports whether a zone shows the same times as UTC.
func isUTC(loc *time.Location, at time.Time) bool {
	if loc == nil || loc == time.UTC {
		return true
	}
	if at.IsZero() {
		return loc.String() == "UTC"
	}
	_, off := at.In(loc).Zone()
	return off == 0
}
