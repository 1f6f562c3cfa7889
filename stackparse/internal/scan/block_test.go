package scan

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocks are texts that a blockReader reads, each for a rule of its own.
var blocks = []string{
	"a: b\n", "a: b", "a:\nb: c\n", "---\na: 1\n", "a: 1\n---\nb: 2\n--- \n- c\n",
	"# head\na: b # tail\n\n  # deep\nc: d#e\n# foot\n",
	"a:\n  b:\n    c: d\n  e: f\ng: h\n", "a:\n- b\n- c: d\n  e:\n  - f\ng:\n  - h\n",
	"- - a\n  - b\n-\n  - c\n-\n- d\n", "-   a: 1\n    b: 2\n- c:\n\n    d: e\n",
	"a: ~\nb: null\nc: true\nd: False\ne: 12\nf: -1.5\ng: .5\nh: 0x1f\ni: 1_000\nj: 2020-01-01\nk: 1.2.3\nl: no\nm: .nan\nn: 0o7\n",
	"a: 'it''s'\nb: \"q\\\"\\\\\\n\\t\" # c\n'c d': \"\"\n\"e\": ' f '\n\"g:h\": i\n",
	"a: [b, \"c\", 'd', 1, [e], {f: g, \"h\": [i]}]\nj: []\nk: {}\nl: [ m n , o:p, ]\n", "- [a]\n- {b: c}\n- -1\n- --d\n",
	"a: |\n  b\n    c\n\n  d\ne: |-\n  f\n\ng: >\n  h\n  i\n\n  j\n    k\n  l\nm: >-\n\n   n\n",
	"a: |\nb: |\n\n  c", "- |\n  a\n- b: |\n    c\n  d: >-\n    e\n", "a: |\n  # b\n  ---\n  c: d\n# e\nf: g\n",
	"http://a.b: http://c.d/e?f=g&h#i\n", "a b : c d\n", "ü: „é“ 🚀\n", "a: ${{ b.c }}-{d}\ne: f * g & h\n",
	"a: &b c\nd: *b\ne: &f\n  g: [*b, h]\ni: *f\nj:\n  <<: *f\n  k: l\nm:\n  <<: [*f, {n: o}]\n",
	"a: !b c\nd: !e 1\nf: !g\n  - !h i.j\n  - k: !l\n      m: n\no: !p [q, !r s, !t [u], {v: !w \"x\"}]\ny: !z |\n  a\n",
	"a: &b |\n  c\n---\n- *b\n- &b {d: e}\n- *b\n", "a: |+\n  b\n\n\nc: |\n  d\n  \te\nf: >\n  g\n  \th\n  i\n",
	"a:\n  [\n    b,\n    # c\n    \"d\",\n\n]\ne: {f: g,\n  h: i\n  }\n", "a:\n  b\nc:\n  'd' # e\nf:\n  |\n  g\n",
	"on:\n  push: {branches: [main]}\njobs:\n  x:\n    steps:\n      - uses: a/b@v1\n        with: {c: d}\n      - run: |\n          e\n",
}

// others are texts that a blockReader leaves to the library.
var others = []string{
	"", "# a\n", "---\n", "a: 1\n---\n", "a\n", "a: b\n c\n", "a: b\n  c: d\n", "a: b: c\n", "a: 'b\n  c'\n", "a: &b\nc: d\n", "a: *b\n", "a: &b\n  &c d\n", "a: &b &c d\n", "a: &b [*b]\n", "a: &b c\nd: &b [*b]\n", "&a b: c\n", "a: &b c\n*b : d\n", "a: !!str c\n", "a: !b\nc: d\n", "a: ! b\n", "a: !b &c d\n", "a: !b c: d\n", "a: [!b]\n",
	"a:\tb\n", "a: b\r\n", "? a\n: b\n", "%YAML 1.1\n---\na: b\n", "a: b\n...\n", "a: [b\n  c]\n", "a: [b, # c\n  d]\n", "a: {b}\n", "a: [b: c]\n", "a: |2\n  b\n", "a: |\n  \tb\n", "a: |\n\tb\n", "a: |\n  b\n \tc\n", "a: |\n    \n  b\n",
	"a: |\n   b\n  c\n", "- a\nb: c\n", "a: b\n- c\n", "a:\n    b: c\n  d: e\n", "a: \"\\x41\"\n", "a: \"b\" c\n", "a: @b\n", "a: - b\n", "--- a\n", "\ufeffa: b\n", "a: \u2028\n", "a: [b, , c]\n",
	"a: [b\n", "a: \x00\n", strings.Repeat("- ", 100) + "a\n", strings.Repeat("a", 1025) + ": b\n", "a:\n  b\n  c\n", "a: \"b\\",
}

// bits are what texts are changed by.
var bits = []string{
	"a", "b: ", "c:", "- ", "-", "\n", "\n  ", "\n    ", "\n   ", " ", "#d", " # e", "'", "\"", "'f'", "\"g\"", "[", "]", "{", "}", ", ", ":", "|", ">-", "\n---\n", "? ", "\\", "&h ", "*h", "!i ", "!i",
	"1", "~", "<<", "%", "é", ".", "\n- ", "\n- j: ", "\n  - ", "\nk: l", "\n  m: n", "\no: |\n  ", "\np: >\n  ", "\nq:\n", "\n\n", "\n# r\n", "\n  # s\n",
}

// sameAsLibrary fails where a blockReader reads a text otherwise than the library does.
func sameAsLibrary(t *testing.T, text []byte) (read bool) {
	t.Helper()
	got, ok := blockYAML(text, 7, false)
	if _, bare := blockYAML(text, 7, true); bare && !ok {
		t.Errorf("%q is said to be right, but it cannot be read", text)
	}
	if !ok {
		return false
	}
	want, probs := libraryYAML(text, 7)
	if len(probs) > 0 {
		t.Errorf("the library refuses %q: %v", text, probs)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q is read otherwise than by the library (-want +got):\n%s", text, cmp.Diff(want, got))
	}
	return true
}

func TestBlockYAML(t *testing.T) {
	for _, text := range blocks {
		if !sameAsLibrary(t, []byte(text)) {
			t.Errorf("%q is not read", text)
		}
	}
	for _, text := range others {
		if sameAsLibrary(t, []byte(text)) {
			t.Errorf("%q is read", text)
		}
	}
}

// TestBlockYAMLCorpus reads the files of the corpus, most of which no library is needed for.
func TestBlockYAMLCorpus(t *testing.T) {
	root := "../../../../shared/corpus/stacks"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no corpus: %v", err)
	}
	files, read := 0, 0
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(p); err != nil || d.IsDir() || ext != ".yml" && ext != ".yaml" {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files++
		if sameAsLibrary(t, text) {
			read++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read*4 < files*3 {
		t.Errorf("%d of %d files are read, want three of four", read, files)
	}
}

// TestBlockYAMLChanged reads texts into which something was put or out of which something was taken.
func TestBlockYAMLChanged(t *testing.T) {
	rng, read := rand.New(rand.NewPCG(1, 2)), 0
	for range 30_000 {
		text := blocks[rng.IntN(len(blocks))]
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(text) + 1)
			switch rng.IntN(3) {
			case 0:
				text = text[:at] + bits[rng.IntN(len(bits))] + text[at:]
			case 1:
				text = text[:at] + text[min(len(text), at+1+rng.IntN(4)):]
			default:
				text = text[:at] + blocks[rng.IntN(len(blocks))] + text[at:]
			}
		}
		if sameAsLibrary(t, []byte(text)) {
			read++
		}
	}
	if read < 5000 {
		t.Errorf("only %d texts are read", read)
	}
}

// FuzzBlockYAML looks for texts that are read otherwise than by the library.
func FuzzBlockYAML(f *testing.F) {
	for _, text := range append(blocks, others...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sameAsLibrary(t, text) })
}
