package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"downwind"
	"downwind/plan"
)

// silentFor is how long a source that a team depends on may be unreadable before people are told, once.
const silentFor = 15 * time.Minute

// sourceTrouble notices that a source cannot be read for long, and that it can be read again; subscribers of the
// provider and the operator are told once each. When most sources fail at once the fault is on our side: then only the
// operator is told, once.
func (a *App) sourceTrouble(ctx context.Context, src downwind.Source, readable bool) error {
	n := downwind.OperatorNote{Key: "source:" + src.Provider + ":unreadable", At: a.clock.Now(), Provider: src.Provider}
	name := a.providerName(src.Provider)
	if readable {
		if _, err := a.db.TakeTemp(ctx, unreadableKind, src.Provider); err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return err
		}
		n.Over = true
		n.Text = fmt.Sprintf("%s's status page can be read again.", name)
		return errors.Join(a.note(ctx, n), a.note(ctx, downwind.OperatorNote{Key: networkKey, At: n.At, Over: true, Text: "Sources can be read again."}))
	}
	if !src.Wanted {
		return nil
	}
	since, err := a.unreadableSince(ctx, src)
	if err != nil || n.At.Sub(since) < silentFor {
		return err
	}
	if most, err := a.mostUnreadable(ctx); err != nil || most > 0 {
		if err != nil {
			return err
		}
		return a.note(ctx, downwind.OperatorNote{
			Key: networkKey, At: n.At,
			Text: fmt.Sprintf("%d sources that teams depend on cannot be read at the same time; look at this machine's network and DNS. Their states are unknown, not healthy.", most),
		})
	}
	n.Text = fmt.Sprintf("%s's status page (%s) cannot be read since %s: %s. Its state is unknown, not healthy.",
		name, src.URL, since.UTC().Format("2006-01-02 15:04 UTC"), src.Error)
	return a.note(ctx, n)
}

const (
	unreadableKind = "unreadable-since"
	networkKey     = "network"
)

// unreadableSince is when a source was last read, or first tried in vain where it was never read.
func (a *App) unreadableSince(ctx context.Context, src downwind.Source) (time.Time, error) {
	if !src.LastRead.IsZero() {
		return src.LastRead, nil
	}
	now := a.clock.Now()
	text, err := a.db.Temp(ctx, unreadableKind, src.Provider)
	if errors.Is(err, downwind.ErrNotFound) {
		_, err = a.db.PutTemp(ctx, unreadableKind, src.Provider, []byte(now.Format(time.RFC3339)), now.Add(365*24*time.Hour))
		return now, err
	}
	if err != nil {
		return now, err
	}
	return time.Parse(time.RFC3339, string(text))
}

// mostUnreadable counts the wanted sources that cannot be read when they are more than three and more than half; else 0.
func (a *App) mostUnreadable(ctx context.Context) (int, error) {
	sources, err := a.db.Sources(ctx)
	if err != nil {
		return 0, err
	}
	bad, all := 0, 0
	for _, s := range sources {
		if s.Wanted {
			all++
			if s.State == downwind.SourceUnreadable {
				bad++
			}
		}
	}
	if bad > 3 && 2*bad > all {
		return bad, nil
	}
	return 0, nil
}

// sourceMoved tells the operator that a page is on another platform or address now.
func (a *App) sourceMoved(ctx context.Context, src downwind.Source) error {
	return a.note(ctx, downwind.OperatorNote{
		Key: "source:" + src.Provider + ":moved", At: a.clock.Now(),
		Text: fmt.Sprintf("%s's status page has moved: it is read as %s at %s now. Subscriptions stay.", a.providerName(src.Provider), src.Platform, src.URL),
	})
}

// note keeps an operator's note and tells it, in one transaction, where it concerns people: the operator's destinations,
// and for a source the destinations subscribed to its provider. A note that stands already, or an end without a
// beginning, is neither kept nor told again.
func (a *App) note(ctx context.Context, n downwind.OperatorNote) error {
	raises, fresh, err := a.announce(ctx, n)
	if err != nil || !fresh {
		return err
	}
	a.log.Info("operator note", "key", n.Key, "text", n.Text)
	return a.db.Apply(ctx, downwind.Plan{At: a.clock.Now(), Notes: []downwind.OperatorNote{n}, Raises: raises})
}

// announce makes the announcements of a note; fresh is false for one that stands already or ends nothing.
func (a *App) announce(ctx context.Context, n downwind.OperatorNote) (raises []downwind.Raise, fresh bool, err error) {
	standing, err := a.stands(ctx, n.Key)
	if err != nil || standing != n.Over {
		return nil, false, err
	}
	dests, err := a.db.OperatorDestinations(ctx)
	if err != nil {
		return nil, false, err
	}
	if n.Provider != "" {
		audiences, err := a.db.Audiences(ctx, n.Provider)
		if err != nil {
			return nil, false, err
		}
		for _, aud := range audiences {
			if use := aud.Team.Stack.Use(n.Provider); use != nil || subscribedTo(aud, n.Provider) {
				dests = append(dests, aud.Destinations...)
			}
		}
	}
	seen := map[string]bool{}
	for _, d := range dests {
		if seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		raises = append(raises, plan.Announce(d, n.Key, n.At, downwind.Announcement{
			Title: "About Downwind itself", Lines: []string{n.Text}, URL: a.baseURL() + "/", Good: n.Over,
		}))
	}
	return raises, true, nil
}

// stands reports whether a note with this key is open.
func (a *App) stands(ctx context.Context, key string) (bool, error) {
	notes, err := a.db.Notes(ctx)
	if err != nil {
		return false, err
	}
	for _, n := range notes {
		if n.Key == key && n.Ended.IsZero() {
			return true, nil
		}
	}
	return false, nil
}

// subscribedTo reports whether an audience asked for this provider by name.
func subscribedTo(a downwind.Audience, provider string) bool {
	for _, s := range a.Subscriptions {
		if s.Target == downwind.TargetProvider && s.Provider == provider {
			return true
		}
	}
	return false
}
