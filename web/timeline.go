package web

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"downwind"
)

// A timeline is the picture of an incident: what the page's clock says beside the true periods. Positions are
// percentages of the width, so that the picture fits every screen without shrinking its letters.
type timeline struct {
	From, To time.Time
	Height   int
	// AxisY is where the axis runs.
	AxisY int
	Ticks []tick
	Lanes []lane
	// Later counts posts beyond the right edge; LaterWhat names the first of them.
	Later     int
	LaterWhat string
	// Words is the picture in words.
	Words string
}

type tick struct {
	X     float64
	Label string
	// Anchor keeps the outer labels inside the picture.
	Anchor string
}

type lane struct {
	Label string
	Class string
	// LabelY and BarY are the vertical places of the words and the bars.
	LabelY, BarY int
	Bars         []bar
	Marks        []mark
}

// MarkY is the middle of the bars.
func (l lane) MarkY() int { return l.BarY + 6 }

type bar struct {
	X, W float64
	// Open says that the end is not known and the bar runs on; Approx that a bound is approximate.
	Open, Approx bool
	Title        string
}

type mark struct {
	X     float64
	Title string
	Class string
}

const (
	laneHeight = 40
	maxScopes  = 5
)

// drawTimeline returns nil where there is nothing to place in time.
func drawTimeline(rec downwind.IncidentRecord, g downwind.Guidance, now time.Time) *timeline {
	inc := &rec.Incident
	start, end := inc.StartedAt, ended(inc)
	if inc.Kind == downwind.KindMaintenance {
		start, end = inc.ScheduledFor, inc.ScheduledUntil
	}
	if start.IsZero() {
		start = began(rec)
	}
	running := end.IsZero()
	if running {
		end = now
	}
	if start.IsZero() {
		return nil
	}
	if end.Before(start) {
		end = start
	}
	t := &timeline{}
	t.frame(start, end, inc, g, running)
	page := lane{Label: "The page's clock and its posts", Class: "page"}
	if end.After(start) {
		page.Bars = []bar{t.bar(start, end, running, false, "The page's clock")}
	}
	for i, u := range inc.Updates {
		if u.PostedAt.IsZero() {
			continue
		}
		if u.PostedAt.After(t.To) {
			t.Later++
			if t.LaterWhat == "" {
				t.LaterWhat = phaseWord(u.Phase) + ", " + u.PostedAt.Format("2 Jan")
			}
			continue
		}
		page.Marks = append(page.Marks, mark{t.x(u.PostedAt), fmt.Sprintf("Post %d: %s, %s", i+1, phaseWord(u.Phase), u.PostedAt.Format("2 Jan 15:04 UTC")), string(u.Phase)})
	}
	t.Lanes = append(t.Lanes, page)
	t.windowLanes(g, now)
	if bars := t.replayBars(g); len(bars) > 0 {
		t.Lanes = append(t.Lanes, lane{Label: "Replay", Class: "replay", Bars: bars})
	}
	t.layOut()
	t.ticks()
	t.Words = timelineWords(inc, g, start, end, running)
	return t
}

// replayBars draws the periods to replay; one without an end runs to the edge.
func (t *timeline) replayBars(g downwind.Guidance) []bar {
	var bars []bar
	for _, p := range g.ToPaste() {
		if p.Start.IsZero() {
			continue
		}
		to, open := p.End, p.End.IsZero()
		if open {
			to = t.To
		}
		bars = append(bars, t.bar(p.Start, to, open, false, "Replay period, padded"))
	}
	return bars
}

// frame chooses the stretch of time to show: everything stated, and the posts that belong to it.
func (t *timeline) frame(start, end time.Time, inc *downwind.Incident, g downwind.Guidance, running bool) {
	t.From, t.To = start, end
	grow := func(at time.Time) {
		if at.IsZero() {
			return
		}
		if at.Before(t.From) {
			t.From = at
		}
		if at.After(t.To) {
			t.To = at
		}
	}
	for _, w := range g.Windows {
		grow(w.Start)
		grow(w.End)
	}
	if g.Padded != nil {
		grow(g.Padded.Start)
		grow(g.Padded.End)
	}
	core := t.To.Sub(t.From)
	for _, u := range inc.Updates {
		if u.PostedAt.Before(t.To.Add(core/2 + 10*time.Minute)) {
			grow(u.PostedAt)
		}
	}
	pad := t.To.Sub(t.From) / 30
	if pad < time.Minute {
		pad = time.Minute
	}
	t.From = t.From.Add(-pad)
	if !running {
		t.To = t.To.Add(pad)
	}
}

// windowLanes draws one lane for every scope.
func (t *timeline) windowLanes(g downwind.Guidance, now time.Time) {
	byScope := map[string]int{}
	for _, w := range g.Windows {
		from, to := w.Start, w.End
		open := to.IsZero()
		if open {
			to = t.To
		}
		if from.IsZero() {
			from = t.From
		}
		if to.Before(from) {
			continue
		}
		label := "Impact by its words"
		class := "window"
		if w.Source == downwind.FromPage {
			label, class = "Impact by the page's clock only", "guess"
		}
		if w.Scope != "" {
			label += ": " + oneLine(w.Scope)
		}
		i, ok := byScope[label]
		if !ok {
			if len(byScope) == maxScopes {
				continue
			}
			i = len(t.Lanes)
			byScope[label] = i
			t.Lanes = append(t.Lanes, lane{Label: clip(label, 60), Class: class})
		}
		t.Lanes[i].Bars = append(t.Lanes[i].Bars, t.bar(from, to, open, w.Approx, periodWords(w.Start, w.End)))
	}
}

func (t *timeline) x(at time.Time) float64 {
	whole := t.To.Sub(t.From).Seconds()
	if whole <= 0 {
		return 0
	}
	return math.Min(100, math.Max(0, at.Sub(t.From).Seconds()/whole*100))
}

func (t *timeline) bar(from, to time.Time, open, approx bool, title string) bar {
	b := bar{X: t.x(from), Open: open, Approx: approx, Title: title}
	b.W = math.Max(0.6, t.x(to)-b.X)
	return b
}

func (t *timeline) layOut() {
	y := 4
	for i := range t.Lanes {
		t.Lanes[i].LabelY = y + 12
		t.Lanes[i].BarY = y + 19
		y += laneHeight
	}
	t.AxisY = y + 2
	t.Height = y + 24
}

var tickSteps = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 96 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
	28 * 24 * time.Hour, 56 * 24 * time.Hour, 112 * 24 * time.Hour,
}

// ticks sets at most six marks on the axis; labels tell the day where it changes.
func (t *timeline) ticks() {
	whole := t.To.Sub(t.From)
	step := tickSteps[len(tickSteps)-1]
	for _, s := range tickSteps {
		if whole/s <= 5 {
			step = s
			break
		}
	}
	day := ""
	for at := t.From.Truncate(step).Add(step); at.Before(t.To) && len(t.Ticks) < 7; at = at.Add(step) {
		k := tick{X: t.x(at), Label: at.Format("15:04"), Anchor: "middle"}
		if d := at.Format("2 Jan"); step >= 12*time.Hour || (day != "" && d != day) {
			k.Label = d
		}
		day = at.Format("2 Jan")
		switch {
		case k.X < 4:
			k.Anchor = "start"
		case k.X > 95:
			k.Anchor = "end"
		}
		t.Ticks = append(t.Ticks, k)
	}
}

// timelineWords tells the picture in sentences.
func timelineWords(inc *downwind.Incident, g downwind.Guidance, start, end time.Time, running bool) string {
	var b strings.Builder
	verb := "The page's clock runs from "
	if inc.Kind == downwind.KindMaintenance {
		verb = "The work is planned from "
	}
	b.WriteString(verb + start.Format("2 Jan 2006 15:04") + " UTC")
	if running {
		b.WriteString(" and is still open.")
	} else {
		fmt.Fprintf(&b, " to %s UTC (%s).", end.Format("2 Jan 15:04"), spanWords(end.Sub(start)))
	}
	var stated []string
	for _, w := range g.Windows {
		if w.Source == downwind.FromProse {
			text := periodWords(w.Start, w.End)
			if w.Scope != "" {
				text += " for " + oneLine(w.Scope)
			}
			stated = append(stated, text)
		}
	}
	sort.Strings(stated)
	if len(stated) > 0 {
		b.WriteString(" By the provider's words requests may have failed " + strings.Join(stated, "; ") + ".")
	}
	return b.String()
}

// periodWords tells a period: "19 Oct 16:34 to 17:03 UTC (29 min)".
func periodWords(start, end time.Time) string {
	switch {
	case start.IsZero() && end.IsZero():
		return "at a time not stated"
	case start.IsZero():
		return "until " + end.Format("2 Jan 15:04") + " UTC"
	case end.IsZero():
		return "from " + start.Format("2 Jan 15:04") + " UTC, still open"
	}
	to := end.Format("15:04")
	if start.YearDay() != end.YearDay() || start.Year() != end.Year() {
		to = end.Format("2 Jan 15:04")
	}
	return start.Format("2 Jan 15:04") + " to " + to + " UTC (" + spanWords(end.Sub(start)) + ")"
}
