package main

import (
	"fmt"
	"io"
	"strings"
)

// A bar shows the progress of long work on a terminal; elsewhere it shows nothing.
type bar struct {
	out         io.Writer
	what        string
	total, done int
	// shown is the share that stands on the terminal, in percent; -1: none.
	shown int
}

// barWidth is the number of characters between the brackets.
const barWidth = 30

// newBar begins a bar for so many steps; what names them. A total of 0 shows nothing.
func newBar(out io.Writer, what string, total int) *bar {
	b := &bar{what: what, total: total, shown: -1}
	if terminal(out) {
		b.out = out
	}
	return b
}

// step counts one step, and draws where the share has changed. It is called from one goroutine at a time.
func (b *bar) step() {
	b.done++
	if b.out == nil || b.total == 0 {
		return
	}
	if percent := 100 * b.done / b.total; percent != b.shown {
		b.shown = percent
		fmt.Fprintf(b.out, "\r%s", b.line())
	}
}

// line is the bar as it stands.
func (b *bar) line() string {
	full := min(barWidth, barWidth*b.done/max(b.total, 1))
	return fmt.Sprintf("[%s%s] %3d %%  %d of %d %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), 100*b.done/max(b.total, 1), b.done, b.total, b.what)
}

// close wipes the bar.
func (b *bar) close() {
	if b.out != nil && b.shown >= 0 {
		fmt.Fprint(b.out, "\r\033[K")
	}
}
