package downwind

// Verdict is the answer to "does this incident hit us".
type Verdict string

// The verdicts of relevance; possible means one question stays open that the files cannot answer.
const (
	AffectedSure     Verdict = "sure"
	AffectedLikely   Verdict = "likely"
	AffectedPossible Verdict = "possible"
	NotAffected      Verdict = "no"
)

// Urgency says what suffers.
type Urgency string

// What suffers: what runs, what is built and deployed, consoles only, nothing.
const (
	UrgencyRuntime   Urgency = "runtime"
	UrgencyBuild     Urgency = "build"
	UrgencyDashboard Urgency = "dashboard"
	UrgencyNone      Urgency = "none"
)

// HoldReason is why nothing is sent, as the ledger keeps it.
type HoldReason string

// The reasons of the ledger.
const (
	HeldProvider     HoldReason = "provider"     // the stack does not use the provider
	HeldProduct      HoldReason = "product"      // the files do not use the product named
	HeldRegion       HoldReason = "region"       // the incident names other regions than the files
	HeldSelfHosted   HoldReason = "self_hosted"  // the files run their own server
	HeldTypeOnly     HoldReason = "type_only"    // types, mocks or emulators only
	HeldTransitive   HoldReason = "transitive"   // only somebody else's dependency
	HeldVendored     HoldReason = "vendored"     // the registry is not asked: vendored or offline
	HeldDashboard    HoldReason = "dashboard"    // consoles only, left to the digest
	HeldFirstPoll    HoldReason = "first_poll"   // history taken in without messages
	HeldNothing      HoldReason = "nothing"      // nothing happened that concerns a reader
	HeldSeverity     HoldReason = "severity"     // below the subscription's minimum
	HeldKinds        HoldReason = "kinds"        // a kind the subscription leaves out
	HeldFilter       HoldReason = "filter"       // region or component filter of the subscription
	HeldMuted        HoldReason = "muted"        // muted by a person, with an end
	HeldQuiet        HoldReason = "quiet"        // quiet hours; goes into the digest
	HeldRule         HoldReason = "rule"         // a person's "not us"
	HeldUntold       HoldReason = "untold"       // the incident was never told here, so its end is not either
	HeldInconsequent HoldReason = "inconsequent" // an edit that changes no window, component or severity
	HeldJoined       HoldReason = "joined"       // told as a reply of a collecting message
	HeldFlicker      HoldReason = "flicker"      // machine-made signal awaiting confirmation
	HeldFlap         HoldReason = "flap"         // the same incident opens and closes again and again
	HeldDigest       HoldReason = "digest"       // the destination wants digests
)

// A Reason is one argument of a verdict: the line of the stack and the words of the incident that met, or did not.
type Reason struct {
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Match string `json:"match,omitempty"`
	// Words are the incident's that decided: a component, a region, a phrase.
	Words string `json:"words,omitempty"`
	// Text is the argument as a short sentence for people.
	Text string `json:"text,omitempty"`
}

// A Match is the judgement of one incident against one stack.
type Match struct {
	Incident string
	Provider string
	Affected bool
	// Verdict is sure, likely or possible when affected, else no.
	Verdict Verdict
	// Components are names from the incident's list (or its words) that this stack uses; Regions those in which it is hit.
	Components, Regions []string
	// UsedOf counts how many of the incident's components the stack uses, and how many there are.
	Used, Of int
	Urgency  Urgency
	Why      []Reason
	// WhyNot and Held say why the answer is no; Held is empty when affected.
	WhyNot string
	Held   HoldReason
	// OpenQuestion names what the files leave open: "region", "product", "zone", "model", …; empty when nothing.
	OpenQuestion string
}
