package archive

import (
	"slices"
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

// edits makes a change of each text that was changed in place. Silent marks those that no new update announces.
func edits(old, now *downwind.Incident, pairs []twin, silent bool) []downwind.Change {
	var out []downwind.Change
	slices.SortFunc(pairs, func(a, b twin) int { return a.old.PostedAt.Compare(b.old.PostedAt) })
	for _, p := range pairs {
		if letters(p.old.Body) != letters(p.now.Body) {
			out = append(out, downwind.Change{
				Kind: downwind.ChangeEdit, Incident: now.ID, Update: p.old.ID, Field: "body", From: p.old.Body, To: p.now.Body,
				At: p.now.EditedAt, Silent: silent, Diff: Diff(p.old.Body, p.now.Body),
			})
		}
	}
	if letters(old.Title) != letters(now.Title) && now.Title != "" {
		out = append(out, downwind.Change{
			Kind: downwind.ChangeEdit, Incident: now.ID, Field: "title", From: old.Title, To: now.Title,
			Silent: silent, Diff: Diff(old.Title, now.Title),
		})
	}
	if now.Kind == downwind.KindMaintenance && (moved(old.ScheduledFor, now.ScheduledFor) || moved(old.ScheduledUntil, now.ScheduledUntil)) {
		out = append(out, downwind.Change{
			Kind: downwind.ChangeMaintenance, Incident: now.ID, Field: "schedule",
			From: schedule(old), To: schedule(now), Silent: silent,
		})
	}
	return out
}

// moved reports whether a stated time was changed by a minute or more; a time that is no longer stated did not move.
func moved(was, is time.Time) bool {
	return !was.IsZero() && !is.IsZero() && was.Sub(is).Abs() >= time.Minute
}

// schedule writes the announced period as an ISO 8601 interval.
func schedule(inc *downwind.Incident) string {
	return inc.ScheduledFor.UTC().Format(time.RFC3339) + "/" + inc.ScheduledUntil.UTC().Format(time.RFC3339)
}

// grades makes the changes of impact and of component states.
func grades(old, state *downwind.Incident) []downwind.Change {
	var out []downwind.Change
	if state.Kind != downwind.KindMaintenance && state.Impact.Rank() != old.Impact.Rank() {
		out = append(out, downwind.Change{
			Kind: downwind.ChangeSeverity, Incident: state.ID, Field: "impact", From: string(old.Impact), To: string(state.Impact),
		})
	}
	if changed := stateChanges(old, state); len(changed) > 0 {
		out = append(out, downwind.Change{Kind: downwind.ChangeComponents, Incident: state.ID, Field: "components", Components: changed})
	}
	return out
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
