package feeds_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
	"downwind/feeds/feedstest"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// bench is a poller on a fake page with a standing clock.
type bench struct {
	page  *feedstest.Page
	url   string
	clock *downwind.ManualClock
	store *feedstest.Store
	poll  *feeds.Poller
	mu    sync.Mutex
	docs  []downwind.Document
	from  []downwind.Source
	// answer is what the sink returns.
	answer func(downwind.Source, downwind.Document) error
	seen   []feeds.PollResult
}

func newBench(t *testing.T, page *feedstest.Page, src downwind.Source) *bench {
	t.Helper()
	srv := httptest.NewServer(page)
	t.Cleanup(srv.Close)
	b := &bench{page: page, url: srv.URL, clock: downwind.NewManualClock(noon)}
	src.Provider, src.URL = "acme", srv.URL
	b.store = feedstest.NewStore(src)
	b.poll = feeds.NewPoller(feeds.PollerOptions{
		Store: b.store, Adapters: all.Adapters(), Clock: b.clock,
		Fetcher: newFetcher(t, feeds.FetcherOptions{Clock: b.clock, Timeout: 5 * time.Second}),
		Jitter:  func(time.Duration) time.Duration { return 0 },
		Observe: func(r feeds.PollResult) { b.mu.Lock(); b.seen = append(b.seen, r); b.mu.Unlock() },
		Sink: func(_ context.Context, src downwind.Source, doc downwind.Document, _ []feeds.Payload) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.docs, b.from = append(b.docs, doc), append(b.from, src)
			if b.answer != nil {
				return b.answer(src, doc)
			}
			return nil
		},
	})
	return b
}

// step polls what is due and returns the documents that the sink got and the paths that were asked.
func (b *bench) step(t *testing.T) ([]downwind.Document, []string) {
	t.Helper()
	b.page.Requests()
	b.docs, b.from = nil, nil
	if _, _, err := b.poll.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b.docs, b.page.Paths()
}

func (b *bench) source(t *testing.T) downwind.Source {
	t.Helper()
	s, err := b.store.Source(context.Background(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func incidents(updated string, incs ...string) feedstest.File {
	return feedstest.JSON([]byte(`{"page":{"id":"pageacme0001","name":"Acme","url":"https://status.acme.example","updated_at":"` + updated + `"},"incidents":[` + strings.Join(incs, ",") + `]}`))
}

func incident(id, status string) string {
	return fmt.Sprintf(`{"id":%q,"name":"Trouble %s","status":%q,"impact":"minor","page_id":"pageacme0001","created_at":"2026-03-04T11:00:00Z","incident_updates":[{"id":"u-%s-%s","status":%q,"body":"text","created_at":"2026-03-04T11:00:00Z","display_at":"2026-03-04T11:00:00Z"}]}`, id, id, status, id, status, status)
}

const summary = `{"page":{"id":"pageacme0001","name":"Acme","url":"https://status.acme.example"},"status":{"indicator":"none"},
"components":[{"id":"c1","name":"API","status":"operational","group":false}],"incidents":[],"scheduled_maintenances":[]}`

func acme() *feedstest.Page {
	return feedstest.New(
		feedstest.Step{"/api/v2/incidents.json": incidents("1"), "/api/v2/summary.json": feedstest.JSON([]byte(summary))},
		feedstest.Step{"/api/v2/incidents.json": incidents("2", incident("i1", "investigating"))},
		feedstest.Step{"/api/v2/incidents.json": incidents("3", incident("i1", "resolved"))},
	)
}

var wholePlan = []string{"/api/v2/incidents.json", "/api/v2/scheduled-maintenances.json", "/api/v2/summary.json"}

func TestPollAsksLittle(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	docs, paths := b.step(t)
	if len(docs) != 1 || !slices.Equal(paths, wholePlan) || len(docs[0].Components) != 1 || docs[0].Provider != "acme" {
		t.Fatalf("first poll asked %v, documents %+v", paths, docs)
	}
	if s := b.source(t); s.State != downwind.SourceFresh || !s.FirstRead.Equal(noon) || !s.NextDue.Equal(noon.Add(time.Minute)) {
		t.Errorf("after the first poll the source is %+v", s)
	}
	if !b.from[0].FirstRead.IsZero() {
		t.Error("the sink cannot tell the first reading")
	}
	if docs, paths := b.step(t); len(docs) != 0 || len(paths) != 0 {
		t.Errorf("polled again before it is due: %v", paths)
	}
	b.clock.Advance(time.Minute)
	if docs, paths := b.step(t); len(docs) != 1 || !slices.Equal(paths, wholePlan) {
		t.Errorf("the reading after news asked %v and gave %d documents", paths, len(docs))
	}
	whole := 0
	for i := range 10 {
		b.clock.Advance(time.Minute)
		docs, paths := b.step(t)
		switch {
		case slices.Equal(paths, wholePlan) && len(docs) == 0:
			whole++
		case !slices.Equal(paths, []string{"/api/v2/incidents.json"}) || len(docs) != 0:
			t.Errorf("quiet poll %d asked %v and gave %d documents", i+1, paths, len(docs))
		}
	}
	if whole != 2 {
		t.Errorf("%d of 10 polls asked for everything, want each fifth", whole)
	}
}

func TestComponentChangeAloneIsSeen(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	b.clock.Advance(time.Minute)
	b.step(t)
	b.page.Set("/api/v2/summary.json", feedstest.JSON([]byte(strings.Replace(summary, `"status":"operational"`, `"status":"partial_outage"`, 1))))
	for i := range 5 {
		b.clock.Advance(time.Minute)
		docs, _ := b.step(t)
		if len(docs) == 1 {
			if docs[0].Components[0].Status != downwind.PartialOutage {
				t.Errorf("document %+v", docs[0])
			}
			return
		}
		if i == 4 {
			t.Error("not seen within five polls")
		}
	}
}

func TestPollBringsNews(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	b.page.Show(1)
	b.clock.Advance(time.Minute)
	docs, paths := b.step(t)
	if len(docs) != 1 || !slices.Equal(paths, wholePlan) || len(docs[0].Incidents) != 1 || docs[0].Partial {
		t.Fatalf("news: asked %v, got %+v", paths, docs)
	}
	b.clock.Advance(time.Minute)
	if docs, paths := b.step(t); len(docs) != 1 || !slices.Equal(paths, wholePlan) {
		t.Errorf("news are not confirmed: asked %v, %d documents", paths, len(docs))
	}
	b.page.Set("/api/v2/incidents.json", incidents("2-but-only-the-stamp", incident("i1", "investigating")))
	b.clock.Advance(time.Minute)
	if docs, paths := b.step(t); len(docs) != 0 || len(paths) != 1 {
		t.Errorf("a moved stamp is news: asked %v, %d documents", paths, len(docs))
	}
}

func TestSinkMayAskForAnotherReading(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	b.page.Show(1)
	b.answer = func(downwind.Source, downwind.Document) error { return feeds.ErrReadAgain }
	for range 3 {
		b.clock.Advance(time.Minute)
		if docs, _ := b.step(t); len(docs) != 1 {
			t.Errorf("a wanted reading gave %d documents", len(docs))
		}
	}
	b.answer = nil
	b.clock.Advance(time.Minute)
	if docs, paths := b.step(t); len(docs) != 1 || !slices.Equal(paths, wholePlan) {
		t.Errorf("the last wanted reading asked %v, %d documents", paths, len(docs))
	}
	b.clock.Advance(time.Minute)
	if docs, _ := b.step(t); len(docs) != 0 {
		t.Errorf("a reading that nobody wants gave %d documents", len(docs))
	}
}

func TestSinkFailureIsRepeated(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.answer = func(downwind.Source, downwind.Document) error { return errors.New("database is away") }
	b.step(t)
	if s := b.source(t); !s.FirstRead.IsZero() || s.BodyHash != "" || s.Failures != 1 {
		t.Errorf("a document that was not taken in is remembered: %+v", s)
	}
	b.answer = nil
	b.clock.Advance(5 * time.Minute)
	if docs, _ := b.step(t); len(docs) != 1 || !docs[0].Readable() {
		t.Errorf("not handed over again: %+v", docs)
	}
}

func TestFailuresBackOffAndRecover(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	b.page.Fail("", http.StatusBadGateway, -1, nil)
	var states []downwind.SourceState
	var pauses []time.Duration
	for range 8 {
		b.clock.Set(b.source(t).NextDue)
		docs, _ := b.step(t)
		if len(docs) != 1 || docs[0].Readable() || len(docs[0].Incidents) != 0 {
			t.Fatalf("a failed poll gave %+v", docs)
		}
		s := b.source(t)
		states, pauses = append(states, s.State), append(pauses, s.NextDue.Sub(b.clock.Now()))
	}
	if states[0] != downwind.SourceStale || states[2] != downwind.SourceUnreadable {
		t.Errorf("states are %v", states)
	}
	want := []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute}
	if !slices.Equal(pauses, want) {
		t.Errorf("pauses are %v, want %v", pauses, want)
	}
	b.page.Heal()
	b.clock.Set(b.source(t).NextDue)
	docs, _ := b.step(t)
	if s := b.source(t); len(docs) != 1 || !docs[0].Readable() || s.State != downwind.SourceFresh || s.Failures != 0 || s.Error != "" {
		t.Errorf("recovery: %+v, source %+v", docs, s)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	b.page.Fail("", http.StatusTooManyRequests, 1, http.Header{"Retry-After": {"900"}})
	b.clock.Advance(time.Minute)
	b.step(t)
	if got := b.source(t).NextDue.Sub(b.clock.Now()); got != 15*time.Minute {
		t.Errorf("next poll in %s, want 15m", got)
	}
}

func TestUnreadableIsNeverHealthy(t *testing.T) {
	for name, body := range map[string]string{
		"sign-in page": "<!DOCTYPE html><html><body>Please sign in</body></html>", "cut": `{"page":{"id":"x","name":"y"},"incidents":[{"id":"a`,
		"empty": "", "other JSON": `{"hello":"world"}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
			b.page.Show(1)
			b.step(t)
			b.page.Lie("", []byte(body))
			b.clock.Advance(time.Minute)
			docs, _ := b.step(t)
			s := b.source(t)
			if len(docs) != 1 || docs[0].Readable() || s.State == downwind.SourceFresh || s.Error == "" {
				t.Errorf("documents %+v, source %+v", docs, s)
			}
		})
	}
}

func TestHotAndIdleIntervals(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage"})
	b.step(t)
	if got := b.source(t).NextDue.Sub(noon); got != feeds.IdleInterval {
		t.Errorf("a source that nobody depends on is due in %s", got)
	}
	b.page.Show(1)
	b.answer = func(downwind.Source, downwind.Document) error { b.store.Heat("acme", true); return nil }
	b.clock.Advance(feeds.IdleInterval)
	b.step(t)
	if got := b.source(t).NextDue.Sub(b.clock.Now()); got != 20*time.Second {
		t.Errorf("a source that has just become hot is due in %s, want 20s", got)
	}
}

func TestMovedPlatformIsFoundAgain(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	ulid := `{"page":{"id":"01JMDK9XYNY6RXSED6SDWW50WY","name":"Acme","url":"https://status.acme.example/"},"incidents":[]}`
	b.page.Set("/api/v2/incidents.json", feedstest.JSON([]byte(ulid)))
	b.page.Set("/api/v2/summary.json", feedstest.HTML([]byte("<html></html>")))
	var docs []downwind.Document
	for range 4 {
		b.clock.Set(b.source(t).NextDue)
		if docs, _ = b.step(t); len(docs) == 1 && docs[0].Readable() && docs[0].Platform == "incidentio" {
			break
		}
	}
	if len(docs) != 1 || docs[0].Platform != "incidentio" || b.from[0].State != downwind.SourceMoved {
		t.Fatalf("after the move: %+v from %+v", docs, b.from)
	}
	b.clock.Set(b.source(t).NextDue)
	b.step(t)
	if s := b.source(t); s.Platform != "incidentio" || s.State != downwind.SourceFresh || s.Provider != "acme" {
		t.Errorf("the source is now %+v", s)
	}
}

func TestNewAddressIsRemembered(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	b.step(t)
	other := httptest.NewServer(acme())
	t.Cleanup(other.Close)
	b.page.Move(other.URL)
	b.clock.Advance(time.Minute)
	b.step(t)
	if s := b.source(t); s.URL != b.url || s.Endpoint != other.URL+"/api/v2/incidents.json" || s.State != downwind.SourceFresh {
		t.Errorf("after a permanent redirect the source is %+v", s)
	}
	for range 5 {
		b.clock.Advance(time.Minute)
		if _, paths := b.step(t); len(paths) != 0 {
			t.Errorf("the old address is asked for %v", paths)
		}
	}
	if s := b.source(t); s.State != downwind.SourceFresh || s.Polls != 7 {
		t.Errorf("then the source is %+v", s)
	}
}

func TestFallbackAtFirstContactOnly(t *testing.T) {
	feed := `<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:status.acme.example,2005:/history</id><title>Acme Status - Incident History</title></feed>`
	b := newBench(t, feedstest.New(feedstest.Step{"/history.atom": feedstest.Atom([]byte(feed))}), downwind.Source{Platform: "statuspage", Wanted: true})
	docs, _ := b.step(t)
	if len(docs) != 1 || !docs[0].Readable() || !strings.HasSuffix(b.source(t).Endpoint, "/history.atom") {
		t.Fatalf("first contact: %+v, source %+v", docs, b.source(t))
	}
	b.clock.Advance(time.Minute)
	if _, paths := b.step(t); !slices.Equal(paths, []string{"/history.atom"}) {
		t.Errorf("then it asks %v", paths)
	}
	page := acme()
	page.Set("/history.atom", feedstest.Atom([]byte(feed)))
	c := newBench(t, page, downwind.Source{Platform: "statuspage", Wanted: true})
	c.step(t)
	c.page.Fail("/api/v2/incidents.json", http.StatusNotFound, 1, nil)
	c.clock.Advance(time.Minute)
	if docs, _ := c.step(t); len(docs) != 1 || docs[0].Readable() {
		t.Errorf("a source that has been read changes its format for one failure: %+v", docs)
	}
}

func TestOneBadSourceHoldsNobodyUp(t *testing.T) {
	good := httptest.NewServer(acme())
	t.Cleanup(good.Close)
	stuck := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(stuck.Close)
	clock := downwind.NewManualClock(noon)
	var sources []downwind.Source
	for i := range 40 {
		u := good.URL
		if i%10 == 0 {
			u = stuck.URL
		}
		sources = append(sources, downwind.Source{Provider: fmt.Sprintf("p%02d", i), URL: u, Platform: "statuspage", Wanted: true})
	}
	store := feedstest.NewStore(sources...)
	var mu sync.Mutex
	read := map[string]bool{}
	poller := feeds.NewPoller(feeds.PollerOptions{
		Store: store, Adapters: all.Adapters(), Clock: clock, Concurrency: 8,
		Fetcher: newFetcher(t, feeds.FetcherOptions{Clock: clock, Timeout: 500 * time.Millisecond}),
		Sink: func(_ context.Context, src downwind.Source, doc downwind.Document, _ []feeds.Payload) error {
			mu.Lock()
			defer mu.Unlock()
			read[src.Provider] = doc.Readable()
			return nil
		},
	})
	did, next, err := poller.Step(context.Background())
	if err != nil || did != 40 || next.IsZero() {
		t.Fatalf("did %d, next %s, %v", did, next, err)
	}
	for i := range 40 {
		if p := fmt.Sprintf("p%02d", i); read[p] != (i%10 != 0) {
			t.Errorf("%s: read %v", p, read[p])
		}
	}
}

// TestClaimsOfADeadProcessAreFree lets a process die in the middle of a poll: another one reads the source within 30 s.
func TestClaimsOfADeadProcessAreFree(t *testing.T) {
	reached, hang := make(chan struct{}), make(chan struct{})
	page := acme()
	var dying atomic.Bool
	dying.Store(true)
	page.Before(func(r *http.Request) {
		if dying.Load() {
			close(reached)
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}
	})
	b := newBench(t, page, downwind.Source{Platform: "statuspage", Wanted: true})
	ctx, die := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		_, _, _ = b.poll.Step(ctx)
		close(gone)
	}()
	<-reached
	dying.Store(false)
	die()
	close(hang)
	<-gone
	other := feeds.NewPoller(feeds.PollerOptions{
		Store: b.store, Adapters: all.Adapters(), Clock: b.clock, Owner: "other",
		Fetcher: newFetcher(t, feeds.FetcherOptions{Clock: b.clock, Timeout: 5 * time.Second}),
		Sink:    func(context.Context, downwind.Source, downwind.Document, []feeds.Payload) error { return nil },
	})
	for _, tc := range []struct {
		after time.Duration
		did   int
	}{{29 * time.Second, 0}, {time.Second, 1}} {
		b.clock.Advance(tc.after)
		did, _, err := other.Step(context.Background())
		if err != nil || did != tc.did {
			t.Errorf("%d sources read after another %s, %v; want %d", did, tc.after, err, tc.did)
		}
	}
	if s := b.source(t); s.State != downwind.SourceFresh {
		t.Errorf("the source is %s", s.State)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	b := newBench(t, acme(), downwind.Source{Platform: "statuspage", Wanted: true})
	ctx, cancel := context.WithCancel(context.Background())
	polled := make(chan struct{}, 16)
	b.page.Before(func(*http.Request) { polled <- struct{}{} })
	done := make(chan error, 1)
	go func() { done <- b.poll.Run(ctx) }()
	<-polled
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run ends with %v", err)
	}
}

func TestSlowSourceDoesNotDelayOthersInRun(t *testing.T) {
	release := make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(stuck.Close)
	good := httptest.NewServer(acme())
	t.Cleanup(good.Close)
	clock := downwind.NewManualClock(noon)
	store := feedstest.NewStore(
		downwind.Source{Provider: "stuck", URL: stuck.URL, Platform: "statuspage", Wanted: true},
		downwind.Source{Provider: "good", URL: good.URL, Platform: "statuspage", Wanted: true},
	)
	polls := make(chan string, 16)
	poller := feeds.NewPoller(feeds.PollerOptions{
		Store: store, Adapters: all.Adapters(), Clock: clock, Fetcher: newFetcher(t, feeds.FetcherOptions{Clock: clock}),
		Sink:    func(context.Context, downwind.Source, downwind.Document, []feeds.Payload) error { return nil },
		Observe: func(r feeds.PollResult) { polls <- r.Provider },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- poller.Run(ctx) }()
	for got := 0; got < 3; {
		select {
		case p := <-polls:
			if p != "good" {
				t.Fatalf("the poll of %s ended", p)
			}
			got++
		default:
			clock.Advance(time.Second)
			runtime.Gosched()
		}
	}
	close(release)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
