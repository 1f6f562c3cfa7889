package chat

import (
	"sort"
	"strings"
)

// maxSuggestions and maxDistance bound what is offered for a word that nobody knows.
const (
	maxSuggestions = 5
	maxDistance    = 2
)

// closest lists the words of known that are at most two edits away from word, nearest first, at most five.
func closest(word string, known []string) []string {
	type near struct {
		word string
		d    int
	}
	word = strings.ToLower(word)
	limit := maxDistance
	if len([]rune(word)) <= 3 {
		limit = 1
	}
	var found []near
	for _, k := range known {
		if d := distance(word, k, limit); d <= limit {
			found = append(found, near{k, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].d != found[j].d {
			return found[i].d < found[j].d
		}
		return found[i].word < found[j].word
	})
	if len(found) > maxSuggestions {
		found = found[:maxSuggestions]
	}
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.word
	}
	return out
}

// distance counts insertions, deletions, replacements and swaps of neighbours between two words; more than limit
// is returned as limit+1.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit || len(x) > 64 || len(y) > 64 {
		return limit + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit+1)
}
