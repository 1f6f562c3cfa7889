package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/sync/errgroup"

	"downwind/web"
)

// Run serves until the context ends: pages, polling, deliveries, chat. Intake stops first, work in hand is finished within
// ten seconds, the store is closed by Close. It returns nil when the context ended, else what went wrong.
func (a *App) Run(ctx context.Context) error {
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	a.addr = listener.Addr()
	srv := web.HTTPServer(a.cfg.Server.Listen, a.web, a.log)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve pages: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		return srv.Shutdown(end)
	})
	jobs := map[string]func(context.Context) error{
		"poll": a.poller.Run, "deliver": a.engine.Run, "stacks": a.watchStacks, "jobs": a.runJobs, "profiles": a.profiles,
		"attest": a.runAttest,
	}
	for _, e := range a.edges {
		jobs["chat "+e.name] = func(ctx context.Context) error { return a.connect(ctx, e) }
	}
	for name, job := range jobs {
		group.Go(func() error {
			if err := job(ctx); err != nil && ctx.Err() == nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	close(a.ready)
	a.log.Info("ready", "pages", a.scheme()+"://"+a.addr.String(), "sources", len(a.catalog.All()))
	return group.Wait()
}

// listen opens the pages' address, with TLS where the configuration asks for it.
func (a *App) listen(ctx context.Context) (net.Listener, error) {
	s := a.cfg.Server
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (server.listen): %w", s.Listen, err)
	}
	switch {
	case s.TLSCert != "":
		cert, err := tls.LoadX509KeyPair(a.cfg.Path(s.TLSCert), a.cfg.Path(s.TLSKey))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("server.tls_cert: %w", err), l.Close())
		}
		return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}), nil
	case len(s.ACMEDomains) > 0:
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(s.ACMEDomains...), Cache: autocert.DirCache(a.dataPath("acme"))}
		return tls.NewListener(l, m.TLSConfig()), nil
	}
	return l, nil
}

// profiles serves pprof on its own loopback address when configured.
func (a *App) profiles(ctx context.Context) error {
	if a.cfg.Server.Pprof == "" {
		<-ctx.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	srv := &http.Server{Addr: a.cfg.Server.Pprof, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // profiles end with the daemon; nothing is lost
	defer stop()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("server.pprof: %w", err)
	}
	return nil
}

// Step does, without waiting, all that is due at the clock's present time: polls, then deliveries, until nothing is left.
// It returns when the next thing is due, zero for never.
func (a *App) Step(ctx context.Context) (next time.Time, err error) {
	for {
		did, due, err := a.poller.Step(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if err := a.engine.Drain(ctx); err != nil {
			return time.Time{}, err
		}
		if err := a.jobsOnce(ctx); err != nil {
			return time.Time{}, err
		}
		if did == 0 {
			return due, nil
		}
	}
}

// PollNow reads one source at once, whatever its schedule, and delivers what that brings as far as it can go out now.
func (a *App) PollNow(ctx context.Context, provider string) error {
	if err := a.poller.PollOnce(ctx, provider); err != nil {
		return err
	}
	return a.engine.Drain(ctx)
}

// Deliver does, without waiting, the deliveries that can go out now, and tells when the next one can (zero: none waits).
func (a *App) Deliver(ctx context.Context) (next time.Time, err error) {
	if err := a.engine.Drain(ctx); err != nil {
		return time.Time{}, err
	}
	return a.engine.Next(ctx)
}
