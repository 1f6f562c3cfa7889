package proof

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// ArchiveSchema names the format of an exported archive (.dwarchive).
const ArchiveSchema = "downwind.archive/v1"

// An ArchiveHead is the first line of an exported archive.
type ArchiveHead struct {
	Schema string `json:"schema"`
	// Key is the log's verifier key, Checkpoint the signed note over all entries that follow.
	Key        string `json:"key"`
	Checkpoint string `json:"checkpoint"`
	// Checkpoints is how many checkpoint lines follow.
	Checkpoints int `json:"checkpoints"`
}

// An ArchivedCheckpoint is a checkpoint line: it stands right behind the last entry that it covers.
type ArchivedCheckpoint struct {
	// Key is the verifier key of an earlier log whose archive was taken over, empty for the log's own.
	Key    string `json:"key,omitempty"`
	Signed string `json:"signed"`
	// At is when it was signed by the log's clock, RFC 3339.
	At     string  `json:"at"`
	Stamps []Stamp `json:"stamps,omitempty"`
}

// A Record is one line behind the head: an entry, or a checkpoint. Its bytes are good until the next one is read.
type Record struct {
	// Leaf is the entry, byte for byte; State the canonical JSON of the incident, Body the raw answer in base64. State
	// and Body may be missing: of "seen" entries, of pruned bodies, and of bodies that stood with an entry before.
	Leaf, State, Body []byte
	// Checkpoint is not nil for checkpoint lines.
	Checkpoint *ArchivedCheckpoint
}

// An ArchiveWriter writes an exported archive: lines of tab-separated fields, of which none can hold a tab or a line end.
type ArchiveWriter struct{ w *bufio.Writer }

// NewArchiveWriter writes the head. Flush when all is written.
func NewArchiveWriter(w io.Writer, head ArchiveHead) (*ArchiveWriter, error) {
	head.Schema = ArchiveSchema
	a := &ArchiveWriter{bufio.NewWriterSize(w, 1<<16)}
	return a, a.line("head", head)
}

func (a *ArchiveWriter) line(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return a.fields([]byte(name), b)
}

func (a *ArchiveWriter) fields(list ...[]byte) error {
	_, err := a.w.Write(append(bytes.Join(list, []byte{'\t'}), '\n'))
	if err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

// Entry writes a leaf with the incident's canonical JSON and the raw body, where there are such.
func (a *ArchiveWriter) Entry(leaf, state, body []byte) error {
	if bytes.ContainsAny(leaf, "\t\n") || bytes.ContainsAny(state, "\t\n") {
		return downwind.Errorf(downwind.ErrInvalid, "write archive: an entry is not in canonical form")
	}
	return a.fields([]byte("entry"), leaf, state, base64.StdEncoding.AppendEncode(nil, body))
}

// Checkpoint writes a checkpoint line.
func (a *ArchiveWriter) Checkpoint(c ArchivedCheckpoint) error { return a.line("checkpoint", c) }

// Flush ends the archive.
func (a *ArchiveWriter) Flush() error { return a.w.Flush() }

// maxLine is more than the largest raw body that a source may send, in base64, with its incident.
const maxLine = 128 << 20

// An ArchiveReader reads an exported archive line by line, also one that is compressed with zstd.
type ArchiveReader struct {
	Head  ArchiveHead
	lines *bufio.Scanner
	zstd  *zstd.Decoder
}

// IsArchive reports whether a file that begins with these five bytes is an exported archive, plain or compressed.
func IsArchive(start []byte) bool {
	return bytes.HasPrefix(start, []byte("head\t")) || bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd"))
}

// NewArchiveReader reads the head. Close frees what it holds.
func NewArchiveReader(r io.Reader) (*ArchiveReader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	a := &ArchiveReader{}
	var from io.Reader = b
	if start, err := b.Peek(5); err == nil && start[0] != 'h' && IsArchive(start) {
		d, err := zstd.NewReader(b, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, downwind.Errorf(downwind.ErrUnreadable, "no archive: %v", err)
		}
		a.zstd, from = d, d
	}
	a.lines = bufio.NewScanner(from)
	a.lines.Buffer(make([]byte, 1<<16), maxLine)
	a.lines.Split(wholeLines)
	line, err := a.line()
	if err == nil {
		name, rest, _ := bytes.Cut(line, []byte{'\t'})
		if err = strictJSON(rest, &a.Head); err == nil && (string(name) != "head" || a.Head.Schema != ArchiveSchema) {
			err = fmt.Errorf("schema is %q, not %q", a.Head.Schema, ArchiveSchema)
		}
	}
	if err != nil {
		a.Close()
		return nil, downwind.Errorf(downwind.ErrUnreadable, "no archive: %v", err)
	}
	return a, nil
}

// Close frees the decoder.
func (a *ArchiveReader) Close() {
	if a.zstd != nil {
		a.zstd.Close()
	}
}

// errCut says that the last line has no end.
var errCut = errors.New("the last line is cut off")

// wholeLines splits at line ends and at nothing else; what follows the last one is an error.
func wholeLines(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return 0, nil, errCut
	}
	return 0, nil, nil
}

func (a *ArchiveReader) line() ([]byte, error) {
	if !a.lines.Scan() {
		if err := a.lines.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	return a.lines.Bytes(), nil
}

// Next reads the next record, io.EOF at the end.
func (a *ArchiveReader) Next() (Record, error) {
	line, err := a.line()
	if err != nil {
		return Record{}, err
	}
	if rest, ok := bytes.CutPrefix(line, []byte("checkpoint\t")); ok {
		var c ArchivedCheckpoint
		if err := strictJSON(rest, &c); err != nil {
			return Record{}, downwind.Errorf(downwind.ErrUnreadable, "a checkpoint line cannot be read: %v", err)
		}
		return Record{Checkpoint: &c}, nil
	}
	rest, ok := bytes.CutPrefix(line, []byte("entry\t"))
	leaf, rest, ok2 := bytes.Cut(rest, []byte{'\t'})
	state, body, ok3 := bytes.Cut(rest, []byte{'\t'})
	if !ok || !ok2 || !ok3 || len(leaf) == 0 || bytes.IndexByte(body, '\t') >= 0 {
		return Record{}, downwind.Errorf(downwind.ErrUnreadable, "a line is neither an entry nor a checkpoint")
	}
	return Record{Leaf: leaf, State: state, Body: body}, nil
}

// An Edge is the right edge of a growing tree: the roots of its whole subtrees, largest first. It holds 63 hashes at most.
type Edge struct {
	size  int64
	roots []tlog.Hash
	buf   []byte
}

// Add appends a leaf to the tree.
func (e *Edge) Add(leaf []byte) {
	e.buf = append(append(e.buf[:0], 0), leaf...) // RFC 6962 section 2.1
	h := tlog.Hash(sha256.Sum256(e.buf))
	for n := e.size; n&1 == 1; n >>= 1 {
		h = tlog.NodeHash(e.roots[len(e.roots)-1], h)
		e.roots = e.roots[:len(e.roots)-1]
	}
	e.roots = append(e.roots, h)
	e.size++
}

// Root is the root hash of the tree so far.
func (e *Edge) Root() tlog.Hash {
	if e.size == 0 {
		return sha256.Sum256(nil)
	}
	h := e.roots[len(e.roots)-1]
	for i := len(e.roots) - 2; i >= 0; i-- {
		h = tlog.NodeHash(e.roots[i], h)
	}
	return h
}
