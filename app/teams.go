package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/config"
	"downwind/notify/email"
)

// openTeams brings the pinned teams, their channels and stacks into the store, and the sources of the catalogue.
func (a *App) openTeams(ctx context.Context) error {
	if err := a.loadAdded(ctx); err != nil {
		return err
	}
	for i := range a.cfg.Team {
		if err := a.pinTeam(ctx, &a.cfg.Team[i]); err != nil {
			return fmt.Errorf("team %s: %w", a.cfg.Team[i].Name, err)
		}
	}
	if err := a.operatorDestinations(ctx); err != nil {
		return err
	}
	if err := a.readStacks(ctx); err != nil {
		return err
	}
	return a.syncSources(ctx)
}

// pinTeam makes or renews a team of the configuration with its destinations and their subscription to its stack.
func (a *App) pinTeam(ctx context.Context, t *config.Team) error {
	id := config.TeamID(t.Name)
	team, err := a.db.Team(ctx, id)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	team.ID, team.Name, team.Timezone, team.Pinned = id, t.Name, t.Timezone, true
	if err := a.db.SaveTeam(ctx, team); err != nil {
		return err
	}
	for _, d := range a.destinations(t) {
		d.Team = id
		if err := a.pinDestination(ctx, t, d); err != nil {
			return err
		}
	}
	return nil
}

// destinations are the channels of a pinned team.
func (a *App) destinations(t *config.Team) []downwind.Destination {
	var out []downwind.Destination
	add := func(platform, workspace, channel string) {
		out = append(out, downwind.Destination{
			ID: platform + ":" + workspace + ":" + channel, Platform: platform, Workspace: workspace, Channel: channel,
			Name: t.Name, Timezone: t.Timezone, Quiet: t.Quiet, QuietExcept: downwind.ImpactCritical, Remind: t.Remind.Duration,
		})
	}
	if t.Slack != "" {
		add(downwind.PlatformSlack, "", t.Slack)
	}
	if t.Discord != "" {
		add(downwind.PlatformDiscord, "", t.Discord)
	}
	if t.Console {
		add(downwind.PlatformConsole, "", config.TeamID(t.Name))
	}
	for _, d := range a.cfg.Destination {
		if config.TeamID(d.Team) == config.TeamID(t.Name) {
			add(d.Kind, "", d.Name)
		}
	}
	return out
}

// wish is what the configuration asks for at a destination: its own minimum and kinds, else the team's.
func (a *App) wish(t *config.Team, d downwind.Destination) downwind.Filter {
	f := downwind.Filter{Min: downwind.Impact(t.Min), Kinds: t.Kinds}
	for _, own := range a.cfg.Destination {
		if own.Kind != d.Platform || own.Name != d.Channel {
			continue
		}
		if own.Min != "" {
			f.Min = downwind.Impact(own.Min)
		}
		if len(own.Kinds) > 0 {
			f.Kinds = own.Kinds
		}
	}
	return f
}

// pinDestination stores a channel and, when it has no subscription yet, subscribes it to the team's stack.
func (a *App) pinDestination(ctx context.Context, t *config.Team, d downwind.Destination) error {
	d, err := a.keepWorkspace(ctx, d)
	if err != nil {
		return err
	}
	if old, err := a.db.Destination(ctx, d.ID); err == nil {
		d = keepPeoples(d, old)
	} else if !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if err := a.db.SaveDestination(ctx, d); err != nil {
		return err
	}
	subs, err := a.db.Subscriptions(ctx, d.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(subs, func(s downwind.Subscription) bool { return s.CreatedBy != pinnedBy }) {
		return nil
	}
	target := downwind.TargetStack
	if len(t.Stack) == 0 && d.Platform == downwind.PlatformConsole {
		target = downwind.TargetAll
	}
	filter := a.wish(t, d)
	filter.OnlyAffected = target == downwind.TargetStack
	_, _, err = a.db.SaveSubscription(ctx, downwind.Subscription{
		Destination: d.ID, Team: d.Team, Target: target, CreatedBy: pinnedBy, CreatedAt: a.clock.Now(), Filter: filter,
	})
	return err
}

// keepPeoples keeps what people set for a channel where the configuration says nothing of it.
func keepPeoples(d, old downwind.Destination) downwind.Destination {
	d.Paused, d.PausedAt, d.Digest, d.DigestAt = old.Paused, old.PausedAt, old.Digest, old.DigestAt
	if d.Quiet == "" {
		d.Quiet, d.QuietExcept = old.Quiet, old.QuietExcept
	}
	if d.Timezone == "" {
		d.Timezone = old.Timezone
	}
	if d.Remind == 0 {
		d.Remind = old.Remind
	}
	return d
}

// pinnedBy marks subscriptions that the configuration made; people's own are left alone.
const pinnedBy = "config.toml"

// keepWorkspace finds the destination of a channel that was met before with its workspace's id.
func (a *App) keepWorkspace(ctx context.Context, d downwind.Destination) (downwind.Destination, error) {
	if d.Platform != downwind.PlatformSlack && d.Platform != downwind.PlatformDiscord {
		return d, nil
	}
	all, err := a.db.Destinations(ctx, "")
	if err != nil {
		return d, err
	}
	for _, o := range all {
		if o.Platform == d.Platform && o.Channel == d.Channel {
			d.ID, d.Workspace = o.ID, o.Workspace
		}
	}
	return d, nil
}

// operatorDestinations stores the channels of [operator].
func (a *App) operatorDestinations(ctx context.Context) error {
	o := a.cfg.Operator
	for _, d := range []downwind.Destination{
		{Platform: downwind.PlatformSlack, Channel: o.Slack},
		{Platform: downwind.PlatformDiscord, Channel: o.Discord},
		{Platform: email.Platform, Channel: o.Email},
	} {
		if d.Channel == "" {
			continue
		}
		if d.Platform == email.Platform {
			d.Channel = "operator"
		}
		if err := a.operatorTeam(ctx); err != nil {
			return err
		}
		d.ID, d.Operator, d.Name, d.Team = d.Platform+"::"+d.Channel, true, "operator", operatorTeam
		d, err := a.keepWorkspace(ctx, d)
		if err != nil {
			return err
		}
		if err := a.db.SaveDestination(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// operatorTeam owns the operator's destinations; it has no stack and no subscriptions.
const operatorTeam = "downwind-operator"

func (a *App) operatorTeam(ctx context.Context) error {
	_, err := a.db.Team(ctx, operatorTeam)
	if errors.Is(err, downwind.ErrNotFound) {
		return a.db.SaveTeam(ctx, downwind.Team{ID: operatorTeam, Name: "Operator", Pinned: true})
	}
	return err
}

// fileStamps remember the size and time of the files that a team's stack was read from.
type fileStamps map[string]string

// readStacks reads the stack files of pinned teams whose files have changed since they were last read.
func (a *App) readStacks(ctx context.Context) error {
	if a.stamps == nil {
		a.stamps = fileStamps{}
	}
	read := false
	for i := range a.cfg.Team {
		t := &a.cfg.Team[i]
		if len(t.Stack) == 0 {
			continue
		}
		paths, err := a.stackPaths(t)
		if err != nil {
			return fmt.Errorf("team %s: %w", t.Name, err)
		}
		now := stampOf(paths)
		id := config.TeamID(t.Name)
		if a.stamps[id] == now {
			continue
		}
		stack, err := a.stacks.ReadPaths(ctx, paths)
		if err != nil {
			return fmt.Errorf("team %s: %w", t.Name, err)
		}
		a.shorten(&stack)
		if err := a.db.SaveStack(ctx, id, stack, pinnedBy, a.clock.Now()); err != nil {
			return fmt.Errorf("team %s: %w", t.Name, err)
		}
		a.stamps[id] = now
		read = true
		a.log.Info("stack read", "team", id, "files", len(stack.Files), "providers", len(stack.Providers))
	}
	if !read {
		return nil
	}
	return a.renewWanted(ctx)
}

// shorten makes the paths of evidence relative to the configuration's folder: people know them from there.
func (a *App) shorten(s *downwind.Stack) {
	short := func(p string) string {
		if rel, err := filepath.Rel(a.cfg.Dir, p); err == nil && a.cfg.Dir != "" && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
		return p
	}
	for i := range s.Files {
		s.Files[i].Path = short(s.Files[i].Path)
	}
	evidence := func(list []downwind.Evidence) {
		for i := range list {
			list[i].File = short(list[i].File)
		}
	}
	for i := range s.Providers {
		evidence(s.Providers[i].Evidence)
	}
	evidence(s.Unknown)
	for slug := range s.SelfHosted {
		evidence(s.SelfHosted[slug])
	}
}

// stackPaths expands the globs of a team's stack. A pattern that fits nothing is an error that names it.
func (a *App) stackPaths(t *config.Team) ([]string, error) {
	var out []string
	for _, p := range t.Stack {
		found, err := filepath.Glob(a.cfg.Path(p))
		if err != nil {
			return nil, fmt.Errorf("stack %q: %w", p, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("stack %q: no such file or folder below %s", p, a.cfg.Path("."))
		}
		out = append(out, found...)
	}
	return out, nil
}

// stampOf fingerprints names, sizes and times of files; folders are walked two levels deep, enough to notice new locks
// and manifests without reading a whole tree every time.
func stampOf(paths []string) string {
	seen := map[string]string{}
	for _, root := range paths {
		base := strings.Count(filepath.Clean(root), string(filepath.Separator))
		_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error { // what cannot be read is told by the reader itself
			if err != nil {
				return nil
			}
			if d.IsDir() {
				name := d.Name()
				if p != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor") || strings.Count(p, string(filepath.Separator))-base > 3 {
					return filepath.SkipDir
				}
				return nil
			}
			if info, err := d.Info(); err == nil {
				seen[p] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintln(&b, p, seen[p])
	}
	return b.String()
}

// syncSources tells the store which sources there are: those of the catalogue, of the configuration and those that
// people added, as far as they can be read. With [poll] all = false only those that a team depends on are read.
func (a *App) syncSources(ctx context.Context) error {
	wanted, err := a.db.WantedProviders(ctx)
	if err != nil {
		return err
	}
	var sources []downwind.Source
	for _, p := range a.catalog.All() {
		switch {
		case p.StatusURL == "" || p.Unsupported != "",
			a.opts.Only != nil && !slices.Contains(a.opts.Only, p.Slug),
			!a.cfg.Poll.All && !wanted[p.Slug] && !a.configured(p.Slug):
			continue
		}
		src := downwind.Source{Provider: p.Slug, URL: p.StatusURL, Platform: p.Platform, Interval: p.Interval, Wanted: wanted[p.Slug]}
		if p.Platform == "rss" || p.Platform == "atom" || p.Platform == "json" {
			src.Endpoint = p.StatusURL
		}
		sources = append(sources, src)
	}
	return a.db.SyncSources(ctx, sources)
}

// configured reports whether config.toml has an entry of its own for a provider.
func (a *App) configured(slug string) bool {
	return slices.ContainsFunc(a.cfg.Provider, func(p config.Provider) bool { return p.Slug == slug })
}

// watchStacks reads changed stack files again, every half minute. A fault is told and the old stack stays.
func (a *App) watchStacks(ctx context.Context) error {
	if !slices.ContainsFunc(a.cfg.Team, func(t config.Team) bool { return len(t.Stack) > 0 }) {
		<-ctx.Done()
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.clock.After(30 * time.Second):
		}
		if err := a.readStacks(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("stack files cannot be read; the stack read last stays", "error", err)
		}
	}
}

// DefaultDataDir is where a daemon without a configuration keeps its database: $XDG_DATA_HOME/downwind or the user's
// own folder for data.
func DefaultDataDir() (string, error) {
	if d := os.Getenv("XDG_DATA_HOME"); d != "" {
		return filepath.Join(d, "downwind"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for data: set XDG_DATA_HOME: %w", err)
	}
	return filepath.Join(home, ".local", "share", "downwind"), nil
}
