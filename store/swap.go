package store

import (
	"context"
	"fmt"
	"time"

	"downwind"
)

// A worker knows the row that it has leased. Others may meanwhile raise it (desired, finish), pause or resume it (state, fresh_root),
// or take it when the lease has run out (lease_owner), and nothing else that a step builds on. So a step is one statement
// that takes effect only while these are as the worker knows them; otherwise the row is read again under a lock. On
// PostgreSQL that is one round trip in place of five.

// setRow are the columns that a step may change; rowValues are its parameters, the id first.
const setRow = `UPDATE delivery SET state=$2, reason=$3, applied=$4, edited=$5, edited_at=$6, root_id=$7, thread_id=$8,
	generation=$9, finish=$10, no_edit=$11, no_thread=$12, reconcile=$13, fresh_root=$14, intent_part=$15, intent_at=$16,
	intent_first=$17, lease_owner=$18, lease_until=$19, not_before=$20, attempts=$21, updated_at=$22, parent=$23 WHERE id=$1`

// unchanged is true while the row is as the worker knows it; heldValues are its parameters.
const unchanged = " AND lease_owner=$24 AND desired=$25 AND state=$26 AND finish=$27 AND fresh_root=$28"

func rowValues(d *downwind.Delivery, now time.Time) []any {
	d.UpdatedAt = now
	return []any{
		d.ID, string(d.State), d.Reason, d.Applied, d.Edited, micros(d.EditedAt), d.RootID, d.ThreadID, d.Generation, flag(d.Finish),
		flag(d.NoEdit), flag(d.NoThread), flag(d.Reconcile), flag(d.NewestRoot), d.IntentPart, micros(d.IntentAt), micros(d.IntentFirst),
		d.LeaseOwner, micros(d.LeaseUntil), micros(d.NotBefore), d.Attempts, micros(d.UpdatedAt), d.Parent,
	}
}

func heldValues(held *downwind.Delivery, owner string) []any {
	return []any{owner, held.Desired, string(held.State), flag(held.Finish), flag(held.NewestRoot)}
}

// putRow writes a row that is locked.
func putRow(ctx context.Context, t tx, d *downwind.Delivery) error {
	_, err := t.exec(ctx, setRow, rowValues(d, t.db.clock.Now())...)
	return err
}

// swap writes a row if it is still as held; false: it is not, and nothing was written.
func swap(ctx context.Context, t tx, held downwind.Delivery, d *downwind.Delivery, owner string) (bool, error) {
	r, err := t.exec(ctx, setRow+unchanged, append(rowValues(d, t.db.clock.Now()), heldValues(&held, owner)...)...)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// setPart notes what a step leaves on a part; markValues are its parameters from the second on.
var setPart = "UPDATE part SET " + partMarks(3) + " WHERE delivery = $1 AND version = $2"

// partMarks sets the columns of a part that a mark names, by four parameters from the n-th on.
func partMarks(n int) string {
	return fmt.Sprintf(`message_id = CASE WHEN $%[1]d = '' THEN message_id ELSE $%[1]d END,
		sent_at = CASE WHEN CAST($%[2]d AS BIGINT) = 0 THEN sent_at ELSE CAST($%[2]d AS BIGINT) END,
		skipped = CASE WHEN $%[3]d = '' THEN skipped ELSE $%[3]d END, repeats = repeats + CAST($%[4]d AS BIGINT)`, n, n+1, n+2, n+3)
}

func markValues(m downwind.PartMark) []any {
	return []any{m.Version, m.MessageID, micros(m.SentAt), m.Skipped, flag(m.Repeated)}
}

func mark(ctx context.Context, t tx, id string, marks []downwind.PartMark) error {
	for _, m := range marks {
		if _, err := t.exec(ctx, setPart, append([]any{id}, markValues(m)...)...); err != nil {
			return err
		}
	}
	return nil
}

// The forms of a step in one statement, on PostgreSQL.
var (
	stepAlone  = setRow + unchanged
	stepMarked = "WITH stepped AS (" + setRow + unchanged + " RETURNING id) UPDATE part SET " + partMarks(30) +
		" WHERE delivery IN (SELECT id FROM stepped) AND version = $29"
)

// swapStep is Step in one statement; false: it did not take effect, because the row has changed or there is more to mark.
func (db *DB) swapStep(ctx context.Context, held downwind.Delivery, d *downwind.Delivery, owner string, marks []downwind.PartMark) (bool, error) {
	args := append(rowValues(d, db.clock.Now()), heldValues(&held, owner)...)
	text := stepAlone
	switch len(marks) {
	case 0:
	case 1:
		text, args = stepMarked, append(args, markValues(marks[0])...)
	default:
		return false, nil
	}
	return db.swapped(ctx, text, args)
}

// The channel's turn, as a part of the statement that takes it.
const (
	// rootsAhead are roots of the same channel that nobody has tried yet and that were raised before.
	rootsAhead = ` AND NOT EXISTS (SELECT 1 FROM delivery o WHERE o.destination = n.id AND o.state = 'active' AND o.root_id = '' AND o.attempts = 0
		AND o.intent_part = '' AND o.parent = '' AND o.seq < (SELECT seq FROM delivery WHERE id = $1))`
	// stillHeld keeps the turn of a channel from being taken by a worker whose row has changed.
	stillHeld = " AND EXISTS (SELECT 1 FROM delivery h WHERE h.id = $1 AND h.lease_owner = $24 AND h.desired = $25 AND h.state = $26 AND h.finish = $27 AND h.fresh_root = $28)"
	freeTurn  = "WITH turn AS (SELECT n.id FROM destination n WHERE n.id = $29 AND n.next_post <= CAST($30 AS BIGINT)"
	takeTurn  = "WITH turn AS (UPDATE destination n SET next_post = CAST($31 AS BIGINT) WHERE n.id = $29 AND n.next_post <= CAST($30 AS BIGINT)" + stillHeld
	withTurn  = ") " + setRow + unchanged + " AND EXISTS (SELECT 1 FROM turn)"
	takenTurn = " RETURNING n.id"
)

// swapIntent is Intend in one statement; false: it did not take effect, because the row has changed or it is not its turn.
func (db *DB) swapIntent(ctx context.Context, held downwind.Delivery, d *downwind.Delivery, owner string, root bool, gap time.Duration) (bool, error) {
	now := db.clock.Now()
	args := append(rowValues(d, now), heldValues(&held, owner)...)
	args = append(args, held.Destination, micros(now))
	text, end := freeTurn, ""
	if gap > 0 {
		text, end, args = takeTurn, takenTurn, append(args, micros(now.Add(gap)))
	}
	if root {
		text += rootsAhead
	}
	return db.swapped(ctx, text+end+withTurn, args)
}

// swapped runs a statement that is a transaction of its own, and reports whether it took effect.
func (db *DB) swapped(ctx context.Context, text string, args []any) (bool, error) {
	r, err := db.writer.pool.ExecContext(ctx, text, args...)
	if err != nil {
		if clashed(err) {
			return false, nil
		}
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
