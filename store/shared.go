package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"downwind"
)

// A shared line of the ledger stands for all teams that a provider concerns and that its plan did not look at: it is written once and
// read as a line for each of their channels. What it depends on (the team's stack, rules, subscriptions and channels) changes only
// after refile has written the lines of that team out, in the same transaction, so what is read is what was true when the incident
// was. A plan made of older teams than those that are there is refused.

// A Reasoner says why an incident, as it was, does not touch a team. Components are those of the provider's page now.
type Reasoner func(inc *downwind.Incident, components []downwind.Component, team *downwind.Team) (downwind.HoldReason, string)

// ruledOut stands in for a Reasoner where a command opened the store without one.
func ruledOut(*downwind.Incident, []downwind.Component, *downwind.Team) (downwind.HoldReason, string) {
	return downwind.HeldProduct, "the index of teams ruled it out"
}

// shared stores the plan's shared lines. A team that changed since the plan looked may be hit after all: then it is made anew.
func (a *applying) shared(ctx context.Context) error {
	if len(a.plan.Shared) == 0 {
		return nil
	}
	if err := a.t.serialise(ctx, "ledger"); err != nil {
		return err
	}
	if a.plan.Filed > 0 {
		var later int
		if err := a.t.row(ctx, `SELECT COUNT(*) FROM team t WHERE t.filed > $1
			AND EXISTS (SELECT 1 FROM team_provider u WHERE u.team = t.id AND u.provider IN ($2, '*'))`, a.plan.Filed, a.plan.Shared[0].Provider).Scan(&later); err != nil {
			return err
		}
		if later > 0 {
			return fmt.Errorf("a team that uses %s has changed since: %w", a.plan.Provider, downwind.ErrConflict)
		}
	}
	rows := make([][]any, 0, len(a.plan.Shared))
	for _, s := range a.plan.Shared {
		provider, id := splitKey(s.Incident)
		version := a.newest[id]
		if version == 0 && id != "" {
			if err := a.t.row(ctx, "SELECT version FROM incident WHERE provider = $1 AND id = $2", provider, id).Scan(&version); err != nil {
				return fmt.Errorf("shared line of %s: %w", s.Incident, err)
			}
		}
		rows = append(rows, []any{provider, s.Provider, s.Incident, string(s.Kind), string(s.Reason), s.Text, version, micros(s.At)})
	}
	return insert{
		"INSERT INTO hold_shared (provider, known_as, incident, kind, reason, text, version, at) VALUES ", " ON CONFLICT (incident, kind, at) DO NOTHING", 8,
	}.run(ctx, a.t, rows)
}

// refile is called before anything changes by which an incident is judged for a team, or that says where the team hears of it.
func (t tx) refile(ctx context.Context, team string) error {
	if err := t.serialise(ctx, "ledger"); err != nil {
		return err
	}
	lines, err := t.db.readShared(ctx, t, downwind.HoldFilter{Team: team}, "")
	if err != nil {
		return fmt.Errorf("write out the ledger of %s: %w", team, err)
	}
	rows := make([][]any, 0, len(lines))
	for _, h := range lines {
		rows = append(rows, holdRow(h))
	}
	if err := insertHolds.run(ctx, t, rows); err != nil {
		return err
	}
	_, err = t.exec(ctx, `UPDATE team SET written = (SELECT COALESCE(MAX(id), 0) FROM hold_shared), filed = (SELECT MAX(filed) + 1 FROM team) WHERE id = $1`, team)
	return err
}

// sharedLines lists shared lines once for each channel that they are for. Their ids are negative, so that they sort behind lines of their
// own that were written at the same time.
const sharedLines = `SELECT -(s.id * 65536 + (SELECT COUNT(*) FROM destination m WHERE m.team = n.team AND m.id < n.id)) AS id,
		n.id AS destination, n.team, s.incident, s.kind, s.reason, s.text, s.version, s.at, s.provider
	FROM destination n JOIN team t ON t.id = n.team JOIN team_provider u ON u.team = t.id JOIN hold_shared s ON s.id > t.written
	WHERE %s
		AND EXISTS (SELECT 1 FROM subscription b WHERE b.destination = n.id AND (b.target <> 'provider' OR b.provider = s.provider))
		AND NOT EXISTS (SELECT 1 FROM hold o WHERE o.destination = n.id AND o.team = n.team AND o.incident = s.incident AND o.at = s.at)
		AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.id = n.id || '|' || s.incident AND d.created_at <= s.at)`

// sharedQuery joins what concerns those who use the provider with what concerns those who asked for everything; who is both has one line.
var sharedQuery = "SELECT id, destination, team, incident, kind, reason, text, version, at, provider FROM (" +
	fmt.Sprintf(sharedLines, "s.known_as = u.provider") + " UNION " + fmt.Sprintf(sharedLines, "u.provider = '*'") + ") AS line"

// readShared reads the shared lines that a filter selects, newest first, as a line for each channel.
func (db *DB) readShared(ctx context.Context, q querier, f downwind.HoldFilter, most string) ([]downwind.Hold, error) {
	type line struct {
		downwind.Hold
		version  int64
		provider string
	}
	var lines []line
	w := holdConditions(f)
	err := each(ctx, q, func(r *sql.Rows) error {
		var l line
		err := r.Scan(&l.ID, &l.Destination, &l.Team, &l.Incident, &l.Kind, &l.Reason, &l.Text, &l.version, at{&l.At}, &l.provider)
		lines = append(lines, l)
		return err
	}, sharedQuery+w.String()+" ORDER BY at DESC, id DESC"+most, w.args...)
	if err != nil {
		return nil, err
	}
	told := reasoning{db: db, q: q, teams: map[string]*downwind.Team{}, states: map[int64]*downwind.Incident{}, components: map[string][]downwind.Component{}}
	holds := make([]downwind.Hold, len(lines))
	for i, l := range lines {
		holds[i] = l.Hold
		if l.Reason != "" {
			continue
		}
		if holds[i].Reason, holds[i].Text, err = told.reason(ctx, l.Team, l.provider, l.version); err != nil {
			return nil, err
		}
	}
	return holds, nil
}

// reasoning remembers what several lines have in common.
type reasoning struct {
	db         *DB
	q          querier
	teams      map[string]*downwind.Team
	states     map[int64]*downwind.Incident
	components map[string][]downwind.Component
}

func (r *reasoning) reason(ctx context.Context, team, provider string, version int64) (downwind.HoldReason, string, error) {
	if r.teams[team] == nil {
		t, err := r.db.team(ctx, r.q, "id = $1", team)
		if err != nil {
			return "", "", err
		}
		r.teams[team] = &t
	}
	if r.states[version] == nil {
		var inc downwind.Incident
		if err := r.q.row(ctx, "SELECT state FROM version WHERE id = $1", version).Scan(packed{r.db, &inc}); err != nil {
			return "", "", fmt.Errorf("version %d: %w", version, err)
		}
		inc.Provider = provider
		r.states[version] = &inc
	}
	if _, known := r.components[provider]; !known {
		var of []downwind.Component
		if err := r.q.row(ctx, "SELECT components FROM source WHERE provider = $1", provider).Scan(packed{r.db, &of}); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", "", fmt.Errorf("components of %s: %w", provider, err)
		}
		r.components[provider] = of
	}
	reason, text := r.db.reasons(r.states[version], r.components[provider], r.teams[team])
	return reason, text, nil
}

// EachFiled tells of every team that changed after the given number, in order, with its subscriptions, and returns the newest number.
// Zero tells of all teams. Stacks are not kept.
func (db *DB) EachFiled(ctx context.Context, after int64, found func(downwind.Team, []downwind.Subscription)) (int64, error) {
	const page = 200
	for {
		teams := make([]downwind.Team, 0, page)
		at := map[string]int{}
		ids := make([]string, 0, page)
		err := each(ctx, db.read(), func(r *sql.Rows) error {
			var t downwind.Team
			var filed int64
			if err := r.Scan(&t.ID, packedStack{db, &t.Stack}, &filed); err != nil {
				return fmt.Errorf("stack of team %s: %w", t.ID, err)
			}
			after = max(after, filed)
			at[t.ID] = len(teams)
			teams, ids = append(teams, t), append(ids, t.ID)
			return nil
		}, fmt.Sprintf("SELECT id, stack, filed FROM team WHERE filed > $1 ORDER BY filed LIMIT %d", page), after)
		if err != nil || len(teams) == 0 {
			return after, err
		}
		subs := make([][]downwind.Subscription, len(teams))
		err = chunks(ids, page, func(args []any) error {
			of := "WHERE team IN " + in(1, len(args))
			if err := eachRule(ctx, db.plain(), func(team string, r downwind.Rule) { teams[at[team]].Rules = append(teams[at[team]].Rules, r) }, of, args...); err != nil {
				return err
			}
			return eachSubscription(ctx, db.plain(), func(s downwind.Subscription) { subs[at[s.Team]] = append(subs[at[s.Team]], s) }, of, args...)
		})
		if err != nil {
			return after, err
		}
		for i := range teams {
			found(teams[i], subs[i])
		}
	}
}

// newestFirst sorts lines as the ledger lists them.
func newestFirst(a, b downwind.Hold) int {
	if c := b.At.Compare(a.At); c != 0 {
		return c
	}
	return int(min(1, max(-1, b.ID-a.ID)))
}

// Holds lists lines of the ledger, newest first; at most 1,000.
func (db *DB) Holds(ctx context.Context, f downwind.HoldFilter) ([]downwind.Hold, error) {
	const most = 1000
	w := holdConditions(f)
	var list []downwind.Hold
	err := each(ctx, db.plain(), func(r *sql.Rows) error {
		var h downwind.Hold
		err := r.Scan(&h.ID, &h.Destination, &h.Team, &h.Incident, &h.Kind, &h.Reason, &h.Text, at{&h.At})
		list = append(list, h)
		return err
	}, "SELECT id, destination, team, incident, kind, reason, text, at FROM hold"+w.String()+" ORDER BY at DESC, id DESC"+limit(f.Limit, most), w.args...)
	if err != nil {
		return nil, err
	}
	shared, err := db.readShared(ctx, db.plain(), f, limit(f.Limit, most))
	if err != nil || len(shared) == 0 {
		return list, err
	}
	list = append(list, shared...)
	slices.SortFunc(list, newestFirst)
	if n := f.Limit; n <= 0 || n > most {
		f.Limit = most
	}
	return list[:min(len(list), f.Limit)], nil
}

// holdConditions are the conditions of a listing of the ledger.
func holdConditions(f downwind.HoldFilter) where {
	var w where
	for column, value := range map[string]string{"team": f.Team, "destination": f.Destination, "incident": f.Incident} {
		if value != "" {
			w.add(column+" = ?", value)
		}
	}
	if !f.Since.IsZero() {
		w.add("at >= ?", micros(f.Since))
	}
	if !f.Before.IsZero() {
		w.add("(at < ? OR at = ? AND id < ?)", micros(f.Before), micros(f.Before), f.BeforeID)
	}
	return w
}

var insertHolds = insert{
	"INSERT INTO hold (destination, team, incident, kind, reason, text, at) VALUES ",
	" ON CONFLICT (destination, team, incident, kind, reason, at) DO NOTHING", 7,
}

func holdRow(h downwind.Hold) []any {
	return []any{h.Destination, h.Team, h.Incident, string(h.Kind), string(h.Reason), h.Text, micros(h.At)}
}
