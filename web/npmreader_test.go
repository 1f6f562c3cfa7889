package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
)

// TestAnotherReaderAgrees lets a reader of another make, rss-parser from npm, read the feeds: it must see the same
// items in the same order as gofeed does. Left out where npm cannot reach its registry.
func TestAnotherReaderAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("fetches a package from npm")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "rss-parser@3")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("rss-parser cannot be fetched: %v: %.300s", err, out)
	}
	const script = `const P=require("rss-parser");new P().parseString(require("fs").readFileSync(0,"utf8")).then(f=>console.log(JSON.stringify(f.items.map(i=>({id:i.guid||i.id,link:i.link,date:i.isoDate,title:i.title})))))`
	server, _ := site(t, hostile)
	for _, query := range []string{"", "?provider=lumen-voice", "?format=atom", "?format=atom&by=incident"} {
		_, body := get(t, server.URL+"/feed"+query)
		file := filepath.Join(dir, "feed.xml")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, "-e", script)
		cmd.Dir, cmd.Stdin = dir, in
		out, err := cmd.Output()
		in.Close()
		if err != nil {
			t.Fatalf("feed%s: %v", query, err)
		}
		var theirs []struct {
			ID, Link, Title string
			Date            time.Time
		}
		if err := json.Unmarshal(out, &theirs); err != nil {
			t.Fatalf("feed%s: %v: %.200s", query, err, out)
		}
		ours, err := gofeed.NewParser().ParseString(body)
		if err != nil {
			t.Fatal(err)
		}
		if len(theirs) == 0 || len(theirs) != len(ours.Items) {
			t.Fatalf("feed%s: %d items, gofeed sees %d", query, len(theirs), len(ours.Items))
		}
		for i, item := range ours.Items {
			if got := theirs[i]; got.ID != item.GUID || got.Link != item.Link || got.Title != item.Title || !got.Date.Equal(*item.PublishedParsed) {
				t.Errorf("feed%s item %d: %+v, gofeed sees %s %s %v %q", query, i, got, item.GUID, item.Link, item.PublishedParsed, item.Title)
			}
		}
	}
}
