package proof_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"downwind/proof"
)

// export writes a log with two checkpoints, one within and one at the end.
func export(t testing.TB, l *tree, states map[int64]string) string {
	t.Helper()
	size := int64(len(l.leaves))
	_, end := l.checkpoint(t, size)
	var b bytes.Buffer
	w, err := proof.NewArchiveWriter(&b, proof.ArchiveHead{Key: l.key.Public, Checkpoint: string(end), Checkpoints: 2})
	must(t, err)
	for i, leaf := range l.leaves {
		var raw []byte
		if states[int64(i)] != "" {
			raw = []byte(body)
		}
		must(t, w.Entry(leaf, []byte(states[int64(i)]), raw))
		if n := int64(i + 1); n == size/2 || n == size {
			_, signed := l.checkpoint(t, n)
			must(t, w.Checkpoint(proof.ArchivedCheckpoint{Signed: string(signed), At: "2026-03-10T16:00:00Z"}))
		}
	}
	must(t, w.Flush())
	return b.String()
}

// ambiguous is an archive of one entry whose leaf holds two hashes of an incident, of which its operator may show either.
func ambiguous(t testing.TB) string {
	t.Helper()
	b, err := proof.NewLeaf(version(2), sha(state(1))).Bytes()
	must(t, err)
	l := newTree(t, "downwind.example/log")
	l.raw(t, bytes.Replace(b, []byte(`"fetch":{`), []byte(`"fetch":{"a":"","state":"`+sha(state(1))+`",`), 1))
	_, end := l.checkpoint(t, 1)
	var out bytes.Buffer
	w, err := proof.NewArchiveWriter(&out, proof.ArchiveHead{Key: l.key.Public, Checkpoint: string(end)})
	must(t, err)
	must(t, w.Entry(l.leaves[0], []byte(state(1)), nil))
	must(t, w.Flush())
	return out.String()
}

// storyStates are the incidents of the story's version leaves.
func storyStates() map[int64]string {
	out := map[int64]string{5: state(1), 7: state(2)}
	for _, i := range []int64{0, 1, 2, 3, 4, 8, 9, 10, 11} {
		out[i] = state(1)
	}
	return out
}

func TestArchiveTampering(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	story(t, l)
	whole := export(t, l, storyStates())
	lines := strings.SplitAfter(whole, "\n") // head, 6 entries, checkpoint, 6 entries, checkpoint, ""
	change := func(f func(s []string) []string) string {
		return strings.Join(f(append([]string{}, lines...)), "")
	}
	drop := func(i int) string {
		return change(func(s []string) []string { return append(s[:i:i], s[i+1:]...) })
	}
	other := newTree(t, "downwind.example/log")
	other.key = newKey(t, "another.example/log")
	story(t, other)
	fork := newTree(t, "downwind.example/log")
	for i := range l.leaves {
		fork.raw(t, l.leaves[(i+3)%len(l.leaves)])
	}
	_, forked7 := fork.checkpoint(t, 7)
	_, held7 := l.checkpoint(t, 7)
	c7, _ := l.checkpoint(t, 7)
	longer := newTree(t, "downwind.example/log")
	story(t, longer)
	longer.add(t, proof.NewLeaf(version(3), ""))
	_, held13 := longer.checkpoint(t, 13)
	_, forkedEnd := fork.checkpoint(t, 12)
	key := l.key.Public
	trusted := proof.Policy{Key: key}
	raw := base64.StdEncoding.EncodeToString([]byte(body))
	for _, c := range []struct {
		name, data string
		policy     proof.Policy
		want       proof.Verdict
		finding    string
	}{
		{"a leaf that can be read in two ways", ambiguous(t), proof.Policy{}, proof.Invalid, "leaf"},
		{"untouched", whole, trusted, proof.Valid, ""},
		{"own key", whole, proof.Policy{}, proof.Valid, ""},
		{"continues the checkpoint held", whole, proof.Policy{Key: key, From: held7}, proof.Valid, ""},
		{"continues the root known", whole, proof.Policy{Key: key, Root: "7:" + proof.Root8(c7.Root)}, proof.Valid, ""},
		{"forks from the checkpoint held", whole, proof.Policy{Key: key, From: forked7}, proof.Invalid, "known checkpoint"},
		{"forks from the root known", whole, proof.Policy{Key: key, Root: "7:00000000"}, proof.Invalid, "known root"},
		{"older than the checkpoint held", whole, proof.Policy{Key: key, From: held13}, proof.Weaker, "known checkpoint"},
		{"older than the root known", whole, proof.Policy{Key: key, Root: "13:00000000"}, proof.Weaker, "known root"},
		{"leaf flipped", strings.Replace(whole, "T14:15", "T14:16", 1), trusted, proof.Invalid, "tree"},
		{"state flipped", strings.Replace(whole, `"updates":2`, `"updates":3`, 1), trusted, proof.Invalid, "state"},
		{"body flipped", strings.Replace(whole, raw, "A"+raw[1:], 1), trusted, proof.Invalid, "body"},
		{"state dropped", strings.Replace(whole, state(2), "", 1), trusted, proof.Weaker, "state"},
		{"body dropped", strings.Replace(whole, raw, "", 1), trusted, proof.Valid, ""},
		{"entry dropped", drop(3), trusted, proof.Invalid, "checkpoints"},
		{"last entry dropped", drop(13), trusted, proof.Invalid, "checkpoints"},
		{"entries swapped", change(func(s []string) []string { s[2], s[3] = s[3], s[2]; return s }), trusted, proof.Invalid, "tree"},
		{"entry twice", change(func(s []string) []string { s[2] = s[2] + s[2]; return s }), trusted, proof.Invalid, "checkpoints"},
		{"entry behind the end", whole + lines[2], trusted, proof.Invalid, "tree"},
		{"checkpoint dropped", drop(7), trusted, proof.Invalid, "checkpoints"},
		{"checkpoint moved", change(func(s []string) []string { s[7], s[8] = s[8], s[7]; return s }), trusted, proof.Invalid, "checkpoints"},
		{"checkpoint's signature flipped", change(func(s []string) []string { s[7] = spoil(s[7]); return s }), trusted, proof.Invalid, "checkpoints"},
		{"checkpoint of a fork", strings.Replace(whole, quoted(lines[0], "checkpoint"), quoted(export(t, fork, nil), "checkpoint"), 1), trusted, proof.Invalid, "tree"},
		{"truncated", strings.Join(lines[:11], ""), trusted, proof.Invalid, "tree"},
		{"truncated within a line", whole[:len(whole)-30], trusted, proof.Invalid, "archive"},
		{"key replaced", strings.Replace(whole, key, other.key.Public, 1), trusted, proof.Invalid, "log key"},
		{"all of another log", export(t, other, storyStates()), trusted, proof.Invalid, "log key"},
		{"line of another kind", change(func(s []string) []string { s[3] = "x" + s[3]; return s }), trusted, proof.Unreadable, "archive"},
		{"head dropped", drop(0), trusted, proof.Unreadable, "archive"},
		{"another format", strings.Replace(whole, "archive/v1", "archive/v2", 1), trusted, proof.Unreadable, "archive"},
		{"empty", "", trusted, proof.Unreadable, "archive"},
		{"stamp asked for", whole, proof.Policy{Key: key, Stamps: 1}, proof.Weaker, "time stamps"},
		{"held checkpoint of a fork at the end", whole, proof.Policy{Key: key, From: forkedEnd}, proof.Invalid, "known checkpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := proof.VerifyArchive(strings.NewReader(c.data), c.policy)
			named := ""
			for _, f := range r.Findings {
				if f.State == "failed" || f.State == "weak" {
					named = f.Name
					break
				}
			}
			if r.Verdict != c.want || named != c.finding {
				t.Errorf("got %v named %q, want %v named %q: %+v", r.Verdict, named, c.want, c.finding, r.Findings)
			}
			if (c.want == proof.Valid || c.want == proof.Weaker) != (len(r.Proves) > 0) {
				t.Errorf("verdict %v with sentences %q", r.Verdict, r.Proves)
			}
		})
	}
}

// spoil alters a base64 digit within the last signature of a checkpoint line.
func spoil(line string) string {
	at := strings.Index(line, `=\n","at"`) - 10
	digit := "A"
	if line[at] == 'A' {
		digit = "B"
	}
	return line[:at] + digit + line[at+1:]
}

// quoted is the JSON text of a name's value in an archive's head.
func quoted(head, name string) string {
	_, rest, _ := strings.Cut(head, fmt.Sprintf(`"%s":"`, name))
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func TestCompressedArchive(t *testing.T) {
	l := newTree(t, "downwind.example/log")
	story(t, l)
	w, err := zstd.NewWriter(nil)
	must(t, err)
	small := w.EncodeAll([]byte(export(t, l, storyStates())), nil)
	if r := proof.VerifyArchive(bytes.NewReader(small), proof.Policy{Key: l.key.Public}); r.Verdict != proof.Valid {
		t.Errorf("%v: %+v", r.Verdict, r.Findings)
	}
	if r := proof.VerifyArchive(bytes.NewReader(small[:len(small)/2]), proof.Policy{}); r.Verdict != proof.Invalid && r.Verdict != proof.Unreadable {
		t.Errorf("half of it: %v", r.Verdict)
	}
}
