package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"downwind"
)

const destinationColumns = `id, platform, workspace, channel, name, team, paused, paused_at, operator, quiet, quiet_except, timezone, digest, digest_at, remind`

func destinationFields(d *downwind.Destination) []any {
	return []any{
		&d.ID, &d.Platform, &d.Workspace, &d.Channel, &d.Name, &d.Team, &d.Paused,
		at{&d.PausedAt},
		&d.Operator,
		&d.Quiet, &d.QuietExcept, &d.Timezone, &d.Digest, &d.DigestAt,
		seconds{&d.Remind},
	}
}

func eachDestination(ctx context.Context, q querier, found func(downwind.Destination), cond string, args ...any) error {
	return each(ctx, q, func(r *sql.Rows) error {
		var d downwind.Destination
		if err := r.Scan(destinationFields(&d)...); err != nil {
			return err
		}
		found(d)
		return nil
	}, "SELECT "+destinationColumns+" FROM destination "+cond+" ORDER BY id", args...)
}

func (db *DB) listDestinations(ctx context.Context, cond string, args ...any) ([]downwind.Destination, error) {
	var list []downwind.Destination
	err := eachDestination(ctx, db.read(), func(d downwind.Destination) { list = append(list, d) }, cond, args...)
	return list, err
}

// Destination returns one destination.
func (db *DB) Destination(ctx context.Context, id string) (downwind.Destination, error) {
	return destination(ctx, db.read(), id)
}

func destination(ctx context.Context, q querier, id string) (downwind.Destination, error) {
	var d downwind.Destination
	err := q.row(ctx, "SELECT "+destinationColumns+" FROM destination WHERE id = $1", id).Scan(destinationFields(&d)...)
	return d, missing(err, "destination "+id)
}

// Destinations returns a team's destinations, or all for the empty team, by id.
func (db *DB) Destinations(ctx context.Context, team string) ([]downwind.Destination, error) {
	if team == "" {
		return db.listDestinations(ctx, "")
	}
	return db.listDestinations(ctx, "WHERE team = $1", team)
}

// OperatorDestinations returns those that hear what concerns the installation.
func (db *DB) OperatorDestinations(ctx context.Context) ([]downwind.Destination, error) {
	return db.listDestinations(ctx, "WHERE operator = 1")
}

// SaveDestination makes or changes a destination. Whether it is paused is changed by PauseDestination and ResumeDestination only.
func (db *DB) SaveDestination(ctx context.Context, d downwind.Destination) error {
	return db.write(ctx, "save destination "+d.ID, func(t tx) error { return putDestination(ctx, t, d) })
}

func putDestination(ctx context.Context, t tx, d downwind.Destination) error {
	if d.ID == "" {
		d.ID = d.Platform + ":" + d.Workspace + ":" + d.Channel
	}
	if d.Platform == "" || d.Team == "" {
		return fmt.Errorf("destination %s without platform or team: %w", d.ID, downwind.ErrInvalid)
	}
	old, err := destination(ctx, t, d.ID)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if old.Team != "" && old.Team != d.Team {
		if err := errors.Join(t.refile(ctx, old.Team), t.refile(ctx, d.Team)); err != nil {
			return err
		}
	}
	if _, err := t.exec(ctx, `INSERT INTO destination (`+destinationColumns+`) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)
		ON CONFLICT (id) DO UPDATE SET name=excluded.name, team=excluded.team, operator=excluded.operator, quiet=excluded.quiet,
		quiet_except=excluded.quiet_except, timezone=excluded.timezone, digest=excluded.digest, digest_at=excluded.digest_at,
		remind=excluded.remind`,
		d.ID, d.Platform, d.Workspace, d.Channel, d.Name, d.Team, d.Paused, micros(d.PausedAt), flag(d.Operator), d.Quiet,
		string(d.QuietExcept), d.Timezone, d.Digest, d.DigestAt, int64(d.Remind/time.Second)); err != nil {
		return err
	}
	if old.Team == "" || old.Team == d.Team {
		return nil
	}
	// The channel has another team now; its subscriptions go with it.
	if _, err := t.exec(ctx, "UPDATE subscription SET team = $2 WHERE destination = $1", d.ID, d.Team); err != nil {
		return err
	}
	return errors.Join(indexSubscriptions(ctx, t, old.Team), indexSubscriptions(ctx, t, d.Team))
}

// PauseDestination stops a destination and all that waits for it, with a reason that people can act on.
func (db *DB) PauseDestination(ctx context.Context, id, reason string) error {
	_, err := db.Pause(ctx, id, reason)
	return err
}

// Pause is PauseDestination; it reports whether the destination was going until now, so that it is told once.
func (db *DB) Pause(ctx context.Context, id, reason string) (bool, error) {
	var first bool
	err := db.write(ctx, "pause destination "+id, func(t tx) (err error) {
		first, err = pause(ctx, t, db.clock.Now(), id, reason)
		return err
	})
	return first, err
}

func pause(ctx context.Context, t tx, now time.Time, id, reason string) (bool, error) {
	if reason == "" {
		return false, fmt.Errorf("pause without reason: %w", downwind.ErrInvalid)
	}
	d, err := destination(ctx, t, id)
	if err != nil {
		return false, err
	}
	if _, err := t.exec(ctx, `UPDATE destination SET paused = $2, paused_at = CASE WHEN paused = '' THEN CAST($3 AS BIGINT) ELSE paused_at END WHERE id = $1`,
		id, reason, micros(now)); err != nil {
		return false, err
	}
	if _, err := t.exec(ctx, `UPDATE delivery SET state = $2, reason = $3, updated_at = $4 WHERE destination = $1 AND state = $5`,
		id, string(downwind.DeliveryPaused), reason, micros(now), string(downwind.DeliveryActive)); err != nil {
		return false, err
	}
	return d.Paused == "", nil
}

// PauseWorkspace stops every destination of a platform's workspace and returns those that were going until now.
func (db *DB) PauseWorkspace(ctx context.Context, platform, workspace, reason string) ([]string, error) {
	var stopped []string
	err := db.write(ctx, "pause workspace "+platform+":"+workspace, func(t tx) error {
		stopped = nil
		var ids []string
		if err := eachDestination(ctx, t, func(d downwind.Destination) { ids = append(ids, d.ID) },
			"WHERE platform = $1 AND workspace = $2", platform, workspace); err != nil {
			return err
		}
		for _, id := range ids {
			first, err := pause(ctx, t, db.clock.Now(), id, reason)
			if err != nil {
				return err
			}
			if first {
				stopped = append(stopped, id)
			}
		}
		return nil
	})
	return stopped, err
}

// overtaken is the reason of versions that were not told because a newer one is current after a pause.
const overtaken = "overtaken while the destination was paused"

// ResumeDestination lets a healed destination go on with what is still current: of each incident only the newest state is
// told, and incidents that began and ended during the pause are not told at all.
func (db *DB) ResumeDestination(ctx context.Context, id string) error {
	return db.write(ctx, "resume destination "+id, func(t tx) error {
		r, err := t.exec(ctx, "UPDATE destination SET paused = '', paused_at = 0 WHERE id = $1", id)
		if err != nil {
			return err
		}
		if err := changed(r, "destination "+id); err != nil {
			return err
		}
		if _, err := putNote(ctx, t, downwind.OperatorNote{Key: "destination:" + id + ":paused", At: db.clock.Now(), Over: true}); err != nil {
			return err
		}
		var wake []string
		var rows []downwind.Delivery
		err = each(ctx, t, func(r *sql.Rows) error {
			var d downwind.Delivery
			err := r.Scan(deliveryFields(&d)...)
			rows = append(rows, d)
			return err
		}, "SELECT "+deliveryColumns+" FROM delivery d WHERE destination = $1 AND state = $2 ORDER BY seq"+t.db.dialect.lock(), id, string(downwind.DeliveryPaused))
		if err != nil {
			return err
		}
		now := db.clock.Now()
		for _, d := range rows {
			going, err := resume(ctx, t, now, d)
			if err != nil {
				return fmt.Errorf("delivery %s: %w", d.ID, err)
			}
			if going {
				wake = append(wake, d.ID)
			}
		}
		return db.wake(ctx, t, wake)
	})
}

// resume sets one paused delivery going again and reports whether it has anything to say.
func resume(ctx context.Context, t tx, now time.Time, d downwind.Delivery) (bool, error) {
	// An intent that stands may be out: its version stays next, so that it is looked for first.
	next := d.Applied
	if d.IntentPart != "" && d.IntentPart != partRoot {
		next++
	}
	if d.RootID == "" && d.Finish && d.IntentPart == "" {
		_, err := t.exec(ctx, "UPDATE delivery SET state = $2, reason = $3, updated_at = $4 WHERE id = $1", d.ID,
			string(downwind.DeliveryHeld), "began and ended while the destination was paused", micros(now))
		return false, err
	}
	if d.RootID != "" {
		if _, err := t.exec(ctx, "UPDATE part SET skipped = $4 WHERE delivery = $1 AND version > $2 AND version < $3 AND message_id = '' AND skipped = ''",
			d.ID, next, d.Desired, overtaken); err != nil {
			return false, err
		}
	} else if _, err := t.exec(ctx, "UPDATE part SET skipped = $3 WHERE delivery = $1 AND version > 1 AND version <= $2 AND message_id = '' AND skipped = ''",
		d.ID, d.Desired, overtaken); err != nil {
		return false, err
	}
	_, err := t.exec(ctx, `UPDATE delivery SET state = $2, reason = '', not_before = 0, attempts = 0, swept_at = $3, updated_at = $3, fresh_root = $4 WHERE id = $1`,
		d.ID, string(downwind.DeliveryActive), micros(now), flag(d.RootID == ""))
	return true, err
}
