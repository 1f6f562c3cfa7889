package guidance

import (
	"slices"
	"time"

	"downwind"
)

// maxPeriods is the length in bytes from which on an advice lists no further window: it is read at three in the morning.
const maxPeriods = 72

// periodText words the windows at yours: "19 Oct 16:35–17:03 and 17:47–17:53 UTC". Open and half-open ones are named as such.
func periodText(ws []downwind.Window, yours []int) string {
	scoped := differentScopes(ws, yours)
	var parts [5]string
	var room [128]byte
	text, ends := room[:0], [len(parts) + 1]int{}
	var last time.Time
	n := 0
	for i := range ws {
		w := &ws[i]
		if yours != nil && !slices.Contains(yours, i) {
			continue
		}
		if n == len(parts)-1 || n > 1 && len(text) > maxPeriods {
			text = append(text, "the other windows above"...)
			n++
			ends[n] = len(text)
			break
		}
		text = appendWindow(text, w, last)
		if scoped && w.Scope != "" {
			text = append(append(append(text, " ("...), cut(w.Scope, 60)...), ')')
		}
		n++
		ends[n] = len(text)
		if last = w.Start; last.IsZero() {
			last = w.End
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return string(append(text, " UTC"...))
	}
	all := string(text)
	for i := range n {
		parts[i] = all[ends[i]:ends[i+1]]
	}
	return join(parts[:n]) + " UTC"
}

// differentScopes reports whether the windows at yours are about different places.
func differentScopes(ws []downwind.Window, yours []int) bool {
	first, seen := "", false
	for i := range ws {
		if yours != nil && !slices.Contains(yours, i) {
			continue
		}
		if seen && ws[i].Scope != first {
			return true
		}
		first, seen = ws[i].Scope, true
	}
	return false
}

// appendWindow words a window; the day is left out where it is that of the window before.
func appendWindow(b []byte, w *downwind.Window, last time.Time) []byte {
	on := func(b []byte, t, prev time.Time) []byte {
		if !sameDay(t, prev) {
			b = append(appendDay(b, t), ' ')
		}
		return appendClock(b, t)
	}
	switch {
	case w.Start.IsZero():
		return on(append(b, "the time until "...), w.End, last)
	case w.End.IsZero():
		return on(append(b, "the time since "...), w.Start, last)
	case w.Start.Unix()%86400 == 0 && w.End.Unix()%86400 == 0 && w.Approx:
		return appendDay(append(appendDay(b, w.Start), "–"...), w.End.Add(-time.Second))
	case !sameDay(w.Start, w.End):
		b = append(appendClock(append(appendDay(b, w.Start), ' '), w.Start), " – "...)
		return appendClock(append(appendDay(b, w.End), ' '), w.End)
	}
	return appendClock(append(on(b, w.Start, last), "–"...), w.End)
}

// sameDay reports whether two times are known and of one day.
func sameDay(a, b time.Time) bool {
	if a.IsZero() || b.IsZero() {
		return false
	}
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return ay == by && am == bm && ad == bd
}

// appendDay writes "2 Jan", and appendClock "15:04". Two in three texts get such a line of advice, and a layout is read anew at
// every use.
func appendDay(b []byte, t time.Time) []byte {
	_, m, d := t.Date()
	if d >= 10 {
		b = append(b, byte('0'+d/10))
	}
	return append(append(b, byte('0'+d%10), ' '), m.String()[:3]...)
}

func appendClock(b []byte, t time.Time) []byte {
	h, m, _ := t.Clock()
	return append(b, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10))
}
