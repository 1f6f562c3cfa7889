package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"downwind"
)

const teamColumns = "id, name, secret, timezone, pinned, stack_at, stack_by, stack_no, stack"

// scanTeam reads a team; its stack comes from the cache when it has not changed.
func (db *DB) scanTeam(row interface{ Scan(...any) error }) (downwind.Team, error) {
	var t downwind.Team
	var number int64
	var stack []byte
	if err := row.Scan(&t.ID, &t.Name, &t.Secret, &t.Timezone, &t.Pinned, at{&t.StackAt}, &t.StackBy, &number, &stack); err != nil {
		return t, err
	}
	if cached, ok := db.stacks.get(t.ID, number); ok {
		t.Stack = cached
		return t, nil
	}
	if err := (packedStack{db, &t.Stack}).Scan(stack); err != nil {
		return t, fmt.Errorf("stack of team %s: %w", t.ID, err)
	}
	db.stacks.put(t.ID, number, t.Stack)
	return t, nil
}

func (db *DB) team(ctx context.Context, q querier, cond string, arg any) (downwind.Team, error) {
	t, err := db.scanTeam(q.row(ctx, "SELECT "+teamColumns+" FROM team WHERE "+cond, arg))
	if err != nil {
		return t, missing(err, "team")
	}
	err = eachRule(ctx, q, func(_ string, r downwind.Rule) { t.Rules = append(t.Rules, r) }, "WHERE team = $1", t.ID)
	return t, err
}

// Team returns a team with its stack and rules.
func (db *DB) Team(ctx context.Context, id string) (downwind.Team, error) {
	return db.team(ctx, db.read(), "id = $1", id)
}

// TeamBySecret returns the team whose feed has this secret path.
func (db *DB) TeamBySecret(ctx context.Context, secret string) (downwind.Team, error) {
	if secret == "" {
		return downwind.Team{}, fmt.Errorf("team: %w", downwind.ErrNotFound)
	}
	return db.team(ctx, db.read(), "secret = $1", secret)
}

// Teams returns all teams with stacks and rules, by id.
func (db *DB) Teams(ctx context.Context) ([]downwind.Team, error) {
	q := db.read()
	var list []downwind.Team
	index := make(map[string]int)
	err := each(ctx, q, func(r *sql.Rows) error {
		t, err := db.scanTeam(r)
		index[t.ID] = len(list)
		list = append(list, t)
		return err
	}, "SELECT "+teamColumns+" FROM team ORDER BY id")
	if err != nil {
		return nil, err
	}
	return list, eachRule(ctx, q, func(team string, r downwind.Rule) {
		if i, ok := index[team]; ok {
			list[i].Rules = append(list[i].Rules, r)
		}
	}, "")
}

// newSecret is 128 random bits, hex.
func newSecret() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// SaveTeam makes or changes a team's name, time zone and whether it is pinned. A new team gets a secret; the stack of a
// known team is left alone (SaveStack changes it).
func (db *DB) SaveTeam(ctx context.Context, team downwind.Team) error {
	if team.ID == "" {
		return fmt.Errorf("store: team without id: %w", downwind.ErrInvalid)
	}
	return db.write(ctx, "save team "+team.ID, func(t tx) error { return db.saveTeam(ctx, t, team) })
}

func (db *DB) saveTeam(ctx context.Context, t tx, team downwind.Team) error {
	if team.Secret == "" {
		team.Secret = newSecret()
	}
	stack, err := db.packJSON(team.Stack)
	if err != nil {
		return err
	}
	r, err := t.exec(ctx, `INSERT INTO team (id, name, secret, timezone, pinned, stack_at, stack_by, stack_no, stack)
		VALUES ($1,$2,$3,$4,$5,$6,$7,1,$8) ON CONFLICT (id) DO NOTHING`,
		team.ID, team.Name, team.Secret, team.Timezone, flag(team.Pinned), micros(team.StackAt), team.StackBy, stack)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return err
	}
	if n > 0 {
		return errors.Join(t.refile(ctx, team.ID), db.indexStack(ctx, t, team.ID, team.Stack))
	}
	_, err = t.exec(ctx, "UPDATE team SET name = $2, timezone = $3, pinned = $4 WHERE id = $1", team.ID, team.Name, team.Timezone, flag(team.Pinned))
	return err
}

// RotateSecret gives a team's feed another secret path; the old one is dead at once.
func (db *DB) RotateSecret(ctx context.Context, team string) (string, error) {
	secret := newSecret()
	return secret, db.write(ctx, "rotate the secret of team "+team, func(t tx) error {
		r, err := t.exec(ctx, "UPDATE team SET secret = $2 WHERE id = $1", team, secret)
		if err != nil {
			return err
		}
		return changed(r, "team "+team)
	})
}

// TeamForChannel returns the team that a channel belongs to, with the channel as stored. An unknown channel is added:
// to d.Team where that is set, else to a team of its own, made at this first use.
func (db *DB) TeamForChannel(ctx context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error) {
	if d.ID == "" {
		d.ID = d.Platform + ":" + d.Workspace + ":" + d.Channel
	}
	if known, err := db.Destination(ctx, d.ID); err == nil {
		team, err := db.Team(ctx, known.Team)
		return team, known, err
	} else if !errors.Is(err, downwind.ErrNotFound) {
		return downwind.Team{}, d, err
	}
	if d.Team == "" {
		d.Team = teamOf(d)
	}
	var team downwind.Team
	err := db.write(ctx, "add channel "+d.ID, func(t tx) error {
		var err error
		if team, err = db.team(ctx, t, "id = $1", d.Team); errors.Is(err, downwind.ErrNotFound) {
			name := d.Name
			if name == "" {
				name = d.Team
			}
			if err := db.saveTeam(ctx, t, downwind.Team{ID: d.Team, Name: name, Timezone: d.Timezone}); err != nil {
				return err
			}
			team, err = db.team(ctx, t, "id = $1", d.Team)
		}
		if err != nil {
			return err
		}
		return putDestination(ctx, t, d)
	})
	if err != nil {
		return downwind.Team{}, d, err
	}
	d, err = db.Destination(ctx, d.ID)
	return team, d, err
}

// teamOf names the team of a channel: lower-case letters, digits, hyphens.
func teamOf(d downwind.Destination) string {
	var b strings.Builder
	for _, r := range strings.ToLower(d.ID) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// SaveStack replaces a team's stack and keeps what people added or confirmed.
func (db *DB) SaveStack(ctx context.Context, team string, s downwind.Stack, by string, when time.Time) error {
	stack, err := db.packJSON(s)
	if err != nil {
		return fmt.Errorf("store: stack of %s: %w", team, err)
	}
	return db.write(ctx, "save the stack of "+team, func(t tx) error {
		if err := t.refile(ctx, team); err != nil {
			return err
		}
		r, err := t.exec(ctx, "UPDATE team SET stack = $2, stack_by = $3, stack_at = $4, stack_no = stack_no + 1 WHERE id = $1",
			team, stack, by, micros(when))
		if err != nil {
			return err
		}
		if err := changed(r, "team "+team); err != nil {
			return err
		}
		return db.indexStack(ctx, t, team, s)
	})
}

// The kinds of rows that say why a provider concerns a team.
const (
	fromStack        = "stack"
	fromRule         = "rule"
	fromSubscription = "subscription"
)

func (db *DB) indexStack(ctx context.Context, t tx, team string, s downwind.Stack) error {
	providers := make(map[string]bool)
	for _, u := range s.Providers {
		providers[u.Provider] = true
	}
	for p := range s.SelfHosted {
		providers[p] = true
	}
	return index(ctx, t, team, fromStack, providers)
}

// index makes the rows of one kind say exactly these providers.
func index(ctx context.Context, t tx, team, kind string, providers map[string]bool) error {
	if _, err := t.exec(ctx, "DELETE FROM team_provider WHERE team = $1 AND from_kind = $2", team, kind); err != nil {
		return err
	}
	rows := make([][]any, 0, len(providers))
	for _, p := range sorted(providers) {
		rows = append(rows, []any{p, team, kind})
	}
	return insert{"INSERT INTO team_provider (provider, team, from_kind) VALUES ", " ON CONFLICT DO NOTHING", 3}.run(ctx, t, rows)
}

// WantedProviders returns the slugs that at least one team depends on. "*" stands for a subscription to everything.
func (db *DB) WantedProviders(ctx context.Context) (map[string]bool, error) {
	wanted := make(map[string]bool)
	return wanted, each(ctx, db.read(), func(r *sql.Rows) error {
		var p string
		err := r.Scan(&p)
		wanted[p] = true
		return err
	}, "SELECT DISTINCT provider FROM team_provider")
}

func eachRule(ctx context.Context, q querier, found func(team string, r downwind.Rule), cond string, args ...any) error {
	return each(ctx, q, func(rows *sql.Rows) error {
		var team string
		var r downwind.Rule
		if err := rows.Scan(&team, &r.ID, &r.Kind, &r.Provider, &r.Component, &r.Region, &r.By, at{&r.At}); err != nil {
			return err
		}
		found(team, r)
		return nil
	}, "SELECT team, id, kind, provider, component, region, by_whom, at FROM team_rule "+cond+" ORDER BY team, id", args...)
}

// AddRule stores a person's word; saying the same again changes who and when. It returns the rule with its id.
func (db *DB) AddRule(ctx context.Context, team string, r downwind.Rule) (downwind.Rule, error) {
	err := db.write(ctx, "add a rule for "+team, func(t tx) error {
		if err := t.refile(ctx, team); err != nil {
			return err
		}
		if r.At.IsZero() {
			r.At = db.clock.Now()
		}
		if err := t.row(ctx, `INSERT INTO team_rule (team, kind, provider, component, region, by_whom, at) VALUES ($1,$2,$3,$4,$5,$6,$7)
			ON CONFLICT (team, kind, provider, component, region) DO UPDATE SET by_whom = excluded.by_whom, at = excluded.at RETURNING id`,
			team, string(r.Kind), r.Provider, r.Component, r.Region, r.By, micros(r.At)).Scan(&r.ID); err != nil {
			return err
		}
		return indexRules(ctx, t, team)
	})
	return r, err
}

func indexRules(ctx context.Context, t tx, team string) error {
	providers := make(map[string]bool)
	err := eachRule(ctx, t, func(_ string, r downwind.Rule) {
		switch r.Kind {
		case downwind.RuleAdd, downwind.RuleConfirm, downwind.RuleRegion, downwind.RuleComponent:
			if r.Provider != "" {
				providers[r.Provider] = true
			}
		}
	}, "WHERE team = $1", team)
	if err != nil {
		return err
	}
	return index(ctx, t, team, fromRule, providers)
}

// Rules returns the words of a team's people, oldest first.
func (db *DB) Rules(ctx context.Context, team string) ([]downwind.Rule, error) {
	var list []downwind.Rule
	err := eachRule(ctx, db.read(), func(_ string, r downwind.Rule) { list = append(list, r) }, "WHERE team = $1", team)
	return list, err
}

// DeleteRule takes a word back.
func (db *DB) DeleteRule(ctx context.Context, team string, id int64) error {
	return db.write(ctx, "delete a rule of "+team, func(t tx) error {
		if err := t.refile(ctx, team); err != nil {
			return err
		}
		r, err := t.exec(ctx, "DELETE FROM team_rule WHERE team = $1 AND id = $2", team, id)
		if err != nil {
			return err
		}
		if err := changed(r, fmt.Sprintf("rule %d of team %s", id, team)); err != nil {
			return err
		}
		return indexRules(ctx, t, team)
	})
}
