package app_test

import (
	"crypto/sha256"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"downwind/app/demo"
	"downwind/config"
	"downwind/proof"
	"downwind/proof/ots"
	"downwind/proof/ots/otstest"
)

// TestCalendars: a checkpoint is promised by a calendar once a day, its bundle carries the promise, and once the block is
// mined the way to it, which its header bears out.
func TestCalendars(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		calendar := &otstest.Calendar{}
		server := httptest.NewServer(calendar)
		t.Cleanup(server.Close)
		calendar.URL = server.URL
		a := newArchiver(t, url, func(c *config.Config) { c.Archive.Calendars = []string{server.URL + "/"} })
		a.until(hour(14, 10), true)
		fatal(t, a.app.Attest(ctx))
		v, err := a.app.Store().VersionByLeaf(ctx, 0)
		fatal(t, err)
		finding := func(p proof.Policy) (proof.Verdict, string) {
			t.Helper()
			data, err := a.app.Bundle(ctx, v.ID, false)
			fatal(t, err)
			r := proof.VerifyBundle(data, p)
			for _, f := range r.Findings {
				if f.Name == "time stamp" {
					return r.Verdict, f.State + ": " + f.Text
				}
			}
			return r.Verdict, ""
		}
		if verdict, text := finding(proof.Policy{}); verdict != proof.Valid || !strings.Contains(text, "skipped: "+server.URL+"/: pending: promised by the calendar "+server.URL) {
			t.Fatalf("promised: %v, %s", verdict, text)
		}
		if calendar.Asked() != 2 {
			t.Errorf("asked %d times: once to promise, once whether it has committed", calendar.Asked())
		}
		// The log grows; the calendar is not asked again before a day has gone by, for what it has promised once an hour.
		a.until(hour(14, 50), true)
		fatal(t, a.app.Attest(ctx))
		if calendar.Asked() != 2 {
			t.Errorf("asked %d times within the hour", calendar.Asked())
		}
		calendar.Stop(true)
		a.until(hour(15, 11), true)
		if err := a.app.Attest(ctx); err == nil || !strings.Contains(err.Error(), "status 503") {
			t.Errorf("a calendar that is down: %v", err)
		}
		calendar.Stop(false)
		calendar.Mine(900_000)
		a.until(hour(15, 30), true)
		fatal(t, a.app.Attest(ctx))
		verdict, text := finding(proof.Policy{})
		if verdict != proof.Valid || !strings.Contains(text, "skipped: "+server.URL+"/: complete: it leads to Bitcoin's block 900000") {
			t.Fatalf("committed: %v, %s", verdict, text)
		}
		root := rootOf(t, a, v.Leaf)
		height, header, err := proof.ParseBlock("900000:" + otstest.Header(root, hour(15, 20)))
		fatal(t, err)
		p := proof.Policy{Blocks: map[uint64]ots.Header{height: header}, Stamps: 1}
		if verdict, text := finding(p); verdict != proof.Valid || !strings.Contains(text, "ok: Bitcoin's block 900000") {
			t.Errorf("with the block: %v, %s", verdict, text)
		}
		n := calendar.Asked()
		a.until(hour(17, 30), true)
		fatal(t, a.app.Attest(ctx))
		if calendar.Asked() != n {
			t.Error("asked again for what it has shown")
		}
		a.clock.Set(hour(14, 11).Add(24 * time.Hour))
		fatal(t, a.app.Attest(ctx))
		if calendar.Asked() != n+2 {
			t.Errorf("asked %d times, the next day %d", n, calendar.Asked())
		}
	})
}

// TestPoolsAreRefused: what a calendar's answer names is asked later, so it may name nothing but itself.
func TestPoolsAreRefused(t *testing.T) {
	pool := &otstest.Calendar{URL: "https://elsewhere.example"}
	server := httptest.NewServer(pool)
	t.Cleanup(server.Close)
	a := newArchiver(t, "", func(c *config.Config) { c.Archive.Calendars = []string{server.URL} })
	a.until(demo.Start.Add(10*time.Minute), true)
	if err := a.app.Attest(t.Context()); err == nil || !strings.Contains(err.Error(), `points to "https://elsewhere.example"`) {
		t.Errorf("got %v", err)
	}
}

// rootOf is the Merkle root that the proof about a leaf's checkpoint leads to.
func rootOf(t *testing.T, a *archiver, leaf int64) [sha256.Size]byte {
	t.Helper()
	c, err := a.app.Store().CheckpointOver(t.Context(), leaf)
	fatal(t, err)
	text, _, _ := strings.Cut(string(c.Signed), "\n\n")
	chain, err := c.Stamps[0].OTS([]byte(text + "\n"))
	fatal(t, err)
	return [sha256.Size]byte(chain.Attestations()[0].Message)
}
