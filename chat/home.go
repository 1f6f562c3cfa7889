package chat

import (
	"context"

	"downwind"
)

// A Home is what a person sees of a workspace outside any channel.
type Home struct {
	// Channels are the workspace's channels that hear of something or belong to a team with a stack, at most 15.
	Channels []HomeChannel
	// Open are the open incidents of their providers, newest first, at most 15.
	Open []downwind.Incident
}

// A HomeChannel is one channel on the home page.
type HomeChannel struct {
	// ID is the platform's channel id; Team the team's name.
	ID, Team string
	// Providers are the names of the team's providers; Subscriptions what the channel hears of; Paused why it hears nothing.
	Providers, Subscriptions []string
	Paused                   string
}

// maxHome bounds the lists of the home page.
const maxHome = 15

// Home gathers the state of the caller's workspace. Nothing of another workspace is read into it.
func (h *Handler) Home(ctx context.Context, who Caller) (Home, error) {
	var home Home
	all, err := h.Store.Destinations(ctx, "")
	if err != nil {
		return home, err
	}
	var slugs []string
	for _, d := range all {
		if d.Platform != who.Platform || d.Workspace != who.Workspace || who.Workspace == "" || len(home.Channels) == maxHome {
			continue
		}
		team, d, err := h.Store.TeamForChannel(ctx, d)
		if err != nil {
			return home, err
		}
		subs, err := h.Store.Subscriptions(ctx, d.ID)
		if err != nil {
			return home, err
		}
		p := place{team: team, dest: d}
		c := HomeChannel{ID: d.Channel, Team: team.Name, Paused: d.Paused}
		for _, slug := range p.uses() {
			c.Providers = append(c.Providers, h.nameOf(slug))
			slugs = union(slugs, []string{slug})
		}
		for _, s := range subs {
			c.Subscriptions = append(c.Subscriptions, h.subLabel(s))
			if s.Provider != "" {
				slugs = union(slugs, []string{s.Provider})
			}
		}
		if len(c.Providers)+len(c.Subscriptions) > 0 {
			home.Channels = append(home.Channels, c)
		}
	}
	if len(slugs) == 0 {
		return home, nil
	}
	open := true
	records, err := h.Store.Incidents(ctx, downwind.IncidentFilter{Providers: slugs, Open: &open, Limit: maxHome})
	if err != nil {
		return home, err
	}
	for _, r := range records {
		if r.Withdrawn.IsZero() && r.Incident.Open() {
			home.Open = append(home.Open, r.Incident)
		}
	}
	return home, nil
}

// Page is the address of our page of an incident, else the provider's.
func (h *Handler) Page(inc *downwind.Incident) string { return h.pageOf(inc) }

// ProviderName is the catalogue's spelling of a provider.
func (h *Handler) ProviderName(slug string) string { return h.nameOf(slug) }
