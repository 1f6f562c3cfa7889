package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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
	err = each(ctx, q, func(r *sql.Rows) error {
		var id string
		err := r.Scan(&id)
		known.Told = append(known.Told, id)
		return err
	}, `SELECT id FROM incident WHERE provider = $1 AND is_open = 1 AND EXISTS (SELECT 1 FROM delivery d WHERE d.incident = $1 || '/' || incident.id)`, provider)
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
	g := gathering{db: db, q: db.read(), index: map[string]int{}}
	if err := g.teams(ctx, "IN (SELECT team FROM team_provider WHERE provider = $1 OR provider = '*')", provider); err != nil {
		return nil, err
	}
	return g.list, g.told(ctx, "d.provider = $1 AND d.updated_at >= $2", provider, micros(db.clock.Now().Add(-toldFor)))
}

// AudiencesOf returns these teams and those that were told of one of the incidents, by team, with what they were told of those.
// Stacks are shared between calls; do not change them.
func (db *DB) AudiencesOf(ctx context.Context, teams, incidents []string) ([]downwind.Audience, error) {
	g := gathering{db: db, q: db.plain(), index: map[string]int{}}
	all := slices.Clone(teams)
	err := chunks(incidents, maxKeys, func(args []any) error {
		return each(ctx, g.q, func(r *sql.Rows) error {
			var team string
			err := r.Scan(&team)
			all = append(all, team)
			return err
		}, "SELECT DISTINCT team FROM delivery WHERE incident IN "+in(1, len(args)), args...)
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	err = chunks(slices.Compact(all), maxKeys, func(args []any) error { return g.teams(ctx, "IN "+in(1, len(args)), args...) })
	if err != nil {
		return nil, err
	}
	return g.list, chunks(incidents, maxKeys, func(args []any) error { return g.told(ctx, "d.incident IN "+in(1, len(args)), args...) })
}

// AudienceOf returns one team with what it was told of a provider's incidents; none where the team is not known.
func (db *DB) AudienceOf(ctx context.Context, team, provider string) ([]downwind.Audience, error) {
	g := gathering{db: db, q: db.read(), index: map[string]int{}}
	if err := g.teams(ctx, "= $1", team); err != nil {
		return nil, err
	}
	return g.list, g.told(ctx, "d.team = $1 AND d.provider = $2", team, provider)
}

// maxKeys is how many keys one statement names.
const maxKeys = 200

// gathering brings together what decides what teams hear.
type gathering struct {
	db    *DB
	q     querier
	list  []downwind.Audience
	index map[string]int
}

// audience is a team's, or one that is thrown away for a team that is not asked for.
func (g *gathering) audience(team string) *downwind.Audience {
	if i, ok := g.index[team]; ok {
		return &g.list[i]
	}
	return &downwind.Audience{Deliveries: make(map[string]downwind.Told)}
}

// teams adds the teams whose ids fit, with all but what they were told.
func (g *gathering) teams(ctx context.Context, cond string, args ...any) error {
	before := len(g.list)
	err := each(ctx, g.q, func(r *sql.Rows) error {
		team, err := g.db.scanTeam(r)
		if err != nil {
			return err
		}
		g.index[team.ID] = len(g.list)
		g.list = append(g.list, downwind.Audience{Team: team, Deliveries: make(map[string]downwind.Told)})
		return nil
	}, "SELECT "+teamColumns+" FROM team WHERE id "+cond+" ORDER BY id", args...)
	if err != nil || len(g.list) == before {
		return err
	}
	next := fmt.Sprintf("$%d", len(args)+1)
	now := g.db.clock.Now()
	for _, step := range []func() error{
		func() error {
			return eachRule(ctx, g.q, func(team string, rule downwind.Rule) {
				a := g.audience(team)
				a.Team.Rules = append(a.Team.Rules, rule)
			}, "WHERE team "+cond, args...)
		},
		func() error {
			return eachDestination(ctx, g.q, func(d downwind.Destination) {
				a := g.audience(d.Team)
				a.Destinations = append(a.Destinations, d)
			}, "WHERE team "+cond, args...)
		},
		func() error {
			return eachSubscription(ctx, g.q, func(s downwind.Subscription) {
				a := g.audience(s.Team)
				a.Subscriptions = append(a.Subscriptions, s)
			}, "WHERE team "+cond, args...)
		},
		func() error {
			return eachMute(ctx, g.q, func(team string, m downwind.Mute) {
				a := g.audience(team)
				a.Mutes = append(a.Mutes, m)
			}, "WHERE d.team "+cond+" AND m.until > "+next, append(slices.Clone(args), micros(now))...)
		},
		func() error {
			return eachRecent(ctx, g.q, func(team string, r downwind.RecentRoot) {
				a := g.audience(team)
				a.Recent = append(a.Recent, r)
			}, "d.team "+cond+" AND d.updated_at >= "+next+" AND d.created_at >= "+next, append(slices.Clone(args), micros(now.Add(-massFor)))...)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// massFor is how far back roots count for a mass event.
const massFor = 30 * time.Minute

// eachRecent lists the roots that destinations got a short while ago.
func eachRecent(ctx context.Context, q querier, found func(team string, r downwind.RecentRoot), cond string, args ...any) error {
	return each(ctx, q, func(rows *sql.Rows) error {
		var r downwind.RecentRoot
		var team string
		if err := rows.Scan(&team, &r.Delivery, &r.Destination, &r.Provider, &r.Parent, at{&r.At}); err != nil {
			return err
		}
		found(team, r)
		return nil
	}, "SELECT d.team, d.id, d.destination, d.provider, d.parent, d.created_at FROM delivery d WHERE "+cond, args...)
}

// told lays beside the teams what they were told, of the deliveries that fit.
func (g *gathering) told(ctx context.Context, cond string, args ...any) error {
	return each(ctx, g.q, func(r *sql.Rows) error {
		var t downwind.Told
		var p partRow
		if err := r.Scan(append(deliveryFields(&t.Delivery), p.fields(g.db)...)...); err != nil {
			return err
		}
		t.Last, t.Collecting = p.part().Alert, t.Delivery.Parent
		g.audience(t.Delivery.Team).Deliveries[t.Delivery.ID] = t
		return nil
	}, "SELECT "+deliveryColumns+", "+partColumns+` FROM delivery d
		JOIN part p ON p.delivery = d.id AND p.version = d.desired
		LEFT JOIN version v ON v.id = p.archive AND p.bare = 1
		WHERE `+cond, args...)
}
