// Package store keeps all that Downwind knows, in SQLite by default and in PostgreSQL for more than one machine.
//
// There is one store, one set of hand-written texts and one suite of tests for both databases; what differs stands in
// dialect.go. Every public method opens its own transaction; the unexported functions below it take one.
//
// The delivery table is the truth about what should be visible in a chat and what is. River carries wake-up calls for
// it in the same database and the same transactions, and nothing else: a wake-up may be lost, doubled or reordered and
// nothing visible changes. See docs/delivery.md.
//
// SQLite has one writer connection (which River shares) and four read-only ones, WAL, synchronous=FULL and immediate
// transactions; a lock file keeps a second process out. PostgreSQL serves any number of processes.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/klauspost/compress/zstd"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"downwind"
)

// Options say where the store is and what it works with.
type Options struct {
	// URL is "sqlite:/path/x.db" or "postgres://user@host/db?search_path=schema".
	URL string
	// Clock tells the time; nil: the wall.
	Clock downwind.Clock
	// Logger gets warnings; nil: silence.
	Logger *slog.Logger
	// Sealer encrypts the tokens of installs; nil: installs cannot be stored.
	Sealer Sealer
	// Leaves appends versions to the transparency log inside the transaction that stores them; nil: no log.
	Leaves LeafAppender
	// Reasons says why an incident does not touch a team, for shared lines of the ledger; nil: a line that says no more than that.
	Reasons Reasoner
	// MaxConns bounds PostgreSQL's pool; 0: 16.
	MaxConns int
	// ReadOnly opens a SQLite file beside the process that owns it: no lock, no migrations, reads only.
	ReadOnly bool
	// Beside opens a SQLite file for a short command, also while the daemon owns it: it neither waits for the lock file
	// nor takes leases and claims away.
	Beside bool
}

// A Sealer encrypts and decrypts small secrets.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Unseal(sealed []byte) ([]byte, error)
}

// A LeafAppender gives each version its index in the transparency log, in order, within the transaction that stores it.
// The versions have their ID and Number.
type LeafAppender func(ctx context.Context, tx *sql.Tx, versions []downwind.Version) ([]int64, error)

// DB is the store. It is safe for concurrent use.
type DB struct {
	dialect dialect
	path    string
	clock   downwind.Clock
	log     *slog.Logger
	sealer  Sealer
	leaves  LeafAppender
	reasons Reasoner

	writer, readers *statements
	listen          *pgxpool.Pool
	river           *river.Client[*sql.Tx]
	zip             *zstd.Encoder
	unzip           *zstd.Decoder
	stacks          stackCache
	states          stateCache
	lockFile        *os.File

	// restored is the instant up to which the lost part of a restored store may reach, zero for a store that was never
	// restored; aliveUntil is the last sign of life in it.
	restored, aliveUntil time.Time

	closing sync.Once
}

// Open opens the store, takes SQLite's lock file, brings the tables up to date and notices a restored copy.
func Open(ctx context.Context, opts Options) (*DB, error) {
	db := &DB{clock: opts.Clock, log: opts.Logger, sealer: opts.Sealer, leaves: opts.Leaves, reasons: opts.Reasons}
	if db.clock == nil {
		db.clock = downwind.Wall{}
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if db.reasons == nil {
		db.reasons = ruledOut
	}
	var err error
	if db.zip, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2)); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if db.unzip, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(unpackLimit)); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var driver riverdriver.Driver[*sql.Tx]
	switch scheme, rest, _ := strings.Cut(opts.URL, ":"); scheme {
	case "sqlite":
		driver, err = db.openSQLite(rest, opts)
	case "postgres", "postgresql":
		driver, err = db.openPostgres(ctx, opts)
	default:
		err = fmt.Errorf("database address begins with %q: use sqlite:/path/file.db or postgres://user@host/database: %w", scheme, downwind.ErrInvalid)
	}
	if err == nil && !opts.ReadOnly {
		err = db.prepare(ctx, driver, opts.Beside)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), db.Close())
	}
	return db, nil
}

// prepare migrates, makes River's inserting client and sets leases right; beside an owner it leaves those alone.
func (db *DB) prepare(ctx context.Context, driver riverdriver.Driver[*sql.Tx], beside bool) error {
	if err := db.migrate(ctx, driver); err != nil {
		return err
	}
	var err error
	if db.river, err = river.NewClient(driver, db.riverConfig()); err != nil {
		return fmt.Errorf("river: %w", err)
	}
	if beside {
		return nil
	}
	if err := db.checkEpoch(ctx); err != nil {
		return err
	}
	if db.dialect == dialectSQLite {
		// The lock file is ours: whoever held a lease or a claim is gone.
		return db.freeAll(ctx)
	}
	return nil
}

const sqlitePragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate"

func (db *DB) openSQLite(path string, opts Options) (riverdriver.Driver[*sql.Tx], error) {
	path = strings.TrimPrefix(path, "//")
	if path == "" || strings.Contains(path, "?") || path == ":memory:" {
		return nil, fmt.Errorf("sqlite needs the path of a file, as in sqlite:/var/lib/downwind/downwind.db: %w", downwind.ErrInvalid)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db.dialect, db.path = dialectSQLite, path
	file := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()
	readDSN := file + "?mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
	if !opts.ReadOnly {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of the database: %w", err)
		}
		if !opts.Beside {
			if db.lockFile, err = takeLock(path + ".lock"); err != nil {
				return nil, err
			}
		}
		// A file made with our mode keeps others out before the driver makes its own.
		made, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make the database file: %w", err)
		}
		if err := made.Close(); err != nil {
			return nil, err
		}
		w, err := sql.Open("sqlite", file+"?"+sqlitePragmas)
		if err != nil {
			return nil, err
		}
		w.SetMaxOpenConns(1)
		w.SetConnMaxLifetime(0)
		db.writer = &statements{pool: w}
	}
	r, err := sql.Open("sqlite", readDSN)
	if err != nil {
		return nil, err
	}
	r.SetMaxOpenConns(4)
	r.SetMaxIdleConns(4)
	db.readers = &statements{pool: r, now: true}
	if opts.ReadOnly {
		return nil, r.Ping()
	}
	return riversqlite.New(db.writer.pool), nil
}

func (db *DB) openPostgres(ctx context.Context, opts Options) (riverdriver.Driver[*sql.Tx], error) {
	db.dialect = dialectPostgres
	conf, err := pgx.ParseConfig(opts.URL)
	if err != nil {
		// The parser's error may hold the password.
		return nil, fmt.Errorf("database address cannot be read: use postgres://user@host/database: %w", downwind.ErrInvalid)
	}
	conf.RuntimeParams["application_name"] = "downwind"
	pool := stdlib.OpenDB(*conf)
	most := opts.MaxConns
	if most <= 0 {
		most = 16
	}
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db.writer = &statements{pool: pool, off: true}
	db.readers = db.writer
	if err := pool.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("PostgreSQL at %s cannot be reached: %w", conf.Host, err)
	}
	listen, err := pgxpool.ParseConfig(opts.URL)
	if err != nil {
		return nil, fmt.Errorf("listener: %w", downwind.ErrInvalid)
	}
	listen.MinConns, listen.MaxConns = 0, 1
	if db.listen, err = pgxpool.NewWithConfig(ctx, listen); err != nil {
		return nil, fmt.Errorf("listener: %w", err)
	}
	return riverdatabasesql.NewWithPgxListener(pool, db.listen), nil
}

func (db *DB) read() querier { return reader{db.readers} }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.readers.pool.PingContext(ctx) }

// Dialect is "sqlite" or "postgres".
func (db *DB) Dialect() string { return string(db.dialect) }

// Close closes the store. Stop Work first.
func (db *DB) Close() error {
	var errs []error
	db.closing.Do(func() {
		if db.listen != nil {
			db.listen.Close()
		}
		for _, s := range []*statements{db.readers, db.writer} {
			if s == nil {
				continue
			}
			s.set.close()
			errs = append(errs, s.pool.Close())
		}
		if db.zip != nil {
			errs = append(errs, db.zip.Close())
		}
		if db.unzip != nil {
			db.unzip.Close()
		}
		if db.lockFile != nil {
			errs = append(errs, db.lockFile.Close())
		}
	})
	return errors.Join(errs...)
}
