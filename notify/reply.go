package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"downwind"
)

// reply builds the message for one version in the thread.
func (c *composer) reply() Message {
	m := Message{Tone: c.tone(), Footer: c.footer()}
	switch c.a.Kind {
	case downwind.ChangeResolved:
		c.resolvedReply(&m)
	case downwind.ChangePostmortem:
		c.postmortemReply(&m)
	case downwind.ChangeEdit:
		c.editReply(&m)
	case downwind.ChangeWithdrawn:
		c.withdrawnReply(&m)
	case downwind.ChangeReopened:
		c.reopenedReply(&m)
	case downwind.ChangeNew:
		c.firstReply(&m)
	case downwind.ChangeMaintenance:
		c.maintenanceReply(&m)
	case downwind.ChangeReminder:
		c.reminderReply(&m)
	default:
		c.updateReply(&m)
	}
	m.Blocks = kept(m.Blocks)
	return m
}

// firstReply is an incident told inside a collecting message: the root's text in the thread.
func (c *composer) firstReply(m *Message) {
	r := c.root()
	m.Title, m.Tone, m.Blocks, m.Actions = r.Title, r.Tone, r.Blocks, r.Actions
}

// updateReply tells an update, a change of severity or of components.
func (c *composer) updateReply(m *Message) {
	worse := c.worse()
	name := c.a.ProviderName
	switch {
	case c.a.Cleared || c.freed():
		m.Title = "No longer yours: " + name + ", " + c.title()
		m.Tone = ToneResolved
	case c.a.NewlyYours:
		m.Title = "Now also yours: " + name + ", " + c.title()
	case worse:
		m.Title = "Worse: " + name + ", " + c.title()
	default:
		m.Title = name + ": " + c.stateWord()
	}
	m.Blocks = append(m.Blocks, c.stateChange(), c.changedForYou())
	if c.freed() {
		m.Blocks = append(m.Blocks, c.affects())
	} else if c.a.NewlyYours || worse {
		m.Blocks = append(m.Blocks, c.affects(), c.why(), c.question(), c.advice(3), c.asked())
	} else {
		m.Blocks = append(m.Blocks, c.yoursLine(), c.asked())
	}
	for _, u := range c.posts() {
		m.Blocks = append(m.Blocks, c.words(u))
	}
	m.Blocks = append(m.Blocks, c.conflicts())
	if c.a.NewlyYours || worse {
		m.Actions = c.openActions()
	}
}

// worse reports whether the impact was raised or a component got worse.
func (c *composer) worse() bool {
	for _, ch := range c.a.Changes {
		if ch.Kind == downwind.ChangeSeverity && downwind.Impact(ch.To).Rank() > downwind.Impact(ch.From).Rank() {
			return true
		}
	}
	return c.a.Broadcast && !c.over() && c.has(downwind.ChangeComponents) && c.yours() && !c.a.NewlyYours
}

// posts are the updates that this version tells, oldest first, at most three; the newest when none is named.
func (c *composer) posts() []*downwind.Update {
	ids := map[string]bool{}
	for _, ch := range c.a.Changes {
		if ch.Update != "" && ch.Kind != downwind.ChangeEdit {
			ids[ch.Update] = true
		}
	}
	var out []*downwind.Update
	for i := range c.a.Incident.Updates {
		if ids[c.a.Incident.Updates[i].ID] {
			out = append(out, &c.a.Incident.Updates[i])
		}
	}
	if len(out) == 0 && c.a.Kind != downwind.ChangeSeverity && c.a.Kind != downwind.ChangeComponents {
		if u := c.a.Incident.Latest(); u != nil {
			out = append(out, u)
		}
	}
	if len(out) > 3 {
		out = out[len(out)-3:]
	}
	return out
}

// stateChange is "Monitoring (was: Identified) · posted 17:08".
func (c *composer) stateChange() Block {
	line := []Run{bold(c.stateWord())}
	if old := c.oldPhase(); old != "" && old != c.a.Incident.Phase {
		line = append(line, plain(" (was: "+PhaseWord(old)+")"))
	}
	if ps := c.posts(); len(ps) > 0 && !ps[len(ps)-1].PostedAt.IsZero() {
		line = append(line, plain(" · posted "), at(ps[len(ps)-1].PostedAt))
	}
	line = append(line, plain(" · impact: "+ImpactWord(c.a.Incident.Impact)))
	return Block{Kind: BlockText, Lines: [][]Run{line}}
}

// oldPhase is the phase before this version, empty where no change tells it.
func (c *composer) oldPhase() downwind.Phase {
	for _, ch := range c.a.Changes {
		switch downwind.Phase(ch.From) {
		case downwind.Investigating, downwind.Identified, downwind.Monitoring, downwind.Resolved, downwind.Postmortem,
			downwind.Scheduled, downwind.InProgress, downwind.Verifying, downwind.Completed, downwind.Cancelled:
			return downwind.Phase(ch.From)
		}
	}
	return ""
}

// changedForYou lists what this version changes for the team.
func (c *composer) changedForYou() Block {
	b := Block{Kind: BlockList, Title: "Changed for you"}
	for _, ch := range c.a.Changes {
		if ch.Kind == downwind.ChangeSeverity {
			verb := "raised"
			if downwind.Impact(ch.To).Rank() < downwind.Impact(ch.From).Rank() {
				verb = "lowered"
			}
			b.Lines = append(b.Lines, []Run{
				plain(c.a.ProviderName + " " + verb + " the impact from " + ImpactWord(downwind.Impact(ch.From)) + " to "),
				bold(ImpactWord(downwind.Impact(ch.To))),
			})
		}
	}
	b.Lines = append(b.Lines, c.componentChanges()...)
	b.Lines = append(b.Lines, c.newlyNamed()...)
	b.Lines = append(b.Lines, c.windowChanges()...)
	if c.a.Cleared && !c.freed() {
		b.Lines = append(b.Lines, []Run{plain("Something you use is cleared: it is no longer named.")})
	}
	if len(b.Lines) == 0 {
		old := c.oldPhase()
		what := "Nothing but the provider's words."
		if old != "" && old != c.a.Incident.Phase {
			what = "The state only."
		}
		return Block{Kind: BlockContext, Title: "Changed for you", Lines: [][]Run{{plain(what), plain(fmt.Sprintf(" Update %d.", len(c.a.Incident.Updates)))}}, Weight: 2}
	}
	return b
}

// componentChanges tells components of the team whose state changed; of the others only the count.
func (c *composer) componentChanges() [][]Run {
	mine := map[string]bool{}
	for _, n := range c.a.Match.Components {
		mine[n] = true
	}
	if b := c.a.Before; b != nil {
		for _, n := range b.Components {
			mine[n] = true
		}
	}
	var out [][]Run
	others := 0
	for _, ch := range c.a.Changes {
		if ch.Kind != downwind.ChangeComponents {
			continue
		}
		for _, comp := range ch.Components {
			name := componentName(comp)
			if !mine[name] && !mine[comp.Name] {
				others++
				continue
			}
			if len(out) < maxNames {
				out = append(out, []Run{foreign(name), plain(" is now reported as "), bold(StatusWord(comp.Status))})
			}
		}
	}
	if others > 0 && len(out) > 0 {
		out = append(out, []Run{plain(plural(others, "other component", "other components") + " changed too")})
	}
	return out
}

// newlyNamed tells components and regions of the team that were not in the judgement told last.
func (c *composer) newlyNamed() [][]Run {
	fresh := c.fresh()
	if len(fresh) == 0 {
		return nil
	}
	return [][]Run{{plain("Now named: "), {Text: and(firstNames(fresh, 6)), Foreign: true, Bold: true}}}
}

// fresh are the components and regions that newlyNamed tells.
func (c *composer) fresh() []string {
	b := c.a.Before
	if b == nil || !c.yours() {
		return nil
	}
	known := map[string]bool{}
	for _, n := range append(append([]string{}, b.Components...), b.Regions...) {
		known[n] = true
	}
	var fresh []string
	for _, n := range append(append([]string{}, c.a.Match.Components...), c.a.Match.Regions...) {
		if !known[n] {
			fresh = append(fresh, n)
		}
	}
	return fresh
}

func (c *composer) resolvedReply(m *Message) {
	m.Tone = ToneResolved
	m.Title = "Resolved: " + c.a.ProviderName + ", " + c.title()
	m.Blocks = append(m.Blocks, c.stateChange())
	m.Blocks = append(m.Blocks, c.affects(), c.question())
	m.Blocks = append(m.Blocks, c.windows()...)
	m.Blocks = append(m.Blocks, c.changeList("Changed since we last told you", c.windowChanges()), c.afterwards(), c.checklist(), c.why())
	for _, u := range c.posts() {
		m.Blocks = append(m.Blocks, c.words(u))
	}
	m.Actions = c.overActions()
}

func (c *composer) changeList(title string, lines [][]Run) Block {
	return Block{Kind: BlockList, Title: title, Lines: lines, Weight: 1}
}

func (c *composer) postmortemReply(m *Message) {
	m.Tone = ToneEdited
	m.Title = "Postmortem published: " + c.a.ProviderName + ", " + c.title()
	changed := append(c.windowChanges(), c.newlyNamed()...)
	changed = append(changed, c.severityLines()...)
	if len(changed) == 0 {
		m.Blocks = append(m.Blocks, Block{Kind: BlockText, Title: "What changed for you", Lines: [][]Run{{
			plain("The windows, components and impact stand as told before."),
		}}})
	} else {
		m.Blocks = append(m.Blocks, Block{Kind: BlockList, Title: "What changed for you", Lines: changed})
	}
	if c.freed() {
		m.Blocks = append(m.Blocks, c.affects())
	} else {
		m.Blocks = append(m.Blocks, c.yoursLine())
	}
	if c.yours() || c.a.Because != "" {
		m.Blocks = append(m.Blocks, c.todo())
	}
	m.Blocks = append(m.Blocks, c.windows()...)
	for _, u := range c.posts() {
		m.Blocks = append(m.Blocks, c.words(u))
	}
	m.Actions = []Action{
		{Label: "Read it", URL: c.pageURL("") + c.fragment("postmortem")}, {Label: "What changed (diff)", URL: c.diffURL()},
	}
	if len(c.a.WindowChanges) > 0 && c.o.BaseURL != "" {
		m.Actions = append(m.Actions, Action{Label: "Windows as CSV", URL: c.pageURL("/replay.csv")})
	}
}

func (c *composer) fragment(name string) string {
	if c.o.BaseURL == "" || c.pageURL("") == "" {
		return ""
	}
	return "#" + name
}

func (c *composer) severityLines() [][]Run {
	var out [][]Run
	for _, ch := range c.a.Changes {
		if ch.Kind == downwind.ChangeSeverity {
			out = append(out, []Run{
				plain("Impact: "),
				{Text: ImpactWord(downwind.Impact(ch.From)), Strike: true, Op: -1},
				plain(" "),
				{Text: ImpactWord(downwind.Impact(ch.To)), Bold: true, Op: 1},
			})
		}
	}
	return out
}

// todo is what is left to do after a correction: the extra minutes, or for what is newly named all of it. Who has done the
// rest already is not asked to do it again.
func (c *composer) todo() Block {
	b := Block{Kind: BlockChecklist, Title: "Do now", Lines: c.extra()}
	fresh := c.fresh()
	switch {
	case len(b.Lines) > 0 && len(fresh) > 0:
		b.Lines = append(b.Lines, []Run{plain("For "), foreign(and(firstNames(fresh, 6))), plain(", named only now, and where nothing was replayed yet: the whole period below.")})
		return b
	case len(b.Lines) > 0:
		b.Lines = append(b.Lines, []Run{plain("Nothing replayed yet? Take the whole period below.")})
		return b
	case len(fresh) == 0 && !c.a.NewlyYours:
		return b
	}
	for i, s := range append(slices.Clone(c.a.Guidance.Advice[:min(5, len(c.a.Guidance.Advice))]), c.a.Guidance.Checklist...) {
		if i < 9 {
			b.Lines = append(b.Lines, []Run{foreign(s)})
		}
	}
	return b
}

func (c *composer) editReply(m *Message) {
	m.Tone = ToneEdited
	m.Title = c.a.ProviderName + " edited a past update without announcing it"
	edits := 0
	for _, ch := range c.a.Changes {
		if ch.Kind != downwind.ChangeEdit {
			continue
		}
		if edits++; edits > 3 {
			continue
		}
		m.Blocks = append(m.Blocks, c.whichUpdate(ch), c.diff(ch))
	}
	if edits > 3 {
		m.Blocks = append(m.Blocks, Block{Kind: BlockContext, Lines: [][]Run{{plain(fmt.Sprintf("and %d more edits", edits-3))}}})
	}
	m.Blocks = append(m.Blocks, c.consequence(), c.yoursLine())
	if c.a.Broadcast && (c.yours() || c.a.Because != "") && c.over() {
		m.Blocks = append(m.Blocks, c.todo())
	}
	if len(c.a.WindowChanges) > 0 {
		m.Blocks = append(m.Blocks, c.windows()...)
	} else {
		m.Blocks = append(m.Blocks, c.conflicts())
	}
	m.Blocks = append(m.Blocks, c.seen())
	m.Actions = []Action{{Label: "Side-by-side diff", URL: c.diffURL()}, {Label: "Incident page", URL: c.pageURL("")}}
	if c.a.Version != 0 && c.o.BaseURL != "" {
		m.Actions = append(m.Actions, Action{Label: "Proof bundle", URL: c.pageURL(fmt.Sprintf("/v/%d.dwproof", c.a.Version))})
	}
}

// whichUpdate names the update that was edited.
func (c *composer) whichUpdate(ch downwind.Change) Block {
	for i, u := range c.a.Incident.Updates {
		if u.ID != ch.Update {
			continue
		}
		line := []Run{plain(fmt.Sprintf("Update %d (%s)", i+1, PhaseWord(u.Phase)))}
		if !u.PostedAt.IsZero() {
			line = append(line, plain(", posted "), at(u.PostedAt))
		}
		if after, stated := ch.EditedAfter(u.PostedAt, c.a.SeenAt); after > 0 {
			text := ", edited within " + Span(after)
			if stated {
				text = ", edited " + Span(after) + " later"
			}
			line = append(line, plain(text))
		}
		if ch.AfterEnd {
			line = append(line, plain(", when it was over"))
		}
		return Block{Kind: BlockContext, Lines: [][]Run{line}}
	}
	what := "The incident"
	if ch.Field != "" {
		what = "Its " + OneLine(ch.Field)
	}
	return Block{Kind: BlockContext, Lines: [][]Run{{plain(what)}}}
}

// diff shows the words added and removed, with a few kept words around.
func (c *composer) diff(ch downwind.Change) Block {
	b := Block{Kind: BlockDiff}
	spans := ch.Diff
	if len(spans) == 0 && (ch.From != "" || ch.To != "") {
		spans = []downwind.Span{{Op: -1, Text: ch.From}, {Op: 1, Text: ch.To}}
	}
	if len(spans) == 0 {
		return b
	}
	var removed, added side
	for i, s := range spans {
		text := Cut(OneLine(s.Text), 400)
		if text == "" {
			continue
		}
		switch s.Op {
		case -1:
			removed.add(s.Text, Run{Text: text, Foreign: true, Op: -1})
		case 1:
			added.add(s.Text, Run{Text: text, Foreign: true, Op: 1})
		default:
			text = around(text, i > 0, i < len(spans)-1)
			removed.add(s.Text, Run{Text: text, Foreign: true})
			added.add(s.Text, Run{Text: text, Foreign: true})
		}
	}
	b.Lines = append(b.Lines, line("Removed: ", removed, -1), line("Added: ", added, 1))
	return b
}

// side are the runs of one side of a difference. Words are parted by a space only where the text parts them ("9%" and "14%").
type side struct {
	runs   []Run
	spaced bool // the text so far ends in white space
}

func (s *side) add(raw string, r Run) {
	if len(s.runs) > 0 && (s.spaced || strings.TrimLeftFunc(raw, unicode.IsSpace) != raw) {
		s.runs = append(s.runs, plain(" "))
	}
	s.runs = append(s.runs, r)
	s.spaced = strings.TrimRightFunc(raw, unicode.IsSpace) != raw
}

// line labels one side of a difference; "nothing" when that side has no change.
func line(label string, s side, op int) []Run {
	out := append([]Run{bold(label)}, s.runs...)
	changed := slices.ContainsFunc(s.runs, func(r Run) bool { return r.Op == op })
	if !changed {
		return []Run{bold(label), plain("nothing")}
	}
	return out
}

// around keeps the words of an unchanged stretch that touch a change.
func around(text string, before, after bool) string {
	w := strings.Fields(text)
	const n = 6
	switch {
	case before && after && len(w) > 2*n:
		return strings.Join(w[:n], " ") + " … " + strings.Join(w[len(w)-n:], " ")
	case before && !after && len(w) > n:
		return strings.Join(w[:n], " ") + " …"
	case after && !before && len(w) > n:
		return "… " + strings.Join(w[len(w)-n:], " ")
	}
	return text
}

// consequence says what follows from an edit.
func (c *composer) consequence() Block {
	lines := append(c.windowChanges(), c.newlyNamed()...)
	lines = append(lines, c.severityLines()...)
	lines = append(lines, c.componentChanges()...)
	if len(lines) == 0 {
		return Block{Kind: BlockContext, Lines: [][]Run{{plain("Nothing follows from it: no window, component or impact changes.")}}}
	}
	return Block{Kind: BlockList, Title: "What follows for you", Lines: lines}
}

// seen says between which readings the text changed.
func (c *composer) seen() Block {
	var l []Run
	if !c.a.PrevSeen.IsZero() {
		l = append(l, plain("Old text last seen "), at(c.a.PrevSeen), plain(", "))
	}
	if !c.a.SeenAt.IsZero() {
		l = append(l, plain("new text first seen "), at(c.a.SeenAt))
	}
	if c.a.PrevVersion != 0 && c.a.Version != 0 {
		l = append(l, plain(fmt.Sprintf(" · archive entries %d and %d", c.a.PrevVersion, c.a.Version)))
	}
	if len(l) == 0 {
		return Block{}
	}
	return Block{Kind: BlockContext, Lines: [][]Run{l}}
}

func (c *composer) withdrawnReply(m *Message) {
	m.Tone = ToneEdited
	m.Title = "Withdrawn: " + c.a.ProviderName + ", " + c.title()
	m.Blocks = append(m.Blocks, c.withdrawnBlock())
	if !c.a.PrevSeen.IsZero() {
		m.Blocks = append(m.Blocks, Block{Kind: BlockContext, Lines: [][]Run{{plain("Last seen on the page "), at(c.a.PrevSeen)}}})
	}
	m.Actions = []Action{{Label: "Archived incident", URL: c.pageURL("")}}
}

func (c *composer) reopenedReply(m *Message) {
	m.Title = "Re-opened: " + c.a.ProviderName + ", " + c.title()
	m.Blocks = append(m.Blocks, c.stateChange(), c.affects(), c.why(), c.question(), c.changedForYou(), c.advice(3), c.asked())
	m.Blocks = append(m.Blocks, c.windows()...)
	for _, u := range c.posts() {
		m.Blocks = append(m.Blocks, c.words(u))
	}
	m.Actions = c.openActions()
}

func (c *composer) maintenanceReply(m *Message) {
	m.Tone = ToneMaintenance
	name := c.a.ProviderName
	in := c.a.Incident
	switch in.Phase {
	case downwind.InProgress:
		m.Title = name + ", work has begun: " + c.title()
	case downwind.Verifying:
		m.Title = name + ", work is being verified: " + c.title()
	case downwind.Completed:
		m.Title = name + ", work done: " + c.title()
	case downwind.Cancelled:
		m.Title = name + ", work cancelled: " + c.title()
	default:
		m.Title = name + ", planned work changed: " + c.title()
	}
	m.Blocks = append(m.Blocks, c.stateLine())
	if c.freed() {
		m.Blocks = append(m.Blocks, c.affects())
	} else {
		m.Blocks = append(m.Blocks, c.yoursLine())
	}
	m.Blocks = append(m.Blocks, c.scheduleChanges())
	if in.Phase == downwind.Completed || in.Phase == downwind.Cancelled {
		m.Blocks = append(m.Blocks, c.beforeAfter())
	}
	if in.Phase == downwind.Completed && len(c.a.Guidance.Checklist) == 0 && len(c.a.Guidance.Advice) == 0 {
		m.Blocks = append(m.Blocks, Block{Kind: BlockText, Lines: [][]Run{{plain("Check that what you paused or moved works again.")}}})
	}
	for _, u := range c.posts() {
		m.Blocks = append(m.Blocks, c.words(u))
	}
}

// scheduleChanges tells a moved schedule.
func (c *composer) scheduleChanges() Block {
	b := Block{Kind: BlockList, Title: "Changed for you", Lines: c.windowChanges()}
	for _, ch := range c.a.Changes {
		if ch.Field == "schedule" && (ch.From != "" || ch.To != "") {
			b.Lines = append(b.Lines, []Run{
				plain("Schedule: "),
				{Text: OneLine(ch.From), Strike: true, Op: -1, Foreign: true},
				plain(" "),
				{Text: OneLine(ch.To), Bold: true, Op: 1, Foreign: true},
			})
		}
	}
	return b
}

// reminderReply tells again what is going on and nobody has acknowledged.
func (c *composer) reminderReply(m *Message) {
	m.Title = "Still open: " + c.a.ProviderName + ", " + c.title()
	line := []Run{bold(c.stateWord()), plain(" · impact: " + ImpactWord(c.a.Incident.Impact))}
	if begun := c.begun(); !begun.IsZero() && c.a.SeenAt.After(begun) {
		line = append(line, plain(" · for "+Span(c.a.SeenAt.Sub(begun))))
	}
	if u := c.a.Incident.Latest(); u != nil && !u.PostedAt.IsZero() {
		line = append(line, plain(" · newest word "), at(u.PostedAt))
	}
	m.Blocks = append(m.Blocks, Block{Kind: BlockText, Lines: [][]Run{line, {plain("Nobody here has acknowledged it. Acknowledge or mute it, and the reminders end.")}}},
		c.affects(), c.advice(3))
	m.Actions = c.openActions()
}

// begun is when the incident began by its page, or was first posted.
func (c *composer) begun() time.Time {
	in := c.a.Incident
	if in.StartedAt.IsZero() && len(in.Updates) > 0 {
		return in.Updates[0].PostedAt
	}
	return in.StartedAt
}
