package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// A store that was restored from an older copy has forgotten messages that are out. It is noticed by what stands outside
// of the copy: on SQLite a small file beside the database that counts signs of life (an older copy has counted less), and
// a mark that Backup leaves in the copy itself; on PostgreSQL the identity of the cluster, its timeline, the database and
// the table. After that, every message of an incident that may have been told before is looked for before it is sent.

// Names in the table meta.
const (
	metaStore    = "store"
	metaBeat     = "beat"
	metaAlive    = "alive"
	metaPlace    = "place"
	metaBackup   = "backup"
	metaRestored = "restored"
	metaLost     = "lost_from"
)

// reconcileFor is how long after a restoration deliveries are reconciled.
const reconcileFor = 30 * 24 * time.Hour

// Restored is when this store was noticed to be a restored copy, zero when it is none (or that is long ago).
func (db *DB) Restored() time.Time { return db.restored }

func (db *DB) checkEpoch(ctx context.Context) error {
	place, err := db.place(ctx)
	if err != nil {
		return err
	}
	return db.write(ctx, "check the epoch", func(t tx) error {
		if err := t.serialise(ctx, "epoch"); err != nil {
			return err
		}
		meta, err := readMeta(ctx, t)
		if err != nil {
			return err
		}
		why := ""
		if meta[metaStore] == "" {
			meta[metaStore] = newSecret()
		} else if why, err = db.copied(meta, place); err != nil {
			return err
		}
		now := db.clock.Now()
		if why != "" {
			db.log.Warn("this store is a restored copy: messages are looked for before they are sent", "why", why)
			lost := stored(meta, metaAlive)
			meta[metaRestored], meta[metaLost] = number(micros(now)), number(lost)
			if _, err := t.exec(ctx, "UPDATE delivery SET reconcile = 1 WHERE state IN ('active','paused') OR updated_at >= $1", lost-reconcileFor.Microseconds()); err != nil {
				return err
			}
		}
		meta[metaPlace], meta[metaBackup] = place, ""
		meta[metaBeat], meta[metaAlive] = number(stored(meta, metaBeat)+1), number(micros(now))
		for _, name := range sorted(meta) {
			if err := putMeta(ctx, t, name, meta[name]); err != nil {
				return err
			}
		}
		if restored := instant(stored(meta, metaRestored)); now.Sub(restored) < reconcileFor {
			db.restored, db.aliveUntil = restored, instant(stored(meta, metaLost))
		}
		return db.writeBeat(meta[metaStore], meta[metaBeat])
	})
}

// copied says why the store is a restored copy, empty when it is none.
func (db *DB) copied(meta map[string]string, place string) (string, error) {
	if meta[metaBackup] != "" {
		return "it was made by backup", nil
	}
	if meta[metaPlace] != place {
		return "it stands in another place", nil
	}
	if db.dialect != dialectSQLite {
		return "", nil
	}
	raw, err := os.ReadFile(db.beatFile())
	if errors.Is(err, os.ErrNotExist) {
		return "the file " + db.beatFile() + " is missing", nil
	}
	if err != nil {
		return "", err
	}
	id, beat, _ := strings.Cut(strings.TrimSpace(string(raw)), " ")
	counted, err := strconv.ParseInt(beat, 10, 64)
	switch {
	case err != nil || id != meta[metaStore]:
		return "the file " + db.beatFile() + " belongs to another store", nil
	case counted > stored(meta, metaBeat):
		return "it is older than the one that ran here", nil
	}
	return "", nil
}

func (db *DB) beatFile() string { return db.path + ".epoch" }

// place is what identifies where a PostgreSQL store lives; empty for SQLite. Where the server tells nothing of the cluster
// (some hosts forbid it), database and table must do.
func (db *DB) place(ctx context.Context) (string, error) {
	if db.dialect != dialectPostgres {
		return "", nil
	}
	var cluster, table string
	err := db.writer.pool.QueryRowContext(ctx, "SELECT s.system_identifier || '/' || c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c").Scan(&cluster)
	if err != nil {
		db.log.Debug("the server tells nothing of its cluster", "error", err)
	}
	err = db.writer.pool.QueryRowContext(ctx, "SELECT d.oid || '/' || 'delivery'::regclass::oid FROM pg_database d WHERE d.datname = current_database()").Scan(&table)
	if err != nil {
		return "", fmt.Errorf("identify the database: %w", err)
	}
	return cluster + "/" + table, nil
}

// Beat counts one more sign of life. Call it every half minute: a copy that is older than the last one is noticed.
func (db *DB) Beat(ctx context.Context) error {
	var id, beat string
	err := db.write(ctx, "sign of life", func(t tx) error {
		meta, err := readMeta(ctx, t)
		if err != nil {
			return err
		}
		id, beat = meta[metaStore], number(stored(meta, metaBeat)+1)
		if err := putMeta(ctx, t, metaBeat, beat); err != nil {
			return err
		}
		return putMeta(ctx, t, metaAlive, number(micros(db.clock.Now())))
	})
	if err != nil {
		return err
	}
	return db.writeBeat(id, beat)
}

func (db *DB) writeBeat(id, beat string) error {
	if db.dialect != dialectSQLite {
		return nil
	}
	temp := db.beatFile() + ".new"
	if err := os.WriteFile(temp, []byte(id+" "+beat+"\n"), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", temp, err)
	}
	return os.Rename(temp, db.beatFile())
}

// mayBeTold reports whether the part of the store that was lost by a restoration may have told this incident.
func (db *DB) mayBeTold(a downwind.Alert) bool {
	if db.restored.IsZero() {
		return false
	}
	start := a.Incident.StartedAt
	for _, u := range a.Incident.Updates {
		if !u.PostedAt.IsZero() && (start.IsZero() || u.PostedAt.Before(start)) {
			start = u.PostedAt
		}
	}
	return start.IsZero() || start.Before(db.restored)
}

func readMeta(ctx context.Context, t tx) (map[string]string, error) {
	meta := make(map[string]string)
	err := each(ctx, t, func(r *sql.Rows) error {
		var name, value string
		err := r.Scan(&name, &value)
		meta[name] = value
		return err
	}, "SELECT name, value FROM meta")
	return meta, err
}

func putMeta(ctx context.Context, t tx, name, value string) error {
	_, err := t.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1,$2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// stored is a number of meta, 0 where there is none.
func stored(meta map[string]string, name string) int64 {
	n, err := strconv.ParseInt(meta[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
