package proof_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
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
		if r := proof.VerifyArchive(alone(t, l, data), proof.Policy{}); r.Verdict != proof.Weaker {
			t.Fatalf("in an archive %q is %v: %+v", data, r.Verdict, r.Findings)
		}
	})
}

// alone is an archive of one entry without its incident.
func alone(t *testing.T, l proof.Leaf, leaf []byte) io.Reader {
	t.Helper()
	one := newTree(t, "downwind.example/log")
	one.raw(t, leaf)
	_, signed := one.checkpoint(t, 1)
	var b bytes.Buffer
	w, err := proof.NewArchiveWriter(&b, proof.ArchiveHead{Key: one.key.Public, Checkpoint: string(signed)})
	must(t, err)
	if l.Kind == proof.KindSeen {
		t.Skip("it has no incident to lack")
	}
	must(t, w.Entry(leaf, nil, nil))
	must(t, w.Flush())
	return &b
}

// FuzzArchive: hostile archives never crash the verifier, and what it calls valid holds the entries that were signed.
func FuzzArchive(f *testing.F) {
	l := newTree(f, "downwind.example/log")
	story(f, l)
	whole := export(f, l, storyStates())
	f.Add([]byte(whole))
	f.Add([]byte(strings.Replace(whole, `"kind"`, `"kin"`, 1)))
	f.Add([]byte("\x28\xb5\x2f\xfdhead\t{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := proof.VerifyArchive(bytes.NewReader(data), proof.Policy{Key: l.key.Public})
		if len(r.Findings) == 0 {
			t.Fatal("nothing was found")
		}
		if r.Verdict != proof.Valid {
			return
		}
		a, err := proof.NewArchiveReader(bytes.NewReader(data))
		must(t, err)
		defer a.Close()
		for n := 0; ; {
			rec, err := a.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			if rec.Checkpoint != nil {
				continue
			}
			if n >= len(l.leaves) || !bytes.Equal(rec.Leaf, l.leaves[n]) {
				t.Fatalf("entry %d was never logged: %q", n, rec.Leaf)
			}
			n++
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
