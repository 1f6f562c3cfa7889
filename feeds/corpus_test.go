package feeds_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/adaptertest"
	"downwind/feeds/all"
	"downwind/feeds/feedstest"
)

// corpus returns a folder of the shared corpus, or skips the test where that is absent.
func corpus(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "corpus", dir)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared corpus is not beside the module: %v", err)
	}
	return path
}

// TestCorpusKeepsPromises decodes every recorded payload: none may panic, unreadable ones are empty, readable ones keep what
// every document promises. Whether the fields are right is the scorer's business (docs/new-adapter.md).
func TestCorpusKeepsPromises(t *testing.T) {
	for _, dir := range []string{"feeds", "livekit/page"} {
		root := corpus(t, dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "/expected/") {
				return err
			}
			switch filepath.Ext(path) {
			case ".json", ".xml", ".atom", ".rss":
			default:
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			t.Run(strings.TrimPrefix(path, root), func(t *testing.T) {
				doc := feeds.Decode(t.Context(), all.Adapters(), "", feeds.Payload{Body: raw})
				adaptertest.Check(t, doc)
				if dir == "livekit/page" && (!doc.Readable() || doc.Page.Name != "LiveKit") {
					t.Errorf("a page of the replay pack is not read: %q %q", doc.Error, doc.Page.Name)
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormatsAgree reads one page as JSON and as both feeds: the same incidents, the same times.
func TestFormatsAgree(t *testing.T) {
	root := corpus(t, "livekit/page/000")
	read := func(name string) map[string]string {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		doc := feeds.Decode(t.Context(), all.Adapters(), "", feeds.Payload{Body: raw})
		out := map[string]string{}
		for _, inc := range doc.Incidents {
			if inc.Kind != "incident" {
				continue
			}
			var times []string
			for _, u := range inc.Updates {
				times = append(times, string(u.Phase)+" "+u.PostedAt.Format("2006-01-02 15:04"))
			}
			out[inc.ID] = inc.Title + " | " + string(inc.Phase) + " | " + strings.Join(times, ", ")
		}
		return out
	}
	js, atom, rss := read("incidents.json"), read("history.atom"), read("history.rss")
	shared := 0
	for id, text := range atom {
		if rss[id] != text {
			t.Errorf("%s: Atom %q, RSS %q", id, text, rss[id])
		}
		if j, ok := js[id]; ok {
			shared++
			if j != text {
				t.Errorf("%s: JSON %q, Atom %q", id, j, text)
			}
		}
	}
	if shared == 0 {
		t.Error("JSON and Atom have no incident in common")
	}
}

// TestReplayPackIsPolled plays the LiveKit pack through the poller: at the first poll of every step that serves something
// new a document arrives, at the second one nothing new is in it, and a third one is silent.
func TestReplayPackIsPolled(t *testing.T) {
	root := corpus(t, "livekit")
	page, err := feedstest.FromFS(os.DirFS(filepath.Join(root, "page")))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "steps.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pack struct {
		Steps []struct {
			PollAt time.Time `json:"poll_at"`
			Files  []string  `json:"files"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(raw, &pack); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, page, downwind.Source{Platform: "statuspage", Wanted: true})
	for n, step := range pack.Steps {
		page.Show(n)
		b.clock.Set(step.PollAt)
		first, _ := b.step(t)
		if len(step.Files) > 0 && (len(first) != 1 || !first[0].Readable() || first[0].Partial || len(first[0].Components) == 0) {
			t.Errorf("step %03d: the first poll gave %d documents, asked at %s", n, len(first), step.PollAt)
			continue
		}
		b.clock.Advance(time.Minute)
		second, _ := b.step(t)
		if len(first) == 1 && len(second) == 1 && !cmp.Equal(first[0], second[0]) {
			t.Errorf("step %03d: the second poll says something else:\n%s", n, cmp.Diff(first[0], second[0]))
		}
		b.clock.Advance(time.Minute)
		if third, _ := b.step(t); len(third) != 0 {
			t.Errorf("step %03d: the third poll gave %d documents", n, len(third))
		}
	}
}
