package scan

import (
	"strings"
	"testing"
)

func TestQuoted(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"code", "x = 1\n@", false},
		{"a comment", "/* see\n@ */", true},
		{"after a comment", "/* see */\n@", false},
		{"a glob", "const all = 'src/**/*.ts';\n@", false},
		{"a documented module", "\"\"\"Client.\n@\n\"\"\"", true},
		{"after a documented module", "'''Client.\n'''\n@", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Quoted([]byte(c.text), strings.Index(c.text, "@")); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
