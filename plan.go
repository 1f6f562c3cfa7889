package downwind

import "time"

// A Version is one archived state of an incident: what the provider said, and when we read it. Times are UTC.
type Version struct {
	// ID counts up over all versions of the store; zero before it is stored.
	ID       int64
	Provider string
	// Incident is the incident's own id; Number counts from 1 within it.
	Incident string
	Number   int
	// State is the incident as read.
	State Incident
	// Hash is the SHA-256 of the canonical JSON (RFC 8785) of State, hex.
	Hash string
	// Changes are what made this version.
	Changes []Change
	// Fetch says where the bytes came from.
	Fetch Fetch
	// SeenAt is when it was first read; LastSeen when it was last read unchanged.
	SeenAt, LastSeen time.Time
	// Leaf is its index in the transparency log, -1 where none.
	Leaf int64
}

// Fetch holds the facts of one answer of a source.
type Fetch struct {
	URL          string
	Status       int
	ETag         string
	LastModified string
	// Body is the SHA-256 of the raw body, hex; the store keeps the body under it.
	Body string
	At   time.Time
	// TLSHost is the host name whose certificate was checked, empty for plain HTTP.
	TLSHost string
}

// Archived is what is known of one incident before a new document is read.
type Archived struct {
	State   Incident
	Version Version
	// FirstSeen is when it was first read, UTC; Silent that this was in the first, silent poll.
	FirstSeen time.Time
	Silent    bool
	// Missing counts the readings in a row that should have listed it and did not; two make a withdrawal.
	Missing int
	// Withdrawn is when the withdrawal was told, zero: never.
	Withdrawn time.Time
	// Gone says that it left the window of the source; neither resolved nor withdrawn.
	Gone bool
	// Windows are those that the posts stated at the newest version.
	Windows []Window
	// Unconfirmed says that it is machine-made and mild and waits for a second reading; told only after.
	Unconfirmed bool
}

// Known is what the daemon knew of one provider before a document was read.
type Known struct {
	Provider Provider
	// FirstRead is when the source's history was taken in; zero: this is the first poll.
	FirstRead time.Time
	Incidents map[string]Archived
	// Components are those of the newest document.
	Components []Component
	// Recent are other providers' incidents of the last hours, for coincidence.
	Recent []Incident
	// Told are the ids of those open incidents of which somebody was told.
	Told []string
}

// An Audience is one team with all that decides what it hears of a provider.
type Audience struct {
	Team          Team
	Destinations  []Destination
	Subscriptions []Subscription
	Mutes         []Mute
	// Deliveries are those of this team for the provider's incidents, by delivery id, with the alert of the newest version.
	Deliveries map[string]Told
	// Recent are the roots that this team's destinations got within the last half hour, of all providers.
	Recent []RecentRoot
}

// A RecentRoot is a delivery that began a short while ago, as mass events are counted by.
type RecentRoot struct {
	Delivery, Destination string
	// Provider is "downwind" for announcements, among them collecting roots.
	Provider string
	// Parent is the collecting delivery whose thread carries it, empty for none.
	Parent string
	At     time.Time
}

// Told is a delivery with what it said last.
type Told struct {
	Delivery Delivery
	Last     Alert
	// Collecting is the id of the collecting delivery whose thread carries this one; empty: none.
	Collecting string
}

// A Raise asks for one more version of a delivery to become visible.
type Raise struct {
	// Delivery is the id; the row is made when it does not exist.
	Delivery    string
	Destination string
	Team        string
	Incident    string
	Alert       Alert
	// RootOnly edits the root to the newest state without a reply.
	RootOnly bool
	// Done says that nothing more is expected: the row becomes done once applied.
	Done bool
	// NotBefore delays a delivery that this raise makes (reminders, digests), UTC; zero: at once.
	NotBefore time.Time
	// Parent is the id of a collecting delivery whose thread carries this one's root; empty: its own root.
	Parent string
}

// A FeedItem is one frozen item of the served feeds: it never changes once stored.
type FeedItem struct {
	// ID is the tag URI without the host: "u/{provider}/{incident}/{update}/{rev}".
	ID                         string
	Provider, Incident, Update string
	Kind                       ChangeKind
	Impact                     Impact
	Phase                      Phase
	Title                      string
	// Text is plain text; the first 200 characters stand alone.
	Text string
	// Components and Regions are for filters.
	Components, Regions []string
	// PostedAt is the provider's time; PublishedAt ours, strictly rising, given by the store.
	PostedAt, PublishedAt time.Time
	// Seq counts up over all items; it makes links unique.
	Seq int64
	// Version is the archive's version id.
	Version int64
}

// An OperatorNote is something that concerns the installation itself.
type OperatorNote struct {
	// Key makes a note unique while it stands: "source:livekit:unreadable".
	Key  string
	Text string
	At   time.Time
	// Over closes an earlier note of the same key.
	Over bool
	// Provider is set for notes that subscribers of the provider hear too (a source that cannot be read for long).
	Provider string
}

// A Plan is all that one reading of a source means, to be applied in one transaction.
type Plan struct {
	Provider string
	At       time.Time
	// FirstRead says that this reading took in the history of the source silently.
	FirstRead bool
	// Versions are to be archived, in order. Their ID, Number and Leaf are given by the store.
	Versions []Version
	// Known are the incidents' new bookkeeping (missing, gone, withdrawn, windows), by incident id.
	Known map[string]Archived
	// Seen are ids of incidents read unchanged.
	Seen []string
	// Bodies are raw bodies to keep, by SHA-256 hex.
	Bodies map[string][]byte
	// Components are the page's components now; nil: unknown, keep the old ones.
	Components []Component
	Raises     []Raise
	Holds      []Hold
	// Shared are lines of the ledger for all teams that the plan did not look at, one by one.
	Shared []SharedHold
	// Filed is the number of the newest change of a team that the plan knew of; zero: it looked at all teams itself.
	Filed int64
	Items []FeedItem
	Notes []OperatorNote
	// Hot says that an incident that hits a team is open at this provider.
	Hot bool
	// Confirm asks for the next reading to be compared although its bytes may be the same: something waits for a second look.
	Confirm bool
}
