// Package app puts the program together: the only package that sees everything.
//
// New opens the store and wires sources, planner, deliveries, chat and pages; Run serves until its context ends; Step
// does, without waiting, whatever is due at the clock's present time, for the demo and the tests that set the clock.
package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"downwind"
	"downwind/catalog"
	"downwind/chat"
	"downwind/config"
	"downwind/deliver"
	"downwind/feeds"
	feedsall "downwind/feeds/all"
	"downwind/match"
	"downwind/notify"
	"downwind/plan"
	"downwind/proof"
	"downwind/stackparse"
	stackall "downwind/stackparse/all"
	"downwind/store"
	"downwind/web"
)

// Options say what to run. Config is needed, the rest has defaults.
type Options struct {
	Config *config.Config
	// DataDir holds the database and keys when the configuration names none.
	DataDir string
	// Clock tells the time; nil: the wall.
	Clock downwind.Clock
	// Logger gets what operators read; nil: silence.
	Logger *slog.Logger
	// Console gets the alerts of teams with console = true, drawn as Slack would show them; nil: standard output.
	Console io.Writer
	// Color paints the console's alerts; nil: on a terminal.
	Color *bool
	// Version is the program's own, for the user agent and the pages.
	Version string
	// Providers are added to the catalogue (the demo's invented one).
	Providers []downwind.Provider
	// Signatures is a further overlay of signatures, as TSV text.
	Signatures string
	// Only limits the sources to these providers; nil: the whole catalogue.
	Only []string
}

// An App is the assembled program.
type App struct {
	cfg     *config.Config
	opts    Options
	clock   downwind.Clock
	log     *slog.Logger
	catalog *liveCatalog
	db      *store.DB
	fetcher *feeds.Fetcher
	poller  *feeds.Poller
	adapter []feeds.Adapter
	planner *plan.Planner
	judge   *match.Judge
	teams   members
	stacks  *stackparse.Reader
	engine  *deliver.Engine
	notes   map[string]notify.Notifier
	chat    *chat.Handler
	edges   []edge
	web     *web.Server
	metrics *metrics
	stamps  fileStamps
	logKey  proof.Key
	ready   chan struct{}
	addr    net.Addr
}

// New opens the store and wires everything; nothing runs yet. Close frees what it opened.
func New(ctx context.Context, opts Options) (*App, error) {
	a := &App{cfg: opts.Config, opts: opts, clock: opts.Clock, log: opts.Logger, ready: make(chan struct{})}
	if a.clock == nil {
		a.clock = downwind.Wall{}
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.opts.Console == nil {
		a.opts.Console = os.Stdout
	}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"catalogue", a.openCatalog},
		{"log", a.openLog},
		{"store", a.openStore},
		{"checkpoints", a.goOn},
		{"sources", a.openSources},
		{"teams", a.openTeams},
		{"index of teams", a.indexTeams},
		{"deliveries", a.openDeliveries},
		{"chat", a.openChat},
		{"pages", a.openWeb},
	} {
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", step.what, err), a.Close())
		}
	}
	return a, nil
}

func (a *App) openCatalog(context.Context) error {
	c, err := catalog.Load()
	if err != nil {
		return err
	}
	if path := a.cfg.Catalog.Overlay; path != "" {
		if c, err = c.Overlay(a.cfg.Path(path)); err != nil {
			return err
		}
	}
	if c, err = c.With(a.opts.Providers...); err != nil {
		return err
	}
	var own []downwind.Provider
	for _, p := range a.cfg.Provider {
		own = append(own, overlay(c, p.Provider()))
	}
	if len(own) > 0 {
		if c, err = c.With(own...); err != nil {
			return err
		}
	}
	a.catalog = &liveCatalog{}
	a.catalog.p.Store(c)
	if a.judge, err = match.Default(); err != nil {
		return err
	}
	a.planner, a.teams.index = plan.New(a.judge, plan.Options{}), match.NewIndex(a.judge)
	return a.openStacks()
}

// overlay lays what the configuration says of a provider over the catalogue's entry.
func overlay(c *catalog.Catalog, p downwind.Provider) downwind.Provider {
	base, ok := c.Provider(p.Slug)
	if !ok {
		if p.Name == "" {
			p.Name = p.Slug
		}
		return p
	}
	if p.Name != "" {
		base.Name = p.Name
	}
	if p.StatusURL != "" {
		base.StatusURL, base.Platform, base.Unsupported = p.StatusURL, p.Platform, ""
	}
	if p.Platform != "" {
		base.Platform = p.Platform
	}
	if p.Interval > 0 {
		base.Interval = p.Interval
	}
	return base
}

// openStacks makes the reader of stack files with the signatures of the catalogue and the overlays.
func (a *App) openStacks() error {
	var overlays []io.Reader
	if path := a.cfg.Catalog.Signatures; path != "" {
		text, err := os.ReadFile(a.cfg.Path(path))
		if err != nil {
			return fmt.Errorf("signatures: %w", err)
		}
		overlays = append(overlays, bytes.NewReader(text))
	}
	if a.opts.Signatures != "" {
		overlays = append(overlays, strings.NewReader(a.opts.Signatures))
	}
	signatures, err := catalog.NewSignatures(overlays...)
	if err != nil {
		return err
	}
	a.stacks = stackparse.New(stackparse.Options{Signatures: signatures, Names: a.providerName, Parsers: stackall.Parsers()})
	return nil
}

// providerName is the display name of a provider, its slug where the catalogue does not have it.
func (a *App) providerName(slug string) string {
	if p, ok := a.catalog.Provider(slug); ok {
		return p.Name
	}
	return slug
}

func (a *App) openStore(ctx context.Context) error {
	sealer, err := a.openSealer()
	if err != nil {
		return err
	}
	a.db, err = store.Open(ctx, store.Options{URL: DatabaseURL(a.cfg, a.opts.DataDir), Clock: a.clock, Logger: a.log, Sealer: sealer, Leaves: store.LeafOf, Reasons: a.reason})
	return err
}

func (a *App) openSources(context.Context) error {
	a.adapter = feedsall.Adapters()
	agent := "downwind/" + a.opts.Version
	if a.cfg.Poll.Contact != "" {
		agent += " (+" + a.cfg.Poll.Contact + ")"
	}
	if i := a.cfg.Poll.Interval.Duration; i < config.Polite {
		a.log.Warn("sources are asked more often than is polite; do this with your own pages only", "interval", i)
	}
	a.metrics = newMetrics(a)
	a.fetcher = feeds.NewFetcher(feeds.FetcherOptions{UserAgent: agent, AllowPrivate: a.cfg.Poll.Private, Clock: a.clock})
	a.poller = feeds.NewPoller(feeds.PollerOptions{
		Store: a.db, Fetcher: a.fetcher, Adapters: a.adapter, Sink: a.observe, Clock: a.clock, Logger: a.log,
		Interval: a.cfg.Poll.Interval.Duration, HotInterval: a.cfg.Poll.HotInterval.Duration, Observe: a.metrics.polled,
	})
	return nil
}

// Close frees what New opened; it may be called twice.
func (a *App) Close() error {
	if a.db == nil {
		return nil
	}
	err := a.db.Close()
	a.db = nil
	return err
}

// Handler serves the pages, feeds and API.
func (a *App) Handler() http.Handler { return a.web }

// Ready is closed once the listener is open and everything runs.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Addr is where the pages answer; only after Ready.
func (a *App) Addr() net.Addr { return a.addr }

// Store gives the demo and the tests a look at what is kept.
func (a *App) Store() *store.DB { return a.db }

// baseURL is the address of our pages, without a slash at the end.
func (a *App) baseURL() string {
	if a.cfg.Server.BaseURL != "" {
		return strings.TrimRight(a.cfg.Server.BaseURL, "/")
	}
	return a.scheme() + "://" + a.cfg.Server.Listen
}

// scheme is what the pages are served by.
func (a *App) scheme() string {
	if a.cfg.Server.TLSCert != "" || len(a.cfg.Server.ACMEDomains) > 0 {
		return "https"
	}
	return "http"
}

const shutdownTime = 10 * time.Second

// DatabaseURL is where a daemon with this configuration keeps its data.
func DatabaseURL(cfg *config.Config, dataDir string) string {
	url := cfg.Store.URL
	if url == "" {
		return "sqlite:" + filepath.Join(dataDir, "downwind.db")
	}
	if rest, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return "sqlite:" + cfg.Path(rest)
	}
	return url
}

// dataPath is a path in the data directory.
func (a *App) dataPath(name string) string { return filepath.Join(a.opts.DataDir, name) }

// reachable turns an address to listen on into one to call: all interfaces are reached on loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
