package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// together lets equal requests that arrive while one is being answered share its answer, so that a thousand people who
// open one incident cost one reading of the archive at a time. Nothing is kept: a request that comes later is answered anew.
type together struct {
	mu      sync.Mutex
	flights map[string]*flight
}

// A flight is one answer in the making.
type flight struct {
	done   chan struct{}
	answer recorded
	err    error
}

// longestFlight bounds an answer that others may wait for, because it no longer ends with the request that began it.
const longestFlight = 20 * time.Second

// recorded is an answer that can be given more than once.
type recorded struct {
	header http.Header
	status int
	body   []byte
}

func (a *recorded) Header() http.Header { return a.header }

func (a *recorded) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *recorded) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.body = append(a.body, b...)
	return len(b), nil
}

// give writes the answer; headers set before stay unless the answer sets them too.
func (a *recorded) give(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range a.header {
		h[name] = append([]string(nil), values...)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if len(a.body) > 0 {
		_, _ = w.Write(a.body) // the client has gone when this fails
	}
}

// share wraps the handler of a public page. Requests of people who have signed in are never shared.
func (t *together) share(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodGet || sessionOf(r) != nil || r.Header.Get("Authorization") != "" {
			return h(w, r)
		}
		key := sharedKey(r)
		t.mu.Lock()
		f, joined := t.flights[key]
		if !joined {
			f = &flight{done: make(chan struct{}), answer: recorded{header: http.Header{}}, err: errUnfinished}
			t.flights[key] = f
		}
		t.mu.Unlock()
		if !joined {
			t.fly(f, key, h, r)
		}
		select {
		case <-f.done:
		case <-r.Context().Done():
			return r.Context().Err()
		}
		if f.err != nil {
			return f.err
		}
		f.answer.give(w)
		return nil
	}
}

var errUnfinished = &httpError{status: http.StatusInternalServerError, sentence: "Something went wrong on our side. It has been logged."}

// fly makes the answer; a panic reaches the caller, and those who wait get an error.
func (t *together) fly(f *flight, key string, h handler, r *http.Request) {
	defer func() {
		t.mu.Lock()
		delete(t.flights, key)
		t.mu.Unlock()
		close(f.done)
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), longestFlight)
	defer cancel()
	f.err = h(&f.answer, r.WithContext(ctx))
}

// sharedKey holds all of a request that an answer depends on.
func sharedKey(r *http.Request) string {
	theme := ""
	if c, err := r.Cookie(themeCookie); err == nil {
		theme = c.Value
	}
	o := originOf(r)
	return r.URL.RequestURI() + "\n" + o.scheme + "://" + o.host + "\n" + theme + "\n" + r.Header.Get("If-None-Match")
}
