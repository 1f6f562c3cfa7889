package guidance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"downwind"
)

// ExplainIncident reads all posts of an incident together, as of now. The latest closed statement of a window wins; a
// recovery takes its start from the last onset; what is replaced is kept as superseded. With nothing stated the page's
// clock is a labelled guess. uses tells what the team's stack shows, for advice and checklist; it may be nil.
func ExplainIncident(inc *downwind.Incident, k Known, uses *downwind.Use, now time.Time) downwind.Guidance {
	title := newReader(inc.Title)
	defer title.release()
	m := merger{inc: inc, title: title.regions(k.Regions)}
	maint := inc.Kind == downwind.KindMaintenance
	var last reading
	var all []reading
	for _, u := range inc.Updates {
		if u.PostedAt.After(now) && !now.IsZero() {
			continue
		}
		rd := read(Post{ID: u.ID, Provider: inc.Provider, Title: inc.Title, Body: u.Body, PostedAt: u.PostedAt, Phase: u.Phase, Maintenance: maint}, k)
		m.add(&rd, u.ID)
		all = append(all, rd)
		last = rd
	}
	g := downwind.Guidance{Phase: inc.Phase}
	if (g.Phase == "" || g.Phase == downwind.PhaseUnknown) && len(all) > 0 {
		g.Phase = last.phase
	}
	g.Windows, g.Superseded = m.shown(), m.past
	if len(g.Windows) == 0 && maint && !inc.ScheduledFor.IsZero() {
		g.Windows = []downwind.Window{{Start: inc.ScheduledFor, End: inc.ScheduledUntil, Source: downwind.FromPage, Scope: join(m.title)}}
	}
	describeAll(&g, all, k, title, m.title, maint)
	g.Conflicts = m.conflicts(g.Windows)
	fill(&g, pageBounds(inc, now))
	words := wording{title.said, title.ops}
	for i := range all {
		words.add(all[i].r)
		all[i].r.release()
	}
	g.Advice, g.Checklist = advise(&g, words, nil, uses)
	return g
}

// pageBounds takes the page's own clock.
func pageBounds(inc *downwind.Incident, now time.Time) bounds {
	b := bounds{now: now, over: inc.Phase.Over(), planned: inc.Kind == downwind.KindMaintenance, first: inc.StartedAt, last: inc.ResolvedAt}
	for _, u := range inc.Updates {
		if !u.PostedAt.IsZero() && (b.first.IsZero() || u.PostedAt.Before(b.first)) {
			b.first = u.PostedAt
		}
		if b.last.IsZero() && u.Phase == downwind.Resolved {
			b.last = u.PostedAt
		}
	}
	if b.last.IsZero() && b.over && len(inc.Updates) > 0 {
		b.last = inc.Updates[len(inc.Updates)-1].PostedAt
	}
	return b
}

// describeAll joins what the posts say beside their times; the newest post that says something of a kind wins.
func describeAll(g *downwind.Guidance, all []reading, k Known, title *reader, places []string, maint bool) {
	cats := map[downwind.Category]bool{}
	for i := range all {
		rd := &all[i]
		var one downwind.Guidance
		rd.describe(&one, k, title)
		for _, c := range one.Categories {
			cats[c] = true
		}
		for _, r := range one.Regions {
			if !slices.ContainsFunc(g.Regions, func(o string) bool { return sameRegion(o, r) }) {
				g.Regions = append(g.Regions, r)
			}
		}
		for _, c := range one.Components {
			if !slices.Contains(g.Components, c) {
				g.Components = append(g.Components, c)
			}
		}
		if len(one.Actions) > 0 || one.NoneNeeded {
			g.Actions, g.NoneNeeded = one.Actions, one.NoneNeeded
		}
		if one.DataLoss != "" {
			g.DataLoss = one.DataLoss
		}
		if len(one.Delayed) > 0 {
			g.Delayed = one.Delayed
		}
	}
	for _, r := range places {
		if len(g.Regions) == 0 || !slices.ContainsFunc(g.Regions, func(o string) bool { return sameRegion(o, r) }) {
			g.Regions = append(g.Regions, r)
		}
	}
	for _, c := range title.categories(nil, maint) {
		cats[c] = true
	}
	for _, c := range categoryOrder {
		if cats[c] {
			g.Categories = append(g.Categories, c)
		}
	}
}

// regions are those that a text names.
func (r *reader) regions(known []string) []string {
	var out []string
	for _, m := range r.places(known) {
		if !isEverywhere(m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// A merger keeps the windows that stand, post after post.
type merger struct {
	inc   *downwind.Incident
	title []string
	now   []standing
	past  []downwind.Window
	slips []slip
}

// standing is a window that stands, with the post that stated it.
type standing struct {
	w      downwind.Window
	closed bool // both bounds stated by one post
}

// slip is a contradiction of one post and the post it is in.
type slip struct {
	update string
	text   string
}

// add takes in one post.
func (m *merger) add(rd *reading, update string) {
	ws := make([]downwind.Window, 0, len(rd.spans))
	for _, s := range rd.spans {
		w := rd.window(s, update)
		if w.Scope == "" && len(m.title) > 0 {
			w.Scope = join(m.title)
		}
		ws = append(ws, w)
	}
	for _, c := range rd.conflicts(ws) {
		m.slips = append(m.slips, slip{update, c})
	}
	if len(ws) == 0 {
		return
	}
	m.slips = slices.DeleteFunc(m.slips, func(s slip) bool { return s.update != update && m.restates(ws, s.update) })
	whole := 0
	for _, w := range ws {
		if !w.Start.IsZero() && !w.End.IsZero() {
			whole++
		}
	}
	if rd.phase == downwind.Postmortem && whole > 0 || whole == len(ws) && whole > 0 && rd.phase.Over() && m.covers(ws) {
		m.replaceAll(ws)
		return
	}
	for _, w := range ws {
		switch {
		case !w.Start.IsZero() && !w.End.IsZero():
			m.closed(w)
		case w.Start.IsZero():
			m.recovery(w)
		default:
			m.onset(w, rd.phase)
		}
	}
}

// restates reports whether the windows of a new post cover those that an older post stated.
func (m *merger) restates(ws []downwind.Window, update string) bool {
	for _, s := range m.now {
		if s.w.Update == update {
			for _, w := range ws {
				if related(s.w, w) {
					return true
				}
			}
			return false
		}
	}
	return false
}

// covers reports whether closed windows speak of everything that stands.
func (m *merger) covers(ws []downwind.Window) bool {
	for _, s := range m.now {
		if !slices.ContainsFunc(ws, func(w downwind.Window) bool { return related(s.w, w) }) {
			return false
		}
	}
	return true
}

// related reports whether two windows can be about the same impact: scopes that agree, times that touch within an hour.
func related(a, b downwind.Window) bool {
	if !scopesAgree(a.Scope, b.Scope) {
		return false
	}
	const gap = time.Hour
	if !a.End.IsZero() && !b.Start.IsZero() && b.Start.After(a.End.Add(gap)) {
		return false
	}
	return a.Start.IsZero() || b.End.IsZero() || !a.Start.After(b.End.Add(gap))
}

// scopesAgree reports whether two scopes may mean the same place.
func scopesAgree(a, b string) bool {
	if a == "" || b == "" || a == b {
		return true
	}
	for _, x := range scopeNames(a) {
		for _, y := range scopeNames(b) {
			if !apart(x, y) {
				return true
			}
		}
	}
	return false
}

// scopeNames takes a scope apart into its names.
func scopeNames(s string) []string {
	s = strings.ReplaceAll(s, " and ", ", ")
	return strings.Split(s, ", ")
}

func (m *merger) supersede(s standing) {
	m.past = append(m.past, s.w)
}

func (m *merger) replaceAll(ws []downwind.Window) {
	for _, s := range m.now {
		if !slices.ContainsFunc(ws, func(w downwind.Window) bool { return w.Start.Equal(s.w.Start) && w.End.Equal(s.w.End) }) {
			m.supersede(s)
		}
	}
	m.now = m.now[:0]
	for _, w := range ws {
		m.now = append(m.now, standing{w: w, closed: true})
	}
}

// closed takes in a window with both bounds.
func (m *merger) closed(w downwind.Window) {
	out := m.now[:0]
	for _, s := range m.now {
		if related(s.w, w) && s.w.Update != w.Update {
			m.supersede(s)
			continue
		}
		out = append(out, s)
	}
	m.now = append(out, standing{w: w, closed: true})
}

// recovery takes in an end without a start: it closes the last onset of its place.
func (m *merger) recovery(w downwind.Window) {
	best := -1
	for i, s := range m.now {
		if !scopesAgree(s.w.Scope, w.Scope) || s.w.Update == w.Update || !s.w.Start.IsZero() && s.w.Start.After(w.End) {
			continue
		}
		if !s.w.End.IsZero() && (w.End.Sub(s.w.End) > 6*time.Hour || s.w.End.Sub(w.End) > 6*time.Hour) {
			continue
		}
		if best < 0 || s.w.End.IsZero() && !m.now[best].w.End.IsZero() || s.w.End.IsZero() == m.now[best].w.End.IsZero() && s.w.Start.After(m.now[best].w.Start) {
			best = i
		}
	}
	if best < 0 {
		m.now = append(m.now, standing{w: w})
		return
	}
	s := &m.now[best]
	old := s.w
	if s.closed && !old.Start.IsZero() {
		// a whole window stands: a later word on the end moves it only forward
		if !w.End.After(old.End.Add(time.Minute)) {
			return
		}
	}
	if !old.End.IsZero() && !old.End.Equal(w.End) {
		m.supersede(*s)
	}
	s.w.End, s.w.Text, s.w.Update = w.End, w.Text, w.Update
	s.w.Approx = w.Approx || old.Approx && !old.Start.IsZero()
	if !old.Start.IsZero() && s.w.StartFrom == "" {
		s.w.StartFrom = onsetWords(old.Text)
	}
	if w.Scope != "" {
		s.w.Scope = w.Scope
	}
}

// onset takes in a start without an end.
func (m *merger) onset(w downwind.Window, phase downwind.Phase) {
	for i := range m.now {
		s := &m.now[i]
		if !scopesAgree(s.w.Scope, w.Scope) || s.w.Update == w.Update {
			continue
		}
		switch {
		case s.w.End.IsZero():
			if !s.w.Start.Equal(w.Start) {
				m.supersede(*s)
			}
			scope := s.w.Scope
			s.w = w
			if s.w.Scope == "" || len(scopeNames(s.w.Scope)) < len(scopeNames(scope)) && m.titleOnly(w.Scope) {
				s.w.Scope = scope
			}
			return
		case s.w.Start.IsZero() && w.Start.Before(s.w.End):
			// the end was stated first, the start now
			s.w.Start, s.w.StartFrom = w.Start, onsetWords(w.Text)
			s.w.Approx = s.w.Approx || w.Approx
			return
		case !s.w.Start.IsZero() && w.Start.Before(s.w.End.Add(time.Minute)):
			return // the known impact told again
		}
	}
	m.now = append(m.now, standing{w: w})
}

// titleOnly reports whether a scope was taken from the title.
func (m *merger) titleOnly(scope string) bool { return len(m.title) > 0 && scope == join(m.title) }

// onsetWords cuts the words that give a start out of its evidence, as short as they make sense.
func onsetWords(text string) string {
	low := strings.ToLower(text)
	at := -1
	for _, w := range []string{"starting ", "beginning ", "began ", "started ", "since ", "as of ", "between ", "from ", "start:", "at approximately ", "at around ", "at "} {
		if i := strings.Index(low, w); i >= 0 && (i == 0 || !alnum(low[i-1])) {
			at = i
			break
		}
	}
	if at < 0 {
		return cut(text, 80)
	}
	s := text[at:]
	if i := strings.IndexAny(s, ",;"); i > 0 && strings.ContainsAny(s[:i], "0123456789") {
		s = s[:i]
	}
	return cut(strings.TrimRight(s, ". "), 80)
}

// shown lists the windows that stand, earliest first; those without a start come by their end.
func (m *merger) shown() []downwind.Window {
	var out []downwind.Window
	for _, s := range m.now {
		out = append(out, s.w)
	}
	slices.SortStableFunc(out, func(a, b downwind.Window) int {
		return cmp.Compare(order(a), order(b))
	})
	return out
}

func order(w downwind.Window) int64 {
	if w.Start.IsZero() {
		return w.End.Unix()
	}
	return w.Start.Unix()
}

// conflicts words what contradicts itself over the whole incident.
func (m *merger) conflicts(ws []downwind.Window) []string {
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, s := range m.slips {
		add(s.text)
	}
	add(m.pageLength(ws))
	add(m.pageLate(ws))
	add(m.unnamed(ws))
	return out
}

// pageLength reports a page period of no length beside stated impact.
func (m *merger) pageLength(ws []downwind.Window) string {
	inc := m.inc
	if inc.Kind != downwind.KindIncident || inc.StartedAt.IsZero() || inc.ResolvedAt.IsZero() || inc.ResolvedAt.Sub(inc.StartedAt) > time.Minute {
		return ""
	}
	for _, w := range ws {
		if w.Source == downwind.FromProse && !w.Start.IsZero() && w.End.Sub(w.Start) > time.Minute {
			return fmt.Sprintf("The page's own period is 0 min long (%s UTC): the text says %s UTC.", inc.StartedAt.Format("15:04"), clocks(w))
		}
	}
	return ""
}

// lateBy is how late a page must start to be worth a line.
const lateBy = 15 * time.Minute

// pageLate reports a page that began well after the impact.
func (m *merger) pageLate(ws []downwind.Window) string {
	first := m.inc.StartedAt
	if first.IsZero() && len(m.inc.Updates) > 0 {
		first = m.inc.Updates[0].PostedAt
	}
	if first.IsZero() || m.inc.Kind != downwind.KindIncident || len(ws) == 0 || ws[0].Start.IsZero() || ws[0].Source != downwind.FromProse {
		return ""
	}
	d := first.Sub(ws[0].Start)
	if d < lateBy || d > 14*24*time.Hour || len(m.inc.Updates) < 2 {
		return ""
	}
	return fmt.Sprintf("The page starts at %s UTC, %s after the impact (%s UTC).", first.Format("15:04"), length(d), ws[0].Start.Format("15:04"))
}

// unnamed reports regions of the title that no window is about.
func (m *merger) unnamed(ws []downwind.Window) string {
	if len(m.title) < 2 || len(ws) == 0 || m.inc.Phase != downwind.Postmortem {
		return ""
	}
	var gone []string
	var have []string
	for _, w := range ws {
		if w.Scope == "" {
			return ""
		}
		have = append(have, w.Scope)
	}
	for _, t := range m.title {
		if !slices.ContainsFunc(have, func(s string) bool { return scopesAgree(s, t) }) {
			gone = append(gone, t)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return "The title names " + join(gone) + ", the postmortem gives impact for " + join(have) + " only."
}

// length words a duration for people: "58 min", "1 h 32 min", "3 d 4 h".
func length(d time.Duration) string {
	m := int(d.Round(time.Minute) / time.Minute)
	switch {
	case m < 60:
		return fmt.Sprintf("%d min", m)
	case m < 24*60:
		if m%60 == 0 {
			return fmt.Sprintf("%d h", m/60)
		}
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
	return fmt.Sprintf("%d d %d h", m/1440, m%1440/60)
}

// Changes tells what differs between the windows shown before and now. A first showing is no change, and neither is a new
// onset: the post itself is the news then.
func Changes(before, now []downwind.Window) []downwind.WindowChange {
	if len(before) == 0 {
		return nil
	}
	used := make([]bool, len(before))
	var out []downwind.WindowChange
	for i, w := range now {
		k := partner(before, used, w)
		if k < 0 {
			if !w.End.IsZero() {
				out = append(out, downwind.WindowChange{Bound: "window", Index: i, From: w.Start, To: w.End, Scope: w.Scope})
			}
			continue
		}
		used[k] = true
		b := before[k]
		if !b.Start.Equal(w.Start) {
			out = append(out, downwind.WindowChange{Bound: "start", Index: i, From: b.Start, To: w.Start, Scope: w.Scope})
		}
		if !b.End.Equal(w.End) {
			out = append(out, downwind.WindowChange{Bound: "end", Index: i, From: b.End, To: w.End, Scope: w.Scope})
		}
	}
	for k, b := range before {
		if !used[k] {
			out = append(out, downwind.WindowChange{Bound: "window", Index: -1, From: b.Start, To: b.End, Scope: b.Scope})
		}
	}
	return out
}

// partner finds the window before that w continues: scopes that agree, the nearest in time.
func partner(before []downwind.Window, used []bool, w downwind.Window) int {
	best, dist := -1, time.Duration(0)
	for k, b := range before {
		if used[k] || !scopesAgree(b.Scope, w.Scope) || !related(b, w) {
			continue
		}
		d := gap(b.Start, w.Start) + gap(b.End, w.End)
		if best < 0 || d < dist {
			best, dist = k, d
		}
	}
	return best
}

func gap(a, b time.Time) time.Duration {
	if a.IsZero() || b.IsZero() {
		return time.Hour
	}
	return a.Sub(b).Abs()
}
