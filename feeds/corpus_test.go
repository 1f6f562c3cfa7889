package feeds_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
	"downwind/feeds/all"
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
