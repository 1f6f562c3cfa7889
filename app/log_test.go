package app_test

import (
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"downwind"
	"downwind/app"
	"downwind/app/demo"
	"downwind/config"
	"downwind/proof"
	"downwind/store/storetest"
)

// archiver is the assembled program on the demo's page, whose own clock can stand still while the program's goes on.
type archiver struct {
	t           *testing.T
	clock, page *downwind.ManualClock
	app         *app.App
}

func newArchiver(t *testing.T, url string, change func(*config.Config)) *archiver {
	t.Helper()
	a := &archiver{t: t, clock: downwind.NewManualClock(demo.Start), page: downwind.NewManualClock(demo.Start)}
	page := &demo.Page{Clock: a.page}
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	page.URL = server.URL
	cfg := config.Default()
	cfg.Dir = t.TempDir()
	cfg.Server.BaseURL = "https://downwind.example"
	cfg.Poll.Private = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	cfg.Store.URL = url
	if change != nil {
		change(cfg)
	}
	var err error
	// No team depends on the page, and its own interval spares it the long one, which would leave the minute of a reading
	// to the schedule's jitter.
	nimbus := downwind.Provider{
		Slug: demo.Slug, Name: "Nimbus Relay", StatusURL: server.URL, Platform: "statuspage", Interval: time.Minute, Verified: true,
	}
	a.app, err = app.New(t.Context(), app.Options{
		Config: cfg, DataDir: t.TempDir(), Clock: a.clock, Logger: slog.New(slog.DiscardHandler), Version: "test", Only: []string{demo.Slug},
		Providers: []downwind.Provider{nimbus},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// until advances the program's clock in steps of half a minute, doing what is due at each; follow moves the page's too.
func (a *archiver) until(at time.Time, follow bool) {
	a.t.Helper()
	for a.clock.Now().Before(at) {
		a.clock.Set(a.clock.Now().Add(min(30*time.Second, at.Sub(a.clock.Now()))))
		if follow {
			a.page.Set(a.clock.Now())
		}
		if _, err := a.app.Step(a.t.Context()); err != nil {
			a.t.Fatal(err)
		}
	}
}

// databases runs a test on both.
func databases(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "") })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.PostgresURL(t)) })
}

// TestBothEndsOfAChangeAreBounded: an incident that stands unchanged for three hours gets a leaf each hour, and the
// bundle of the version after proves when the old one was still seen.
func TestBothEndsOfAChangeAreBounded(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		a := newArchiver(t, url, nil)
		a.until(hour(14, 35), true)
		a.until(hour(17, 40), false) // the page says the same all the time
		a.page.Set(hour(14, 45))
		a.until(hour(17, 45), false)
		list, err := a.app.Store().Versions(ctx, demo.Slug, "nr7k4euapi503")
		if err != nil || len(list) != 2 {
			t.Fatalf("%d versions, %v", len(list), err)
		}
		size, err := proof.Size(ctx, a.app.Store().Log())
		if err != nil {
			t.Fatal(err)
		}
		last := list[0].SeenAt
		var seen []time.Time
		err = proof.Leaves(ctx, a.app.Store().Log(), 0, size, func(_ int64, b []byte) error {
			l, err := proof.ParseLeaf(b)
			if err != nil || l.Kind != proof.KindSeen {
				return err
			}
			at, err := time.Parse(time.RFC3339Nano, l.SeenAt)
			if l.State != list[0].Hash || at.Sub(last) > time.Hour {
				t.Errorf("leaf of %s with state %s, %v after the one before", l.SeenAt, l.State, at.Sub(last))
			}
			last, seen = at, append(seen, at)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != 3 || list[1].SeenAt.Sub(last) > time.Hour {
			t.Errorf("seen unchanged at %v, the change at %v", seen, list[1].SeenAt)
		}
		for i, v := range list {
			data, err := a.app.Bundle(ctx, v.ID, true)
			if err != nil {
				t.Fatal(err)
			}
			r := proof.VerifyBundle(data, proof.Policy{})
			b, err := proof.DecodeBundle(data)
			if err != nil || r.Verdict != proof.Valid || len(b.Earlier) != i {
				t.Errorf("version %d: %v, %d earlier entries: %+v", v.Number, r.Verdict, len(b.Earlier), r.Findings)
			}
			if i == 1 {
				if l, err := proof.ParseLeaf([]byte(b.Earlier[0].Leaf)); err != nil || l.Kind != proof.KindSeen {
					t.Errorf("the entry before is %+v, %v", l, err)
				}
			}
		}
	})
}
