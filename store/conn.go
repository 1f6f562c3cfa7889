package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// querier runs texts, inside a transaction or on the read pool.
type querier interface {
	query(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	row(ctx context.Context, text string, args ...any) *sql.Row
}

// statements keeps prepared statements of one pool by their text. Texts met inside a transaction are prepared before
// the next one begins, because a pool with one connection cannot prepare while a transaction holds it.
type statements struct {
	pool *sql.DB
	// off leaves preparing to the driver (pgx keeps its own per connection).
	off bool
	// now prepares at the first use: for pools with connections to spare.
	now bool
	set statementSet
}

func (s *statements) get(ctx context.Context, text string) *sql.Stmt {
	if s.off {
		return nil
	}
	if stmt := s.set.get(text); stmt != nil || !s.now {
		return stmt
	}
	s.set.want(text)
	s.prepare(ctx)
	return s.set.get(text)
}

// prepare prepares what was asked for and is not there; a text that cannot be prepared runs unprepared.
func (s *statements) prepare(ctx context.Context) {
	if s.off {
		return
	}
	for _, text := range s.set.wanted() {
		if stmt, err := s.pool.PrepareContext(ctx, text); err == nil {
			s.set.put(text, stmt)
		}
	}
}

// tx is a transaction that uses prepared statements.
type tx struct {
	*sql.Tx
	stmts *statements
	db    *DB
}

func (t tx) stmt(ctx context.Context, text string) *sql.Stmt {
	if t.stmts.off {
		return nil
	}
	stmt := t.stmts.set.get(text)
	if stmt == nil {
		t.stmts.set.want(text)
		return nil
	}
	return t.StmtContext(ctx, stmt)
}

func (t tx) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if s := t.stmt(ctx, text); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return t.ExecContext(ctx, text, args...)
}

func (t tx) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := t.stmt(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return t.QueryContext(ctx, text, args...)
}

func (t tx) row(ctx context.Context, text string, args ...any) *sql.Row {
	if s := t.stmt(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return t.QueryRowContext(ctx, text, args...)
}

// reader is the read pool.
type reader struct{ stmts *statements }

func (r reader) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := r.stmts.get(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return r.stmts.pool.QueryContext(ctx, text, args...)
}

func (r reader) row(ctx context.Context, text string, args ...any) *sql.Row {
	if s := r.stmts.get(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return r.stmts.pool.QueryRowContext(ctx, text, args...)
}

// write runs one transaction and tries again when two writers met. The function may run more than once.
func (db *DB) write(ctx context.Context, what string, do func(tx) error) error {
	const tries = 5
	var err error
	for n := range tries {
		if err = db.writeOnce(ctx, do); err == nil || !clashed(err) || ctx.Err() != nil {
			break
		}
		db.log.Debug("transaction met another", "what", what, "try", n+1, "error", err)
	}
	if err != nil {
		return fmt.Errorf("store: %s: %w", what, err)
	}
	return nil
}

func (db *DB) writeOnce(ctx context.Context, do func(tx) error) error {
	db.writer.prepare(ctx)
	t, err := db.writer.pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := do(tx{t, db.writer, db}); err != nil {
		if back := t.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			return errors.Join(err, back)
		}
		return err
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// each scans all rows of a query.
func each(ctx context.Context, q querier, scan func(*sql.Rows) error, text string, args ...any) error {
	rows, err := q.query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// missing turns "no rows" into ErrNotFound with a name.
func missing(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, downwind.ErrNotFound)
	}
	return err
}

// changed reports ErrNotFound when a statement met no row.
func changed(r sql.Result, what string) error {
	n, err := r.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s: %w", what, downwind.ErrNotFound)
	}
	return nil
}

// micros is a time as stored.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// instant is a stored time.
func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// at scans a stored time.
type at struct{ t *time.Time }

// Scan implements sql.Scanner.
func (a at) Scan(v any) error {
	us, ok := v.(int64)
	if !ok {
		return fmt.Errorf("time is stored as %T", v)
	}
	*a.t = instant(us)
	return nil
}

// seconds scans a stored length of time.
type seconds struct{ d *time.Duration }

// Scan implements sql.Scanner.
func (s seconds) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("length of time is stored as %T", v)
	}
	*s.d = time.Duration(n) * time.Second
	return nil
}

// text is a value as JSON in a text column.
func text(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// fromJSON scans a text column into a value; empty and null leave it alone.
type fromJSON struct{ v any }

// Scan implements sql.Scanner.
func (f fromJSON) Scan(v any) error {
	var b []byte
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		b = []byte(v)
	case []byte:
		b = v
	default:
		return fmt.Errorf("JSON is stored as %T", v)
	}
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, f.v)
}

// packed scans a packed JSON column into a value; empty and null leave it alone.
type packed struct {
	db *DB
	v  any
}

// Scan implements sql.Scanner.
func (p packed) Scan(v any) error {
	raw, err := p.db.unpackColumn(v)
	if err != nil || len(raw) == 0 {
		return err
	}
	return json.Unmarshal(raw, p.v)
}

// The first byte of a packed column tells how the rest is kept.
const (
	packRaw  = 0
	packZstd = 1
	// packFrom is the size from which compression pays.
	packFrom = 512
	// unpackLimit bounds what one column may grow to: bodies are capped at 20 MB by the fetcher.
	unpackLimit = 64 << 20
)

func (db *DB) pack(raw []byte) []byte {
	if len(raw) < packFrom {
		return append([]byte{packRaw}, raw...)
	}
	return db.zip.EncodeAll(raw, []byte{packZstd})
}

func (db *DB) packJSON(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return db.pack(raw), nil
}

// unpackColumn unpacks what a packed JSON column holds; nil where it is empty or null.
func (db *DB) unpackColumn(v any) ([]byte, error) {
	b, ok := v.([]byte)
	if !ok && v != nil {
		return nil, fmt.Errorf("packed JSON is stored as %T", v)
	}
	return db.unpack(b)
}

func (db *DB) unpack(b []byte) ([]byte, error) {
	switch {
	case len(b) == 0:
		return nil, nil
	case b[0] == packRaw:
		return b[1:], nil
	case b[0] == packZstd:
		return db.unzip.DecodeAll(b[1:], nil)
	}
	return nil, fmt.Errorf("packed column begins with %d", b[0])
}

// insert is "INSERT INTO … VALUES (…)" for many rows.
type insert struct {
	head, tail string
	width      int
}

// maxValues is below PostgreSQL's 65,535 values of a statement.
const maxValues = 16000

// run inserts the rows. PostgreSQL takes many in one statement, which saves round trips; SQLite takes one after the other
// by one prepared statement, because it looks up numbered parameters one by one and many of them cost their square.
func (i insert) run(ctx context.Context, t tx, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if t.db.dialect == dialectSQLite {
		stmt, err := t.PrepareContext(ctx, i.head+values(1, i.width)+i.tail)
		if err != nil {
			return err
		}
		defer stmt.Close()
		for _, r := range rows {
			if _, err := stmt.ExecContext(ctx, r...); err != nil {
				return err
			}
		}
		return nil
	}
	size := min(maxValues/i.width, 256)
	for len(rows) > 0 {
		n := min(size, len(rows))
		args := make([]any, 0, n*i.width)
		for _, r := range rows[:n] {
			args = append(args, r...)
		}
		if _, err := t.ExecContext(ctx, i.head+values(n, i.width)+i.tail, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// values is "($1,$2),($3,$4)" for n rows of the width.
func values(n, width int) string {
	var b strings.Builder
	for r := range n {
		if r > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for c := range width {
			if c > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(r*width + c + 1))
		}
		b.WriteByte(')')
	}
	return b.String()
}

// in is "($k,$k+1,…)" for n values that begin at position k.
func in(k, n int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(k + i))
	}
	b.WriteByte(')')
	return b.String()
}

// chunks calls do with at most size keys at a time, as arguments.
func chunks(keys []string, size int, do func(args []any) error) error {
	for len(keys) > 0 {
		n := min(size, len(keys))
		args := make([]any, n)
		for i, k := range keys[:n] {
			args[i] = k
		}
		if err := do(args); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// where gathers conditions of a listing.
type where struct {
	parts []string
	args  []any
}

// add appends a condition; each ? becomes the next position.
func (w *where) add(cond string, args ...any) {
	for _, a := range args {
		w.args = append(w.args, a)
		cond = strings.Replace(cond, "?", "$"+strconv.Itoa(len(w.args)), 1)
	}
	w.parts = append(w.parts, cond)
}

func (w *where) any(column string, list []string) {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	w.parts = append(w.parts, column+" IN "+in(len(w.args)+1, len(list)))
	w.args = append(w.args, args...)
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

// limit bounds a listing.
func limit(n, most int) string {
	if n <= 0 || n > most {
		n = most
	}
	return " LIMIT " + strconv.Itoa(n)
}
