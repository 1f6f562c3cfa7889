package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"downwind"
	"downwind/proof"
)

// LeafOf appends versions to the transparency log in the transaction that stores them: the LeafAppender of a store
// that keeps one.
func LeafOf(ctx context.Context, tx *sql.Tx, versions []downwind.Version) ([]int64, error) {
	leaves := make([][]byte, len(versions))
	for i, v := range versions {
		previous := ""
		if v.Number > 1 {
			err := tx.QueryRowContext(ctx, "SELECT hash FROM version WHERE provider = $1 AND incident = $2 AND number = $3",
				v.Provider, v.Incident, v.Number-1).Scan(&previous)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
		}
		b, err := proof.NewLeaf(v, previous).Bytes()
		if err != nil {
			return nil, err
		}
		leaves[i] = b
	}
	first, err := proof.Append(ctx, tx, leaves)
	if err != nil {
		return nil, err
	}
	indexes := make([]int64, len(versions))
	for i := range indexes {
		indexes[i] = first + int64(i)
	}
	return indexes, nil
}

// Log gives the database to the functions of package proof that read the log.
func (db *DB) Log() proof.Querier { return db.readers.pool }

// A Checkpoint is a signed checkpoint as stored. At is UTC.
type Checkpoint struct {
	// Key is the verifier key of the log that signed it: our own, or an earlier one whose entries the log goes on from.
	Key    string
	Size   int64
	Signed []byte
	At     time.Time
	Stamps []proof.Stamp
	// Cosigned is how many witnesses have signed it too.
	Cosigned int
}

// SaveCheckpoint keeps a signed checkpoint, or the time stamps and cosignatures that were added to it.
func (db *DB) SaveCheckpoint(ctx context.Context, c Checkpoint) error {
	stamps, err := text(c.Stamps)
	if err != nil {
		return err
	}
	if len(c.Stamps) == 0 {
		stamps = noStamps
	}
	return db.write(ctx, "save checkpoint", func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO log_checkpoint (size, signed, at, stamps, cosigned, key) VALUES ($1,$2,$3,$4,$5,$6)
			ON CONFLICT (size) DO UPDATE SET signed = excluded.signed, stamps = excluded.stamps, cosigned = excluded.cosigned, key = excluded.key`,
			c.Size, c.Signed, micros(c.At), stamps, c.Cosigned, c.Key)
		return err
	})
}

// noStamps is how no time stamps are stored.
const noStamps = "[]"

// RetireCheckpoints makes checkpoints of our own that another key than this one has signed those of an earlier log, as if
// its archive had been taken over. It returns how many there were.
func (db *DB) RetireCheckpoints(ctx context.Context, key string) (int64, error) {
	const other = " FROM log_checkpoint WHERE key <> '' AND key <> $1"
	var n int64
	err := db.write(ctx, "retire checkpoints", func(t tx) error {
		if _, err := t.exec(ctx, "INSERT INTO log_import (size, key, signed, at, stamps) SELECT size, key, signed, at, stamps"+other+" ON CONFLICT (size) DO NOTHING", key); err != nil {
			return err
		}
		r, err := t.exec(ctx, "DELETE"+other, key)
		if err != nil {
			return err
		}
		n, err = r.RowsAffected()
		return err
	})
	return n, err
}

// EarlierKey reports whether a verifier key is that of an earlier log whose entries this one goes on from.
func (db *DB) EarlierKey(ctx context.Context, key string) (bool, error) {
	var known bool
	err := db.read().row(ctx, "SELECT COUNT(*) > 0 FROM (SELECT 1 FROM log_import WHERE key = $1 LIMIT 1) k", key).Scan(&known)
	return known, err
}

// NewestCheckpoint returns the largest one of our own, ErrNotFound where there is none.
func (db *DB) NewestCheckpoint(ctx context.Context) (Checkpoint, error) {
	return db.checkpointOf(ctx, ownCheckpoints, "ORDER BY size DESC LIMIT 1")
}

// CheckpointOf returns our own checkpoint of a size, ErrNotFound where there is none.
func (db *DB) CheckpointOf(ctx context.Context, size int64) (Checkpoint, error) {
	return db.checkpointOf(ctx, ownCheckpoints, "WHERE size = $1", size)
}

// CheckpointOver returns the one to prove a leaf by: the smallest that covers it among those with time stamps or
// cosignatures, else the smallest of all, be it our own or of the log whose archive was taken over.
func (db *DB) CheckpointOver(ctx context.Context, leaf int64) (Checkpoint, error) {
	var size sql.NullInt64
	err := db.read().row(ctx, "SELECT COALESCE("+smallest(confirmed, "stamps <> '[]'")+", "+smallest("1 = 1", "1 = 1")+")", leaf).Scan(&size)
	if err != nil {
		return Checkpoint{}, err
	}
	// A size of its own, so that both tables are searched by it.
	return db.checkpointOf(ctx, allCheckpoints, "WHERE size = $1 ORDER BY CASE WHEN "+confirmed+" THEN 0 ELSE 1 END, own LIMIT 1", size.Int64)
}

// confirmed is what marks a checkpoint that outsiders have stamped or cosigned.
const confirmed = "(stamps <> '[]' OR cosigned > 0)"

// smallest is the size of the smallest checkpoint over leaf $1 that fits a condition, for our own and for imported ones.
func smallest(own, imported string) string {
	return "(SELECT MIN(size) FROM (SELECT MIN(size) AS size FROM log_checkpoint WHERE size > $1 AND " + own +
		" UNION ALL SELECT MIN(size) FROM log_import WHERE size > $1 AND " + imported + ") o)"
}

// ownCheckpoints and allCheckpoints are what checkpointOf reads from.
const (
	ownCheckpoints = "(SELECT size, signed, at, stamps, cosigned, key, 1 AS own FROM log_checkpoint) c"
	allCheckpoints = `(SELECT size, signed, at, stamps, cosigned, key, 1 AS own FROM log_checkpoint
		UNION ALL SELECT size, signed, at, stamps, 0 AS cosigned, key, 0 AS own FROM log_import) c`
)

func (db *DB) checkpointOf(ctx context.Context, from, rest string, args ...any) (Checkpoint, error) {
	var c Checkpoint
	err := db.read().row(ctx, "SELECT size, signed, at, stamps, cosigned, key FROM "+from+" "+rest, args...).
		Scan(&c.Size, &c.Signed, at{&c.At}, fromJSON{&c.Stamps}, &c.Cosigned, &c.Key)
	return c, missing(err, "checkpoint")
}
