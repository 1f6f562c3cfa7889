package proof_test

import (
	"bytes"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"downwind/proof"
)

func TestVerifyExtension(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	story(t, l)
	_, held := l.checkpoint(t, 7)
	_, other := l.checkpoint(t, 6)
	fork := newTree(t, "downwind.example/log")
	for i := range l.leaves {
		fork.raw(t, l.leaves[(i+3)%len(l.leaves)])
	}
	_, forked := fork.checkpoint(t, 7)
	_, newest := l.checkpoint(t, 12)
	tree, err := tlog.ProveTree(12, 7, l)
	must(t, err)
	whole := proof.Extension{Old: 7, Proof: tree, Checkpoint: newest}.Encode()
	short := proof.Extension{Old: 7, Proof: tree[1:], Checkpoint: newest}.Encode()
	key := l.key.Public
	for _, c := range []struct {
		name    string
		data    []byte
		policy  proof.Policy
		want    proof.Verdict
		finding string
	}{
		{"continues", whole, proof.Policy{Key: key, From: held}, proof.Valid, ""},
		{"without a key", whole, proof.Policy{From: held}, proof.Weaker, "log key"},
		{"without a checkpoint of one's own", whole, proof.Policy{Key: key}, proof.Weaker, "known checkpoint"},
		{"from another size", whole, proof.Policy{Key: key, From: other}, proof.Weaker, "known checkpoint"},
		{"a fork", whole, proof.Policy{Key: key, From: forked}, proof.Invalid, "known checkpoint"},
		{"a hash dropped", short, proof.Policy{Key: key, From: held}, proof.Invalid, "known checkpoint"},
		{"the checkpoint altered", bytes.Replace(whole, []byte("\n12\n"), []byte("\n13\n"), 1), proof.Policy{Key: key, From: held}, proof.Invalid, "checkpoint"},
		{"another log's key", whole, proof.Policy{Key: newKey(t, "another.example/log").Public, From: held}, proof.Invalid, "checkpoint"},
		{"cut", whole[:20], proof.Policy{Key: key, From: held}, proof.Unreadable, "proof"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := proof.VerifyExtension(c.data, c.policy)
			named := ""
			for _, f := range r.Findings {
				if f.State == "failed" || f.State == "weak" {
					named = f.Name
					break
				}
			}
			if r.Verdict != c.want || named != c.finding {
				t.Errorf("%v, named %q; want %v, %q: %+v", r.Verdict, named, c.want, c.finding, r.Findings)
			}
			if (r.Verdict == proof.Valid) != (len(r.Proves) > 0) && c.name != "without a key" {
				t.Errorf("sentences %q", r.Proves)
			}
		})
	}
}
