package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"downwind"
	"downwind/proof"
	"downwind/proof/ots"
	"downwind/store"
)

// The kind of what OpenTimestamps calendars are sent; the public ones want no salt of us, since checkpoints are public.
const digestKind = "application/octet-stream"

// laterURL is where a calendar is asked for what it has promised.
func laterURL(calendar string) string { return strings.TrimRight(calendar, "/") + "/timestamp" }

func sameCalendar(a ots.Attestation, calendar string) bool {
	return strings.TrimRight(a.Calendar, "/") == strings.TrimRight(calendar, "/")
}

// promise submits a checkpoint to a calendar, which promises to commit it to a block of Bitcoin.
func (a *App) promise(ctx context.Context, calendar string, c *store.Checkpoint) (bool, error) {
	open, _, err := proof.OpenCheckpoint(c.Signed, a.logKey.Verifier)
	if err != nil {
		return false, err
	}
	digest := sha256.Sum256([]byte(open.Text()))
	status, reply, err := a.exchange(ctx, http.MethodPost, strings.TrimRight(calendar, "/")+"/digest", digestKind, digest[:])
	if err != nil {
		return false, err
	}
	if status != http.StatusOK {
		return false, fmt.Errorf("the calendar answers with status %d", status)
	}
	chain, err := ots.Answered(digest, reply)
	if err != nil {
		return false, fmt.Errorf("the calendar's answer cannot be read: %w", err)
	}
	for _, end := range chain.Attestations() {
		// What it names is asked later: no other host than the one that was configured.
		if !sameCalendar(end, calendar) {
			return false, fmt.Errorf("the answer points to %q: configure the calendar itself, not a pool in front of it", end.Calendar)
		}
	}
	c.Stamps = append(c.Stamps, proof.NewOTS(chain, calendar))
	sizes, err := a.promised(ctx, calendar)
	if err != nil {
		return false, err
	}
	return true, a.keepPromised(ctx, calendar, append(sizes, c.Size))
}

// promised lists the sizes of the trees that a calendar has promised to commit and has not shown to be yet.
func (a *App) promised(ctx context.Context, calendar string) ([]int64, error) {
	kept, err := a.db.Temp(ctx, tempPromise, calendar)
	if errors.Is(err, downwind.ErrNotFound) {
		return nil, nil
	}
	var sizes []int64
	for _, text := range strings.Fields(string(kept)) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			sizes = append(sizes, n)
		}
	}
	return sizes, err
}

func (a *App) keepPromised(ctx context.Context, calendar string, sizes []int64) error {
	if len(sizes) == 0 {
		return a.forget(ctx, tempPromise, calendar)
	}
	return a.keep(ctx, tempPromise, calendar, strings.Trim(fmt.Sprint(sizes), "[]"), forGood)
}

// collect asks a calendar for what it has promised, and puts what it shows into the stored checkpoints.
func (a *App) collect(ctx context.Context, calendar string) error {
	sizes, err := a.promised(ctx, calendar)
	if err != nil || len(sizes) == 0 {
		return err
	}
	return a.attest(ctx, laterURL(calendar), attestEvery, func() error {
		var waiting []int64
		var failures []error
		for _, size := range sizes {
			done, err := a.collectOne(ctx, calendar, size)
			if !done {
				waiting = append(waiting, size)
			}
			failures = append(failures, err)
		}
		return errors.Join(append(failures, a.keepPromised(ctx, calendar, waiting))...)
	})
}

// collectOne asks for the promises about the checkpoint of one size; done when none is left open.
func (a *App) collectOne(ctx context.Context, calendar string, size int64) (done bool, err error) {
	c, err := a.db.CheckpointOf(ctx, size)
	if errors.Is(err, downwind.ErrNotFound) {
		return true, nil // an older copy was restored: there is nothing to put it into
	}
	if err != nil {
		return false, err
	}
	open, _, err := proof.OpenCheckpoint(c.Signed, a.logKey.Verifier)
	if err != nil {
		return false, err
	}
	done = true
	for i, s := range c.Stamps {
		if s.Kind != proof.KindOTS || s.Authority != calendar {
			continue
		}
		chain, err := s.OTS([]byte(open.Text()))
		if err != nil {
			return false, err
		}
		left, err := a.grow(ctx, calendar, chain)
		if err != nil {
			return false, err
		}
		c.Stamps[i], done = proof.NewOTS(chain, calendar), done && left == 0
	}
	return done, a.db.SaveCheckpoint(ctx, c)
}

// grow replaces a calendar's promises in a proof by what it answers now, and returns how many are left.
func (a *App) grow(ctx context.Context, calendar string, chain *ots.Proof) (left int, err error) {
	for _, end := range chain.Attestations() {
		if !sameCalendar(end, calendar) {
			continue
		}
		status, reply, err := a.exchange(ctx, http.MethodGet, laterURL(calendar)+"/"+hex.EncodeToString(end.Message), digestKind, nil)
		switch {
		case err != nil:
			return left, err
		case status == http.StatusNotFound:
			left++ // not in a block yet
			continue
		case status != http.StatusOK:
			return left, fmt.Errorf("the calendar answers with status %d", status)
		}
		if _, err := chain.Grow(end, reply); err != nil {
			return left, fmt.Errorf("the calendar's answer cannot be read: %w", err)
		}
	}
	return left, nil
}
