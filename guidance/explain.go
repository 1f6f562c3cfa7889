package guidance

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/guidance/when"
)

// A Post is one text to read.
type Post struct {
	ID, Provider, Title, Body string
	// PostedAt is when it went out, UTC; zero when not known.
	PostedAt time.Time
	// Phase is the page's own, empty or unknown where it has none.
	Phase downwind.Phase
	// Maintenance says that the post is about planned work.
	Maintenance bool
}

// Known is what else is known of a provider: the names on its page and the zone it writes in.
type Known struct {
	// Components are those of the page.
	Components []downwind.Component
	// Regions are the page's own names of regions, beside those that guidance knows.
	Regions []string
	// Zone is the IANA name of the zone in which the provider writes times without one; empty: by provider, else UTC.
	Zone string
}

// providerZone returns the zone of providers that leave it out of their posts, empty for others.
func providerZone(name string) string {
	switch name {
	case "aws", "amazonwebservices", "openai", "googlecloud", "gcp", "googleworkspace", "slack", "figma", "anthropic", "twilio":
		return "America/Los_Angeles"
	}
	return ""
}

// reading is one post read.
type reading struct {
	post    Post
	r       *reader
	spans   []when.Span
	slips   []when.Conflict
	regions []string
	maint   bool
	phase   downwind.Phase
}

// read reads one post.
func read(p Post, k Known) reading {
	r := newReader(p.Body)
	zone := k.Zone
	if zone == "" {
		zone = providerZone(plainName(p.Provider))
	}
	mentions := r.places(k.Regions)
	out := reading{post: p, r: r, phase: p.Phase, maint: p.Maintenance || r.planned(p.Title)}
	if out.phase == "" || out.phase == downwind.PhaseUnknown {
		out.phase = r.phase(out.maint)
	}
	out.spans, out.slips = when.Read(when.Input{Text: p.Body, Posted: p.PostedAt, Zone: zone, Maintenance: out.maint && out.phase != downwind.Completed, Mentions: mentions})
	out.regions = r.hit(mentions)
	if out.phase == downwind.PhaseUnknown {
		out.phase = phaseBySpans(out.spans)
	}
	if out.phase == downwind.Resolved && p.Phase == "" && liesAhead(out.spans, p.PostedAt) {
		out.phase, out.maint = downwind.Scheduled, true // what is to come can only be planned
	}
	return out
}

// liesAhead reports whether all periods begin after the post went out.
func liesAhead(spans []when.Span, posted time.Time) bool {
	return len(spans) > 0 && !posted.IsZero() && !slices.ContainsFunc(spans, func(s when.Span) bool { return !s.Start.After(posted) })
}

// phaseBySpans tells from the periods how far an incident has come whose text does not say.
func phaseBySpans(spans []when.Span) downwind.Phase {
	phase := downwind.PhaseUnknown
	for _, s := range spans {
		switch {
		case s.End.IsZero():
			return downwind.Investigating
		case s.Start.IsZero():
			phase = downwind.Monitoring
		case phase == downwind.PhaseUnknown:
			phase = downwind.Resolved
		}
	}
	return phase
}

// maxRegions bounds the regions taken from one text.
const maxRegions = 60

// hit lists the regions of a text that it does not call unaffected.
func (r *reader) hit(ms []when.Mention) []string {
	var out []string
	for _, m := range ms {
		name := m.Name
		if len(out) == maxRegions {
			break
		}
		if slices.Contains(out, name) || isEverywhere(name) || r.sparedAt(m.From) {
			continue
		}
		if !slices.ContainsFunc(out, func(o string) bool { return sameRegion(o, name) }) {
			out = append(out, name)
		}
	}
	return out
}

// sparedAt reports whether the sentence at a byte offset says what was not hit.
func (r *reader) sparedAt(at int) bool {
	i, _ := slices.BinarySearchFunc(r.sentences, int32(at), func(s sentence, at int32) int { return cmp.Compare(s.to, at) })
	return i < len(r.sentences) && int(r.sentences[i].from) <= at && r.sentences[i].spared
}

// Explain reads one post on its own.
func Explain(p Post, k Known) downwind.Guidance {
	rd := read(p, k)
	defer rd.r.release()
	g := downwind.Guidance{Phase: rd.phase}
	if len(rd.spans) > 0 {
		g.Windows = make([]downwind.Window, 0, len(rd.spans))
	}
	for _, s := range rd.spans {
		g.Windows = append(g.Windows, rd.window(s, ""))
	}
	g.Conflicts = rd.conflicts(g.Windows)
	var title *reader
	if p.Title != "" {
		title = newReader(p.Title)
		defer title.release()
	}
	rd.describe(&g, k, title)
	now := p.PostedAt
	fill(&g, bounds{now: now, over: g.Phase.Over(), planned: rd.maint})
	g.Advice, g.Checklist = advise(&g, wording{rd.r.said, rd.r.ops}, nil, nil)
	return g
}

// describe fills what a post says beside its times; title may be nil.
func (rd *reading) describe(g *downwind.Guidance, k Known, title *reader) {
	g.Regions = rd.regions
	g.Components = components(rd.r, k.Components)
	g.Categories = rd.r.categories(title, rd.maint)
	g.Actions, g.NoneNeeded = rd.r.actions()
	g.DataLoss = rd.r.dataLoss()
	g.Delayed = rd.r.delayed()
}

// maxEvidence bounds the evidence of a window in bytes.
const maxEvidence = 260

// window turns a span into a window with its evidence: the sentence it stands in, cut to the clause when that is long.
func (rd *reading) window(s when.Span, update string) downwind.Window {
	w := downwind.Window{
		Start: s.Start, End: s.End, Scope: s.Scope, Approx: s.ApproxStart || s.ApproxEnd, Source: downwind.FromProse,
		Text: rd.evidence(s.From, s.To), Update: update,
	}
	if s.StartTo > s.StartFrom && (s.StartFrom < s.From || s.StartFrom >= s.To) {
		w.StartFrom = rd.post.Body[s.StartFrom:s.StartTo]
		if c := w.StartFrom[0]; c >= '0' && c <= '9' {
			// a bare time of a timeline: with the words of its entry
			w.StartFrom = rd.evidence(s.StartFrom, s.StartTo)
		}
	}
	return w
}

// evidence widens a span to its sentence, at most maxEvidence bytes, verbatim.
func (rd *reading) evidence(from, to int) string {
	body := rd.post.Body
	lo, hi := from, to
	for lo > 0 && to-lo < maxEvidence/2 && !(bound[body[lo-1]] && stopBefore(body, lo)) {
		lo--
	}
	for hi < len(body) && hi-lo < maxEvidence && !(bound[body[hi]] && (body[hi] == '\n' || stopAt(body, hi))) {
		hi++
	}
	for lo < from && (body[lo] == ' ' || body[lo] == '*' || body[lo] == '-' || body[lo] == '#' || body[lo]&0xc0 == 0x80) {
		lo++
	}
	if lo > 0 && lo < from && !stopBefore(body, lo) && body[lo-1] != ' ' && body[lo-1] != '*' {
		if n := strings.IndexByte(body[lo:from], ' '); n >= 0 {
			lo += n + 1
		}
	}
	if hi < len(body) && !stopAt(body, hi) && body[hi] != '\n' {
		if n := strings.LastIndexByte(body[to:hi], ' '); n >= 0 {
			hi = to + n
		}
	}
	return strings.TrimSpace(body[lo:hi])
}

// bound are the bytes that may bound a sentence.
var bound = [256]bool{'\n': true, ' ': true, '.': true, '!': true, '?': true, '<': true, '>': true}

// stopBefore reports whether a sentence, a line or a tag ends before i.
func stopBefore(s string, i int) bool {
	switch s[i-1] {
	case '\n', '>':
		return true
	case ' ':
		return i >= 2 && (s[i-2] == '.' || s[i-2] == '!' || s[i-2] == '?') && i < len(s) && !(s[i] >= 'a' && s[i] <= 'z')
	}
	return false
}

// stopAt reports whether a sentence ends, or a tag begins, at i.
func stopAt(s string, i int) bool {
	switch s[i] {
	case '<':
		return true
	case '.', '!', '?':
		return i+1 == len(s) || s[i+1] == ' ' && (i+2 >= len(s) || !(s[i+2] >= 'a' && s[i+2] <= 'z')) || s[i+1] == '\n'
	}
	return false
}

// components names the page's components that a text speaks of; without a page, the products that most pages have.
func components(r *reader, known []downwind.Component) []string {
	var out []string
	add := func(n string) {
		if n != "" && !slices.Contains(out, n) && len(out) < 12 {
			out = append(out, n)
		}
	}
	if len(known) == 0 {
		for set := r.products; set != 0; set &= set - 1 {
			add(commonProducts[bits.TrailingZeros64(set)])
		}
		return out
	}
	low := string(r.lower)
	for _, c := range known {
		own := c.Name
		if i := strings.LastIndex(own, " - "); i >= 0 {
			own = own[i+3:]
		}
		if len(own) >= 3 && wordIn(low, strings.ToLower(own)) {
			add(c.Name)
		}
	}
	return out
}

// wordIn reports whether s holds w between word bounds.
func wordIn(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		e := i + len(w)
		if (i == 0 || !alnum(s[i-1])) && (e == len(s) || !alnum(s[e])) {
			return true
		}
		from = i + 1
	}
}

// conflicts words the contradictions of one post.
func (rd *reading) conflicts(ws []downwind.Window) []string {
	var out []string
	for _, c := range rd.slips {
		s := rd.conflict(c, ws)
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (rd *reading) conflict(c when.Conflict, ws []downwind.Window) string {
	switch c.Kind {
	case when.AfterPost:
		period := "until " + c.A
		if c.Span >= 0 && c.Span < len(ws) {
			period = clocks(ws[c.Span])
		}
		return "The post is stamped " + c.B + " UTC but tells of impact " + period + " UTC: it was changed or back-dated, the text stands."
	case when.TwoEnds:
		return "The text gives two ends, " + c.A + " and " + c.B + " UTC: the later one is used."
	case when.ZonesDiffer:
		return "The figures side by side (" + cut(c.A, 60) + ") do not agree: the UTC figure is used."
	case when.WrongWeekday:
		return "“" + cut(c.A, 60) + "” was a " + c.B + ": the date is used, not the weekday."
	case when.WrongYear:
		return "The text says " + c.A + ", a year away from the post: read as " + c.B + "."
	case when.WrongHalf:
		return "As written the impact would end after the post (" + c.A + " UTC): read as ending " + c.B + " UTC."
	case when.LateStart:
		return "As written the impact would begin (" + c.A + " UTC) after its end: read as beginning " + c.B + " UTC."
	case when.NoZone:
		if c.A == "" {
			return "The text names no zone: its times are read as UTC."
		}
		return "The text names no zone: its times are read in " + c.A + ", the provider's usual one."
	case when.DayBefore:
		return "The text names no day, and on that of the post (stamped " + c.B + " UTC) the impact would end later, at " + c.A + " UTC: read as the day before. It is the same day if the post was changed afterwards."
	case when.CountDiffers:
		return "The text speaks of " + c.A + " periods but lists " + c.B + "."
	}
	return ""
}

// clocks words the bounds of a window: "from 17:47 to 17:53".
func clocks(w downwind.Window) string {
	switch {
	case w.Start.IsZero():
		return "until " + w.End.Format("15:04")
	case w.End.IsZero():
		return "since " + w.Start.Format("15:04")
	}
	return "from " + w.Start.Format("15:04") + " to " + w.End.Format("15:04")
}
