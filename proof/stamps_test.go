package proof_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downwind/proof"
	"downwind/proof/ots"
	"downwind/proof/ots/otstest"
)

const calendar = "https://calendar.example"

// chain is an OpenTimestamps proof over a checkpoint, promised and committed, and the Merkle root that it leads to.
func chain(t testing.TB, c proof.Checkpoint) (pending, complete *ots.Proof, root [sha256.Size]byte) {
	t.Helper()
	digest := sha256.Sum256([]byte(c.Text()))
	pending, err := ots.Answered(digest, otstest.Promise(calendar, []byte("salt")))
	must(t, err)
	complete, err = ots.Parse(pending.Bytes())
	must(t, err)
	found, err := complete.Grow(complete.Attestations()[0], otstest.Commit(358391, []byte("left")))
	if !found || err != nil {
		t.Fatalf("grow: %v, %v", found, err)
	}
	return pending, complete, [sha256.Size]byte(complete.Attestations()[0].Message)
}

// TestOpenTimestamps: what a proof by a calendar is worth with and without the block's header, in both verifiers.
func TestOpenTimestamps(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	good, _ := story(t, l)
	c, _ := l.checkpoint(t, 12)
	older, _ := l.checkpoint(t, 11)
	pending, complete, root := chain(t, c)
	foreign, _, _ := chain(t, older)
	after := start.Add(3 * time.Hour)
	block := func(height string, root [sha256.Size]byte, at time.Time) []string {
		return []string{height + ":" + otstest.Header(root, at)}
	}
	other := sha256.Sum256([]byte("another block"))
	stamp := func(p *ots.Proof) proof.Stamp { return proof.NewOTS(p, calendar) }
	bent := stamp(complete)
	bent.Token = bent.Token[:120] + flip(bent.Token[120:])
	tests := []struct {
		name    string
		stamp   proof.Stamp
		blocks  []string
		verdict proof.Verdict
		state   string
		text    string
	}{
		{"pending", stamp(pending), nil, proof.Weaker, "skipped", "pending: promised by the calendar " + calendar},
		{"pending, and a block is known", stamp(pending), block("358391", root, after), proof.Weaker, "skipped", "pending"},
		{"complete, without a header", stamp(complete), nil, proof.Weaker, "skipped", "complete: it leads to Bitcoin's block 358391"},
		{"complete, with the header", stamp(complete), block("358391", root, after), proof.Valid, "ok", "2026-03-10 17:00:00Z"},
		{"complete, with another block's header", stamp(complete), block("358392", root, after), proof.Weaker, "skipped", "358391"},
		{"the block has another root", stamp(complete), block("358391", other, after), proof.Invalid, "failed", "altered"},
		{"the block is older than the reading", stamp(complete), block("358391", root, start.Add(-2*time.Hour)), proof.Invalid, "failed", "after"},
		{"a miner's clock", stamp(complete), block("358391", root, start.Add(-time.Hour)), proof.Valid, "ok", "13:00:00Z"},
		{"a byte flipped", bent, block("358391", root, after), proof.Invalid, "failed", ""},
		{"over another checkpoint", stamp(foreign), nil, proof.Invalid, "failed", "something else"},
		{"no proof at all", proof.Stamp{Kind: proof.KindOTS, Token: "AAAA"}, nil, proof.Invalid, "failed", "OpenTimestamps proof"},
		{"not base64", proof.Stamp{Kind: proof.KindOTS, Token: "AAA"}, nil, proof.Invalid, "failed", "base64"},
		{"of an unknown kind", proof.Stamp{Kind: "sundial", Token: "AAAA"}, nil, proof.Weaker, "skipped", "sundial"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := good
			b.Stamps = []proof.Stamp{tt.stamp}
			p := proof.Policy{Key: l.key.Public, Stamps: 1, Blocks: map[uint64]ots.Header{}}
			args := []string{"--key", p.Key, "--stamps", "1"}
			for _, text := range tt.blocks {
				height, header, err := proof.ParseBlock(text)
				must(t, err)
				p.Blocks[height] = header
				args = append(args, "--bitcoin-block", text)
			}
			data := encode(t, b)
			r := proof.VerifyBundle(data, p)
			if r.Verdict != tt.verdict {
				t.Errorf("%v, want %v: %+v", r.Verdict, tt.verdict, r.Findings)
			}
			at := len(r.Findings) - 1
			for at > 0 && r.Findings[at].Name != "time stamp" {
				at--
			}
			if f := r.Findings[at]; f.State != tt.state || !strings.Contains(f.Text, tt.text) {
				t.Errorf("finding %+v, want %s with %q", f, tt.state, tt.text)
			}
			file := filepath.Join(t.TempDir(), "x.dwproof")
			must(t, os.WriteFile(file, data, 0o600))
			if got, out := python(t, append(args, file)...); got != int(tt.verdict) {
				t.Errorf("verify.py exits %d, want %d:\n%s", got, tt.verdict, out)
			}
		})
	}
}

// flip changes the first digit of a base64 text.
func flip(s string) string {
	if s[0] == 'B' {
		return "C" + s[1:]
	}
	return "B" + s[1:]
}

func TestParseBlockRefuses(t *testing.T) {
	header := otstest.Header(sha256.Sum256(nil), start)
	for _, bad := range []string{"", "358391", header, "-1:" + header, "358391:" + header[2:], "358391:" + header + "\n"} {
		if _, _, err := proof.ParseBlock(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
