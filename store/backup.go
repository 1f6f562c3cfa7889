package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"downwind"
)

// Backup writes a consistent copy of a SQLite store into a new file while the store is in use, and marks it as a copy.
// On PostgreSQL the server's own tool does it.
func (db *DB) Backup(ctx context.Context, file string) error {
	if db.dialect == dialectPostgres {
		return downwind.Errorf(downwind.ErrInvalid, "PostgreSQL is backed up by its own tool: pg_dump --format=custom --file=%s DATABASE", filepath.Base(file))
	}
	if _, err := os.Lstat(file); err == nil {
		return downwind.Errorf(downwind.ErrConflict, "%s is there already; name a new file", file)
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("backup into %s: %w", file, err)
	}
	part := file + ".part"
	if err := copyInto(ctx, db.path, part); err != nil {
		return errors.Join(fmt.Errorf("backup into %s: %w", file, err), ignoreMissing(os.Remove(part)))
	}
	if err := os.Rename(part, file); err != nil {
		return fmt.Errorf("backup into %s: %w", file, err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func copyInto(ctx context.Context, from, into string) error {
	if err := ignoreMissing(os.Remove(into)); err != nil {
		return err
	}
	// Made first with our mode, so that nobody else can read what is being written.
	f, err := os.OpenFile(into, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	source, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: from}).String()+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer source.Close()
	if _, err := source.ExecContext(ctx, "VACUUM INTO $1", into); err != nil {
		return err
	}
	abs, err := filepath.Abs(into)
	if err != nil {
		return err
	}
	mark, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: abs}).String()+"?_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	_, err = mark.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ($1,'1') ON CONFLICT (name) DO UPDATE SET value = '1'", metaBackup)
	return errors.Join(err, mark.Close())
}

// Restore puts a copy made by Backup in place of a SQLite store that no process uses. The old file is kept beside it as
// "….before". The copy knows that it is one: see Restored.
func Restore(ctx context.Context, file, path string) error {
	lock, err := takeLock(path + ".lock")
	if err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	defer lock.Close()
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	part := path + ".part"
	if err := copyInto(ctx, mustAbs(file), part); err != nil {
		return errors.Join(fmt.Errorf("restore %s: %w", file, err), ignoreMissing(os.Remove(part)))
	}
	if err := ignoreMissing(os.Rename(path, path+".before")); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	for _, tail := range []string{"-wal", "-shm"} {
		if err := ignoreMissing(os.Rename(path+tail, path+".before"+tail)); err != nil {
			return fmt.Errorf("restore %s: %w", file, err)
		}
	}
	return os.Rename(part, path)
}

func mustAbs(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Retention says for how long what is never deleted by itself is kept. Zero keeps for ever.
type Retention struct {
	// Bodies are raw bodies that no version of an open incident needs; the versions themselves always stay.
	Bodies time.Duration
	// Deliveries are finished or held rows with their parts; they answer who was told what.
	Deliveries time.Duration
	// Holds are lines of the ledger.
	Holds time.Duration
}

// Prune removes what is older than its retention, and everything that has expired. It returns the number of rows removed.
func (db *DB) Prune(ctx context.Context, keep Retention) (int64, error) {
	now := db.clock.Now()
	steps := []struct {
		age  time.Duration
		text string
	}{
		{keep.Bodies, `DELETE FROM body WHERE kept_at < $1 AND sha NOT IN (SELECT v.body FROM version v JOIN incident i
			ON i.provider = v.provider AND i.id = v.incident WHERE i.is_open = 1)`},
		{keep.Deliveries, `DELETE FROM part WHERE delivery IN (SELECT id FROM delivery WHERE state IN ('done','held') AND updated_at < $1)`},
		{keep.Deliveries, `DELETE FROM delivery WHERE state IN ('done','held') AND updated_at < $1`},
		{keep.Holds, "DELETE FROM hold WHERE at < $1"},
		{keep.Holds, "DELETE FROM hold_shared WHERE at < $1"},
		{1, "DELETE FROM temp WHERE until < $1"},
		{1, "DELETE FROM mute WHERE until < $1"},
		{90 * 24 * time.Hour, "DELETE FROM note WHERE ended > 0 AND ended < $1"},
	}
	var gone int64
	err := db.write(ctx, "prune", func(t tx) error {
		gone = 0
		for _, s := range steps {
			if s.age <= 0 {
				continue
			}
			r, err := t.exec(ctx, s.text, micros(now.Add(-s.age)))
			if err != nil {
				return err
			}
			n, err := r.RowsAffected()
			if err != nil {
				return err
			}
			gone += n
		}
		return nil
	})
	return gone, err
}
