package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
	"downwind/match"
	"downwind/plan"
)

const feedCorpus = "../../shared/corpus/feeds"

// span is how many messages a step may bring.
type span struct{ Min, Max int }

func (s span) holds(n int) bool { return s.Min <= n && n <= s.Max }

// A seqStep is one answer of a source and what must be noticed in it.
type seqStep struct {
	File                string
	Events              json.RawMessage
	Optional, Forbidden []string
	Alerts              span
	AlertsIfFirstPoll   *span `json:"alerts_if_first_poll"`
	Why                 string
}

// counts are how many of an event word must be seen: a number, or any of several.
type counts map[string]json.RawMessage

func (c counts) fits(word string, n int) bool {
	raw, ok := c[word]
	if !ok {
		return n == 0
	}
	var one int
	if json.Unmarshal(raw, &one) == nil {
		return n == one
	}
	var any struct {
		AnyOf []int `json:"any_of"`
	}
	return json.Unmarshal(raw, &any) == nil && slices.Contains(any.AnyOf, n)
}

// readings are the ways to read what a step must bring; one of them has to fit.
func (s seqStep) readings(t *testing.T) []counts {
	t.Helper()
	var any struct {
		AnyOf []counts `json:"any_of"`
	}
	if json.Unmarshal(s.Events, &any) == nil && len(any.AnyOf) > 0 {
		return any.AnyOf
	}
	var one counts
	if err := json.Unmarshal(s.Events, &one); err != nil {
		t.Fatal(err)
	}
	return []counts{one}
}

// TestSequences plays successive answers of one source through decoder and planner, once for a source that was already
// watched and was quiet, and once as the very first reading, and compares typed changes and messages per step.
func TestSequences(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(feedCorpus, "expected", "sequences", "*.sequence.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the corpus of feeds is not beside this checkout (" + feedCorpus + ")")
	}
	judge, err := match.Default()
	if err != nil {
		t.Fatal(err)
	}
	planner := plan.New(judge, plan.Options{})
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var seq struct {
			Sequence, Platform string
			Steps              []seqStep
		}
		if err := json.Unmarshal(raw, &seq); err != nil {
			t.Fatal(err)
		}
		t.Run(seq.Sequence, func(t *testing.T) {
			if !slices.ContainsFunc(all.Adapters(), func(a feeds.Adapter) bool { return a.Platform() == seq.Platform }) && seq.Platform != "rss" {
				t.Skipf("there is no adapter of %s yet", seq.Platform)
			}
			t.Run("watched", func(t *testing.T) { playSequence(t, planner, seq.Steps, true) })
			t.Run("first poll", func(t *testing.T) { playSequence(t, planner, seq.Steps, false) })
		})
	}
}

// everything is a team that hears of everything in one channel.
func everything() downwind.Audience {
	dest := downwind.Destination{ID: "test::all", Platform: "test", Channel: "all", Team: "all"}
	return downwind.Audience{
		Team: downwind.Team{ID: "all", Name: "all"}, Destinations: []downwind.Destination{dest},
		Subscriptions: []downwind.Subscription{{Destination: dest.ID, Team: "all", Target: downwind.TargetAll, Filter: downwind.Filter{Min: downwind.ImpactNone}}},
	}
}

func playSequence(t *testing.T, planner *plan.Planner, steps []seqStep, watched bool) {
	provider := downwind.Provider{Slug: "source", Name: "Source", StatusURL: "https://status.source.example"}
	memory := plan.NewMemory(everything())
	docs := make([]downwind.Document, len(steps))
	for i, st := range steps {
		raw, err := os.ReadFile(filepath.Join(feedCorpus, st.File))
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = feeds.Decode(t.Context(), all.Adapters(), provider.Slug, feeds.NewPayload("", "", 0, raw, time.Time{}))
		if !docs[i].Readable() {
			t.Fatalf("%s: %s", st.File, docs[i].Error)
		}
	}
	now := earliest(docs).Add(-time.Hour)
	read := func(doc downwind.Document) downwind.Plan {
		p, err := planner.Plan(memory.Input(provider, doc, now))
		if err != nil {
			t.Fatal(err)
		}
		memory.Apply(p)
		return p
	}
	if watched {
		read(downwind.Document{Provider: provider.Slug, Platform: docs[0].Platform})
	}
	known := map[string]bool{}
	for i, st := range steps {
		if at := latest(docs[i]).Add(time.Minute); at.After(now) {
			now = at
		}
		p := read(docs[i])
		now = now.Add(20 * time.Second)
		second := read(docs[i]) // what is believed only when seen twice
		p.Versions, p.Raises = append(p.Versions, second.Versions...), append(p.Raises, second.Raises...)
		checkEvents(t, st, events(p, known), i == 0 && !watched)
		messages, want := 0, st.Alerts
		for _, r := range p.Raises {
			if !r.RootOnly {
				messages++
			}
		}
		if i == 0 && !watched && st.AlertsIfFirstPoll != nil {
			want = *st.AlertsIfFirstPoll
		}
		if !want.holds(messages) {
			t.Errorf("%s: %d messages, want %d to %d (%s)", st.File, messages, want.Min, want.Max, st.Why)
		}
	}
}

// events counts the changes of a step in the words of the corpus; incidents seen for the first time become known.
func events(p downwind.Plan, known map[string]bool) map[string]int {
	got := map[string]int{}
	for _, v := range p.Versions {
		for _, c := range v.Changes {
			word := map[downwind.ChangeKind]string{
				downwind.ChangeNew: "new_incident", downwind.ChangeUpdate: "new_update", downwind.ChangeEdit: "edited_update",
				downwind.ChangeReopened: "reopened", downwind.ChangeResolved: "resolved", downwind.ChangePostmortem: "postmortem",
				downwind.ChangeComponents: "component_change", downwind.ChangeWithdrawn: "withdrawn", downwind.ChangeSeverity: "",
			}[c.Kind]
			if c.Kind == downwind.ChangeMaintenance {
				switch {
				case !known[v.Incident]:
					word = "new_incident"
				case c.Field != "":
					word = "" // a moved window
				case v.State.Phase.Over() && c.To == string(v.State.Phase):
					word = "resolved"
				default:
					word = "new_update"
				}
			}
			if word != "" {
				got[word]++
			}
			known[v.Incident] = true
		}
	}
	return got
}

// checkEvents compares what was seen at a step. The first reading of a source brings whatever it holds: only what is
// forbidden counts there.
func checkEvents(t *testing.T, st seqStep, got map[string]int, first bool) {
	t.Helper()
	for _, word := range st.Forbidden {
		if got[word] > 0 {
			t.Errorf("%s: %d × %s, which is forbidden (%s)", st.File, got[word], word, st.Why)
		}
	}
	if first {
		return
	}
	var misses []string
	for _, want := range st.readings(t) {
		miss := ""
		for _, word := range []string{"new_incident", "new_update", "edited_update", "resolved", "reopened", "postmortem", "component_change", "withdrawn"} {
			if _, asked := want[word]; !asked && slices.Contains(st.Optional, word) || want.fits(word, got[word]) {
				continue
			}
			miss += " " + word
		}
		if miss == "" {
			return
		}
		misses = append(misses, strings.TrimSpace(miss))
	}
	t.Errorf("%s: got %v, want %s; wrong: %s (%s)", st.File, got, st.Events, strings.Join(misses, " or "), st.Why)
}

// latest is the newest time that a document tells, planned windows aside.
func latest(doc downwind.Document) time.Time {
	var t time.Time
	for _, inc := range doc.Incidents {
		for _, at := range append([]time.Time{inc.StartedAt, inc.ResolvedAt}, posted(inc)...) {
			if at.After(t) {
				t = at
			}
		}
	}
	return t
}

// earliest is the oldest time of all documents.
func earliest(docs []downwind.Document) time.Time {
	t := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, doc := range docs {
		for _, inc := range doc.Incidents {
			for _, at := range append([]time.Time{inc.StartedAt}, posted(inc)...) {
				if !at.IsZero() && at.Before(t) {
					t = at
				}
			}
		}
	}
	return t
}

func posted(inc downwind.Incident) []time.Time {
	var out []time.Time
	for _, u := range inc.Updates {
		out = append(out, u.PostedAt)
	}
	return out
}
