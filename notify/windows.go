package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"downwind"
)

// maxWindows bounds how many periods a message spells out.
const maxWindows = 8

// windows are the periods in which requests may have failed, with the source of each, what to paste, and what speaks
// against them.
func (c *composer) windows() []Block {
	g := c.a.Guidance
	if c.withdrawn() {
		return nil
	}
	var out []Block
	switch {
	case (c.freed() || c.nothingHere()) && c.over():
		out = append(out, Block{Kind: BlockText, Lines: [][]Run{{
			bold("Nothing to replay for you: "), plain("no window of this incident is in what you use. Not affected: "), foreign(c.places()),
		}}})
		if len(g.Windows) > 0 {
			b := c.windowList("For reference, the incident's windows")
			b.Weight = 4
			out = append(out, b)
		}
		return append(out, c.conflicts())
	case c.asPlanned():
		// The line under the title says it already.
	case len(g.Windows) > 0:
		title := "Replay windows"
		if c.maintenance() {
			title = "Planned window"
		} else if !c.over() {
			title = "Times stated so far"
		}
		out = append(out, c.windowList(title))
	case g.PageGuess != nil:
		out = append(out, c.pageGuess(*g.PageGuess))
	case c.over() && !c.maintenance():
		out = append(out, Block{Kind: BlockText, Title: "Replay windows", Lines: [][]Run{{
			plain("The provider states no times, and its page clock gives none to stand on. Take the window from your own error logs."),
		}}})
	}
	return append(out, c.conflicts(), c.delayed())
}

// asPlanned reports whether planned work has no times but those of its schedule.
func (c *composer) asPlanned() bool {
	in := c.a.Incident
	return c.maintenance() && !c.over() && !slices.ContainsFunc(c.a.Guidance.Windows, func(w downwind.Window) bool {
		return w.Source != downwind.FromPage || !w.Start.Equal(in.ScheduledFor) || !w.End.Equal(in.ScheduledUntil)
	})
}

// pageGuess shows the page clock for want of better, in whole minutes: it is not exact enough for more.
func (c *composer) pageGuess(p downwind.Period) Block {
	start := p.Start.Truncate(time.Minute)
	if c.over() {
		end := p.End.Add(time.Minute - 1).Truncate(time.Minute)
		if p.End.IsZero() {
			end = p.End
		}
		return Block{Kind: BlockWindows, Title: "Replay window", Lines: [][]Run{
			append(period(start, end), plain(" · the words state no times; this is the page clock, a guess")),
		}}
	}
	return Block{Kind: BlockText, Title: "Times stated so far", Weight: 2, Lines: [][]Run{{
		plain("None. By the page clock, a guess, it began after "), code(iso(start)), yourTime(" · your time "), local(start), plain("."),
	}}}
}

// nothingHere reports whether windows are stated and none of them is the team's.
func (c *composer) nothingHere() bool {
	g := c.a.Guidance
	return g.Yours != nil && len(g.Yours) == 0 && len(g.Windows) > 0
}

// places names what of the team's stood in the incident.
func (c *composer) places() string {
	var p []string
	if b := c.a.Before; b != nil {
		p = append(append(p, b.Regions...), b.Components...)
	}
	if len(p) == 0 {
		p = append(append(p, c.a.Match.Regions...), c.a.Match.Components...)
	}
	if len(p) == 0 {
		return OneLine(c.a.Match.WhyNot)
	}
	s := and(firstNames(p, 4)) + "."
	if c.a.Match.WhyNot != "" {
		s += " " + OneLine(c.a.Match.WhyNot)
	}
	return s
}

// windowList shows each window and the padded envelope to paste.
func (c *composer) windowList(title string) Block {
	g := c.a.Guidance
	b := Block{Kind: BlockWindows, Title: title}
	elsewhere := c.otherRegions()
	for i, w := range g.Windows {
		if i == maxWindows {
			b.Lines = append(b.Lines, []Run{plain(fmt.Sprintf("and %d more on the incident page", len(g.Windows)-i))})
			break
		}
		line := period(w.Start, w.End)
		if w.Scope != "" {
			line = append(line, plain(" · "), foreign(w.Scope))
		}
		if elsewhere[i] {
			line = append(line, bold(" (not yours)"))
		}
		if w.Approx {
			line = append(line, plain(" · approximate"))
		}
		line = append(line, plain(" · "+c.sourceLabel(w.Source)))
		switch {
		case w.Text != "" && w.Source == downwind.FromProse && i > 0 && w.Text == g.Windows[i-1].Text:
			line = append(line, plain(", the same sentence"))
		case w.Text != "" && w.Source == downwind.FromProse:
			line = append(line, plain(": “"), Run{Text: Cut(OneLine(tidy(w.Text)), 180), Foreign: true}, plain("”"))
		}
		if w.StartFrom != "" {
			line = append(line, plain(", start from “"), Run{Text: Cut(OneLine(tidy(w.StartFrom)), 100), Foreign: true}, plain("”"))
		}
		b.Lines = append(b.Lines, line)
	}
	if line := c.padded(); line != nil && !c.maintenance() && !c.freed() && !c.nothingHere() {
		b.Lines = append(b.Lines, line)
	}
	return b
}

// maxPaste bounds how many periods are given to paste in one line; the page has them all.
const maxPaste = 4

// pasteLine gives the periods to paste one by one where healthy time lies between them.
func pasteLine(g downwind.Guidance) []Run {
	periods := g.ToPaste()
	line := []Run{bold("To paste, padded: ")}
	for i, p := range periods {
		if i == maxPaste {
			return append(line, plain(fmt.Sprintf(" and %d more", len(periods)-maxPaste)))
		}
		if i > 0 {
			line = append(line, plain(" and "))
		}
		line = append(line, code(ISOInterval(p.Start, p.End)))
	}
	return line
}

// padded is the period to paste into a job.
func (c *composer) padded() []Run {
	g := c.a.Guidance
	if g.Padded == nil || (g.Padded.Start.IsZero() && g.Padded.End.IsZero()) {
		return nil
	}
	line := pasteLine(g)
	r := g.Replay
	switch {
	case r == nil:
		return append(line, plain(" · from the page clock, a guess"))
	case r.Start.IsZero() && !g.Padded.Start.IsZero():
		return append(line, plain(" · the start is not stated; this one comes from the page clock, a guess, and may be too late"))
	case r.End.IsZero() && !g.Padded.End.IsZero():
		return append(line, plain(" · the end is not stated; this one comes from the page clock, a guess"))
	}
	var by []string
	if d := r.Start.Sub(g.Padded.Start); d > 0 {
		by = append(by, Span(d)+" before")
	}
	if d := g.Padded.End.Sub(r.End); d > 0 && !r.End.IsZero() {
		by = append(by, Span(d)+" after")
	}
	if len(by) > 0 {
		line = append(line, plain(" · "+and(by)))
	}
	return line
}

// otherRegions marks windows of regions that are not the team's, where at least one window is of the team's.
func (c *composer) otherRegions() []bool {
	ws := c.a.Guidance.Windows
	out := make([]bool, len(ws))
	if yours := c.a.Guidance.Yours; yours != nil {
		for i := range out {
			out[i] = !slices.Contains(yours, i)
		}
		return out
	}
	if !c.yours() || c.a.Match.Verdict == downwind.AffectedPossible {
		return out
	}
	any := false
	mine := make([]bool, len(ws))
	for i, w := range ws {
		for _, r := range c.a.Match.Regions {
			if f := downwind.Fold(r); f != "" && strings.Contains(downwind.Fold(w.Scope), f) {
				mine[i], any = true, true
			}
		}
	}
	if !any {
		return out
	}
	for i, w := range ws {
		out[i] = !mine[i] && w.Scope != ""
	}
	return out
}

func (c *composer) sourceLabel(source string) string {
	switch {
	case source == downwind.FromPage && c.maintenance():
		return "by the page's schedule"
	case source == downwind.FromPage:
		return "page clock, a guess"
	}
	return "from the provider's words"
}

// period shows a period as ISO interval, its length and the reader's local time.
func period(start, end time.Time) []Run {
	line := []Run{code(ISOInterval(start, end))}
	switch {
	case start.IsZero() && !end.IsZero():
		line = append(line, plain(" start not stated"), yourTime(" · ended "), local(end), yourTime(" your time"))
	case end.IsZero() && !start.IsZero():
		line = append(line, plain(" end not stated"), yourTime(" · began "), local(start), yourTime(" your time"))
	case !start.IsZero():
		line = append(line, bold(" "+Span(end.Sub(start))), yourTime(" · your time "), local(start), yourTime(" to "), local(end))
	}
	return line
}

// conflicts are the contradictions, to be shown beside the windows.
func (c *composer) conflicts() Block {
	b := Block{Kind: BlockList, Title: "Contradictions", Weight: 1}
	for i, s := range c.a.Guidance.Conflicts {
		if i == 4 {
			break
		}
		b.Lines = append(b.Lines, []Run{plain("⚠️ "), {Text: Cut(OneLine(s), 400), Foreign: true}})
	}
	return b
}

// delayed are effects that outlive the window, and what is said of data.
func (c *composer) delayed() Block {
	b := Block{Kind: BlockList, Title: "Goes on after the window", Weight: 1}
	for i, s := range c.a.Guidance.Delayed {
		if i == 3 {
			break
		}
		b.Lines = append(b.Lines, []Run{{Text: Cut(OneLine(tidy(s)), 300), Foreign: true}})
	}
	switch c.a.Guidance.DataLoss {
	case "possible":
		b.Lines = append(b.Lines, []Run{bold("Data: "), plain("the words leave open whether data was lost. Check what was written in the window.")})
	case "yes":
		b.Lines = append(b.Lines, []Run{bold("Data: "), plain("the provider says that data was lost. Check what was written in the window.")})
	}
	return b
}

// windowChanges tells what differs from the windows shown before.
func (c *composer) windowChanges() [][]Run {
	var out [][]Run
	ws := c.a.Guidance.Windows
	for _, wc := range c.a.WindowChanges {
		name := "The window"
		if wc.Index >= 0 && len(ws) > 1 {
			name = fmt.Sprintf("Window %d", wc.Index+1)
		}
		var line []Run
		switch {
		case wc.Bound == "window" && wc.Index < 0:
			line = []Run{plain("No longer stated: "), {Text: ISOInterval(wc.From, wc.To), Code: true, Strike: true, Foreign: true}}
		case wc.Bound == "window":
			start, end := wc.From, wc.To
			if wc.Index < len(ws) {
				start, end = ws[wc.Index].Start, ws[wc.Index].End
			}
			line = []Run{bold("New window: "), code(ISOInterval(start, end)), plain(" (" + clock(start) + " to " + clock(end) + ")")}
		default:
			verb := " starts "
			if wc.Bound == "end" {
				verb = " ends "
			}
			line = []Run{plain(name + verb)}
			if !wc.From.IsZero() {
				line = append(line, Run{Text: clock(wc.From), Strike: true, Op: -1}, plain(" "))
			}
			line = append(line, Run{Text: clock(wc.To), Bold: true, Op: 1})
			if wc.From.IsZero() {
				line = append(line, plain(" (was not stated)"))
			}
		}
		if wc.Scope != "" {
			line = append(line, plain(" · "), foreign(wc.Scope))
		}
		out = append(out, line)
	}
	return out
}

// extra are the periods that are to be replayed on top of what was told before.
func (c *composer) extra() [][]Run {
	var periods []downwind.Period
	for _, wc := range c.a.WindowChanges {
		var p downwind.Period
		switch {
		case wc.Index < 0 || wc.Index >= len(c.a.Guidance.Windows):
			continue
		case c.otherRegions()[wc.Index]:
			continue
		case wc.Bound == "start" && !wc.From.IsZero() && wc.To.Before(wc.From):
			p = downwind.Period{Start: wc.To, End: wc.From}
		case wc.Bound == "end" && !wc.From.IsZero() && wc.To.After(wc.From):
			p = downwind.Period{Start: wc.From, End: wc.To}
		case wc.Bound == "window" || wc.From.IsZero():
			w := c.a.Guidance.Windows[wc.Index]
			p = downwind.Period{Start: w.Start, End: w.End}
		default:
			continue
		}
		periods = append(periods, p)
	}
	var out [][]Run
	for i, p := range periods {
		if within(periods, i) {
			continue
		}
		line := []Run{plain("Replay the difference: "), code(ISOInterval(p.Start, p.End))}
		if !p.Start.IsZero() && !p.End.IsZero() {
			line = append(line, plain(", "+Span(p.End.Sub(p.Start))))
		}
		out = append(out, line)
	}
	return out
}

// within reports whether another of the periods holds the i-th; of two equal ones the later is held.
func within(periods []downwind.Period, i int) bool {
	for j, q := range periods {
		if j == i || periods[i].Start.Before(q.Start) || q.Start.IsZero() != periods[i].Start.IsZero() {
			continue
		}
		if !q.End.IsZero() && (periods[i].End.IsZero() || periods[i].End.After(q.End)) {
			continue
		}
		if q != periods[i] || j < i {
			return true
		}
	}
	return false
}
