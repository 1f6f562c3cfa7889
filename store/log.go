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
	Size   int64
	Signed []byte
	At     time.Time
	Stamps []proof.Stamp
}

// SaveCheckpoint keeps a signed checkpoint, or the time stamps that were added to it.
func (db *DB) SaveCheckpoint(ctx context.Context, c Checkpoint) error {
	stamps, err := text(c.Stamps)
	if err != nil {
		return err
	}
	return db.write(ctx, "save checkpoint", func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO log_checkpoint (size, signed, at, stamps) VALUES ($1,$2,$3,$4)
			ON CONFLICT (size) DO UPDATE SET signed = excluded.signed, stamps = excluded.stamps`, c.Size, c.Signed, micros(c.At), stamps)
		return err
	})
}

// NewestCheckpoint returns the largest one, ErrNotFound where there is none.
func (db *DB) NewestCheckpoint(ctx context.Context) (Checkpoint, error) {
	return db.checkpoint(ctx, "ORDER BY size DESC LIMIT 1")
}

// CheckpointOver returns the smallest one that covers a leaf.
func (db *DB) CheckpointOver(ctx context.Context, leaf int64) (Checkpoint, error) {
	return db.checkpoint(ctx, "WHERE size > $1 ORDER BY size LIMIT 1", leaf)
}

func (db *DB) checkpoint(ctx context.Context, rest string, args ...any) (Checkpoint, error) {
	var c Checkpoint
	err := db.read().row(ctx, "SELECT size, signed, at, stamps FROM log_checkpoint "+rest, args...).
		Scan(&c.Size, &c.Signed, at{&c.At}, fromJSON{&c.Stamps})
	return c, missing(err, "checkpoint")
}
