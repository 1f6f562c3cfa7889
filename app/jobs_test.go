package app_test

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/app"
	"downwind/app/demo"
	"downwind/config"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

// village is the assembled program on the demo's page with one Slack channel whose team lives in EU West.
type village struct {
	t      *testing.T
	clock  *downwind.ManualClock
	page   *httptest.Server
	slack  *slacktest.Server
	app    *app.App
	broken bool
}

const channel = "C0VILLAGE"

func newVillage(t *testing.T, change func(*config.Config)) *village {
	t.Helper()
	v := &village{t: t, clock: downwind.NewManualClock(demo.Start)}
	page := &demo.Page{Clock: v.clock}
	v.page = httptest.NewServer(breakable{page, &v.broken})
	t.Cleanup(v.page.Close)
	page.URL = v.page.URL
	v.slack = slacktest.New(slacktest.Options{Channels: []slacktest.Channel{{ID: channel, Name: "ops"}, {ID: "C0OPERATOR", Name: "operator"}}, Now: v.clock.Now})
	t.Cleanup(v.slack.Close)
	dir := t.TempDir()
	for name, text := range demo.Stacks["Checkout"] {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	cfg.Dir = dir
	cfg.Server.BaseURL = "https://downwind.example"
	cfg.Poll.Private = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	cfg.Slack.BotToken, cfg.Slack.AppToken, cfg.Slack.APIURL = secret.New(v.slack.Token()), secret.New(v.slack.AppToken()), v.slack.URL()
	cfg.Operator.Slack = "C0OPERATOR"
	cfg.Team = []config.Team{{Name: "Checkout", Stack: []string{"package.json", ".env.example"}, Slack: channel}}
	if change != nil {
		change(cfg)
	}
	var err error
	v.app, err = app.New(t.Context(), app.Options{
		Config: cfg, DataDir: t.TempDir(), Clock: v.clock, Console: io.Discard, Logger: slog.New(slog.DiscardHandler), Version: "test", Only: []string{demo.Slug},
		Signatures: demo.Signatures,
		Providers:  []downwind.Provider{{Slug: demo.Slug, Name: "Nimbus Relay", StatusURL: v.page.URL, Platform: "statuspage", Verified: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.app.Close(); err != nil {
			t.Error(err)
		}
		for _, p := range v.slack.Problems() {
			t.Errorf("the fake complains: %s", p)
		}
	})
	return v
}

// until advances the clock in steps of half a minute, doing what is due at each.
func (v *village) until(at time.Time) {
	v.t.Helper()
	for v.clock.Now().Before(at) {
		v.clock.Set(v.clock.Now().Add(min(30*time.Second, at.Sub(v.clock.Now()))))
		if _, err := v.app.Step(v.t.Context()); err != nil {
			v.t.Fatal(err)
		}
	}
}

func (v *village) texts(channel string) []string {
	var out []string
	for _, m := range v.slack.Messages(channel) {
		out = append(out, m.Visible())
	}
	return out
}

func hour(h, m int) time.Time { return time.Date(2026, 3, 10, h, m, 0, 0, time.UTC) }

func TestQuietHoursEndWithWhatWasHeld(t *testing.T) {
	v := newVillage(t, func(c *config.Config) { c.Team[0].Quiet = "13:00-16:00" })
	v.until(hour(15, 59))
	if got := v.texts(channel); len(got) != 0 {
		t.Fatalf("quiet hours are not quiet: %q", got)
	}
	v.until(hour(16, 2))
	got := v.texts(channel)
	if len(got) != 1 || !strings.Contains(got[0], "quiet hours") || !strings.Contains(got[0], "Elevated message API errors in EU West") {
		t.Errorf("after quiet hours: %q", got)
	}
}

func TestQuietHoursEndWhileItGoesOn(t *testing.T) {
	v := newVillage(t, func(c *config.Config) { c.Team[0].Quiet = "13:00-14:50" })
	v.until(hour(14, 52))
	roots := v.slack.Roots(channel)
	if len(roots) != 1 || !strings.Contains(roots[0].Visible(), "Elevated message API errors") {
		t.Fatalf("after quiet hours: %q", v.texts(channel))
	}
	v.until(hour(15, 45))
	if n := len(v.slack.Roots(channel)); n != 1 {
		t.Errorf("%d roots, want the one that goes on", n)
	}
}

// C003, C050: what happened while a source could not be read is told once, late.
func TestAnUnreadableSourceIsToldOnceAndItsReturnToo(t *testing.T) {
	v := newVillage(t, nil)
	v.until(hour(14, 5))
	v.broken = true
	v.until(hour(14, 12))
	if got := v.texts(channel); len(got) != 0 {
		t.Fatalf("told at the first failures: %q", got)
	}
	v.until(hour(14, 50))
	for _, ch := range []string{channel, "C0OPERATOR"} {
		got := v.texts(ch)
		if len(got) != 1 || !strings.Contains(got[0], "cannot be read since 2026-03-10 14:0") || !strings.Contains(got[0], "unknown, not healthy") {
			t.Errorf("%s: %q", ch, got)
		}
	}
	v.broken = false
	v.until(hour(15, 20))
	again := slices.ContainsFunc(v.texts("C0OPERATOR"), func(s string) bool { return strings.Contains(s, "can be read again") })
	if n := len(v.texts("C0OPERATOR")); n != 2 || !again {
		t.Errorf("the operator hears %d times: %q", n, v.texts("C0OPERATOR"))
	}
	if !slices.ContainsFunc(v.texts(channel), func(s string) bool { return strings.Contains(s, "Elevated message API errors") }) {
		t.Errorf("what happened meanwhile is not told: %q", v.texts(channel))
	}
}

// C001: no change, no message.
func TestNothingIsToldTwice(t *testing.T) {
	v := newVillage(t, nil)
	v.until(hour(15, 45))
	before := len(v.slack.Messages(channel))
	if before == 0 {
		t.Fatal("nothing was told")
	}
	v.until(hour(16, 30))
	if after := len(v.slack.Messages(channel)); after != before {
		t.Errorf("%d messages, later %d although nothing happened", before, after)
	}
}
