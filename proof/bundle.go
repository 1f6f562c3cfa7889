package proof

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// BundleSchema names the format of a proof bundle (.dwproof).
const BundleSchema = "downwind.proof/v1"

// A Bundle proves one version of one incident. docs/archive.md documents the format, so that others can verify it.
type Bundle struct {
	Schema string `json:"schema"`
	// Key is the log's verifier key as the sender gives it; a verifier that knows the right key uses that one.
	Key string `json:"key"`
	// Leaf is the entry, exactly as it stands in the log, and Index its place from 0.
	Leaf  string `json:"leaf"`
	Index int64  `json:"index"`
	// Inclusion are the hashes of the proof in base64, the leaf's sibling first.
	Inclusion []string `json:"inclusion"`
	// Checkpoint is the signed note.
	Checkpoint string `json:"checkpoint"`
	// State is the incident's canonical JSON, whose hash stands in the leaf.
	State string `json:"state,omitempty"`
	// Body is the raw body in base64, whose hash stands in the leaf; left out where it was pruned or not asked for.
	Body string `json:"body,omitempty"`
	// Stamps are time stamps over the three lines of the checkpoint's body (each with its line end), without signatures:
	// cosignatures that come later do not break them.
	Stamps []Stamp `json:"stamps,omitempty"`
	// Earlier are leaves of the same incident with their proofs against the same checkpoint: the newest "seen" before
	// this version, which bounds the old end of an edit.
	Earlier []Entry `json:"earlier,omitempty"`
}

// An Entry is one more leaf with its proof.
type Entry struct {
	Leaf      string   `json:"leaf"`
	Index     int64    `json:"index"`
	Inclusion []string `json:"inclusion"`
}

// A Stamp is one time stamp of an outside authority.
type Stamp struct {
	// Kind is "rfc3161" or "opentimestamps"; Authority the address that gave it.
	Kind      string `json:"kind"`
	Authority string `json:"authority"`
	// Token is in base64 the DER of the time-stamp token (RFC 3161 section 2.4.2), or the .ots file.
	Token string `json:"token"`
}

// NewEntry makes an entry from a leaf and its inclusion proof.
func NewEntry(leaf []byte, index int64, inclusion tlog.RecordProof) Entry {
	e := Entry{Leaf: string(leaf), Index: index, Inclusion: []string{}}
	for _, h := range inclusion {
		e.Inclusion = append(e.Inclusion, base64.StdEncoding.EncodeToString(h[:]))
	}
	return e
}

// Proof returns the entry of the bundle's own version.
func (b *Bundle) Proof() Entry { return Entry{Leaf: b.Leaf, Index: b.Index, Inclusion: b.Inclusion} }

// Encode writes the bundle as indented JSON.
func (b *Bundle) Encode() ([]byte, error) {
	b.Schema = BundleSchema
	out, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write proof bundle: %w", err)
	}
	return append(out, '\n'), nil
}

// DecodeBundle reads a bundle. The error says what is not as it must be.
func DecodeBundle(data []byte) (Bundle, error) {
	var b Bundle
	if err := strictJSON(data, &b); err != nil {
		return Bundle{}, downwind.Errorf(downwind.ErrUnreadable, "no proof bundle: %v", err)
	}
	if b.Schema != BundleSchema {
		return Bundle{}, downwind.Errorf(downwind.ErrUnreadable, "no proof bundle: schema is %q, not %q", b.Schema, BundleSchema)
	}
	if b.Leaf == "" || b.Checkpoint == "" {
		return Bundle{}, downwind.Errorf(downwind.ErrUnreadable, "the proof bundle lacks its leaf or its checkpoint")
	}
	return b, nil
}
