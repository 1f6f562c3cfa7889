package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"downwind"
)

// Apply stores all that one reading means in one transaction: versions and their log leaves, bookkeeping, raw bodies,
// deliveries raised with a wake-up each, the ledger's lines, feed items, operator notes. Applying the same plan again
// changes nothing. A plan that is older than the archive (another process was faster) is refused with ErrConflict.
func (db *DB) Apply(ctx context.Context, p downwind.Plan) error {
	raises, err := db.packRaises(p)
	if err != nil {
		return fmt.Errorf("store: apply plan of %s: %w", p.Provider, err)
	}
	return db.write(ctx, "apply plan of "+p.Provider, func(t tx) error {
		if err := t.serialise(ctx, "apply "+p.Provider); err != nil {
			return err
		}
		a := applying{t: t, plan: p, newest: make(map[string]int64)}
		for _, step := range []func(context.Context) error{a.fresh, a.bodies, a.versions, a.seen, a.bookkeeping, a.source, a.items, a.shared, a.holds, a.notes} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return a.raise(ctx, raises)
	})
}

// serialise makes transactions of one name run one after the other.
func (t tx) serialise(ctx context.Context, name string) error {
	text := t.db.dialect.serial()
	if text == "" {
		return nil
	}
	_, err := t.exec(ctx, text, name)
	return err
}

// applying is one plan on its way into the store.
type applying struct {
	t    tx
	plan downwind.Plan
	// newest is the id of the newest version of each incident that the plan brings.
	newest map[string]int64
}

// fresh refuses a reading that is older than one already applied.
func (a *applying) fresh(ctx context.Context) error {
	p := a.plan
	if len(p.Versions) == 0 && len(p.Known) == 0 && len(p.Seen) == 0 && p.Components == nil && !p.FirstRead {
		return nil // not a reading: a late subscription, a reminder
	}
	r, err := a.t.exec(ctx, "UPDATE source SET planned_at = $2 WHERE provider = $1 AND planned_at <= $2", p.Provider, micros(p.At))
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n > 0 {
		return err
	}
	var planned time.Time
	switch err := a.t.row(ctx, "SELECT planned_at FROM source WHERE provider = $1", p.Provider).Scan(at{&planned}); {
	case errors.Is(err, sql.ErrNoRows):
		return nil // tests and imports may archive without polling
	case err != nil:
		return err
	}
	return fmt.Errorf("the archive is at %s, the plan at %s: %w", planned.Format(time.RFC3339), p.At.Format(time.RFC3339), downwind.ErrConflict)
}

func (a *applying) bodies(ctx context.Context) error {
	rows := make([][]any, 0, len(a.plan.Bodies))
	for sha, body := range a.plan.Bodies {
		rows = append(rows, []any{sha, len(body), a.t.db.pack(body), micros(a.plan.At)})
	}
	return insert{"INSERT INTO body (sha, size, data, kept_at) VALUES ", " ON CONFLICT (sha) DO NOTHING", 4}.run(ctx, a.t, rows)
}

// versions archives the plan's versions: numbered, linked to the one before, with their leaves.
func (a *applying) versions(ctx context.Context) error {
	var added []downwind.Version
	for _, v := range a.plan.Versions {
		v.Provider = a.plan.Provider
		if v.SeenAt.IsZero() {
			v.SeenAt = a.plan.At
		}
		stored, fresh, err := a.version(ctx, v)
		if err != nil {
			return fmt.Errorf("incident %s: %w", v.Incident, err)
		}
		a.newest[v.Incident] = stored.ID
		if fresh {
			added = append(added, stored)
		}
	}
	return a.leaves(ctx, added)
}

// version stores one version, or finds it when it is there already.
func (a *applying) version(ctx context.Context, v downwind.Version) (downwind.Version, bool, error) {
	var old struct {
		id, number int64
		hash       string
		seen       time.Time
	}
	err := a.t.row(ctx, `SELECT v.id, v.number, v.hash, v.seen_at FROM incident i JOIN version v ON v.id = i.version
		WHERE i.provider = $1 AND i.id = $2`, v.Provider, v.Incident).Scan(&old.id, &old.number, &old.hash, at{&old.seen})
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return v, false, err
	case old.hash == v.Hash:
		v.ID, v.Number = old.id, int(old.number)
		return v, false, nil
	default:
		var id int64
		err := a.t.row(ctx, "SELECT id FROM version WHERE provider=$1 AND incident=$2 AND hash=$3 AND seen_at=$4",
			v.Provider, v.Incident, v.Hash, micros(v.SeenAt)).Scan(&id)
		if err == nil {
			v.ID = id
			return v, false, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return v, false, err
		}
		if v.SeenAt.Before(old.seen) {
			return v, false, fmt.Errorf("the archive is at %s, the plan at %s: %w", old.seen.Format(time.RFC3339), v.SeenAt.Format(time.RFC3339), downwind.ErrConflict)
		}
	}
	v.Number = int(old.number) + 1
	if err := a.insertVersion(ctx, &v, old.id); err != nil {
		return v, false, err
	}
	return v, true, a.upsertIncident(ctx, v)
}

func (a *applying) insertVersion(ctx context.Context, v *downwind.Version, previous int64) error {
	state, err := a.t.db.packJSON(v.State)
	if err != nil {
		return err
	}
	changes, err := a.t.db.packJSON(v.Changes)
	if err != nil {
		return err
	}
	fetch, err := text(v.Fetch)
	if err != nil {
		return err
	}
	last := v.LastSeen
	if last.IsZero() {
		last = v.SeenAt
	}
	v.Leaf = -1
	return a.t.row(ctx, `INSERT INTO version (provider, incident, number, previous, hash, state, changes, fetched, body, seen_at, last_seen)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) RETURNING id`,
		v.Provider, v.Incident, v.Number, previous, v.Hash, state, changes, fetch, v.Fetch.Body, micros(v.SeenAt), micros(last)).Scan(&v.ID)
}

func (a *applying) upsertIncident(ctx context.Context, v downwind.Version) error {
	_, err := a.t.exec(ctx, `INSERT INTO incident (provider, id, kind, title, is_open, first_seen, changed_at, silent, version, versions)
		VALUES ($1,$2,$3,$4,$5,$6,$6,$7,$8,1)
		ON CONFLICT (provider, id) DO UPDATE SET kind=excluded.kind, title=excluded.title, is_open=excluded.is_open,
		changed_at=excluded.changed_at, version=excluded.version, versions=incident.versions+1, missing=0, gone=0`,
		v.Provider, v.Incident, string(v.State.Kind), v.State.Title, flag(v.State.Open()), micros(v.SeenAt), flag(a.plan.FirstRead), v.ID)
	return err
}

func (a *applying) leaves(ctx context.Context, added []downwind.Version) error {
	if a.t.db.leaves == nil || len(added) == 0 {
		return nil
	}
	if err := a.t.serialise(ctx, "log"); err != nil {
		return err
	}
	indexes, err := a.t.db.leaves(ctx, a.t.Tx, added)
	if err != nil {
		return fmt.Errorf("append to the log: %w", err)
	}
	if len(indexes) != len(added) {
		return fmt.Errorf("the log gave %d leaves for %d versions", len(indexes), len(added))
	}
	// Versions that follow each other without a gap, as they nearly always do, are written in one statement.
	for i := 0; i < len(added); {
		j := i + 1
		for j < len(added) && added[j].ID == added[j-1].ID+1 && indexes[j] == indexes[j-1]+1 {
			j++
		}
		if _, err := a.t.exec(ctx, "UPDATE version SET leaf = id + $1 WHERE id >= $2 AND id <= $3", indexes[i]-added[i].ID, added[i].ID, added[j-1].ID); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// seen marks incidents that were read unchanged.
func (a *applying) seen(ctx context.Context) error {
	now := micros(a.plan.At)
	return chunks(a.plan.Seen, 200, func(ids []any) error {
		args := append([]any{now, a.plan.Provider}, ids...)
		list := in(3, len(ids))
		if _, err := a.t.ExecContext(ctx, `UPDATE version SET last_seen = $1 WHERE last_seen < $1 AND id IN (
			SELECT version FROM incident WHERE provider = $2 AND id IN `+list+`)`, args...); err != nil {
			return err
		}
		_, err := a.t.ExecContext(ctx, `UPDATE incident SET missing = 0, gone = 0 WHERE provider = $1 AND (missing > 0 OR gone > 0) AND id IN `+in(2, len(ids)),
			append([]any{a.plan.Provider}, ids...)...)
		return err
	})
}

func (a *applying) bookkeeping(ctx context.Context) error {
	for _, id := range sorted(a.plan.Known) {
		k := a.plan.Known[id]
		windows, err := a.t.db.packJSON(k.Windows)
		if err != nil {
			return err
		}
		r, err := a.t.exec(ctx, `UPDATE incident SET silent=$3, missing=$4, withdrawn=CAST($5 AS BIGINT), gone=CAST($6 AS BIGINT), unconfirmed=$7, windows=$8,
			first_seen = CASE WHEN CAST($9 AS BIGINT) > 0 THEN CAST($9 AS BIGINT) ELSE first_seen END,
			is_open = CASE WHEN CAST($5 AS BIGINT) > 0 OR CAST($6 AS BIGINT) = 1 THEN 0 ELSE CAST($10 AS BIGINT) END
			WHERE provider=$1 AND id=$2`, a.plan.Provider, id, flag(k.Silent), k.Missing, micros(k.Withdrawn), flag(k.Gone),
			flag(k.Unconfirmed), windows, micros(k.FirstSeen), flag(k.State.Open()))
		if err != nil {
			return err
		}
		if err := changed(r, "bookkeeping of incident "+id); err != nil {
			return err
		}
	}
	return nil
}

// source keeps what the reading says of the source itself.
func (a *applying) source(ctx context.Context) error {
	first := int64(0)
	if a.plan.FirstRead {
		first = micros(a.plan.At)
	}
	if _, err := a.t.exec(ctx, `UPDATE source SET hot = $2, first_read = CASE WHEN first_read > 0 THEN first_read ELSE $3 END WHERE provider = $1`,
		a.plan.Provider, flag(a.plan.Hot), first); err != nil {
		return err
	}
	if a.plan.Components == nil {
		return nil
	}
	components, err := a.t.db.packJSON(a.plan.Components)
	if err != nil {
		return err
	}
	_, err = a.t.exec(ctx, "UPDATE source SET components = $2 WHERE provider = $1", a.plan.Provider, components)
	return err
}

// items freezes feed items. Each is published at least one second after the one before it, because readers that go by
// date refuse two items of one second and skip what is older than what they have.
func (a *applying) items(ctx context.Context) error {
	if len(a.plan.Items) == 0 {
		return nil
	}
	if err := a.t.serialise(ctx, "feed"); err != nil {
		return err
	}
	var last time.Time
	if err := a.t.row(ctx, "SELECT COALESCE(MAX(published_at), 0) FROM feed_item").Scan(at{&last}); err != nil {
		return err
	}
	for _, it := range a.plan.Items {
		published := a.plan.At.UTC().Truncate(time.Second)
		if !published.After(last) {
			published = last.Add(time.Second)
		}
		components, err := text(append([]string{}, it.Components...))
		if err != nil {
			return err
		}
		regions, err := text(append([]string{}, it.Regions...))
		if err != nil {
			return err
		}
		version := it.Version
		if version == 0 {
			version = a.newest[it.Incident]
		}
		r, err := a.t.exec(ctx, `INSERT INTO feed_item (id, provider, incident, update_id, kind, impact, phase, title, text,
			components, regions, posted_at, published_at, version) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)
			ON CONFLICT (id) DO NOTHING`, it.ID, it.Provider, it.Incident, it.Update, string(it.Kind), string(it.Impact),
			string(it.Phase), it.Title, it.Text, components, regions, micros(it.PostedAt), micros(published), version)
		if err != nil {
			return fmt.Errorf("feed item %s: %w", it.ID, err)
		}
		n, err := r.RowsAffected()
		if err != nil {
			return err
		}
		if n > 0 {
			last = published
		}
	}
	return nil
}

func (a *applying) holds(ctx context.Context) error {
	rows := make([][]any, 0, len(a.plan.Holds))
	for _, h := range a.plan.Holds {
		if h.At.IsZero() {
			h.At = a.plan.At
		}
		rows = append(rows, holdRow(h))
	}
	return insertHolds.run(ctx, a.t, rows)
}

func (a *applying) notes(ctx context.Context) error {
	for _, n := range a.plan.Notes {
		if n.At.IsZero() {
			n.At = a.plan.At
		}
		if _, err := putNote(ctx, a.t, n); err != nil {
			return err
		}
	}
	return nil
}

// putNote opens or closes a note and reports whether that changed anything.
func putNote(ctx context.Context, t tx, n downwind.OperatorNote) (bool, error) {
	var r sql.Result
	var err error
	if n.Over {
		r, err = t.exec(ctx, "UPDATE note SET ended = $2 WHERE name = $1 AND ended = 0", n.Key, micros(n.At))
	} else {
		r, err = t.exec(ctx, `INSERT INTO note (name, text, provider, at) VALUES ($1,$2,$3,$4)
			ON CONFLICT (name) WHERE ended = 0 DO NOTHING`, n.Key, n.Text, n.Provider, micros(n.At))
	}
	if err != nil {
		return false, fmt.Errorf("note %s: %w", n.Key, err)
	}
	count, err := r.RowsAffected()
	return count > 0, err
}

// SaveNote opens or closes an operator's note outside a plan; it reports whether that changed anything, so that it is told once.
func (db *DB) SaveNote(ctx context.Context, n downwind.OperatorNote) (bool, error) {
	var told bool
	err := db.write(ctx, "save note "+n.Key, func(t tx) (err error) {
		if n.At.IsZero() {
			n.At = db.clock.Now()
		}
		told, err = putNote(ctx, t, n)
		return err
	})
	return told, err
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// splitKey takes "provider/id" apart.
func splitKey(key string) (provider, id string) {
	provider, id, _ = strings.Cut(key, "/")
	return provider, id
}
