package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

// Numbered texts, one transaction each, never changed once released.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings our tables (goose) and River's up to date. On PostgreSQL one process at a time does so.
func (db *DB) migrate(ctx context.Context, driver riverdriver.Driver[*sql.Tx]) error {
	release, err := db.holdMigrations(ctx)
	if err != nil {
		return err
	}
	defer release()
	steps, err := db.migrations()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(map[dialect]goose.Dialect{
		dialectSQLite: goose.DialectSQLite3, dialectPostgres: goose.DialectPostgres,
	}[db.dialect], db.writer.pool, nil, goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: db.riverLog()})
	if err != nil {
		return fmt.Errorf("river migrations: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate river: %w", err)
	}
	return nil
}

// migrations are the embedded texts in the words of the dialect.
func (db *DB) migrations() ([]*goose.Migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]*goose.Migration, 0, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(migrationFiles, name)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", name, err)
		}
		run := func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, db.dialect.words(string(text)))
			return err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{RunTx: run}, nil))
	}
	return steps, nil
}

// holdMigrations makes the processes of one PostgreSQL schema migrate one after the other.
func (db *DB) holdMigrations(ctx context.Context) (func(), error) {
	if db.dialect != dialectPostgres {
		return func() {}, nil
	}
	conn, err := db.writer.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	const key = "hashtext('downwind migrations ' || current_schema())"
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock("+key+")"); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("wait for other migrations: %w", err)
	}
	return func() {
		// Without a cancelled context: the lock must go even then. Closing the connection would free it too.
		if _, err := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+key+")"); err != nil {
			db.log.Warn("migration lock", "error", err)
		}
		_ = conn.Close()
	}, nil
}
