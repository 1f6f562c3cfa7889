package downwind

import (
	"strings"
	"time"
	"unicode"
)

// A Provider runs a service that teams depend on.
type Provider struct {
	// Slug is the provider's key everywhere: lower-case letters, digits and hyphens ("google-cloud").
	Slug string
	// Name is the provider's own spelling ("Google Cloud").
	Name string
	// Homepage is the domain of its home page ("cloud.google.com"), empty where unknown.
	Homepage string
	// StatusURL is the address of its status page, empty where the catalogue has none.
	StatusURL string
	// Platform is the kind of status page in the words of the adapters ("statuspage", "incidentio"); empty: detect at first contact.
	Platform string
	// Unsupported says why the page cannot be read; empty where it can.
	Unsupported string
	// Verified says that platform and address are firm; an unverified page is detected at first contact.
	Verified bool
	// Interval overrides how often the source is read; zero: the daemon's own schedule.
	Interval time.Duration
	// Components are those known before the first poll, without state.
	Components []Component
	// Regions are the region codes and names that the provider uses, known before the first poll.
	Regions []string
	// Aliases are other slugs that mean this provider ("gcp").
	Aliases []string
}

// Fold reduces a name to its letters and digits in lower case: two slugs, aliases or
// names are the same when their folds are equal.
func Fold(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// SourceState tells how far the newest document of a source can be trusted.
type SourceState string

// The four states of a source. Only a fresh source without open incidents is healthy.
const (
	SourceFresh      SourceState = "fresh"
	SourceStale      SourceState = "stale"
	SourceUnreadable SourceState = "unreadable"
	SourceMoved      SourceState = "moved"
)

// A Source is one status page that is polled, with what the daemon remembers between polls. All times are UTC.
type Source struct {
	// Provider is the slug of the provider whose page it is.
	Provider string
	// URL is the address that a person typed or the catalogue gives; Endpoint the one that is read.
	URL, Endpoint string
	// Platform is the adapter's word; empty until detected.
	Platform string
	State    SourceState
	// ETag and LastModified are the validators of the newest answer, kept both.
	ETag, LastModified string
	// BodyHash remembers the newest answer: a hash of its body and what the poller adds (see feeds); an equal body is not
	// parsed again.
	BodyHash string
	// LastRead is when the source was last read well; LastTried when it was last asked.
	LastRead, LastTried time.Time
	// NextDue is when it is to be asked next.
	NextDue time.Time
	// Failures counts the failed polls in a row; Error names the newest failure.
	Failures int
	Error    string
	// FirstRead is when its history was taken in silently; zero before the first poll.
	FirstRead time.Time
	// Told says that the long silence of this source has been told to people.
	Told bool
	// Polls counts all polls, so that every n-th can be a plain request.
	Polls int64
	// Hot says that an incident that hits a team is open here; Wanted that at least one team depends on it.
	Hot, Wanted bool
	// Interval is the one the provider's configuration asks for; zero: the schedule's own.
	Interval time.Duration
}
