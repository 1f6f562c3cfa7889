package proof

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// algCosignature is the type of keys for time-stamped cosignatures (C2SP tlog-cosignature).
const algCosignature = 0x04

// NewWitness reads a witness's verifier key, name+hash+base64: of time-stamped cosignatures (type 0x04) or plain
// Ed25519 (0x01).
func NewWitness(key string) (note.Verifier, error) {
	name, rest, _ := strings.Cut(key, "+")
	hash, public, ok := strings.Cut(rest, "+")
	raw, err := unbase64(public)
	if !ok || err != nil || len(raw) == 0 || raw[0] != algCosignature {
		v, err := note.NewVerifier(key)
		if err != nil {
			return nil, downwind.Errorf(downwind.ErrInvalid, "%q is no verifier key of a witness", key)
		}
		return v, nil
	}
	want := cosignerHash(name, raw)
	if name == "" || strings.ContainsAny(name, " \t\r\n+") || len(raw) != 1+ed25519.PublicKeySize || hash != fmt.Sprintf("%08x", want) {
		return nil, downwind.Errorf(downwind.ErrInvalid, "%q is no verifier key of a witness", key)
	}
	return cosigner{name, want, ed25519.PublicKey(raw[1:])}, nil
}

// WitnessKey is the verifier key of a witness that signs with time stamps.
func WitnessKey(name string, public ed25519.PublicKey) string {
	raw := append([]byte{algCosignature}, public...)
	return fmt.Sprintf("%s+%08x+%s", name, cosignerHash(name, raw), base64.StdEncoding.EncodeToString(raw))
}

func cosignerHash(name string, raw []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	return binary.BigEndian.Uint32(sum[:])
}

// cosigner verifies cosignature/v1: eight bytes of Unix time, then Ed25519 over a header with it and the note's text.
type cosigner struct {
	name   string
	hash   uint32
	public ed25519.PublicKey
}

// Name implements note.Verifier.
func (c cosigner) Name() string { return c.name }

// KeyHash implements note.Verifier.
func (c cosigner) KeyHash() uint32 { return c.hash }

// Verify implements note.Verifier.
func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(c.public, cosigned(msg, binary.BigEndian.Uint64(sig)), sig[8:])
}

// cosigned is what a witness signs.
func cosigned(msg []byte, at uint64) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at, msg)
}

// Cosign makes the signature line of a witness over a checkpoint's body at a Unix time: for tests and small witnesses.
func Cosign(name string, private ed25519.PrivateKey, text string, at uint64) []byte {
	public, _ := private.Public().(ed25519.PublicKey)
	sig := binary.BigEndian.AppendUint32(nil, cosignerHash(name, append([]byte{algCosignature}, public...)))
	sig = binary.BigEndian.AppendUint64(sig, at)
	sig = append(sig, ed25519.Sign(private, cosigned([]byte(text), at))...)
	return fmt.Appendf(nil, "— %s %s\n", name, base64.StdEncoding.EncodeToString(sig))
}

// Cosigned adds the lines of a witness's answer to a signed checkpoint. It refuses an answer without a good signature of
// that witness; other lines are dropped, a signature that is there already is not doubled.
func Cosigned(signed, lines []byte, witness note.Verifier) ([]byte, error) {
	text, _, ok := bytes.Cut(signed, []byte("\n\n"))
	if !ok {
		return nil, downwind.Errorf(downwind.ErrUnreadable, "the checkpoint has no signatures")
	}
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSuffix(line, "\n") + "\n"
		n, err := note.Open([]byte(string(text)+"\n\n"+line), note.VerifierList(witness))
		if err != nil || len(n.Sigs) != 1 {
			continue
		}
		if bytes.Contains(signed, []byte(line)) {
			return signed, nil
		}
		return append(bytes.Clone(signed), line...), nil
	}
	return nil, downwind.Errorf(downwind.ErrInvalid, "the answer carries no good signature of %s", witness.Name())
}

// An Extension shows that a checkpoint's tree begins with an older, smaller one: the body of C2SP add-checkpoint. It is
// what witnesses are sent.
type Extension struct {
	Old        int64
	Proof      tlog.TreeProof
	Checkpoint []byte
}

// Encode writes "old N", one hash in base64 a line, an empty line, the signed checkpoint.
func (e Extension) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "old %d\n", e.Old)
	for _, h := range e.Proof {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	b.WriteByte('\n')
	b.Write(e.Checkpoint)
	return b.Bytes()
}

// maxTreeProof is the most hashes that a proof between trees of 63-bit sizes can have.
const maxTreeProof = 63

// DecodeExtension reads what Encode wrote.
func DecodeExtension(data []byte) (Extension, error) {
	head, checkpoint, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok {
		return Extension{}, downwind.Errorf(downwind.ErrUnreadable, "no consistency proof: it has no empty line")
	}
	lines := strings.Split(string(head), "\n")
	size, ok := strings.CutPrefix(lines[0], "old ")
	old, err := strconv.ParseInt(size, 10, 64)
	if !ok || err != nil || old < 0 || strconv.FormatInt(old, 10) != size {
		return Extension{}, downwind.Errorf(downwind.ErrUnreadable, "no consistency proof: the first line is not \"old\" and a size")
	}
	if len(lines) > 1+maxTreeProof {
		return Extension{}, downwind.Errorf(downwind.ErrUnreadable, "a consistency proof has at most %d hashes", maxTreeProof)
	}
	e := Extension{Old: old, Checkpoint: checkpoint}
	for _, l := range lines[1:] {
		h, err := unbase64(l)
		if err != nil || len(h) != tlog.HashSize {
			return Extension{}, downwind.Errorf(downwind.ErrUnreadable, "a line of the consistency proof is no hash")
		}
		e.Proof = append(e.Proof, tlog.Hash(h))
	}
	return e, nil
}
