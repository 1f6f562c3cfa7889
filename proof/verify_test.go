package proof_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"downwind/proof"
)

var update = flag.Bool("update", false, "write the golden bundles anew")

// tamperings are what somebody may do to a bundle: each with the exit status and the check that must name it. The good
// ones stand among them.
func tamperings(t testing.TB) []struct {
	name    string
	data    []byte
	policy  proof.Policy
	verdict proof.Verdict
	finding string
} {
	l, other := newTree(t, "downwind.example/log"), newTree(t, "downwind.example/log")
	good, at := story(t, l)
	other.key = newKey(t, "another.example/log")
	foreign, _ := story(t, other)
	// A fork: the same operator signs another tree of the same size.
	fork := newTree(t, "downwind.example/log")
	for _, leaf := range l.leaves[:at] {
		fork.raw(t, leaf)
	}
	altered := proof.NewLeaf(version(2), sha(state(1)))
	altered.SeenAt = "2026-03-10T13:00:00.000000Z"
	fork.add(t, altered)
	for _, leaf := range l.leaves[at+1:] {
		fork.raw(t, leaf)
	}
	_, forked := fork.checkpoint(t, int64(len(fork.leaves)))
	_, shorter := l.checkpoint(t, at)
	size := int64(len(l.leaves))
	held, heldSigned := l.checkpoint(t, size)
	change := func(f func(*proof.Bundle)) []byte {
		b := good
		b.Inclusion = append([]string{}, good.Inclusion...)
		b.Earlier = append([]proof.Entry{}, good.Earlier...)
		f(&b)
		return encode(t, b)
	}
	whole := encode(t, good)
	trusted := proof.Policy{Key: l.key.Public}
	return []struct {
		name    string
		data    []byte
		policy  proof.Policy
		verdict proof.Verdict
		finding string
	}{
		{"untouched", whole, trusted, proof.Valid, ""},
		{"own key", whole, proof.Policy{}, proof.Valid, ""},
		{"without body", change(func(b *proof.Bundle) { b.Body = "" }), trusted, proof.Valid, ""},
		{"without state", change(func(b *proof.Bundle) { b.State = "" }), trusted, proof.Weaker, "state"},
		{"state flipped", change(func(b *proof.Bundle) { b.State = strings.Replace(b.State, "failures", "Failures", 1) }), trusted, proof.Invalid, "state"},
		{"body flipped", change(func(b *proof.Bundle) { b.Body = "A" + b.Body[1:] }), trusted, proof.Invalid, "body"},
		{"body truncated", change(func(b *proof.Bundle) { b.Body = b.Body[:len(b.Body)-4] }), trusted, proof.Invalid, "body"},
		{"body in another base64", change(func(b *proof.Bundle) { b.Body = b.Body[:20] + "\n" + b.Body[20:] }), trusted, proof.Invalid, "body"},
		{"back-dated leaf", change(func(b *proof.Bundle) { b.Leaf = strings.Replace(b.Leaf, "T14:20", "T13:20", 1) }), trusted, proof.Invalid, "tree"},
		{"leaf not canonical", change(func(b *proof.Bundle) { b.Leaf = strings.Replace(b.Leaf, `,"kind"`, `, "kind"`, 1) }), trusted, proof.Invalid, "leaf"},
		{"leaf with a field more", change(func(b *proof.Bundle) { b.Leaf = strings.Replace(b.Leaf, `{"`, `{"a":1,"`, 1) }), trusted, proof.Invalid, "leaf"},
		{"leaf of another format", change(func(b *proof.Bundle) { b.Leaf = strings.Replace(b.Leaf, `"v":1`, `"v":2`, 1) }), trusted, proof.Invalid, "leaf"},
		{"leaf no JSON", change(func(b *proof.Bundle) { b.Leaf = "x" }), trusted, proof.Invalid, "leaf"},
		{"leaf and state of another version", change(func(b *proof.Bundle) { b.Leaf, b.State = string(l.leaves[5]), state(1) }), trusted, proof.Invalid, "tree"},
		{"swapped with a neighbour", change(func(b *proof.Bundle) { b.Index-- }), trusted, proof.Invalid, "tree"},
		{"index beyond the tree", change(func(b *proof.Bundle) { b.Index = size }), trusted, proof.Invalid, "tree"},
		{"index below nothing", change(func(b *proof.Bundle) { b.Index = -1 }), trusted, proof.Invalid, "tree"},
		{"hash dropped", change(func(b *proof.Bundle) { b.Inclusion = b.Inclusion[1:] }), trusted, proof.Invalid, "tree"},
		{"hash flipped", change(func(b *proof.Bundle) { b.Inclusion[1] = b.Inclusion[0] }), trusted, proof.Invalid, "tree"},
		{"hashes swapped", change(func(b *proof.Bundle) { b.Inclusion[0], b.Inclusion[1] = b.Inclusion[1], b.Inclusion[0] }), trusted, proof.Invalid, "tree"},
		{"hash one too many", change(func(b *proof.Bundle) { b.Inclusion = append(b.Inclusion, b.Inclusion[0]) }), trusted, proof.Invalid, "tree"},
		{"hash with unused bits set", change(func(b *proof.Bundle) { b.Inclusion[0] = unused(b.Inclusion[0]) }), trusted, proof.Invalid, "tree"},
		{"hash too short", change(func(b *proof.Bundle) { b.Inclusion[0] = "AAAA" }), trusted, proof.Invalid, "tree"},
		{"checkpoint size changed", change(func(b *proof.Bundle) { b.Checkpoint = strings.Replace(b.Checkpoint, "\n12\n", "\n13\n", 1) }), trusted, proof.Invalid, "checkpoint"},
		{"checkpoint without signature", change(func(b *proof.Bundle) { b.Checkpoint = b.Checkpoint[:strings.Index(b.Checkpoint, "—")] }), trusted, proof.Invalid, "checkpoint"},
		{"checkpoint truncated", change(func(b *proof.Bundle) { b.Checkpoint = b.Checkpoint[:len(b.Checkpoint)-5] }), trusted, proof.Invalid, "checkpoint"},
		{"checkpoint of a smaller tree", change(func(b *proof.Bundle) { b.Checkpoint = string(shorter) }), trusted, proof.Invalid, "tree"},
		{"checkpoint of a fork", change(func(b *proof.Bundle) { b.Checkpoint = string(forked) }), trusted, proof.Invalid, "tree"},
		{"checkpoint of another log", change(func(b *proof.Bundle) { b.Checkpoint = foreign.Checkpoint }), trusted, proof.Invalid, "checkpoint"},
		{"all of another log", encode(t, foreign), trusted, proof.Invalid, "log key"},
		{"key replaced", change(func(b *proof.Bundle) { b.Key = other.key.Public }), proof.Policy{}, proof.Invalid, "checkpoint"},
		{"key unreadable", change(func(b *proof.Bundle) { b.Key = "x" }), proof.Policy{}, proof.Invalid, "log key"},
		{"earlier back-dated", change(func(b *proof.Bundle) { b.Earlier[0].Leaf = strings.Replace(b.Earlier[0].Leaf, "T14:15", "T14:19", 1) }), trusted, proof.Invalid, "earlier"},
		{"earlier of another incident", change(func(b *proof.Bundle) { b.Earlier[0] = l.entry(t, size, 2) }), trusted, proof.Invalid, "earlier"},
		{"earlier is the version itself", change(func(b *proof.Bundle) { b.Earlier[0] = b.Proof() }), trusted, proof.Invalid, "earlier"},
		{"fork against a root that is known", change(func(*proof.Bundle) {}), proof.Policy{Key: l.key.Public, Root: "12:00000000"}, proof.Invalid, "known root"},
		{"the root that is known", whole, proof.Policy{Key: l.key.Public, Root: "12 · " + proof.Root8(held.Root)}, proof.Valid, ""},
		{"a root of another size", whole, proof.Policy{Key: l.key.Public, Root: "9:00000000"}, proof.Weaker, "known root"},
		{"the checkpoint that is held", whole, proof.Policy{Key: l.key.Public, From: heldSigned}, proof.Valid, ""},
		{"fork against the checkpoint held", whole, proof.Policy{Key: l.key.Public, From: forked}, proof.Invalid, "known checkpoint"},
		{"stamp asked for", whole, proof.Policy{Key: l.key.Public, Stamps: 1}, proof.Weaker, "time stamps"},
		{"witness asked for", whole, proof.Policy{Key: l.key.Public, Quorum: 1}, proof.Weaker, "witness"},
		{"bundle truncated", whole[:len(whole)/2], trusted, proof.Unreadable, "bundle"},
		{"bundle with something behind", append(bytes.Clone(whole), "{}"...), trusted, proof.Unreadable, "bundle"},
		{"bundle with an unknown part", bytes.Replace(whole, []byte(`"index"`), []byte(`"Index"`), 1), trusted, proof.Unreadable, "bundle"},
		{"bundle with a part twice", bytes.Replace(whole, []byte(`"index"`), []byte(`"leaf":"","index"`), 1), trusted, proof.Unreadable, "bundle"},
		{"bundle of another format", bytes.Replace(whole, []byte("proof/v1"), []byte("proof/v2"), 1), trusted, proof.Unreadable, "bundle"},
		{"bundle not UTF-8", bytes.Replace(whole, []byte("Connection"), []byte("Connect\xff"), 1), trusted, proof.Unreadable, "bundle"},
		{"leaf dropped", change(func(b *proof.Bundle) { b.Leaf = "" }), trusted, proof.Unreadable, "bundle"},
		{"checkpoint dropped", change(func(b *proof.Bundle) { b.Checkpoint = "" }), trusted, proof.Unreadable, "bundle"},
		{"empty", nil, trusted, proof.Unreadable, "bundle"},
	}
}

// unused sets a bit of the last base64 digit that carries no data: another text for the same bytes.
func unused(s string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	at := len(s) - 2
	return s[:at] + string(digits[strings.IndexByte(digits, s[at])|1]) + s[at+1:]
}

func (l *tree) raw(t testing.TB, leaf []byte) {
	t.Helper()
	hs, err := tlog.StoredHashes(int64(len(l.leaves)), leaf, l)
	must(t, err)
	l.hashes = append(l.hashes, hs...)
	l.leaves = append(l.leaves, leaf)
}

func TestTampering(t *testing.T) {
	for _, c := range tamperings(t) {
		t.Run(c.name, func(t *testing.T) {
			r := proof.VerifyBundle(c.data, c.policy)
			if r.Verdict != c.verdict {
				t.Fatalf("got %v, want %v: %+v", r.Verdict, c.verdict, r.Findings)
			}
			named := ""
			for _, f := range r.Findings {
				if f.State == "failed" || f.State == "weak" {
					named = f.Name
					break
				}
			}
			if named != c.finding {
				t.Errorf("named %q, want %q: %+v", named, c.finding, r.Findings)
			}
			if (c.verdict == proof.Valid || c.verdict == proof.Weaker) != (len(r.Proves) > 0) {
				t.Errorf("verdict %v with sentences %q", r.Verdict, r.Proves)
			}
		})
	}
}

// TestEveryByte flips each byte of a good bundle: no altered bundle may pass as valid with another meaning.
func TestEveryByte(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	whole := encode(t, b)
	for i := range whole {
		for _, bit := range []byte{0x01, 0x20, 0x80} {
			data := bytes.Clone(whole)
			data[i] ^= bit
			r := proof.VerifyBundle(data, proof.Policy{Key: l.key.Public})
			if r.Verdict != proof.Valid {
				continue
			}
			again, err := proof.DecodeBundle(data)
			must(t, err)
			if !bytes.Equal(encode(t, again), whole) {
				t.Errorf("byte %d flipped by %#x: still valid, with another meaning:\n%s", i, bit, data[max(0, i-40):min(len(data), i+40)])
			}
		}
	}
}

func TestProvesInWords(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	r := proof.VerifyBundle(encode(t, b), proof.Policy{})
	text := strings.Join(append(r.Proves, r.DoesNot...), "\n")
	for _, want := range []string{"version 2 of livekit/abc", "still seen at 2026-03-10T14:15:00.000000Z", "no key was given"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// TestGoldenBundle holds the format fast: a bundle written long ago must verify for ever.
func TestGoldenBundle(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	path := filepath.Join("testdata", "story.dwproof")
	if *update {
		must(t, os.WriteFile(path, encode(t, b), 0o644))
	}
	kept, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(kept, encode(t, b)) {
		t.Error("bundles are written in another form than testdata/story.dwproof; run with -update if that is meant")
	}
	if r := proof.VerifyBundle(kept, proof.Policy{Key: l.key.Public}); r.Verdict != proof.Valid {
		t.Errorf("%v: %+v", r.Verdict, r.Findings)
	}
}

func TestLeafTimes(t *testing.T) {
	v := version(1)
	v.SeenAt = time.Date(2026, 3, 10, 15, 0, 0, 123456789, time.FixedZone("CET", 3600))
	if got, want := proof.NewLeaf(v, "").SeenAt, "2026-03-10T14:00:00.123456Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLeafThatFitsNoTile(t *testing.T) {
	v := version(1)
	v.Fetch.URL = "https://status.example/" + strings.Repeat("x", 1<<16)
	if _, err := proof.NewLeaf(v, "").Bytes(); err == nil {
		t.Error("a leaf longer than a tile entry was taken")
	}
}
