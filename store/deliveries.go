package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"downwind"
)

const deliveryColumns = `d.id, d.destination, d.team, d.incident, d.state, d.reason, d.desired, d.applied, d.edited, d.edited_at, d.root_id,
	d.thread_id, d.generation, d.parent, d.finish, d.no_edit, d.no_thread, d.reconcile, d.fresh_root, d.intent_part, d.intent_at,
	d.intent_first, d.lease_owner, d.lease_until, d.swept_at, d.not_before, d.attempts, d.acked_by, d.acked_at, d.created_at, d.updated_at`

func deliveryFields(d *downwind.Delivery) []any {
	return []any{
		&d.ID, &d.Destination, &d.Team, &d.Incident, &d.State, &d.Reason, &d.Desired, &d.Applied, &d.Edited,
		at{&d.EditedAt},
		&d.RootID,
		&d.ThreadID, &d.Generation, &d.Parent, &d.Finish, &d.NoEdit, &d.NoThread, &d.Reconcile, &d.NewestRoot, &d.IntentPart,
		at{&d.IntentAt},
		at{&d.IntentFirst},
		&d.LeaseOwner,
		at{&d.LeaseUntil},
		at{&d.SweptAt},
		at{&d.NotBefore},
		&d.Attempts, &d.AckedBy,
		at{&d.AckedAt},
		at{&d.CreatedAt},
		at{&d.UpdatedAt},
	}
}

// partColumns go with "part p LEFT JOIN version v ON v.id = p.archive AND p.bare = 1".
const partColumns = "p.delivery, p.version, p.message_id, p.sent_at, p.skipped, p.repeats, p.archive, p.alert, v.state, v.provider"

// partRow is a part on its way out of the store.
type partRow struct {
	p        downwind.Part
	archive  int64
	state    downwind.Incident
	provider sql.NullString
}

func (r *partRow) fields(db *DB) []any {
	return []any{
		&r.p.Delivery, &r.p.Version, &r.p.MessageID,
		at{&r.p.SentAt},
		&r.p.Skipped, &r.p.Repeats, &r.archive,
		packed{db, &r.p.Alert},
		stateOf{db, &r.archive, &r.state},
		&r.provider,
	}
}

// stateOf scans the state of the version that was scanned before it; one that was decoded lately is not decoded again,
// because ten thousand deliveries of one incident hold the same.
type stateOf struct {
	db      *DB
	version *int64
	state   *downwind.Incident
}

// Scan implements sql.Scanner.
func (s stateOf) Scan(v any) error {
	if v == nil {
		return nil
	}
	if inc, ok := s.db.states.get(*s.version); ok {
		*s.state = inc
		return nil
	}
	if err := (packed{s.db, s.state}).Scan(v); err != nil {
		return err
	}
	s.db.states.put(*s.version, *s.state)
	return nil
}

func (r *partRow) part() downwind.Part {
	p := r.p
	p.Alert.Version = r.archive
	if r.provider.Valid {
		p.Alert.Incident = r.state
		p.Alert.Incident.Provider = r.provider.String
	}
	return p
}

func (db *DB) eachPart(ctx context.Context, q querier, found func(downwind.Part), cond string, args ...any) error {
	return each(ctx, q, func(r *sql.Rows) error {
		var p partRow
		if err := r.Scan(p.fields(db)...); err != nil {
			return err
		}
		found(p.part())
		return nil
	}, "SELECT "+partColumns+" FROM part p LEFT JOIN version v ON v.id = p.archive AND p.bare = 1 "+cond, args...)
}

// Delivery returns one delivery.
func (db *DB) Delivery(ctx context.Context, id string) (downwind.Delivery, error) {
	var d downwind.Delivery
	err := db.read().row(ctx, "SELECT "+deliveryColumns+" FROM delivery d WHERE d.id = $1", id).Scan(deliveryFields(&d)...)
	return d, missing(err, "delivery "+id)
}

// Deliveries lists deliveries, the latest changed first; at most 1,000 unless the filter says less.
func (db *DB) Deliveries(ctx context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error) {
	var w where
	for column, value := range map[string]string{
		"d.team": f.Team, "d.destination": f.Destination, "d.incident": f.Incident, "d.state": string(f.State),
	} {
		if value != "" {
			w.add(column+" = ?", value)
		}
	}
	if !f.Before.IsZero() {
		w.add("(d.updated_at < ? OR d.updated_at = ? AND d.seq < (SELECT e.seq FROM delivery e WHERE e.id = ?))", micros(f.Before), micros(f.Before), f.BeforeID)
	}
	var list []downwind.Delivery
	err := each(ctx, db.plain(), func(r *sql.Rows) error {
		var d downwind.Delivery
		err := r.Scan(deliveryFields(&d)...)
		list = append(list, d)
		return err
	}, "SELECT "+deliveryColumns+" FROM delivery d"+w.String()+" ORDER BY d.updated_at DESC, d.seq DESC"+limit(f.Limit, 1000), w.args...)
	return list, err
}

// Parts returns all versions of a delivery with what each says, oldest first.
func (db *DB) Parts(ctx context.Context, deliveryID string) ([]downwind.Part, error) {
	var list []downwind.Part
	err := db.eachPart(ctx, db.read(), func(p downwind.Part) { list = append(list, p) }, "WHERE p.delivery = $1 ORDER BY p.version", deliveryID)
	return list, err
}

// DeliveryByMessage returns the delivery whose root or reply is this message of a destination.
func (db *DB) DeliveryByMessage(ctx context.Context, destination, messageID string) (downwind.Delivery, error) {
	var d downwind.Delivery
	if messageID == "" {
		return d, fmt.Errorf("message without id: %w", downwind.ErrNotFound)
	}
	err := db.read().row(ctx, "SELECT "+deliveryColumns+` FROM delivery d WHERE d.destination = $1 AND (d.root_id = $2 OR d.thread_id = $2
		OR d.id IN (SELECT delivery FROM part WHERE message_id = $2 AND message_id <> '')) ORDER BY d.seq DESC LIMIT 1`, destination, messageID).
		Scan(deliveryFields(&d)...)
	return d, missing(err, "message "+messageID+" in "+destination)
}

// Ack keeps who took note of a delivery first; later clicks change nothing.
func (db *DB) Ack(ctx context.Context, deliveryID, by string, when time.Time) error {
	return db.write(ctx, "acknowledge "+deliveryID, func(t tx) error {
		r, err := t.exec(ctx, `UPDATE delivery SET acked_by = CASE WHEN acked_at = 0 THEN $2 ELSE acked_by END,
			acked_at = CASE WHEN acked_at = 0 THEN CAST($3 AS BIGINT) ELSE acked_at END WHERE id = $1`, deliveryID, by, micros(when))
		if err != nil {
			return err
		}
		return changed(r, "delivery "+deliveryID)
	})
}

// Notes returns the operator's notes: those that stand first, then those that ended in the last 30 days.
func (db *DB) Notes(ctx context.Context) ([]downwind.Note, error) {
	var list []downwind.Note
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var n downwind.Note
		err := r.Scan(&n.Key, &n.Text, &n.Provider, at{&n.At}, at{&n.Ended})
		n.Over = !n.Ended.IsZero()
		list = append(list, n)
		return err
	}, `SELECT name, text, provider, at, ended FROM note WHERE ended = 0 OR ended >= $1
		ORDER BY CASE WHEN ended = 0 THEN 0 ELSE 1 END, at DESC LIMIT 500`, micros(db.clock.Now().AddDate(0, 0, -30)))
	return list, err
}

// Counts returns figures for metrics: "incidents", "versions", "bodies", "teams", "destinations", "destinations.paused",
// "subscriptions", "feed.items", "notes.standing", "deliveries.active|held|paused|done", "deliveries.behind", "holds",
// "holds.shared".
func (db *DB) Counts(ctx context.Context) (map[string]int64, error) {
	counts := make(map[string]int64)
	for name, from := range map[string]string{
		"incidents": "incident", "versions": "version", "bodies": "body", "teams": "team", "destinations": "destination",
		"destinations.paused": "destination WHERE paused <> ''", "subscriptions": "subscription", "feed.items": "feed_item",
		"notes.standing": "note WHERE ended = 0", "holds": "hold", "holds.shared": "hold_shared",
		"deliveries.behind": "delivery WHERE state = 'active' AND (applied < desired OR edited < desired)",
	} {
		var n int64
		if err := db.read().row(ctx, "SELECT COUNT(*) FROM "+from).Scan(&n); err != nil {
			return nil, err
		}
		counts[name] = n
	}
	for _, state := range []downwind.DeliveryState{downwind.DeliveryActive, downwind.DeliveryHeld, downwind.DeliveryPaused, downwind.DeliveryDone} {
		counts["deliveries."+string(state)] = 0
	}
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var state string
		var n int64
		err := r.Scan(&state, &n)
		counts["deliveries."+state] = n
		return err
	}, "SELECT state, COUNT(*) FROM delivery GROUP BY state")
	return counts, err
}
