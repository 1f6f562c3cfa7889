package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// slowReader holds up its first reading of sources until it is let go, and counts readings.
type slowReader struct {
	web.Reader
	reads atomic.Int32
	goOn  chan struct{}
}

func (s *slowReader) Sources(ctx context.Context) ([]downwind.Source, error) {
	if s.reads.Add(1) == 1 {
		<-s.goOn
	}
	return s.Reader.Sources(ctx)
}

func TestEqualRequestsShareOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := webtest.New()
		opt := world.Options()
		slow := &slowReader{Reader: opt.Reader, goOn: make(chan struct{})}
		opt.Reader = slow
		srv, err := web.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(ctx context.Context, path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
			return w
		}
		gone, leave := context.WithCancel(t.Context())
		answers := make([]*httptest.ResponseRecorder, 50)
		go ask(gone, "/")
		synctest.Wait()
		for i := range answers {
			go func() { answers[i] = ask(t.Context(), "/") }()
		}
		synctest.Wait() // all of them wait for the first
		leave()         // the one who began it has gone; the others still get the page
		if w := ask(t.Context(), "/providers"); w.Code != http.StatusOK {
			t.Errorf("another page waits too: %d", w.Code)
		}
		close(slow.goOn)
		synctest.Wait()
		for i, w := range answers {
			if w == nil || w.Code != http.StatusOK || w.Body.Len() == 0 || w.Header().Get("Content-Security-Policy") == "" {
				t.Fatalf("answer %d: %+v", i, w)
			}
		}
		if n := slow.reads.Load(); n != 2 {
			t.Errorf("%d readings for 51 requests of one page and one of another", n)
		}
		if ask(t.Context(), "/"); slow.reads.Load() != 3 {
			t.Error("an answer was kept")
		}
	})
}

// BenchmarkUnchangedFeed is a reader that has the feed already.
func BenchmarkUnchangedFeed(b *testing.B) {
	world := webtest.New()
	srv, err := web.New(world.Options())
	if err != nil {
		b.Fatal(err)
	}
	ask := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/feed?provider=lumen-voice", nil)
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, ask)
	ask.Header.Set("If-None-Match", w.Header().Get("ETag"))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, ask.Clone(ask.Context()))
			if w.Code != http.StatusNotModified {
				b.Error(w.Code)
			}
		}
	})
}
