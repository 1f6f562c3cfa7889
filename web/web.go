// Package web is the face for people and programs: pages, served feeds, the JSON API and the operators' endpoints.
//
// Everything is rendered on the server and complete without scripts. Provider text is hostile: it reaches HTML only
// through html/template, XML only through the feed writer, Markdown and calendars only through their escaping functions.
// The package reads the archive through Reader and never writes anything but stacks, subscriptions and settings of
// channels, tokens, sessions and reports of errors. Addresses are those of the command-line contract; the route table in routes.go reads like a contents page.
package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"downwind"
	"downwind/secret"
)

// Reader is what the pages, feeds and the API ask of the store. Errors for what is not there wrap downwind.ErrNotFound.
type Reader interface {
	Sources(ctx context.Context) ([]downwind.Source, error)
	Source(ctx context.Context, provider string) (downwind.Source, error)
	Incident(ctx context.Context, provider, id string) (downwind.IncidentRecord, error)
	Incidents(ctx context.Context, filter downwind.IncidentFilter) ([]downwind.IncidentRecord, error)
	Versions(ctx context.Context, provider, id string) ([]downwind.Version, error)
	Version(ctx context.Context, id int64) (downwind.Version, error)
	Components(ctx context.Context, provider string) ([]downwind.Component, error)
	FeedItems(ctx context.Context, filter downwind.FeedFilter) ([]downwind.FeedItem, error)
	Team(ctx context.Context, id string) (downwind.Team, error)
	Teams(ctx context.Context) ([]downwind.Team, error)
	TeamBySecret(ctx context.Context, secret string) (downwind.Team, error)
	RotateSecret(ctx context.Context, team string) (string, error)
	SaveStack(ctx context.Context, team string, stack downwind.Stack, by string, at time.Time) error
	AddRule(ctx context.Context, team string, r downwind.Rule) (downwind.Rule, error)
	DeleteRule(ctx context.Context, team string, id int64) error
	Destinations(ctx context.Context, team string) ([]downwind.Destination, error)
	Subscriptions(ctx context.Context, destination string) ([]downwind.Subscription, error)
	Deliveries(ctx context.Context, filter downwind.DeliveryFilter) ([]downwind.Delivery, error)
	Parts(ctx context.Context, delivery string) ([]downwind.Part, error)
	Holds(ctx context.Context, filter downwind.HoldFilter) ([]downwind.Hold, error)
	Notes(ctx context.Context) ([]downwind.Note, error)
	Wishes
	Tokens
	Temp
}

// Tokens keeps the API's tokens; only hashes (SHA-256, hex) pass.
type Tokens interface {
	AddToken(ctx context.Context, token downwind.Token) (downwind.Token, error)
	Tokens(ctx context.Context) ([]downwind.Token, error)
	RevokeToken(ctx context.Context, id int64) error
	TokenByHash(ctx context.Context, hash string) (downwind.Token, error)
}

// Temp keeps values that end by themselves, by kind and key: sessions, sign-in links, reports. PutTemp stores only where
// nothing stands and says whether it did; TakeTemp reads and removes in one step, so that of two callers only one gets
// the value.
type Temp interface {
	PutTemp(ctx context.Context, kind, key string, value []byte, until time.Time) (stored bool, err error)
	Temp(ctx context.Context, kind, key string) ([]byte, error)
	TakeTemp(ctx context.Context, kind, key string) ([]byte, error)
}

// Stacks reads uploaded files.
type Stacks interface {
	// ReadFiles reads files by their path in the upload. What cannot be read is told in the diagnostics of its file.
	ReadFiles(ctx context.Context, files map[string][]byte) downwind.Stack
}

// Catalog knows the providers.
type Catalog interface {
	// Provider takes a slug exactly; Lookup also names, aliases and addresses.
	Provider(slug string) (downwind.Provider, bool)
	Lookup(what string) (downwind.Provider, bool)
	// All returns every provider in the order of the slugs.
	All() []downwind.Provider
	// Search returns the providers that fit the words, best first; all when there are none.
	Search(query string) []downwind.Provider
	// Closest returns slugs that may have been meant, nearest first.
	Closest(name string, most int) []string
}

// Options configure the handler. Reader, Catalog, Explain and Clock are needed, the rest has defaults.
type Options struct {
	Reader  Reader
	Stacks  Stacks
	Catalog Catalog
	// Explain reads an archived incident: windows, phase, advice. The use narrows the checklist; nil: for everybody.
	Explain func(rec downwind.IncidentRecord, use *downwind.Use) downwind.Guidance
	// Judge says whether an incident hits what a team runs on, and why, with the team's rules. A stack that nobody has
	// kept yet comes as a team without a name.
	Judge func(inc *downwind.Incident, team *downwind.Team) downwind.Match
	// Diff returns the word-level difference of two texts.
	Diff func(a, b string) []downwind.Span
	// BaseURL is the public address ("https://downwind.example.org"); empty: what each request says of itself.
	BaseURL string
	// PathPrefix is the path under which a reverse proxy shows the pages ("/status"); empty: the path of BaseURL.
	PathPrefix string
	// TrustedProxies are the networks whose X-Forwarded-For, -Proto and -Host are believed; empty: none.
	TrustedProxies []netip.Prefix
	Clock          downwind.Clock
	// Logger gets one line per failed request; nil: silence.
	Logger *slog.Logger
	// Metrics serves /metrics; nil: 404.
	Metrics http.Handler
	// Observe hears of every answered request: the pattern of its route, the status, and the time to the first byte of the
	// answer; nil: nobody does.
	Observe func(route string, status int, took time.Duration)
	// Extra are further routes by http.ServeMux pattern ("/slack/", "POST /hooks/{id}"). They check their callers
	// themselves: neither the same-origin rule nor the limits on posts stand before them.
	Extra map[string]http.Handler
	// Ready says why the daemon cannot serve yet; nil: always ready.
	Ready func() error
	// Public shows pages, feeds and the reading half of the API to everybody; else they ask for a session or a token.
	Public bool
	// HomeTeam is the team whose stack decides what is "yours" where nobody has signed in; for installations on
	// loopback that serve one team. Empty: nobody's.
	HomeTeam string
	// Queue shows operators what waits; nil: there is no such page.
	Queue Queue
	// River makes the job engine's own pages for operators, to be served under the path prefix; nil: they are not shown.
	River func(prefix string) (http.Handler, error)
	// AdminToken is a token with every right over every team; not set: none.
	AdminToken secret.String
	// OIDC lets people sign in with a provider; nil: by links from chat and by tokens only.
	OIDC *OIDC
	// Hub is the address of a WebSub hub, empty without one.
	Hub string
	// Bundle writes the proof bundle (.dwproof) of an archived version; nil: no proofs are offered.
	Bundle func(ctx context.Context, version downwind.Version) ([]byte, error)
	// Verify checks a proof bundle against the installation's own log: the verdict in words, and the report to show as
	// JSON; nil: nothing is verified here.
	Verify func(ctx context.Context, bundle []byte) (result string, report any)
	// AdminsOnly says whether the people of a channel have reserved changes of it to administrators; nil: none have.
	AdminsOnly func(ctx context.Context, destination string) (bool, error)
	// Announce tells a channel in a sentence who changed what about it; nil: nothing is told.
	Announce func(ctx context.Context, d downwind.Destination, sentence string) error
	// Assets replaces the embedded templates and static files and is read at every request, for development.
	Assets fs.FS
	// PostsPerMinute bounds the posts of one address; zero: 30.
	PostsPerMinute int
}

// A Server is the handler of everything under one address.
type Server struct {
	opt     Options
	log     *slog.Logger
	base    *url.URL
	prefix  string
	pages   *pages
	handler http.Handler
	river   http.Handler
	posts   *limiter
	fails   *limiter
	feeds   *feedCache
	newest  newestName
	planned plannedList
	drawn   cardCache
	starts  startCache
	shared  together
	signer  signer
	events  *broadcast
	origin  *http.CrossOriginProtection
}

// New checks the options and builds the handler.
func New(opt Options) (*Server, error) {
	if opt.Reader == nil || opt.Catalog == nil || opt.Explain == nil {
		return nil, errors.New("web: Reader, Catalog and Explain are needed")
	}
	if opt.Clock == nil {
		opt.Clock = downwind.Wall{}
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Judge == nil {
		opt.Judge = func(inc *downwind.Incident, _ *downwind.Team) downwind.Match {
			return downwind.Match{Incident: inc.ID, Provider: inc.Provider, Verdict: downwind.NotAffected}
		}
	}
	if opt.Diff == nil {
		opt.Diff = wholeDiff
	}
	if opt.PostsPerMinute == 0 {
		opt.PostsPerMinute = 30
	}
	if opt.OIDC != nil {
		if err := opt.OIDC.check(); err != nil {
			return nil, err
		}
	}
	s := &Server{opt: opt, log: opt.Logger, feeds: newFeedCache(), events: newBroadcast(), origin: http.NewCrossOriginProtection()}
	s.posts = newLimiter(opt.PostsPerMinute)
	s.fails = newLimiter(10)
	s.shared.flights = map[string]*flight{}
	if opt.BaseURL != "" {
		u, err := url.Parse(opt.BaseURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("web: base address %q is not an http(s) address", opt.BaseURL)
		}
		s.base = u
		if opt.PathPrefix == "" {
			s.opt.PathPrefix = u.Path
		}
		if err := s.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, fmt.Errorf("web: base address: %w", err)
		}
	}
	s.prefix = strings.TrimRight(s.opt.PathPrefix, "/")
	if s.prefix != "" && !strings.HasPrefix(s.prefix, "/") {
		return nil, fmt.Errorf("web: path prefix %q must begin with a slash", opt.PathPrefix)
	}
	var err error
	if s.pages, err = loadPages(opt.Assets, s.prefix, s.now); err != nil {
		return nil, err
	}
	if opt.River != nil {
		if s.river, err = opt.River(s.prefix + riverPath); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Changed wakes those who listen to /api/v1/events and lets feeds look for what is new; call it after a plan was applied.
// Without it they look every five seconds, and after a second.
func (s *Server) Changed() {
	s.newest.drop()
	s.events.wake()
}

// HTTPServer returns a server with the time and size limits that these pages are made for.
func HTTPServer(addr string, h http.Handler, log *slog.Logger) *http.Server {
	srv := &http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
	}
	if log != nil {
		srv.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	}
	return srv
}

func (s *Server) now() time.Time { return s.opt.Clock.Now().UTC() }

func wholeDiff(a, b string) []downwind.Span {
	if a == b {
		return []downwind.Span{{Text: a}}
	}
	return []downwind.Span{{Op: -1, Text: a}, {Op: 1, Text: b}}
}
