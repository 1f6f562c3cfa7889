package proof_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"downwind/proof"
	"downwind/proof/ots"
	"downwind/proof/ots/otstest"
)

// python runs docs/verify.py and returns its exit status and what it printed.
func python(t *testing.T, args ...string) (int, []byte) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 in the path: the second verifier cannot run")
	}
	cmd := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("..", "docs", "verify.py")}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if stderr.Len() > 0 {
		t.Errorf("verify.py says: %s", stderr.Bytes())
	}
	return cmd.ProcessState.ExitCode(), out
}

// TestPythonAgrees gives every case of the tampering list to docs/verify.py: the same exit status as ours.
func TestPythonAgrees(t *testing.T) {
	dir := t.TempDir()
	for i, c := range tamperings(t) {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(dir, strconv.Itoa(i)+".dwproof")
			must(t, os.WriteFile(file, c.data, 0o600))
			args := []string{"--key", c.policy.Key, "--root", c.policy.Root, "--stamps", strconv.Itoa(c.policy.Stamps), "--quorum", strconv.Itoa(c.policy.Quorum)}
			for _, w := range c.policy.Witnesses {
				args = append(args, "--witness", w)
			}
			if len(c.policy.From) > 0 {
				held := filepath.Join(dir, "held")
				must(t, os.WriteFile(held, c.policy.From, 0o600))
				args = append(args, "--from", held)
			}
			if got, out := python(t, append(args, file)...); got != int(c.verdict) {
				t.Errorf("verify.py exits %d, want %d:\n%s", got, c.verdict, out)
			}
		})
	}
}

// TestPythonAgreesOnFlippedBytes compares the two verifiers on bundles with one byte altered, spread over the whole.
func TestPythonAgreesOnFlippedBytes(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	c, _ := l.checkpoint(t, 12)
	pending, complete, root := chain(t, c)
	b.Stamps = []proof.Stamp{proof.NewOTS(pending, calendar), proof.NewOTS(complete, calendar)}
	block := "358391:" + otstest.Header(root, start.Add(3*time.Hour))
	height, header, err := proof.ParseBlock(block)
	must(t, err)
	p := proof.Policy{Key: l.key.Public, Blocks: map[uint64]ots.Header{height: header}}
	whole, dir := encode(t, b), t.TempDir()
	want := map[string]proof.Verdict{}
	for i := 0; i < len(whole); i += 7 {
		data := bytes.Clone(whole)
		data[i] ^= []byte{0x01, 0x20, 0x80}[i%3]
		file := filepath.Join(dir, fmt.Sprintf("%05d.dwproof", i))
		must(t, os.WriteFile(file, data, 0o600))
		want[file] = proof.VerifyBundle(data, p).Verdict
	}
	_, out := python(t, "--json", "--key", l.key.Public, "--bitcoin-block", block, dir)
	var doc struct {
		Files []struct {
			File     string
			Exit     int
			Findings []string
		}
	}
	must(t, json.Unmarshal(out, &doc))
	if len(doc.Files) != len(want) {
		t.Fatalf("verify.py read %d of %d bundles", len(doc.Files), len(want))
	}
	for _, f := range doc.Files {
		if f.Exit != int(want[f.File]) {
			t.Errorf("%s: verify.py says %d, we say %d: %q", filepath.Base(f.File), f.Exit, want[f.File], f.Findings)
		}
	}
}

// TestPythonKnowsWitnesses: time-stamped cosignatures count in both verifiers, and a wrong one spoils the note in both.
func TestPythonKnowsWitnesses(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	b, _ := story(t, l)
	c, signed := l.checkpoint(t, 12)
	private := newPrivate("witness.example")
	key := proof.WitnessKey("witness.example", publicOf(t, private))
	line := proof.Cosign("witness.example", private, c.Text(), 1_773_150_000)
	wrong := proof.Cosign("witness.example", private, c.Text()+"x\n", 1_773_150_000)
	for _, x := range []struct {
		name string
		line []byte
		want proof.Verdict
	}{{"cosigned", line, proof.Valid}, {"not cosigned", nil, proof.Weaker}, {"over another text", wrong, proof.Invalid}} {
		t.Run(x.name, func(t *testing.T) {
			b.Checkpoint = string(signed) + string(x.line)
			data := encode(t, b)
			p := proof.Policy{Key: l.key.Public, Witnesses: []string{key}, Quorum: 1}
			if r := proof.VerifyBundle(data, p); r.Verdict != x.want {
				t.Errorf("ours: %v, want %v: %+v", r.Verdict, x.want, r.Findings)
			}
			file := filepath.Join(t.TempDir(), "x.dwproof")
			must(t, os.WriteFile(file, data, 0o600))
			if got, out := python(t, "--key", l.key.Public, "--witness", key, "--quorum", "1", file); got != int(x.want) {
				t.Errorf("verify.py exits %d, want %d:\n%s", got, x.want, out)
			}
		})
	}
}
