package proof_test

import (
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"downwind/proof"
)

// TestBundleSize: in a log of a million leaves a bundle with an earlier entry has at most 6 kB without state, body and stamps.
func TestBundleSize(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	const size = 1_000_000
	blank := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) { return make([]tlog.Hash, len(indexes)), nil })
	inclusion, err := tlog.ProveRecord(size, size-500_003, blank)
	must(t, err)
	e := proof.NewEntry([]byte(b.Leaf), size-500_003, inclusion)
	signed, err := proof.Checkpoint{Origin: l.key.Verifier.Name(), Size: size}.Sign(l.key.Signer)
	must(t, err)
	b.Index, b.Inclusion, b.Earlier, b.Checkpoint, b.State, b.Body = e.Index, e.Inclusion, []proof.Entry{e}, string(signed), "", ""
	n := len(encode(t, b))
	t.Logf("%d bytes, %d hashes each", n, len(inclusion))
	if n > 6000 {
		t.Errorf("%d bytes, want at most 6000", n)
	}
}
