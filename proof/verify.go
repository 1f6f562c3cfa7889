package proof

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

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

// String says the verdict in one word.
func (v Verdict) String() string {
	return map[Verdict]string{Valid: "VALID", Invalid: "INVALID", Weaker: "VALID, BUT WEAKER THAN ASKED", Unreadable: "UNREADABLE"}[v]
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
	// Leaf is the entry that was proved.
	Leaf Leaf `json:"leaf"`
}

// Policy says what a verifier asks for. The zero Policy takes the bundle's own key and no time stamp.
type Policy struct {
	// Key is the log's verifier key (name+hash+base64); empty: the bundle's own, which is said in the report.
	Key string
	// Stamps is how many time stamps of different authorities are asked for.
	Stamps int
	// Witnesses are the keys that may cosign, Quorum how many must.
	Witnesses []string
	Quorum    int
	// Roots judges a time stamp: it returns the authority's name and time, or what is wrong with it.
	Roots func(s Stamp, message []byte) (Stamped, error)
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
	leaf, err := parseLeaf([]byte(b.Leaf))
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
	for _, e := range b.Earlier {
		checkEarlier(&r, e, leaf, c)
	}
	checkStamps(&r, &b, p)
	r.sum(leaf, c)
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
	body, err := base64.StdEncoding.DecodeString(b.Body)
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

// checkInclusion checks that a leaf is in the tree of the checkpoint.
func checkInclusion(r *Report, name string, e Entry, c Checkpoint) {
	proof := make(tlog.RecordProof, 0, len(e.Inclusion))
	for _, s := range e.Inclusion {
		h, err := base64.StdEncoding.DecodeString(s)
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
func checkEarlier(r *Report, e Entry, of Leaf, c Checkpoint) {
	l, err := parseLeaf([]byte(e.Leaf))
	switch {
	case err != nil:
		r.add("earlier", "failed", "%v", err)
	case l.Provider != of.Provider || l.Incident != of.Incident:
		r.add("earlier", "failed", "leaf %d is about %s/%s, not about %s/%s", e.Index, l.Provider, l.Incident, of.Provider, of.Incident)
	default:
		checkInclusion(r, "earlier", e, c)
		r.Proves = append(r.Proves, fmt.Sprintf("The version before (state %s…) was still seen at %s.", short(l.State), l.SeenAt))
	}
}

func checkStamps(r *Report, b *Bundle, p Policy) {
	good := map[string]bool{}
	for _, s := range b.Stamps {
		if p.Roots == nil {
			r.add("time stamp", "skipped", "%s: no roots were given to judge it by", s.Authority)
			continue
		}
		st, err := p.Roots(s, []byte(b.Checkpoint))
		if err != nil {
			r.add("time stamp", "failed", "%s: %v", s.Authority, err)
			continue
		}
		good[st.Signer] = true
		r.add("time stamp", "ok", "%s says %s", st.Signer, st.At.UTC().Format("2006-01-02 15:04:05Z"))
		r.Proves = append(r.Proves, fmt.Sprintf("The checkpoint existed at %s, says %s.", st.At.UTC().Format("2006-01-02 15:04:05Z"), st.Signer))
	}
	if len(good) < p.Stamps {
		r.add("time stamps", "weak", "%d good ones of different authorities, %d asked for", len(good), p.Stamps)
	}
}

// sum says what the findings prove and what they do not.
func (r *Report) sum(l Leaf, c Checkpoint) {
	if r.Verdict == Invalid || r.Verdict == Unreadable {
		r.Proves = nil
		return
	}
	r.Proves = append([]string{fmt.Sprintf(
		"The log %s holds version %d of %s/%s, read at %s, and nothing of it was changed since the checkpoint of size %d was signed.",
		c.Origin, l.Number, l.Provider, l.Incident, l.SeenAt, c.Size)}, r.Proves...)
	r.DoesNot = []string{
		"That the provider showed this to others, or that nothing was said and removed between two readings.",
		"That the time of reading is honest to anything earlier than an outside time stamp or a copy of a checkpoint that others hold.",
	}
}

func short(hash string) string {
	if len(hash) < 8 {
		return hash
	}
	return hash[:8]
}
