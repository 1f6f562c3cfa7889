package notify

import (
	"time"

	"downwind"
)

// Tone is how a message looks: it repeats what the words say and never stands alone.
type Tone string

// The tones of chat-and-feeds.md section 6.
const (
	ToneCritical    Tone = "critical"
	ToneMajor       Tone = "major"
	ToneMinor       Tone = "minor"
	ToneMonitoring  Tone = "monitoring"
	ToneResolved    Tone = "resolved"
	ToneMaintenance Tone = "maintenance"
	ToneEdited      Tone = "edited"
)

// A Message is what is to be said, before any platform's markup. Text from providers stays marked as such in its
// Runs until the platform's escaping function has seen it.
type Message struct {
	Tone Tone
	// Title is the header; URL its link.
	Title, URL string
	// Text is the full plain-text form: notifications and screen readers get only this.
	Text string
	// Blocks follow in order.
	Blocks []Block
	// Actions are buttons and links.
	Actions []Action
	// Footer is the small print.
	Footer []Run
	// Broadcast shows a reply in the channel; Silent asks for no notification; Mention is a group or role id to ping.
	Broadcast, Silent bool
	Mention           string
	// Thread is the name of the thread that a root opens, where the platform names threads.
	Thread string
	// Delivery, Incident and Kind go into the platform's metadata.
	Delivery, Incident, Kind string
	// Anchor makes the message's URL unique ("u3").
	Anchor string
	// Location is the team's zone, for places that cannot show the reader's; nil: UTC only.
	Location *time.Location
	// Alert is what the message was composed from, for destinations that programs read; nil for answers in chat.
	Alert *downwind.Alert
}

// BlockKind tells how a block is laid out.
type BlockKind string

// The kinds of blocks.
const (
	BlockText      BlockKind = "text"      // a paragraph
	BlockContext   BlockKind = "context"   // small print
	BlockQuote     BlockKind = "quote"     // the provider's words
	BlockList      BlockKind = "list"      // bullets
	BlockSteps     BlockKind = "steps"     // numbered, imperative
	BlockChecklist BlockKind = "checklist" // boxes to tick
	BlockWindows   BlockKind = "windows"   // replay periods
	BlockDiff      BlockKind = "diff"      // words added and removed
)

// A Block is one part of a message.
type Block struct {
	Kind BlockKind
	// Title is the bold label, empty for none.
	Title string
	// Lines are the paragraphs, bullets or steps.
	Lines [][]Run
	// Weight orders what is dropped first when the message is too long: the highest first; 0 is never dropped.
	Weight int
}

// A Run is a stretch of text with one meaning.
type Run struct {
	Text string
	// Foreign marks provider text: hostile.
	Foreign            bool
	Bold, Code, Strike bool
	// Op marks differences: -1 removed, +1 added.
	Op int
	// At is an instant to show in the reader's local time; Text is its UTC form, shown beside it, or empty where UTC
	// stands nearby anyway.
	At time.Time
	// LocalOnly marks what is of use only where the reader's own zone is shown, and that is not UTC.
	LocalOnly bool
	// Link is an address of ours or of the provider's page (http or https only).
	Link string
}

// An Action is a button. Exactly one of URL and ID is set.
type Action struct {
	Label string
	URL   string
	// ID is "verb:argument" for clicks that come back to us ("ack:…", "mute:…", "notus:…", "done:…", "why:…").
	ID    string
	Style string
}
