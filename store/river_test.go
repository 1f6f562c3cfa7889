package store_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"downwind"
	"downwind/store"
)

func TestRiversPages(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		since, err := db.QueuePaused(ctx)
		must(t, err)
		want(t, "paused before anybody works", since.IsZero(), true)

		// A worker makes the queue known.
		d, in := channel(t, db, "C1"), incident("x1", downwind.Investigating)
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: c.Now(), Versions: []downwind.Version{version(in, c.Now())}, Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)}}))
		working, stop := context.WithCancel(ctx)
		looked, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- db.Work(working, 1, func(_ context.Context, delivery string) error { looked <- delivery; return nil })
		}()
		want(t, "looked at", <-looked, d.ID+"|lumen/x1")
		stop()
		must(t, <-ended)

		pages, err := db.RiverUI(ctx, "/ops/river")
		must(t, err)
		ask := func(method, path string) string {
			t.Helper()
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, path, nil))
			want(t, "status of "+path, w.Code, http.StatusOK)
			return w.Body.String()
		}
		want(t, "the page names its prefix", strings.Contains(ask(http.MethodGet, "/ops/river/"), `"apiUrl":"/ops/river/api"`), true)
		want(t, "the job is listed", strings.Contains(ask(http.MethodGet, "/ops/river/api/jobs?state=completed"), "delivery_wake"), true)
		ask(http.MethodPut, "/ops/river/api/queues/delivery/pause")
		since, err = db.QueuePaused(ctx)
		must(t, err)
		want(t, "paused", since.IsZero(), false)
		ask(http.MethodPut, "/ops/river/api/queues/delivery/resume")
		since, err = db.QueuePaused(ctx)
		must(t, err)
		want(t, "still paused", since.IsZero(), true)
	})
}
