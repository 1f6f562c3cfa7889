package proof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Querier is a database or a transaction of it. The texts below are the same for SQLite and PostgreSQL.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// Append puts leaves at the end of the log within the caller's transaction and returns the index of the first. The
// caller makes appending transactions wait for each other. Tables: log_leaf (idx, data), log_hash (idx, hash).
func Append(ctx context.Context, tx Querier, leaves [][]byte) (first int64, err error) {
	first, err = Size(ctx, tx)
	if err != nil || len(leaves) == 0 {
		return first, err
	}
	edge := &edgeReader{ctx: ctx, db: tx, known: map[int64]tlog.Hash{}}
	var leafRows, hashRows []any
	for i, leaf := range leaves {
		n := first + int64(i)
		hashes, err := tlog.StoredHashes(n, leaf, edge)
		if err != nil {
			return 0, fmt.Errorf("append leaf %d: %w", n, err)
		}
		at := tlog.StoredHashIndex(0, n)
		for k, h := range hashes {
			edge.known[at+int64(k)] = h
			hashRows = append(hashRows, at+int64(k), append([]byte(nil), h[:]...))
		}
		leafRows = append(leafRows, n, leaf)
	}
	if err := insertPairs(ctx, tx, "INSERT INTO log_leaf (idx, data) VALUES ", leafRows); err != nil {
		return 0, err
	}
	return first, insertPairs(ctx, tx, "INSERT INTO log_hash (idx, hash) VALUES ", hashRows)
}

// insertPairs inserts rows of two columns, so many at a time that round trips to PostgreSQL are few, and no more: SQLite
// looks up numbered parameters one by one, which costs the square of their number.
func insertPairs(ctx context.Context, tx Querier, text string, args []any) error {
	const most = 2 * 64
	if len(args) >= 2*most {
		stmt, err := tx.PrepareContext(ctx, text+pairs(most))
		if err != nil {
			return fmt.Errorf("append to the log: %w", err)
		}
		defer stmt.Close()
		for ; len(args) >= most; args = args[most:] {
			if _, err := stmt.ExecContext(ctx, args[:most]...); err != nil {
				return fmt.Errorf("append to the log: %w", err)
			}
		}
	}
	for len(args) > 0 {
		n := min(len(args), most)
		if _, err := tx.ExecContext(ctx, text+pairs(n), args[:n]...); err != nil {
			return fmt.Errorf("append to the log: %w", err)
		}
		args = args[n:]
	}
	return nil
}

// pairs is "($1,$2),($3,$4),…" for n values.
func pairs(n int) string {
	var b strings.Builder
	for i := 0; i < n; i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "($%d,$%d)", i+1, i+2)
	}
	return b.String()
}

// Size is the number of leaves.
func Size(ctx context.Context, db Querier) (int64, error) {
	var n int64
	if err := db.QueryRowContext(ctx, "SELECT COALESCE(MAX(idx)+1, 0) FROM log_leaf").Scan(&n); err != nil {
		return 0, fmt.Errorf("size of the log: %w", err)
	}
	return n, nil
}

// LeafAt returns the bytes of one leaf.
func LeafAt(ctx context.Context, db Querier, index int64) ([]byte, error) {
	var b []byte
	if err := db.QueryRowContext(ctx, "SELECT data FROM log_leaf WHERE idx = $1", index).Scan(&b); err != nil {
		return nil, fmt.Errorf("leaf %d: %w", index, err)
	}
	return b, nil
}

// Leaves calls f for each leaf from first up to size, in order.
func Leaves(ctx context.Context, db Querier, first, size int64, f func(index int64, leaf []byte) error) error {
	rows, err := db.QueryContext(ctx, "SELECT idx, data FROM log_leaf WHERE idx >= $1 AND idx < $2 ORDER BY idx", first, size)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var idx int64
		var data []byte
		if err := rows.Scan(&idx, &data); err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if err := f(idx, data); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Root is the root hash of the tree of the first size leaves.
func Root(ctx context.Context, db Querier, size int64) (tlog.Hash, error) {
	h, err := tlog.TreeHash(size, &edgeReader{ctx: ctx, db: db})
	if err != nil {
		return tlog.Hash{}, fmt.Errorf("root of size %d: %w", size, err)
	}
	return h, nil
}

// Inclusion proves that leaf index is in the tree of the first size leaves; the leaf's sibling comes first.
func Inclusion(ctx context.Context, db Querier, size, index int64) (tlog.RecordProof, error) {
	p, err := tlog.ProveRecord(size, index, &edgeReader{ctx: ctx, db: db})
	if err != nil {
		return nil, fmt.Errorf("inclusion of leaf %d in size %d: %w", index, size, err)
	}
	return p, nil
}

// Consistency proves that the tree of the first old leaves is a beginning of that of the first size leaves.
func Consistency(ctx context.Context, db Querier, size, old int64) (tlog.TreeProof, error) {
	p, err := tlog.ProveTree(size, old, &edgeReader{ctx: ctx, db: db})
	if err != nil {
		return nil, fmt.Errorf("consistency of size %d with size %d: %w", old, size, err)
	}
	return p, nil
}

// edgeReader reads stored hashes: those just made first, then the table.
type edgeReader struct {
	ctx   context.Context
	db    Querier
	known map[int64]tlog.Hash
}

// ReadHashes implements tlog.HashReader.
func (r *edgeReader) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	var missing []int64
	where := map[int64]int{}
	for i, idx := range indexes {
		if h, ok := r.known[idx]; ok {
			out[i] = h
			continue
		}
		missing = append(missing, idx)
		where[idx] = i
	}
	const most = 500
	for len(missing) > 0 {
		n := min(len(missing), most)
		if err := r.read(missing[:n], where, out); err != nil {
			return nil, err
		}
		missing = missing[n:]
	}
	return out, nil
}

func (r *edgeReader) read(indexes []int64, where map[int64]int, out []tlog.Hash) error {
	var b strings.Builder
	b.WriteString("SELECT idx, hash FROM log_hash WHERE idx IN (")
	args := make([]any, len(indexes))
	for i, idx := range indexes {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "$%d", i+1)
		args[i] = idx
	}
	b.WriteByte(')')
	rows, err := r.db.QueryContext(r.ctx, b.String(), args...)
	if err != nil {
		return fmt.Errorf("read tree hashes: %w", err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var idx int64
		var h []byte
		if err := rows.Scan(&idx, &h); err != nil {
			return fmt.Errorf("read tree hashes: %w", err)
		}
		if len(h) != tlog.HashSize {
			return fmt.Errorf("tree hash %d has %d bytes", idx, len(h))
		}
		copy(out[where[idx]][:], h)
		found++
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read tree hashes: %w", err)
	}
	if found != len(indexes) {
		return errors.New("a hash of the tree is missing in the database")
	}
	return nil
}
