package terraform

import (
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"plain", "resource \"a\" \"b\" {\n  x = [1, 2]\n}\n", 0},
		{"brackets", "a = 1\nx = " + strings.Repeat("[", 600), 2},
		{"brackets in templates", "x = " + strings.Repeat(`"${`, 600), 1},
		{"signs", "x = " + strings.Repeat("!", 600), 1},
		{"signs on lines of their own", "x = (\n" + strings.Repeat("!\n", 600), 514},
		{"conditions", "x = " + strings.Repeat("a ? b : ", 600), 1},
		{"conditions in brackets", "x = [\n" + strings.Repeat("a ? b :\n", 600), 514},
		{"directives", "x = \"" + strings.Repeat("%{ if a }", 600), 1},
		{"many, one after another", strings.Repeat("x = a ? b : c\ny = [!d]\nz = \"%{ if a }b%{ endif }\"\n", 2000), 0},
		{"rulers", strings.Repeat("# "+strings.Repeat("-", 300)+"\n", 50), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tooDeep([]byte(c.text)); got != c.want {
				t.Errorf("line %d, want %d", got, c.want)
			}
		})
	}
}
