package proof_test

import (
	"bytes"
	"testing"

	"downwind/proof"
)

// FuzzBundle: hostile bundles never crash the verifier, and what it calls valid reads and writes to the same meaning.
func FuzzBundle(f *testing.F) {
	for _, c := range tamperings(f) {
		f.Add(c.data)
	}
	l := newTree(f, "downwind.example/log")
	story(f, l)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := proof.VerifyBundle(data, proof.Policy{Key: l.key.Public})
		if r.Verdict == proof.Valid && r.Leaf.Provider != "livekit" {
			t.Fatalf("a leaf of %s was never logged", r.Leaf.Provider)
		}
		if len(r.Findings) == 0 {
			t.Fatal("nothing was found")
		}
	})
}

// FuzzLeaf: what is read as a leaf is canonical.
func FuzzLeaf(f *testing.F) {
	b, err := proof.NewLeaf(version(1), "").Bytes()
	must(f, err)
	f.Add(b)
	f.Add([]byte(`{"v":1,"kind":"seen"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := proof.ParseLeaf(data)
		if err != nil {
			return
		}
		again, err := l.Bytes()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("read %q, written %q, %v", data, again, err)
		}
	})
}

// FuzzCheckpoint: no bytes but those that were signed open.
func FuzzCheckpoint(f *testing.F) {
	l := newTree(f, "downwind.example/log")
	story(f, l)
	c, signed := l.checkpoint(f, 12)
	f.Add(signed)
	f.Add([]byte("downwind.example/log\n12\nAAAA\n\n— x y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := proof.OpenCheckpoint(data, l.key.Verifier)
		if err == nil && got != c {
			t.Fatalf("opened %+v, which was never signed", got)
		}
	})
}

// FuzzExtension: what is read as a consistency proof is written back to the same bytes.
func FuzzExtension(f *testing.F) {
	l := newTree(f, "downwind.example/log")
	story(f, l)
	_, signed := l.checkpoint(f, 12)
	f.Add(proof.Extension{Old: 7, Checkpoint: signed}.Encode())
	f.Add([]byte("old 1\nAAAA\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := proof.DecodeExtension(data)
		if err == nil && !bytes.Equal(e.Encode(), data) {
			t.Fatalf("read %q, written %q", data, e.Encode())
		}
	})
}
