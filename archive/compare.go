package archive

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"downwind"
)

// A Comparison is what one reading of an incident adds to what was known.
type Comparison struct {
	// State is the merged state to keep: nothing that was once read is lost, ids and times of updates stay.
	State downwind.Incident
	// Changes are the typed changes, oldest update first; empty where nothing of meaning differs.
	Changes []downwind.Change
	// Stale says that the reading shows less than is known (an old copy from a cache); State is then the known one.
	Stale bool
}

// Compare tells what a reading says that was not known. A nil old state makes the incident new. With trust, a reading
// that lacks known updates is believed (the provider removed them) instead of taken for an old copy.
func Compare(old, now *downwind.Incident, trust bool) Comparison {
	if old == nil {
		return Comparison{State: clone(now), Changes: first(now)}
	}
	pairs, fresh, gone := pair(old.Updates, now.Updates)
	if stale(old, now, pairs, fresh, gone) && !trust {
		return Comparison{State: clone(old), Stale: true}
	}
	state := merge(old, now, pairs, gone, trust)
	var changes []downwind.Change
	changes = append(changes, steps(old, now, fresh)...)
	changes = append(changes, edits(old, now, pairs, len(fresh) == 0)...)
	if trust {
		for _, u := range gone {
			changes = append(changes, downwind.Change{
				Kind: downwind.ChangeEdit, Incident: now.ID, Update: u.ID, Field: "body", From: u.Body,
				Silent: true, AfterEnd: old.Phase.Over(), Diff: Diff(u.Body, ""),
			})
		}
	}
	changes = append(changes, grades(old, &state)...)
	return Comparison{State: state, Changes: changes}
}

// first makes the change of an incident seen for the first time.
func first(now *downwind.Incident) []downwind.Change {
	c := downwind.Change{Kind: downwind.ChangeNew, Incident: now.ID, To: string(now.Impact), At: now.StartedAt}
	if now.Kind == downwind.KindMaintenance {
		c.Kind, c.To = downwind.ChangeMaintenance, string(now.Phase)
	}
	if u := now.Latest(); u != nil {
		c.Update = u.ID
		if c.At.IsZero() {
			c.At = u.PostedAt
		}
	}
	c.Late = now.Phase.Over()
	return []downwind.Change{c}
}

// A match of an update that was known with its newer reading.
type twin struct{ old, now *downwind.Update }

// sameMinute is how far two readings of one post may lie apart: feeds give minutes, JSON gives seconds.
const sameMinute = 90 * time.Second

// pair matches updates: by id, else by equal phase and words, else by post time and phase (a re-keyed copy with an
// edited text). What is left of the newer reading is fresh, what is left of the old one is gone.
func pair(old, now []downwind.Update) (pairs []twin, fresh, gone []*downwind.Update) {
	usedOld, usedNow := make([]bool, len(old)), make([]bool, len(now))
	match := func(same func(a, b *downwind.Update) bool) {
		for j := range now {
			for i := range old {
				if !usedOld[i] && !usedNow[j] && same(&old[i], &now[j]) {
					usedOld[i], usedNow[j] = true, true
					pairs = append(pairs, twin{&old[i], &now[j]})
				}
			}
		}
	}
	match(func(a, b *downwind.Update) bool { return a.ID == b.ID })
	if len(pairs) < len(old) && len(pairs) < len(now) {
		match(func(a, b *downwind.Update) bool {
			return near(a, b) && sameLetters(a.Body, b.Body)
		})
		match(func(a, b *downwind.Update) bool {
			return !a.PostedAt.IsZero() && near(a, b) && a.Phase == b.Phase
		})
	}
	for j := range now {
		if !usedNow[j] {
			fresh = append(fresh, &now[j])
		}
	}
	for i := range old {
		if !usedOld[i] {
			gone = append(gone, &old[i])
		}
	}
	return pairs, fresh, gone
}

// near reports whether two readings may be the same post by their times; an unknown time fits any.
func near(a, b *downwind.Update) bool {
	if a.PostedAt.IsZero() || b.PostedAt.IsZero() {
		return true
	}
	return a.PostedAt.Sub(b.PostedAt).Abs() <= sameMinute
}

// sameLetters reports whether two texts differ in markup and spacing at most.
func sameLetters(a, b string) bool { return a == b || letters(a) == letters(b) }

// letters reduces a text to its letters and digits: markup and spacing are no change.
func letters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// stale reports whether a reading is an old copy: it brings nothing, and lacks the newest post that is known.
func stale(old, now *downwind.Incident, pairs []twin, fresh, gone []*downwind.Update) bool {
	if len(fresh) > 0 || len(gone) == 0 || len(now.Updates) == 0 {
		return false
	}
	newest := old.Latest()
	return len(pairs) > 0 && slices.Contains(gone, newest)
}

// merge lays the newer reading over the known state. Updates that the reading lacks stay unless it is trusted; updates
// that were known keep their id, their phase where the newer one does not know it, and their finer time.
func merge(old, now *downwind.Incident, pairs []twin, gone []*downwind.Update, trust bool) downwind.Incident {
	state := clone(now)
	state.Provider, state.ID = old.Provider, old.ID
	byNow := make(map[string]*downwind.Update, len(pairs))
	for _, p := range pairs {
		byNow[p.now.ID] = p.old
	}
	for i := range state.Updates {
		u := &state.Updates[i]
		was := byNow[u.ID]
		if was == nil {
			continue
		}
		u.ID = was.ID
		if near(was, u) && !was.PostedAt.IsZero() {
			u.PostedAt = was.PostedAt
		}
		if u.Phase == downwind.PhaseUnknown {
			u.Phase = was.Phase
		}
		if sameLetters(was.Body, u.Body) {
			u.Body = was.Body
			u.EditedAt = was.EditedAt
		}
		if len(u.Components) == 0 {
			u.Components = was.Components
		}
	}
	if !trust && len(gone) > 0 {
		for _, u := range gone {
			state.Updates = append(state.Updates, *u)
		}
		slices.SortStableFunc(state.Updates, func(a, b downwind.Update) int { return a.PostedAt.Compare(b.PostedAt) })
	}
	keepKnown(&state, old)
	return state
}

// keepKnown fills what the newer reading does not state from what was known.
func keepKnown(state, old *downwind.Incident) {
	if state.Impact == downwind.ImpactUnknown {
		state.Impact = old.Impact
	}
	if state.Title == "" {
		state.Title = old.Title
	}
	if state.URL == "" {
		state.URL = old.URL
	}
	fill := func(t *time.Time, was time.Time) {
		if t.IsZero() || !was.IsZero() && t.Sub(was).Abs() < time.Minute {
			*t = was
		}
	}
	fill(&state.StartedAt, old.StartedAt)
	fill(&state.ScheduledFor, old.ScheduledFor)
	fill(&state.ScheduledUntil, old.ScheduledUntil)
	if state.Phase.Over() {
		fill(&state.ResolvedAt, old.ResolvedAt)
	}
	state.Components = union(old.Components, state.Components)
	for _, r := range old.Regions {
		if !slices.Contains(state.Regions, r) {
			state.Regions = append(state.Regions, r)
		}
	}
}

// union keeps every component that was ever linked, with the worst state known; the order of the newer reading wins.
func union(old, now []downwind.Component) []downwind.Component {
	out := slices.Clone(now)
	for _, c := range old {
		i := slices.IndexFunc(out, func(n downwind.Component) bool { return sameComponent(c, n) })
		if i < 0 {
			out = append(out, c)
		} else if c.Status.Rank() > out[i].Status.Rank() {
			out[i].Status = c.Status
		}
	}
	return out
}

// sameComponent compares by id and, where ids were re-made, by group and name.
func sameComponent(a, b downwind.Component) bool {
	if a.ID != "" && a.ID == b.ID {
		return true
	}
	return downwind.Fold(a.Name) == downwind.Fold(b.Name) && (a.Group == b.Group || a.Group == "" || b.Group == "")
}

func clone(inc *downwind.Incident) downwind.Incident {
	c := *inc
	c.Components = slices.Clone(inc.Components)
	c.Regions = slices.Clone(inc.Regions)
	c.Updates = slices.Clone(inc.Updates)
	return c
}
