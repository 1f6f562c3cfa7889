package store

import (
	"context"
	"fmt"
	"time"
)

// Exclusive runs do in one process at a time: on PostgreSQL under an advisory lock that falls with its connection, on
// SQLite at once, since the lock file keeps other processes out. It waits for the lock until the context ends; do's
// context ends when the lock is lost, and Exclusive then waits for it again.
func (db *DB) Exclusive(ctx context.Context, name string, do func(ctx context.Context) error) error {
	if db.dialect != dialectPostgres {
		return do(ctx)
	}
	for {
		held, err := db.whileHeld(ctx, name, do)
		if ctx.Err() != nil {
			return nil
		}
		if held && err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Second):
		}
	}
}

// whileHeld tries to take the lock once and runs do while it is held. held is false where another process has it or it
// was lost.
func (db *DB) whileHeld(ctx context.Context, name string, do func(ctx context.Context) error) (held bool, err error) {
	conn, err := db.writer.pool.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }() // the lock falls with the connection
	const key = "hashtext('downwind ' || current_schema() || $1)"
	var got bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock("+key+")", name).Scan(&got); err != nil || !got {
		return false, err
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+key+")", name) // falls with the connection anyway
	}()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- do(inner) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return true, err
		case <-tick.C:
			if err := conn.PingContext(ctx); err != nil && ctx.Err() == nil {
				cancel(fmt.Errorf("the lock %s is lost: %w", name, err))
				<-done
				return false, err
			}
		}
	}
}
