package archive

import (
	"slices"
	"strings"
	"time"

	"downwind"
)

// steps makes one change of each fresh update, in order, and one for an end or a new beginning that no update tells.
func steps(old, now *downwind.Incident, fresh []*downwind.Update) []downwind.Change {
	var out []downwind.Change
	over, phase := old.Phase.Over(), old.Phase
	for _, u := range fresh {
		c := downwind.Change{Kind: downwind.ChangeUpdate, Incident: now.ID, Update: u.ID, From: string(phase), To: string(u.Phase), At: u.PostedAt}
		switch {
		case now.Kind == downwind.KindMaintenance:
			c.Kind = downwind.ChangeMaintenance
		case u.Phase == downwind.Postmortem:
			c.Kind = downwind.ChangePostmortem
		case over && begins(u.Phase):
			c.Kind = downwind.ChangeReopened
			over = false
		case !over && u.Phase == downwind.Resolved:
			c.Kind = downwind.ChangeResolved
			over = true
		}
		if u.Phase != downwind.PhaseUnknown {
			phase = u.Phase
		}
		out = append(out, c)
	}
	c := downwind.Change{Incident: now.ID, From: string(old.Phase), To: string(now.Phase)}
	switch {
	case now.Kind == downwind.KindMaintenance:
		if len(fresh) == 0 && now.Phase != old.Phase && now.Phase != downwind.PhaseUnknown {
			c.Kind = downwind.ChangeMaintenance
			out = append(out, c)
		}
	case now.Phase.Over() && !over:
		c.Kind, c.At = downwind.ChangeResolved, now.ResolvedAt
		out = append(out, c)
	case !now.Phase.Over() && begins(now.Phase) && over && old.Phase.Over():
		c.Kind = downwind.ChangeReopened
		out = append(out, c)
	}
	return out
}

// begins reports whether a phase after the end means that the trouble is back.
func begins(p downwind.Phase) bool {
	return p == downwind.Investigating || p == downwind.Identified || p == downwind.Monitoring
}

// edits makes a change of each text and time that was changed in place. Silent marks those that no new update announces.
func edits(old, now *downwind.Incident, pairs []twin, silent bool) []downwind.Change {
	var out []downwind.Change
	put := func(c downwind.Change) {
		c.Kind, c.Incident, c.Silent, c.AfterEnd = downwind.ChangeEdit, now.ID, silent, old.Phase.Over()
		c.Diff = Diff(c.From, c.To)
		out = append(out, c)
	}
	slices.SortFunc(pairs, func(a, b twin) int { return a.old.PostedAt.Compare(b.old.PostedAt) })
	for _, p := range pairs {
		if !sameLetters(p.old.Body, p.now.Body) {
			put(downwind.Change{Update: p.old.ID, Field: "body", From: p.old.Body, To: p.now.Body, At: p.now.EditedAt})
		}
	}
	if !sameLetters(old.Title, now.Title) && now.Title != "" {
		put(downwind.Change{Field: "title", From: old.Title, To: now.Title})
	}
	switch {
	case now.Kind != downwind.KindMaintenance:
		if restated(old, now, old.StartedAt, now.StartedAt) || restated(old, now, old.ResolvedAt, now.ResolvedAt) {
			put(downwind.Change{Field: "times", From: interval(old.StartedAt, old.ResolvedAt), To: interval(now.StartedAt, now.ResolvedAt)})
		}
	case moved(old.ScheduledFor, now.ScheduledFor) || moved(old.ScheduledUntil, now.ScheduledUntil):
		out = append(out, downwind.Change{
			Kind: downwind.ChangeMaintenance, Incident: now.ID, Field: "schedule", From: interval(old.ScheduledFor, old.ScheduledUntil),
			To: interval(now.ScheduledFor, now.ScheduledUntil), Silent: silent,
		})
	}
	return out
}

// restated reports whether a page states another time than before. A time at which something was posted is none: readers
// of feeds take it for want of a stated one, and it moves with what the feed still lists.
func restated(old, now *downwind.Incident, was, is time.Time) bool {
	posted := func(t time.Time) bool {
		is := func(u downwind.Update) bool { return !u.PostedAt.IsZero() && u.PostedAt.Sub(t).Abs() <= sameMinute }
		return slices.ContainsFunc(old.Updates, is) || slices.ContainsFunc(now.Updates, is)
	}
	return moved(was, is) && !posted(was) && !posted(is)
}

// moved reports whether a stated time was changed by a minute or more; a time that is no longer stated did not move.
func moved(was, is time.Time) bool {
	return !was.IsZero() && !is.IsZero() && was.Sub(is).Abs() >= time.Minute
}

// interval writes a period as an ISO 8601 interval; an end that is not stated is "..".
func interval(from, until time.Time) string {
	write := func(t time.Time) string {
		if t.IsZero() {
			return ".."
		}
		return t.UTC().Format(time.RFC3339)
	}
	return write(from) + "/" + write(until)
}

// grades makes the changes of impact and of component states.
func grades(old, state *downwind.Incident) []downwind.Change {
	var out []downwind.Change
	if state.Kind != downwind.KindMaintenance && state.Impact.Rank() != old.Impact.Rank() {
		out = append(out, downwind.Change{
			Kind: downwind.ChangeSeverity, Incident: state.ID, Field: "impact", From: string(old.Impact), To: string(state.Impact),
		})
	}
	changed := stateChanges(old, state)
	if len(changed) > 0 {
		out = append(out, downwind.Change{Kind: downwind.ChangeComponents, Incident: state.ID, Field: "components", Components: changed})
	}
	if fresh := scope(old, state, changed); len(fresh) > 0 {
		out = append(out, downwind.Change{Kind: downwind.ChangeComponents, Incident: state.ID, Field: "scope", To: strings.Join(fresh, ", ")})
	}
	return out
}

// scope names the components and regions that an incident did not name before, but for those of which a state is told.
func scope(old, state *downwind.Incident, told []downwind.Component) []string {
	var fresh []string
	before := append(States(old), told...)
	for _, c := range States(state) {
		if !slices.ContainsFunc(before, func(o downwind.Component) bool { return sameComponent(o, c) }) {
			fresh = append(fresh, c.Name)
		}
	}
	for _, r := range state.Regions {
		if !slices.Contains(old.Regions, r) {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// States returns the newest known state of each component of an incident: what its updates gave, in order, and for
// those that no update names what the incident itself carries.
func States(inc *downwind.Incident) []downwind.Component {
	var out []downwind.Component
	put := func(c downwind.Component) {
		i := slices.IndexFunc(out, func(o downwind.Component) bool { return sameComponent(o, c) })
		if i < 0 {
			out = append(out, c)
			return
		}
		out[i].Status = c.Status
	}
	for _, u := range inc.Updates {
		for _, c := range u.Components {
			if c.Status != "" && c.Status != downwind.StatusUnknown {
				put(c)
			}
		}
	}
	named := len(out)
	for _, c := range inc.Components {
		if !slices.ContainsFunc(out[:named], func(o downwind.Component) bool { return sameComponent(o, c) }) {
			out = append(out, c)
		}
	}
	return out
}

// stateChanges lists components whose state differs between two states of an incident. One that is named for the first
// time counts from operational.
func stateChanges(old, now *downwind.Incident) []downwind.Component {
	before := States(old)
	var out []downwind.Component
	for _, c := range States(now) {
		was := downwind.Operational
		if i := slices.IndexFunc(before, func(o downwind.Component) bool { return sameComponent(o, c) }); i >= 0 {
			was = before[i].Status
		}
		if c.Status != was && known(c.Status) && known(was) {
			out = append(out, c)
		}
	}
	return out
}

func known(s downwind.Status) bool { return s != "" && s != downwind.StatusUnknown }
