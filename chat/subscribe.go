package chat

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
)

// subscribe adds subscriptions, or merges filters into those that are there.
func (h *Handler) subscribe(ctx context.Context, p *place, cmd Command) (Answer, error) {
	at, a, err := h.target(ctx, p, cmd)
	if err != nil || at == nil {
		return a, err
	}
	if cmd.Has("mention") && cmd.Filter.Mention != "" && !groupID(p.Platform, cmd.Filter.Mention) {
		return plainf("I cannot tell which group @%s is. Type @ and pick the group from the list, so that its id comes along; single people are not pinged.", echo(cmd.Filter.Mention)), nil
	}
	targets, err := h.resolve(ctx, p, cmd, true)
	if a, ok := repairable(p, err); ok || err != nil {
		return a, orNil(ok, err)
	}
	have, err := h.Store.Subscriptions(ctx, at.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	var told, same [][]notify.Run
	var saved []downwind.Subscription
	for _, t := range targets {
		sub, before := h.merged(at, t, cmd, have)
		if before == nil && len(have)+len(saved) >= maxSubscriptions {
			return plainf("This channel has %d subscriptions, and that is the most. %s subscribe all, or unsubscribe some.", maxSubscriptions, p.Name()), nil
		}
		if before != nil && sameFilter(before.Filter, sub.Filter) {
			same = append(same, words(bold(t.label()), " ", describe(sub.Filter, sub.Target)))
			continue
		}
		got, existed, err := h.Store.SaveSubscription(ctx, sub)
		if err != nil {
			return Answer{}, err
		}
		saved = append(saved, got)
		switch {
		case before != nil:
			told = append(told, words(bold(t.label()), ": ", difference(before.Filter, sub.Filter)))
		case existed:
			same = append(same, words(bold(t.label()), " ", describe(sub.Filter, sub.Target)))
		default:
			told = append(told, words(bold(t.label()), " ", describe(sub.Filter, sub.Target)))
		}
	}
	return h.subscribed(ctx, p, at, told, same, saved)
}

// subscribed makes the answer to a subscription, and shows a new one the present state.
func (h *Handler) subscribed(ctx context.Context, p, at *place, told, same [][]notify.Run, saved []downwind.Subscription) (Answer, error) {
	var a Answer
	if len(told) > 0 {
		a.Public = say(words(bold(p.By()), " subscribed this channel to:"))
		with(a.Public, list("", told...))
		if at.dest.ID != p.dest.ID {
			a.In = at.dest.Channel
		}
		if h.Catchup != nil {
			if err := h.Catchup(ctx, at.dest.ID); err != nil {
				h.Logger.Warn("chat: the present state could not be told", "destination", at.dest.ID, "err", err)
			}
		}
	}
	var blocks []notify.Block
	if len(same) > 0 {
		blocks = append(blocks, list("Already so", same...))
	}
	if n, of, err := h.wouldHave(ctx, at, saved); err != nil {
		return Answer{}, err
	} else if of > 0 {
		blocks = append(blocks, small(words(fmt.Sprintf("Tried on the newest %s of the archive: it would have told %d.", plural(of, "incident"), n))))
	}
	if usesStack(saved) && len(at.uses()) == 0 {
		blocks = append(blocks, text("", words("This team has no stack yet, so nothing fits. Give it one: ", code(p.Name()+" stack import"))))
	}
	if reason := h.cannotPost(ctx, at); reason != "" {
		blocks = append(blocks, text("I cannot post there yet", words(their(reason))))
	}
	title := "Subscribed."
	if len(told) == 0 {
		title = "Nothing changed."
	}
	a.Private = titled(title, blocks...)
	return a, nil
}

func usesStack(subs []downwind.Subscription) bool {
	for _, s := range subs {
		if s.Target == downwind.TargetStack {
			return true
		}
	}
	return false
}

func (h *Handler) cannotPost(ctx context.Context, at *place) string {
	if at.dest.Paused != "" {
		return at.dest.Paused
	}
	if h.CanPost == nil {
		return ""
	}
	return h.CanPost(ctx, at.dest)
}

// target is the place a command is for: here, or the channel that it names. Nil with an answer when that is refused.
func (h *Handler) target(ctx context.Context, p *place, cmd Command) (*place, Answer, error) {
	if !cmd.Has("channel") || cmd.Channel == "#"+p.Channel || cmd.Channel == "#"+p.ChannelName {
		return p, Answer{}, nil
	}
	id := strings.TrimPrefix(cmd.Channel, "#")
	if !channelID(p.Platform, id) {
		return nil, plainf("I cannot tell which channel %s is. Type # and pick it from the list, so that its id comes along.", echo(cmd.Channel)), nil
	}
	if p.Platform == downwind.PlatformDiscord && !p.Admin {
		return nil, plainf("Changing another channel takes the permission Manage Server. Run the command in that channel instead."), nil
	}
	who := p.Caller
	who.Channel, who.ChannelName = id, ""
	at, err := h.place(ctx, who)
	if err != nil {
		return nil, Answer{}, err
	}
	if a, ok := at.mayChange(); !ok {
		return nil, a, nil
	}
	if reason := h.cannotPost(ctx, at); reason != "" {
		return nil, plainf("I can't post in that channel: %s", strings.TrimSpace(reason)), nil
	}
	return at, Answer{}, nil
}

// channelID reports whether a word is a channel's id of the platform.
func channelID(platform, id string) bool {
	if len(id) < 5 || len(id) > 30 {
		return false
	}
	for i, r := range id {
		digit := r >= '0' && r <= '9'
		if platform == downwind.PlatformDiscord && !digit {
			return false
		}
		if platform == downwind.PlatformSlack && (i == 0 && r != 'C' && r != 'G' && r != 'D' || !digit && (r < 'A' || r > 'Z')) {
			return false
		}
	}
	return true
}

// groupID reports whether a word is the id of a group (Slack) or a role (Discord) that can be pinged.
func groupID(platform, id string) bool {
	if platform == downwind.PlatformDiscord {
		return channelID(platform, id)
	}
	return len(id) > 2 && id[0] == 'S' && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// repairable turns an error that a person can repair into an answer.
func repairable(p *place, err error) (Answer, bool) {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntaxAnswer(p.Caller, syntax), true
	}
	return Answer{}, false
}

func orNil(handled bool, err error) error {
	if handled {
		return nil
	}
	return err
}

// merged is the subscription to save for a target: the command's filters over those that are there already.
func (h *Handler) merged(at *place, t resolved, cmd Command, have []downwind.Subscription) (downwind.Subscription, *downwind.Subscription) {
	sub := downwind.Subscription{
		Destination: at.dest.ID, Team: at.team.ID, Target: t.kind, Provider: t.provider.Slug, Component: t.component,
		CreatedBy: at.By(), CreatedAt: h.Clock.Now(),
		Filter: downwind.Filter{OnlyAffected: t.kind == downwind.TargetStack},
	}
	before := find(have, t)
	if before != nil {
		sub = *before
	}
	f, in := &sub.Filter, cmd.Filter
	f.Kinds, f.Regions, f.Components = clone(f.Kinds), clone(f.Regions), clone(f.Components)
	for _, key := range cmd.Given {
		switch key {
		case "min":
			f.Min = in.Min
		case "kinds":
			set := map[string]bool{}
			for _, k := range append(clone(f.Kinds), in.Kinds...) {
				set[k] = true
			}
			f.Kinds = inOrder(set)
		case "region":
			f.Regions = union(f.Regions, in.Regions)
		case "component":
			f.Components = union(f.Components, in.Components)
		case "only":
			f.OnlyAffected = in.OnlyAffected
		case "thread":
			f.NoThread = in.NoThread
		case "end":
			f.EndInThread = in.EndInThread
		case "mention":
			f.Mention = in.Mention
		case "mention-from":
			f.MentionFrom = in.MentionFrom
		}
	}
	return sub, before
}

func clone(s []string) []string { return append([]string(nil), s...) }

func union(a, b []string) []string {
	out := clone(a)
	for _, v := range b {
		if !contains(out, v) {
			out = append(out, v)
		}
	}
	sort.Strings(out)
	return out
}

func find(have []downwind.Subscription, t resolved) *downwind.Subscription {
	for i, s := range have {
		if s.Target == t.kind && s.Provider == t.provider.Slug && strings.EqualFold(s.Component, t.component) {
			return &have[i]
		}
	}
	return nil
}

func sameFilter(a, b downwind.Filter) bool { return filterWords(a, "") == filterWords(b, "") }

// filterWords writes a filter in the grammar, for a target kind.
func filterWords(f downwind.Filter, kind downwind.TargetKind) string {
	var w []string
	add := func(key, value string) {
		if value != "" {
			w = append(w, key+":"+value)
		}
	}
	quoted := func(vs []string) string {
		q := make([]string, len(vs))
		for i, v := range vs {
			q[i] = quote(v)
		}
		return strings.Join(q, ",")
	}
	add("min", string(f.Min))
	add("kinds", strings.Join(f.Kinds, ","))
	add("region", quoted(f.Regions))
	add("component", quoted(f.Components))
	if f.OnlyAffected && kind != downwind.TargetStack {
		add("only", "affected")
	}
	if !f.OnlyAffected && kind == downwind.TargetStack {
		add("only", "all")
	}
	if f.NoThread {
		add("thread", "off")
	}
	if f.EndInThread {
		add("end", "thread")
	}
	if f.Mention != "" {
		add("mention", "@"+f.Mention)
	}
	add("mention-from", string(f.MentionFrom))
	return strings.Join(w, " ")
}

// describe says what a filter lets through.
func describe(f downwind.Filter, kind downwind.TargetKind) []notify.Run {
	if w := filterWords(f, kind); w != "" {
		return words("with ", code(w))
	}
	if kind == downwind.TargetStack {
		return words("(only what hits it, from minor up)")
	}
	return words("(from minor up)")
}

// difference says what changed between two filters.
func difference(from, to downwind.Filter) []notify.Run {
	show := func(s string) string {
		if s == "" {
			return "defaults"
		}
		return s
	}
	return words("was ", code(show(filterWords(from, ""))), ", now ", code(show(filterWords(to, ""))))
}

// wouldHave counts how many of the newest archived incidents the subscriptions would have told.
func (h *Handler) wouldHave(ctx context.Context, at *place, subs []downwind.Subscription) (told, of int, err error) {
	f := downwind.IncidentFilter{Kind: downwind.KindIncident, Since: h.Clock.Now().Add(-90 * 24 * time.Hour), Limit: tried}
	for _, s := range subs {
		switch s.Target {
		case downwind.TargetProvider:
			f.Providers = append(f.Providers, s.Provider)
		case downwind.TargetStack:
			f.Providers = append(f.Providers, at.uses()...)
		}
	}
	if len(f.Providers) == 0 {
		return 0, 0, nil
	}
	records, err := h.Store.Incidents(ctx, f)
	if err != nil {
		return 0, 0, err
	}
	for i := range records {
		for _, s := range subs {
			if h.passes(&records[i].Incident, at, s) == "" {
				told++
				break
			}
		}
	}
	return told, len(records), nil
}

// passes says why a subscription would not tell a new incident; empty: it would.
func (h *Handler) passes(inc *downwind.Incident, at *place, s downwind.Subscription) string {
	if s.Target == downwind.TargetProvider && s.Provider != inc.Provider {
		return "it is to another provider"
	}
	least := s.Filter.Min
	if least == "" {
		least = downwind.ImpactMinor
	}
	if inc.Impact.Rank() < least.Rank() {
		return fmt.Sprintf("its impact %s is below min:%s", inc.Impact, least)
	}
	globs := s.Filter.Components
	if s.Component != "" {
		globs = append(clone(globs), s.Component)
	}
	if len(globs) > 0 && !downwind.FitsAny(globs, inc.ComponentNames()) {
		return "its components do not fit component:" + strings.Join(globs, ",")
	}
	if len(s.Filter.Regions) > 0 && len(inc.Regions) > 0 && !downwind.FitsAny(s.Filter.Regions, inc.Regions) {
		return "its regions do not fit region:" + strings.Join(s.Filter.Regions, ",")
	}
	if s.Filter.OnlyAffected && h.Judge != nil {
		if m := h.Judge(inc, &at.team); !m.Affected {
			if m.WhyNot != "" {
				return m.WhyNot
			}
			return "it does not hit your stack"
		}
	}
	return ""
}

// unsubscribe removes subscriptions, or takes single values out of their filters.
func (h *Handler) unsubscribe(ctx context.Context, p *place, cmd Command) (Answer, error) {
	at, a, err := h.target(ctx, p, cmd)
	if err != nil || at == nil {
		return a, err
	}
	have, err := h.Store.Subscriptions(ctx, at.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	if cmd.All && !cmd.Yes {
		if len(have) == 0 {
			return plainf("This channel has no subscriptions."), nil
		}
		m := say(words(fmt.Sprintf("This takes away %s. Settings, stack and history stay. Sure?", plural(len(have), "subscription"))))
		m.Actions = []notify.Action{
			{Label: "Unsubscribe from all", ID: notify.ActionID(verbYes, "unsubscribe all"), Style: "danger"},
			{Label: "Keep them", ID: notify.ActionID(verbNo, "")},
		}
		m.Text += " To confirm: " + p.Name() + " unsubscribe all yes"
		return private(m), nil
	}
	if cmd.All {
		return h.unsubscribeAll(ctx, p, at, have)
	}
	targets, err := h.resolve(ctx, p, cmd, false)
	if a, ok := repairable(p, err); ok || err != nil {
		return a, orNil(ok, err)
	}
	var told, none [][]notify.Run
	for _, t := range targets {
		sub := find(have, t)
		if sub == nil {
			none = append(none, words(bold(t.label())))
			continue
		}
		line, err := h.takeAway(ctx, *sub, t, cmd)
		if err != nil {
			return Answer{}, err
		}
		told = append(told, line)
	}
	var out Answer
	if len(told) > 0 {
		out.Public = say(words(bold(p.By()), " changed what this channel hears:"))
		with(out.Public, list("", told...))
		if at.dest.ID != p.dest.ID {
			out.In = at.dest.Channel
		}
		out.Private = say(words("Done. What is left: ", code(p.Name()+" list")))
	}
	if len(none) > 0 {
		out.Private = titled("Not subscribed here", list("", none...), text("", words("What there is: ", code(p.Name()+" list"))))
	}
	return out, nil
}

func (h *Handler) unsubscribeAll(ctx context.Context, p, at *place, have []downwind.Subscription) (Answer, error) {
	for _, s := range have {
		if err := h.Store.DeleteSubscription(ctx, at.dest.ID, s.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return Answer{}, err
		}
	}
	if len(have) == 0 {
		return plainf("This channel has no subscriptions."), nil
	}
	a := Answer{
		Private: say(words("Done. To come back: ", code(p.Name()+" subscribe stack"))),
		Public:  say(words(bold(p.By()), fmt.Sprintf(" unsubscribed this channel from everything (%s).", plural(len(have), "subscription")))),
		Replace: true,
	}
	if at.dest.ID != p.dest.ID {
		a.In = at.dest.Channel
	}
	return a, nil
}

// takeAway removes one subscription, or the named values of its filter.
func (h *Handler) takeAway(ctx context.Context, sub downwind.Subscription, t resolved, cmd Command) ([]notify.Run, error) {
	narrowed := false
	f := sub.Filter
	for key, in := range map[string][]string{"kinds": cmd.Filter.Kinds, "region": cmd.Filter.Regions, "component": cmd.Filter.Components} {
		if !cmd.Has(key) {
			continue
		}
		narrowed = true
		switch key {
		case "kinds":
			if len(f.Kinds) == 0 {
				f.Kinds = clone(FilterKinds)
			}
			f.Kinds = without(f.Kinds, in)
		case "region":
			f.Regions = without(f.Regions, in)
		case "component":
			f.Components = without(f.Components, in)
		}
	}
	if narrowed && (!cmd.Has("kinds") || len(f.Kinds) > 0) {
		before := sub.Filter
		sub.Filter = f
		if _, _, err := h.Store.SaveSubscription(ctx, sub); err != nil {
			return nil, err
		}
		return words(bold(t.label()), ": ", difference(before, f)), nil
	}
	if err := h.Store.DeleteSubscription(ctx, sub.Destination, sub.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return nil, err
	}
	return words(bold(t.label()), ": no longer"), nil
}

func without(list, drop []string) []string {
	var out []string
	for _, v := range list {
		if !contains(drop, v) {
			out = append(out, v)
		}
	}
	return out
}
