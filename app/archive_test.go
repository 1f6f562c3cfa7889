package app_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/app"
	"downwind/app/demo"
	"downwind/config"
	"downwind/proof"
)

func opener(data []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// TestExportAndImport moves an archive from one install to another: the export verifies against a checkpoint kept from
// before, the other install makes proofs that the first one's key verifies, goes on under its own key, and exports both.
func TestExportAndImport(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		a := newArchiver(t, url, nil)
		dir := t.TempDir()
		a.until(hour(14, 35), true)
		early, err := a.app.Store().NewestCheckpoint(ctx)
		if err != nil {
			t.Fatal(err)
		}
		a.until(hour(15, 50), false)
		a.until(hour(16, 10), true)
		list, err := a.app.Store().Versions(ctx, demo.Slug, "nr7k4euapi503")
		if err != nil || len(list) < 2 {
			t.Fatalf("%d versions, %v", len(list), err)
		}
		last := list[len(list)-1]
		before, err := a.app.Bundle(ctx, last.ID, true)
		if err != nil {
			t.Fatal(err)
		}
		b, err := proof.DecodeBundle(before)
		if err != nil {
			t.Fatal(err)
		}
		trusted := proof.Policy{Key: b.Key, From: early.Signed}
		var out bytes.Buffer
		if _, err := a.app.Export(ctx, &out); err != nil {
			t.Fatal(err)
		}
		if r := proof.VerifyArchive(bytes.NewReader(out.Bytes()), trusted); r.Verdict != proof.Valid {
			t.Fatalf("export: %v: %+v", r.Verdict, r.Findings)
		}

		cfg := config.Default()
		cfg.Server.BaseURL = "https://other.example"
		cfg.Store.URL = "sqlite:" + filepath.Join(dir, "other.db")
		opts := app.Options{Config: cfg, DataDir: dir, Logger: slog.New(slog.DiscardHandler)}
		bent := bytes.Replace(out.Bytes(), []byte("EU West"), []byte("EU East"), 1)
		if _, err := app.ImportArchive(ctx, opts, trusted, opener(bent)); !errors.Is(err, downwind.ErrInvalid) {
			t.Fatalf("an altered archive was taken in: %v", err)
		}
		done, err := app.ImportArchive(ctx, opts, trusted, opener(out.Bytes()))
		if err != nil || done.Entries == 0 || done.Versions == done.Entries || done.Known != 0 {
			t.Fatalf("import: %+v, %v", done, err)
		}
		again, err := app.ImportArchive(ctx, opts, trusted, opener(out.Bytes()))
		if err != nil || again.Entries != 0 || again.Known != done.Entries {
			t.Fatalf("import twice: %+v, %v", again, err)
		}

		o := newArchiver(t, cfg.Store.URL, func(c *config.Config) { c.Server.BaseURL = cfg.Server.BaseURL })
		moved, err := o.app.Store().Versions(ctx, demo.Slug, "nr7k4euapi503")
		if err != nil || len(moved) != len(list) || moved[len(moved)-1].Leaf != last.Leaf {
			t.Fatalf("%d versions after the move, before %d, %v", len(moved), len(list), err)
		}
		for i, v := range moved {
			if len(v.Changes) != len(list[i].Changes) {
				t.Errorf("version %d: changes %+v, before the move %+v", v.Number, v.Changes, list[i].Changes)
			}
		}
		after, err := o.app.Bundle(ctx, moved[len(moved)-1].ID, true)
		if err != nil {
			t.Fatal(err)
		}
		if r := proof.VerifyBundle(after, proof.Policy{Key: b.Key}); r.Verdict != proof.Valid {
			t.Errorf("a proof made after the move, by the key from before: %v: %+v", r.Verdict, r.Findings)
		}
		// It goes on: new versions under the new key, whose tree holds all that was before.
		o.clock.Set(hour(16, 10))
		o.page.Set(hour(16, 10))
		o.until(hour(16, 10).Add(18*time.Hour+30*time.Minute), true)
		out.Reset()
		if _, err := o.app.Export(ctx, &out); err != nil {
			t.Fatal(err)
		}
		r := proof.VerifyArchive(bytes.NewReader(out.Bytes()), proof.Policy{From: early.Signed})
		if r.Verdict != proof.Valid {
			t.Errorf("the export of both: %v: %+v", r.Verdict, r.Findings)
		}
		if r := proof.VerifyArchive(bytes.NewReader(out.Bytes()), proof.Policy{Key: b.Key}); r.Verdict != proof.Invalid {
			t.Errorf("the export of both is not under the old key, got %v", r.Verdict)
		}
		// A log with entries of its own takes none over.
		if err := o.app.Close(); err != nil {
			t.Fatal(err)
		}
		own := newArchiver(t, "sqlite:"+filepath.Join(dir, "own.db"), nil)
		own.until(hour(14, 2), true)
		if err := own.app.Close(); err != nil {
			t.Fatal(err)
		}
		cfg.Store.URL = "sqlite:" + filepath.Join(dir, "own.db")
		if _, err := app.ImportArchive(ctx, opts, proof.Policy{}, opener(out.Bytes())); !errors.Is(err, downwind.ErrConflict) {
			t.Errorf("another log's archive was taken in: %v", err)
		}
	})
}

// TestAnotherKey: a log whose key file was lost goes on under a new one; what was proved before stays good under the old.
func TestAnotherKey(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		if url == "" {
			url = "sqlite:" + filepath.Join(t.TempDir(), "kept.db")
		}
		a := newArchiver(t, url, nil)
		a.until(hour(14, 35), true)
		early, err := a.app.Store().NewestCheckpoint(ctx)
		fatal(t, err)
		fatal(t, a.app.Close())

		b := newArchiver(t, url, nil) // its key file is a new one
		b.clock.Set(hour(14, 35))
		b.page.Set(hour(14, 35))
		b.until(hour(14, 50), true)
		newest, err := b.app.Store().NewestCheckpoint(ctx)
		fatal(t, err)
		if newest.Key == early.Key || newest.Size <= early.Size {
			t.Fatalf("size %d under %s, before %d under %s", newest.Size, newest.Key, early.Size, early.Key)
		}
		for leaf, key := range map[int64]string{0: early.Key, newest.Size - 1: newest.Key} {
			v, err := b.app.Store().VersionByLeaf(ctx, leaf)
			fatal(t, err)
			data, err := b.app.Bundle(ctx, v.ID, false)
			fatal(t, err)
			if r := proof.VerifyBundle(data, proof.Policy{Key: key}); r.Verdict != proof.Valid {
				t.Errorf("leaf %d under %s: %v: %+v", leaf, key, r.Verdict, r.Findings)
			}
			w := httptest.NewRecorder()
			b.app.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/verify", bytes.NewReader(data)))
			if !strings.Contains(w.Body.String(), `"result":"valid"`) {
				t.Errorf("the API on leaf %d under %s: %.300s", leaf, key, w.Body)
			}
		}
		var out bytes.Buffer
		_, err = b.app.Export(ctx, &out)
		fatal(t, err)
		if r := proof.VerifyArchive(&out, proof.Policy{From: early.Signed}); r.Verdict != proof.Valid {
			t.Errorf("export: %v: %+v", r.Verdict, r.Findings)
		}
	})
}
