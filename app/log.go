package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"downwind"
	"downwind/archive"
	"downwind/proof"
	"downwind/store"
)

// openLog reads the signing key of the transparency log, or makes one at first use.
func (a *App) openLog(context.Context) error {
	path := a.cfg.Path(a.cfg.Archive.KeyFile)
	if path == "" {
		path = a.dataPath("downwind-log.key")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	key, err := proof.LoadKey(path, a.origin())
	if err != nil {
		return err
	}
	a.logKey = key
	return nil
}

// goOn lets the log go on under the key that is there: what another one has signed stays good as an earlier log's.
func (a *App) goOn(ctx context.Context) error {
	n, err := a.db.RetireCheckpoints(ctx, a.logKey.Public)
	if err == nil && n > 0 {
		a.log.Warn("the log was signed by another key before; it goes on under this one, and proofs made before stay good under that one",
			"key", a.logKey.Public, "checkpoints", n)
	}
	return err
}

// origin names the log: the configured name, else the host of the pages and "/log".
func (a *App) origin() string {
	if a.cfg.Archive.Origin != "" {
		return a.cfg.Archive.Origin
	}
	if u, err := url.Parse(a.cfg.Server.BaseURL); err == nil && u.Host != "" {
		return u.Host + "/log"
	}
	return "downwind.local/log"
}

// checkpoint signs the tree as it is now, when it has grown since the newest checkpoint.
func (a *App) checkpoint(ctx context.Context) error {
	size, err := proof.Size(ctx, a.db.Log())
	if err != nil || size == 0 {
		return err
	}
	newest, err := a.db.NewestCheckpoint(ctx)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if newest.Size >= size {
		return nil
	}
	root, err := proof.Root(ctx, a.db.Log(), size)
	if err != nil {
		return err
	}
	signed, err := proof.Checkpoint{Origin: a.logKey.Verifier.Name(), Size: size, Root: root}.Sign(a.logKey.Signer)
	if err != nil {
		return err
	}
	return a.db.SaveCheckpoint(ctx, store.Checkpoint{Key: a.logKey.Public, Size: size, Signed: signed, At: a.clock.Now()})
}

// seenEvery keeps the leaves of an unchanged open incident less than an hour apart, with a poll and a round of jobs in
// between.
const seenEvery = 55 * time.Minute

// entryBefore is the newest entry of the log that shows the version before, so that both ends of a change are bounded;
// none for the first version.
func (a *App) entryBefore(ctx context.Context, v downwind.Version, size int64) ([]proof.Entry, error) {
	at, err := a.db.LeafBefore(ctx, v)
	if err != nil || at < 0 {
		return nil, err
	}
	leaf, err := proof.LeafAt(ctx, a.db.Log(), at)
	if err != nil {
		return nil, err
	}
	inclusion, err := proof.Inclusion(ctx, a.db.Log(), size, at)
	if err != nil {
		return nil, err
	}
	return []proof.Entry{proof.NewEntry(leaf, at, inclusion)}, nil
}

// Bundle makes the proof bundle of an archived version; body puts the raw answer of the page into it.
func (a *App) Bundle(ctx context.Context, versionID int64, body bool) ([]byte, error) {
	v, err := a.db.Version(ctx, versionID)
	if err != nil {
		return nil, err
	}
	if v.Leaf < 0 {
		return nil, fmt.Errorf("version %d has no leaf in the log: %w", versionID, downwind.ErrNotFound)
	}
	c, err := a.db.CheckpointOver(ctx, v.Leaf)
	if err != nil {
		return nil, fmt.Errorf("version %d has no checkpoint yet; it gets one within a minute: %w", versionID, err)
	}
	leaf, err := proof.LeafAt(ctx, a.db.Log(), v.Leaf)
	if err != nil {
		return nil, err
	}
	inclusion, err := proof.Inclusion(ctx, a.db.Log(), c.Size, v.Leaf)
	if err != nil {
		return nil, err
	}
	state, err := archive.Canonical(&v.State)
	if err != nil {
		return nil, err
	}
	e := proof.NewEntry(leaf, v.Leaf, inclusion)
	key := c.Key
	if key == "" {
		key = a.logKey.Public
	}
	b := proof.Bundle{
		Key: key, Leaf: e.Leaf, Index: e.Index, Inclusion: e.Inclusion, Checkpoint: string(c.Signed),
		State: string(state), Stamps: c.Stamps,
	}
	before, err := a.entryBefore(ctx, v, c.Size)
	if err != nil {
		return nil, err
	}
	b.Earlier = before
	if body {
		raw, err := a.db.Body(ctx, v.Fetch.Body)
		if err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			b.Body = base64.StdEncoding.EncodeToString(raw)
		}
	}
	return b.Encode()
}
