// Package ots reads, grows and writes OpenTimestamps proofs (.ots): chains of hashes that lead from a digest to what a
// calendar has promised to commit, and from there to the Merkle root of a block of the Bitcoin chain.
//
// Of the operations of the format only append, prepend and SHA-256 are read, which is what calendars make: a chain
// through a weaker hash would let whoever made the digest lead two of them to one block. Attestations by other chains
// are carried and judged by nobody here.
package ots

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// MaxSize is the largest proof that is read, in bytes; complete ones have about two thousand.
const MaxSize = 16 << 10

const (
	maxDepth   = 256  // operations in a row, as in the reference client
	maxMessage = 4096 // bytes of a message or an argument, as there
	maxPayload = 8192 // bytes of an attestation, as there
)

// Operations and marks of the format.
const (
	opSHA256      = 0x08
	opAppend      = 0xf0
	opPrepend     = 0xf1
	markAttested  = 0x00
	markMore      = 0xff
	formatVersion = 1
)

// magic begins every file.
var magic = []byte("\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94")

// Kinds of attestations by their tags.
var (
	tagPending = [8]byte{0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e}
	tagBitcoin = [8]byte{0x05, 0x88, 0x96, 0x0d, 0x73, 0xd7, 0x19, 0x01}
)

// An Attestation is an end of a chain. It is pending (Calendar is set), of a Bitcoin block (Block is set) or of a kind
// that is not read here (neither).
type Attestation struct {
	// Calendar is the address that has promised to commit Message.
	Calendar string
	// Block says that Message is the Merkle root of the block of this height, in the order of bytes of block headers.
	Block  bool
	Height uint64
	// Message is what the chain has led to.
	Message []byte
}

// A Proof is the chains that begin at one SHA-256.
type Proof struct {
	Digest [sha256.Size]byte
	items  []item
}

// item is an operation with what follows it, or an attestation.
type item struct {
	op   byte // markAttested: an attestation
	tag  [8]byte
	data []byte // argument or payload
	next []item
}

// Parse reads a whole .ots file over a SHA-256. What it takes, Bytes writes back byte for byte.
func Parse(file []byte) (*Proof, error) {
	if len(file) > MaxSize {
		return nil, fmt.Errorf("larger than %d kB", MaxSize>>10)
	}
	rest, ok := bytes.CutPrefix(file, append(slices.Clone(magic), formatVersion, opSHA256))
	if !ok || len(rest) < sha256.Size {
		return nil, errors.New("no OpenTimestamps proof of version 1 over a SHA-256")
	}
	p := &Proof{Digest: [sha256.Size]byte(rest)}
	items, err := parse(rest[sha256.Size:])
	if err != nil {
		return nil, err
	}
	p.items = items
	return p, p.check()
}

// Answered makes a proof of what a calendar answered when the digest was submitted.
func Answered(digest [sha256.Size]byte, answer []byte) (*Proof, error) {
	items, err := parse(answer)
	if err != nil {
		return nil, err
	}
	p := &Proof{Digest: digest, items: items}
	return p, p.check()
}

// Grow puts a calendar's later answer about a pending message in the place of the promise. It reports whether the promise
// was there.
func (p *Proof) Grow(pending Attestation, answer []byte) (bool, error) {
	grown, err := parse(answer)
	if err != nil {
		return false, err
	}
	items, found := graft(p.items, p.Digest[:], pending, grown)
	if !found {
		return false, nil
	}
	next := &Proof{Digest: p.Digest, items: items}
	if err := next.check(); err != nil {
		return false, err
	}
	p.items = items
	return true, nil
}

// graft returns the items with the promise replaced.
func graft(items []item, message []byte, pending Attestation, grown []item) ([]item, bool) {
	for i, it := range items {
		if it.op != markAttested {
			next, found := graft(it.next, it.apply(message), pending, grown)
			if found {
				out := slices.Clone(items)
				out[i].next = next
				return out, true
			}
			continue
		}
		if it.tag == tagPending && bytes.Equal(message, pending.Message) && it.attestation(message).Calendar == pending.Calendar {
			return slices.Concat(items[:i], grown, items[i+1:]), true
		}
	}
	return nil, false
}

// Attestations lists the ends of all chains in the order of the file.
func (p *Proof) Attestations() []Attestation {
	var out []Attestation
	walk(p.items, p.Digest[:], func(a Attestation) { out = append(out, a) })
	return out
}

// Bytes writes the proof as an .ots file.
func (p *Proof) Bytes() []byte {
	out := append(slices.Clone(magic), formatVersion, opSHA256)
	return write(append(out, p.Digest[:]...), p.items)
}

// check refuses a proof that no file could hold, or whose messages grow too long.
func (p *Proof) check() error {
	if n := len(p.Bytes()); n > MaxSize {
		return fmt.Errorf("larger than %d kB", MaxSize>>10)
	}
	if longest(p.items, len(p.Digest)) > maxMessage {
		return fmt.Errorf("a message is longer than %d bytes", maxMessage)
	}
	return nil
}

// longest is the length of the longest message that the chains lead to.
func longest(items []item, length int) int {
	most := length
	for _, it := range items {
		switch it.op {
		case opSHA256:
			most = max(most, longest(it.next, sha256.Size))
		case opAppend, opPrepend:
			most = max(most, longest(it.next, length+len(it.data)))
		}
	}
	return most
}

func walk(items []item, message []byte, found func(Attestation)) {
	for _, it := range items {
		if it.op == markAttested {
			found(it.attestation(message))
			continue
		}
		walk(it.next, it.apply(message), found)
	}
}

// apply is what the operation makes of a message.
func (it item) apply(message []byte) []byte {
	switch it.op {
	case opAppend:
		return slices.Concat(message, it.data)
	case opPrepend:
		return slices.Concat(it.data, message)
	}
	sum := sha256.Sum256(message)
	return sum[:]
}

// attestation reads the payload, which parse has checked.
func (it item) attestation(message []byte) Attestation {
	a := Attestation{Message: message}
	r := reader{it.data}
	switch it.tag {
	case tagPending:
		address, _ := r.bytes(maxPayload)
		a.Calendar = string(address)
	case tagBitcoin:
		a.Block = true
		a.Height, _ = r.number()
	}
	return a
}

// write appends items: each but the last one is marked to be followed by another.
func write(out []byte, items []item) []byte {
	for i, it := range items {
		if i < len(items)-1 {
			out = append(out, markMore)
		}
		out = append(out, it.op)
		switch it.op {
		case markAttested:
			out = append(out, it.tag[:]...)
			out = append(binary.AppendUvarint(out, uint64(len(it.data))), it.data...)
			continue
		case opAppend, opPrepend:
			out = append(binary.AppendUvarint(out, uint64(len(it.data))), it.data...)
		}
		out = write(out, it.next)
	}
	return out
}
