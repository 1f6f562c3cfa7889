package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"downwind"
)

// A broadcast wakes everybody who listens; nobody is waited for.
type broadcast struct {
	mu        sync.Mutex
	listeners map[chan struct{}]bool
}

func newBroadcast() *broadcast { return &broadcast{listeners: map[chan struct{}]bool{}} }

func (b *broadcast) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.listeners {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// maxListeners bounds the open event streams.
const maxListeners = 200

// join returns a channel of wake-ups and how to leave; ok is false when too many listen already.
func (b *broadcast) join() (c chan struct{}, leave func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.listeners) >= maxListeners {
		return nil, nil, false
	}
	c = make(chan struct{}, 1)
	b.listeners[c] = true
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listeners, c)
	}, true
}

const (
	// eventLook is how often streams look for themselves: another process may have published.
	eventLook = 5 * time.Second
	// eventPing keeps proxies from closing a quiet stream.
	eventPing = 25 * time.Second
)

// apiEvents streams published items as server-sent events. The id of an event is its number; a client that comes back
// with Last-Event-ID gets what it has missed, up to a hundred items.
func (s *Server) apiEvents(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	ctx := r.Context()
	woken, leave, ok := s.events.join()
	if !ok {
		return &httpError{status: http.StatusServiceUnavailable, sentence: "Too many listeners at the moment.", retry: 30}
	}
	defer leave()
	last, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		last = -1
		if newest, err := s.newestSeq(r); err != nil {
			return err
		} else if newest > 0 {
			last = newest
		}
	}
	rc := http.NewResponseController(w)
	if err := rc.SetWriteDeadline(time.Time{}); err != nil {
		s.log.Debug("event stream keeps the server's deadline", "error", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if _, err := fmt.Fprintf(w, "retry: 5000\n: listening\n\n"); err != nil {
		return nil // the listener has gone
	}
	ping := s.now()
	for {
		if last, err = s.sendEvents(w, r, last); err != nil {
			return nil // the headers are out and the listener has gone, or will come back with Last-Event-ID
		}
		if now := s.now(); now.Sub(ping) >= eventPing {
			ping = now
			if _, err := fmt.Fprint(w, ": quiet\n\n"); err != nil {
				return nil
			}
		}
		if err := rc.Flush(); err != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-woken:
		case <-s.opt.Clock.After(eventLook):
		}
	}
}

func (s *Server) newestSeq(r *http.Request) (int64, error) {
	items, err := s.opt.Reader.FeedItems(r.Context(), downwind.FeedFilter{Kinds: allKinds, Limit: 1})
	if err != nil || len(items) == 0 {
		return 0, err
	}
	return items[0].Seq, nil
}

// sendEvents writes what was published after an item, oldest first, and returns the number of the newest.
func (s *Server) sendEvents(w http.ResponseWriter, r *http.Request, last int64) (int64, error) {
	items, err := s.opt.Reader.FeedItems(r.Context(), downwind.FeedFilter{Kinds: allKinds, Limit: feedItems})
	if err != nil {
		return last, err
	}
	for i := len(items) - 1; i >= 0; i-- {
		item := items[i]
		if item.Seq <= last {
			continue
		}
		inc := downwind.Incident{Provider: item.Provider, ID: item.Incident}
		body, err := json.Marshal(struct {
			Title string `json:"title"`
			URL   string `json:"url"`
			jsonExtension
			PublishedAt stamp `json:"published_at"`
		}{oneLine(item.Title), s.baseFor(r) + incidentPath(&inc), jsonExtension{
			Provider: item.Provider, Incident: item.Incident, Update: item.Update, Kind: item.Kind, Impact: item.Impact, Phase: item.Phase,
			PostedAt: stamp(item.PostedAt), Components: atMost(item.Components, 20), Regions: atMost(item.Regions, 20),
		}, stamp(item.PublishedAt)})
		if err != nil {
			return last, err
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", item.Seq, item.Kind, body); err != nil {
			return last, err
		}
		last = item.Seq
	}
	return last, nil
}
