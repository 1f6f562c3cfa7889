package web_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// A reader is a feed program as others have observed it: what it shows for each poll, by the items' ids.
type reader interface {
	name() string
	format() string
	// read is given the feed at a poll and returns the titles it would post.
	read(feed *gofeed.Feed, now time.Time) []string
}

// dateReader goes by date, as Slack's does: an item dated before its last poll is passed over, a changed text under a
// known id is posted again, a feed with two equal or missing dates is refused.
type dateReader struct {
	last  time.Time
	texts map[string]string
	known map[string]bool
}

func (*dateReader) name() string   { return "by date" }
func (*dateReader) format() string { return "rss" }

func (r *dateReader) read(feed *gofeed.Feed, now time.Time) (shown []string) {
	dates := map[time.Time]bool{}
	for _, item := range feed.Items {
		if item.PublishedParsed == nil || dates[*item.PublishedParsed] {
			return []string{"refused"}
		}
		dates[*item.PublishedParsed] = true
	}
	first := r.last.IsZero()
	for _, item := range feed.Items {
		text := item.Title + item.Description
		changed := r.known[item.GUID] && r.texts[item.GUID] != text
		if !first && (changed || !r.known[item.GUID] && !item.PublishedParsed.Before(r.last)) {
			shown = append(shown, item.Title)
		}
		r.known[item.GUID], r.texts[item.GUID] = true, text
	}
	r.last = now.Truncate(time.Second)
	return shown
}

// guidReader keeps the ids it has seen, for ever.
type guidReader struct {
	seen map[string]bool
	kind string
}

func (r *guidReader) name() string   { return "by id, " + r.kind }
func (r *guidReader) format() string { return r.kind }

func (r *guidReader) read(feed *gofeed.Feed, _ time.Time) (shown []string) {
	first := r.seen == nil
	if first {
		r.seen = map[string]bool{}
	}
	for _, item := range feed.Items {
		if !r.seen[item.GUID] && !first {
			shown = append(shown, item.Title)
		}
		r.seen[item.GUID] = true
	}
	return shown
}

// monitoReader picks the first field that is present and unique on every item of the fetched feed, stores the first
// fetch silently, and drops items older than a day.
type monitoReader struct {
	stored map[string]map[string]bool
}

func (*monitoReader) name() string   { return "by the first unique field" }
func (*monitoReader) format() string { return "rss" }

func (r *monitoReader) read(feed *gofeed.Feed, now time.Time) (shown []string) {
	fields := map[string]func(*gofeed.Item) string{
		"guid":    func(i *gofeed.Item) string { return i.GUID },
		"pubdate": func(i *gofeed.Item) string { return i.Published },
		"title":   func(i *gofeed.Item) string { return i.Title },
	}
	field := ""
	for _, name := range []string{"guid", "pubdate", "title"} {
		values := map[string]bool{}
		for _, item := range feed.Items {
			if v := fields[name](item); v != "" {
				values[v] = true
			}
		}
		if len(values) == len(feed.Items) {
			field = name
			break
		}
	}
	if field == "" {
		return []string{"refused"}
	}
	first := r.stored == nil
	if first {
		r.stored = map[string]map[string]bool{"guid": {}, "pubdate": {}, "title": {}}
	}
	for _, item := range feed.Items {
		fresh := !r.stored[field][fields[field](item)]
		if fresh && !first && now.Sub(*item.PublishedParsed) < 24*time.Hour {
			shown = append(shown, item.Title)
		}
		for name, value := range fields {
			r.stored[name][value(item)] = true
		}
	}
	return shown
}

// atomReader posts an entry whenever its updated time has moved.
type atomReader struct{ updated map[string]time.Time }

func (*atomReader) name() string   { return "by Atom's updated" }
func (*atomReader) format() string { return "atom" }

func (r *atomReader) read(feed *gofeed.Feed, _ time.Time) (shown []string) {
	first := r.updated == nil
	if first {
		r.updated = map[string]time.Time{}
	}
	for _, item := range feed.Items {
		if at := *item.UpdatedParsed; !first && !r.updated[item.GUID].Equal(at) {
			shown = append(shown, item.Title)
		}
		r.updated[item.GUID] = *item.UpdatedParsed
	}
	return shown
}

// TestReadersShowEachUpdateOnce lets histories run against each reader at each pace: every item is shown exactly once.
func TestReadersShowEachUpdateOnce(t *testing.T) {
	paces := []time.Duration{time.Minute, 7 * time.Minute, 10 * time.Minute, 50 * time.Minute, 2 * time.Hour, 6 * time.Hour}
	makers := []func() reader{
		func() reader { return &dateReader{texts: map[string]string{}, known: map[string]bool{}} },
		func() reader { return &guidReader{kind: "rss"} },
		func() reader { return &guidReader{kind: "atom"} },
		func() reader { return &guidReader{kind: "json"} },
		func() reader { return &monitoReader{} },
		func() reader { return &atomReader{} },
	}
	for _, pace := range paces {
		for _, maker := range makers {
			r := maker()
			t.Run(fmt.Sprintf("%s every %v", r.name(), pace), func(t *testing.T) {
				t.Parallel()
				playReader(t, r, pace)
			})
		}
	}
}

// playReader publishes a history of some days in bursts, with backdated provider times and seconds that tie, while the
// reader polls.
func playReader(t *testing.T, r reader, pace time.Duration) {
	world := webtest.New()
	srv, err := web.New(world.Options())
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(uint64(pace), uint64(len(r.name()))))
	begin := world.Clock.Now()
	type moment struct {
		at   time.Time
		item downwind.FeedItem
	}
	var history []moment
	var want []string
	at := begin
	for i := range min(120, 20+int(pace/time.Minute)*2) {
		if rnd.IntN(4) > 0 {
			at = at.Add(time.Duration(rnd.IntN(110)) * time.Minute)
		}
		title := fmt.Sprintf("Quaymail: monitoring, history %d", i)
		history = append(history, moment{at, downwind.FeedItem{
			ID: fmt.Sprintf("u/quaymail/h%d/%d/1", i/5, i), Provider: "quaymail", Incident: fmt.Sprintf("h%d", i/5), Update: fmt.Sprint(i), Kind: downwind.ChangeUpdate,
			Title: title, Text: "Text of " + title, PostedAt: at.Add(-time.Duration(rnd.IntN(5000)) * time.Minute),
		}})
		want = append(want, title)
	}
	var shown []string
	tag, modified := "", ""
	next := 0
	for now := begin; now.Before(at.Add(2 * pace)); now = now.Add(pace) {
		for next < len(history) && !history[next].at.After(now) {
			world.Store.Publish(history[next].item, history[next].at)
			next++
		}
		world.Clock.At = now
		ask := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://dw.example.org/feed?provider=quaymail&format="+r.format(), nil)
		ask.Header.Set("If-None-Match", tag)
		ask.Header.Set("If-Modified-Since", modified)
		resp := httptest.NewRecorder()
		srv.ServeHTTP(resp, ask)
		if resp.Code == http.StatusNotModified {
			continue
		}
		tag, modified = resp.Header().Get("ETag"), resp.Header().Get("Last-Modified")
		feed, err := gofeed.NewParser().ParseString(resp.Body.String())
		if err != nil {
			t.Fatal(err)
		}
		if now.Equal(begin) {
			// What is there at the first poll is history to every reader.
			want = slices.DeleteFunc(want, func(title string) bool { return contains(feed, title) })
		}
		shown = append(shown, r.read(feed, now)...)
	}
	slices.Sort(want)
	slices.Sort(shown)
	if !slices.Equal(shown, want) {
		t.Errorf("shown %d, want %d\nshown %v", len(shown), len(want), shown)
	}
}

func contains(feed *gofeed.Feed, title string) bool {
	return slices.ContainsFunc(feed.Items, func(i *gofeed.Item) bool { return i.Title == title })
}
