package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/config"
	"downwind/notify"
	notifyall "downwind/notify/all"
)

// Preview sends one layout, clearly marked as a sample, to a destination of the configuration, named by its id
// ("webhook::ops-hook"), its name, or its channel; with "console" it is printed. It needs no store and may run beside the
// daemon. The error of a message that did not arrive names the repair.
func Preview(ctx context.Context, o Options, to string, kind downwind.ChangeKind) (downwind.Destination, error) {
	var d downwind.Destination
	if !slices.Contains(notify.SampleKinds(), kind) {
		return d, fmt.Errorf("there is no layout %q; there are %s: %w", kind, kinds(), downwind.ErrInvalid)
	}
	a, err := assemble(o)
	if err != nil {
		return d, err
	}
	if a.notes, err = a.notifiers(); err != nil {
		return d, err
	}
	if d, err = a.destinationNamed(to); err != nil {
		return d, err
	}
	n := a.notes[d.Platform]
	if n == nil {
		return d, fmt.Errorf("%s is not configured: %w", d.Platform, downwind.ErrInvalid)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	r := n.Post(ctx, notify.Target{Destination: d, Key: notify.Key(d.ID, "downwind/preview@"+a.clock.Now().Format(time.RFC3339Nano), "root")}, a.sample(kind))
	if r.Verdict == notify.Done {
		return d, nil
	}
	if r.Reason == "" {
		r.Reason = "no clear answer; look whether it arrived"
	}
	if r.Verdict == notify.Wait {
		r.Reason = "the platform asks for patience: try again in " + r.RetryAfter.String()
	}
	return d, errors.Join(errors.New(r.Reason), r.Err)
}

// sample is the message of a layout; its buttons do nothing.
func (a *App) sample(kind downwind.ChangeKind) notify.Message {
	root := kind == downwind.ChangeNew || kind == downwind.ChangeMaintenance
	m := notify.Compose(notify.Sample(kind, a.clock.Now()), notify.ComposeOptions{BaseURL: a.cfg.Server.BaseURL, Root: root, Version: 2})
	m.Broadcast, m.Mention = false, ""
	for i := range m.Actions {
		if m.Actions[i].ID != "" {
			m.Actions[i].ID = notify.ActionID(notify.VerbSample, strconv.Itoa(i))
		}
	}
	return m
}

func kinds() string {
	var out []string
	for _, k := range notify.SampleKinds() {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

// assemble makes an App of the configuration alone, for what needs no store.
func assemble(o Options) (*App, error) {
	if o.Config == nil {
		return nil, fmt.Errorf("app: no configuration: %w", downwind.ErrInvalid)
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Console == nil {
		o.Console = os.Stdout
	}
	return &App{cfg: o.Config, opts: o, clock: o.Clock}, nil
}

// destinationNamed finds a destination of the configuration.
func (a *App) destinationNamed(to string) (downwind.Destination, error) {
	known := map[string]downwind.Destination{downwind.PlatformConsole: {ID: "console::", Platform: downwind.PlatformConsole}}
	names := map[string]bool{downwind.PlatformConsole: true}
	for _, d := range notifyall.Destinations(a.further()) {
		known[d.ID], known[d.Name] = d, d
		names[d.ID] = true
	}
	for i := range a.cfg.Team {
		for _, d := range a.destinations(&a.cfg.Team[i]) {
			if d.Platform == downwind.PlatformSlack || d.Platform == downwind.PlatformDiscord {
				d.Team = config.TeamID(a.cfg.Team[i].Name)
				known[d.ID], known[d.Channel] = d, d
				names[d.ID] = true
			}
		}
	}
	if d, ok := known[to]; ok {
		return d, nil
	}
	return downwind.Destination{}, fmt.Errorf("the configuration names no destination %q; there are %s: %w", to, strings.Join(slices.Sorted(maps.Keys(names)), ", "), downwind.ErrNotFound)
}
