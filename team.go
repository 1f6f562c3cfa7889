package downwind

import "time"

// Platform of a destination.
const (
	PlatformSlack   = "slack"
	PlatformDiscord = "discord"
	PlatformConsole = "console"
)

// A Team owns a stack, destinations and subscriptions. A channel belongs to one team.
type Team struct {
	// ID is the key in the store and in [[team]] of the configuration: lower-case letters, digits, hyphens.
	ID   string
	Name string
	// Secret is the 128-bit path of the team's feed, hex.
	Secret string
	// Timezone is an IANA name; empty: UTC.
	Timezone string
	// Pinned says that the configuration names the team; chat cannot delete it.
	Pinned bool
	Stack  Stack
	// StackAt is when the stack was last taken in, UTC, and StackBy by whom.
	StackAt time.Time
	StackBy string
	// Rules are people's words on the stack and on relevance.
	Rules []Rule
}

// RuleKind tells what a person said.
type RuleKind string

// What people may say of a stack; it survives the next upload.
const (
	RuleAdd       RuleKind = "add"       // we use this provider
	RuleDrop      RuleKind = "drop"      // we do not
	RuleConfirm   RuleKind = "confirm"   // the guess is right
	RuleRegion    RuleKind = "region"    // we use it in this region ("region? us-east-1")
	RuleComponent RuleKind = "component" // we use this component
	RuleNotUs     RuleKind = "not_us"    // incidents of this provider (and component, region) are not ours
)

// A Rule is one answer that people gave.
type Rule struct {
	ID       int64
	Kind     RuleKind
	Provider string
	// Component and Region narrow the rule; a trailing * is a wildcard; empty: all.
	Component, Region string
	By                string
	At                time.Time
}

// A Destination is one place where messages appear.
type Destination struct {
	// ID is "platform:workspace:channel" ("slack:T01:C012", "discord:99:1234", "console::").
	ID       string
	Platform string
	// Workspace is Slack's team id or Discord's guild id; Channel the channel's id; Name a label for people.
	Workspace, Channel, Name string
	Team                     string
	// Paused says why nothing can be sent; empty when it can. PausedAt is when that began.
	Paused   string
	PausedAt time.Time
	// Operator destinations hear what concerns the installation.
	Operator bool
	// Quiet is "22:00-07:00", empty without; QuietExcept an impact that breaks it.
	Quiet       string
	QuietExcept Impact
	Timezone    string
	// Digest is "daily", "weekly" or empty; DigestAt "08:00".
	Digest, DigestAt string
	// Remind is how long an open incident that nobody acknowledged may go unmentioned here; zero: no reminders.
	Remind time.Duration
}

// RemindLeast and RemindMost bound Destination.Remind.
const (
	RemindLeast = 15 * time.Minute
	RemindMost  = 24 * time.Hour
)

// TargetKind tells what a subscription is to.
type TargetKind string

// The targets of a subscription.
const (
	TargetStack    TargetKind = "stack"
	TargetAll      TargetKind = "all"
	TargetProvider TargetKind = "provider"
)

// A Subscription is a destination's wish to hear of a target.
type Subscription struct {
	ID          int64
	Destination string
	Team        string
	Target      TargetKind
	// Provider is the slug for TargetProvider; Component a glob on component names, empty: all.
	Provider, Component string
	Filter              Filter
	CreatedBy           string
	CreatedAt           time.Time
}

// A Filter narrows a subscription. Zero values are the defaults.
type Filter struct {
	// Min is the least impact told; empty: minor. Unknown counts as minor.
	Min Impact `json:"min,omitempty"`
	// Kinds are new, update, resolved, postmortem, edit, maintenance; empty: the defaults (all, edits only when relevant).
	Kinds []string `json:"kinds,omitempty"`
	// Regions and Components are globs; one must fit when given.
	Regions    []string `json:"regions,omitempty"`
	Components []string `json:"components,omitempty"`
	// OnlyAffected tells only what hits the team's stack; the default for TargetStack.
	OnlyAffected bool `json:"only_affected,omitempty"`
	// NoThread suppresses updates in the thread; the root is edited all the same.
	NoThread bool `json:"no_thread,omitempty"`
	// EndInThread keeps the end of an incident in the thread; the root is edited all the same.
	EndInThread bool `json:"end_in_thread,omitempty"`
	// Mention is a group or role id to ping, from MentionFrom up.
	Mention     string `json:"mention,omitempty"`
	MentionFrom Impact `json:"mention_from,omitempty"`
}

// A Mute silences a target in one destination until it ends by itself.
type Mute struct {
	ID          int64
	Destination string
	// Provider and Incident say what is muted; both empty: everything here.
	Provider, Incident string
	Until              time.Time
	By                 string
}
