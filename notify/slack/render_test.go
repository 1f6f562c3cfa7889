package slack_test

import (
	"encoding/json"
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
	"downwind/notify/notifytest"
	"downwind/notify/slack"
	"downwind/notify/slack/slacktest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden keeps every layout as the blocks that Slack gets. Paste one into Slack's Block Kit Builder to see it.
func TestGolden(t *testing.T) {
	now := time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)
	for _, kind := range notify.SampleKinds() {
		for _, root := range []bool{true, false} {
			if root && (kind == downwind.ChangeSeverity || kind == downwind.ChangeComponents) {
				continue
			}
			name := string(kind) + "-reply.json"
			if root {
				name = string(kind) + "-root.json"
			}
			t.Run(name, func(t *testing.T) {
				a := notify.Sample(kind, now)
				a.Sample = false
				m := notify.Compose(a, notify.ComposeOptions{
					BaseURL: "https://downwind.example", StatusURL: "https://status.examplecloud.example", Root: root, Version: 3, Delivery: "dw_key",
				})
				raw, err := json.Marshal(slack.Blocks(m))
				if err != nil {
					t.Fatal(err)
				}
				if p := slacktest.Validate(slack.Text(m), raw); len(p) > 0 {
					t.Errorf("Slack would refuse it: %q", p)
				}
				got, err := json.MarshalIndent(map[string]any{"text": slack.Text(m), "blocks": json.RawMessage(raw)}, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				golden(t, name, string(got)+"\n")
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// TestAnyAlertIsValid draws alerts with hostile text of any length: every form is valid, nobody is notified, and no link
// leads elsewhere.
// C102, C107: hostile text of any length in any field.
func TestAnyAlertIsValid(t *testing.T) {
	allowed := []string{"https://downwind.example/", "https://status.example.org"}
	rapid.Check(t, func(t *rapid.T) {
		a := notifytest.Alert(t)
		m := notify.Compose(a, notify.ComposeOptions{
			BaseURL: "https://downwind.example", StatusURL: "https://status.example.org", Root: rapid.Bool().Draw(t, "root"), Version: 2,
			AckedBy: "<!channel>", Delivery: "dw_key",
		})
		m.Mention = ""
		for name, form := range map[string]notify.Message{"full": m, "compact": notify.Compact(m), "bare": notify.Bare(m)} {
			raw, err := json.Marshal(slack.Blocks(form))
			if err != nil {
				t.Fatal(err)
			}
			if p := slacktest.Validate(slack.Text(form), raw); len(p) > 0 {
				t.Fatalf("%s form is invalid: %q", name, p)
			}
			for _, s := range mrkdwn(raw) {
				if live := slacktest.Live(s, allowed...); len(live) > 0 {
					t.Fatalf("%s form is live: %q in %q", name, live, s)
				}
			}
			if live := slacktest.Live(slack.Text(form), allowed...); len(live) > 0 {
				t.Fatalf("text of the %s form is live: %q", name, live)
			}
		}
	})
}

// mrkdwn lists the mrkdwn texts of blocks.
func mrkdwn(raw []byte) []string {
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if v["type"] == "mrkdwn" {
				s, _ := v["text"].(string)
				out = append(out, s)
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk(v)
	}
	return out
}

// C085, C086: what is too long is cut by importance, and says so.
func TestTooLongSaysWhatIsLeftOut(t *testing.T) {
	a := notify.Sample(downwind.ChangeResolved, time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC))
	for range 60 {
		a.Guidance.Checklist = append(a.Guidance.Checklist, strings.Repeat("Check this. ", 20))
		a.Guidance.Conflicts = append(a.Guidance.Conflicts, strings.Repeat("That contradicts this. ", 20))
	}
	m := notify.Compose(a, notify.ComposeOptions{BaseURL: "https://downwind.example", Root: true})
	raw, err := json.Marshal(slack.Blocks(m))
	if err != nil {
		t.Fatal(err)
	}
	if p := slacktest.Validate("x", raw); len(p) > 0 {
		t.Errorf("invalid: %q", p)
	}
	text := string(raw)
	for _, want := range []string{"Left out here, too long", "checklist", "Replay windows", "Affected you"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// C101.
func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a & b < c > d":        "a &amp; b &lt; c &gt; d",
		"&lt;":                 "&amp;lt;",
		"<!channel>":           "&lt;!\u200bchannel&gt;",
		"see https://x.y/z":    "see https:\u200b//x\u200b.y/z",
		"*b*":                  "\u200b*\u200bb\u200b*\u200b",
		"\u202eevil\u202c\x07": "evil",
		"10:30":                "10:30",
		"v1.2":                 "v1.2",
	} {
		if got := slack.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range notifytest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if live := slacktest.Live(slack.Escape(s)); len(live) > 0 {
			t.Errorf("live after escaping: %q from %q", live, s)
		}
	})
}

// TestStackGolden keeps the layout of an answer to an uploaded stack.
func TestStackGolden(t *testing.T) {
	m := notifytest.StackResult()
	raw, err := json.Marshal(slack.Blocks(m))
	if err != nil {
		t.Fatal(err)
	}
	if p := slacktest.Validate(slack.Text(m), raw); len(p) > 0 {
		t.Errorf("Slack would refuse it: %q", p)
	}
	got, err := json.MarshalIndent(map[string]any{"text": slack.Text(m), "blocks": json.RawMessage(raw)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "stack.json", string(got)+"\n")
}
