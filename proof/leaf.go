// Package proof shows to anybody, without trust in us, what a provider said and by when we had read it.
//
// Each archived version gets a leaf in an RFC 6962 Merkle tree: canonical JSON (RFC 8785) with the hash of the
// version, the hash of the raw body and the facts of the fetch. The tree's hashes are stored in the version's own
// transaction. Checkpoints (C2SP tlog-checkpoint, a signed note) commit to the whole tree; a bundle carries one
// version with its inclusion proof and checkpoint and can be verified offline. What is proved: this state existed in
// our log at the checkpoint's time, and nothing was changed, dropped or reordered since. What is not: that the provider
// showed it to others, or that nothing was said between two readings.
package proof

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gowebpki/jcs"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// Kinds of leaves.
const (
	KindVersion = "version"
	KindSeen    = "seen"
)

// A Leaf is one entry of the log. All hashes are SHA-256 in hex; times are UTC in RFC 3339 with nanoseconds cut to
// microseconds.
type Leaf struct {
	// V is the version of this format: 1.
	V int `json:"v"`
	// Kind is "version" for a new state, "seen" for a state that was read again unchanged.
	Kind     string `json:"kind"`
	Provider string `json:"provider"`
	Incident string `json:"incident"`
	// Number counts the versions of the incident from 1.
	Number int `json:"number"`
	// State is the hash of the incident's canonical JSON.
	State string `json:"state"`
	// Previous is the hash of the state of the version before, empty for the first.
	Previous string `json:"previous,omitempty"`
	Fetch    Facts  `json:"fetch"`
	// SeenAt is when it was read.
	SeenAt string `json:"seen_at"`
}

// Facts say where the bytes came from.
type Facts struct {
	URL          string `json:"url,omitempty"`
	Status       int    `json:"status,omitempty"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	// Body is the hash of the raw body.
	Body    string `json:"body,omitempty"`
	TLSHost string `json:"tls_host,omitempty"`
}

// timeForm keeps microseconds, the precision of both databases.
const timeForm = "2006-01-02T15:04:05.000000Z"

// NewLeaf makes the leaf of a version; previous is the state hash of the version before, empty for the first.
func NewLeaf(v downwind.Version, previous string) Leaf {
	return Leaf{
		V: 1, Kind: KindVersion, Provider: v.Provider, Incident: v.Incident, Number: v.Number, State: v.Hash, Previous: previous,
		Fetch: Facts{
			URL: v.Fetch.URL, Status: v.Fetch.Status, ETag: v.Fetch.ETag, LastModified: v.Fetch.LastModified,
			Body: v.Fetch.Body, TLSHost: v.Fetch.TLSHost,
		},
		SeenAt: v.SeenAt.UTC().Truncate(time.Microsecond).Format(timeForm),
	}
}

// SeenLeaf makes the leaf that says: the state of this version was read again, unchanged, at the given time.
func SeenLeaf(v downwind.Version, at time.Time) Leaf {
	l := NewLeaf(v, "")
	// What was answered then is not kept: only where it was read.
	l.Fetch = Facts{URL: v.Fetch.URL, TLSHost: v.Fetch.TLSHost}
	l.Kind, l.SeenAt = KindSeen, at.UTC().Truncate(time.Microsecond).Format(timeForm)
	return l
}

// maxLeaf is the largest entry a C2SP tile can hold (16-bit length).
const maxLeaf = 1<<16 - 1

// Bytes is the leaf as it stands in the log: canonical JSON.
func (l Leaf) Bytes() ([]byte, error) {
	plain, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("leaf of %s/%s: %w", l.Provider, l.Incident, err)
	}
	b, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("leaf of %s/%s: %w", l.Provider, l.Incident, err)
	}
	if len(b) > maxLeaf {
		return nil, downwind.Errorf(downwind.ErrInvalid, "leaf of %s/%s has %d bytes, more than the %d of a tile entry", l.Provider, l.Incident, len(b), maxLeaf)
	}
	return b, nil
}

// ParseLeaf reads the bytes of an entry; anything but the canonical form is refused.
func ParseLeaf(b []byte) (Leaf, error) {
	var l Leaf
	if err := json.Unmarshal(b, &l); err != nil {
		return Leaf{}, fmt.Errorf("the leaf is no JSON: %w", err)
	}
	if l.V != 1 || (l.Kind != KindVersion && l.Kind != KindSeen) {
		return Leaf{}, downwind.Errorf(downwind.ErrUnreadable, "a leaf of version %d and kind %q is unknown here", l.V, l.Kind)
	}
	again, err := l.Bytes()
	if err != nil {
		return Leaf{}, err
	}
	if string(again) != string(b) {
		return Leaf{}, downwind.Errorf(downwind.ErrInvalid, "the leaf is not in canonical form")
	}
	return l, nil
}

// hashText is the hex SHA-256 form that leaves and bundles use.
func hashText(h [32]byte) string { return hex.EncodeToString(h[:]) }

// Root8 is the short form of a root that messages and pages show: the first 8 hex digits.
func Root8(root tlog.Hash) string { return hex.EncodeToString(root[:4]) }
