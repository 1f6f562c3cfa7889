package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"downwind"
)

const subscriptionColumns = "id, destination, team, target, provider, component, filter, created_by, created_at"

func subscriptionFields(s *downwind.Subscription) []any {
	return []any{
		&s.ID, &s.Destination, &s.Team, &s.Target, &s.Provider, &s.Component, fromJSON{&s.Filter}, &s.CreatedBy, at{&s.CreatedAt},
	}
}

func eachSubscription(ctx context.Context, q querier, found func(downwind.Subscription), cond string, args ...any) error {
	return each(ctx, q, func(r *sql.Rows) error {
		var s downwind.Subscription
		if err := r.Scan(subscriptionFields(&s)...); err != nil {
			return err
		}
		found(s)
		return nil
	}, "SELECT "+subscriptionColumns+" FROM subscription "+cond+" ORDER BY id", args...)
}

// Subscriptions returns those of a destination, oldest first.
func (db *DB) Subscriptions(ctx context.Context, destination string) ([]downwind.Subscription, error) {
	var list []downwind.Subscription
	err := eachSubscription(ctx, db.read(), func(s downwind.Subscription) { list = append(list, s) }, "WHERE destination = $1", destination)
	return list, err
}

// SaveSubscription stores a subscription. The same destination and target merges: the new filter replaces the old one,
// who made it and when stay. It reports whether it existed.
func (db *DB) SaveSubscription(ctx context.Context, sub downwind.Subscription) (saved downwind.Subscription, existed bool, err error) {
	err = db.write(ctx, "subscribe "+sub.Destination, func(t tx) error {
		d, err := destination(ctx, t, sub.Destination)
		if err != nil {
			return err
		}
		s := sub
		s.Team = d.Team
		if s.CreatedAt.IsZero() {
			s.CreatedAt = db.clock.Now()
		}
		filter, err := text(s.Filter)
		if err != nil {
			return err
		}
		var had string
		err = t.row(ctx, "SELECT "+subscriptionColumns+", filter FROM subscription WHERE destination = $1 AND target = $2 AND provider = $3 AND component = $4",
			s.Destination, string(s.Target), s.Provider, s.Component).Scan(append(subscriptionFields(&saved), &had)...)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if existed = err == nil; existed && had == filter && saved.Team == s.Team {
			return nil // the configuration says it again at every start
		}
		if err := t.refile(ctx, s.Team); err != nil {
			return err
		}
		if err := t.row(ctx, `INSERT INTO subscription (destination, team, target, provider, component, filter, created_by, created_at)
			VALUES ($1,$2,$3,$4,$5,$6,$7,$8) ON CONFLICT (destination, target, provider, component)
			DO UPDATE SET filter = excluded.filter, team = excluded.team RETURNING `+subscriptionColumns,
			s.Destination, s.Team, string(s.Target), s.Provider, s.Component, filter, s.CreatedBy, micros(s.CreatedAt)).
			Scan(subscriptionFields(&saved)...); err != nil {
			return err
		}
		return indexSubscriptions(ctx, t, s.Team)
	})
	return saved, existed, err
}

// DeleteSubscription ends one subscription of a destination.
func (db *DB) DeleteSubscription(ctx context.Context, destination string, id int64) error {
	return db.write(ctx, "unsubscribe "+destination, func(t tx) error {
		var team string
		err := t.row(ctx, "SELECT team FROM subscription WHERE destination = $1 AND id = $2", destination, id).Scan(&team)
		if err != nil {
			return missing(err, fmt.Sprintf("subscription %d of %s", id, destination))
		}
		if err := t.refile(ctx, team); err != nil {
			return err
		}
		if _, err := t.exec(ctx, "DELETE FROM subscription WHERE destination = $1 AND id = $2", destination, id); err != nil {
			return err
		}
		return indexSubscriptions(ctx, t, team)
	})
}

func indexSubscriptions(ctx context.Context, t tx, team string) error {
	providers := make(map[string]bool)
	err := eachSubscription(ctx, t, func(s downwind.Subscription) {
		switch s.Target {
		case downwind.TargetAll:
			providers["*"] = true
		case downwind.TargetProvider:
			providers[s.Provider] = true
		}
	}, "WHERE team = $1", team)
	if err != nil {
		return err
	}
	return index(ctx, t, team, fromSubscription, providers)
}

func eachMute(ctx context.Context, q querier, found func(team string, m downwind.Mute), cond string, args ...any) error {
	return each(ctx, q, func(r *sql.Rows) error {
		var m downwind.Mute
		var team string
		if err := r.Scan(&team, &m.ID, &m.Destination, &m.Provider, &m.Incident, at{&m.Until}, &m.By); err != nil {
			return err
		}
		found(team, m)
		return nil
	}, "SELECT d.team, m.id, m.destination, m.provider, m.incident, m.until, m.by_whom FROM mute m JOIN destination d ON d.id = m.destination "+
		cond+" ORDER BY m.id", args...)
}

// Mutes returns a destination's mutes that have not ended.
func (db *DB) Mutes(ctx context.Context, destination string) ([]downwind.Mute, error) {
	var list []downwind.Mute
	err := eachMute(ctx, db.read(), func(_ string, m downwind.Mute) { list = append(list, m) },
		"WHERE m.destination = $1 AND m.until > $2", destination, micros(db.clock.Now()))
	return list, err
}

// SaveMute mutes a target in a destination until it ends by itself; muting it again moves the end.
func (db *DB) SaveMute(ctx context.Context, m downwind.Mute) (downwind.Mute, error) {
	err := db.write(ctx, "mute in "+m.Destination, func(t tx) error {
		if m.Until.IsZero() {
			return fmt.Errorf("mute without end: %w", downwind.ErrInvalid)
		}
		if _, err := destination(ctx, t, m.Destination); err != nil {
			return err
		}
		return t.row(ctx, `INSERT INTO mute (destination, provider, incident, until, by_whom) VALUES ($1,$2,$3,$4,$5)
			ON CONFLICT (destination, provider, incident) DO UPDATE SET until = excluded.until, by_whom = excluded.by_whom RETURNING id`,
			m.Destination, m.Provider, m.Incident, micros(m.Until), m.By).Scan(&m.ID)
	})
	return m, err
}

// DeleteMute ends a mute of a destination now.
func (db *DB) DeleteMute(ctx context.Context, destination string, id int64) error {
	return db.write(ctx, "unmute in "+destination, func(t tx) error {
		r, err := t.exec(ctx, "DELETE FROM mute WHERE destination = $1 AND id = $2", destination, id)
		if err != nil {
			return err
		}
		return changed(r, fmt.Sprintf("mute %d of %s", id, destination))
	})
}
