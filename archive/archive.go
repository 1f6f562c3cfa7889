// Package archive decides what changed between two readings of an incident, and what is kept of each.
//
// A feed is a window, not a log: readings are compared by incident id, and updates by id or content, never by date or
// position alone. Compare is pure; what was once read is never lost from the merged state, also when the newer reading
// shows less.
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"downwind"
)

// Canonical returns the incident as canonical JSON (RFC 8785) in the shape of "downwind.feed/v1". Two states are the
// same version when their canonical forms are equal.
func Canonical(inc *downwind.Incident) ([]byte, error) {
	plain, err := json.Marshal(inc)
	if err != nil {
		return nil, fmt.Errorf("canonical form of incident %s: %w", inc.Key(), err)
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("canonical form of incident %s: %w", inc.Key(), err)
	}
	return canonical, nil
}

// Hash returns the SHA-256 of a canonical form in hex.
func Hash(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
