package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

func TestFeedRules(t *testing.T) {
	server, _ := site(t, func(o *web.Options) { o.BaseURL = "https://dw.example.org"; o.Hub = "https://hub.example.org/" })
	for _, c := range []struct{ name, query, kind string }{
		{"rss", "?provider=lumen-voice", "application/rss+xml"},
		{"atom", "?provider=lumen-voice&format=atom", "application/atom+xml"},
		{"json", "?provider=lumen-voice&format=json", "application/feed+json"},
		{"rss of all", "", "application/rss+xml"},
		{"atom of all", "?format=atom", "application/atom+xml"},
		{"atom by incident", "?format=atom&by=incident", "application/atom+xml"},
		{"json by incident", "?format=json&by=incident&provider=lumen-voice", "application/feed+json"},
		{"filtered", "?provider=lumen-voice,quaymail&kinds=new,edit&min=major&component=SIP*", "application/rss+xml"},
		{"empty", "?provider=nimbus-cloud&kinds=edit", "application/rss+xml"},
		{"empty atom", "?provider=nimbus-cloud&kinds=edit&format=atom", "application/atom+xml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, body := get(t, server.URL+"/feed"+c.query)
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", resp.StatusCode, body)
			}
			if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, c.kind) {
				t.Errorf("type %q", kind)
			}
			if resp.Header.Get("Cache-Control") != "public, max-age=60" {
				t.Errorf("cache control %q", resp.Header.Get("Cache-Control"))
			}
			if links := strings.Join(resp.Header.Values("Link"), ","); !strings.Contains(links, `rel="hub"`) || !strings.Contains(links, `<https://dw.example.org/feed`) {
				t.Errorf("links %q", links)
			}
			if len(body) > 250_000 {
				t.Errorf("%d bytes", len(body))
			}
			tag, modified := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
			if !strings.HasPrefix(tag, `"`) || modified == "" {
				t.Fatalf("validators %q %q", tag, modified)
			}
			for name, header := range map[string][]string{
				"etag": {"If-None-Match", tag}, "weak etag": {"If-None-Match", `"x", W/` + tag}, "date": {"If-Modified-Since", modified},
				"etag before date": {"If-None-Match", tag, "If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"},
			} {
				if again, text := get(t, server.URL+"/feed"+c.query, header...); again.StatusCode != http.StatusNotModified || text != "" {
					t.Errorf("%s: status %d with %d bytes", name, again.StatusCode, len(text))
				}
			}
			for name, header := range map[string][]string{
				"other etag": {"If-None-Match", `"x"`, "If-Modified-Since", modified}, "older date": {"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"},
			} {
				if again, text := get(t, server.URL+"/feed"+c.query, header...); again.StatusCode != http.StatusOK || text != body {
					t.Errorf("%s: status %d, same body %v", name, again.StatusCode, text == body)
				}
			}
			checkFeed(t, body)
		})
	}
}

// checkFeed reads a feed as a library does and checks ids, dates, links and text.
func checkFeed(t *testing.T, body string) {
	t.Helper()
	feed, err := gofeed.NewParser().ParseString(body)
	if err != nil {
		t.Fatalf("gofeed: %v", err)
	}
	if feed.Title == "" || feed.FeedLink == "" && feed.FeedType != "json" {
		t.Errorf("title %q, self %q", feed.Title, feed.FeedLink)
	}
	ids, dates, links := map[string]bool{}, map[string]bool{}, map[string]bool{}
	byIncident := strings.Contains(body, ",2026:i/")
	var last time.Time
	for i, item := range feed.Items {
		at := item.PublishedParsed
		if at == nil {
			t.Fatalf("item %d without a date", i)
		}
		if !byIncident {
			if i > 0 && !at.Before(last) {
				t.Errorf("item %d of %v does not fall below %v", i, at, last)
			}
			if dates[at.String()] {
				t.Errorf("item %d: date %v twice", i, at)
			}
			if item.UpdatedParsed != nil && !item.UpdatedParsed.Equal(*at) {
				t.Errorf("item %d: updated %v is not published %v", i, item.UpdatedParsed, at)
			}
		}
		last, dates[at.String()] = *at, true
		if ids[item.GUID] || !strings.HasPrefix(item.GUID, "tag:dw.example.org,2026:") {
			t.Errorf("item %d: id %q", i, item.GUID)
		}
		if links[item.Link] || !strings.HasPrefix(item.Link, "https://dw.example.org/incidents/") {
			t.Errorf("item %d: link %q", i, item.Link)
		}
		ids[item.GUID], links[item.Link] = true, true
		if item.Title == "" || strings.ContainsAny(item.Title, "\n\r") {
			t.Errorf("item %d: title %q", i, item.Title)
		}
	}
}

// TestFeedsAreWellFormed lets another parser judge, and a schema of our own.
func TestFeedsAreWellFormed(t *testing.T) {
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed")
	}
	server, _ := site(t, hostile)
	for _, c := range []struct{ query, schema string }{
		{"", "rss.rng"},
		{"?provider=lumen-voice", "rss.rng"},
		{"?provider=nimbus-cloud&kinds=edit", "rss.rng"},
		{"?format=atom", "atom.rng"},
		{"?format=atom&by=incident", "atom.rng"},
		{"?format=atom&provider=nimbus-cloud&kinds=edit", "atom.rng"},
	} {
		_, body := get(t, server.URL+"/feed"+c.query)
		file := filepath.Join(t.TempDir(), "feed.xml")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), lint, "--nonet", "--noout", "--relaxng", "testdata/"+c.schema, file).CombinedOutput(); err != nil {
			t.Errorf("feed%s: %s", c.query, out)
		}
		if strings.Contains(body, "<!DOCTYPE") {
			t.Errorf("feed%s has a DOCTYPE", c.query)
		}
	}
}

// hostileText is what a provider could write to break out of every format at once.
const hostileText = "</title><script>alert(1)</script>]]>&lt;!ENTITY x \"'\x00\x08\u202e\ufffe @everyone <!channel> =1+1\r\nBEGIN:VEVENT\nX: y\xff ![a](javascript:b)"

// hostile fills every field of a provider's with it.
func hostile(o *web.Options) {
	store := o.Reader.(*webtest.Store)
	inc := downwind.Incident{
		Provider: "lumen-voice", ID: `../x?"<b>&` + "\u00fc", Kind: downwind.KindIncident, Title: hostileText, URL: "javascript:alert(1)", Phase: downwind.Identified, Impact: downwind.ImpactMajor,
		StartedAt: o.Clock.Now().Add(-time.Hour), Regions: []string{hostileText}, Components: []downwind.Component{{Name: hostileText, Group: hostileText, Status: downwind.Degraded}},
		Updates: []downwind.Update{{ID: "1", Phase: downwind.Identified, Body: hostileText, PostedAt: o.Clock.Now().Add(-time.Hour)}},
	}
	store.Records = append(store.Records, downwind.IncidentRecord{Incident: inc, FirstSeen: o.Clock.Now(), ChangedAt: o.Clock.Now(), Versions: 1, VersionID: 9999})
	store.History[inc.Key()] = []downwind.Version{{ID: 9999, Provider: inc.Provider, Incident: inc.ID, Number: 1, State: inc, Changes: []downwind.Change{{Kind: downwind.ChangeNew}}, SeenAt: o.Clock.Now(), Leaf: -1}}
	store.Comps["lumen-voice"] = append(store.Comps["lumen-voice"], inc.Components...)
	store.Publish(downwind.FeedItem{ID: "u/lumen-voice/" + inc.ID + "/1/1", Provider: "lumen-voice", Incident: inc.ID, Update: "1", Kind: downwind.ChangeNew, Impact: inc.Impact, Title: hostileText, Text: hostileText, Components: []string{hostileText}, Version: 9999}, o.Clock.Now())
	for i := range store.SourceRows {
		store.SourceRows[i].Error = hostileText
	}
	explain := o.Explain
	o.Explain = func(rec downwind.IncidentRecord, use *downwind.Use) downwind.Guidance {
		if rec.Incident.ID != inc.ID {
			return explain(rec, use)
		}
		return downwind.Guidance{
			Windows: []downwind.Window{{Start: inc.StartedAt, End: inc.StartedAt.Add(time.Minute), Scope: hostileText, Source: downwind.FromProse, Text: hostileText, StartFrom: hostileText}},
			Padded:  &downwind.Period{Start: inc.StartedAt, End: inc.StartedAt.Add(time.Minute)}, Regions: []string{hostileText}, Conflicts: []string{hostileText}, Delayed: []string{hostileText},
			Actions: []downwind.Action{{Text: hostileText, Source: "provider"}}, Advice: []string{hostileText}, Checklist: []string{hostileText}, DataLoss: hostileText,
		}
	}
}

func TestFeedRefusals(t *testing.T) {
	server, _ := site(t)
	for path, want := range map[string]int{
		"/feed?provider=lumen-voise":                   404,
		"/feed?format=csv":                             400,
		"/feed?by=incident":                            400,
		"/feed?by=provider":                            400,
		"/feed?min=huge":                               400,
		"/feed?kinds=new,odd":                          400,
		"/teams/00000000000000000000000000000000/feed": 404,
		"/teams/x/feed":                                404,
		"/feed?provider=LUMEN%20VOICE":                 200,
		"/feed?provider=kdb":                           200,

		"/teams/" + webtest.Secret + "/feed?provider=quaymail": 400,
	} {
		if resp, body := get(t, server.URL+path); resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d: %.200s", path, resp.StatusCode, want, body)
		}
	}
	if _, body := get(t, server.URL+"/feed?provider=lumen-voise"); !strings.Contains(body, "Did you mean lumen-voice") {
		t.Errorf("no suggestion: %.600s", body)
	}
}

func TestTeamFeed(t *testing.T) {
	server, world := site(t)
	resp, body := get(t, server.URL+"/teams/"+webtest.Secret+"/feed?format=json")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if resp.Header.Get("X-Robots-Tag") == "" || resp.Header.Get("Referrer-Policy") != "no-referrer" || !strings.HasPrefix(resp.Header.Get("Cache-Control"), "private") {
		t.Errorf("headers %v", resp.Header)
	}
	var feed struct {
		Items []struct {
			Downwind struct{ Provider, Incident string } `json:"_downwind"`
		}
	}
	if err := json.Unmarshal([]byte(body), &feed); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, item := range feed.Items {
		seen[item.Downwind.Provider] = true
		if item.Downwind.Incident == "k03ne" {
			t.Error("the feed lists an incident of another region")
		}
	}
	for provider, want := range map[string]bool{"lumen-voice": true, "quaymail": true, "nimbus-cloud": false, "halyard-dns": false} {
		if seen[provider] != want {
			t.Errorf("%s listed: %v, want %v", provider, seen[provider], want)
		}
	}
	for _, secret := range []string{"package.json", "voice.tf", "KESTREL_URL", "@lumen-voice"} {
		if strings.Contains(body, secret) {
			t.Errorf("the feed holds evidence: %s", secret)
		}
	}
	world.Store.TeamRows["other"] = downwind.Team{ID: "other", Secret: strings.Repeat("0", 31) + "1"}
	if _, body := get(t, server.URL+"/teams/"+strings.Repeat("0", 31)+"1/feed"); strings.Contains(body, "<item>") {
		t.Error("a team without a stack gets items")
	}
}

// TestFeedSize fills a feed with long texts: it stays under its ceiling, keeps a hundred items, and every text ends whole.
func TestFeedSize(t *testing.T) {
	for _, filler := range []string{"word & <tag> ", "長い文章です。", "x"} {
		server, world := site(t)
		for i := range 400 {
			world.Store.Publish(downwind.FeedItem{ID: fmt.Sprintf("u/quaymail/big/%d/1", i), Provider: "quaymail", Incident: "big", Update: fmt.Sprint(i), Kind: downwind.ChangeUpdate, Title: "A long one", Text: strings.Repeat(filler, 9_000/len(filler))}, world.Clock.Now())
		}
		for _, format := range []string{"rss", "atom", "json"} {
			_, body := get(t, server.URL+"/feed?provider=quaymail&format="+format)
			feed, err := gofeed.NewParser().ParseString(body)
			if err != nil {
				t.Fatalf("%s of %q: %v", format, filler, err)
			}
			if len(body) > 250<<10 || len(feed.Items) < 50 {
				t.Errorf("%s of %q: %d items in %d bytes", format, filler, len(feed.Items), len(body))
			}
			for _, item := range feed.Items {
				if strings.Contains(item.Description+item.Content, "\ufffd") {
					t.Errorf("%s of %q: text cut inside a character", format, filler)
					break
				}
			}
		}
	}
}
