package grams

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGramsMissNoWordOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		to := rapid.IntRange(from, len(text)).Draw(t, "to")
		if word := text[from:to]; !Of(text).May(word) {
			t.Fatalf("%q stands in %q", word, text)
		}
	})
}

func TestGramsTellMostWordsApart(t *testing.T) {
	g := Of(strings.Repeat("the quick brown fox jumps over the lazy dog ", 50))
	for _, word := range []string{"stripe", "twilio", "datadog", "livekit_", "s3_endpoint"} {
		if g.May(word) {
			t.Errorf("%q does not stand in the text", word)
		}
	}
	for _, word := range []string{"", "z", "LAZY", "fox jumps"} {
		if !g.May(word) {
			t.Errorf("%q may stand in the text", word)
		}
	}
}
