package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"downwind"
)

// The methods of this file serve the delivery engine: it decides, the store keeps. Every step checks the lease and writes
// what the engine made of the row in one transaction; swap.go tells how without reading it first.

// partRoot is the name of the root's part; later parts are "v2", "v3", …
const partRoot = "root"

// nextMost bounds the parts that one lease takes up.
const nextMost = 32

// gapCond is what makes a delivery unfinished business.
const gapCond = "state = 'active' AND (applied < desired OR edited < desired)"

// TakeLease takes a delivery for the owner until the lease ends. It is refused (false) when the row does not exist, has
// nothing to do, is held by another, must wait, or is not active. A lease need not outlive a crash of the database by itself: the intent
// that follows is waited for, and the lease with it.
func (db *DB) TakeLease(ctx context.Context, id, owner string, now time.Time, lease time.Duration) (downwind.Work, bool, error) {
	var w downwind.Work
	until := now.Add(lease)
	take := func(q querier) error {
		return q.row(ctx, "UPDATE delivery AS d SET lease_owner = $2, lease_until = $3 WHERE id = $1 AND "+gapCond+
			" AND lease_until <= $4 AND not_before <= $4"+db.dialect.unhurried()+" RETURNING "+strings.ReplaceAll(deliveryColumns, "d.", ""),
			id, owner, micros(until), micros(now)).Scan(deliveryFields(&w.Delivery)...)
	}
	var err error
	if db.dialect == dialectPostgres {
		err = take(db.read()) // one statement is its own transaction, and one round trip
	} else {
		err = db.write(ctx, "lease "+id, func(t tx) error { return take(t) })
	}
	taken := !errors.Is(err, sql.ErrNoRows)
	if !taken {
		err = nil
	}
	if err != nil || !taken {
		return w, false, err
	}
	if err := db.fillWork(ctx, &w); err != nil {
		return w, false, fmt.Errorf("store: lease %s: %w", id, err)
	}
	return w, true, nil
}

// Reload reads again what a worker holds after a step, without touching the lease.
func (db *DB) Reload(ctx context.Context, d downwind.Delivery) (downwind.Work, error) {
	w := downwind.Work{Delivery: d}
	err := db.fillWork(ctx, &w)
	return w, err
}

// workQuery reads the parts that are next and the newest one, each beside the destination.
var workQuery = "SELECT " + partColumns + ", n." + strings.ReplaceAll(destinationColumns, ", ", ", n.") +
	` FROM part p LEFT JOIN version v ON v.id = p.archive AND p.bare = 1 JOIN destination n ON n.id = $5
	WHERE p.delivery = $1 AND (p.version > $2 AND p.version <= $3 OR p.version = $4) ORDER BY p.version`

func (db *DB) fillWork(ctx context.Context, w *downwind.Work) error {
	d := &w.Delivery
	met := false
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var row partRow
		if err := r.Scan(append(row.fields(db), destinationFields(&w.Destination)...)...); err != nil {
			return err
		}
		met = true
		p := row.part()
		if p.Version > d.Applied && p.Version <= d.Applied+nextMost {
			w.Next = append(w.Next, p)
		}
		if p.Version == d.Desired {
			w.Newest = p
		}
		return nil
	}, workQuery, d.ID, d.Applied, d.Applied+nextMost, d.Desired, d.Destination)
	if err != nil {
		return err
	}
	if !met {
		return fmt.Errorf("delivery %s has no part %d, or no destination %s: %w", d.ID, d.Desired, d.Destination, downwind.ErrNotFound)
	}
	if d.Parent != "" {
		parent, err := db.Delivery(ctx, d.Parent)
		if err != nil {
			return err
		}
		w.Parent = &parent
	}
	w.Since = db.aliveUntil
	return nil
}

// Step lets the engine change a delivery that it has leased. Held is the row as the worker knows it; the step is given the
// row as it is now, and returns what it leaves on parts; it may run more than once. A lost lease is ErrConflict and changes
// nothing.
func (db *DB) Step(ctx context.Context, held downwind.Delivery, owner string, step func(*downwind.Delivery) []downwind.PartMark) (downwind.Delivery, error) {
	if db.dialect == dialectPostgres {
		d := held
		if done, err := db.swapStep(ctx, held, &d, owner, step(&d)); done || err != nil {
			return d, err
		}
	}
	var d downwind.Delivery
	err := db.write(ctx, "step of "+held.ID, func(t tx) error {
		d = held
		marks := step(&d)
		swapped, err := swap(ctx, t, held, &d, owner)
		if err != nil {
			return err
		}
		if !swapped {
			if d, err = leased(ctx, t, held.ID, owner); err != nil {
				return err
			}
			marks = step(&d)
			if err := putRow(ctx, t, &d); err != nil {
				return err
			}
		}
		return mark(ctx, t, d.ID, marks)
	})
	return d, err
}

// Intend is Step for the intent of a message, kept to the channel's pace: at most one message each gap, and of roots that
// nobody has tried yet the oldest first. When the message must wait, the instant is returned and the step has not run.
// The pace is kept in the store, so it holds over all processes.
func (db *DB) Intend(ctx context.Context, held downwind.Delivery, owner string, root bool, gap time.Duration, step func(*downwind.Delivery)) (downwind.Delivery, time.Time, error) {
	if db.dialect == dialectPostgres {
		d := held
		step(&d)
		if done, err := db.swapIntent(ctx, held, &d, owner, root, gap); done || err != nil {
			return d, time.Time{}, err
		}
	}
	var d downwind.Delivery
	var wait time.Time
	err := db.write(ctx, "intent of "+held.ID, func(t tx) (err error) {
		d = held
		if wait, err = paced(ctx, t, d, root, gap, db.clock.Now()); err != nil || !wait.IsZero() {
			return err
		}
		step(&d)
		swapped, err := swap(ctx, t, held, &d, owner)
		if err != nil || swapped {
			return err
		}
		if d, err = leased(ctx, t, held.ID, owner); err != nil {
			return err
		}
		step(&d)
		return putRow(ctx, t, &d)
	})
	return d, wait, err
}

// paced takes the channel's next slot, or tells when to come again.
func paced(ctx context.Context, t tx, d downwind.Delivery, root bool, gap time.Duration, now time.Time) (time.Time, error) {
	ahead := 0
	var next time.Time
	var err error
	if root {
		err = t.row(ctx, `SELECT next_post, (SELECT COUNT(*) FROM delivery WHERE destination = $1 AND state = 'active' AND root_id = '' AND attempts = 0
			AND intent_part = '' AND parent = '' AND seq < (SELECT seq FROM delivery WHERE id = $2)) FROM destination WHERE id = $1`,
			d.Destination, d.ID).Scan(at{&next}, &ahead)
	} else {
		err = t.row(ctx, "SELECT next_post FROM destination WHERE id = $1", d.Destination).Scan(at{&next})
	}
	if err != nil {
		return time.Time{}, err
	}
	if ahead == 0 && gap <= 0 {
		// The channel may still be told to wait by the platform.
		if !next.After(now) {
			next = time.Time{}
		}
		return next, nil
	}
	if ahead == 0 {
		r, err := t.exec(ctx, "UPDATE destination SET next_post = $2 WHERE id = $1 AND next_post <= $3", d.Destination, micros(now.Add(gap)), micros(now))
		if err != nil {
			return time.Time{}, err
		}
		if n, err := r.RowsAffected(); err != nil || n > 0 {
			return time.Time{}, err
		}
	}
	if next.Before(now) {
		next = now
	}
	const least = 50 * time.Millisecond // for platforms without a pace, when others go first
	return next.Add(time.Duration(ahead) * max(gap, least)), nil
}

// HoldChannel lets nothing more into a channel before an instant (the platform's rate limit).
func (db *DB) HoldChannel(ctx context.Context, destination string, until time.Time) error {
	return db.write(ctx, "hold channel "+destination, func(t tx) error {
		_, err := t.exec(ctx, "UPDATE destination SET next_post = $2 WHERE id = $1 AND next_post < $2", destination, micros(until))
		return err
	})
}

func leased(ctx context.Context, t tx, id, owner string) (downwind.Delivery, error) {
	var d downwind.Delivery
	err := t.row(ctx, "SELECT "+deliveryColumns+" FROM delivery d WHERE d.id = $1 AND d.lease_owner = $2"+t.db.dialect.lock(), id, owner).Scan(deliveryFields(&d)...)
	if errors.Is(err, sql.ErrNoRows) {
		return d, fmt.Errorf("the lease of %s is somebody else's: %w", id, downwind.ErrConflict)
	}
	return d, err
}

// DueDeliveries lists deliveries that a worker could close now, in the order they were made.
func (db *DB) DueDeliveries(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, "SELECT id FROM delivery WHERE "+gapCond+" AND not_before <= $1 AND lease_until <= $1 ORDER BY seq LIMIT $2", micros(now), limit)
	return ids, err
}

// NextDelivery is the next instant at which a delivery can go on, zero when none waits.
func (db *DB) NextDelivery(ctx context.Context) (time.Time, error) {
	var next time.Time
	var some bool
	err := db.read().row(ctx, `SELECT COUNT(*) > 0, COALESCE(MIN(CASE WHEN lease_until > not_before THEN lease_until ELSE not_before END), 0)
		FROM delivery WHERE `+gapCond).Scan(&some, at{&next})
	if err == nil && some && next.IsZero() {
		next = db.clock.Now()
	}
	return next, err
}

// Sweep wakes a worker for every delivery that could go on and for which nobody was woken: its wait or its lease has
// ended since, or the last wake-up is longer ago than the gap and no wake-ups are waiting any more. It returns how many.
func (db *DB) Sweep(ctx context.Context, now time.Time, gap time.Duration, limit int) (int, error) {
	var ids []string
	err := db.write(ctx, "sweep deliveries", func(t tx) error {
		ids = ids[:0]
		var busy bool
		if err := t.row(ctx, "SELECT COUNT(*) > 0 FROM (SELECT 1 FROM river_job WHERE queue = $1 AND state = 'available' LIMIT 1) AS waiting", wakeQueue).Scan(&busy); err != nil {
			return err
		}
		forgotten := micros(now.Add(-gap))
		if busy {
			forgotten = -1 // a long queue is not a lost wake-up
		}
		err := each(ctx, t, func(r *sql.Rows) error {
			var id string
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		}, `UPDATE delivery SET swept_at = $1 WHERE id IN (SELECT id FROM delivery WHERE `+gapCond+` AND not_before <= $1 AND lease_until <= $1
			AND (swept_at < not_before OR swept_at < lease_until OR swept_at <= $2) ORDER BY seq LIMIT $3`+t.db.dialect.skipLocked()+`) RETURNING id`,
			micros(now), forgotten, limit)
		if err != nil {
			return err
		}
		return db.wake(ctx, t, ids)
	})
	return len(ids), err
}

// freeAll frees what a dead process held. Only the holder of SQLite's lock file may do so.
func (db *DB) freeAll(ctx context.Context) error {
	return db.write(ctx, "free leases", func(t tx) error {
		if _, err := t.exec(ctx, "UPDATE delivery SET lease_owner = '', lease_until = 0, swept_at = 0 WHERE lease_owner <> '' OR ("+gapCond+" AND swept_at > 0)"); err != nil {
			return err
		}
		_, err := t.exec(ctx, "UPDATE source SET claim_owner = '', claim_until = 0 WHERE claim_owner <> ''")
		return err
	})
}
