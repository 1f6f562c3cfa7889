package plan

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"downwind"
)

// massKey begins the incident of a collecting root: "downwind/mass@…".
const massKey = "mass"

// togetherWithin is how far apart incidents of several providers may begin to be told as a coincidence.
const togetherWithin = time.Hour

// collect moves the roots of a mass event under one collecting root per destination: when more than MassProviders
// providers of a destination open incidents within MassSpan, each further one becomes a reply there, which is then the
// incident's root for edits and look-ups.
func (p *Planner) collect(in *Input, a *downwind.Audience, out *downwind.Plan, from int) {
	for i := from; i < len(out.Raises); i++ {
		r := &out.Raises[i]
		if r.Alert.Announcement != nil || r.Alert.Before != nil || r.Parent != "" || r.Alert.AlreadyOver || r.Alert.Incident.Kind == downwind.KindMaintenance {
			continue
		}
		providers, parent := recentIn(a, r.Destination, in.Now.Add(-p.opts.MassSpan))
		providers[in.Known.Provider.Slug] = true
		if len(providers) <= p.opts.MassProviders && parent == "" {
			continue
		}
		d := destinationOf(a, r.Destination)
		announce := Announce(d, massKey, in.Now.Truncate(30*time.Minute), massText(in, a, providers))
		announce.Done = false
		if parent != "" {
			announce.Delivery, announce.RootOnly = parent, true
			announce.Incident = strings.TrimPrefix(parent, r.Destination+"|")
			announce.Alert.SeenAt = in.Now
		}
		r.Parent = announce.Delivery
		r.Alert.Push, r.Alert.Mention = false, ""
		out.Raises = append(out.Raises, announce)
	}
}

// recentIn counts the providers whose roots a destination got since a time, and finds its collecting root.
func recentIn(a *downwind.Audience, destination string, since time.Time) (providers map[string]bool, parent string) {
	providers = map[string]bool{}
	for _, r := range a.Recent {
		if r.Destination != destination {
			continue
		}
		if strings.Contains(r.Delivery, "|downwind/"+massKey+"@") {
			parent = r.Delivery
			continue
		}
		if r.Provider != "downwind" && !r.At.Before(since) {
			providers[r.Provider] = true
		}
	}
	return providers, parent
}

func destinationOf(a *downwind.Audience, id string) downwind.Destination {
	for _, d := range a.Destinations {
		if d.ID == id {
			return d
		}
	}
	return downwind.Destination{ID: id, Team: a.Team.ID}
}

func massText(in *Input, a *downwind.Audience, providers map[string]bool) downwind.Announcement {
	names := make([]string, 0, len(providers))
	for slug := range providers {
		names = append(names, nameOf(in, a, slug))
	}
	sort.Strings(names)
	return downwind.Announcement{
		Title: fmt.Sprintf("%d of your providers report trouble at the same time", len(names)),
		Lines: append([]string{"Each further incident is told in this thread. They may share a cause; nobody has said so."}, names...),
	}
}

// nameOf is a provider's name as far as the plan knows it.
func nameOf(in *Input, a *downwind.Audience, slug string) string {
	if slug == in.Known.Provider.Slug {
		return in.Known.Provider.Name
	}
	if u := a.Team.Stack.Use(slug); u != nil && u.Name != "" {
		return u.Name
	}
	return slug
}

// coincident names the other providers of a team whose recent incidents overlap with an event in time and place, with the beginning of
// each ("AWS in us-east-1 since 12:01 UTC"), the first to begin first. The place is told once.
func (p *Planner) coincident(in *Input, e *event, a *downwind.Audience) []string {
	if len(in.Known.Recent) == 0 || !e.state.Open() {
		return nil
	}
	incs := []*downwind.Incident{&e.state}
	for i := range in.Known.Recent {
		r := &in.Known.Recent[i]
		if r.Kind == downwind.KindIncident && a.Team.Stack.Use(r.Provider) != nil {
			incs = append(incs, r)
		}
	}
	if len(incs) < 2 {
		return nil
	}
	for _, t := range p.judge.Coincidence(incs, togetherWithin) {
		mine := false
		var others []string
		place := t.Place
		for i, key := range t.Incidents {
			if key == e.state.Key() {
				mine = true
				continue
			}
			name := nameOf(in, a, t.Providers[i])
			if place != "" {
				name, place = name+" in "+place, ""
			}
			others = append(others, name+" since "+beganAt(incs, key))
		}
		if mine {
			return others
		}
	}
	return nil
}

// beganAt tells when an incident of a list began, in UTC.
func beganAt(incs []*downwind.Incident, key string) string {
	for _, inc := range incs {
		if inc.Key() == key {
			return begun(inc).UTC().Format("15:04 UTC")
		}
	}
	return ""
}

// Flaps: a page whose monitors open and close the same incident again and again.
const (
	flapSpan = 6 * time.Hour
	flapMost = 2
)

// flaps counts how often a mild incident with the same title opened and closed at this provider shortly before a new one.
func flaps(in *Input, e *event) int {
	if e.old != nil || e.state.Impact.Rank() > 1 || e.state.Kind != downwind.KindIncident {
		return 0
	}
	n, title, start := 0, "", begun(&e.state)
	for id, k := range in.Known.Incidents {
		if ago := start.Sub(begun(&k.State)); ago < 0 || ago > flapSpan || id == e.state.ID || !k.State.Phase.Over() || k.State.Kind != downwind.KindIncident {
			continue
		}
		if title == "" {
			title = downwind.Fold(e.state.Title)
		}
		if downwind.Fold(k.State.Title) == title {
			n++
		}
	}
	return n
}
