package proof_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"downwind/proof"
)

// repeated reads a head, then the same block of entries over and over: an archive of any size without a file.
type repeated struct {
	head, block []byte
	times, at   int
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.times == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.block[r.at:])
	if r.at += n; r.at == len(r.block) {
		r.times, r.at = r.times-1, 0
	}
	return n, nil
}

// million is an archive of times × 256 entries with their incidents.
func million(t testing.TB, times int) func() io.Reader {
	t.Helper()
	key := newKey(t, "downwind.example/log")
	var leaves [][]byte
	var tree proof.Edge
	for i := range 256 {
		v := version(i + 1)
		v.Incident = fmt.Sprintf("incident-%d", i/4)
		b, err := proof.NewLeaf(v, sha(state(1))).Bytes()
		must(t, err)
		leaves = append(leaves, b)
	}
	for range times {
		for _, l := range leaves {
			tree.Add(l)
		}
	}
	signed, err := proof.Checkpoint{Origin: key.Verifier.Name(), Size: int64(256 * times), Root: tree.Root()}.Sign(key.Signer)
	must(t, err)
	var b bytes.Buffer
	w, err := proof.NewArchiveWriter(&b, proof.ArchiveHead{Key: key.Public, Checkpoint: string(signed)})
	must(t, err)
	must(t, w.Flush())
	head := bytes.Clone(b.Bytes())
	b.Reset()
	for i, l := range leaves {
		must(t, w.Entry(l, []byte(state(i+1)), nil))
	}
	must(t, w.Flush())
	return func() io.Reader { return &repeated{head: head, block: b.Bytes(), times: times} }
}

// BenchmarkVerifyArchive verifies archives of 1,000,192 entries with their incidents, and reports entries per second and
// by how much the heap has grown.
func BenchmarkVerifyArchive(b *testing.B) {
	const times = 3907
	open := million(b, times)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rep := proof.VerifyArchive(open(), proof.Policy{})
		runtime.ReadMemStats(&after)
		if rep.Verdict != proof.Valid {
			b.Fatalf("%v: %+v", rep.Verdict, rep.Findings)
		}
		b.ReportMetric(float64(int64(after.HeapSys)-int64(before.HeapSys))/(1<<20), "MB-heap")
	}
	b.ReportMetric(256*times*float64(b.N)/b.Elapsed().Seconds(), "leaves/s")
}
