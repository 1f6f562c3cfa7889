package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"

	"downwind"
)

// VerifyArchive checks an exported archive in one pass: each incident and raw answer against the hashes in its entry, the
// tree over all entries against every checkpoint in it, and against the one and the root that the verifier holds from
// elsewhere, of whatever size. Memory does not grow with the archive.
func VerifyArchive(in io.Reader, p Policy) Report {
	var r Report
	a, err := NewArchiveReader(in)
	if err != nil {
		r.add("archive", "failed", "%v", err)
		r.Verdict = Unreadable
		return r
	}
	defer a.Close()
	c, ok := checkCheckpoint(&r, &Bundle{Key: a.Head.Key, Checkpoint: a.Head.Checkpoint}, p)
	if !ok {
		return r
	}
	w := walk{r: &r, p: p, head: a.Head, end: c, good: map[string]bool{}}
	if !w.hold() {
		return r
	}
	w.compare()
	for {
		rec, err := a.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.add("archive", "failed", "after entry %d: %v", w.tree.size, err)
			if errors.Is(err, downwind.ErrUnreadable) {
				r.Verdict = Unreadable
			}
			return r
		}
		if !w.record(rec) {
			return r
		}
	}
	w.finish()
	return r
}

// walk is a verification on its way through an archive.
type walk struct {
	r    *Report
	p    Policy
	head ArchiveHead
	end  Checkpoint
	tree Edge
	// from and root are what the verifier holds; done counts which of them were met.
	from     *Checkpoint
	rootSize int64
	root8    string

	last                               []byte
	checkpoints, states, bodies, naked int
	good                               map[string]bool
}

// hold reads what the verifier holds from elsewhere.
func (w *walk) hold() bool {
	if w.p.Root != "" {
		size, root8, err := parseRoot(w.p.Root)
		if err != nil {
			w.r.add("known root", "failed", "%v", err)
			return false
		}
		if w.rootSize, w.root8 = size, root8; size > w.end.Size {
			w.r.add("known root", "weak", "you know the root of size %d, the archive ends at size %d: it is older", size, w.end.Size)
		}
	}
	if len(w.p.From) > 0 {
		from, err := readHeld(w.p.From, w.p.Key)
		if err != nil {
			w.r.add("known checkpoint", "failed", "%v", err)
			return false
		}
		if w.from = &from; from.Size > w.end.Size {
			w.r.add("known checkpoint", "weak", "yours is of size %d, the archive ends at size %d: it is older", from.Size, w.end.Size)
		}
	}
	return true
}

// compare holds the tree so far against what is known of its size.
func (w *walk) compare() {
	if w.from != nil && w.from.Size == w.tree.size {
		checkSame(w.r, "known checkpoint", *w.from, w.tree.Root())
	}
	if w.root8 != "" && w.rootSize == w.tree.size {
		if got := Root8(w.tree.Root()); got != w.root8 {
			w.r.add("known root", "failed", "root %s at size %d, you know %s: the log has forked", got, w.rootSize, w.root8)
		} else {
			w.r.add("known root", "ok", "size %d, root %s", w.rootSize, got)
		}
	}
}

// record takes one line; false ends the walk.
func (w *walk) record(rec Record) bool {
	if rec.Checkpoint != nil {
		return w.checkpoint(*rec.Checkpoint)
	}
	at := w.tree.size
	if at >= w.end.Size {
		w.r.add("tree", "failed", "entries follow behind the %d that the checkpoint covers", w.end.Size)
		return false
	}
	w.tree.Add(rec.Leaf)
	w.last = append(w.last[:0], rec.Leaf...)
	w.compare()
	return w.contents(at, rec)
}

// contents compares an entry's incident and raw answer with the hashes in its leaf.
func (w *walk) contents(at int64, rec Record) bool {
	leaf, ok := readShape(rec.Leaf)
	if !ok {
		w.r.add("leaf", "failed", "entry %d is not in the form of a leaf", at)
		return false
	}
	if len(rec.State) > 0 {
		if !hashes(rec.State, leaf.state) {
			w.r.add("state", "failed", "entry %d: the incident is not the one whose hash the entry holds: one of them was altered", at)
			return false
		}
		w.states++
	} else if leaf.version {
		w.naked++
	}
	if len(rec.Body) > 0 {
		body := make([]byte, base64.StdEncoding.DecodedLen(len(rec.Body)))
		n, err := base64.StdEncoding.Strict().Decode(body, rec.Body)
		if err != nil || !hashes(body[:n], leaf.body) {
			w.r.add("body", "failed", "entry %d: the raw answer is not the one whose hash the entry holds: one of them was altered", at)
			return false
		}
		w.bodies++
	}
	return true
}

func hashes(data, want []byte) bool {
	sum := sha256.Sum256(data)
	var text [64]byte
	hex.Encode(text[:], sum[:])
	return bytes.Equal(text[:], want)
}

// checkpoint compares a checkpoint with the tree so far.
func (w *walk) checkpoint(ac ArchivedCheckpoint) bool {
	key := ac.Key
	if key == "" {
		key = w.head.Key
	}
	v, err := note.NewVerifier(key)
	if err != nil {
		w.r.add("checkpoints", "failed", "behind entry %d: %q is no verifier key", w.tree.size, key)
		return false
	}
	c, _, err := OpenCheckpoint([]byte(ac.Signed), v)
	switch {
	case err != nil:
		w.r.add("checkpoints", "failed", "behind entry %d: %v", w.tree.size, err)
	case c.Size != w.tree.size:
		w.r.add("checkpoints", "failed", "a checkpoint of size %d stands behind %d entries: entries were dropped, added or moved", c.Size, w.tree.size)
	case c.Root != w.tree.Root():
		w.r.add("tree", "failed", "the %d entries up to a checkpoint are not those that it commits to: one was altered, moved or back-dated, or the log has forked", c.Size)
	default:
		w.checkpoints++
		if len(ac.Stamps) > 0 {
			w.stamps(ac.Stamps, c)
		}
		return true
	}
	return false
}

func (w *walk) stamps(stamps []Stamp, c Checkpoint) {
	newest := ""
	if l, err := ParseLeaf(w.last); err == nil {
		newest = l.SeenAt
	}
	all := w.p
	all.Stamps = 0 // counted over the whole archive
	for root := range checkStamps(w.r, stamps, c, newest, all) {
		w.good[root] = true
	}
}

// finish judges the whole.
func (w *walk) finish() {
	switch {
	case w.tree.size < w.end.Size:
		w.r.add("tree", "failed", "the archive ends after %d of %d entries: it is truncated", w.tree.size, w.end.Size)
	case w.tree.Root() != w.end.Root:
		w.r.add("tree", "failed", "the entries are not those that the checkpoint commits to: one was altered, moved or back-dated")
	default:
		w.r.add("tree", "ok", "%d entries, root %s", w.tree.size, Root8(w.end.Root))
	}
	if w.checkpoints != w.head.Checkpoints {
		w.r.add("checkpoints", "failed", "%d of the %d that the head names: some were dropped or added", w.checkpoints, w.head.Checkpoints)
	} else {
		w.r.add("checkpoints", "ok", "%d, all of this tree", w.checkpoints)
	}
	if w.naked > 0 {
		w.r.add("state", "weak", "%d versions stand without their incident; only their hashes are proved", w.naked)
	}
	w.r.add("contents", "ok", "%d incidents and %d raw answers have the hashes of their entries", w.states, w.bodies)
	if len(w.good) < w.p.Stamps {
		w.r.add("time stamps", "weak", "%d good ones of different authorities, %d asked for", len(w.good), w.p.Stamps)
	}
	if w.r.Verdict == Invalid {
		w.r.Proves = nil
		return
	}
	w.r.Proves = append([]string{fmt.Sprintf(
		"The log %s holds these %d entries and no others, and nothing of them was changed since the checkpoint of size %d was signed.",
		w.end.Origin, w.end.Size, w.end.Size)}, w.r.Proves...)
	w.r.DoesNot = doesNot(w.p)
}
