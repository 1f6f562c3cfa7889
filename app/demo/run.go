package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"downwind"
	"downwind/app"
	"downwind/config"
	"downwind/web"
)

// Options say how to play.
type Options struct {
	// Listen is the address of the pages; its port is changed to a free one when it is taken.
	Listen string
	// Speed is how many seconds of the story pass in one of ours; pauses over MaxPause are cut short.
	Speed    float64
	MaxPause time.Duration
	// Once ends after the story; otherwise the pages stay up until the context ends.
	Once bool
	// Keep leaves database and proofs in this folder; empty: everything goes with the end.
	Keep    string
	Out     io.Writer
	Color   *bool
	Version string
	Logger  *slog.Logger
	// Wait pauses in real time; nil: a timer.
	Wait func(ctx context.Context, d time.Duration)
}

// Signatures teach the stack reader the invented provider's package and hosts.
const Signatures = "npm\t@nimbusrelay/sdk\t" + Slug + "\tMessage API\thosted\n" +
	"pypi\tnimbusrelay\t" + Slug + "\tMessage API\thosted\n" +
	"domain\teu-west.api.nimbusrelay.example\t" + Slug + "\tMessage API\thosted\teu-west\n" +
	"domain\tus-east.api.nimbusrelay.example\t" + Slug + "\tMessage API\thosted\tus-east\n"

// Run plays the outage: page, daemon, alerts.
func Run(ctx context.Context, o Options) (err error) {
	if o.Wait == nil {
		o.Wait = func(ctx context.Context, d time.Duration) {
			select {
			case <-ctx.Done():
			case <-time.After(d):
			}
		}
	}
	dir := o.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "downwind-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s, err := open(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.play(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		return s.summary(context.WithoutCancel(ctx))
	}
	if o.Keep != "" {
		if err := s.keep(ctx); err != nil {
			return err
		}
	}
	if !o.Once {
		fmt.Fprintf(o.Out, "\nThe story is over; the pages stay up at %s (Ctrl-C ends).\n", s.url)
		<-ctx.Done()
	}
	return s.summary(context.WithoutCancel(ctx))
}

// A stage is the running demo.
type stage struct {
	o     Options
	clock *downwind.ManualClock
	app   *app.App
	page  *http.Server
	pages *http.Server
	url   string
	dir   string
}

func open(ctx context.Context, o Options, dir string) (*stage, error) {
	s := &stage{o: o, clock: downwind.NewManualClock(Start), dir: dir}
	status := &Page{Clock: s.clock}
	pageURL, page, err := serve(ctx, "127.0.0.1:0", status)
	if err != nil {
		return nil, err
	}
	status.URL, s.page = pageURL, page
	l, err := listen(ctx, o.Listen)
	if err != nil {
		return nil, errors.Join(err, s.page.Close())
	}
	cfg, err := s.config(l.Addr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close(), s.page.Close())
	}
	s.app, err = app.New(ctx, app.Options{
		Config: cfg, DataDir: dir, Clock: s.clock, Logger: o.Logger, Console: o.Out, Color: o.Color, Version: o.Version,
		Providers: []downwind.Provider{{
			Slug: Slug, Name: "Nimbus Relay", Homepage: "nimbusrelay.example", StatusURL: pageURL, Platform: "statuspage", Verified: true,
			Regions: []string{"EU West", "US East"},
		}},
		Signatures: Signatures, Only: []string{Slug},
	})
	if err != nil {
		return nil, errors.Join(err, l.Close(), s.page.Close())
	}
	s.pages = web.HTTPServer("", s.app.Handler(), nil)
	go func() { _ = s.pages.Serve(l) }() // ends with Close; nothing else can end it
	s.url = "http://" + l.Addr().String()
	return s, nil
}

// listen opens the wanted address, or a free port beside it.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err == nil {
		return l, nil
	}
	host, _, splitErr := net.SplitHostPort(addr)
	if splitErr != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, splitErr)
	}
	return lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

func serve(ctx context.Context, addr string, h http.Handler) (string, *http.Server, error) {
	l, err := listen(ctx, addr)
	if err != nil {
		return "", nil, err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends with Close; nothing else can end it
	return "http://" + l.Addr().String(), srv, nil
}

// config writes the teams' files and makes the configuration of the demo.
func (s *stage) config(listen string) (*config.Config, error) {
	cfg := config.Default()
	cfg.Dir = s.dir
	cfg.Server.Listen = listen
	cfg.Poll.Private = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, name := range sortedTeams() {
		folder := filepath.Join(s.dir, "stacks", config.TeamID(name))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		for file, text := range Stacks[name] {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
				return nil, err
			}
		}
		cfg.Team = append(cfg.Team, config.Team{Name: name, Stack: []string{folder}, Console: true})
	}
	return cfg, nil
}

func sortedTeams() []string {
	var names []string
	for n := range Stacks {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// seenAfter is how long after a post the demo's poll meets it.
const seenAfter = 25 * time.Second

// play goes from moment to moment: wait, let the page change, poll, deliver.
func (s *stage) play(ctx context.Context) error {
	fmt.Fprintf(s.o.Out, "Downwind demo: an invented provider has an invented outage. Pages: %s\n", s.url)
	fmt.Fprintf(s.o.Out, "Two teams use it: Checkout in EU West, Growth in US East. What follows is what their channels would show.\n\n")
	if err := s.step(ctx); err != nil {
		return err
	}
	for _, at := range Moments() {
		pause := time.Duration(float64(at.Sub(s.clock.Now())) / s.o.Speed)
		if s.o.MaxPause > 0 {
			pause = min(pause, s.o.MaxPause)
		}
		s.o.Wait(ctx, pause)
		if ctx.Err() != nil {
			return nil
		}
		// A daemon polls all along; the demo polls once shortly before the change, so that "last seen unchanged" is true.
		for _, t := range []time.Time{at.Add(-20 * time.Second), at.Add(seenAfter), at.Add(seenAfter + 30*time.Second)} {
			s.clock.Set(t)
			if err := s.step(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *stage) step(ctx context.Context) error {
	_, err := s.app.Step(ctx)
	return err
}

// keep writes one proof bundle per archived version beside the database.
func (s *stage) keep(ctx context.Context) error {
	records, err := s.app.Store().Incidents(ctx, downwind.IncidentFilter{Provider: Slug})
	if err != nil {
		return err
	}
	n := 0
	for _, r := range records {
		versions, err := s.app.Store().Versions(ctx, Slug, r.Incident.ID)
		if err != nil {
			return err
		}
		for _, v := range versions {
			b, err := s.app.Bundle(ctx, v.ID, true)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("%s-%s-v%d.dwproof", Slug, r.Incident.ID, v.Number)
			if err := os.WriteFile(filepath.Join(s.dir, name), b, 0o644); err != nil {
				return err
			}
			n++
		}
	}
	fmt.Fprintf(s.o.Out, "\nKept: database and %d proof bundles in %s; check them with `downwind verify %s`.\n", n, s.dir, s.dir)
	return nil
}

// summary says what was told to whom, on one last line.
func (s *stage) summary(ctx context.Context) error {
	var parts []string
	for _, name := range sortedTeams() {
		id := config.TeamID(name)
		deliveries, err := s.app.Store().Deliveries(ctx, downwind.DeliveryFilter{Team: id})
		if err != nil {
			return err
		}
		roots, replies := 0, 0
		for _, d := range deliveries {
			ps, err := s.app.Store().Parts(ctx, d.ID)
			if err != nil {
				return err
			}
			for _, p := range ps {
				switch {
				case p.Skipped != "":
				case p.Version == 1:
					roots++
				default:
					replies++
				}
			}
		}
		holds, err := s.app.Store().Holds(ctx, downwind.HoldFilter{Team: id})
		if err != nil {
			return err
		}
		parts = append(parts, fmt.Sprintf("%s: %s with %s, %d held%s", name, count(roots, "alert"), count(replies, "update"), len(holds), reasons(holds)))
	}
	_, err := fmt.Fprintf(s.o.Out, "\nalerted: %s\n", strings.Join(parts, "; "))
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reasons lists why things were held.
func reasons(holds []downwind.Hold) string {
	var list []string
	for _, h := range holds {
		if !slices.Contains(list, string(h.Reason)) {
			list = append(list, string(h.Reason))
		}
	}
	if len(list) == 0 {
		return ""
	}
	sort.Strings(list)
	return " (" + strings.Join(list, ", ") + ")"
}

func (s *stage) close() error {
	return errors.Join(s.pages.Close(), s.page.Close(), s.app.Close())
}
