package downwind

import "time"

// DeliveryState is the state of a delivery row.
type DeliveryState string

// The states of a delivery, each with its reason in the row.
const (
	DeliveryActive DeliveryState = "active"
	DeliveryHeld   DeliveryState = "held"
	DeliveryPaused DeliveryState = "paused"
	DeliveryDone   DeliveryState = "done"
)

// A Delivery is the truth about one incident in one destination: what should be visible, and what is.
type Delivery struct {
	// ID is the key: destination and incident key, "slack:T01:C012|livekit/gv6q".
	ID          string
	Destination string
	Team        string
	// Incident is the incident's key, "provider/id".
	Incident string
	State    DeliveryState
	Reason   string
	// Desired is the newest version that should be visible; Applied the newest that has been sent as root or reply;
	// Edited the newest that the root shows. Versions count from 1 in each delivery; version 1 is the root.
	Desired, Applied, Edited int
	// RootID is the platform's id of the root message, empty until sent.
	RootID string
	// ThreadID is the platform's id of the thread where it differs from the root's.
	ThreadID string
	// IntentPart is the part that may have gone out ("root", "v3"), IntentAt when it was committed; empty: none.
	IntentPart string
	IntentAt   time.Time
	// IntentFirst is when the first attempt of IntentPart was committed: look-ups begin there.
	IntentFirst time.Time
	// EditedAt is when the root was last edited.
	EditedAt time.Time
	// Parent is the collecting delivery whose thread carries this one's root, empty: its own root.
	Parent string
	// Finish says that the row becomes done once everything desired is visible.
	Finish bool
	// NoEdit says that the root cannot be edited any more, NoThread that replies go into the channel itself.
	NoEdit, NoThread bool
	// Generation counts the roots that were lost: above 0 the root says that it continues an earlier one.
	Generation int
	// NewestRoot says that the next root tells the newest state instead of version 1 (after a pause or a lost root).
	NewestRoot bool
	// Reconcile says that the store is a restored copy: every message is looked for before it is sent.
	Reconcile  bool
	LeaseOwner string
	LeaseUntil time.Time
	SweptAt    time.Time
	// NotBefore delays the next attempt (rate limits, back-off).
	NotBefore time.Time
	Attempts  int
	AckedBy   string
	AckedAt   time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}

// An Alert is all that one version of a delivery says, before any platform's rendering. It is what the planner decides and the store keeps.
type Alert struct {
	// Kind is the leading change: what the reader is told.
	Kind ChangeKind
	// Changes are all changes this version tells.
	Changes []Change
	// Incident is the newest state; provider text in it is hostile.
	Incident Incident
	// ProviderName is the catalogue's spelling.
	ProviderName string
	// Match is the judgement for this team; Before the one told last, nil on the first.
	Match  Match
	Before *Match `json:",omitempty"`
	// Guidance reads all posts together; WindowChanges tells what differs from what was shown before.
	Guidance      Guidance
	WindowChanges []WindowChange `json:",omitempty"`
	// Broadcast shows a reply in the channel itself; Push allows a ping; Quiet asks for none.
	Broadcast, Push, Quiet bool
	// NewlyYours says that the incident grew to something this team uses; Cleared that it shrank away from it.
	NewlyYours, Cleared bool `json:",omitempty"`
	// AlreadyOver says that the incident was over when first seen; InProgress that it was open at first contact.
	AlreadyOver, InProgress bool `json:",omitempty"`
	// SeenAt is when we read it, UTC.
	SeenAt time.Time
	// Version is the archive's version id of the incident, for links and proofs.
	Version int64 `json:",omitempty"`
	// PrevVersion is the archive's version id of the state before, and PrevSeen when that was last read unchanged; zero: none.
	PrevVersion int64     `json:",omitempty"`
	PrevSeen    time.Time `json:",omitzero"`
	// LogSize and LogRoot are of the checkpoint that covers it, where known: "log 1234 · 1a2b3c4d".
	LogSize int64  `json:",omitempty"`
	LogRoot string `json:",omitempty"`
	// Mention is the group to ping, empty for none.
	Mention string `json:",omitempty"`
	// Coincident names other providers of this team with overlapping incidents in the same place.
	Coincident []string `json:",omitempty"`
	// Because says why the reader gets it when it is not the stack: "subscribed to livekit by @ana".
	Because string `json:",omitempty"`
	// Sample marks previews and tests.
	Sample bool `json:",omitempty"`
	// Announcement is set on messages that are not about an incident: operator notes, unreadable sources, digests,
	// collecting roots. All fields about the incident are then empty.
	Announcement *Announcement `json:",omitempty"`
}

// An Announcement is a short message of ours, with its own lines.
type Announcement struct {
	Title string
	// Lines may hold provider text (titles): hostile.
	Lines []string
	// URL leads to the page with more, empty for none.
	URL string `json:",omitempty"`
	// Good says that trouble has ended.
	Good bool `json:",omitempty"`
}

// A WindowChange is one difference between the windows shown before and now.
type WindowChange struct {
	// Bound is "start", "end" or "window" (a whole window is new or gone).
	Bound string
	// Index is that of the window now, -1 for one that is gone.
	Index int
	// From and To are zero where not known.
	From, To time.Time
	Scope    string
}

// A Part is one message of a delivery: the root (version 1) or a reply.
type Part struct {
	Delivery string
	Version  int
	// MessageID is the platform's, empty until sent; SentAt when.
	MessageID string
	SentAt    time.Time
	// Skipped says why this version has no message of its own (the root edit covers it), empty otherwise.
	Skipped string
	// Repeats counts how often it was sent again blindly, where the platform lets nobody look.
	Repeats int
	Alert   Alert
}

// A Work is what a worker holds while it closes the gap of one delivery.
type Work struct {
	Delivery    Delivery
	Destination Destination
	// Next are the parts after Applied, oldest first; Newest is the part of version Desired.
	Next   []Part
	Newest Part
	// Parent is the collecting delivery, nil without one.
	Parent *Delivery
	// Since is where look-ups of a reconciled delivery begin: the last sign of life in the copy that was restored.
	Since time.Time
}

// A PartMark is what one step of a delivery leaves on one of its parts. Zero fields change nothing.
type PartMark struct {
	Version   int
	MessageID string
	SentAt    time.Time
	Skipped   string
	// Repeated counts one more blind repeat.
	Repeated bool
}

// A Hold is one line of the ledger: what was not sent to whom, and why.
type Hold struct {
	ID                          int64
	Destination, Team, Incident string
	Kind                        ChangeKind
	Reason                      HoldReason
	Text                        string
	At                          time.Time
}

// A SharedHold is one line of the ledger for many teams: all whom the provider concerns and who were neither told nor have a line of
// their own. It is read as a Hold for each of their channels.
type SharedHold struct {
	// Provider is the slug under which stacks know the provider; Incident the key, with an empty id for the source as a whole.
	Provider, Incident string
	Kind               ChangeKind
	// Reason is empty where it differs from team to team: then it is found when the line is read.
	Reason HoldReason
	Text   string
	At     time.Time
}
