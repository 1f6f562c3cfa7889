package proof

import (
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Stamped is what a good time stamp says.
type Stamped struct {
	// Signer is the name in the authority's certificate; At its time, UTC.
	Signer string
	At     time.Time
}

// NewWitness reads a witness's verifier key in the form of signed notes (Ed25519).
func NewWitness(key string) (note.Verifier, error) { return note.NewVerifier(key) }
