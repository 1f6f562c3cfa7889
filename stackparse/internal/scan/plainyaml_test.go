package scan_test

import (
	"testing"

	"downwind/stackparse/internal/scan"
)

var plainTexts = []struct {
	name, text string
	plain      bool
}{
	{"pipeline", "# of ours\n---\nname: Build & ship 🚀\non:\n  push:\n    branches: [ main, 'release/**', \"v-1\" ]\n\njobs:\n  a:\n    steps:\n    - uses: actions/checkout@v4 # pinned\n    - name: \"say \\\"hi\\\"\"\n      run: |\n        echo \"a: b\"\n          # no comment\n\n        exit 0\n    - run: >-\n        one\n    # a comment\n    - \"x\": {}\n      env:\n        A: ${{ secrets.A }}\n        B:\n        C: 'it''s'\n", true},
	{"list", "- a\n-\n  - b\n  - c: d\n    e: f\n", true},
	{"list at the column of its key", "a:\n- b\n- c\nd: e\n", true},
	{"block at the end", "a:\n- |\n b", true},
	{"windows", "a: b\r\n", false},
	{"tab", "a:\n\tb: c\n", false},
	{"tab in a block", "a: |\n\tb\n", false},
	{"tab behind the indent of a block", "a: |\n  b:\n  \tc\n", true},
	{"blank line that is wider than a block", "a: |\n      \n  b\n", false},
	{"second document", "a: b\n---\nc: d\n", false},
	{"text that goes on", "a: b\n  c\n", false},
	{"map below a text", "a: b\n  c: d\n", false},
	{"two maps in a line", "a: b: c\n", false},
	{"list behind a key", "a: - b\n", false},
	{"less indented", "  a: b\nc: d\n", false},
	{"between two columns", "a:\n    b: c\n  d: e\n", false},
	{"key in a list", "a:\n- b\nc:\n  - d\n  e: f\n", false},
	{"dash in a map", "a:\n  b: c\n  - d\n", false},
	{"open quote", "a: \"b\n", false},
	{"text behind a quote", "a: \"b\" c\n", false},
	{"anchor", "a: &b c\n", false},
	{"template", "a: {{ b }}\n", false},
	{"reserved", "a: @b\n", false},
	{"word alone", "a: b\nc\n", false},
	{"list left open", "a: [b, c\n", false},
	{"list with nothing between commas", "a: [b,, c]\n", false},
	{"comment without a space", "a: \"b\"#c\n", false},
	{"nothing", "# a\n", false},
}

func TestPlainYAML(t *testing.T) {
	for _, c := range plainTexts {
		t.Run(c.name, func(t *testing.T) {
			if got := scan.PlainYAML([]byte(c.text)); got != c.plain {
				t.Errorf("PlainYAML(%q) = %v", c.text, got)
			}
		})
	}
}

// FuzzPlainYAML holds what the check lets through against the full reader.
func FuzzPlainYAML(f *testing.F) {
	for _, c := range plainTexts {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !scan.PlainYAML(b) {
			return
		}
		docs, probs := scan.YAML(b)
		if len(probs) > 0 || len(docs) > 1 {
			t.Errorf("%q passes, but YAML has %d documents and says %v", b, len(docs), probs)
		}
	})
}
