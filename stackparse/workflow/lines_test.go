package workflow

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downwind/stackparse"
)

// TestLinesAreReadAsExpressionsSay holds what is taken from lines by hand against regular expressions.
func TestLinesAreReadAsExpressionsSay(t *testing.T) {
	uses := regexp.MustCompile(`^\s*(?:-\s*)?["']?uses["']?\s*:\s*["']?([^\s"'#]+)`)
	secret := regexp.MustCompile(`\bsecrets\.([A-Za-z_][A-Za-z0-9_]*)`)
	parts := []string{" ", "  ", "-", "- ", `"`, "'", "uses", ":", ": ", "a/b@v1", "#", "\t", "x", "secrets.", "secrets", ".", "A_B", "9", "é", "_", "${{ ", "secrets.K"}
	rnd := rand.New(rand.NewPCG(1, 2))
	actions, named := 0, 0
	for range 30_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(8) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		line := b.String()
		want := ""
		if m := uses.FindStringSubmatch(line); m != nil {
			want = m[1]
			actions++
		}
		if got := used(line); got != want {
			t.Fatalf("%q uses %q, want %q", line, got, want)
		}
		var names, wantNames []string
		for _, m := range secret.FindAllStringSubmatch(line, -1) {
			wantNames = append(wantNames, m[1])
			named++
		}
		r := &reader{out: &stackparse.Result{}}
		r.secrets(line, 1)
		for _, f := range r.out.Facts {
			names = append(names, f.Name)
		}
		slices.Sort(names)
		slices.Sort(wantNames)
		if got, want := slices.Compact(names), slices.Compact(wantNames); !slices.Equal(got, want) {
			t.Fatalf("%q names %q, want %q", line, got, want)
		}
	}
	if actions < 50 || named < 500 {
		t.Errorf("only %d lines use something and %d name secrets: too few to show anything", actions, named)
	}
}
