package downwind

import "time"

// A Window is a period in which requests may have failed, by the provider's words or, labelled, by its page clock. Times are UTC.
type Window struct {
	// Start is zero where only an end is stated; End is zero while the window is open.
	Start, End time.Time
	// Scope is the region or product the window is about, in the provider's words; empty: all of the incident.
	Scope string
	// Approx says that a bound is approximate.
	Approx bool
	// Source is "prose" or "page".
	Source string
	// Text is the evidence: the span of the provider's text, verbatim.
	Text string
	// StartFrom is the text that an inherited start comes from, empty when it stands in Text.
	StartFrom string
	// Update is the id of the update that states it, empty for page clocks.
	Update string
}

// Sources of a window.
const (
	FromProse = "prose"
	FromPage  = "page"
)

// A Period is a stretch of time in UTC; a zero Start or End is open.
type Period struct{ Start, End time.Time }

// Category is a kind of trouble that calls for its own advice.
type Category string

// The thirteen categories, in the order of the advice table.
const (
	CategoryAPIErrors   Category = "api-errors"
	CategoryLatency     Category = "latency"
	CategorySessions    Category = "sessions"
	CategoryCalls       Category = "calls"
	CategoryRecordings  Category = "recordings"
	CategoryWebhooks    Category = "webhooks"
	CategoryAuth        Category = "auth"
	CategoryData        Category = "data"
	CategoryDashboard   Category = "dashboard"
	CategoryDNS         Category = "dns"
	CategoryBuilds      Category = "builds"
	CategoryUpstream    Category = "upstream"
	CategoryMaintenance Category = "maintenance"
)

// An Action is one thing to do, an imperative sentence.
type Action struct {
	Text string `json:"text"`
	// Source is "provider" for the provider's own instruction, "downwind" for ours.
	Source string `json:"source"`
}

// Guidance is what the posts of an incident mean: when it really was and what to do ("downwind.explain/v1").
type Guidance struct {
	Phase   Phase
	Windows []Window
	// Replay is the envelope of the windows as stated, nil where no impact period is stated.
	Replay *Period
	// Padded is the period to paste: padded by precision, open ends filled; nil where Replay is and no fallback stands.
	Padded *Period
	// Paste are the periods to paste one by one, earliest first: each window padded as Padded is, those that touch joined. It holds
	// one period, Padded, unless healthy time lies between the windows; nil where Padded is.
	Paste []Period
	// PageGuess is the labelled guess from page times with a margin, set only where the prose states nothing.
	PageGuess  *Period
	Regions    []string
	Components []string
	Categories []Category
	Actions    []Action
	// NoneNeeded says that the provider's words ask for nothing.
	NoneNeeded bool
	// Conflicts are contradictions in the provider's words or between words and clocks, one sentence each.
	Conflicts []string
	// Advice is ours for category and phase, ordered by cost: region, retry, degrade, fail over, replay. One imperative sentence each.
	Advice []string
	// Checklist is what to do once it is over, per integration kind.
	Checklist []string
	// DataLoss is "none claimed", "possible", "yes" or empty.
	DataLoss string
	// Delayed are effects that outlive the window (webhooks in a burst, backfills), in the provider's words.
	Delayed []string
	// Superseded are windows that earlier posts stated and a later one replaced.
	Superseded []Window
	// Yours are the indexes in Windows of those that the team has to replay. It is set by guidance.ForTeam; nil: not judged,
	// empty: judged, and there is nothing for the team.
	Yours []int
}

// ToPaste returns Paste; Padded alone for a reading kept before Paste was, nil where neither stands.
func (g *Guidance) ToPaste() []Period {
	if len(g.Paste) == 0 && g.Padded != nil {
		return []Period{*g.Padded}
	}
	return g.Paste
}
