package proof

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// IsExtension reports whether a file that begins with these bytes is a consistency proof (Extension).
func IsExtension(start []byte) bool { return bytes.HasPrefix(start, []byte("old ")) }

// VerifyExtension checks that the tree of a checkpoint is a continuation of the one that the verifier kept.
func VerifyExtension(data []byte, p Policy) Report {
	var r Report
	e, err := DecodeExtension(data)
	if err != nil {
		r.add("proof", "failed", "%v", err)
		r.Verdict = Unreadable
		return r
	}
	c, ok := extended(&r, e, p)
	if !ok {
		return r
	}
	if len(p.From) == 0 {
		r.add("known checkpoint", "weak", "none was given (--from): there is nothing that this could continue")
		return r
	}
	from, err := readHeld(p.From, p.Key)
	switch {
	case err != nil:
		r.add("known checkpoint", "failed", "%v", err)
	case from.Origin != c.Origin:
		r.add("known checkpoint", "failed", "yours is of the log %q, this one of %q", from.Origin, c.Origin)
	case from.Size != e.Old:
		r.add("known checkpoint", "weak", "the proof begins at size %d, yours is of size %d: ask the log for one from there", e.Old, from.Size)
	case tlog.CheckTree(e.Proof, c.Size, c.Root, from.Size, from.Root) != nil:
		r.add("known checkpoint", "failed", "the tree of size %d does not begin with the %d entries of yours: one was altered, dropped or moved, or the log has forked", c.Size, from.Size)
	default:
		r.add("known checkpoint", "ok", "the tree of size %d begins with the %d entries of yours", c.Size, from.Size)
		r.Proves = []string{fmt.Sprintf("The log %s of size %d holds the %d entries of your checkpoint, unchanged and in their places.", c.Origin, c.Size, from.Size)}
		r.DoesNot = doesNot(p)
	}
	return r
}

// extended reads the newer checkpoint; without a key its signature cannot be checked.
func extended(r *Report, e Extension, p Policy) (Checkpoint, bool) {
	if p.Key == "" {
		c, err := parseCheckpoint(string(e.Checkpoint))
		if err != nil {
			r.add("checkpoint", "failed", "%v", err)
			r.Verdict = Unreadable
			return c, false
		}
		r.add("log key", "weak", "no key was given: who signed the checkpoint of size %d was not checked", c.Size)
		return c, true
	}
	v, err := note.NewVerifier(p.Key)
	if err != nil {
		r.add("log key", "failed", "%q is no verifier key", p.Key)
		return Checkpoint{}, false
	}
	c, _, err := OpenCheckpoint(e.Checkpoint, v)
	if err != nil {
		r.add("checkpoint", "failed", "%v", err)
		return c, false
	}
	r.add("checkpoint", "ok", "%s, size %d, root %s, signature good", c.Origin, c.Size, Root8(c.Root))
	return c, true
}
