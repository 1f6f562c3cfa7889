package catalog

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// A signatureTable holds the rows of one kind as the text that is embedded. Most runs ask for a few names of a few kinds, so
// only the places of the rows are indexed; a row is taken apart when it is found.
//
// The rows are sorted by key. What can be asked for (a key, or what stands before the * of a prefix) is therefore a run of
// neighbours.
type signatureTable struct {
	kind   string
	text   string
	starts []uint32 // where each row begins in text, and the end of the text
	// exact is a hash table of the first row of every whole key, counted from 1; 0 is an empty slot.
	exact []uint32
	// prefixes are sorted by key.
	prefixes []prefix
	globs    []uint32
	// tools are the heads of commands.
	tools [toolHeads / 64]uint64
}

// toolHeads is how many heads there are.
const toolHeads = 4096

// toolHead is a hash of the first word of a command line; few words that are no tools have the head of one.
func toolHead(line string) uint {
	n := strings.IndexByte(line, ' ')
	if n < 0 {
		n = len(line)
	}
	if n == 0 {
		return 0
	}
	return (uint(line[0])<<7 ^ uint(line[n/2])<<4 ^ uint(line[n-1])<<1 ^ uint(n)<<5) % toolHeads
}

// rowRun is a run of rows with the same key; an empty one stands for "not found".
type rowRun struct{ first, n uint32 }

// A prefix is what stands before a trailing * (or, for domains, after a leading "*.").
type prefix struct {
	key  string
	rows rowRun
	// outer is the index of the longest other prefix that this one begins with, -1 for none.
	outer int32
}

var hashSeed = maphash.MakeSeed()

// indexSignatures indexes rows as lines that are sorted by key.
func indexSignatures(kind, text string) *signatureTable {
	n := strings.Count(text, "\n")
	t := &signatureTable{kind: kind, text: text, starts: make([]uint32, 0, n+1), exact: make([]uint32, 1<<bits.Len(uint(2*n+1)))}
	t.prefixes = make([]prefix, 0, strings.Count(text, "*"))
	for at := 0; at < len(text); {
		t.starts = append(t.starts, uint32(at))
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	t.starts = append(t.starts, uint32(len(text)))
	last := ""
	for i := range uint32(len(t.starts) - 1) {
		key := t.key(i)
		t.index(i, key, key == last)
		last = key
	}
	slices.SortStableFunc(t.prefixes, func(a, b prefix) int { return strings.Compare(a.key, b.key) })
	t.joinPrefixes()
	return t
}

// index files a row under what it can be found by; again says that the row before it has the same key.
func (t *signatureTable) index(i uint32, key string, again bool) {
	add := func(key string) { t.prefixes = append(t.prefixes, prefix{key: key, rows: rowRun{i, 1}}) }
	stars := strings.Count(key, "*")
	if t.kind == "command" {
		t.tools[toolHead(key)/64] |= 1 << (toolHead(key) % 64)
		if tool, _, more := strings.Cut(key, " "); more {
			add(tool + " ")
		}
	}
	switch {
	case t.kind == "domain" && stars == 1 && strings.HasPrefix(key, "*."):
		add(key[2:])
	case t.kind == "tf_resource":
		add(strings.TrimSuffix(key, "*"))
	case stars == 0 && !again:
		slot := t.slot(key)
		for t.exact[slot] != 0 {
			slot = (slot + 1) & (len(t.exact) - 1)
		}
		t.exact[slot] = i + 1
	case stars == 0:
	case stars == 1 && strings.HasSuffix(key, "*") && t.kind != "config_file":
		add(key[:len(key)-1])
	default:
		t.globs = append(t.globs, i)
	}
}

// joinPrefixes makes one of the neighbours with the same key, and links each to the one around it.
func (t *signatureTable) joinPrefixes() {
	out := t.prefixes[:0]
	for _, p := range t.prefixes {
		if n := len(out); n > 0 && out[n-1].key == p.key {
			out[n-1].rows.n = p.rows.first + 1 - out[n-1].rows.first
			continue
		}
		p.outer = int32(len(out)) - 1
		for p.outer >= 0 && !strings.HasPrefix(p.key, out[p.outer].key) {
			p.outer = out[p.outer].outer
		}
		out = append(out, p)
	}
	t.prefixes = out
}

func (t *signatureTable) slot(key string) int {
	return int(maphash.String(hashSeed, key)) & (len(t.exact) - 1)
}

// line is row i as text.
func (t *signatureTable) line(i uint32) string {
	return strings.TrimSuffix(t.text[t.starts[i]:t.starts[i+1]], "\n")
}

func (t *signatureTable) key(i uint32) string {
	key, _, _ := strings.Cut(t.line(i), "\t")
	return key
}

// whole returns the rows whose key is name.
func (t *signatureTable) whole(name string) rowRun {
	for slot := t.slot(name); ; slot = (slot + 1) & (len(t.exact) - 1) {
		i := t.exact[slot]
		if i == 0 {
			return rowRun{}
		}
		if end := int(t.starts[i-1]) + len(name); end >= len(t.text) || t.text[end] != '\t' || t.key(i-1) != name {
			continue
		}
		run := rowRun{i - 1, 1}
		for run.first+run.n < uint32(len(t.starts)-1) && t.key(run.first+run.n) == name {
			run.n++
		}
		return run
	}
}

// after returns the rows of the prefix that is name.
func (t *signatureTable) after(name string) rowRun {
	if i, ok := t.search(name); ok {
		return t.prefixes[i].rows
	}
	return rowRun{}
}

func (t *signatureTable) search(name string) (int, bool) {
	return slices.BinarySearchFunc(t.prefixes, name, func(p prefix, name string) int { return strings.Compare(p.key, name) })
}

// longest returns the rows of the longest prefix that name begins with, and that prefix.
func (t *signatureTable) longest(name string) (rowRun, string) {
	i, found := t.search(name)
	if !found {
		i--
	}
	// all that sorts between a prefix of name and name begins with that prefix, too
	for i >= 0 && !strings.HasPrefix(name, t.prefixes[i].key) {
		i = int(t.prefixes[i].outer)
	}
	if i < 0 {
		return rowRun{}, ""
	}
	return t.prefixes[i].rows, t.prefixes[i].key
}

// pick takes rows apart; nil where there are none.
func (t *signatureTable) pick(run rowRun) []Signature {
	if run.n == 0 {
		return nil
	}
	out := make([]Signature, 0, run.n)
	for i := run.first; i < run.first+run.n; i++ {
		if s, err := parseSignature(t.kind, t.line(i)); err == nil {
			out = append(out, s)
		}
	}
	return out
}
