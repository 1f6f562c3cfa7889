package match

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGateIsOpenWhereAPartStands holds the gate to the plain search.
func TestGateIsOpenWhereAPartStands(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab -é")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(letters, 0, 4).Draw(t, "parts")
		text := lowered(letters.Draw(t, "text") + rapid.SampledFrom(append(parts, "")).Draw(t, "held") + letters.Draw(t, "rest"))
		want := false
		for _, part := range parts {
			want = want || strings.Contains(text.text, part)
		}
		g := gateOf(parts...)
		if got := g.open(&text); got != want {
			t.Fatalf("gate of %q before %q: got %v, want %v", parts, text.text, got, want)
		}
	})
}
