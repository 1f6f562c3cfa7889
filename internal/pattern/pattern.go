// Package pattern has regular expressions that are compiled when they are first used. The readers of stack files and the
// judge have some three hundred of them, and most runs of the program need few.
package pattern

import (
	"regexp"
	"slices"
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
func (r *Regexp) FindString(s string) string {
	if lacks(r, s) {
		return ""
	}
	return r.compiled().FindString(s)
}

// FindStringIndex returns the place of the first match.
func (r *Regexp) FindStringIndex(s string) []int {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindStringIndex(s)
}

// FindAllIndex returns the places of at most n matches.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int {
	if lacks(r, b) {
		return nil
	}
	return r.compiled().FindAllIndex(b, n)
}

// FindStringSubmatch returns the first match with its groups.
func (r *Regexp) FindStringSubmatch(s string) []string {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindStringSubmatch(s)
}

// FindAllString returns the texts of at most n matches.
func (r *Regexp) FindAllString(s string, n int) []string {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindAllString(s, n)
}

// FindAllStringSubmatch returns at most n matches with their groups.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of at most n matches and their groups.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces all matches by a template.
func (r *Regexp) ReplaceAllString(s, template string) string {
	if lacks(r, s) {
		return s
	}
	return r.compiled().ReplaceAllString(s, template)
}

// ReplaceAll replaces all matches by a template.
func (r *Regexp) ReplaceAll(b, template []byte) []byte {
	if lacks(r, b) {
		return slices.Clone(b)
	}
	return r.compiled().ReplaceAll(b, template)
}

// ReplaceAllStringFunc replaces all matches by what f makes of them.
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	if lacks(r, s) {
		return s
	}
	return r.compiled().ReplaceAllStringFunc(s, f)
}

// FindSubmatch returns the first match with its groups.
func (r *Regexp) FindSubmatch(b []byte) [][]byte {
	if lacks(r, b) {
		return nil
	}
	return r.compiled().FindSubmatch(b)
}

// FindAll returns at most n matches.
func (r *Regexp) FindAll(b []byte, n int) [][]byte {
	if lacks(r, b) {
		return nil
	}
	return r.compiled().FindAll(b, n)
}

// FindStringSubmatchIndex returns the places of the first match and its groups.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if lacks(r, s) {
		return nil
	}
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindIndex returns the place of the first match.
func (r *Regexp) FindIndex(b []byte) []int {
	if lacks(r, b) {
		return nil
	}
	return r.compiled().FindIndex(b)
}

// FindAllSubmatch returns at most n matches with their groups.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	if lacks(r, b) {
		return nil
	}
	return r.compiled().FindAllSubmatch(b, n)
}
