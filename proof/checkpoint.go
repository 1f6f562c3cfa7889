package proof

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// A Checkpoint commits to a tree (C2SP tlog-checkpoint): three lines, then signatures of a signed note.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   tlog.Hash
}

// Text is the body of the note.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Sign returns the signed note.
func (c Checkpoint) Sign(signers ...note.Signer) ([]byte, error) {
	b, err := note.Sign(&note.Note{Text: c.Text()}, signers...)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint of size %d: %w", c.Size, err)
	}
	return b, nil
}

// parseCheckpoint reads the body of a note; lines after the third are extensions and are ignored.
func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" {
		return Checkpoint{}, downwind.Errorf(downwind.ErrUnreadable, "a checkpoint has three lines")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, downwind.Errorf(downwind.ErrUnreadable, "the checkpoint's size %q is no number", lines[1])
	}
	root, err := unbase64(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, downwind.Errorf(downwind.ErrUnreadable, "the checkpoint's root is no hash")
	}
	c := Checkpoint{Origin: lines[0], Size: size}
	copy(c.Root[:], root)
	return c, nil
}

// OpenCheckpoint verifies a signed note against the log's key and reads it. Further keys are witnesses; their names
// come back when they signed.
func OpenCheckpoint(signed []byte, key note.Verifier, witnesses ...note.Verifier) (Checkpoint, []string, error) {
	n, err := note.Open(signed, note.VerifierList(append([]note.Verifier{key}, witnesses...)...))
	if err != nil {
		var unverified *note.UnverifiedNoteError
		if errors.As(err, &unverified) {
			return Checkpoint{}, nil, downwind.Errorf(downwind.ErrInvalid, "the checkpoint carries no signature of %s", key.Name())
		}
		return Checkpoint{}, nil, downwind.Errorf(downwind.ErrInvalid, "the checkpoint's signature is wrong: %v", err)
	}
	byLog, names := false, []string(nil)
	for _, s := range n.Sigs {
		if s.Name == key.Name() && s.Hash == key.KeyHash() {
			byLog = true
			continue
		}
		names = append(names, s.Name)
	}
	if !byLog {
		return Checkpoint{}, nil, downwind.Errorf(downwind.ErrInvalid, "the checkpoint carries no signature of %s", key.Name())
	}
	c, err := parseCheckpoint(n.Text)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	if c.Origin != key.Name() {
		return Checkpoint{}, nil, downwind.Errorf(downwind.ErrInvalid, "the checkpoint is of log %q, the key of %q", c.Origin, key.Name())
	}
	return c, names, nil
}

// A Key signs checkpoints.
type Key struct {
	Signer   note.Signer
	Verifier note.Verifier
	// Public is the verifier key in the form of signed notes: name+hash+base64.
	Public string
}

// LoadKey reads the signing key of a log from a file, or makes one at first use (mode 0600). The file holds a signer
// key of golang.org/x/mod/sumdb/note; its name is the log's origin.
func LoadKey(path, origin string) (Key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		skey, _, err := note.GenerateKey(rand.Reader, origin)
		if err != nil {
			return Key{}, fmt.Errorf("make the log's key: %w", err)
		}
		if err := os.WriteFile(path, []byte(skey+"\n"), 0o600); err != nil {
			return Key{}, fmt.Errorf("keep the log's key: %w", err)
		}
		return ParseKey(skey)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read the log's key: %w", err)
	}
	return ParseKey(strings.TrimSpace(string(text)))
}

// ParseKey reads a signer key. Errors do not repeat it.
func ParseKey(skey string) (Key, error) {
	signer, err := note.NewSigner(skey)
	if err != nil {
		return Key{}, downwind.Errorf(downwind.ErrInvalid, "the log's key file holds no signer key")
	}
	parts := strings.SplitN(skey, "+", 5)
	if len(parts) != 5 {
		return Key{}, downwind.Errorf(downwind.ErrInvalid, "the log's key file holds no signer key")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return Key{}, downwind.Errorf(downwind.ErrInvalid, "the log's key file holds no Ed25519 key")
	}
	public, ok := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return Key{}, downwind.Errorf(downwind.ErrInvalid, "the log's key file holds no Ed25519 key")
	}
	vkey, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return Key{}, fmt.Errorf("the log's public key: %w", err)
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return Key{}, fmt.Errorf("the log's public key: %w", err)
	}
	return Key{Signer: signer, Verifier: verifier, Public: vkey}, nil
}
