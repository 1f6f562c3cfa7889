package delivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"downwind"
	"downwind/deliver/punctual"
	"downwind/notify"
)

// Server serves a Platform over HTTP with random faults.
type Server struct {
	*Platform
	Faults Faults
	// SlowFor bounds how long slow requests take.
	SlowFor time.Duration

	mu  sync.Mutex
	rng *rand.Rand
}

// NewServer makes a server whose faults follow the seed.
func NewServer(p *Platform, f Faults, seed uint64) *Server {
	return &Server{Platform: p, Faults: f, SlowFor: 400 * time.Millisecond, rng: rand.New(rand.NewPCG(seed, 7))}
}

func (s *Server) draw() (Fault, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.rng.Float64()
	wait := time.Duration(s.rng.Float64() * float64(s.SlowFor))
	for _, f := range []struct {
		share float64
		fault Fault
	}{{s.Faults.TooMany, TooMany}, {s.Faults.Broken, Broken}, {s.Faults.Slow, Slow}, {s.Faults.Lost, Lost}, {s.Faults.Late, Late}} {
		if x < f.share {
			return f.fault, wait
		}
		x -= f.share
	}
	return Fine, 0
}

var faultNames = map[Fault]string{TooMany: "429", Broken: "500", Slow: "slow", Lost: "lost", Late: "503 after"}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q Request
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.count(q.Op)
	fault, wait := s.draw()
	if name := faultNames[fault]; name != "" {
		s.count("fault " + name)
	}
	switch fault {
	case TooMany:
		w.Header().Set("Retry-After-Ms", strconv.Itoa(int(100+wait.Milliseconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case Slow:
		<-time.After(wait) // takes effect even when the client has gone
	}
	if q.Op == "find" {
		if fault == Lost || fault == Late {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprint(w, s.find(q))
		return
	}
	id, ok := s.accept(q, time.Now())
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case fault == Lost:
		panic(http.ErrAbortHandler) // cuts the connection
	case fault == Late:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		_, _ = fmt.Fprint(w, id)
	}
}

// Client is a notify.Notifier for a Server.
type Client struct {
	URL  string
	HTTP *http.Client
	// Can says what it tells of the platform.
	Can notify.Limits
	// Before is called between the intent's commit and the request; nil: nothing.
	Before func(Request)
}

// NewClient makes a client that keeps connections.
func NewClient(url string, timeout time.Duration) *Client {
	return &Client{
		URL: url, HTTP: &http.Client{Transport: punctual.Transport(&http.Transport{MaxIdleConnsPerHost: 64, Proxy: nil})},
		Can: notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: timeout},
	}
}

// Limits implements notify.Notifier.
func (c *Client) Limits() notify.Limits { return c.Can }

// Post implements notify.Notifier.
func (c *Client) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return c.Do(ctx, Request{Op: "post", Destination: t.Destination.ID, Key: t.Key, Text: m.Text})
}

// Reply implements notify.Notifier.
func (c *Client) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return c.Do(ctx, Request{Op: "reply", Destination: t.Destination.ID, Key: t.Key, Root: t.Root, Text: m.Text})
}

// Edit implements notify.Notifier.
func (c *Client) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return c.Do(ctx, Request{Op: "edit", Destination: t.Destination.ID, Key: t.Key, ID: t.Root, Text: m.Text})
}

// Find implements notify.Notifier.
func (c *Client) Find(ctx context.Context, t notify.Target) notify.Result {
	return c.Do(ctx, Request{Op: "find", Destination: t.Destination.ID, Key: t.Key, Since: t.FirstTry})
}

// Check implements notify.Notifier.
func (c *Client) Check(context.Context, downwind.Destination) notify.Result { return notify.Result{} }

// Do makes one request and judges the answer.
func (c *Client) Do(ctx context.Context, q Request) notify.Result {
	if c.Before != nil {
		c.Before(q)
	}
	// By the clock, not by the context: after a stop its timer may not have fired yet.
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		return notify.Result{Verdict: notify.NotSent, Err: context.DeadlineExceeded}
	}
	body, err := json.Marshal(q)
	if err != nil {
		return notify.Result{Verdict: notify.Rejected, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return notify.Result{Verdict: notify.Rejected, Err: err}
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		var refused *net.OpError
		if errors.As(err, &refused) && refused.Op == "dial" || errors.Is(err, syscall.ECONNREFUSED) {
			return notify.Result{Verdict: notify.NotSent, Err: err}
		}
		return notify.Result{Verdict: notify.Unclear, Err: err}
	}
	defer res.Body.Close()
	id, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		ms, _ := strconv.Atoi(res.Header.Get("Retry-After-Ms"))
		return notify.Result{Verdict: notify.Wait, RetryAfter: time.Duration(ms) * time.Millisecond}
	case res.StatusCode == http.StatusNotFound:
		return notify.Result{Verdict: notify.RootGone}
	case res.StatusCode != http.StatusOK || err != nil:
		return notify.Result{Verdict: notify.Unclear, Err: errors.Join(fmt.Errorf("answer %d", res.StatusCode), err)}
	}
	return notify.Result{ID: string(id)}
}
