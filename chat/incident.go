package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"downwind"
	"downwind/notify"
)

// about is an incident that a command is about, with what was told of it here.
type about struct {
	record downwind.IncidentRecord
	// delivery is nil when nothing was raised for this channel; last is its newest message.
	delivery *downwind.Delivery
	last     *downwind.Part
}

// incident finds what a person means: a key, an address of ours, a provider, words of a title, or the newest here.
// A nil result comes with an answer that says what to write.
func (h *Handler) incident(ctx context.Context, p *place, cmd Command) (*about, Answer, error) {
	ref := strings.TrimSpace(cmd.Incident)
	if ref == "" {
		return h.newest(ctx, p, cmd)
	}
	if strings.Contains(ref, "://") {
		if own, slug, id := h.ownAddress(ref); own && id != "" {
			ref = slug + "/" + id
		}
	}
	if name, id, ok := strings.Cut(ref, "/"); ok && id != "" {
		if pr, found := h.Catalogue.Lookup(name); found {
			name = pr.Slug
		}
		rec, err := h.Store.Incident(ctx, name, id)
		if err == nil {
			return h.told(ctx, p, rec)
		}
		if !errors.Is(err, downwind.ErrNotFound) {
			return nil, Answer{}, err
		}
	}
	f := downwind.IncidentFilter{Limit: maxSuggestions + 1}
	if pr, ok := h.Catalogue.Lookup(ref); ok {
		f.Provider = pr.Slug
		f.Limit = 1
		open := true
		f.Open = &open
		records, err := h.Store.Incidents(ctx, f)
		if err != nil {
			return nil, Answer{}, err
		}
		if len(records) == 0 {
			f.Open = nil
		}
	} else {
		f.Query = ref
	}
	records, err := h.Store.Incidents(ctx, f)
	if err != nil {
		return nil, Answer{}, err
	}
	return h.pickOne(ctx, p, cmd, ref, records)
}

func (h *Handler) pickOne(ctx context.Context, p *place, cmd Command, ref string, records []downwind.IncidentRecord) (*about, Answer, error) {
	switch len(records) {
	case 0:
		return nil, private(say(words("I know no incident that fits ", code(echo(ref)), "."),
			words("What is open: ", code(p.Name()+" status")))), nil
	case 1:
		return h.told(ctx, p, records[0])
	}
	var lines [][]notify.Run
	for i, r := range records {
		if i == maxSuggestions {
			lines = append(lines, words("and more"))
			break
		}
		lines = append(lines, words(code(p.Name()+" "+string(cmd.Verb)+" "+r.Incident.Key()), " ", their(r.Incident.Title)))
	}
	return nil, private(titled("Which one?", list("", lines...))), nil
}

// newest is the newest open incident told here, else the newest told here at all.
func (h *Handler) newest(ctx context.Context, p *place, cmd Command) (*about, Answer, error) {
	ds, err := h.Store.Deliveries(ctx, downwind.DeliveryFilter{Destination: p.dest.ID, Limit: 50})
	if err != nil {
		return nil, Answer{}, err
	}
	var best *about
	for i := range ds {
		slug, id, _ := strings.Cut(ds[i].Incident, "/")
		rec, err := h.Store.Incident(ctx, slug, id)
		if errors.Is(err, downwind.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, Answer{}, err
		}
		newer := best == nil || rec.Incident.Open() && !best.record.Incident.Open() ||
			rec.Incident.Open() == best.record.Incident.Open() && rec.ChangedAt.After(best.record.ChangedAt)
		if newer {
			best = &about{record: rec, delivery: &ds[i]}
		}
	}
	if best == nil {
		return nil, private(say(words("No incident has been told in this channel yet."), words("Name one: ", code(p.Name()+" "+string(cmd.Verb)+" github")))), nil
	}
	return h.withParts(ctx, best)
}

// told joins an incident with what was told of it here.
func (h *Handler) told(ctx context.Context, p *place, rec downwind.IncidentRecord) (*about, Answer, error) {
	a := &about{record: rec}
	ds, err := h.Store.Deliveries(ctx, downwind.DeliveryFilter{Destination: p.dest.ID, Incident: rec.Incident.Key(), Limit: 1})
	if err != nil {
		return nil, Answer{}, err
	}
	if len(ds) > 0 && ds[0].Destination == p.dest.ID {
		a.delivery = &ds[0]
	}
	return h.withParts(ctx, a)
}

func (h *Handler) withParts(ctx context.Context, a *about) (*about, Answer, error) {
	if a.delivery == nil {
		return a, Answer{}, nil
	}
	parts, err := h.Store.Parts(ctx, a.delivery.ID)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return nil, Answer{}, err
	}
	if len(parts) > 0 {
		a.last = &parts[len(parts)-1]
	}
	return a, Answer{}, nil
}

// why explains which evidence matched and which filter let it through, or what kept it back.
func (h *Handler) why(ctx context.Context, p *place, cmd Command) (Answer, error) {
	ab, a, err := h.incident(ctx, p, cmd)
	if err != nil || ab == nil {
		return a, err
	}
	return h.explain(ctx, p, ab)
}

func (h *Handler) explain(ctx context.Context, p *place, ab *about) (Answer, error) {
	inc := &ab.record.Incident
	match := downwind.Match{Verdict: downwind.NotAffected}
	switch {
	case ab.last != nil:
		match = ab.last.Alert.Match
	case h.Judge != nil:
		match = h.Judge(inc, &p.team)
	}
	title := their(inc.Title)
	title.Link = h.pageOf(inc)
	blocks := []notify.Block{text("", words(bold(h.nameOf(inc.Provider)), ": ", title, " · ", code(inc.Key())))}
	if match.Affected {
		head := "It hits your stack: " + string(match.Verdict)
		if match.Of > 0 {
			head += fmt.Sprintf(", %d of %d components", match.Used, match.Of)
		}
		blocks = append(blocks, list(head, reasonLines(match.Why)...))
	} else {
		why := match.WhyNot
		if why == "" {
			why = "nothing in your stack fits it"
		}
		blocks = append(blocks, text("Your stack", words("Not affected: ", their(why))), list("", reasonLines(match.Why)...))
	}
	told, err := h.toldBlock(ctx, p, ab)
	if err != nil {
		return Answer{}, err
	}
	blocks = append(blocks, told...)
	if match.OpenQuestion != "" {
		blocks = append(blocks, small(words("Open question: which "+match.OpenQuestion+"? Answer once: ",
			code(p.Name()+" stack add "+inc.Provider+" region:…"))))
	}
	return private(titled("Why", blocks...)), nil
}

func reasonLines(rs []downwind.Reason) [][]notify.Run {
	var lines [][]notify.Run
	for _, r := range rs {
		var line []any
		if r.File != "" {
			where := r.File
			if r.Line > 0 {
				where = fmt.Sprintf("%s:%d", r.File, r.Line)
			}
			line = append(line, code(where), " ")
		}
		if r.Match != "" {
			line = append(line, code(r.Match), " ")
		}
		if r.Text != "" {
			line = append(line, their(r.Text), " ")
		}
		if r.Words != "" {
			line = append(line, "(in the incident: ", their(echo(r.Words)), ")")
		}
		if lines = append(lines, words(line...)); len(lines) == 8 {
			break
		}
	}
	return lines
}

// toldBlock says what was sent here and what was held, with the subscription that decided.
func (h *Handler) toldBlock(ctx context.Context, p *place, ab *about) ([]notify.Block, error) {
	inc := &ab.record.Incident
	subs, err := h.Store.Subscriptions(ctx, p.dest.ID)
	if err != nil {
		return nil, err
	}
	var lines [][]notify.Run
	if ab.delivery != nil {
		line := words("Told here, state " + string(ab.delivery.State) + fmt.Sprintf(", %s", plural(ab.delivery.Applied, "message")))
		if ab.delivery.Reason != "" {
			line = append(line, words(": ", their(ab.delivery.Reason))...)
		}
		lines = append(lines, line)
		if ab.last != nil && ab.last.Alert.Because != "" {
			lines = append(lines, words(their(ab.last.Alert.Because)))
		}
	} else {
		lines = append(lines, words("Not told in this channel."))
	}
	for _, s := range subs {
		if s.Target == downwind.TargetProvider && s.Provider != inc.Provider {
			continue
		}
		if reason := h.passes(inc, p, s); reason != "" {
			lines = append(lines, words("Subscription ", bold(h.subLabel(s)), " keeps it back: ", their(reason)))
		} else {
			lines = append(lines, words("Subscription ", bold(h.subLabel(s)), " lets it through ", describe(s.Filter, s.Target)))
		}
	}
	if len(subs) == 0 {
		lines = append(lines, words("Nothing is subscribed here: ", code(p.Name()+" subscribe "+inc.Provider)))
	}
	holds, err := h.Store.Holds(ctx, downwind.HoldFilter{Destination: p.dest.ID, Incident: inc.Key(), Limit: 5})
	if err != nil {
		return nil, err
	}
	var held [][]notify.Run
	for _, x := range holds {
		held = append(held, words(instant(x.At), " "+string(x.Kind)+" held ("+string(x.Reason)+"): ", their(x.Text)))
	}
	return []notify.Block{list("This channel", lines...), list("Held back", held...)}, nil
}

// replay gives the windows and the checklist again, as text to copy.
func (h *Handler) replay(ctx context.Context, p *place, cmd Command) (Answer, error) {
	ab, a, err := h.incident(ctx, p, cmd)
	if err != nil || ab == nil {
		return a, err
	}
	g, ok := h.guidanceOf(ab)
	inc := &ab.record.Incident
	if !ok {
		return plainf("There is no reading of that incident yet."), nil
	}
	title := their(inc.Title)
	title.Link = h.pageOf(inc)
	blocks := []notify.Block{text("", words(bold(h.nameOf(inc.Provider)), ": ", title)), text("Replay windows (UTC)", windowLines(g)...)}
	if g.Padded != nil {
		blocks = append(blocks, text("Period to paste, padded", pasteLines(g)...))
	} else if g.PageGuess != nil {
		blocks = append(blocks, text("The provider's words name no period; a guess by the page's clock", words(code(period(*g.PageGuess)))))
	}
	var check [][]notify.Run
	for _, c := range g.Checklist {
		check = append(check, words(their(c)))
	}
	blocks = append(blocks, notify.Block{Kind: notify.BlockChecklist, Title: "Checklist", Lines: check})
	var conflicts [][]notify.Run
	for _, c := range g.Conflicts {
		conflicts = append(conflicts, words("⚠️ ", their(c)))
	}
	blocks = append(blocks, small(conflicts...))
	m := titled("Replay", blocks...)
	if h.BaseURL != "" {
		m.Actions = []notify.Action{{Label: "Windows as CSV", URL: h.pageOf(inc) + "/replay.csv"}, {Label: "Incident page", URL: h.pageOf(inc)}}
	}
	return private(m), nil
}

func (h *Handler) guidanceOf(ab *about) (downwind.Guidance, bool) {
	if h.Explain != nil {
		return h.Explain(&ab.record.Incident), true
	}
	if ab.last != nil {
		return ab.last.Alert.Guidance, true
	}
	return downwind.Guidance{}, false
}

// pasteLines gives each period to paste a line of its own.
func pasteLines(g downwind.Guidance) (lines [][]notify.Run) {
	for _, p := range g.ToPaste() {
		lines = append(lines, words(code(period(p))))
	}
	return lines
}

func windowLines(g downwind.Guidance) [][]notify.Run {
	if len(g.Windows) == 0 {
		return [][]notify.Run{words("The provider's words state no period.")}
	}
	var lines [][]notify.Run
	for _, w := range g.Windows {
		line := words(code(period(downwind.Period{Start: w.Start, End: w.End})))
		if !w.Start.IsZero() && w.End.After(w.Start) {
			line = append(line, words(fmt.Sprintf(" %d min", int(w.End.Sub(w.Start).Minutes())))...)
		}
		if w.Scope != "" {
			line = append(line, words(", ", their(w.Scope))...)
		}
		source := ", by the provider's words"
		if w.Source == downwind.FromPage {
			source = ", by the page's clock"
		}
		if w.Approx {
			source += ", approximate"
		}
		lines = append(lines, append(line, words(source)...))
	}
	return lines
}

// period writes "2026-10-19T16:35:00Z / 2026-10-19T17:03:00Z"; open bounds are "…".
func period(p downwind.Period) string {
	at := func(b bool, s string) string {
		if b {
			return "…"
		}
		return s
	}
	const form = "2006-01-02T15:04:05Z"
	return at(p.Start.IsZero(), p.Start.UTC().Format(form)) + " / " + at(p.End.IsZero(), p.End.UTC().Format(form))
}

// ack marks an incident as seen in this channel.
func (h *Handler) ack(ctx context.Context, p *place, cmd Command) (Answer, error) {
	ab, a, err := h.incident(ctx, p, cmd)
	if err != nil || ab == nil {
		return a, err
	}
	return h.acknowledge(ctx, p, ab)
}

func (h *Handler) acknowledge(ctx context.Context, p *place, ab *about) (Answer, error) {
	if ab.delivery == nil {
		return private(say(words("That incident was not told in this channel, so there is nothing to acknowledge: ",
			code(p.Name()+" why "+ab.record.Incident.Key())))), nil
	}
	if ab.delivery.AckedBy != "" {
		return private(say(words("Already acknowledged by ", their(ab.delivery.AckedBy), " at ", instant(ab.delivery.AckedAt), "."))), nil
	}
	if err := h.Store.Ack(ctx, ab.delivery.ID, p.By(), h.Clock.Now()); err != nil {
		return Answer{}, err
	}
	if h.Redraw != nil {
		if err := h.Redraw(ctx, ab.delivery.ID); err != nil {
			h.Logger.Warn("chat: the root could not be drawn anew", "delivery", ab.delivery.ID, "err", err)
		}
	}
	return private(say(words("Acknowledged. The message above will say so; reminders and pings for it stop."))), nil
}
