package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	// attestLimit is how long one answer may take, attestMost how large it may be.
	attestLimit = 20 * time.Second
	attestMost  = 64 << 10
	// attestKept is how long the doctor remembers a failure that was not followed by a success.
	attestKept = 30 * 24 * time.Hour
)

// Kinds of small values kept about outside authorities, by their address.
const (
	tempAttest  = "attest"         // asked; no question to it until this expires
	tempTrouble = "attest-trouble" // what failed last, until it succeeds
	tempWitness = "attest-size"    // the size of the tree that a witness saw last
)

// runAttest has new checkpoints confirmed from outside. It runs beside everything else: an authority that does not answer
// delays no poll, no alert and no checkpoint.
func (a *App) runAttest(ctx context.Context) error {
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

// Attest has the newest checkpoint cosigned by the configured witnesses and stamped by the configured time-stamp
// authorities, each at most once an hour and only when the log has grown. The error joins what failed; the doctor tells it
// too.
func (a *App) Attest(ctx context.Context) error {
	cfg := a.cfg.Archive
	if len(cfg.Authorities)+len(cfg.Witness) == 0 {
		return nil
	}
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
		failures = append(failures, a.attest(ctx, w.URL, &c, func(c *store.Checkpoint) (bool, error) { return a.cosign(ctx, w, c) }))
	}
	for _, t := range cfg.Authorities {
		failures = append(failures, a.attest(ctx, t.URL, &c, func(c *store.Checkpoint) (bool, error) { return a.stamp(ctx, t, c) }))
	}
	return errors.Join(failures...)
}

// attest asks one authority unless it was asked a short while ago; ask tells whether the checkpoint has changed.
func (a *App) attest(ctx context.Context, url string, c *store.Checkpoint, ask func(*store.Checkpoint) (bool, error)) error {
	last := strconv.FormatInt(c.Size, 10)
	if done, err := a.db.Temp(ctx, tempAttest+"-done", url); err == nil && string(done) == last {
		return nil
	}
	mine, err := a.db.PutTemp(ctx, tempAttest, url, nil, a.clock.Now().Add(attestEvery))
	if err != nil || !mine {
		return err
	}
	changed, err := ask(c)
	if err == nil && changed {
		err = a.db.SaveCheckpoint(ctx, *c)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", url, err)
		return errors.Join(err, a.keep(ctx, tempTrouble, url, err.Error(), attestKept), a.keep(ctx, tempAttest, url, "", attestAgain))
	}
	return errors.Join(a.keep(ctx, tempTrouble, url, "", 0), a.keep(ctx, tempAttest+"-done", url, last, attestKept))
}

// keep replaces a small value; with no time it only removes it.
func (a *App) keep(ctx context.Context, kind, key, value string, span time.Duration) error {
	if _, err := a.db.TakeTemp(ctx, kind, key); err != nil && !errors.Is(err, downwind.ErrNotFound) || span == 0 {
		if errors.Is(err, downwind.ErrNotFound) {
			return nil
		}
		return err
	}
	_, err := a.db.PutTemp(ctx, kind, key, []byte(value), a.clock.Now().Add(span))
	return err
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
	status, reply, err := a.post(ctx, t.URL, "application/timestamp-query", req.DER)
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
		status, reply, err := a.post(ctx, strings.TrimRight(w.URL, "/")+"/add-checkpoint", "text/plain; charset=utf-8", e.Encode())
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
			return changed, a.keep(ctx, tempWitness, w.URL, strconv.FormatInt(c.Size, 10), 10*365*24*time.Hour)
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

// post sends a question and reads a small answer.
func (a *App) post(ctx context.Context, url, kind string, body []byte) (status int, reply []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, attestLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "downwind/"+a.opts.Version)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(resp.Body, attestMost+1))
	if err == nil && len(reply) > attestMost {
		err = fmt.Errorf("the answer is larger than %d kB", attestMost>>10)
	}
	return resp.StatusCode, reply, err
}

// attest tells how it stands with time-stamp authorities and witnesses.
func (d *doctor) attest(ctx context.Context) {
	var urls []string
	for _, t := range d.app.cfg.Archive.Authorities {
		urls = append(urls, t.URL)
	}
	for _, w := range d.app.cfg.Archive.Witness {
		if w.URL != "" {
			urls = append(urls, w.URL)
		}
	}
	for _, url := range urls {
		text, err := d.app.db.Temp(ctx, tempTrouble, url)
		if err == nil && len(text) > 0 {
			d.add("proofs from outside", CheckWarning, string(text), "look at the address and the roots in [archive]; alerts do not wait for it, proofs lack it meanwhile")
			continue
		}
		d.add("proofs from outside", CheckOK, url+" has not failed", "")
	}
}
