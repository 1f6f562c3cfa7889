package demo_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downwind/app/demo"
	"downwind/proof"
)

// TestDemo plays the outage through the whole program without waiting: the smaller pack of our own.
func TestDemo(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	colour := false
	err := demo.Run(t.Context(), demo.Options{
		Listen: "127.0.0.1:0", Speed: 1, Once: true, Keep: dir, Out: &out, Color: &colour, Version: "test",
		Wait: func(context.Context, time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"Elevated message API errors in EU West",
		"Affects you: yes",
		"2026-03-10T14:12Z/2026-03-10T14:58Z",
		"The window starts [-14:12 UTC-] {+13:51 UTC+}",
		"edited a past update",
		"16:20",
		"Database maintenance in US East",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the demo does not show %q", want)
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if want := "alerted: Checkout: 1 alert with 5 updates, 2 held (first_poll, region); Growth: 1 alert with 0 updates, 7 held (first_poll, region)"; last != want {
		t.Errorf("last line\n%s, want\n%s", last, want)
	}
	bundles, err := filepath.Glob(filepath.Join(dir, "*.dwproof"))
	if err != nil || len(bundles) < 8 {
		t.Fatalf("%d proof bundles: %v", len(bundles), err)
	}
	for _, b := range bundles {
		data, err := os.ReadFile(b)
		if err != nil {
			t.Fatal(err)
		}
		if r := proof.VerifyBundle(data, proof.Policy{}); r.Verdict != proof.Valid {
			t.Errorf("%s: %s %+v", b, r.Verdict, r.Findings)
		}
	}
}

func TestDemoStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	colour := false
	err := demo.Run(ctx, demo.Options{
		Listen: "127.0.0.1:0", Speed: 1, Out: &out, Color: &colour, Version: "test",
		Wait: func(context.Context, time.Duration) { cancel() },
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "alerted: ") {
		t.Errorf("no last line: %s", out.String())
	}
}
