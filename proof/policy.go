package proof

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"downwind"
	"downwind/proof/ots"
)

// Policy says what a verifier asks for. The zero Policy takes the bundle's own key and no time stamp.
type Policy struct {
	// Key is the log's verifier key (name+hash+base64); empty: the bundle's own, which is said in the report.
	Key string
	// Stamps is how many time stamps of different authorities are asked for.
	Stamps int
	// Witnesses are the keys that may cosign, Quorum how many must.
	Witnesses []string
	Quorum    int
	// Roots judges RFC 3161 time stamps by pinned certificates (NewJudge); nil: they are not judged.
	Roots Judge
	// Blocks are headers of Bitcoin blocks by height that the verifier trusts: they judge OpenTimestamps proofs.
	Blocks map[uint64]ots.Header
	// From is a signed checkpoint that the verifier kept from earlier: the log must be a continuation of its tree.
	From []byte
	// Root is what a message's footer said, "9120:3f9c1d2e" (size and the first 8 hex digits of the root).
	Root string
}

// Check reports what of the policy cannot be read: the verifier's own mistake, which says nothing of what is verified.
func (p Policy) Check() error {
	if p.Key != "" {
		if _, err := note.NewVerifier(p.Key); err != nil {
			return downwind.Errorf(downwind.ErrUnreadable, "%q is no verifier key, as in example.org/log+8febcc55+AbCd…", p.Key)
		}
	}
	for _, w := range p.Witnesses {
		if _, err := NewWitness(w); err != nil {
			return err
		}
	}
	if p.Root != "" {
		if _, _, err := parseRoot(p.Root); err != nil {
			return err
		}
	}
	if len(p.From) > 0 {
		if _, err := parseCheckpoint(string(p.From)); err != nil {
			return fmt.Errorf("the checkpoint that you kept: %w", err)
		}
	}
	return nil
}

// readHeld reads a checkpoint that the verifier kept; with a key its signature is checked too.
func readHeld(signed []byte, key string) (Checkpoint, error) {
	if key != "" {
		v, err := note.NewVerifier(key)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("%q is no verifier key", key)
		}
		c, _, err := OpenCheckpoint(signed, v)
		return c, err
	}
	return parseCheckpoint(string(signed))
}

// parseRoot reads "9120:3f9c1d2e", also with the middle dot of footers.
func parseRoot(s string) (size int64, root8 string, err error) {
	n, root8, ok := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(s, " · ", ":"), " ", ""), ":")
	size, err = strconv.ParseInt(n, 10, 64)
	if !ok || err != nil || size < 1 || len(root8) != 8 || strings.Trim(root8, "0123456789abcdef") != "" {
		return 0, "", downwind.Errorf(downwind.ErrUnreadable, "%q is not a size and 8 hex digits, as in 9120:3f9c1d2e", s)
	}
	return size, root8, nil
}
