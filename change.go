package downwind

import "time"

// ChangeKind is the type of a difference between two readings of an incident.
type ChangeKind string

// The typed changes. Maintenance is used for every step of planned work.
const (
	ChangeNew         ChangeKind = "new"
	ChangeUpdate      ChangeKind = "update"
	ChangeEdit        ChangeKind = "edit"
	ChangeReopened    ChangeKind = "reopened"
	ChangeResolved    ChangeKind = "resolved"
	ChangePostmortem  ChangeKind = "postmortem"
	ChangeComponents  ChangeKind = "components"
	ChangeSeverity    ChangeKind = "severity"
	ChangeWithdrawn   ChangeKind = "withdrawn"
	ChangeMaintenance ChangeKind = "maintenance"
	// ChangeReminder is ours, not the page's: it is still going on and nobody has acknowledged it.
	ChangeReminder ChangeKind = "reminder"
)

// A Change is one typed difference between what was archived of an incident and what its page says now.
type Change struct {
	Kind ChangeKind
	// Incident is the incident's id; Update the id of the update it is about, empty for those about the whole.
	Incident, Update string
	// From and To are the old and new value where there is one: phases, impacts, titles, bodies.
	From, To string `json:",omitempty"`
	// Field names what changed for edits and scope changes: "body", "title", "components", "scope", "impact", "schedule", "times".
	Field string `json:",omitempty"`
	// Components are those whose state changed, with the new state.
	Components []Component `json:",omitempty"`
	// At is the provider's time of the change where it states one, else zero.
	At time.Time
	// Late says that the incident was over when first seen.
	Late bool `json:",omitempty"`
	// Silent says that a past update was changed without a new one.
	Silent bool `json:",omitempty"`
	// AfterEnd says that an edit came when the incident was over, and nobody looks there any more.
	AfterEnd bool `json:",omitempty"`
	// Diff is the word-level difference of an edit.
	Diff []Span `json:",omitempty"`
}

// EditedAfter returns how long after its post an update was edited: by the provider's own time of the edit (stated), else
// the time until we read it, which is the longest that it can have been. It is zero where the post has no time.
func (c *Change) EditedAfter(posted, read time.Time) (after time.Duration, stated bool) {
	at := c.At
	if stated = !at.IsZero(); !stated {
		at = read
	}
	if posted.IsZero() || at.Before(posted) {
		return 0, stated
	}
	return at.Sub(posted), stated
}

// A Span is a run of text in a difference.
type Span struct {
	// Op is -1 removed, 0 kept, +1 added.
	Op   int
	Text string
}
