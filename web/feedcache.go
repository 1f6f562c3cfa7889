package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A feedDocument is a feed as written, with its validators.
type feedDocument struct {
	kind     string
	body     []byte
	tag      string
	modified time.Time
	links    []string
}

func strongTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// tagMatches compares validators as If-None-Match asks: weakly, * fits all.
func tagMatches(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || (t != "" && strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/")) {
			return true
		}
	}
	return false
}

// serve answers 304 where the reader has this very feed.
func (d *feedDocument) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", d.kind)
	h.Set("ETag", d.tag)
	h.Set("Last-Modified", d.modified.UTC().Format(http.TimeFormat))
	if r.PathValue("secret") == "" {
		h.Set("Cache-Control", "public, max-age=60")
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Cache-Control", "private, max-age=60")
	}
	for _, link := range d.links {
		h.Add("Link", link)
	}
	if d.unchanged(r.Header) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", fmt.Sprint(len(d.body)))
	_, _ = w.Write(d.body) // the reader has gone when this fails
	return nil
}

// unchanged follows RFC 9110: If-None-Match decides where it is given, else If-Modified-Since.
func (d *feedDocument) unchanged(h http.Header) bool {
	if match := h.Get("If-None-Match"); match != "" {
		return tagMatches(match, d.tag)
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !d.modified.Truncate(time.Second).After(since)
}

// A feedCache keeps written feeds until something new is published. It holds at most feedSlots of them.
type feedCache struct {
	mu   sync.RWMutex
	docs map[string]cachedFeed
}

type cachedFeed struct {
	newest string
	doc    *feedDocument
}

const feedSlots = 256

func newFeedCache() *feedCache { return &feedCache{docs: map[string]cachedFeed{}} }

func (c *feedCache) get(key, newest string) (*feedDocument, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	hit, ok := c.docs[key]
	return hit.doc, ok && hit.newest == newest
}

func (c *feedCache) put(key, newest string, doc *feedDocument) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.docs[key]; !ok && len(c.docs) >= feedSlots {
		clear(c.docs)
	}
	c.docs[key] = cachedFeed{newest, doc}
}

// newestFor is how long another process may have published something that this one has not noticed.
const newestFor = time.Second

// A newestName keeps the name of the newest item for a moment.
type newestName struct {
	mu    sync.Mutex
	name  string
	until time.Time
	// drops counts what was published here; an answer that was asked for before is not kept.
	drops int
}

func (n *newestName) get(now time.Time) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.name, now.Before(n.until)
}

// begin returns what put needs to know whether something was published in between.
func (n *newestName) begin() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.drops
}

func (n *newestName) put(asked int, name string, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if asked == n.drops {
		n.name, n.until = name, now.Add(newestFor)
	}
}

// drop forgets the name, because something was published.
func (n *newestName) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drops++
	n.until = time.Time{}
}
