// Package console prints messages to a terminal as they would look in a channel: a bar in the message's colour, the
// title, wrapped paragraphs, buttons as labels. Colours appear on terminals only.
package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"downwind"
	"downwind/notify"
)

// Options is what a Notifier needs.
type Options struct {
	// Out is where it prints; nil: standard output.
	Out io.Writer
	// Color forces colours on or off; nil: on for terminals without NO_COLOR.
	Color *bool
	// Width is the line length; zero: 100.
	Width int
	// Location is the zone of local times; nil: the machine's.
	Location *time.Location
	// Now stamps each message; nil: the wall clock.
	Now func() time.Time
}

// Notifier prints. It is safe for concurrent use.
type Notifier struct {
	o     Options
	color bool

	mu   sync.Mutex
	next int
	sent map[string]string
}

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Width == 0 {
		o.Width = 100
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	n := &Notifier{o: o, sent: map[string]string{}}
	if o.Color != nil {
		n.color = *o.Color
	} else {
		n.color = terminal(o.Out)
	}
	return n
}

// terminal reports whether w is a terminal that wants colours.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Limits implements notify.Notifier. What is printed stays, so an edit prints the new state in one line.
func (n *Notifier) Limits() notify.Limits {
	return notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: 5 * time.Second}
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.print(ctx, t, m, "")
}

// Reply implements notify.Notifier.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.print(ctx, t, m, "  ")
}

// Edit implements notify.Notifier: a line that says what the message reads now.
func (n *Notifier) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	if r, over := notify.Expired(ctx); over {
		return r
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	line := fmt.Sprintf("%s %s now reads: %s %s\n", n.stamp(), t.Root, m.Tone.Icon(), notify.OneLine(m.Title))
	if _, err := io.WriteString(n.o.Out, n.dim(line)); err != nil {
		return notify.Result{Verdict: notify.NotSent, Err: err}
	}
	return notify.Result{Verdict: notify.Done, ID: t.Root}
}

// Find implements notify.Notifier: it knows what it has printed since it was made.
func (n *Notifier) Find(_ context.Context, t notify.Target) notify.Result {
	n.mu.Lock()
	defer n.mu.Unlock()
	return notify.Result{Verdict: notify.Done, ID: n.sent[t.Key]}
}

// Check implements notify.Notifier.
func (n *Notifier) Check(context.Context, downwind.Destination) notify.Result {
	return notify.Result{Verdict: notify.Done}
}

func (n *Notifier) print(ctx context.Context, t notify.Target, m notify.Message, indent string) notify.Result {
	if r, over := notify.Expired(ctx); over {
		return r
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	id := fmt.Sprintf("#%d", n.next)
	head := n.stamp() + " " + id
	if t.Root != "" {
		head += " in the thread of " + t.Root
		if m.Broadcast {
			head += ", shown in the channel too"
		}
	}
	if _, err := io.WriteString(n.o.Out, n.dim(head)+"\n"+n.render(m, indent)+"\n"); err != nil {
		return notify.Result{Verdict: notify.NotSent, Err: err}
	}
	if t.Key != "" {
		n.sent[t.Key] = id
	}
	return notify.Result{Verdict: notify.Done, ID: id}
}

func (n *Notifier) stamp() string { return n.o.Now().In(n.o.Location).Format("15:04:05") }

// Render is the message as it is printed, without colours, wrapped at width.
func Render(m notify.Message, width int, loc *time.Location) string {
	off := false
	return New(Options{Out: io.Discard, Color: &off, Width: width, Location: loc}).render(m, "")
}

func (n *Notifier) render(m notify.Message, indent string) string {
	bar := n.bar(m.Tone)
	var b strings.Builder
	write := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(strings.TrimRight(indent+bar+" "+l, " ") + "\n")
		}
	}
	width := n.o.Width - len(indent) - 2
	write(wrapAll(strings.TrimSpace(m.Tone.Icon()+" "+notify.OneLine(m.Title)), "", "", width, n.bold)...)
	for _, bl := range m.Blocks {
		write("")
		if bl.Title != "" && bl.Kind != notify.BlockQuote {
			write(n.bold(notify.OneLine(bl.Title)))
		}
		for i, l := range bl.Lines {
			first, rest := lead(bl.Kind, i)
			style := func(s string) string { return s }
			if bl.Kind == notify.BlockContext {
				style = n.dim
			}
			write(wrapAll(n.runs(l), first, rest, width, style)...)
		}
		if bl.Kind == notify.BlockQuote && bl.Title != "" {
			write(n.dim("  — " + notify.OneLine(bl.Title)))
		}
	}
	if len(m.Actions) > 0 {
		write("")
		var labels, links []string
		for _, a := range m.Actions {
			labels = append(labels, "["+notify.OneLine(a.Label)+"]")
			if a.URL != "" && len(links) == 0 {
				links = append(links, notify.SafeURL(a.URL))
			}
		}
		write(wrapAll(strings.Join(labels, " "), "", "", width, n.bold)...)
		write(links...)
	}
	if len(m.Footer) > 0 {
		write(wrapAll(n.runs(m.Footer), "", "", width, n.dim)...)
	}
	return b.String()
}

// lead is what stands before the first and the other lines of an item.
func lead(kind notify.BlockKind, i int) (first, rest string) {
	switch kind {
	case notify.BlockSteps:
		first = fmt.Sprintf("%d. ", i+1)
		return first, strings.Repeat(" ", len(first))
	case notify.BlockChecklist:
		return "☐ ", "  "
	case notify.BlockList, notify.BlockWindows:
		return "• ", "  "
	case notify.BlockQuote:
		return "> ", "> "
	}
	return "", ""
}

// runs writes a line as plain text; instants are shown in the local zone with UTC beside.
func (n *Notifier) runs(in []notify.Run) string {
	var b strings.Builder
	for _, r := range notify.Readable(in, n.o.Location) {
		t := notify.Clean(strings.ReplaceAll(r.Text, "\n", " "))
		switch {
		case !r.At.IsZero():
			local := r.At.In(n.o.Location)
			_, off := local.Zone()
			switch {
			case t == "":
				t = local.Format("2 Jan 15:04")
			case off != 0:
				t = local.Format("2 Jan 15:04") + " (" + t + ")"
			}
		case r.Strike || r.Op < 0:
			t = "[-" + t + "-]"
		case r.Op > 0:
			t = "{+" + t + "+}"
		case r.Link != "":
			t += " (" + notify.SafeURL(r.Link) + ")"
		}
		b.WriteString(t)
	}
	return strings.TrimSpace(b.String())
}

// wrapAll breaks text into lines of at most width characters; words longer than that stay whole.
func wrapAll(text, first, rest string, width int, style func(string) string) []string {
	var out []string
	line := first
	empty := true
	for _, w := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			out = append(out, style(line))
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += w
		empty = false
	}
	return append(out, style(line))
}

func (n *Notifier) bold(s string) string {
	if !n.color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

func (n *Notifier) dim(s string) string {
	if !n.color {
		return s
	}
	return "\x1b[2m" + s + "\x1b[0m"
}

// bar is the stripe beside a message, in its colour.
func (n *Notifier) bar(t notify.Tone) string {
	if !n.color {
		return "┃"
	}
	c := t.Color()
	return fmt.Sprintf("\x1b[38;2;%d;%d;%dm┃\x1b[0m", c>>16&255, c>>8&255, c&255)
}
