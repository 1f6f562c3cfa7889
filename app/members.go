package app

import (
	"context"
	"sync"

	"downwind"
	"downwind/match"
	"downwind/store"
)

// members is the index of all teams, and the number of the newest change of a team that it holds. It is filled from the store when the
// daemon starts; after that only teams that have changed are read again, also those that another process changed.
type members struct {
	index *match.Index

	mu    sync.Mutex
	filed int64
}

// renew takes in the teams that have changed since, and returns the number of the newest change.
func (m *members) renew(ctx context.Context, db *store.DB) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	filed, err := db.EachFiled(ctx, m.filed, func(t downwind.Team, subs []downwind.Subscription) {
		m.index.Add(match.Member{Team: t.ID, Stack: &t.Stack, Rules: t.Rules, Subscriptions: subs})
	})
	if err != nil {
		return 0, err
	}
	m.filed = filed
	return filed, nil
}

// indexTeams fills the index when the daemon starts.
func (a *App) indexTeams(ctx context.Context) error {
	_, err := a.teams.renew(ctx, a.db)
	return err
}

// reason says why an incident does not touch a team that the index ruled out.
func (a *App) reason(inc *downwind.Incident, components []downwind.Component, team *downwind.Team) (downwind.HoldReason, string) {
	return a.planner.Reason(inc, team, match.Known{Provider: a.provider(inc.Provider), Components: components})
}
