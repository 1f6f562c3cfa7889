// Package otstest makes what OpenTimestamps calendars answer, and block headers, for tests.
package otstest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"downwind/proof/ots"
)

// Attest is an attestation with a tag in hex.
func Attest(tag string, payload []byte) []byte {
	raw, err := hex.DecodeString(tag)
	if err != nil {
		panic(err)
	}
	return slices.Concat([]byte{0}, raw, part(payload))
}

// Pending is a promise by the calendar at an address.
func Pending(calendar string) []byte { return Attest("83dfe30d2ef90c8e", part([]byte(calendar))) }

// Promise is what a calendar answers to a digest: append a salt, hash, promise.
func Promise(calendar string, salt []byte) []byte {
	return slices.Concat([]byte{0xf0}, part(salt), []byte{0x08}, Pending(calendar))
}

// Commit is what it answers later: prepend something, hash, and that is the Merkle root of the block of a height.
func Commit(height uint64, left []byte) []byte {
	return slices.Concat([]byte{0xf1}, part(left), []byte{0x08}, Attest("0588960d73d71901", binary.AppendUvarint(nil, height)))
}

func part(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }

// Header makes the header in hex of a block with a Merkle root and a time, of the least difficulty that there is.
func Header(root [sha256.Size]byte, at time.Time) string {
	raw := make([]byte, 80)
	copy(raw[36:], root[:])
	binary.LittleEndian.PutUint32(raw[68:], uint32(at.Unix()))
	binary.LittleEndian.PutUint32(raw[72:], 0x207fffff)
	for nonce := uint32(0); ; nonce++ {
		binary.LittleEndian.PutUint32(raw[76:], nonce)
		text := hex.EncodeToString(raw)
		if _, err := ots.ParseHeader(text); err == nil {
			return text
		}
	}
}

// A Calendar is a small calendar server: it promises every digest, and once a block is mined it shows the way there.
type Calendar struct {
	// URL is the address that its promises name.
	URL string

	mu sync.Mutex
	// asked counts questions; down refuses them; height is that of the block, 0 before it is mined.
	asked  int
	down   bool
	height uint64
}

// Mine commits all promises in a block of a height.
func (c *Calendar) Mine(height uint64) { c.set(func() { c.height = height }) }

// Stop makes it refuse everything, or not any more.
func (c *Calendar) Stop(down bool) { c.set(func() { c.down = down }) }

// Asked is how many questions it had.
func (c *Calendar) Asked() (n int) { c.set(func() { n = c.asked }); return n }

func (c *Calendar) set(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

// ServeHTTP implements the calendar protocol.
func (c *Calendar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked++
	down, height := c.down, c.height
	c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	switch commitment, later := strings.CutPrefix(r.URL.Path, "/timestamp/"); {
	case down || err != nil:
		http.Error(w, "down", http.StatusServiceUnavailable)
	case r.Method == http.MethodPost && r.URL.Path == "/digest" && len(body) == sha256.Size:
		_, _ = w.Write(Promise(c.URL, []byte("salt"))) // a reader that went away fails its own test
	case later && len(commitment) == 2*sha256.Size && height > 0:
		_, _ = w.Write(Commit(height, []byte("left"))) // as above
	case later:
		http.Error(w, "Pending confirmation in Bitcoin blockchain", http.StatusNotFound)
	default:
		http.Error(w, fmt.Sprintf("no %s %s", r.Method, r.URL.Path), http.StatusBadRequest)
	}
}
