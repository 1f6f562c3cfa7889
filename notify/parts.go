package notify

import (
	"fmt"
	"strings"
	"time"

	"downwind"
)

func plain(s string) Run   { return Run{Text: s} }
func bold(s string) Run    { return Run{Text: s, Bold: true} }
func code(s string) Run    { return Run{Text: s, Code: true, Foreign: true} }
func foreign(s string) Run { return Run{Text: OneLine(s), Foreign: true} }

// at shows an instant; its own text is the UTC form with the date.
func at(t time.Time) Run { return Run{Text: utc(t), At: t.UTC()} }

// utc is an instant in UTC with its day.
func utc(t time.Time) string { return t.UTC().Format("2 Jan 15:04") + " UTC" }

// local shows an instant in the reader's zone only, where UTC stands beside it.
func local(t time.Time) Run { return Run{At: t.UTC(), LocalOnly: true} }

// yourTime is a word beside local.
func yourTime(s string) Run { return Run{Text: s, LocalOnly: true} }

// clock is the time of day in UTC, for small corrections.
func clock(t time.Time) string {
	if t.IsZero() {
		return "not stated"
	}
	if t.Second() != 0 {
		return t.UTC().Format("15:04:05") + " UTC"
	}
	return t.UTC().Format("15:04") + " UTC"
}

// kept drops empty blocks.
func kept(in []Block) []Block {
	var out []Block
	for _, b := range in {
		if len(b.Lines) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// maxNames bounds how many component names a message spells out.
const maxNames = 12

// affects says whether and where the team is hit.
func (c *composer) affects() Block {
	m := c.a.Match
	b := Block{Kind: BlockText}
	was := c.over() || c.withdrawn()
	switch {
	case c.freed():
		b.Lines = [][]Run{append([]Run{bold("Affects you: no longer. ")}, c.freedWords()...)}
		return b
	case !m.Affected:
		b.Lines = [][]Run{{bold("Affects you: not by your files. "), plain("You get it because: "), foreign(c.a.Because)}}
		if m.WhyNot != "" {
			b.Lines = append(b.Lines, []Run{foreign(m.WhyNot)})
		}
		return b
	}
	word := map[downwind.Verdict]string{
		downwind.AffectedSure: "yes", downwind.AffectedLikely: "likely", downwind.AffectedPossible: "possibly",
	}[m.Verdict]
	if word == "" {
		word = "likely"
	}
	head := "Affects you: "
	switch {
	case c.withdrawn():
		head = "Affected you, as far as it was told: "
	case was && !c.maintenance():
		head = "Affected you: "
	}
	line := []Run{bold(head + word + ". ")}
	if m.Of > 0 && m.Used > 0 {
		line = append(line, plain(share(min(m.Used, m.Of), m.Of)+" "))
	}
	if len(m.Regions) > 0 {
		line = append(line, plain("Regions: "), foreign(and(firstNames(m.Regions, 6))), plain(". "))
	}
	switch m.Urgency {
	case downwind.UrgencyBuild:
		line = append(line, plain("Builds and deployments suffer, not what runs. "))
	case downwind.UrgencyDashboard:
		line = append(line, plain("Only consoles suffer, not what runs. "))
	}
	if c.a.NewlyYours {
		line = append(line, bold("It has grown to something you use."))
	}
	b.Lines = [][]Run{line}
	for i, name := range m.Components {
		if i == maxNames {
			b.Lines = append(b.Lines, []Run{plain(fmt.Sprintf("• and %d more", len(m.Components)-maxNames))})
			break
		}
		row := []Run{plain("• "), {Text: OneLine(name), Foreign: true}}
		if st := c.statusOf(name); st != "" && !was {
			row = append(row, plain(" ("+st+")"))
		}
		b.Lines = append(b.Lines, row)
	}
	return b
}

// yoursLine names in one line what of the incident is the team's, for replies whose root says more.
func (c *composer) yoursLine() Block {
	m := c.a.Match
	if !m.Affected || len(m.Components)+len(m.Regions) == 0 {
		return Block{}
	}
	label := "Yours: "
	if m.Verdict == downwind.AffectedPossible {
		label = "Possibly yours: "
	}
	line := []Run{bold(label), foreign(and(firstNames(m.Components, maxNames)))}
	if len(m.Regions) > 0 {
		in := " in "
		if len(m.Components) == 0 {
			in = "in "
		}
		line = append(line, plain(in), foreign(and(firstNames(m.Regions, 6))))
	}
	return Block{Kind: BlockContext, Lines: [][]Run{line}}
}

// statusOf is the state in words that the incident gives a component, empty where unknown.
func (c *composer) statusOf(name string) string {
	for _, comp := range c.a.Incident.Components {
		if (componentName(comp) == name || comp.Name == name) && comp.Status != "" && comp.Status != downwind.StatusUnknown {
			return StatusWord(comp.Status)
		}
	}
	return ""
}

// freedWords says what of the team's was cleared, and by which words.
func (c *composer) freedWords() []Run {
	var line []Run
	if b := c.a.Before; b != nil && b.Affected {
		places := append(append([]string{}, b.Regions...), b.Components...)
		if len(places) > 0 {
			line = append(line, foreign(and(firstNames(places, 4))), plain(" "))
			verb := "is cleared: not affected by what the provider says now. "
			if len(places) > 1 {
				verb = "are cleared: not affected by what the provider says now. "
			}
			line = append(line, plain(verb))
		}
	} else {
		line = append(line, plain("You are not affected by what the provider says now. "))
	}
	if c.a.Match.WhyNot != "" {
		line = append(line, foreign(c.a.Match.WhyNot))
	}
	return line
}

// why names the lines of the stack and the words of the incident that met.
func (c *composer) why() Block {
	b := Block{Kind: BlockContext, Title: "Why you get this", Weight: 2}
	for i, r := range c.a.Match.Why {
		if i == 4 {
			b.Lines = append(b.Lines, []Run{plain(fmt.Sprintf("and %d more", len(c.a.Match.Why)-i))})
			break
		}
		if line := reason(r); len(line) > 0 {
			b.Lines = append(b.Lines, line)
		}
	}
	if c.a.Because != "" && c.yours() {
		b.Lines = append(b.Lines, []Run{foreign(c.a.Because)})
	}
	return b
}

func reason(r downwind.Reason) []Run {
	var line []Run
	if r.File != "" {
		place := OneLine(r.File)
		if r.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, r.Line)
		}
		line = append(line, code(place))
		if r.Match != "" {
			line = append(line, plain(" "), code(OneLine(r.Match)))
		}
	}
	text := OneLine(r.Text)
	// The place stands before it already.
	if rest, ok := strings.CutPrefix(text, OneLine(r.Match)+" in "+OneLine(r.File)); ok && r.Match != "" && r.File != "" {
		text = strings.TrimSpace(rest)
	}
	if text == "" && r.Words != "" {
		text = "named by the incident: " + OneLine(r.Words)
	}
	if text != "" {
		if len(line) > 0 {
			line = append(line, plain(" · "))
		}
		line = append(line, foreign(text))
	}
	return line
}

// question names what the files leave open, and how to answer it.
func (c *composer) question() Block {
	m := c.a.Match
	if !m.Affected || m.OpenQuestion == "" {
		return Block{}
	}
	q := OneLine(m.OpenQuestion)
	line := []Run{bold("Open question: which " + q + " do you use?"), plain(" Your files do not say. If it is ")}
	named := m.Regions
	if q != "region" || len(named) == 0 {
		named = m.Components
	}
	if len(named) > 0 {
		line = append(line, foreign(and(firstNames(named, 3))))
	} else {
		line = append(line, plain("what is named here"))
	}
	line = append(line, plain(", press “Yes, it is ours”; else press “Not us”. The answer is kept for the next time."))
	return Block{Kind: BlockText, Lines: [][]Run{line}, Weight: 1}
}

// advice is what to do now, imperative, at most n steps.
func (c *composer) advice(n int) Block {
	if !c.yours() && c.a.Because == "" {
		return Block{}
	}
	b := Block{Kind: BlockSteps, Title: "Do now"}
	for i, s := range c.a.Guidance.Advice {
		if i == n {
			break
		}
		b.Lines = append(b.Lines, []Run{foreign(s)})
	}
	return b
}

// asked is what the provider itself asks for.
func (c *composer) asked() Block {
	b := Block{Kind: BlockList, Title: c.a.ProviderName + " advises", Weight: 1}
	for _, a := range c.a.Guidance.Actions {
		if a.Source == "provider" && len(b.Lines) < 3 {
			b.Lines = append(b.Lines, []Run{{Text: Cut(OneLine(a.Text), 300), Foreign: true}})
		}
	}
	if len(b.Lines) == 0 && c.a.Guidance.NoneNeeded {
		return Block{Kind: BlockContext, Weight: 1, Lines: [][]Run{{plain(c.a.ProviderName + " says that nothing needs to be done on your side.")}}}
	}
	return b
}

// words quotes one post.
func (c *composer) words(u *downwind.Update) Block {
	if u == nil || strings.TrimSpace(u.Body) == "" {
		return Block{}
	}
	b := Block{Kind: BlockQuote, Title: c.a.ProviderName + "'s words", Weight: 3}
	for _, para := range strings.Split(Cut(tidy(Clean(u.Body)), maxQuote), "\n") {
		if p := strings.TrimSpace(para); p != "" {
			b.Lines = append(b.Lines, []Run{{Text: p, Foreign: true}})
		}
	}
	return b
}

// coincident names other providers of the team with trouble at the same time.
func (c *composer) coincident() Block {
	if len(c.a.Coincident) == 0 {
		return Block{}
	}
	return Block{Kind: BlockContext, Weight: 4, Lines: [][]Run{{
		plain("At the same time, in the same place: "), foreign(and(firstNames(c.a.Coincident, 5))), plain(". They may share a cause."),
	}}}
}

// afterwards is what our advice says once it is over: first of all what to replay.
func (c *composer) afterwards() Block {
	if c.withdrawn() || !c.yours() && c.a.Because == "" {
		return Block{}
	}
	b := c.advice(5)
	if len(c.a.Guidance.Checklist) == 0 {
		b.Lines = nil // the checklist is made of them
	}
	return b
}

// checklist is what to do once it is over.
func (c *composer) checklist() Block {
	if c.freed() || c.withdrawn() {
		return Block{}
	}
	b := Block{Kind: BlockChecklist, Title: "Checklist", Weight: 1}
	for _, s := range c.a.Guidance.Checklist {
		b.Lines = append(b.Lines, []Run{foreign(s)})
	}
	if len(b.Lines) == 0 {
		for i, s := range c.a.Guidance.Advice {
			if i < 3 {
				b.Lines = append(b.Lines, []Run{foreign(s)})
			}
		}
	}
	return b
}

// beforeAfter is what to do around planned work.
func (c *composer) beforeAfter() Block {
	if !c.yours() && c.a.Because == "" {
		return Block{}
	}
	title := "Before it starts"
	steps := c.a.Guidance.Advice
	switch c.a.Incident.Phase {
	case downwind.InProgress, downwind.Verifying:
		title = "While it runs"
	case downwind.Completed:
		title = "Afterwards"
		if len(c.a.Guidance.Checklist) > 0 {
			steps = c.a.Guidance.Checklist
		}
	case downwind.Cancelled:
		return Block{Kind: BlockText, Lines: [][]Run{{bold("Cancelled: "), plain("undo what you prepared for it.")}}}
	}
	b := Block{Kind: BlockChecklist, Title: title}
	for _, s := range steps {
		b.Lines = append(b.Lines, []Run{foreign(s)})
	}
	if c.a.Incident.Phase == downwind.Scheduled {
		for _, s := range c.a.Guidance.Checklist {
			b.Lines = append(b.Lines, []Run{bold("Afterwards: "), foreign(s)})
		}
	}
	return b
}
