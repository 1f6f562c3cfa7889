package proof_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
	"downwind/proof"
)

var start = time.Date(2026, 3, 10, 14, 0, 0, 0, time.UTC)

// tree is a log in memory: what the tables hold, without a database.
type tree struct {
	leaves [][]byte
	hashes []tlog.Hash
	key    proof.Key
}

// ReadHashes implements tlog.HashReader.
func (l *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, n := range indexes {
		if n >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("hash %d is not stored", n)
		}
		out[i] = l.hashes[n]
	}
	return out, nil
}

func newTree(t testing.TB, name string) *tree {
	t.Helper()
	return &tree{key: newKey(t, name)}
}

func newKey(t testing.TB, name string) proof.Key {
	t.Helper()
	skey, _, err := note.GenerateKey(zeroes(name), name)
	must(t, err)
	k, err := proof.ParseKey(skey)
	must(t, err)
	return k
}

// zeroes is a source of the same "random" bytes for the same name, so that golden files stay.
type zeroes string

// Read implements io.Reader.
func (z zeroes) Read(p []byte) (int, error) {
	sum := sha256.Sum256([]byte(z))
	return copy(p, sum[:]), nil
}

func (l *tree) add(t testing.TB, leaf proof.Leaf) int64 {
	t.Helper()
	b, err := leaf.Bytes()
	must(t, err)
	n := int64(len(l.leaves))
	hs, err := tlog.StoredHashes(n, b, l)
	must(t, err)
	l.hashes = append(l.hashes, hs...)
	l.leaves = append(l.leaves, b)
	return n
}

func (l *tree) checkpoint(t testing.TB, size int64) (proof.Checkpoint, []byte) {
	t.Helper()
	root, err := tlog.TreeHash(size, l)
	must(t, err)
	c := proof.Checkpoint{Origin: l.key.Verifier.Name(), Size: size, Root: root}
	signed, err := c.Sign(l.key.Signer)
	must(t, err)
	return c, signed
}

func (l *tree) entry(t testing.TB, size, index int64) proof.Entry {
	t.Helper()
	p, err := tlog.ProveRecord(size, index, l)
	must(t, err)
	return proof.NewEntry(l.leaves[index], index, p)
}

const body = `{"incidents":[{"id":"abc","name":"Connection failures"}]}`

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func state(n int) string {
	return fmt.Sprintf(`{"id":"abc","title":"Connection failures","updates":%d}`, n)
}

func version(n int) downwind.Version {
	return downwind.Version{
		Provider: "livekit", Incident: "abc", Number: n, Hash: sha(state(n)),
		Fetch:  downwind.Fetch{URL: "https://status.example/api", Status: 200, ETag: `"<v>"`, Body: sha(body), TLSHost: "status.example"},
		SeenAt: start.Add(time.Duration(n) * 10 * time.Minute),
	}
}

// story is a log with two versions of an incident, a "seen" between them, and other entries around.
func story(t testing.TB, l *tree) (proof.Bundle, int64) {
	t.Helper()
	for i := range 5 {
		v := version(1)
		v.Incident = fmt.Sprintf("other-%d", i)
		l.add(t, proof.NewLeaf(v, ""))
	}
	l.add(t, proof.NewLeaf(version(1), ""))
	seen := l.add(t, proof.SeenLeaf(version(1), start.Add(15*time.Minute)))
	at := l.add(t, proof.NewLeaf(version(2), sha(state(1))))
	for i := range 4 {
		v := version(1)
		v.Incident = fmt.Sprintf("later-%d", i)
		l.add(t, proof.NewLeaf(v, ""))
	}
	size := int64(len(l.leaves))
	_, signed := l.checkpoint(t, size)
	e := l.entry(t, size, at)
	return proof.Bundle{
		Key: l.key.Public, Leaf: e.Leaf, Index: e.Index, Inclusion: e.Inclusion, Checkpoint: string(signed), State: state(2),
		Body: base64.StdEncoding.EncodeToString([]byte(body)), Earlier: []proof.Entry{l.entry(t, size, seen)},
	}, at
}

func encode(t testing.TB, b proof.Bundle) []byte {
	t.Helper()
	data, err := b.Encode()
	must(t, err)
	return data
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPrivate is a witness's signing key, the same for the same name.
func newPrivate(name string) ed25519.PrivateKey {
	sum := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(sum[:])
}

func publicOf(t testing.TB, private ed25519.PrivateKey) ed25519.PublicKey {
	t.Helper()
	public, ok := private.Public().(ed25519.PublicKey)
	if !ok {
		t.Fatal("no Ed25519 key")
	}
	return public
}
