// Package pattern has regular expressions that are compiled when they are first used. The readers of stack files and the
// judge have some three hundred of them, and most runs of the program need few.
package pattern

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Regexp is a regular expression of package regexp. It is safe for concurrent use.
type Regexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp

	// scout looks first whether a text holds a match at all.
	scout     *automaton
	scoutOnce sync.Once
}

// New returns an expression. That it is well formed shows at its first use, where a fault panics as in
// regexp.MustCompile.
func New(text string) *Regexp { return &Regexp{text: text} }

// String returns the text of the expression.
func (r *Regexp) String() string { return r.text }

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.text) })
	return r.re
}

// lacks reports that the text surely holds no match.
func lacks[T string | []byte](r *Regexp, text T) bool {
	match, ok := scouted(r, text)
	return ok && !match
}

func scouted[T string | []byte](r *Regexp, text T) (match, ok bool) {
	r.scoutOnce.Do(func() { r.scout = newAutomaton(r.text) })
	if r.scout == nil {
		return false, false
	}
	return holds(r.scout, text)
}

// MatchString is that of regexp.Regexp, as are all methods below.
func (r *Regexp) MatchString(s string) bool {
	if match, ok := scouted(r, s); ok {
		return match
	}
	return r.compiled().MatchString(s)
}

// Match reports whether b holds a match.
func (r *Regexp) Match(b []byte) bool {
	if match, ok := scouted(r, b); ok {
		return match
	}
	return r.compiled().Match(b)
}

// FindString returns the text of the first match.
func (r *Regexp) FindString(s string) (out string) {
	if each(r, s, 1, func(at []int) { out = s[at[0]:at[1]] }) {
		return out
	}
	return r.compiled().FindString(s)
}

// FindStringIndex returns the place of the first match.
func (r *Regexp) FindStringIndex(s string) (out []int) {
	if each(r, s, 1, func(at []int) { out = []int{at[0], at[1]} }) {
		return out
	}
	return r.compiled().FindStringIndex(s)
}

// FindStringSubmatch returns the first match with its groups.
func (r *Regexp) FindStringSubmatch(s string) (out []string) {
	if each(r, s, 1, func(at []int) { out = groups(s, at) }) {
		return out
	}
	return r.compiled().FindStringSubmatch(s)
}

// FindStringSubmatchIndex returns the places of the first match and its groups.
func (r *Regexp) FindStringSubmatchIndex(s string) (out []int) {
	if each(r, s, 1, func(at []int) { out = slices.Clone(at) }) {
		return out
	}
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString returns the texts of at most n matches.
func (r *Regexp) FindAllString(s string, n int) (out []string) {
	if each(r, s, n, func(at []int) { out = append(out, s[at[0]:at[1]]) }) {
		return out
	}
	return r.compiled().FindAllString(s, n)
}

// FindAllStringSubmatch returns at most n matches with their groups.
func (r *Regexp) FindAllStringSubmatch(s string, n int) (out [][]string) {
	if each(r, s, n, func(at []int) { out = append(out, groups(s, at)) }) {
		return out
	}
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of at most n matches and their groups.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) (out [][]int) {
	if each(r, s, n, func(at []int) { out = append(out, slices.Clone(at)) }) {
		return out
	}
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindIndex returns the place of the first match.
func (r *Regexp) FindIndex(b []byte) (out []int) {
	if each(r, b, 1, func(at []int) { out = []int{at[0], at[1]} }) {
		return out
	}
	return r.compiled().FindIndex(b)
}

// FindSubmatch returns the first match with its groups.
func (r *Regexp) FindSubmatch(b []byte) (out [][]byte) {
	if each(r, b, 1, func(at []int) { out = groups(b, at) }) {
		return out
	}
	return r.compiled().FindSubmatch(b)
}

// FindAll returns at most n matches.
func (r *Regexp) FindAll(b []byte, n int) (out [][]byte) {
	if each(r, b, n, func(at []int) { out = append(out, b[at[0]:at[1]:at[1]]) }) {
		return out
	}
	return r.compiled().FindAll(b, n)
}

// FindAllIndex returns the places of at most n matches.
func (r *Regexp) FindAllIndex(b []byte, n int) (out [][]int) {
	if each(r, b, n, func(at []int) { out = append(out, []int{at[0], at[1]}) }) {
		return out
	}
	return r.compiled().FindAllIndex(b, n)
}

// FindAllSubmatch returns at most n matches with their groups.
func (r *Regexp) FindAllSubmatch(b []byte, n int) (out [][][]byte) {
	if each(r, b, n, func(at []int) { out = append(out, groups(b, at)) }) {
		return out
	}
	return r.compiled().FindAllSubmatch(b, n)
}

// groups are the parts of a text between pairs of places; nothing where a group has no part in the match.
func groups[T string | []byte](text T, at []int) []T {
	out := make([]T, len(at)/2)
	for i := range out {
		if begin := at[2*i]; begin >= 0 {
			out[i] = text[begin:at[2*i+1]]
		}
	}
	return out
}

// ReplaceAllString replaces all matches by a template.
func (r *Regexp) ReplaceAllString(s, template string) string {
	if !strings.Contains(template, "$") {
		return r.ReplaceAllStringFunc(s, func(string) string { return template })
	}
	if lacks(r, s) {
		return s
	}
	return r.compiled().ReplaceAllString(s, template)
}

// ReplaceAllStringFunc replaces all matches by what f makes of them.
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	out, end, ok := replaced(r, s, f)
	switch {
	case !ok:
		return r.compiled().ReplaceAllStringFunc(s, f)
	case end == 0 && len(out) == 0: // nothing is replaced
		return s
	}
	return string(append(out, s[end:]...))
}

// ReplaceAll replaces all matches by a template.
func (r *Regexp) ReplaceAll(b, template []byte) []byte {
	if !bytes.Contains(template, []byte{'$'}) {
		if out, end, ok := replaced(r, b, func([]byte) []byte { return template }); ok {
			return append(out, b[end:]...)
		}
	}
	if lacks(r, b) {
		return slices.Clone(b)
	}
	return r.compiled().ReplaceAll(b, template)
}

// replaced is a text up to the end of the last match, with what f makes of each.
func replaced[T string | []byte](r *Regexp, text T, f func(T) T) (out []byte, end int, ok bool) {
	ok = each(r, text, -1, func(at []int) {
		out = append(append(out, text[end:at[0]]...), f(text[at[0]:at[1]])...)
		end = at[1]
	})
	return out, end, ok
}
