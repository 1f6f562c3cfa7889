package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"downwind"
	"downwind/proof"
)

// An Entry is one leaf of the log with what is kept of its version. Version is nil for "seen" leaves; Body is the raw
// answer, given with the first version that has it.
type Entry struct {
	Index   int64
	Leaf    []byte
	Version *downwind.Version
	Body    []byte
}

// Entries calls f for each leaf of the log up to a size, in order. Memory does not grow with the log.
func (db *DB) Entries(ctx context.Context, size int64, f func(Entry) error) error {
	return each(ctx, db.read(), func(r *sql.Rows) error {
		var e Entry
		var provider sql.NullString
		var v downwind.Version
		var state, body []byte
		if err := r.Scan(&e.Index, &e.Leaf, &provider, &state, &body); err != nil {
			return err
		}
		if provider.Valid {
			if err := (packed{db, &v.State}).Scan(state); err != nil {
				return fmt.Errorf("leaf %d: %w", e.Index, err)
			}
			v.State.Provider, v.Provider, v.Leaf = provider.String, provider.String, e.Index
			e.Version = &v
		}
		if body != nil {
			raw, err := db.unpack(body)
			if err != nil {
				return fmt.Errorf("raw answer of leaf %d: %w", e.Index, err)
			}
			e.Body = raw
		}
		return f(e)
	}, `SELECT l.idx, l.data, v.provider, v.state, b.data FROM log_leaf l LEFT JOIN version v ON v.leaf = l.idx
		LEFT JOIN body b ON b.sha = v.body AND NOT EXISTS (SELECT 1 FROM version w WHERE w.body = v.body AND w.leaf >= 0 AND w.leaf < v.leaf)
		WHERE l.idx < $1 ORDER BY l.idx`, size)
}

// Witnessed lists the sizes of the checkpoints up to a size that say more than the newest one does: those with time
// stamps or cosignatures, and those of the log whose archive was taken over.
func (db *DB) Witnessed(ctx context.Context, size int64) ([]int64, error) {
	var list []int64
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var n int64
		err := r.Scan(&n)
		list = append(list, n)
		return err
	}, "SELECT size FROM log_checkpoint WHERE size <= $1 AND "+confirmed+" UNION SELECT size FROM log_import WHERE size <= $1 ORDER BY size", size)
	return list, err
}

// CheckpointsAt returns the checkpoints of one size, ours first.
func (db *DB) CheckpointsAt(ctx context.Context, size int64) ([]Checkpoint, error) {
	var list []Checkpoint
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var c Checkpoint
		err := r.Scan(&c.Size, &c.Signed, at{&c.At}, fromJSON{&c.Stamps}, &c.Cosigned, &c.Key)
		list = append(list, c)
		return err
	}, "SELECT size, signed, at, stamps, cosigned, key FROM "+allCheckpoints+" WHERE size = $1 ORDER BY own DESC", size)
	return list, err
}

// ImportCheckpoint keeps a checkpoint of another log, whose archive is taken over, with that log's key.
func (db *DB) ImportCheckpoint(ctx context.Context, c Checkpoint) error {
	stamps, err := text(c.Stamps)
	if err != nil {
		return err
	}
	if len(c.Stamps) == 0 {
		stamps = noStamps
	}
	return db.write(ctx, "import a checkpoint", func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO log_import (size, key, signed, at, stamps) VALUES ($1,$2,$3,$4,$5)
			ON CONFLICT (size) DO UPDATE SET key = excluded.key, signed = excluded.signed, stamps = excluded.stamps`,
			c.Size, c.Key, c.Signed, micros(c.At), stamps)
		return err
	})
}

// ImportSeen appends a "seen" leaf of another log, byte for byte, at its index.
func (db *DB) ImportSeen(ctx context.Context, index int64, leaf []byte) error {
	l, err := proof.ParseLeaf(leaf)
	if err != nil {
		return err
	}
	seen, err := time.Parse(time.RFC3339Nano, l.SeenAt)
	if err != nil {
		return downwind.Errorf(downwind.ErrUnreadable, "leaf %d: %w", index, err)
	}
	return db.write(ctx, "import a leaf", func(t tx) error {
		if err := t.serialise(ctx, "log"); err != nil {
			return err
		}
		var version int64
		err := t.row(ctx, "SELECT id FROM version WHERE provider = $1 AND incident = $2 AND number = $3", l.Provider, l.Incident, l.Number).Scan(&version)
		if errors.Is(err, sql.ErrNoRows) {
			return downwind.Errorf(downwind.ErrInvalid, "leaf %d says that version %d of %s/%s was seen, which is not there", index, l.Number, l.Provider, l.Incident)
		}
		if err != nil {
			return err
		}
		first, err := proof.Append(ctx, t.Tx, [][]byte{leaf})
		if err != nil {
			return err
		}
		if first != index {
			return downwind.Errorf(downwind.ErrConflict, "the log has grown to %d while leaf %d was taken in", first, index)
		}
		if _, err := t.exec(ctx, "INSERT INTO log_seen (version, at, leaf) VALUES ($1,$2,$3) ON CONFLICT DO NOTHING", version, micros(seen), index); err != nil {
			return err
		}
		_, err = t.exec(ctx, "UPDATE version SET last_seen = $2 WHERE id = $1 AND last_seen < $2", version, micros(seen))
		return err
	})
}
