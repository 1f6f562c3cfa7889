package downwind

import "time"

// An IncidentFilter selects incidents from the archive. Zero fields select all.
type IncidentFilter struct {
	Provider  string
	Providers []string
	// Open selects incidents that are going on (true) or over (false); nil: both.
	Open *bool
	Kind Kind
	// Since and Until bound the time of first sight.
	Since, Until time.Time
	// Query is matched in titles.
	Query string
	// Before is the cursor: records older than it, newest first; empty: from the newest.
	Before string
	Limit  int
}

// An IncidentRecord is an archived incident with what pages and chat show beside it.
type IncidentRecord struct {
	Incident  Incident
	FirstSeen time.Time
	ChangedAt time.Time
	Withdrawn time.Time
	Versions  int
	// VersionID is the newest version's.
	VersionID int64
	// Cursor continues a listing after this record.
	Cursor string
}

// A DeliveryFilter selects deliveries. Zero fields select all.
type DeliveryFilter struct {
	Team, Destination, Incident string
	State                       DeliveryState
	// Before and BeforeID continue a listing behind the delivery of that id, last changed then; zero: from the newest.
	Before   time.Time
	BeforeID string
	Limit    int
}

// A HoldFilter selects lines of the ledger, newest first.
type HoldFilter struct {
	Team, Destination, Incident string
	Since                       time.Time
	// Before and BeforeID continue a listing behind the line of that id, written then; zero: from the newest.
	Before   time.Time
	BeforeID int64
	Limit    int
}

// A FeedFilter selects served items, newest first.
type FeedFilter struct {
	Providers []string
	Incident  string
	// Kinds are the kinds of changes to list; empty: all but edits.
	Kinds []ChangeKind
	Min   Impact
	// Component and Region are globs, empty: all.
	Component, Region string
	Since             time.Time
	Limit             int
}

// A Token lets a program use the API; only its hash is stored.
type Token struct {
	ID     int64
	Name   string
	Team   string
	Scopes []string
	// Hash is the SHA-256 of the token, hex.
	Hash      string
	CreatedAt time.Time
	LastUsed  time.Time
	Revoked   time.Time
}

// Scopes of a token.
const (
	ScopeStackWrite = "stack:write"
	ScopeRead       = "read"
)

// A Note is an OperatorNote as stored, with when it ended.
type Note struct {
	OperatorNote
	Ended time.Time
}

// A Job is a wake-up in the queue. Jobs carry no state: one that is lost, doubled or cancelled changes nothing that people see,
// because deliveries know themselves what is missing.
type Job struct {
	ID    int64
	Kind  string
	Queue string
	// State is River's word: available, scheduled, running, retryable, completed, cancelled, discarded, pending.
	State                string
	Attempt, MaxAttempts int
	// Deliveries are the ids of what it asks to look at.
	Deliveries []string
	// Error is that of the newest attempt, empty without.
	Error string
	// CreatedAt, DueAt and AttemptedAt are UTC; AttemptedAt is zero before the first attempt.
	CreatedAt, DueAt, AttemptedAt time.Time
}
