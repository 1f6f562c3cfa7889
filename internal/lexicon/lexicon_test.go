package lexicon_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"downwind/internal/lexicon"
)

func TestFindsWhatAMapFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{1,6}`)
		m := rapid.MapOf(word, rapid.Int()).Draw(t, "known")
		table := lexicon.New(m)
		ask := rapid.SliceOf(word).Draw(t, "asked")
		for w := range m {
			ask = append(ask, w)
		}
		for _, w := range ask {
			want, known := m[w]
			if got := table.Find(w); (got != nil) != known || known && *got != want {
				t.Fatalf("%q is %v, want %v (known: %v)", w, got, want, known)
			}
		}
	})
}

// Words that differ only in the middle share a hash.
func TestTellsWordsOfOneHashApart(t *testing.T) {
	m := map[string]int{}
	for i := range 1000 {
		m[fmt.Sprintf("abcd%03defgh", i)] = i
	}
	table := lexicon.New(m)
	for w, want := range m {
		if got := table.Find(w); got == nil || *got != want {
			t.Errorf("%q is %v, want %d", w, got, want)
		}
	}
	if table.Find("abcdxyzefgh") != nil || table.Find("") != nil {
		t.Error("found what is not in the table")
	}
}

func TestAnEmptyTableFindsNothing(t *testing.T) {
	if lexicon.New(map[string]int{}).Find("utc") != nil {
		t.Error("found a word in an empty table")
	}
}
