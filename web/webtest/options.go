package webtest

import (
	"strings"

	"downwind"
	"downwind/web"
)

// Options are those of a public installation that shows the world.
func (w *World) Options() web.Options {
	return web.Options{
		Reader: w.Store, Stacks: Stacks{w.Catalog}, Catalog: w.Catalog, Explain: w.Explain, Judge: w.Judge, Diff: diffWords,
		Clock: w.Clock, Public: true, PostsPerMinute: 1000, Queue: w.Store,
	}
}

// diffWords keeps the words that both texts begin and end with and replaces what stands between.
func diffWords(a, b string) []downwind.Span {
	x, y := strings.SplitAfter(a, " "), strings.SplitAfter(b, " ")
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	var out []downwind.Span
	add := func(op int, words []string) {
		if len(words) > 0 {
			out = append(out, downwind.Span{Op: op, Text: strings.Join(words, "")})
		}
	}
	add(0, x[:head])
	add(-1, x[head:len(x)-tail])
	add(1, y[head:len(y)-tail])
	add(0, x[len(x)-tail:])
	return out
}
