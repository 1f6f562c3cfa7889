package lexicon_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downwind/internal/lexicon"
)

// find looks a word of letters up that stands in the middle of a text, in both ways; nil also where these differ.
func find[E any](t *lexicon.Table[E], w string) *E {
	text := lexicon.Lower(nil, "over "+w+" again")
	from, to := len("over "), len("over "+w)
	e := t.Find(text, from, to)
	if end, other := t.Word(text, from); end != to || other != e {
		return nil
	}
	return e
}

func TestFindsWhatAMapFinds(t *testing.T) {
	for _, form := range []string{`[a-c]{1,6}`, `[ab]{5,12}`, `a{1,20}`, `[ab]{0,3}c{8,20}[ab]{1,3}`} {
		rapid.Check(t, func(t *rapid.T) {
			word := rapid.StringMatching(form)
			m := rapid.MapOf(word, rapid.Int()).Draw(t, "known")
			table := lexicon.New(m)
			ask := rapid.SliceOf(word).Draw(t, "asked")
			for w := range m {
				ask = append(ask, w)
			}
			for _, w := range ask {
				want, known := m[w]
				if got := find(table, w); (got != nil) != known || known && *got != want {
					t.Fatalf("%q is %v, want %v (known: %v)", w, got, want, known)
				}
			}
		})
	}
}

// Words that differ only in the middle share a key.
func TestTellsWordsOfOneKeyApart(t *testing.T) {
	m := map[string]int{}
	for i := range 1000 {
		m[fmt.Sprintf("abcdefgh%c%c%cijklmnop", 'a'+i/100, 'a'+i/10%10, 'a'+i%10)] = i
	}
	table := lexicon.New(m)
	for w, want := range m {
		if got := find(table, w); got == nil || *got != want {
			t.Fatalf("%q is %v, want %d", w, got, want)
		}
	}
	if find(table, "abcdefghxyzijklmnop") != nil || find(table, "") != nil {
		t.Error("found what is not in the table")
	}
}

func TestAnEmptyTableFindsNothing(t *testing.T) {
	if find(lexicon.New(map[string]int{}), "utc") != nil {
		t.Error("found a word in an empty table")
	}
}

func TestLower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		done := lexicon.Lower(nil, rapid.String().Draw(t, "before"))
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[@-\[`+"`"+`-{]*`)).Draw(t, "text")
		want := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, s)
		text := lexicon.Lower(done, s)
		if string(text) != want {
			t.Fatalf("%q became %q", s, text)
		}
		for i := range len(text) + 1 {
			end := i
			for end < len(text) && text[end] >= 'a' && text[end] <= 'z' {
				end++
			}
			if got := lexicon.Letters(text, i); got != end {
				t.Fatalf("the letters of %q from %d end at %d, want %d", text, i, got, end)
			}
		}
	})
}
