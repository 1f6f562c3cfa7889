package chat

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"downwind"
)

// resolved is a target that the catalogue knows.
type resolved struct {
	kind      downwind.TargetKind
	provider  downwind.Provider
	component string
}

// label names the target for people.
func (r resolved) label() string {
	switch r.kind {
	case downwind.TargetStack:
		return "your stack"
	case downwind.TargetAll:
		return "all providers"
	}
	name := r.provider.Name
	if name == "" {
		name = r.provider.Slug
	}
	if r.component != "" {
		name += " / " + r.component
	}
	return name
}

// resolve looks the targets of a command up. detect allows unknown addresses to become providers.
// The error is a *SyntaxError when a person can repair it.
func (h *Handler) resolve(ctx context.Context, p *place, cmd Command, detect bool) ([]resolved, error) {
	var out []resolved
	for i := 0; i < len(cmd.Targets); i++ {
		t := cmd.Targets[i]
		if t.Kind == TargetProvider && t.Component == "" {
			if pr, used := h.joined(cmd.Targets[i:]); used > 1 {
				out = append(out, resolved{kind: downwind.TargetProvider, provider: pr})
				i += used - 1
				continue
			}
		}
		r, err := h.resolveOne(ctx, p, cmd, t, detect)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// joined finds a provider whose name is written as several words ("google cloud"), unless each word is a provider itself.
func (h *Handler) joined(ts []Target) (downwind.Provider, int) {
	n, all := 0, true
	for n < len(ts) && n < 4 && ts[n].Kind == TargetProvider && ts[n].Component == "" {
		n++
	}
	for ; n > 1; n-- {
		name := make([]string, n)
		all = true
		for i, t := range ts[:n] {
			name[i] = t.Text
			_, ok := h.Catalogue.Lookup(t.Text)
			all = all && ok
		}
		if pr, ok := h.Catalogue.Lookup(strings.Join(name, " ")); ok && !all {
			return pr, n
		}
	}
	return downwind.Provider{}, 0
}

func (h *Handler) resolveOne(ctx context.Context, p *place, cmd Command, t Target, detect bool) (resolved, error) {
	switch t.Kind {
	case TargetStack:
		return resolved{kind: downwind.TargetStack}, nil
	case TargetAll:
		return resolved{kind: downwind.TargetAll}, nil
	case TargetURL:
		return h.resolveURL(ctx, p, cmd, t.Text, detect)
	case TargetDomain:
		if pr, ok := h.Catalogue.Lookup(t.Text); ok {
			return resolved{kind: downwind.TargetProvider, provider: pr}, nil
		}
		if pr, ok := h.byHost(ctx, t.Text); ok {
			return resolved{kind: downwind.TargetProvider, provider: pr}, nil
		}
		return h.resolveURL(ctx, p, cmd, "https://"+t.Text, detect)
	}
	pr, ok := h.Catalogue.Lookup(t.Text)
	if !ok {
		return resolved{}, h.unknownProvider(cmd, t)
	}
	r := resolved{kind: downwind.TargetProvider, provider: pr}
	if t.Component != "" {
		comp, err := h.component(ctx, cmd, t, pr)
		if err != nil {
			return resolved{}, err
		}
		r.component = comp
	}
	return r, nil
}

// byHost finds the provider that a host belongs to by the signatures of stacks.
func (h *Handler) byHost(ctx context.Context, host string) (downwind.Provider, bool) {
	if h.Stacks == nil {
		return downwind.Provider{}, false
	}
	stack := h.Stacks.ReadDomains(ctx, []string{host})
	if len(stack.Providers) == 1 {
		return h.Catalogue.Provider(stack.Providers[0].Provider)
	}
	return downwind.Provider{}, false
}

// ownAddress reports whether an address is of our own pages, and which provider or incident it names.
func (h *Handler) ownAddress(raw string) (own bool, provider, incident string) {
	base, err := url.Parse(h.BaseURL)
	if err != nil || h.BaseURL == "" {
		return false, "", ""
	}
	u, err := url.Parse(raw)
	if err != nil || !strings.EqualFold(u.Host, base.Host) {
		return false, "", ""
	}
	path := strings.TrimPrefix(u.Path, strings.TrimSuffix(base.Path, "/"))
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "feed":
		return true, u.Query().Get("provider"), ""
	case parts[0] == "incidents" && len(parts) >= 3:
		return true, parts[1], trimForm(strings.Join(parts[2:], "/"))
	case parts[0] == "providers" && len(parts) >= 2:
		return true, parts[1], ""
	}
	return true, "", ""
}

// trimForm takes a machine form's ending off an incident's path.
func trimForm(id string) string {
	for _, end := range []string{"/replay.csv", ".md", ".json", ".ics"} {
		id = strings.TrimSuffix(id, end)
	}
	return id
}

func (h *Handler) resolveURL(ctx context.Context, p *place, cmd Command, raw string, detect bool) (resolved, error) {
	if own, slug, _ := h.ownAddress(raw); own {
		repair := "subscribe stack"
		if pr, ok := h.Catalogue.Lookup(slug); ok && slug != "" {
			repair = "subscribe " + pr.Slug
		}
		return resolved{}, &SyntaxError{
			Wrong:  "That is one of our own addresses. Here the provider's name gives more: one living message per incident, only what hits you, replay windows.",
			Repair: repair,
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return resolved{}, &SyntaxError{Wrong: fmt.Sprintf("%q is not an address that can be read.", echo(raw)), Repair: "subscribe stack"}
	}
	if pr, ok := h.Catalogue.Lookup(raw); ok {
		return resolved{kind: downwind.TargetProvider, provider: pr}, nil
	}
	if !detect || h.Detect == nil {
		return resolved{}, h.unknownProvider(cmd, Target{Kind: TargetURL, Text: raw})
	}
	pr, err := h.Detect(ctx, raw)
	if err != nil {
		h.Logger.Info("chat: no status page found", "url", raw, "err", err)
		why := "no status page or feed that I can read is there, or it is not reachable from here"
		if errors.Is(err, downwind.ErrForbidden) {
			why = "it is not reachable from here"
		}
		return resolved{}, &SyntaxError{
			Understood: "the address " + echo(raw),
			Wrong:      "I could not subscribe to it: " + why + ".",
			Repair:     "subscribe https://status." + strings.TrimPrefix(u.Hostname(), "www."),
		}
	}
	return resolved{kind: downwind.TargetProvider, provider: pr}, nil
}

// unknownProvider says that nobody knows the name, with the nearest ones.
func (h *Handler) unknownProvider(cmd Command, t Target) error {
	near := h.Catalogue.Closest(t.Text, maxSuggestions)
	if len(near) == 0 {
		for _, pr := range h.Catalogue.Search(t.Text) {
			if near = append(near, pr.Slug); len(near) == maxSuggestions {
				break
			}
		}
	}
	if len(near) == 0 {
		return &SyntaxError{
			Wrong:  fmt.Sprintf("I don't know %q. If it has a status page, give its address.", echo(t.Text)),
			Repair: string(VerbSubscribe) + " https://status." + hostGuess(t.Text),
		}
	}
	fixed := cmd
	fixed.Targets = append([]Target(nil), cmd.Targets...)
	for i, have := range fixed.Targets {
		if have == t {
			fixed.Targets[i] = Target{Kind: TargetProvider, Text: near[0], Component: t.Component}
		}
	}
	return &SyntaxError{Wrong: fmt.Sprintf("I don't know %q. Did you mean %s?", echo(t.Text), oneOf(near)), Repair: fixed.String()}
}

// hostGuess makes a plausible domain of a name, for a repair that people complete.
func hostGuess(name string) string {
	f := downwind.Fold(name)
	ascii := strings.Map(func(r rune) rune {
		if r < 128 {
			return r
		}
		return -1
	}, f)
	if ascii == "" || len(ascii) > 40 {
		ascii = "example"
	}
	return ascii + ".com"
}

// component checks a component's name or glob against those known; one that is unique by its beginning is completed.
func (h *Handler) component(ctx context.Context, cmd Command, t Target, pr downwind.Provider) (string, error) {
	known, err := h.Store.Components(ctx, pr.Slug)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return "", err
	}
	if len(known) == 0 {
		known = pr.Components
	}
	if len(known) == 0 || strings.Contains(t.Component, "*") {
		return t.Component, nil
	}
	var part, names []string
	for _, c := range known {
		if downwind.Fold(c.Name) == downwind.Fold(t.Component) {
			return c.Name, nil
		}
		names = append(names, strings.ToLower(c.Name))
		if strings.Contains(strings.ToLower(c.Name), strings.ToLower(t.Component)) && !contains(part, c.Name) {
			part = append(part, c.Name)
		}
	}
	repair := func(component string) string {
		c := cmd
		c.Targets = []Target{{Kind: TargetProvider, Text: pr.Slug, Component: component}}
		return c.String()
	}
	switch {
	case len(part) == 1:
		return part[0], nil
	case len(part) > 1:
		shown := part
		if len(shown) > maxSuggestions {
			shown = shown[:maxSuggestions]
		}
		return "", &SyntaxError{
			Wrong:  fmt.Sprintf("%q matches %d components of %s. Pick one (%s), or take all of them.", echo(t.Component), len(part), pr.Slug, strings.Join(shown, ", ")),
			Repair: repair("*" + t.Component + "*"),
		}
	}
	if near := closest(t.Component, names); len(near) > 0 {
		return "", &SyntaxError{Wrong: fmt.Sprintf("%s has no component %q. Did you mean %s?", pr.Slug, echo(t.Component), oneOf(near)), Repair: repair(near[0])}
	}
	return "", &SyntaxError{Wrong: fmt.Sprintf("%s has no component %q.", pr.Slug, echo(t.Component)), Repair: repair("")}
}
