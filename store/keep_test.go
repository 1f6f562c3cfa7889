package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/store"
	"downwind/store/storetest"
)

func TestBackup(t *testing.T) {
	db := storetest.Open(t)
	channel(t, db, "C1")
	file := filepath.Join(t.TempDir(), "copy.db")
	must(t, db.Backup(t.Context(), file))
	if err := db.Backup(t.Context(), file); !errors.Is(err, downwind.ErrConflict) {
		t.Errorf("over a file that is there: got %v", err)
	}
	info, err := os.Stat(file)
	must(t, err)
	want(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
	copied, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + file})
	must(t, err)
	defer copied.Close()
	_, err = copied.Destination(t.Context(), "slack:T1:C1")
	must(t, err)
	want(t, "the copy knows that it is one", copied.Restored().IsZero(), false)
	want(t, "the first does not", db.Restored().IsZero(), true)
}

func TestBackupOfPostgresNamesTheTool(t *testing.T) {
	err := storetest.OpenPostgres(t).Backup(t.Context(), "copy.db")
	if err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("got %v, want a hint at pg_dump", err)
	}
}

// TestPostgresRestored puts the table of deliveries back from a copy, as pg_restore does.
func TestPostgresRestored(t *testing.T) {
	address := storetest.PostgresURL(t)
	db, err := store.Open(t.Context(), store.Options{URL: address})
	must(t, err)
	must(t, db.Close())
	db, err = store.Open(t.Context(), store.Options{URL: address})
	must(t, err)
	want(t, "a plain restart", db.Restored().IsZero(), true)
	must(t, db.Close())

	raw, err := sql.Open("pgx", address)
	must(t, err)
	defer raw.Close()
	for _, text := range []string{
		"CREATE TABLE restored (LIKE delivery INCLUDING ALL)", "INSERT INTO restored SELECT * FROM delivery",
		"DROP TABLE delivery", "ALTER TABLE restored RENAME TO delivery",
	} {
		_, err := raw.ExecContext(t.Context(), text)
		must(t, err)
	}
	db, err = store.Open(t.Context(), store.Options{URL: address})
	must(t, err)
	defer db.Close()
	want(t, "another table", db.Restored().IsZero(), false)
}

func TestPrune(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		d := channel(t, db, "C1")
		open, over := incident("open", downwind.Investigating), incident("over", downwind.Resolved)
		plan := downwind.Plan{
			Provider: "lumen", At: c.Now(), Bodies: map[string][]byte{"b1": []byte("one"), "b2": []byte("two")},
			Raises: []downwind.Raise{raiseFor(d, open, downwind.ChangeNew)},
			Holds:  []downwind.Hold{{Team: "x", Reason: downwind.HeldRegion}},
		}
		for body, in := range map[string]downwind.Incident{"b1": open, "b2": over} {
			v := version(in, c.Now())
			v.Fetch.Body = body
			plan.Versions = append(plan.Versions, v)
		}
		must(t, db.Apply(ctx, plan))
		_, err := db.PutTemp(ctx, "k", "k", nil, c.Now().Add(time.Minute))
		must(t, err)
		keep := store.Retention{Bodies: 24 * time.Hour, Deliveries: 24 * time.Hour, Holds: 24 * time.Hour}
		n, err := db.Prune(ctx, keep)
		must(t, err)
		want(t, "young things stay", n, int64(0))
		c.advance(48 * time.Hour)
		n, err = db.Prune(ctx, keep)
		must(t, err)
		want(t, "a body, a hold and a temporary value go", n, int64(3))
		_, err = db.Body(ctx, "b1")
		must(t, err) // an open incident needs it
		_, err = db.Delivery(ctx, d.ID+"|lumen/open")
		must(t, err) // not finished
		versions, err := db.Versions(ctx, "lumen", "over")
		must(t, err)
		want(t, "versions stay", len(versions), 1)
	})
}

// TestLeaves lets the log refuse, and expects nothing to be stored then.
func TestLeaves(t *testing.T) {
	next, refuse := int64(7), true
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		next, refuse = 7, true
		plan := downwind.Plan{Provider: "lumen", At: start, Versions: []downwind.Version{version(incident("x", downwind.Investigating), start)}}
		if err := db.Apply(t.Context(), plan); err == nil {
			t.Fatal("applied without the log")
		}
		refuse = false
		must(t, db.Apply(t.Context(), plan))
		must(t, db.Apply(t.Context(), plan))
		v, err := db.VersionByLeaf(t.Context(), 7)
		must(t, err)
		want(t, "one leaf", []any{v.Incident, next}, []any{"x", int64(8)})
	}, func(o *store.Options) {
		o.Leaves = func(_ context.Context, _ *sql.Tx, versions []downwind.Version) ([]int64, error) {
			if refuse {
				return nil, errors.New("the log is full")
			}
			var leaves []int64
			for range versions {
				leaves = append(leaves, next)
				next++
			}
			return leaves, nil
		}
	})
}

// BenchmarkVersions archives versions one plan each, as quiet days do:
//
//	go test -run '^$' -bench Versions ./store
func BenchmarkVersions(b *testing.B) {
	for name, open := range map[string]func(testing.TB, ...func(*store.Options)) *store.DB{"sqlite": storetest.Open, "postgres": storetest.OpenPostgres} {
		b.Run(name, func(b *testing.B) {
			db := open(b)
			in := incident("x", downwind.Investigating)
			for n := range b.N {
				at := start.Add(time.Duration(n) * time.Second)
				v := version(in, at)
				v.Hash = fmt.Sprint(n)
				must(b, db.Apply(context.Background(), downwind.Plan{Provider: "lumen", At: at, Versions: []downwind.Version{v}}))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "versions/s")
		})
	}
}
