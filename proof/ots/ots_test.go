package ots_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind/proof/ots"
	"downwind/proof/ots/otstest"
)

var digest = sha256.Sum256([]byte("a checkpoint"))

const calendar = "https://calendar.example"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// promised is a proof whose one chain ends at a calendar's promise.
func promised(t testing.TB) *ots.Proof {
	t.Helper()
	p, err := ots.Answered(digest, otstest.Promise(calendar, []byte("salt")))
	must(t, err)
	return p
}

func TestFromPromiseToBlock(t *testing.T) {
	p := promised(t)
	list := p.Attestations()
	want := sha256.Sum256(append(digest[:], "salt"...))
	if len(list) != 1 || list[0].Calendar != calendar || list[0].Block || !bytes.Equal(list[0].Message, want[:]) {
		t.Fatalf("promise: %+v", list)
	}
	found, err := p.Grow(ots.Attestation{Calendar: "https://other.example", Message: want[:]}, otstest.Commit(7, []byte("x")))
	if found || err != nil {
		t.Errorf("another calendar's promise was found: %v", err)
	}
	found, err = p.Grow(list[0], otstest.Commit(358391, []byte("left")))
	must(t, err)
	root := sha256.Sum256(append([]byte("left"), want[:]...))
	list = p.Attestations()
	if !found || len(list) != 1 || !list[0].Block || list[0].Height != 358391 || !bytes.Equal(list[0].Message, root[:]) {
		t.Fatalf("committed: %v, %+v", found, list)
	}
	again, err := ots.Parse(p.Bytes())
	must(t, err)
	if again.Digest != digest || !bytes.Equal(again.Bytes(), p.Bytes()) {
		t.Error("written and read again it is another proof")
	}
}

func TestGrowAmongOthers(t *testing.T) {
	// Two promises under one message, as a pool gives them: ff <promise> <promise>.
	one, two := otstest.Pending("https://one.example"), otstest.Pending("https://two.example")
	p, err := ots.Answered(digest, slices.Concat([]byte{0xff}, one, two))
	must(t, err)
	first := p.Attestations()[0]
	if _, err := p.Grow(first, slices.Concat([]byte{0xff}, otstest.Pending("https://three.example"), otstest.Commit(9, []byte("l")))); err != nil {
		t.Fatal(err)
	}
	var ends []string
	for _, a := range p.Attestations() {
		ends = append(ends, a.Calendar)
	}
	if got := strings.Join(ends, " "); got != "https://three.example  https://two.example" {
		t.Errorf("ends %q", got)
	}
	if again, err := ots.Parse(p.Bytes()); err != nil || len(again.Attestations()) != 3 {
		t.Errorf("read again: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	good := promised(t).Bytes()
	head := good[:len(good)-len(otstest.Promise(calendar, []byte("salt")))]
	with := func(items ...[]byte) []byte { return slices.Concat(append([][]byte{head}, items...)...) }
	deep := bytes.Repeat([]byte{0x08}, 300)
	wide := bytes.Repeat(append([]byte{0xf0, 0x20}, make([]byte, 32)...), 200)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "no OpenTimestamps proof"},
		{"another version", bytes.Replace(good, []byte{0x94, 0x01}, []byte{0x94, 0x02}, 1), "no OpenTimestamps proof"},
		{"over a SHA-1", bytes.Replace(good, []byte{0x94, 0x01, 0x08}, []byte{0x94, 0x01, 0x02}, 1), "no OpenTimestamps proof"},
		{"digest cut", good[:40], "no OpenTimestamps proof"},
		{"no items", head, "cut off"},
		{"cut", good[:len(good)-1], "cut off"},
		{"something behind", append(slices.Clone(good), 0), "follows behind"},
		{"through SHA-1", with([]byte{0x02}, otstest.Pending(calendar)), "0x02 is not read here"},
		{"an empty argument", with([]byte{0xf0, 0x00}, otstest.Pending(calendar)), "without its argument"},
		{"a number in a longer form", with([]byte{0xf0, 0x81, 0x00, 'x'}, otstest.Pending(calendar)), "not in its form"},
		{"a number too large", with([]byte{0xf0}, bytes.Repeat([]byte{0xff}, 10), []byte{1}), "not in its form"},
		{"an argument too long", with([]byte{0xf0, 0x81, 0x40}), "at most 4096"},
		{"too deep", with(deep, otstest.Pending(calendar)), "in a row"},
		{"a message too long", with(wide, otstest.Pending(calendar)), "longer than 4096"},
		{"an address with a query", with(otstest.Pending("https://x.example/?a=b")), "other characters"},
		{"a block with more behind its height", with(otstest.Attest("0588960d73d71901", []byte{1, 2})), "more than it should"},
		{"too large", with(bytes.Repeat(append([]byte{0xff}, otstest.Pending(calendar)...), 500), otstest.Pending(calendar)), "larger than 16 kB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ots.Parse(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOtherChainsAreCarried(t *testing.T) {
	p, err := ots.Answered(digest, otstest.Attest("06869a0d73d71b45", []byte{5}))
	must(t, err)
	if a := p.Attestations(); len(a) != 1 || a[0].Block || a[0].Calendar != "" {
		t.Errorf("%+v", a)
	}
}

// TestGenesis reads the first header of the Bitcoin chain.
func TestGenesis(t *testing.T) {
	const genesis = "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"
	h, err := ots.ParseHeader(genesis)
	must(t, err)
	if h.Hash != "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f" || !h.Time.Equal(time.Date(2009, 1, 3, 18, 15, 5, 0, time.UTC)) {
		t.Errorf("%+v", h)
	}
	slices.Reverse(h.Root[:])
	if hex.EncodeToString(h.Root[:]) != "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b" {
		t.Errorf("root %x", h.Root)
	}
	for _, bad := range []string{"", "01", strings.Replace(genesis, "3ba3", "3ba4", 1), genesis + "00"} {
		if _, err := ots.ParseHeader(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestMadeHeaders(t *testing.T) {
	at := time.Date(2026, 3, 10, 16, 0, 0, 0, time.UTC)
	root := sha256.Sum256([]byte("root"))
	h, err := ots.ParseHeader(otstest.Header(root, at))
	must(t, err)
	if h.Root != root || !h.Time.Equal(at) {
		t.Errorf("%+v", h)
	}
}

// FuzzParse: what is read is written back byte for byte, and its messages stay short.
func FuzzParse(f *testing.F) {
	f.Add(promised(f).Bytes())
	f.Add(append(promised(f).Bytes()[:65], otstest.Commit(1<<40, []byte("l"))...))
	f.Add(binary.AppendUvarint(nil, 1<<63))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ots.Parse(data)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Bytes(), data) {
			t.Fatalf("read %x, written %x", data, p.Bytes())
		}
		for _, a := range p.Attestations() {
			if len(a.Message) > 4096 || a.Block && a.Calendar != "" {
				t.Fatalf("%+v", a)
			}
			if _, err := p.Grow(a, data[min(len(data), 65):]); err == nil && len(p.Bytes()) > ots.MaxSize {
				t.Fatal("it has grown too large")
			}
		}
	})
}
