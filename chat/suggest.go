package chat

import (
	"context"
	"strings"

	"downwind"
)

// maxChoices and maxChoice are Discord's bounds on suggestions and their length.
const (
	maxChoices = 25
	maxChoice  = 100
)

// zones are offered first while nothing is typed.
var zones = []string{
	"UTC", "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Helsinki", "America/New_York", "America/Chicago",
	"America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Singapore", "Asia/Tokyo", "Asia/Shanghai", "Australia/Sydney",
}

// Suggest lists at most 25 completions of what is typed for an option; options are those filled in already.
// Whatever fails, the list is shorter: people can type on.
func (h *Handler) Suggest(ctx context.Context, who Caller, verb, option, typed string, options []Option) []Choice {
	typed = echo(typed)
	var out []Choice
	switch option {
	case "target", "provider":
		out = h.suggestTargets(ctx, who, verb, option, typed)
	case "component":
		for _, o := range options {
			if o.Name == "target" || o.Name == "provider" {
				out = h.suggestComponents(ctx, strings.Trim(o.Value, `"`), typed, false)
			}
		}
	case "incident":
		out = h.suggestIncidents(ctx, who, typed)
	case "kinds":
		out = suggestKinds(typed)
	case "verb":
		out = among(verbNames(), typed)
	case "tz":
		out = among(zones, typed)
		if zone, ok := parseZone(typed); ok && typed != "" && len(out) == 0 {
			out = []Choice{{Label: zone, Value: zone}}
		}
	case "for":
		out = among([]string{"15m", "1h", "2h", "4h", "8h", "1d", "3d", "7d", "30d"}, typed)
	case "every":
		out = among(RemindChoices, typed)
	case "hours":
		out = among([]string{"22:00-07:00", "20:00-08:00", "18:00-09:00", "off"}, typed)
	}
	return trim(out)
}

func trim(in []Choice) []Choice {
	var out []Choice
	seen := map[string]bool{}
	for _, c := range in {
		if c.Value == "" || len(c.Value) > maxChoice || seen[c.Value] || len(out) == maxChoices {
			continue
		}
		seen[c.Value] = true
		c.Label = short(strings.Join(strings.Fields(clean(c.Label)), " "), maxChoice)
		out = append(out, c)
	}
	return out
}

func among(words []string, typed string) []Choice {
	var out []Choice
	for _, w := range words {
		if strings.Contains(strings.ToLower(w), strings.ToLower(typed)) {
			out = append(out, Choice{Label: w, Value: w})
		}
	}
	return out
}

// suggestTargets offers what fits the verb: what is subscribed or muted here first, then the catalogue.
func (h *Handler) suggestTargets(ctx context.Context, who Caller, verb, option, typed string) []Choice {
	var out []Choice
	if option == "target" {
		if name, part, ok := strings.Cut(typed, "/"); ok {
			return h.suggestComponents(ctx, name, part, true)
		}
		for _, c := range []Choice{{Label: "stack: what your team runs on", Value: "stack"}, {Label: "all", Value: "all"}} {
			if strings.HasPrefix(c.Value, strings.ToLower(typed)) {
				out = append(out, c)
			}
		}
	}
	p, err := h.place(ctx, who)
	if err == nil {
		out = append(out, h.suggestHere(ctx, p, verb, typed)...)
	}
	if typed == "" {
		return out
	}
	for _, pr := range h.Catalogue.Search(typed) {
		if len(out) >= maxChoices {
			break
		}
		out = append(out, Choice{Label: pr.Name, Value: pr.Slug})
	}
	return out
}

// suggestHere offers what the channel and its team know already.
func (h *Handler) suggestHere(ctx context.Context, p *place, verb, typed string) []Choice {
	var out []Choice
	add := func(label, value string) {
		if strings.Contains(strings.ToLower(label+value), strings.ToLower(typed)) {
			out = append(out, Choice{Label: label, Value: value})
		}
	}
	switch Verb(verb) {
	case VerbUnsubscribe:
		subs, err := h.Store.Subscriptions(ctx, p.dest.ID)
		if err != nil {
			return nil
		}
		for _, s := range subs {
			if s.Target == downwind.TargetProvider {
				add(h.subLabel(s), Target{Kind: TargetProvider, Text: s.Provider, Component: s.Component}.String())
			}
		}
	case VerbUnmute:
		mutes, err := h.Store.Mutes(ctx, p.dest.ID)
		if err != nil {
			return nil
		}
		for _, m := range mutes {
			add(muteLabel(m), muteLabel(m))
		}
	default:
		for _, slug := range p.uses() {
			add(h.nameOf(slug), slug)
		}
	}
	return out
}

// suggestComponents offers a provider's components, alone or behind the provider's slug.
func (h *Handler) suggestComponents(ctx context.Context, name, typed string, whole bool) []Choice {
	name, _, _ = strings.Cut(name, "/")
	pr, ok := h.Catalogue.Lookup(name)
	if !ok {
		return nil
	}
	known, err := h.Store.Components(ctx, pr.Slug)
	if err != nil || len(known) == 0 {
		known = pr.Components
	}
	var out []Choice
	for _, c := range known {
		if c.Name == "" || !strings.Contains(strings.ToLower(c.Name), strings.ToLower(strings.Trim(typed, `"`))) {
			continue
		}
		value := quote(c.Name)
		if whole {
			value = Target{Kind: TargetProvider, Text: pr.Slug, Component: c.Name}.String()
		}
		if out = append(out, Choice{Label: c.Name, Value: value}); len(out) == maxChoices {
			break
		}
	}
	return out
}

// suggestIncidents offers those told in this channel and those open at the team's providers, and nobody else's.
func (h *Handler) suggestIncidents(ctx context.Context, who Caller, typed string) []Choice {
	p, err := h.place(ctx, who)
	if err != nil {
		return nil
	}
	var out []Choice
	add := func(inc downwind.Incident) {
		label := h.nameOf(inc.Provider) + ": " + inc.Title
		if strings.Contains(strings.ToLower(label+" "+inc.Key()), strings.ToLower(typed)) {
			out = append(out, Choice{Label: label, Value: inc.Key()})
		}
	}
	ds, err := h.Store.Deliveries(ctx, downwind.DeliveryFilter{Destination: p.dest.ID, Limit: maxChoices})
	if err != nil {
		return nil
	}
	for _, d := range ds {
		slug, id, _ := strings.Cut(d.Incident, "/")
		if rec, err := h.Store.Incident(ctx, slug, id); err == nil {
			add(rec.Incident)
		}
	}
	if slugs := p.uses(); len(slugs) > 0 && len(out) < maxChoices {
		open := true
		records, err := h.Store.Incidents(ctx, downwind.IncidentFilter{Providers: slugs, Open: &open, Limit: maxChoices})
		if err != nil {
			return out
		}
		for _, r := range records {
			add(r.Incident)
		}
	}
	return out
}

// suggestKinds completes the last word of a list of kinds.
func suggestKinds(typed string) []Choice {
	head, last := "", typed
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		head, last = typed[:i+1], strings.TrimSpace(typed[i+1:])
	}
	var out []Choice
	for _, k := range FilterKinds {
		if strings.HasPrefix(k, strings.ToLower(last)) && !strings.Contains(head, k) {
			out = append(out, Choice{Label: head + k, Value: head + k})
		}
	}
	return out
}
