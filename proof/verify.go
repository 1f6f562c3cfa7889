package proof

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// Verdict is the outcome of a verification; its value is the exit status of `downwind verify`.
type Verdict int

// The verdicts.
const (
	Valid      Verdict = 0
	Invalid    Verdict = 2
	Weaker     Verdict = 3
	Unreadable Verdict = 4
)

// String says the verdict to people.
func (v Verdict) String() string {
	if v == Weaker {
		return "VALID, BUT WEAKER THAN ASKED"
	}
	return strings.ToUpper(v.Word())
}

// Word says the verdict to programs: "valid", "invalid", "weaker" or "unreadable".
func (v Verdict) Word() string {
	return map[Verdict]string{Valid: "valid", Invalid: "invalid", Weaker: "weaker", Unreadable: "unreadable"}[v]
}

// A Finding is one thing that was checked.
type Finding struct {
	Name string `json:"name"`
	// State is "ok", "failed", "weak" or "skipped".
	State string `json:"state"`
	Text  string `json:"text"`
}

// A Report says what was checked and what that proves.
type Report struct {
	Verdict  Verdict   `json:"-"`
	Findings []Finding `json:"findings"`
	// Proves and DoesNot are sentences for people.
	Proves  []string `json:"proves"`
	DoesNot []string `json:"does_not_prove"`
	// Leaf is the entry that was proved; none for a whole archive.
	Leaf Leaf `json:"leaf,omitzero"`
}

func (r *Report) add(name, state, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{name, state, fmt.Sprintf(format, args...)})
	switch state {
	case "failed":
		r.Verdict = Invalid
	case "weak":
		if r.Verdict == Valid {
			r.Verdict = Weaker
		}
	}
}

// VerifyBundle checks a bundle offline. It never panics; what cannot be read gives Unreadable with the reason.
func VerifyBundle(data []byte, p Policy) Report {
	var r Report
	b, err := DecodeBundle(data)
	if err != nil {
		r.add("bundle", "failed", "%v", err)
		r.Verdict = Unreadable
		return r
	}
	leaf, err := ParseLeaf([]byte(b.Leaf))
	if err != nil {
		r.add("leaf", "failed", "%v", err)
		return r
	}
	r.Leaf = leaf
	checkContents(&r, &b, leaf)
	c, ok := checkCheckpoint(&r, &b, p)
	if !ok {
		return r
	}
	checkInclusion(&r, "tree", b.Proof(), c)
	checkHeld(&r, c, p)
	for _, e := range b.Earlier {
		checkEarlier(&r, e, leaf, b.Index, c)
	}
	checkStamps(&r, b.Stamps, c, leaf.SeenAt, p)
	r.sum(leaf, c, p)
	return r
}

// checkContents compares state and body with their hashes in the leaf.
func checkContents(r *Report, b *Bundle, leaf Leaf) {
	switch {
	case b.State == "":
		r.add("state", "weak", "the incident itself is not in the bundle; only its hash is proved")
	case hashText(sha256.Sum256([]byte(b.State))) != leaf.State:
		r.add("state", "failed", "the incident in the bundle is not the one whose hash the log holds: it was altered")
	default:
		r.add("state", "ok", "the incident's SHA-256 stands in the leaf")
	}
	if b.Body == "" {
		r.add("body", "skipped", "the raw answer of the page is not in the bundle")
		return
	}
	body, err := unbase64(b.Body)
	switch {
	case err != nil:
		r.add("body", "failed", "the raw answer is not base64")
	case hashText(sha256.Sum256(body)) != leaf.Fetch.Body:
		r.add("body", "failed", "the raw answer in the bundle is not the one whose hash the log holds: it was altered")
	default:
		r.add("body", "ok", "the raw answer's SHA-256 stands in the leaf")
	}
}

func checkCheckpoint(r *Report, b *Bundle, p Policy) (Checkpoint, bool) {
	key := p.Key
	if key == "" {
		key = b.Key
		r.add("log key", "skipped", "no key was given: the bundle's own is used (%s); compare it with the one that the log publishes", key)
	} else if key != b.Key {
		r.add("log key", "failed", "the bundle names the key %s, you trust %s", b.Key, key)
		return Checkpoint{}, false
	}
	v, err := note.NewVerifier(key)
	if err != nil {
		r.add("log key", "failed", "%q is no verifier key", key)
		return Checkpoint{}, false
	}
	var witnesses []note.Verifier
	for _, w := range p.Witnesses {
		wv, err := NewWitness(w)
		if err != nil {
			r.add("witness", "failed", "%v", err)
			return Checkpoint{}, false
		}
		witnesses = append(witnesses, wv)
	}
	c, names, err := OpenCheckpoint([]byte(b.Checkpoint), v, witnesses...)
	if err != nil {
		state := "failed"
		r.add("checkpoint", state, "%v", err)
		if errors.Is(err, downwind.ErrUnreadable) {
			r.Verdict = Unreadable
		}
		return Checkpoint{}, false
	}
	r.add("checkpoint", "ok", "%s, size %d, root %s, signature good", c.Origin, c.Size, Root8(c.Root))
	if p.Quorum > 0 {
		state := "ok"
		if len(names) < p.Quorum {
			state = "weak"
		}
		r.add("witness", state, "%d of %d asked for: %v", len(names), p.Quorum, names)
	}
	return c, true
}

// checkHeld compares the checkpoint with what the verifier holds from elsewhere. A bundle carries no consistency proof, so
// only equal sizes can be compared; another size is said, and weaker than asked.
func checkHeld(r *Report, c Checkpoint, p Policy) {
	if p.Root != "" {
		size, root8, err := parseRoot(p.Root)
		switch {
		case err != nil:
			r.add("known root", "failed", "%v", err)
		case size != c.Size:
			r.add("known root", "weak", "the checkpoint is of size %d, you know the root of size %d: verify an exported archive against that", c.Size, size)
		case root8 != Root8(c.Root):
			r.add("known root", "failed", "root %s at size %d, you know %s: the log has forked", Root8(c.Root), c.Size, root8)
		default:
			r.add("known root", "ok", "size %d, root %s", c.Size, root8)
		}
	}
	if len(p.From) > 0 {
		from, err := readHeld(p.From, p.Key)
		switch {
		case err != nil:
			r.add("known checkpoint", "failed", "%v", err)
		case from.Size != c.Size:
			r.add("known checkpoint", "weak", "the checkpoint is of size %d, yours of size %d: verify an exported archive or /log/extension/%d of the log against it", c.Size, from.Size, from.Size)
		default:
			checkSame(r, "known checkpoint", from, c.Root)
		}
	}
}

// checkSame compares a root with that of a checkpoint of the same size.
func checkSame(r *Report, name string, from Checkpoint, root tlog.Hash) {
	if from.Root != root {
		r.add(name, "failed", "root %s at size %d, yours is %s: the log has forked", Root8(root), from.Size, Root8(from.Root))
		return
	}
	r.add(name, "ok", "the tree of size %d is the one of your checkpoint", from.Size)
}

// checkInclusion checks that a leaf is in the tree of the checkpoint.
func checkInclusion(r *Report, name string, e Entry, c Checkpoint) {
	proof := make(tlog.RecordProof, 0, len(e.Inclusion))
	for _, s := range e.Inclusion {
		h, err := unbase64(s)
		if err != nil || len(h) != tlog.HashSize {
			r.add(name, "failed", "a hash of the proof is no SHA-256 in base64")
			return
		}
		proof = append(proof, tlog.Hash(h))
	}
	if e.Index < 0 || e.Index >= c.Size {
		r.add(name, "failed", "leaf %d is outside the checkpoint's tree of %d", e.Index, c.Size)
		return
	}
	if err := tlog.CheckRecord(proof, c.Size, c.Root, e.Index, tlog.RecordHash([]byte(e.Leaf))); err != nil {
		r.add(name, "failed", "leaf %d is not in the tree that the checkpoint commits to: it was altered, moved or back-dated", e.Index)
		return
	}
	r.add(name, "ok", "leaf %d, %d hashes, root %s at size %d", e.Index, len(proof), Root8(c.Root), c.Size)
}

// checkEarlier checks a leaf that bounds the old end of an edit.
func checkEarlier(r *Report, e Entry, of Leaf, index int64, c Checkpoint) {
	l, err := ParseLeaf([]byte(e.Leaf))
	switch {
	case err != nil:
		r.add("earlier", "failed", "%v", err)
	case l.Provider != of.Provider || l.Incident != of.Incident:
		r.add("earlier", "failed", "leaf %d is about %s/%s, not about %s/%s", e.Index, l.Provider, l.Incident, of.Provider, of.Incident)
	case l.State != of.Previous || e.Index >= index:
		r.add("earlier", "failed", "leaf %d is not of the version before", e.Index)
	default:
		checkInclusion(r, "earlier", e, c)
		r.Proves = append(r.Proves, fmt.Sprintf("The version before (state %s…) was still seen at %s.", short(l.State), l.SeenAt))
	}
}

// sum says what the findings prove and what they do not.
func (r *Report) sum(l Leaf, c Checkpoint, p Policy) {
	if r.Verdict == Invalid || r.Verdict == Unreadable {
		r.Proves = nil
		return
	}
	r.Proves = append([]string{fmt.Sprintf(
		"The log %s holds version %d of %s/%s, read at %s, and nothing of it was changed since the checkpoint of size %d was signed.",
		c.Origin, l.Number, l.Provider, l.Incident, l.SeenAt, c.Size)}, r.Proves...)
	r.DoesNot = doesNot(p)
}

// doesNot says what no archive can prove.
func doesNot(p Policy) []string {
	list := []string{
		"That the provider showed this to others, or that nothing was said and removed between two readings.",
		"That the time of reading is honest to anything earlier than an outside time stamp or a copy of a checkpoint that others hold.",
	}
	if p.Key == "" {
		list = append(list, "That this is the log you think of: no key was given, and anybody can make a log with a key of their own.")
	}
	return list
}

func short(hash string) string {
	if len(hash) < 8 {
		return hash
	}
	return hash[:8]
}
