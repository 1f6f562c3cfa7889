package notify

import (
	"fmt"
	"strings"
)

// Fit returns m, or the largest smaller form of it that fits. Blocks are dropped by Weight, the highest first and the
// last of equals first; then lines are dropped from the end of what is left; at last only title and text stay. The
// message says what was left out.
func Fit(m Message, fits func(Message) bool) Message {
	if fits(m) {
		return m
	}
	var dropped []string
	for {
		i := heaviest(m.Blocks)
		if i < 0 {
			break
		}
		dropped = append(dropped, blockName(m.Blocks[i]))
		m.Blocks = append(append([]Block{}, m.Blocks[:i]...), m.Blocks[i+1:]...)
		if out := withNote(m, dropped, 0); fits(out) {
			return out
		}
	}
	for keep := 12; keep > 0; keep-- {
		cut := m
		lines := 0
		cut.Blocks = make([]Block, len(m.Blocks))
		for i, b := range m.Blocks {
			if len(b.Lines) > keep {
				lines += len(b.Lines) - keep
				b.Lines = b.Lines[:keep]
			}
			cut.Blocks[i] = b
		}
		if out := withNote(cut, dropped, lines); fits(out) {
			return out
		}
	}
	return Bare(m)
}

// Compact is the form without anything that may be left out; it says so.
func Compact(m Message) Message {
	var dropped []string
	for {
		i := heaviest(m.Blocks)
		if i < 0 {
			break
		}
		dropped = append(dropped, blockName(m.Blocks[i]))
		m.Blocks = append(append([]Block{}, m.Blocks[:i]...), m.Blocks[i+1:]...)
	}
	if len(dropped) == 0 {
		return m
	}
	return withNote(m, dropped, 0)
}

// Bare is the form of last resort: title, the first sentences, links.
func Bare(m Message) Message {
	lead, _, _ := strings.Cut(m.Text, "\n")
	m.Blocks = []Block{{Kind: BlockText, Lines: [][]Run{{{Text: Cut(lead, 500), Foreign: true}}}}}
	m.Footer = nil
	return withNote(m, []string{"all details"}, 0)
}

// heaviest is the index of the block to drop next, -1 when none may be dropped.
func heaviest(blocks []Block) int {
	best := -1
	for i, b := range blocks {
		if b.Weight > 0 && (best < 0 || b.Weight >= blocks[best].Weight) {
			best = i
		}
	}
	return best
}

func blockName(b Block) string {
	if b.Title != "" {
		return strings.ToLower(b.Title[:1]) + b.Title[1:]
	}
	switch b.Kind {
	case BlockQuote:
		return "the provider's words"
	case BlockDiff:
		return "the difference"
	}
	return "small print"
}

func withNote(m Message, dropped []string, lines int) Message {
	var parts []string
	if len(dropped) > 0 {
		parts = append(parts, and(dropped))
	}
	if lines > 0 {
		parts = append(parts, plural(lines, "line", "lines"))
	}
	note := []Run{{Text: fmt.Sprintf("Left out here, too long: %s.", strings.Join(parts, ", and ")), Foreign: true}}
	if m.URL != "" {
		note = append(note, plain(" All of it: "), Run{Text: "incident page", Link: m.URL})
	}
	m.Blocks = append(append([]Block{}, m.Blocks...), Block{Kind: BlockContext, Lines: [][]Run{note}})
	return m
}
