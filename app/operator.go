package app

import (
	"context"
	"fmt"
	"time"

	"downwind"
	"downwind/plan"
)

// silentFor is how long a source that a team depends on may be unreadable before people are told, once.
const silentFor = 15 * time.Minute

// sourceTrouble notices that a source cannot be read for long, and that it can be read again; subscribers of the
// provider and the operator are told once each.
func (a *App) sourceTrouble(ctx context.Context, src downwind.Source, readable bool) error {
	key := "source:" + src.Provider + ":unreadable"
	name := a.providerName(src.Provider)
	now := a.clock.Now()
	since := src.LastRead
	if since.IsZero() {
		since = now
	}
	n := downwind.OperatorNote{Key: key, At: now, Provider: src.Provider}
	switch {
	case readable:
		n.Over = true
		n.Text = fmt.Sprintf("%s's status page can be read again.", name)
	case !src.Wanted || src.State != downwind.SourceUnreadable || !src.LastRead.IsZero() && now.Sub(since) < silentFor:
		return nil
	case src.LastRead.IsZero():
		n.Text = fmt.Sprintf("%s's status page (%s) could not be read yet: %s. Its state is unknown, not healthy.", name, src.URL, src.Error)
	default:
		n.Text = fmt.Sprintf("%s's status page (%s) cannot be read since %s: %s. Its state is unknown, not healthy.",
			name, src.URL, since.UTC().Format("2006-01-02 15:04 UTC"), src.Error)
	}
	return a.note(ctx, n)
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
