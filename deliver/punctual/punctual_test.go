package punctual_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"downwind/deliver/punctual"
)

func TestNothingLeavesLate(t *testing.T) {
	var heard atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			heard.Add(1) // a whole request
		}
	}))
	defer srv.Close()
	// The next transport ignores the context, so that only the body can stop it; it waits for the deadline first.
	next := roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	})
	client := &http.Client{Transport: punctual.Transport(next)}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, strings.NewReader(`{"text":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := client.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("a late request was answered")
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if n := heard.Load(); n != 0 {
		t.Errorf("the server heard %d late requests", n)
	}

	plain := &http.Client{Transport: punctual.Transport(nil)}
	in, cancelIn := context.WithTimeout(t.Context(), time.Minute)
	defer cancelIn()
	req, err = http.NewRequestWithContext(in, http.MethodPost, srv.URL, strings.NewReader("in time"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := plain.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if n := heard.Load(); n != 1 {
		t.Errorf("the server heard %d requests in time, want 1", n)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
