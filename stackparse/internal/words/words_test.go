package words_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downwind/stackparse/internal/words"
)

// letters are few, so that texts made of them hold words by chance.
var letters = []rune("abAB_{-")

func TestEachWordIsFoundWhereItStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom(letters), 3, 6, -1), 1, 20).Draw(t, "words")
		text := rapid.StringOfN(rapid.RuneFrom(append(letters, 'é', '\n')), 0, 60, -1).Draw(t, "text")
		l, in := words.Exact(), text
		if rapid.Bool().Draw(t, "fold") {
			l, in = words.Folded(), strings.ToLower(text)
			for i := range list {
				list[i] = strings.ToLower(list[i])
			}
		}
		runs := make([]words.Run, len(list))
		for i, w := range list {
			runs[i] = l.Add(w)
		}
		found := make([][]int, len(list))
		for _, h := range words.Find(l, text, nil) {
			i := slices.IndexFunc(runs, func(r words.Run) bool { return r.Holds(h.Word) })
			found[i] = append(found[i], h.At)
		}
		set := words.In(l, []byte(text))
		for i, w := range list {
			var want []int
			for at := range len(in) {
				if strings.HasPrefix(in[at:], w) {
					want = append(want, at)
				}
			}
			if got := found[i]; !slices.Equal(got, want) || set.Has(runs[i]) != (len(want) > 0) {
				t.Fatalf("%q is found at %v, stands at %v", w, got, want)
			}
		}
	})
}

func TestPlacesComeLineByLine(t *testing.T) {
	l := words.Exact()
	l.Add("long word with a key at its end", "its", "word", "two")
	line := 0
	const text = "two words\na long word with a key at its end\nand two its\n"
	for _, h := range words.Find(l, text, nil) {
		if n := strings.Count(text[:h.At], "\n"); n < line {
			t.Errorf("word %d of line %d comes after line %d", h.Word, n, line)
		} else {
			line = n
		}
	}
}

func TestCloneHasItsOwnWords(t *testing.T) {
	l := words.Exact()
	first := l.Add("region")
	more := l.Clone()
	second := more.Add("zone")
	for name, c := range map[string]struct {
		list *words.List
		want bool
	}{"list": {l, false}, "clone": {more, true}} {
		set := words.In(c.list, "region and zone")
		if !set.Has(first) || set.Has(second) != c.want {
			t.Errorf("%s: finds %v", name, set)
		}
	}
}

func TestShortWordIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a word of two letters is taken")
		}
	}()
	words.Exact().Add("ab")
}
