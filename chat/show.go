package chat

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
)

// list shows what this channel hears, in its exact state.
func (h *Handler) list(ctx context.Context, p *place, cmd Command) (Answer, error) {
	if cmd.All {
		return h.listAll(ctx, p)
	}
	at, a, err := h.target(ctx, p, cmd)
	if err != nil || at == nil {
		return a, err
	}
	subs, err := h.Store.Subscriptions(ctx, at.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	mutes, err := h.Store.Mutes(ctx, at.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	if len(subs) == 0 {
		m := titled("Nothing is subscribed here",
			text("", words("Tell this channel about your stack: ", code(p.Name()+" stack import"), ", then ", code(p.Name()+" subscribe stack"))),
			h.stateBlock(at))
		return private(m), nil
	}
	var lines [][]notify.Run
	for _, s := range subs {
		line := words(bold(h.subLabel(s)), " ", describe(s.Filter, s.Target))
		if s.CreatedBy != "" {
			line = append(line, words(" · by ", their(s.CreatedBy))...)
		}
		lines = append(lines, line)
	}
	m := titled("This channel hears of", list("", lines...), h.muteBlock(mutes), h.stateBlock(at))
	if len(at.team.Rules) > 0 {
		with(m, rulesBlock(at))
	}
	return private(m), nil
}

func (h *Handler) subLabel(s downwind.Subscription) string {
	r := resolved{kind: s.Target, component: s.Component, provider: downwind.Provider{Slug: s.Provider}}
	if pr, ok := h.Catalogue.Provider(s.Provider); ok {
		r.provider = pr
	}
	return r.label()
}

func (h *Handler) muteBlock(mutes []downwind.Mute) notify.Block {
	var lines [][]notify.Run
	for _, m := range mutes {
		if !m.Until.After(h.Clock.Now()) {
			continue
		}
		what := "everything"
		switch {
		case m.Incident != "":
			what = m.Incident
			if m.Provider != "" && !strings.Contains(what, "/") {
				what = m.Provider + "/" + what
			}
		case m.Provider != "":
			what = m.Provider
		}
		lines = append(lines, words(code(what), " until ", instant(m.Until), " by ", their(m.By)))
	}
	return list("Muted", lines...)
}

// stateBlock says whether the channel receives, its quiet hours, its digest, and the team.
func (h *Handler) stateBlock(at *place) notify.Block {
	d := at.dest
	var lines [][]notify.Run
	if d.Paused != "" {
		lines = append(lines, words(notify.Run{Text: "Paused", Bold: true}, " since ", instant(d.PausedAt), ": ", their(d.Paused), ". Nothing is lost: settings stay, and what is still current follows once it is repaired."))
	} else {
		lines = append(lines, words("Receiving."))
	}
	if d.Quiet != "" {
		line := words("Quiet hours ", code(d.Quiet), " ", zoneOf(d, at.team))
		if d.QuietExcept != "" {
			line = append(line, words(" except "+string(d.QuietExcept))...)
		}
		lines = append(lines, line)
	}
	if d.Digest != "" {
		lines = append(lines, words("Digest "+d.Digest+" at ", code(d.DigestAt), " ", zoneOf(d, at.team)))
	}
	if d.Remind > 0 {
		lines = append(lines, words("Reminds every ", code(formatFor(d.Remind)), " of what is still open and nobody acknowledged."))
	}
	lines = append(lines, words("Team ", bold(at.team.Name), ", stack: ", plural(len(at.team.Stack.Providers), "provider")))
	return notify.Block{Kind: notify.BlockContext, Lines: lines}
}

func zoneOf(d downwind.Destination, t downwind.Team) string {
	switch {
	case d.Timezone != "":
		return d.Timezone
	case t.Timezone != "":
		return t.Timezone
	}
	return "UTC"
}

func instant(t time.Time) notify.Run {
	if t.IsZero() {
		return notify.Run{Text: "an unknown time"}
	}
	return notify.Run{Text: t.UTC().Format("2 Jan 15:04") + " UTC", At: t.UTC()}
}

// listAll shows the destinations of this workspace that belong to the caller's team.
func (h *Handler) listAll(ctx context.Context, p *place) (Answer, error) {
	all, err := h.Store.Destinations(ctx, p.team.ID)
	if err != nil {
		return Answer{}, err
	}
	var lines [][]notify.Run
	for _, d := range all {
		if d.Platform != p.Platform || d.Workspace != p.Workspace || d.Team != p.team.ID {
			continue
		}
		subs, err := h.Store.Subscriptions(ctx, d.ID)
		if err != nil {
			return Answer{}, err
		}
		state := "receiving"
		if d.Paused != "" {
			state = "paused: " + d.Paused
		}
		name := d.Name
		if name == "" {
			name = d.Channel
		}
		lines = append(lines, words(bold("#"+strings.TrimPrefix(name, "#")), ": ", plural(len(subs), "subscription"), ", ", their(state)))
		if len(lines) == 25 {
			break
		}
	}
	return private(titled("Channels of team "+p.team.Name, list("", lines...))), nil
}

// status shows the state of the caller's providers, never an unknown one as healthy.
func (h *Handler) status(ctx context.Context, p *place, cmd Command) (Answer, error) {
	slugs, note, err := h.statusOf(ctx, p, cmd)
	if a, ok := repairable(p, err); ok || err != nil {
		return a, orNil(ok, err)
	}
	if len(slugs) == 0 {
		return private(say(words("This team has no providers yet. Give it a stack (", code(p.Name()+" stack import"),
			") or ask for one: ", code(p.Name()+" status github")))), nil
	}
	open := true
	records, err := h.Store.Incidents(ctx, downwind.IncidentFilter{Providers: slugs, Open: &open, Limit: 100})
	if err != nil {
		return Answer{}, err
	}
	var bad, unsure [][]notify.Run
	var good []string
	for _, slug := range slugs {
		src, err := h.Store.Source(ctx, slug)
		if err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return Answer{}, err
		}
		lines := h.openLines(slug, records)
		bad = append(bad, lines...)
		switch {
		case err != nil || src.State != downwind.SourceFresh:
			unsure = append(unsure, h.sourceLine(slug, src, err == nil))
		case len(lines) == 0:
			good = append(good, h.nameOf(slug)+", last read "+ago(h.Clock.Now(), src.LastRead))
		case len(slugs) == 1:
			unsure = append(unsure, words("Last read ", ago(h.Clock.Now(), src.LastRead)))
		}
	}
	title := "No open incidents that we can see"
	if len(bad) > 0 {
		title = plural(len(bad), "open incident")
	} else if len(unsure) > 0 && len(good) == 0 {
		title = "We cannot tell"
	}
	goodLines := make([][]notify.Run, 0, len(good))
	for i, g := range good {
		if i == 15 {
			goodLines = append(goodLines, words(fmt.Sprintf("and %d more", len(good)-i)))
			break
		}
		goodLines = append(goodLines, words(their(g)))
	}
	m := titled(title, list("Open", cut(bad, 15)...), list("Not sure", cut(unsure, 15)...), list("No open incident reported", goodLines...))
	if note != "" {
		with(m, small(words(note)))
	}
	if p.dest.Paused != "" {
		with(m, h.stateBlock(p))
	}
	return private(m), nil
}

func cut(lines [][]notify.Run, n int) [][]notify.Run {
	if len(lines) <= n {
		return lines
	}
	return append(lines[:n:n], words(fmt.Sprintf("and %d more", len(lines)-n)))
}

// statusOf lists the providers to show: those named, else the stack's and the subscribed ones.
func (h *Handler) statusOf(ctx context.Context, p *place, cmd Command) (slugs []string, note string, err error) {
	seen := map[string]bool{}
	add := func(slug string) {
		if slug != "" && !seen[slug] {
			seen[slug] = true
			slugs = append(slugs, slug)
		}
	}
	targets, err := h.resolve(ctx, p, cmd, false)
	if err != nil {
		return nil, "", err
	}
	mine := len(targets) == 0
	for _, t := range targets {
		add(t.provider.Slug)
		mine = mine || t.kind != downwind.TargetProvider
	}
	if !mine {
		return slugs, "", nil
	}
	for _, slug := range p.uses() {
		add(slug)
	}
	subs, err := h.Store.Subscriptions(ctx, p.dest.ID)
	if err != nil {
		return nil, "", err
	}
	for _, s := range subs {
		add(s.Provider)
	}
	sort.Strings(slugs)
	return slugs, "Your stack's providers and those subscribed here.", nil
}

func (h *Handler) nameOf(slug string) string {
	if pr, ok := h.Catalogue.Provider(slug); ok && pr.Name != "" {
		return pr.Name
	}
	return slug
}

func (h *Handler) openLines(slug string, records []downwind.IncidentRecord) [][]notify.Run {
	var lines [][]notify.Run
	for i := range records {
		inc := &records[i].Incident
		if inc.Provider != slug || !inc.Open() || !records[i].Withdrawn.IsZero() {
			continue
		}
		title := their(inc.Title)
		title.Link = h.pageOf(inc)
		lines = append(lines, words(bold(h.nameOf(slug)), " reports: ", title, " · "+string(inc.Phase)+", impact "+string(inc.Impact)+" · ", code(inc.Key())))
	}
	return lines
}

// sourceLine says how far a source that is not fresh can be trusted.
func (h *Handler) sourceLine(slug string, s downwind.Source, known bool) []notify.Run {
	name := bold(h.nameOf(slug))
	if !known || s.State == "" || s.LastTried.IsZero() && s.LastRead.IsZero() {
		return words(name, ": not read yet, so we cannot tell how it is")
	}
	last := "never"
	if !s.LastRead.IsZero() {
		last = ago(h.Clock.Now(), s.LastRead)
	}
	what := map[downwind.SourceState]string{
		downwind.SourceStale:      "its page is old news",
		downwind.SourceUnreadable: "its page cannot be read",
		downwind.SourceMoved:      "its page has moved",
	}[s.State]
	if what == "" {
		what = "state " + string(s.State)
	}
	line := words(name, ": "+what+" ("+string(s.State)+"), last read "+last)
	if s.Error != "" {
		line = append(line, words(": ", their(echo(s.Error)))...)
	}
	return line
}

// ago says how long ago something was.
func ago(now, then time.Time) string {
	if then.IsZero() {
		return "never"
	}
	d := now.Sub(then)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", max(0, int(d.Seconds())))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// pageOf is the address of our page of an incident, else the provider's.
func (h *Handler) pageOf(inc *downwind.Incident) string {
	if h.BaseURL != "" {
		return h.BaseURL + "/incidents/" + url.PathEscape(inc.Provider) + "/" + url.PathEscape(inc.ID)
	}
	return notify.SafeURL(inc.URL)
}

// feed gives the addresses of our feeds for a selection.
func (h *Handler) feed(ctx context.Context, p *place, cmd Command) (Answer, error) {
	if h.BaseURL == "" {
		return plainf("This Downwind serves no public feeds: the operator has not set base_url in [server]."), nil
	}
	targets, err := h.resolve(ctx, p, cmd, false)
	if a, ok := repairable(p, err); ok || err != nil {
		return a, orNil(ok, err)
	}
	q := url.Values{}
	add := func(key, value string) {
		if value != "" {
			q.Set(key, value)
		}
	}
	add("min", string(cmd.Filter.Min))
	add("kinds", strings.Join(cmd.Filter.Kinds, ","))
	add("region", strings.Join(cmd.Filter.Regions, ","))
	add("component", strings.Join(cmd.Filter.Components, ","))
	var lines [][]notify.Run
	each := func(label, base string, more url.Values) {
		forms := []any{bold(label), ": "}
		for i, f := range []string{"", "atom", "json"} {
			v := url.Values{}
			for k := range more {
				v.Set(k, more.Get(k))
			}
			name := "RSS"
			if f != "" {
				v.Set("format", f)
				name = map[string]string{"atom": "Atom", "json": "JSON"}[f]
			}
			address := base
			if len(v) > 0 {
				address += "?" + v.Encode()
			}
			if i > 0 {
				forms = append(forms, " · ")
			}
			forms = append(forms, name+" ", code(address))
		}
		lines = append(lines, words(forms...))
	}
	for _, t := range targets {
		if t.kind != downwind.TargetProvider {
			continue
		}
		one := url.Values{"provider": {t.provider.Slug}}
		for k := range q {
			one.Set(k, q.Get(k))
		}
		if t.component != "" {
			one.Set("component", t.component)
		}
		each(h.nameOf(t.provider.Slug), h.BaseURL+"/feed", one)
	}
	if len(lines) == 0 && p.team.Secret != "" {
		each("Your stack", h.BaseURL+"/teams/"+p.team.Secret+"/feed", q)
	}
	m := titled("Feeds", list("", lines...), small(words("Works with Slack's own RSS app and any reader. The team's address is secret: whoever has it can read it.")))
	return private(m), nil
}

// help shows the verbs, or one of them.
func help(who Caller, topic Verb) Answer {
	if i := info(topic); topic != "" && i != nil {
		lines := [][]notify.Run{words(i.about, "."), words("Example: ", code(who.Name()+" "+i.example))}
		if len(i.keys) > 0 {
			lines = append(lines, words("Filters: ", code(strings.Join(i.keys, ": ")+":")))
		}
		return private(titled(string(i.verb), text("", lines...)))
	}
	var lines [][]notify.Run
	for _, v := range [][]string{{"subscribe", "unsubscribe", "list"}, {"status", "why", "replay"}, {"stack", "check"}, {"mute", "unmute", "ack"}, {"digest", "quiet", "remind"}, {"preview", "feed", "settings"}} {
		var line []any
		for i, name := range v {
			if i > 0 {
				line = append(line, " · ")
			}
			line = append(line, code(name), " "+info(Verb(name)).about)
		}
		lines = append(lines, words(line...))
	}
	n := who.Name()
	examples := [][]notify.Run{
		words(code(n + " stack import")), words(code(n + " subscribe stack min:minor")), words(code(n + " mute github for 2h")),
	}
	return private(titled("Downwind tells this channel when a provider you depend on breaks, what to do, and what to replay",
		list("", lines...), list("Examples", examples...), small(words("More on one verb: ", code(n+" help subscribe")))))
}
