package console_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/console"
	"downwind/notify/notifytest"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)

func TestGolden(t *testing.T) {
	for _, kind := range []downwind.ChangeKind{downwind.ChangeNew, downwind.ChangeResolved, downwind.ChangePostmortem} {
		var out bytes.Buffer
		n := console.New(console.Options{Out: &out, Location: time.FixedZone("CET", 3600), Now: func() time.Time { return now }})
		a := notify.Sample(kind, now)
		root := kind == downwind.ChangeNew
		m := notify.Compose(a, notify.ComposeOptions{BaseURL: "http://127.0.0.1:8080", Root: root, Version: 2})
		target := notify.Target{Key: "dw_k"}
		if root {
			n.Post(context.Background(), target, m)
		} else {
			target.Root = "#1"
			n.Reply(context.Background(), target, m)
			n.Edit(context.Background(), target, m)
		}
		path := filepath.Join("testdata", string(kind)+".txt")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// TestNoEscapeSequences: provider text cannot speak to the terminal.
func TestNoEscapeSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{Root: rapid.Bool().Draw(t, "root")})
		text := console.Render(m, 80, time.UTC)
		if strings.ContainsAny(text, "\x00\x07\x1b\u009b\r") {
			t.Fatalf("control characters in %q", text)
		}
	})
}

func TestFindKnowsWhatWasPrinted(t *testing.T) {
	n := console.New(console.Options{Out: &bytes.Buffer{}})
	r := n.Post(context.Background(), notify.Target{Key: "dw_a"}, notify.Message{Title: "x"})
	if f := n.Find(context.Background(), notify.Target{Key: "dw_a"}); f.ID != r.ID || f.ID == "" {
		t.Errorf("%+v, want %s", f, r.ID)
	}
	if f := n.Find(context.Background(), notify.Target{Key: "dw_b"}); f.Verdict != notify.Done || f.ID != "" {
		t.Errorf("%+v", f)
	}
}

func TestColour(t *testing.T) {
	var out bytes.Buffer
	on := true
	console.New(console.Options{Out: &out, Color: &on}).Post(context.Background(), notify.Target{}, notify.Message{Title: "x", Tone: notify.ToneCritical})
	if !strings.Contains(out.String(), "\x1b[38;2;179;38;30m") {
		t.Errorf("no colour in %q", out.String())
	}
	out.Reset()
	console.New(console.Options{Out: &out}).Post(context.Background(), notify.Target{}, notify.Message{Title: "x", Tone: notify.ToneCritical})
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("colour without a terminal: %q", out.String())
	}
}
