package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/config"
	"downwind/proof"
	"downwind/store"
)

const (
	// attestEvery is how often an authority or a witness is asked at most, and only when the log has grown; attestAgain
	// how soon after a failure.
	attestEvery = time.Hour
	attestAgain = 15 * time.Minute
	// promiseEvery is how often a calendar gets a checkpoint: each costs it a place in a block for ever.
	promiseEvery = 24 * time.Hour
	// attestLimit is how long one answer may take, attestMost how large it may be.
	attestLimit = 20 * time.Second
	attestMost  = 64 << 10
	// attestKept is how long the doctor remembers a failure that was not followed by a success.
	attestKept = 30 * 24 * time.Hour
	// forGood is for small values that must not expire.
	forGood = 10 * 365 * 24 * time.Hour
)

// Kinds of small values kept about outside authorities, by their address.
const (
	tempAttest  = "attest"         // asked; no question to it until this expires
	tempTrouble = "attest-trouble" // what failed last, until it succeeds
	tempWitness = "attest-size"    // the size of the tree that a witness saw last
	tempPromise = "attest-promise" // the sizes of the trees that a calendar has promised to commit and has not yet
)

// runAttest has new checkpoints confirmed from outside, in one process of those that share a database. It runs beside
// everything else: an authority that does not answer delays no poll, no alert and no checkpoint.
func (a *App) runAttest(ctx context.Context) error {
	if cfg := a.cfg.Archive; len(cfg.Authorities)+len(cfg.Witness)+len(cfg.Calendars) == 0 {
		return nil
	}
	return a.db.Exclusive(ctx, "attest", a.attestAlways)
}

func (a *App) attestAlways(ctx context.Context) error {
	for {
		if err := a.Attest(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("a checkpoint could not be confirmed from outside; it is tried again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.clock.After(time.Minute):
		}
	}
}

// Attest has the newest checkpoint cosigned by the configured witnesses, stamped by the configured time-stamp authorities
// and promised by the configured calendars, each only when the log has grown, and asks the calendars for what they have
// promised. The error joins what failed; the doctor tells it too.
func (a *App) Attest(ctx context.Context) error {
	cfg := a.cfg.Archive
	c, err := a.db.NewestCheckpoint(ctx)
	if errors.Is(err, downwind.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var failures []error
	for _, w := range cfg.Witness {
		if w.URL == "" {
			continue // its cosignatures are accepted, it is not asked
		}
		failures = append(failures, a.confirm(ctx, w.URL, attestEvery, &c, func() (bool, error) { return a.cosign(ctx, w, &c) }))
	}
	for _, t := range cfg.Authorities {
		failures = append(failures, a.confirm(ctx, t.URL, attestEvery, &c, func() (bool, error) { return a.stamp(ctx, t, &c) }))
	}
	for _, url := range cfg.Calendars {
		failures = append(failures,
			a.confirm(ctx, url, promiseEvery, &c, func() (bool, error) { return a.promise(ctx, url, &c) }),
			a.collect(ctx, url))
	}
	return errors.Join(failures...)
}

// confirm has a checkpoint confirmed by one authority, unless that has confirmed it already; ask tells whether the
// checkpoint has changed.
func (a *App) confirm(ctx context.Context, url string, every time.Duration, c *store.Checkpoint, ask func() (bool, error)) error {
	last := strconv.FormatInt(c.Size, 10)
	if done, err := a.db.Temp(ctx, tempAttest+"-done", url); err == nil && string(done) == last {
		return nil
	}
	return a.attest(ctx, url, every, func() error {
		changed, err := ask()
		if err == nil && changed {
			err = a.db.SaveCheckpoint(ctx, *c)
		}
		if err != nil {
			return err
		}
		return a.keep(ctx, tempAttest+"-done", url, last, attestKept)
	})
}

// attest asks an address unless it was asked a short while ago, and remembers a failure until the next success.
func (a *App) attest(ctx context.Context, url string, every time.Duration, ask func() error) error {
	mine, err := a.db.PutTemp(ctx, tempAttest, url, nil, a.clock.Now().Add(every))
	if err != nil || !mine {
		return err
	}
	if err := ask(); err != nil {
		err = fmt.Errorf("%s: %w", url, err)
		return errors.Join(err, a.keep(ctx, tempTrouble, url, err.Error(), attestKept), a.keep(ctx, tempAttest, url, "", attestAgain))
	}
	return a.forget(ctx, tempTrouble, url)
}

func (a *App) keep(ctx context.Context, kind, key, value string, span time.Duration) error {
	return a.db.SetTemp(ctx, kind, key, []byte(value), a.clock.Now().Add(span))
}

func (a *App) forget(ctx context.Context, kind, key string) error {
	if _, err := a.db.TakeTemp(ctx, kind, key); !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	return nil
}

// stamp asks an RFC 3161 authority and judges its answer by the roots that are pinned for it.
func (a *App) stamp(ctx context.Context, t config.TSA, c *store.Checkpoint) (bool, error) {
	open, _, err := proof.OpenCheckpoint(c.Signed, a.logKey.Verifier)
	if err != nil {
		return false, err
	}
	message := []byte(open.Text())
	req, err := proof.NewStampRequest(message)
	if err != nil {
		return false, err
	}
	status, reply, err := a.exchange(ctx, http.MethodPost, t.URL, "application/timestamp-query", req.DER)
	if err != nil {
		return false, err
	}
	if status != http.StatusOK {
		return false, fmt.Errorf("the authority answers with status %d", status)
	}
	s, err := req.Answer(reply, t.URL)
	if err != nil {
		return false, err
	}
	if t.Roots != "" {
		pem, err := os.ReadFile(a.cfg.Path(t.Roots))
		if err != nil {
			return false, fmt.Errorf("roots: %w", err)
		}
		judge, err := proof.NewJudge(pem)
		if err != nil {
			return false, fmt.Errorf("roots %s: %w", t.Roots, err)
		}
		if _, err := judge(s, message); err != nil {
			return false, err
		}
	}
	c.Stamps = append(c.Stamps, s)
	return true, nil
}

// cosign submits a checkpoint to a witness (C2SP tlog-witness) and takes its cosignature.
func (a *App) cosign(ctx context.Context, w config.Witness, c *store.Checkpoint) (bool, error) {
	key, err := proof.NewWitness(w.Key)
	if err != nil {
		return false, err
	}
	old := int64(0)
	if kept, err := a.db.Temp(ctx, tempWitness, w.URL); err == nil {
		old, _ = strconv.ParseInt(string(kept), 10, 64) // anything else: from the beginning
	}
	for try := 0; ; try++ {
		e := proof.Extension{Old: old, Checkpoint: c.Signed}
		if old > 0 && old < c.Size {
			if e.Proof, err = proof.Consistency(ctx, a.db.Log(), c.Size, old); err != nil {
				return false, err
			}
		}
		status, reply, err := a.exchange(ctx, http.MethodPost, strings.TrimRight(w.URL, "/")+"/add-checkpoint", "text/plain; charset=utf-8", e.Encode())
		if err != nil {
			return false, err
		}
		switch {
		case status == http.StatusOK:
			signed, err := proof.Cosigned(c.Signed, reply, key)
			if err != nil {
				return false, err
			}
			changed := !bytes.Equal(signed, c.Signed)
			if changed {
				c.Signed, c.Cosigned = signed, c.Cosigned+1
			}
			return changed, a.keep(ctx, tempWitness, w.URL, strconv.FormatInt(c.Size, 10), forGood)
		case status == http.StatusConflict && try == 0:
			// The witness says which size it saw last.
			size, err := strconv.ParseInt(strings.TrimSpace(string(reply)), 10, 64)
			if err != nil || size < 0 {
				return false, errors.New("the witness refuses the size that it saw last, and names none")
			}
			if size > c.Size {
				return false, fmt.Errorf("the witness has seen a tree of size %d of this log, here it has %d: this store is an older copy, or two logs use one key", size, c.Size)
			}
			old = size
		default:
			return false, fmt.Errorf("the witness answers with status %d", status)
		}
	}
}

// exchange sends a question and reads a small answer.
func (a *App) exchange(ctx context.Context, method, address, kind string, body []byte) (status int, reply []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, attestLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "downwind/"+a.opts.Version)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, bare(err)
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(resp.Body, attestMost+1))
	if err == nil && len(reply) > attestMost {
		err = fmt.Errorf("the answer is larger than %d kB", attestMost>>10)
	}
	return resp.StatusCode, reply, err
}

// bare takes the address off an error of the HTTP client: whoever tells it names that already.
func bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// attest tells how it stands with time-stamp authorities, witnesses and calendars.
func (d *doctor) attest(ctx context.Context) {
	cfg := d.app.cfg.Archive
	for _, t := range cfg.Authorities {
		d.confirmed(ctx, t.URL, "look at the address and the roots in [[archive.timestamp]]")
	}
	for _, w := range cfg.Witness {
		if w.URL != "" {
			d.confirmed(ctx, w.URL, "look at the address and the key in [[archive.witness]]")
		}
	}
	for _, url := range cfg.Calendars {
		const repair = "look at the address in opentimestamps of [archive]"
		if d.confirmed(ctx, url, repair) && d.confirmed(ctx, laterURL(url), repair) {
			if sizes, err := d.app.promised(ctx, url); err == nil && len(sizes) > 0 {
				d.add("proofs from outside", CheckOK, fmt.Sprintf("%s: %d of its promises wait for a block of Bitcoin", url, len(sizes)), "")
			}
		}
	}
}

// confirmed tells of one address what failed last, and reports whether nothing did.
func (d *doctor) confirmed(ctx context.Context, url, repair string) bool {
	text, err := d.app.db.Temp(ctx, tempTrouble, url)
	if err == nil && len(text) > 0 {
		d.add("proofs from outside", CheckWarning, string(text), repair+"; alerts do not wait for it, proofs lack it meanwhile")
		return false
	}
	d.add("proofs from outside", CheckOK, url+" has not failed", "")
	return true
}
