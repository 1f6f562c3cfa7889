package chat

import (
	"context"
	"log/slog"
	"time"

	"downwind"
)

// Teams is what the handler needs of teams, their channels and stacks. Methods answer downwind.ErrNotFound where nothing is.
type Teams interface {
	// TeamForChannel returns the team and the stored destination of a channel; at first use it makes both.
	TeamForChannel(ctx context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error)
	SaveStack(ctx context.Context, team string, s downwind.Stack, by string, at time.Time) error
	AddRule(ctx context.Context, team string, r downwind.Rule) (downwind.Rule, error)
	DeleteRule(ctx context.Context, team string, id int64) error
	// Destinations lists those of a team.
	Destinations(ctx context.Context, team string) ([]downwind.Destination, error)
	SaveDestination(ctx context.Context, d downwind.Destination) error
}

// Subscriptions is what the handler needs of a destination's wishes.
type Subscriptions interface {
	Subscriptions(ctx context.Context, destination string) ([]downwind.Subscription, error)
	// SaveSubscription adds, or replaces the one with the same destination and target.
	SaveSubscription(ctx context.Context, sub downwind.Subscription) (saved downwind.Subscription, existed bool, err error)
	DeleteSubscription(ctx context.Context, destination string, id int64) error
	Mutes(ctx context.Context, destination string) ([]downwind.Mute, error)
	SaveMute(ctx context.Context, m downwind.Mute) (downwind.Mute, error)
	DeleteMute(ctx context.Context, destination string, id int64) error
}

// Archive is what the handler reads of incidents and sources.
type Archive interface {
	Incident(ctx context.Context, provider, id string) (downwind.IncidentRecord, error)
	Incidents(ctx context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error)
	Source(ctx context.Context, provider string) (downwind.Source, error)
	Components(ctx context.Context, provider string) ([]downwind.Component, error)
}

// Ledger is what the handler needs of deliveries.
type Ledger interface {
	Deliveries(ctx context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error)
	// Parts lists the messages of a delivery, oldest first.
	Parts(ctx context.Context, delivery string) ([]downwind.Part, error)
	Holds(ctx context.Context, f downwind.HoldFilter) ([]downwind.Hold, error)
	// DeliveryByMessage finds the delivery that one of its messages belongs to.
	DeliveryByMessage(ctx context.Context, destination, messageID string) (downwind.Delivery, error)
	// Ack notes who has seen it first.
	Ack(ctx context.Context, delivery, by string, at time.Time) error
}

// Temps keeps small values until an instant: requests seen, questions asked.
type Temps interface {
	// PutTemp stores a value; false: there is one already, and it stays.
	PutTemp(ctx context.Context, kind, key string, value []byte, until time.Time) (bool, error)
	// SetTemp stores a value in the place of what is there.
	SetTemp(ctx context.Context, kind, key string, value []byte, until time.Time) error
	// Temp reads a value that has not run out; TakeTemp reads and removes it.
	Temp(ctx context.Context, kind, key string) ([]byte, error)
	TakeTemp(ctx context.Context, kind, key string) ([]byte, error)
}

// Store is all that the handler needs of the store.
type Store interface {
	Teams
	Subscriptions
	Archive
	Ledger
	Temps
}

// Catalogue knows the providers.
type Catalogue interface {
	// Provider finds a slug or alias.
	Provider(slug string) (downwind.Provider, bool)
	// Lookup finds a slug, an alias or a name, compared by letters and digits.
	Lookup(name string) (downwind.Provider, bool)
	// Search lists providers whose slug or name contains the words, best first.
	Search(query string) []downwind.Provider
	// Closest lists slugs whose spelling is near, nearest first.
	Closest(name string, n int) []string
}

// StackReader reads files and domains and keeps names only.
type StackReader interface {
	ReadFiles(ctx context.Context, files map[string][]byte) downwind.Stack
	ReadDomains(ctx context.Context, domains []string) downwind.Stack
}

// Options holds what a Handler works with. Store, Catalogue, Stacks and Clock are required.
type Options struct {
	Store     Store
	Catalogue Catalogue
	Stacks    StackReader
	Clock     downwind.Clock
	Logger    *slog.Logger
	// BaseURL is the address of our own pages and feeds, without a slash at the end; empty: they are not public.
	BaseURL string
	// Detect reads an unknown status page and adds it as a provider; nil: only the catalogue's can be subscribed.
	Detect func(ctx context.Context, url string) (downwind.Provider, error)
	// Catchup tells a destination what is open now, after a new subscription.
	Catchup func(ctx context.Context, destination string) error
	// Judge says whether an incident hits a team.
	Judge func(inc *downwind.Incident, team *downwind.Team) downwind.Match
	// Explain reads an incident's posts.
	Explain func(inc *downwind.Incident) downwind.Guidance
	// CanPost says in a sentence why a destination cannot receive, with the repair; empty: it can.
	CanPost func(ctx context.Context, d downwind.Destination) string
	// Redraw asks for a delivery's root to be drawn anew, after somebody took note of it.
	Redraw func(ctx context.Context, delivery string) error
	// SignIn makes a one-time address of the team's own pages for a person, as "editor" or "admin"; nil or empty: there are none.
	SignIn func(ctx context.Context, team, role, name string) (string, error)
	// Resume lets a destination receive again, after CanPost found nothing against it.
	Resume func(ctx context.Context, destination string) error
	// Remind asks for a message an hour before a maintenance.
	Remind func(ctx context.Context, delivery string) error
	// Preview makes the alert that preview shows, from the newest real incident of the team or a sample; it is marked.
	Preview func(ctx context.Context, team *downwind.Team, kind string) (downwind.Alert, error)
}
