// Package storetest opens throw-away stores for tests: SQLite always, PostgreSQL too when DOWNWIND_TEST_POSTGRES holds the
// address of a server (".ci/run" starts one).
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"downwind/store"
)

// PostgresEnv names the environment variable with the address of a test server.
const PostgresEnv = "DOWNWIND_TEST_POSTGRES"

// Open opens a SQLite store in a temporary directory; change may adapt the options before.
func Open(t testing.TB, change ...func(*store.Options)) *store.DB {
	t.Helper()
	return open(t, "sqlite:"+filepath.Join(t.TempDir(), "downwind.db"), change)
}

// OpenPostgres opens a store in a schema of its own, or skips the test where no server is given.
func OpenPostgres(t testing.TB, change ...func(*store.Options)) *store.DB {
	t.Helper()
	return open(t, PostgresURL(t), change)
}

// Each runs a test on every database there is, as subtests "sqlite" and "postgres".
func Each(t *testing.T, test func(t *testing.T, db *store.DB), change ...func(*store.Options)) {
	t.Run("sqlite", func(t *testing.T) { test(t, Open(t, change...)) })
	t.Run("postgres", func(t *testing.T) { test(t, OpenPostgres(t, change...)) })
}

func open(t testing.TB, address string, change []func(*store.Options)) *store.DB {
	t.Helper()
	opts := store.Options{URL: address}
	for _, c := range change {
		c(&opts)
	}
	db, err := store.Open(context.Background(), opts)
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return db
}

// PostgresURL makes a schema in the test server, removes it with the test, and returns the address of a store in it.
func PostgresURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(PostgresEnv)
	if server == "" {
		t.Skip(PostgresEnv + " is not set: no PostgreSQL to test on")
	}
	name := make([]byte, 8)
	_, _ = rand.Read(name) // never fails (crypto/rand)
	schema := "t" + hex.EncodeToString(name)
	admin, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatalf("test server: %v", err)
	}
	if _, err := admin.ExecContext(context.Background(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("make schema: %v", err)
	}
	t.Cleanup(func() {
		if _, err := admin.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Errorf("drop schema: %v", err)
		}
		_ = admin.Close()
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("address of the test server: %v", err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}
