package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"downwind"
)

const (
	// recentFor is how long other providers' incidents count as coincidence, recentMost how many are looked at.
	recentFor  = 6 * time.Hour
	recentMost = 200
	// toldFor is how long after its last change a delivery still concerns the planner: postmortems come weeks later.
	toldFor = 180 * 24 * time.Hour
)

// Known returns what is archived of a provider. Its Provider holds the slug only; the rest is the catalogue's.
func (db *DB) Known(ctx context.Context, provider string) (downwind.Known, error) {
	known := downwind.Known{Provider: downwind.Provider{Slug: provider}, Incidents: make(map[string]downwind.Archived)}
	q := db.read()
	err := q.row(ctx, "SELECT first_read, components FROM source WHERE provider = $1", provider).
		Scan(at{&known.FirstRead}, packed{db, &known.Components})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return known, err
	}
	err = each(ctx, q, func(r *sql.Rows) error {
		var a downwind.Archived
		var id string
		v := &a.Version
		if err := r.Scan(&id, at{&a.FirstSeen}, &a.Silent, &a.Missing, at{&a.Withdrawn}, &a.Gone, &a.Unconfirmed,
			packed{db, &a.Windows}, &v.ID, &v.Number, &v.Hash, packed{db, &v.State}, packed{db, &v.Changes},
			fromJSON{&v.Fetch}, at{&v.SeenAt}, at{&v.LastSeen}, &v.Leaf); err != nil {
			return err
		}
		v.Provider, v.Incident, v.State.Provider = provider, id, provider
		a.State = v.State
		known.Incidents[id] = a
		return nil
	}, `SELECT i.id, i.first_seen, i.silent, i.missing, i.withdrawn, i.gone, i.unconfirmed, i.windows, v.id, v.number, v.hash,
		v.state, v.changes, v.fetched, v.seen_at, v.last_seen, v.leaf
		FROM incident i JOIN version v ON v.id = i.version WHERE i.provider = $1`, provider)
	if err != nil {
		return known, err
	}
	since := db.clock.Now().Add(-recentFor)
	err = each(ctx, q, func(r *sql.Rows) error {
		var in downwind.Incident
		var slug string
		if err := r.Scan(&slug, packed{db, &in}); err != nil {
			return err
		}
		in.Provider = slug
		known.Recent = append(known.Recent, in)
		return nil
	}, `SELECT i.provider, v.state FROM incident i JOIN version v ON v.id = i.version
		WHERE i.changed_at >= $1 AND i.provider <> $2 AND i.silent = 0 ORDER BY i.changed_at DESC LIMIT $3`, micros(since), provider, recentMost)
	return known, err
}

// Audiences returns the teams that a provider concerns: by their stack, by a person's word, or by a subscription to it
// or to everything. Stacks are shared between calls; do not change them.
func (db *DB) Audiences(ctx context.Context, provider string) ([]downwind.Audience, error) {
	q := db.read()
	const teams = "(SELECT team FROM team_provider WHERE provider = $1 OR provider = '*')"
	var list []downwind.Audience
	index := make(map[string]int)
	err := each(ctx, q, func(r *sql.Rows) error {
		team, err := db.scanTeam(r)
		if err != nil {
			return err
		}
		index[team.ID] = len(list)
		list = append(list, downwind.Audience{Team: team, Deliveries: make(map[string]downwind.Told)})
		return nil
	}, "SELECT "+teamColumns+" FROM team WHERE id IN "+teams+" ORDER BY id", provider)
	if err != nil || len(list) == 0 {
		return list, err
	}
	audience := func(team string) *downwind.Audience {
		if i, ok := index[team]; ok {
			return &list[i]
		}
		return &downwind.Audience{Deliveries: make(map[string]downwind.Told)}
	}
	for _, step := range []func() error{
		func() error {
			return eachRule(ctx, q, func(team string, rule downwind.Rule) {
				a := audience(team)
				a.Team.Rules = append(a.Team.Rules, rule)
			}, "WHERE team IN "+teams, provider)
		},
		func() error {
			return eachDestination(ctx, q, func(d downwind.Destination) {
				a := audience(d.Team)
				a.Destinations = append(a.Destinations, d)
			}, "WHERE team IN "+teams, provider)
		},
		func() error {
			return eachSubscription(ctx, q, func(s downwind.Subscription) {
				a := audience(s.Team)
				a.Subscriptions = append(a.Subscriptions, s)
			}, "WHERE team IN "+teams, provider)
		},
		func() error {
			return eachMute(ctx, q, func(team string, m downwind.Mute) {
				a := audience(team)
				a.Mutes = append(a.Mutes, m)
			}, "WHERE m.until > $2 AND d.team IN "+teams, provider, micros(db.clock.Now()))
		},
		func() error {
			return db.eachRecent(ctx, q, func(team string, r downwind.RecentRoot) {
				a := audience(team)
				a.Recent = append(a.Recent, r)
			}, "d.team IN "+teams, provider)
		},
		func() error {
			return db.eachTold(ctx, q, func(t downwind.Told) {
				audience(t.Delivery.Team).Deliveries[t.Delivery.ID] = t
			}, provider)
		},
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// massFor is how far back roots count for a mass event.
const massFor = 30 * time.Minute

// eachRecent lists the roots that destinations got a short while ago.
func (db *DB) eachRecent(ctx context.Context, q querier, found func(team string, r downwind.RecentRoot), cond, provider string) error {
	since := micros(db.clock.Now().Add(-massFor))
	return each(ctx, q, func(rows *sql.Rows) error {
		var r downwind.RecentRoot
		var team string
		if err := rows.Scan(&team, &r.Delivery, &r.Destination, &r.Provider, &r.Parent, at{&r.At}); err != nil {
			return err
		}
		found(team, r)
		return nil
	}, `SELECT d.team, d.id, d.destination, d.provider, d.parent, d.created_at FROM delivery d
		WHERE `+cond+" AND d.updated_at >= $2 AND d.created_at >= $2", provider, since)
}

func (db *DB) eachTold(ctx context.Context, q querier, found func(downwind.Told), provider string) error {
	return each(ctx, q, func(r *sql.Rows) error {
		var t downwind.Told
		var p partRow
		if err := r.Scan(append(deliveryFields(&t.Delivery), p.fields(db)...)...); err != nil {
			return err
		}
		t.Last, t.Collecting = p.part().Alert, t.Delivery.Parent
		found(t)
		return nil
	}, "SELECT "+deliveryColumns+", "+partColumns+` FROM delivery d
		JOIN part p ON p.delivery = d.id AND p.version = d.desired
		LEFT JOIN version v ON v.id = p.archive AND p.bare = 1
		WHERE d.provider = $1 AND d.updated_at >= $2`, provider, micros(db.clock.Now().Add(-toldFor)))
}
