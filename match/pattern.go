package match

import (
	"regexp"
	"sync"
)

// A lazy is a regular expression that is compiled when it is first used, so that commands which judge nothing pay nothing for it.
type lazy struct {
	compiled func() *regexp.Regexp
}

// pattern keeps an expression for its first use; a wrong one panics there.
func pattern(expr string) lazy {
	return lazy{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func (l lazy) MatchString(s string) bool            { return l.compiled().MatchString(s) }
func (l lazy) FindStringIndex(s string) []int       { return l.compiled().FindStringIndex(s) }
func (l lazy) FindString(s string) string           { return l.compiled().FindString(s) }
func (l lazy) FindStringSubmatch(s string) []string { return l.compiled().FindStringSubmatch(s) }

func (l lazy) FindAllString(s string) []string { return l.compiled().FindAllString(s, -1) }

func (l lazy) FindAllStringSubmatch(s string) [][]string {
	return l.compiled().FindAllStringSubmatch(s, -1)
}

func (l lazy) ReplaceAllString(s, by string) string { return l.compiled().ReplaceAllString(s, by) }
