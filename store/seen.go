package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"downwind"
	"downwind/proof"
)

// sighting is an open incident's newest version and when it was last read unchanged.
type sighting struct {
	version downwind.Version
	at      time.Time
}

// dueSeen lists the newest versions of open incidents whose last unchanged reading is at least the given time after what
// the log holds of them. The source's last good reading counts only where the reading that was last taken in listed the
// incident: an answer with the same bytes lists it again. Incidents that are missing on the page do not count as seen.
const dueSeen = `SELECT v.id, v.provider, v.incident, v.number, v.hash, v.fetched, v.seen_at, u.seen FROM (
		SELECT i.version AS id, CASE WHEN v.last_seen >= s.planned_at AND s.last_read > v.last_seen THEN s.last_read ELSE v.last_seen END AS seen
		FROM incident i JOIN version v ON v.id = i.version JOIN source s ON s.provider = i.provider
		WHERE i.is_open = 1 AND i.missing = 0 AND i.gone = 0 AND i.withdrawn = 0 AND v.leaf >= 0
	) u JOIN version v ON v.id = u.id
	WHERE u.seen - v.seen_at >= $1 AND u.seen - COALESCE((SELECT MAX(at) FROM log_seen WHERE version = v.id), 0) >= $1
	ORDER BY v.id`

func listSeen(ctx context.Context, q querier, every time.Duration) ([]sighting, error) {
	var list []sighting
	err := each(ctx, q, func(r *sql.Rows) error {
		var s sighting
		v := &s.version
		err := r.Scan(&v.ID, &v.Provider, &v.Incident, &v.Number, &v.Hash, fromJSON{&v.Fetch}, at{&v.SeenAt}, at{&s.at})
		list = append(list, s)
		return err
	}, dueSeen, every.Microseconds())
	return list, err
}

// AppendSeen puts a "seen" leaf into the log for each open incident whose newest version was read again unchanged, when
// its last leaf is older than that reading by every or more. It returns how many; asked again, it appends none.
func (db *DB) AppendSeen(ctx context.Context, every time.Duration) (int, error) {
	due, err := listSeen(ctx, db.read(), every)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	n := 0
	err = db.write(ctx, "log what was seen unchanged", func(t tx) error {
		n = 0
		if err := t.serialise(ctx, "log"); err != nil {
			return err
		}
		due, err := listSeen(ctx, t, every) // another process may have been faster
		if err != nil || len(due) == 0 {
			return err
		}
		leaves := make([][]byte, len(due))
		for i, s := range due {
			if leaves[i], err = proof.SeenLeaf(s.version, s.at).Bytes(); err != nil {
				return err
			}
		}
		first, err := proof.Append(ctx, t.Tx, leaves)
		if err != nil {
			return err
		}
		rows := make([][]any, len(due))
		for i, s := range due {
			rows[i] = []any{s.version.ID, micros(s.at), first + int64(i)}
		}
		n = len(due)
		return insert{"INSERT INTO log_seen (version, at, leaf) VALUES ", "", 3}.run(ctx, t, rows)
	})
	return n, err
}

// LeafBefore returns the newest leaf of the log that shows the version before the given one, -1 where there is none: the
// last "seen" leaf of it, else its own.
func (db *DB) LeafBefore(ctx context.Context, v downwind.Version) (int64, error) {
	leaf := int64(-1)
	err := db.read().row(ctx, `SELECT COALESCE((SELECT MAX(leaf) FROM log_seen WHERE version = p.id AND leaf < $4), p.leaf)
		FROM version p WHERE p.provider = $1 AND p.incident = $2 AND p.number = $3`, v.Provider, v.Incident, v.Number-1, v.Leaf).Scan(&leaf)
	if errors.Is(err, sql.ErrNoRows) || leaf >= v.Leaf {
		return -1, nil
	}
	return leaf, err
}
