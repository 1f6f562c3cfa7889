package deliver_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"downwind/notify"
	"downwind/store"
)

// reopen opens a SQLite store at a path with the clock of the bench.
func reopen(t *testing.T, path string, c *clock) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + path, Clock: c})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func copyFile(t *testing.T, from, into string) {
	t.Helper()
	b, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(into, b, 0o600))
}

// unmark makes a backup look like a plain copy of the file.
func unmark(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), "DELETE FROM meta WHERE name = 'backup'")
	must(t, err)
	must(t, db.Close())
}

// TestRestoredStore forgets half of what was sent by putting an older copy in place, in the three ways in which that
// happens, and sends nothing twice.
func TestRestoredStore(t *testing.T) {
	for _, c := range []struct {
		name string
		// save takes the copy of a store in use, restore puts it in place of the closed store.
		save, restore func(t *testing.T, db *store.DB, path, copied string)
	}{
		{
			"by backup and restore",
			func(t *testing.T, db *store.DB, _, copied string) { must(t, db.Backup(t.Context(), copied)) },
			func(t *testing.T, _ *store.DB, path, copied string) {
				must(t, store.Restore(t.Context(), copied, path))
			},
		},
		{
			"an older file put back",
			func(t *testing.T, db *store.DB, _, copied string) { must(t, db.Backup(t.Context(), copied)) },
			func(t *testing.T, _ *store.DB, path, copied string) {
				// A plain copy of the file, without the mark that Backup leaves.
				unmark(t, copied)
				for _, tail := range []string{"-wal", "-shm"} {
					_ = os.Remove(path + tail)
				}
				copyFile(t, copied, path)
			},
		},
		{
			"the files moved to another machine",
			func(t *testing.T, db *store.DB, _, copied string) { must(t, db.Backup(t.Context(), copied)) },
			func(t *testing.T, _ *store.DB, path, copied string) {
				unmark(t, copied)
				must(t, os.Remove(path+".epoch"))
				for _, tail := range []string{"-wal", "-shm"} {
					_ = os.Remove(path + tail)
				}
				copyFile(t, copied, path)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path, copied := filepath.Join(dir, "x.db"), filepath.Join(dir, "copy.db")
			ck := &clock{now: start}
			b := newBench(t, reopen(t, path, ck), ck)
			d := b.channel("C1")
			b.raise(d, "old")
			b.drain()
			c.save(t, b.db, path, copied)
			// What the copy does not know: an update, and a whole incident.
			ck.set(ck.Now().Add(time.Minute))
			b.raise(d, "old")
			b.raise(d, "young")
			b.settle()
			must(t, b.db.Beat(t.Context()))
			want(t, "sent", b.platform.Len(), 3)
			must(t, b.db.Close())
			c.restore(t, b.db, path, copied)

			ck.set(ck.Now().Add(time.Hour))
			b.db = reopen(t, path, ck)
			if b.db.Restored().IsZero() {
				t.Fatal("the older copy was not noticed")
			}
			b.restart()
			// The provider is read again and the same news come out.
			b.newest = map[string]int{d.ID + "|lumen/old": 1}
			b.raise(d, "old")
			b.raise(d, "young")
			b.settle()
			b.clean()
			want(t, "nothing was sent again", b.platform.Len(), 3)
			b.raise(d, "young")
			b.settle()
			b.clean()
			want(t, "news still leave", b.platform.Len(), 4)

			// An ordinary restart is none.
			must(t, b.db.Close())
			again := reopen(t, path, ck)
			want(t, "the restoration is remembered", again.Restored().IsZero(), false)
		})
	}
}

// TestPlainRestart looks for nothing: the store is its own.
func TestPlainRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	ck := &clock{now: start}
	b := newBench(t, reopen(t, path, ck), ck)
	b.raise(b.channel("C1"), "x")
	must(t, b.db.Close())
	b.db = reopen(t, path, ck)
	b.restart()
	want(t, "restored", b.db.Restored().IsZero(), true)
	b.settle()
	b.clean()
	want(t, "look-ups", b.platform.Calls()["find"], 0)
}

// TestRestoredBlind holds what may be out where nobody can look.
func TestRestoredBlind(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "x.db"), filepath.Join(dir, "copy.db")
	ck := &clock{now: start}
	b := newBench(t, reopen(t, path, ck), ck)
	b.notifier.Can = notify.Limits{Edits: true, Threads: true, Timeout: time.Second}
	d := b.channel("C1")
	must(t, b.db.Backup(t.Context(), copied))
	id := b.raise(d, "x")
	b.settle()
	must(t, b.db.Close())
	must(t, store.Restore(t.Context(), copied, path))
	b.db = reopen(t, path, ck)
	b.restart()
	b.newest = map[string]int{}
	b.raise(d, "x")
	b.settle()
	want(t, "nothing twice", b.platform.Len(), 1)
	want(t, "held with a reason", string(b.delivery(id).State)+": "+b.delivery(id).Reason, "held: restored from a backup and this platform lets nobody look")
	want(t, "somebody is told", len(b.notes), 1)
}
