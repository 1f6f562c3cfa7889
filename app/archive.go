package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"downwind"
	"downwind/archive"
	"downwind/proof"
	"downwind/store"
)

// ExportArchive writes the archive up to the newest checkpoint, beside a running daemon or without one. It returns that
// checkpoint's size. Memory does not grow with the archive.
func ExportArchive(ctx context.Context, opts Options, out io.Writer) (size int64, err error) {
	a := &App{cfg: opts.Config, opts: opts}
	if err := a.openLog(ctx); err != nil {
		return 0, err
	}
	if a.db, err = store.Open(ctx, store.Options{URL: DatabaseURL(a.cfg, a.opts.DataDir), ReadOnly: true}); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return a.Export(ctx, out)
}

// Export writes the archive up to the newest checkpoint and returns its size.
func (a *App) Export(ctx context.Context, out io.Writer) (int64, error) {
	newest, err := a.db.NewestCheckpoint(ctx)
	if errors.Is(err, downwind.ErrNotFound) {
		return 0, errors.New("the log has no checkpoint yet; it gets one within a minute of the first version, while `downwind serve` runs")
	}
	if err != nil {
		return 0, err
	}
	if _, _, err := proof.OpenCheckpoint(newest.Signed, a.logKey.Verifier); err != nil {
		return 0, fmt.Errorf("the log's key file is not the one that the log was signed with: %w", err)
	}
	sizes, err := a.db.Witnessed(ctx, newest.Size)
	if err != nil {
		return 0, err
	}
	marks := map[int64][]proof.ArchivedCheckpoint{}
	n := 0
	for _, size := range sizes {
		list, err := a.db.CheckpointsAt(ctx, size)
		if err != nil {
			return 0, err
		}
		for _, c := range list {
			if c.Key == a.logKey.Public {
				c.Key = "" // the head names it
			}
			marks[size] = append(marks[size], proof.ArchivedCheckpoint{Key: c.Key, Signed: string(c.Signed), At: c.At.UTC().Format(time.RFC3339Nano), Stamps: c.Stamps})
			n++
		}
	}
	w, err := proof.NewArchiveWriter(out, proof.ArchiveHead{Key: a.logKey.Public, Checkpoint: string(newest.Signed), Checkpoints: n})
	if err != nil {
		return 0, err
	}
	err = a.db.Entries(ctx, newest.Size, func(e store.Entry) error {
		var state []byte
		if e.Version != nil {
			if state, err = archive.Canonical(&e.Version.State); err != nil {
				return err
			}
		}
		if err := w.Entry(e.Leaf, state, e.Body); err != nil {
			return err
		}
		for _, c := range marks[e.Index+1] {
			if err := w.Checkpoint(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return newest.Size, w.Flush()
}

// Imported says what ImportArchive took in.
type Imported struct {
	// Report is the verification before anything was written.
	Report proof.Report
	// Entries are those taken in, Known those that were there already, Versions the versions among the former.
	Entries, Known, Versions int64
}

// ImportArchive takes over an exported archive into a store whose log is empty, or holds the beginning of the same log (an
// import that was cut off, an older export). Every entry keeps its bytes and its index, every checkpoint its key: proofs
// made before stay good, and new ones are made from both. The archive is verified whole before anything is written; open
// gives it from its start each time. The daemon must not run.
func ImportArchive(ctx context.Context, opts Options, p proof.Policy, open func() (io.ReadCloser, error)) (out Imported, err error) {
	f, err := open()
	if err != nil {
		return out, err
	}
	out.Report = proof.VerifyArchive(f, p)
	if err := f.Close(); err != nil {
		return out, err
	}
	if out.Report.Verdict != proof.Valid {
		return out, downwind.Errorf(downwind.ErrInvalid, "the archive is not taken in: it is %s", out.Report.Verdict)
	}
	im := &importer{out: &out}
	im.db, err = store.Open(ctx, store.Options{URL: DatabaseURL(opts.Config, opts.DataDir), Leaves: im.append})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, im.db.Close()) }()
	if f, err = open(); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return out, im.run(ctx, f)
}

// importer takes in an archive entry by entry.
type importer struct {
	db  *store.DB
	out *Imported
	// leaf and index are the entry that is being stored.
	leaf  []byte
	index int64
}

func (im *importer) run(ctx context.Context, in io.Reader) error {
	r, err := proof.NewArchiveReader(in)
	if err != nil {
		return err
	}
	defer r.Close()
	known, err := proof.Size(ctx, im.db.Log())
	if err != nil {
		return err
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if c := rec.Checkpoint; c != nil {
			key := c.Key
			if key == "" {
				key = r.Head.Key
			}
			err = im.checkpoint(ctx, key, *c)
		} else if im.index < known {
			err = im.same(ctx, rec.Leaf)
		} else {
			err = im.entry(ctx, rec)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", im.index, err)
		}
	}
	return im.checkpoint(ctx, r.Head.Key, proof.ArchivedCheckpoint{Signed: r.Head.Checkpoint})
}

func (im *importer) checkpoint(ctx context.Context, key string, c proof.ArchivedCheckpoint) error {
	at, err := time.Parse(time.RFC3339Nano, c.At)
	if err != nil && c.At != "" {
		return downwind.Errorf(downwind.ErrUnreadable, "time of a checkpoint: %w", err)
	}
	return im.db.ImportCheckpoint(ctx, store.Checkpoint{Key: key, Size: im.index, Signed: []byte(c.Signed), At: at, Stamps: c.Stamps})
}

// same compares an entry with the one that the log holds at its index.
func (im *importer) same(ctx context.Context, leaf []byte) error {
	own, err := proof.LeafAt(ctx, im.db.Log(), im.index)
	if err != nil {
		return err
	}
	if !bytes.Equal(own, leaf) {
		return downwind.Errorf(downwind.ErrConflict, "this install's log holds another entry there; an archive can be taken over into an empty store or one that holds its beginning")
	}
	im.out.Known++
	im.index++
	return nil
}

func (im *importer) entry(ctx context.Context, rec proof.Record) error {
	l, err := proof.ParseLeaf(rec.Leaf)
	if err != nil {
		return err
	}
	if l.Kind == proof.KindSeen {
		if err := im.db.ImportSeen(ctx, im.index, bytes.Clone(rec.Leaf)); err != nil {
			return err
		}
	} else if err := im.version(ctx, l, rec); err != nil {
		return err
	}
	im.out.Entries++
	im.index++
	return nil
}

// version stores an archived version; its changes are found anew by comparing it with the one before.
func (im *importer) version(ctx context.Context, l proof.Leaf, rec proof.Record) error {
	v := downwind.Version{Provider: l.Provider, Incident: l.Incident, Number: l.Number, Hash: l.State}
	if err := json.Unmarshal(rec.State, &v.State); err != nil {
		return downwind.Errorf(downwind.ErrUnreadable, "the incident cannot be read: %w", err)
	}
	v.State.Provider = l.Provider
	again, err := archive.Canonical(&v.State)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, rec.State) {
		return downwind.Errorf(downwind.ErrUnreadable, "the incident has fields that this version of Downwind does not know")
	}
	at, err := time.Parse(time.RFC3339Nano, l.SeenAt)
	if err != nil {
		return downwind.Errorf(downwind.ErrUnreadable, "%w", err)
	}
	v.SeenAt = at
	f := l.Fetch
	v.Fetch = downwind.Fetch{URL: f.URL, Status: f.Status, ETag: f.ETag, LastModified: f.LastModified, Body: f.Body, TLSHost: f.TLSHost, At: at}
	var before *downwind.Incident
	switch rec, err := im.db.Incident(ctx, l.Provider, l.Incident); {
	case err == nil:
		before = &rec.Incident
	case !errors.Is(err, downwind.ErrNotFound):
		return err
	}
	v.Changes = archive.Compare(before, &v.State, true).Changes
	plan := downwind.Plan{Provider: l.Provider, At: at, Versions: []downwind.Version{v}}
	if len(rec.Body) > 0 {
		body, err := base64.StdEncoding.DecodeString(string(rec.Body))
		if err != nil {
			return downwind.Errorf(downwind.ErrUnreadable, "the raw answer: %w", err)
		}
		plan.Bodies = map[string][]byte{f.Body: body}
	}
	im.leaf = bytes.Clone(rec.Leaf)
	im.out.Versions++
	return im.db.Apply(ctx, plan)
}

// append puts the entry's own bytes into the log, within the transaction that stores its version.
func (im *importer) append(ctx context.Context, tx *sql.Tx, versions []downwind.Version) ([]int64, error) {
	l, err := proof.ParseLeaf(im.leaf)
	if err != nil {
		return nil, err
	}
	if len(versions) != 1 || versions[0].Number != l.Number {
		return nil, downwind.Errorf(downwind.ErrConflict, "version %d of %s/%s would not be the next one here", l.Number, l.Provider, l.Incident)
	}
	first, err := proof.Append(ctx, tx, [][]byte{im.leaf})
	if err != nil {
		return nil, err
	}
	if first != im.index {
		return nil, downwind.Errorf(downwind.ErrConflict, "the log has grown to %d meanwhile", first)
	}
	return []int64{first}, nil
}
