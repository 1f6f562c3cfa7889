package discord_test

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
	"downwind/notify/discord"
	"downwind/notify/discord/discordtest"
	"downwind/notify/notifytest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden keeps every layout as the embeds and buttons that Discord gets.
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
				embeds, components := wire(t, m)
				if p := discordtest.Validate("", embeds, components); len(p) > 0 {
					t.Errorf("Discord would refuse it: %q", p)
				}
				got, err := json.MarshalIndent(map[string]any{"embeds": embeds, "components": components}, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				golden(t, name, string(got)+"\n")
			})
		}
	}
}

// fataler is the part of testing.T and rapid.T that wire needs.
type fataler interface{ Fatal(...any) }

// wire is a message as Discord gets it.
func wire(t fataler, m notify.Message) (embeds, components json.RawMessage) {
	embeds, err := json.Marshal(discord.Embeds(m))
	if err != nil {
		t.Fatal(err)
	}
	if components, err = json.Marshal(discord.Components(m)); err != nil {
		t.Fatal(err)
	}
	return embeds, components
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

// TestAnyAlertIsValid draws alerts with hostile text of any length: every form is valid, nobody is named, and no link
// leads elsewhere.
// C102, C107.
func TestAnyAlertIsValid(t *testing.T) {
	allowed := []string{"https://downwind.example/", "https://status.example.org"}
	rapid.Check(t, func(t *rapid.T) {
		a := notifytest.Alert(t)
		m := notify.Compose(a, notify.ComposeOptions{
			BaseURL: "https://downwind.example", StatusURL: "https://status.example.org", Root: rapid.Bool().Draw(t, "root"), Version: 2,
			AckedBy: "@everyone", Delivery: "dw_key",
		})
		for name, form := range map[string]notify.Message{"full": m, "compact": notify.Compact(m), "bare": notify.Bare(m)} {
			embeds, components := wire(t, form)
			if p := discordtest.Validate(discord.Text(form), embeds, components); len(p) > 0 {
				t.Fatalf("%s form is invalid: %q", name, p)
			}
			for _, s := range texts(embeds) {
				if live := discordtest.Live(s, allowed...); len(live) > 0 {
					t.Fatalf("%s form is live: %q in %q", name, live, s)
				}
			}
			if live := discordtest.Live(discord.Text(form)); len(live) > 0 {
				t.Fatalf("text of the %s form is live: %q", name, live)
			}
		}
	})
}

// texts lists what is read in embeds.
func texts(raw []byte) []string {
	var list []struct {
		Title, Description string
		Fields             []struct{ Name, Value string }
		Footer             struct{ Text string }
	}
	var out []string
	if json.Unmarshal(raw, &list) == nil {
		for _, e := range list {
			out = append(out, e.Title, e.Description, e.Footer.Text)
			for _, f := range e.Fields {
				out = append(out, f.Name, f.Value)
			}
		}
	}
	return out
}

// C105, C106.
func TestTooLongSaysWhatIsLeftOut(t *testing.T) {
	a := notify.Sample(downwind.ChangeResolved, time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC))
	for range 60 {
		a.Guidance.Checklist = append(a.Guidance.Checklist, strings.Repeat("Check this. ", 20))
	}
	m := notify.Compose(a, notify.ComposeOptions{BaseURL: "https://downwind.example", Root: true})
	embeds, components := wire(t, m)
	if p := discordtest.Validate("", embeds, components); len(p) > 0 {
		t.Errorf("invalid: %q", p)
	}
	for _, want := range []string{"Left out here, too long", "checklist", "Replay windows", "Affected you"} {
		if !strings.Contains(string(embeds), want) {
			t.Errorf("lacks %q", want)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a *b* _c_":            `a \*b\* \_c\_`,
		"@everyone":            "@\u200beveryone",
		"<@123>":               "\\<\u200b@\u200b123\\>",
		"[a](https://x.y)":     "\\[a\\]\u200b\\(https:\u200b//x\u200b.y\\)",
		"# no heading":         `\# no heading`,
		"10:30":                "10:30",
		":smile:":              ":\u200bsmile:",
		"\u202eevil\u202c\x07": "evil",
	} {
		if got := discord.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range notifytest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{discord.Escape(s), discord.Inert(s)} {
			if live := discordtest.Live(out); len(live) > 0 {
				t.Errorf("live after escaping: %q from %q", live, s)
			}
		}
	})
}

// TestStackGolden keeps the layout of an answer to an uploaded stack.
func TestStackGolden(t *testing.T) {
	embeds, components := wire(t, notifytest.StackResult())
	if p := discordtest.Validate("", embeds, components); len(p) > 0 {
		t.Errorf("Discord would refuse it: %q", p)
	}
	got, err := json.MarshalIndent(map[string]any{"embeds": embeds, "components": components}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "stack.json", string(got)+"\n")
}
