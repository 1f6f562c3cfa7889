package guidance

import (
	"slices"
	"time"

	"downwind"
)

// Paddings of the period to paste, by precision of the stated bound.
const (
	padExact  = time.Minute
	padApprox = 5 * time.Minute
	padDay    = 24 * time.Hour
	// padPage is the margin before a page's first post: pages start a median of about an hour after the impact (54 to 85
	// minutes in 1,592 measured incidents).
	padPage = time.Hour
)

// bounds is what surrounds the windows: the page's clock and the time of reading.
type bounds struct {
	now     time.Time // zero: not known
	first   time.Time // the page's first post or start, zero: not known
	last    time.Time // the page's resolution or last post, zero: not known
	over    bool
	planned bool
}

// fill sets the envelope, the padded period and, where the prose states nothing, the guess from the page's clock.
func fill(g *downwind.Guidance, b bounds) {
	if len(g.Windows) == 0 {
		if !b.first.IsZero() && !b.planned {
			p := downwind.Period{Start: b.first.Add(-padPage)}
			if b.over {
				p.End = b.last
			}
			g.PageGuess = &p
			q := p
			if q.End.IsZero() {
				q.End = b.now
			}
			if !q.End.IsZero() && q.End.After(q.Start) {
				g.Padded, g.Paste = &q, []downwind.Period{q}
			}
		}
		return
	}
	periods := &struct {
		env, padded downwind.Period
		paste       [1]downwind.Period
	}{} // in one piece of memory, as nearly every post has all three
	env := &periods.env
	open := false
	padS, padE := padExact, padExact
	for _, w := range g.Windows {
		if !w.Start.IsZero() && (env.Start.IsZero() || w.Start.Before(env.Start)) {
			env.Start, padS = w.Start, padOf(w)
		}
		if w.End.IsZero() {
			open = true
		} else if w.End.After(env.End) {
			env.End, padE = w.End, padOf(w)
		}
	}
	if open {
		env.End = time.Time{}
	}
	g.Replay = env
	p := &periods.padded
	*p = downwind.Period{Start: env.Start.Add(-padS), End: env.End.Add(padE)}
	if env.Start.IsZero() {
		from := env.End
		if !b.first.IsZero() && b.first.Before(from) {
			from = b.first
		}
		p.Start = from.Add(-padPage)
	}
	if env.End.IsZero() {
		p.End = b.now
		if b.over && !b.last.IsZero() {
			p.End = b.last
		}
		if p.End.Before(p.Start) {
			p.End = p.Start
		}
	}
	periods.paste[0] = *p
	g.Padded, g.Paste = p, periods.paste[:]
	if len(g.Windows) > 1 {
		g.Paste = paste(g.Windows, *p)
	}
}

// paste pads each window for itself, so that nobody replays the healthy time between two; open bounds are those of the whole.
func paste(ws []downwind.Window, whole downwind.Period) []downwind.Period {
	all := make([]downwind.Period, 0, len(ws))
	for _, w := range ws {
		p := PadWindow(w)
		if p.Start.IsZero() {
			p.Start = whole.Start
		}
		if p.End.IsZero() {
			p.End = whole.End
		}
		if p.End.Before(p.Start) {
			return []downwind.Period{whole}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b downwind.Period) int { return a.Start.Compare(b.Start) })
	out := all[:1]
	for _, p := range all[1:] {
		if last := &out[len(out)-1]; p.Start.After(last.End) {
			out = append(out, p)
		} else if p.End.After(last.End) {
			last.End = p.End
		}
	}
	return out
}

// PadWindow returns the period to paste for one window alone: padded by its precision; an open bound stays zero. Use it where
// several windows lie far apart and the envelope would repeat too much.
func PadWindow(w downwind.Window) downwind.Period {
	var p downwind.Period
	if !w.Start.IsZero() {
		p.Start = w.Start.Add(-padOf(w))
	}
	if !w.End.IsZero() {
		p.End = w.End.Add(padOf(w))
	}
	return p
}

// padOf gives the padding of a window by its precision.
func padOf(w downwind.Window) time.Duration {
	switch {
	case !w.Approx:
		return padExact
	case w.Start.Unix()%86400 == 0 && (w.End.IsZero() || w.End.Unix()%86400 == 0):
		return padDay
	}
	return padApprox
}
