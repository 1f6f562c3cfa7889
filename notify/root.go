package notify

import (
	"fmt"
	"time"

	"downwind"
)

// root builds the living message: the newest state, readable as open or over at a glance.
func (c *composer) root() Message {
	m := Message{Tone: c.tone(), Title: c.rootTitle()}
	m.Blocks = append(m.Blocks, c.stateLine())
	switch {
	case c.withdrawn():
		m.Blocks = append(m.Blocks, c.withdrawnBlock())
	case c.maintenance():
		c.maintenanceRoot(&m)
		return m
	}
	m.Blocks = append(m.Blocks, c.affects())
	if c.over() || c.withdrawn() {
		m.Blocks = append(m.Blocks, c.question())
		m.Blocks = append(m.Blocks, c.windows()...)
		m.Blocks = append(m.Blocks, c.afterwards(), c.checklist(), c.why())
		m.Actions = c.overActions()
	} else {
		m.Blocks = append(m.Blocks, c.why(), c.question(), c.advice(3), c.asked())
		m.Blocks = append(m.Blocks, c.windows()...)
		m.Actions = c.openActions()
	}
	m.Blocks = append(m.Blocks, c.words(c.a.Incident.Latest()), c.coincident(), c.handled())
	m.Blocks = kept(m.Blocks)
	m.Footer = c.rootFooter()
	return m
}

func (c *composer) rootTitle() string {
	name, title := c.a.ProviderName, c.title()
	cont := ""
	if c.o.Continued {
		cont = " (continued)"
	}
	switch {
	case c.withdrawn():
		return fmt.Sprintf("Withdrawn: %s, %s%s", name, title, cont)
	case c.maintenance():
		switch c.a.Incident.Phase {
		case downwind.InProgress, downwind.Verifying:
			return fmt.Sprintf("%s, work running: %s%s", name, title, cont)
		case downwind.Completed:
			return fmt.Sprintf("%s, work done: %s%s", name, title, cont)
		case downwind.Cancelled:
			return fmt.Sprintf("%s, work cancelled: %s%s", name, title, cont)
		}
		return fmt.Sprintf("%s, planned work: %s%s", name, title, cont)
	case c.a.AlreadyOver && c.a.Kind == downwind.ChangeNew:
		return fmt.Sprintf("Already over: %s, %s%s", name, title, cont)
	case c.over():
		return fmt.Sprintf("Resolved: %s, %s%s", name, title, cont)
	case c.has(downwind.ChangeReopened):
		return fmt.Sprintf("Re-opened: %s, %s%s", name, title, cont)
	}
	return fmt.Sprintf("%s reports: %s%s", name, title, cont)
}

// stateLine is the small print under the title: state, impact, when it began, when it was posted and seen.
func (c *composer) stateLine() Block {
	in := c.a.Incident
	line := []Run{bold(c.stateWord())}
	if c.maintenance() {
		line = append(line, plain(" · "))
		line = append(line, c.schedule()...)
		return Block{Kind: BlockContext, Lines: [][]Run{line}}
	}
	line = append(line, plain(" · impact: "+ImpactWord(in.Impact)))
	if c.over() && c.has(downwind.ChangePostmortem) {
		line = append(line, plain(" · postmortem published"))
	}
	first := time.Time{}
	if len(in.Updates) > 0 {
		first = in.Updates[0].PostedAt
	}
	if !in.StartedAt.IsZero() && !in.StartedAt.Truncate(time.Minute).Equal(first.Truncate(time.Minute)) {
		line = append(line, plain(" · page says started "), at(in.StartedAt))
	}
	if !first.IsZero() {
		line = append(line, plain(" · first posted "), at(first))
		if c.a.Kind == downwind.ChangeNew && !c.a.SeenAt.IsZero() && c.a.SeenAt.After(first) {
			line = append(line, plain(" · we saw it "+Span(c.a.SeenAt.Sub(first))+" later"))
		}
	}
	if u := in.Latest(); u != nil && len(in.Updates) > 1 && !u.PostedAt.IsZero() {
		line = append(line, plain(fmt.Sprintf(" · update %d posted ", len(in.Updates))), at(u.PostedAt))
	}
	b := Block{Kind: BlockContext, Lines: [][]Run{line}}
	if c.a.Kind == downwind.ChangeEdit {
		b.Lines = append(b.Lines, []Run{plain("✏️ A past update was edited without announcement; this text was first seen "), at(c.a.SeenAt), plain(". The difference is in the thread.")})
	}
	switch {
	case c.a.AlreadyOver && c.a.Kind == downwind.ChangeNew:
		b.Lines = append(b.Lines, []Run{plain("It was over before it could be seen on the page: this is no alarm, but what failed then may need repair.")})
	case c.a.InProgress && c.a.Kind == downwind.ChangeNew:
		b.Lines = append(b.Lines, []Run{plain("It was already going on when this page was read for the first time.")})
	}
	return b
}

func (c *composer) stateWord() string {
	if c.withdrawn() {
		return "Withdrawn"
	}
	w := PhaseWord(c.a.Incident.Phase)
	if c.a.Incident.Phase == downwind.Postmortem {
		w = "Resolved"
	}
	return w
}

func (c *composer) withdrawnBlock() Block {
	return Block{Kind: BlockText, Lines: [][]Run{{
		bold(c.a.ProviderName + " withdrew this incident: "),
		plain("it was removed from the page without being marked resolved. There is nothing to replay by the provider's words. If you saw errors yourself, trust your own logs."),
	}}}
}

// maintenanceRoot fills the root of planned work.
func (c *composer) maintenanceRoot(m *Message) {
	m.Blocks = append(m.Blocks, c.affects(), c.why(), c.question(), c.beforeAfter())
	m.Blocks = append(m.Blocks, c.windows()...)
	m.Blocks = append(m.Blocks, c.words(c.a.Incident.Latest()), c.coincident(), c.handled())
	m.Blocks = kept(m.Blocks)
	if !c.over() {
		m.Actions = append(m.Actions, Action{Label: "Add to calendar", URL: c.calendarURL()})
	}
	m.Actions = append(m.Actions, Action{Label: "Details", URL: c.pageURL("")})
	if c.a.Incident.Phase == downwind.Scheduled {
		m.Actions = append(m.Actions, c.button("Remind 1 h before", VerbRemind))
	}
	if !c.over() {
		m.Actions = append(m.Actions, c.button("Mute here", VerbMute))
	}
	if c.yours() && c.a.Match.Verdict == downwind.AffectedPossible {
		m.Actions = append(m.Actions, c.button("Yes, it is ours", VerbOurs), c.button("Not us", VerbNotUs))
	}
	m.Footer = c.rootFooter()
}

func (c *composer) calendarURL() string {
	if c.o.BaseURL == "" {
		return ""
	}
	return c.pageURL(".ics")
}

// schedule is the planned period, local and as ISO interval, or the real end when it is done.
func (c *composer) schedule() []Run {
	in := c.a.Incident
	from, until := in.ScheduledFor, in.ScheduledUntil
	if from.IsZero() && until.IsZero() {
		return []Run{plain("times not stated")}
	}
	var line []Run
	if !from.IsZero() {
		line = append(line, at(from))
	}
	if !until.IsZero() {
		line = append(line, plain(" to "), at(until))
	}
	line = append(line, plain(" · "), code(ISOInterval(from, until)))
	if !in.ResolvedAt.IsZero() && c.over() {
		line = append(line, plain(" · ended "), at(in.ResolvedAt))
		if !until.IsZero() && in.ResolvedAt.Before(until) {
			line = append(line, plain(", "+Span(until.Sub(in.ResolvedAt))+" early"))
		}
	} else if in.Impact != "" && in.Impact != downwind.ImpactUnknown && in.Impact != downwind.ImpactMaintenance {
		line = append(line, plain(" · expected impact: "+ImpactWord(in.Impact)))
	}
	return line
}

// openActions are the buttons of an incident that is going on.
func (c *composer) openActions() []Action {
	out := []Action{{Label: "Incident page", URL: c.pageURL("")}}
	if p := c.providerURL(); p != "" && p != out[0].URL {
		out = append(out, Action{Label: "Provider status", URL: p})
	}
	if c.o.AckedBy == "" {
		out = append(out, c.button("Acknowledge", VerbAck))
	}
	out = append(out, c.button("Mute here 1 h", VerbMute))
	if c.yours() {
		if c.a.Match.Verdict == downwind.AffectedPossible {
			out = append(out, c.button("Yes, it is ours", VerbOurs))
		}
		out = append(out, c.button("Not us", VerbNotUs))
	}
	return out
}

// overActions are the buttons of an incident that is over.
func (c *composer) overActions() []Action {
	var out []Action
	if len(c.a.Guidance.Windows) > 0 && !c.freed() && c.o.BaseURL != "" {
		out = append(out, Action{Label: "Windows as CSV", URL: c.pageURL("/replay.csv")})
	}
	out = append(out, Action{Label: "Incident page", URL: c.pageURL("")})
	if p := c.providerURL(); c.o.BaseURL != "" && p != "" {
		out = append(out, Action{Label: "Provider status", URL: p})
	}
	if len(c.a.Guidance.Checklist) > 0 && c.o.DoneBy == "" && c.yours() && !c.withdrawn() {
		out = append(out, c.button("Mark checklist done", VerbDone))
	}
	return out
}

func (c *composer) button(label, verb string) Action {
	return Action{Label: label, ID: ActionID(verb, IncidentArg(c.a.Incident.Key()))}
}

// handled says who has taken it and who has worked through the checklist.
func (c *composer) handled() Block {
	var lines [][]Run
	if c.o.AckedBy != "" {
		line := []Run{plain("Acknowledged by "), foreign(c.o.AckedBy)}
		if !c.o.AckedAt.IsZero() {
			line = append(line, plain(", "), at(c.o.AckedAt))
		}
		lines = append(lines, line)
	}
	if c.o.DoneBy != "" {
		lines = append(lines, []Run{plain("Checklist done: "), foreign(c.o.DoneBy)})
	}
	return Block{Kind: BlockContext, Lines: lines}
}

// rootFooter says where updates go, what proves it and how to stop it.
func (c *composer) rootFooter() []Run {
	f := []Run{plain("Updates go into this thread; this message always shows the newest state. ")}
	return append(f, c.footer()...)
}

func (c *composer) footer() []Run {
	slug := c.a.Incident.Provider
	f := []Run{
		plain("Mute: "), code(c.o.Command + " mute " + slug + " for 1h"),
		plain(" · stop: "), code(c.o.Command + " unsubscribe " + slug),
		plain(" · why: "), code(c.o.Command + " why"),
	}
	if c.a.Version != 0 {
		f = append(f, plain(fmt.Sprintf(" · archive entry %d", c.a.Version)))
	}
	if c.a.LogSize > 0 && c.a.LogRoot != "" {
		f = append(f, plain(fmt.Sprintf(" · log %d · ", c.a.LogSize)), foreign(Cut(OneLine(c.a.LogRoot), 9)))
	}
	return f
}
