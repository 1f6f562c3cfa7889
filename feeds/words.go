package feeds

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// fold reduces a state word to lower-case letters: "In progress", "IN_PROGRESS" and "inprogress" are one.
func fold(w string) string {
	tidy := true
	for i := 0; i < len(w); i++ {
		if w[i] < 'a' || w[i] > 'z' {
			tidy = false
			break
		}
	}
	if tidy {
		return w
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, w)
}

// PhaseOf reads a state word of an incident or maintenance in any spelling. ok is false for words nobody knows; the phase
// is then unknown, never a healthy one. The word "Update" keeps the phase before it and is not known here.
func PhaseOf(word string) (p downwind.Phase, ok bool) {
	switch fold(word) {
	case "investigating", "investigation", "detected", "active", "open", "reported", "issue", "triage", "new", "ongoing", "started", "confirmed", "assessing", "analyzing", "analysing":
		return downwind.Investigating, true
	case "identified", "fixing", "acknowledged", "mitigating", "causeidentified", "implementingfix", "workaround":
		return downwind.Identified, true
	case "monitoring", "watching", "mitigated", "observing", "monitor", "recovering", "fiximplemented":
		return downwind.Monitoring, true
	case "resolved", "fixed", "closed", "recovered", "ok", "operational", "over", "solved", "finished", "restored", "servicerestored":
		return downwind.Resolved, true
	case "postmortem", "rca":
		return downwind.Postmortem, true
	case "scheduled", "upcoming", "notstartedyet", "planned", "maintenancescheduled":
		return downwind.Scheduled, true
	case "inprogress", "maintenanceinprogress", "underway", "maintenance", "undermaintenance":
		return downwind.InProgress, true
	case "verifying", "maintenanceverifying":
		return downwind.Verifying, true
	case "completed", "complete", "maintenancecomplete", "maintenancecompleted", "done":
		return downwind.Completed, true
	case "cancelled", "canceled", "maintenancecancelled":
		return downwind.Cancelled, true
	}
	return downwind.PhaseUnknown, false
}

// IsMaintenancePhase reports the phases that only planned work has.
func IsMaintenancePhase(p downwind.Phase) bool {
	switch p {
	case downwind.Scheduled, downwind.InProgress, downwind.Verifying, downwind.Completed, downwind.Cancelled:
		return true
	}
	return false
}

// StatusOf reads a component's state word in any spelling; ok is false, and the state unknown, for words nobody knows.
func StatusOf(word string) (s downwind.Status, ok bool) {
	switch fold(word) {
	case "operational", "up", "ok", "available", "healthy", "normal", "normalperformance", "recovered", "resolved", "good", "running", "online", "green":
		return downwind.Operational, true
	case "degraded", "degradedperformance", "performanceissues", "partiallydegraded", "advisory", "slow", "minor", "yellow", "informational", "notice", "monitoring", "servicedegradation", "degradation", "amber":
		return downwind.Degraded, true
	case "partialoutage", "minoroutage", "partial", "partialdegradation", "disrupted", "partialservicedisruption", "orange":
		return downwind.PartialOutage, true
	case "majoroutage", "fulloutage", "outage", "down", "downtime", "unhealthy", "unavailable", "offline", "servicedisruption", "servicedown", "disruption", "major", "critical", "red":
		return downwind.MajorOutage, true
	case "maintenance", "undermaintenance", "plannedmaintenance", "scheduledmaintenance", "inmaintenance", "blue":
		return downwind.UnderMaintenance, true
	case "", "unknown", "notmonitored", "paused", "pending":
		return downwind.StatusUnknown, true
	}
	return downwind.StatusUnknown, false
}

// ImpactOf reads an impact or severity word; ok is false, and the impact unknown, for words nobody knows.
func ImpactOf(word string) (i downwind.Impact, ok bool) {
	switch fold(word) {
	case "none", "informational", "info", "notice":
		return downwind.ImpactNone, true
	case "minor", "low", "degraded", "degradedperformance", "minoroutage":
		return downwind.ImpactMinor, true
	case "major", "medium", "high", "partialoutage", "partial":
		return downwind.ImpactMajor, true
	case "critical", "majoroutage", "fulloutage", "outage", "severe":
		return downwind.ImpactCritical, true
	case "maintenance", "scheduled", "undermaintenance":
		return downwind.ImpactMaintenance, true
	case "", "unknown":
		return downwind.ImpactUnknown, true
	}
	return downwind.ImpactUnknown, false
}

// ContentID derives a stable id from what a thing says: 12 hex digits of the SHA-256 of its parts.
func ContentID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Tidy brings an incident into the shape that a document promises: updates oldest first (by time; equal times keep the
// order in which they were given), ids where the page has none, empty phases filled from the update before, components
// deduplicated with the worst state known, ResolvedAt from the newest resolving update where none is stated, and no
// ResolvedAt while it is open. An update phase of "" means "keeps the phase before it" (a bare "Update").
func Tidy(inc *downwind.Incident) {
	sortUpdates(inc.Updates)
	fillPhases(inc)
	nameUpdates(inc.Updates)
	inc.Components = mergeComponents(inc)
	if inc.ID == "" {
		first := inc.StartedAt
		if len(inc.Updates) > 0 {
			first = inc.Updates[0].PostedAt
		}
		inc.ID = ContentID(inc.Title, first.UTC().Format(time.RFC3339))
	}
	if inc.Phase == "" {
		inc.Phase = downwind.PhaseUnknown
	}
	if inc.Impact == "" {
		inc.Impact = downwind.ImpactUnknown
	}
	if !inc.Phase.Over() {
		inc.ResolvedAt = time.Time{}
		return
	}
	if !inc.ResolvedAt.IsZero() {
		return
	}
	for _, u := range slices.Backward(inc.Updates) {
		if u.Phase == downwind.Resolved || u.Phase == downwind.Completed {
			inc.ResolvedAt = u.PostedAt
			return
		}
	}
}

// StartFromUpdates sets the start of an incident from its oldest update where the page states none. It must not be used
// for sources that show the newest state only.
func StartFromUpdates(inc *downwind.Incident) {
	if !inc.StartedAt.IsZero() {
		return
	}
	for _, u := range inc.Updates {
		if !u.PostedAt.IsZero() && (inc.StartedAt.IsZero() || u.PostedAt.Before(inc.StartedAt)) {
			inc.StartedAt = u.PostedAt
		}
	}
}

// StartMaintenance sets the start of planned work: its oldest in-progress update, or the planned start once a later phase
// has been reached; zero before that.
func StartMaintenance(inc *downwind.Incident) {
	inc.StartedAt = time.Time{}
	for _, u := range inc.Updates {
		if u.Phase == downwind.InProgress && !u.PostedAt.IsZero() {
			inc.StartedAt = u.PostedAt
			return
		}
	}
	switch inc.Phase {
	case downwind.InProgress, downwind.Verifying, downwind.Completed:
		inc.StartedAt = inc.ScheduledFor
	}
}

func sortUpdates(us []downwind.Update) {
	sort.SliceStable(us, func(i, j int) bool { return us[i].PostedAt.Before(us[j].PostedAt) })
}

// fillPhases gives updates without a word of their own the phase before them, the first ones that of the incident's kind.
func fillPhases(inc *downwind.Incident) {
	last := downwind.Phase("")
	for i := range inc.Updates {
		u := &inc.Updates[i]
		if u.Phase == "" {
			u.Phase = last
		}
		if u.Phase != "" {
			last = u.Phase
		}
	}
	for i := range inc.Updates {
		if inc.Updates[i].Phase == "" {
			inc.Updates[i].Phase = downwind.PhaseUnknown
		}
	}
}

// nameUpdates gives ids to updates without one, and tells equal ids apart by a counter.
func nameUpdates(us []downwind.Update) {
	seen := make(map[string]int, len(us))
	for i := range us {
		u := &us[i]
		if u.ID == "" {
			u.ID = ContentID(u.PostedAt.UTC().Format(time.RFC3339), string(u.Phase))
		}
		seen[u.ID]++
		if n := seen[u.ID]; n > 1 {
			u.ID += "-" + strconv.Itoa(n)
		}
	}
}

// mergeComponents unites the incident's own components with those of its updates: by id, else by group and name. The
// incident's own spelling wins; the state is the worst that any of them had.
func mergeComponents(inc *downwind.Incident) []downwind.Component {
	var out []downwind.Component
	at := make(map[string]int)
	add := func(c downwind.Component) {
		keys := [2]string{"id\x00" + c.ID, "name\x00" + c.Group + "\x00" + c.Name}
		if c.ID == "" {
			keys[0] = keys[1]
		}
		i, ok := at[keys[0]]
		if !ok && (c.ID == "") {
			i, ok = at["bare\x00"+c.Name]
		}
		if !ok {
			at[keys[0]] = len(out)
			at[keys[1]] = len(out)
			if _, taken := at["bare\x00"+c.Name]; !taken {
				at["bare\x00"+c.Name] = len(out)
			}
			out = append(out, c)
			return
		}
		if out[i].Status == "" || c.Status.Rank() > out[i].Status.Rank() && c.Status != "" {
			out[i].Status = c.Status
		}
	}
	for _, c := range inc.Components {
		add(c)
	}
	for _, u := range inc.Updates {
		for _, c := range u.Components {
			add(c)
		}
	}
	return out
}
