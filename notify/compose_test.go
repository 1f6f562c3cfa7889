package notify_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/notify"
)

var update = flag.Bool("update", false, "write the golden files")

// now is when all golden messages are told.
var now = time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)

// golden compares a text with testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
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

func options(root bool) notify.ComposeOptions {
	return notify.ComposeOptions{
		BaseURL: "https://downwind.example", StatusURL: "https://status.examplecloud.example", Root: root, Version: 3, Delivery: "dw_key",
	}
}

// sample is a made-up alert of a kind that pretends to be real.
func sample(kind downwind.ChangeKind, change ...func(*downwind.Alert)) downwind.Alert {
	a := notify.Sample(kind, now)
	a.Sample = false
	for _, c := range change {
		c(&a)
	}
	return a
}

func TestPlainGolden(t *testing.T) {
	for _, kind := range notify.SampleKinds() {
		for _, root := range []bool{true, false} {
			name := string(kind) + "-reply.txt"
			if root {
				name = string(kind) + "-root.txt"
			}
			t.Run(name, func(t *testing.T) {
				m := notify.Compose(sample(kind), options(root))
				golden(t, name, m.Title+"\n\n"+m.Text+"\n")
			})
		}
	}
}

func possible(a *downwind.Alert) {
	a.Match.Verdict, a.Match.OpenQuestion = downwind.AffectedPossible, "region"
}

func freed(a *downwind.Alert) {
	before := a.Match
	a.Before = &before
	a.Match = downwind.Match{Verdict: downwind.NotAffected, WhyNot: "The provider now names Paris only; your files name Frankfurt.", Held: downwind.HeldRegion}
}

// TestSays checks that each sort of message carries what it must, and nothing it must not.
func TestSays(t *testing.T) {
	for _, c := range []struct {
		name   string
		alert  downwind.Alert
		root   bool
		change func(*notify.ComposeOptions)
		want   []string
		not    []string
	}{
		{
			"new tells what, why, what to do and how to mute", sample(downwind.ChangeNew), true, nil,
			[]string{"ExampleCloud reports", "Frankfurt - API", "web/package.json:17", "Do now", "Hold bulk jobs", "Mute: /feed mute examplecloud for 1h", "we saw it 40 s later", "impact: minor"},
			[]string{"is down", "Replay"},
		},
		{
			"possible names the question and how to answer", sample(downwind.ChangeNew, possible), true, nil,
			[]string{"Affects you: possibly", "which region do you use?", "Yes, it is ours", "Not us", "If it is Frankfurt"},
			[]string{"Affects you: yes"},
		},
		{
			"worse says from and to", sample(downwind.ChangeSeverity), false, nil,
			[]string{"Worse: ExampleCloud", "raised the impact from minor to major", "now reported as major outage", "Do now"},
			nil,
		},
		{
			"newly yours", sample(downwind.ChangeComponents), false, nil,
			[]string{"Now also yours", "Now named: Frankfurt - Webhooks", "grown to something you use"},
			nil,
		},
		{
			"cleared says what and by which words", sample(downwind.ChangeUpdate, freed, func(a *downwind.Alert) { a.Cleared = true }), false, nil,
			[]string{"No longer yours", "Frankfurt", "not affected", "names Paris only"},
			[]string{"Do now"},
		},
		{
			"resolved after being cleared has nothing to replay", sample(downwind.ChangeResolved, freed), false, nil,
			[]string{"Nothing to replay for you", "Frankfurt", "no longer"},
			[]string{"To paste", "Checklist"},
		},
		{
			"resolved root shows windows, sources, contradiction and checklist", sample(downwind.ChangeResolved), true, nil,
			[]string{"Resolved: ExampleCloud", "2026-12-04T08:52Z/2026-12-04T09:21Z", "29 min", "from the provider's words", "To paste, padded", "Contradictions", "Checklist", "Goes on after the window", "Do now"},
			nil,
		},
		{"an unknown start is filled and marked as a guess", sample(downwind.ChangeResolved, func(a *downwind.Alert) {
			a.Guidance.Windows[0].Start, a.Guidance.Replay.Start = time.Time{}, time.Time{}
		}), true, nil, []string{"../2026-12-04T09:21Z", "start not stated", "a guess"}, nil},
		{"without words the page clock is a guess", sample(downwind.ChangeResolved, func(a *downwind.Alert) {
			g := &a.Guidance
			g.PageGuess = &downwind.Period{Start: g.Windows[0].Start, End: g.Windows[0].End}
			g.Windows, g.Replay, g.Padded = nil, nil, nil
		}), true, nil, []string{"page clock, a guess"}, []string{"from the provider's words"}},
		{"without any times the logs decide", sample(downwind.ChangeResolved, func(a *downwind.Alert) {
			a.Guidance.Windows, a.Guidance.Replay, a.Guidance.Padded = nil, nil, nil
		}), true, nil, []string{"states no times", "error logs"}, nil},
		{"a window of another region is marked", sample(downwind.ChangeResolved, func(a *downwind.Alert) {
			w := a.Guidance.Windows[0]
			w.Scope = "Paris"
			a.Guidance.Windows = append(a.Guidance.Windows, w)
		}), true, nil, []string{"Paris (not yours)"}, []string{"Frankfurt (not yours)"}},
		{"guidance tells which windows are theirs", sample(downwind.ChangeResolved, func(a *downwind.Alert) {
			a.Guidance.Windows = append(a.Guidance.Windows, a.Guidance.Windows[0])
			a.Guidance.Yours = []int{1}
		}), true, nil, []string{"(not yours)"}, nil},
		{
			"none of the windows is theirs", sample(downwind.ChangeResolved, func(a *downwind.Alert) { a.Guidance.Yours = []int{} }), true, nil,
			[]string{"Nothing to replay for you"},
			[]string{"To paste"},
		},
		{
			"an announcement",
			downwind.Alert{Announcement: &downwind.Announcement{Title: "Week 48", Lines: []string{"LiveKit: one", "Stripe: two"}, URL: "https://downwind.example/"}},
			true, nil,
			[]string{"Week 48", "• LiveKit: one", "https://downwind.example/"},
			[]string{"Affects"},
		},
		{
			"marks of markdown in the provider's words", sample(downwind.ChangeNew, func(a *downwind.Alert) { a.Incident.Updates[0].Body = "## Summary\n**All** good" }), true, nil,
			[]string{"> Summary", "> All good"},
			[]string{"**", "##"},
		},
		{
			"postmortem tells the difference and the extra minutes", sample(downwind.ChangePostmortem), false, nil,
			[]string{"(was 08:52 UTC) 08:51 UTC", "Replay the difference: 2026-12-04T08:51Z/2026-12-04T08:52Z", "Now named: Frankfurt - Webhooks"},
			nil,
		},
		{"postmortem without a difference says so", sample(downwind.ChangePostmortem, func(a *downwind.Alert) {
			a.WindowChanges = nil
			before := a.Match
			a.Before = &before
		}), false, nil, []string{"stand as told before"}, []string{"Replay the difference"}},
		{
			"edit shows words, when and what follows", sample(downwind.ChangeEdit), false, nil,
			[]string{"edited a past update without announcing it", "Added: ", "There was a second wave", "Removed: nothing", "Old text last seen", "new text first seen", "New window", "entries 8847 and 8851", "diff/8847..8851"},
			nil,
		},
		{
			"an edit of no consequence says so", sample(downwind.ChangeEdit, func(a *downwind.Alert) { a.WindowChanges = nil }), false, nil,
			[]string{"Nothing follows from it"},
			nil,
		},
		{"withdrawn is not resolved", sample(downwind.ChangeWithdrawn), false, nil, []string{"withdrew", "nothing to replay"}, []string{"Resolved", "Do now"}},
		{"withdrawn root", sample(downwind.ChangeWithdrawn), true, nil, []string{"Withdrawn", "removed from the page"}, []string{"Do now", "Acknowledge"}},
		{"re-opened alarms again", sample(downwind.ChangeReopened), false, nil, []string{"Re-opened", "was: Resolved", "Do now"}, nil},
		{
			"maintenance has before and after", sample(downwind.ChangeMaintenance), true, nil,
			[]string{"planned work", "Before it starts", "Afterwards", "2026-12-06T11:00Z/2026-12-06T13:00Z", "calendar"},
			[]string{"a guess"},
		},
		{"maintenance done early", sample(downwind.ChangeMaintenance, func(a *downwind.Alert) {
			a.Incident.Phase, a.Incident.ResolvedAt = downwind.Completed, a.Incident.ScheduledUntil.Add(-12*time.Minute)
		}), false, nil, []string{"work done", "12 min early", "Check that"}, nil},
		{
			"already over is no alarm", sample(downwind.ChangeResolved, func(a *downwind.Alert) { a.Kind, a.AlreadyOver = downwind.ChangeNew, true }), true, nil,
			[]string{"Already over", "no alarm", "To paste"},
			[]string{"Acknowledge"},
		},
		{"in progress at first contact", sample(downwind.ChangeNew, func(a *downwind.Alert) { a.InProgress = true }), true, nil, []string{"already going on"}, nil},
		{"not by the files but by wish", sample(downwind.ChangeNew, func(a *downwind.Alert) {
			a.Match, a.Because = downwind.Match{Verdict: downwind.NotAffected, WhyNot: "Your files do not use it."}, "this channel follows examplecloud"
		}), true, nil, []string{"not by your files", "this channel follows examplecloud"}, nil},
		{"who took it", sample(downwind.ChangeNew), true, func(o *notify.ComposeOptions) { o.AckedBy, o.AckedAt = "Ana", now }, []string{"Acknowledged by Ana"}, nil},
		{"continued", sample(downwind.ChangeNew), true, func(o *notify.ComposeOptions) { o.Continued = true }, []string{"(continued)"}, nil},
		{"a sample is marked", notify.Sample(downwind.ChangeNew, now), true, nil, []string{"Sample: ", "not a real incident"}, nil},
		{"coincidence", sample(downwind.ChangeNew, func(a *downwind.Alert) { a.Coincident = []string{"OtherCloud"} }), true, nil, []string{"OtherCloud", "share a cause"}, nil},
		{"data loss", sample(downwind.ChangeResolved, func(a *downwind.Alert) { a.Guidance.DataLoss = "possible" }), true, nil, []string{"whether data was lost"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(c.root)
			if c.change != nil {
				c.change(&o)
			}
			m := notify.Compose(c.alert, o)
			text := m.Title + "\n" + m.Text
			for _, a := range m.Actions {
				text += "\n" + a.Label
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("lacks %q in:\n%s", w, text)
				}
			}
			for _, w := range append(c.not, "is down", "  ") {
				if strings.Contains(text, w) {
					t.Errorf("holds %q in:\n%s", w, text)
				}
			}
		})
	}
}

func TestTone(t *testing.T) {
	for _, c := range []struct {
		name   string
		alert  downwind.Alert
		root   bool
		tone   notify.Tone
		silent bool
		shown  bool
	}{
		{"minor", sample(downwind.ChangeNew), true, notify.ToneMinor, false, false},
		{"major", sample(downwind.ChangeSeverity), false, notify.ToneMajor, false, true},
		{"quiet", sample(downwind.ChangeNew, func(a *downwind.Alert) { a.Quiet = true }), true, notify.ToneMinor, true, false},
		{"plain update is silent", sample(downwind.ChangeUpdate), false, notify.ToneMinor, true, false},
		{"resolved", sample(downwind.ChangeResolved), false, notify.ToneResolved, false, true},
		{"maintenance never pushes", sample(downwind.ChangeMaintenance, func(a *downwind.Alert) { a.Quiet, a.Push, a.Mention = false, true, "S0OPS" }), true, notify.ToneMaintenance, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := notify.Compose(c.alert, options(c.root))
			if m.Tone != c.tone || m.Silent != c.silent || m.Broadcast != c.shown {
				t.Errorf("tone %s silent %v broadcast %v, want %s %v %v", m.Tone, m.Silent, m.Broadcast, c.tone, c.silent, c.shown)
			}
			if m.Silent && m.Mention != "" {
				t.Error("a silent message mentions somebody")
			}
		})
	}
}

func TestLinksStayOnTheProvidersSite(t *testing.T) {
	for _, c := range []struct{ incident, status, want string }{
		{"https://status.a.example/x", "https://status.a.example", "https://status.a.example/x"},
		{"https://evil.test/x", "https://status.a.example", "https://status.a.example"},
		{"javascript:alert(1)", "https://status.a.example", "https://status.a.example"},
		{"javascript:alert(1)", "", ""},
		{"https://stspg.io/abc", "https://status.a.example", "https://stspg.io/abc"},
		{"https://user:pass@status.a.example/", "", ""},
		{"https://a.example/|<!channel>", "", "https://a.example/%7C%3C%21channel%3E"},
	} {
		a := sample(downwind.ChangeNew)
		a.Incident.URL = c.incident
		m := notify.Compose(a, notify.ComposeOptions{Root: true, StatusURL: c.status})
		if m.URL != c.want && !(strings.HasPrefix(c.want, "https://a.example/%7C") && strings.HasPrefix(m.URL, "https://a.example/%7C%3C")) {
			t.Errorf("%q beside %q: %q, want %q", c.incident, c.status, m.URL, c.want)
		}
	}
}

func TestIncidentArg(t *testing.T) {
	long := "rss/" + strings.Repeat("https://example.com/", 20)
	for _, key := range []string{"livekit/x", long, "#odd/x"} {
		arg := notify.IncidentArg(key)
		if id := notify.ActionID(notify.VerbAck, arg); len(id) > 100 {
			t.Errorf("%q: id of %d characters", key, len(id))
		}
		if !notify.MatchesIncident(arg, key) || notify.MatchesIncident(arg, key+"2") || notify.MatchesIncident("", key) {
			t.Errorf("%q does not match itself only", key)
		}
	}
}
