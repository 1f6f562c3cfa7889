package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"downwind"
	"downwind/feeds"
	"downwind/plan"
)

// observe is what the poller does with each changed document: plan what it means and apply that in one transaction.
func (a *App) observe(ctx context.Context, src downwind.Source, doc downwind.Document, raw []feeds.Payload) error {
	if err := a.sourceTrouble(ctx, src, doc.Readable()); err != nil {
		return fmt.Errorf("observe %s: %w", src.Provider, err)
	}
	if !doc.Readable() {
		return nil
	}
	if src.State == downwind.SourceMoved {
		if err := a.sourceMoved(ctx, src); err != nil {
			return fmt.Errorf("observe %s: %w", src.Provider, err)
		}
	}
	// Another process may have been faster, or a team may have changed meanwhile (ErrConflict): then what was known is read anew.
	const tries = 3
	for try := 1; ; try++ {
		err := a.planAndApply(ctx, src, doc, raw)
		if errors.Is(err, downwind.ErrConflict) && try < tries {
			continue
		}
		if err != nil {
			return fmt.Errorf("observe %s: %w", src.Provider, err)
		}
		return nil
	}
}

func (a *App) planAndApply(ctx context.Context, src downwind.Source, doc downwind.Document, raw []feeds.Payload) error {
	known, err := a.db.Known(ctx, src.Provider)
	if err != nil {
		return err
	}
	known.Provider = a.provider(src.Provider)
	in := plan.Input{Document: doc, Known: known, Now: a.clock.Now()}
	in.Fetch, in.Bodies = fetchFacts(src, raw)
	draft, err := a.planner.Draft(in)
	if err != nil {
		return err
	}
	filed, err := a.teams.renew(ctx, a.db)
	if err != nil {
		return fmt.Errorf("index of teams: %w", err)
	}
	reach := draft.Reach(a.teams.index)
	audiences, err := a.db.AudiencesOf(ctx, reach.Teams, reach.Incidents)
	if err != nil {
		return err
	}
	p := draft.Finish(audiences)
	p.Filed = filed
	for _, n := range p.Notes {
		raises, _, err := a.announce(ctx, n)
		if err != nil {
			return err
		}
		p.Raises = append(p.Raises, raises...)
	}
	if err := a.db.Apply(ctx, p); err != nil {
		return err
	}
	a.metrics.applied(p)
	if a.web != nil && len(p.Versions) > 0 {
		a.web.Changed()
	}
	return nil
}

// provider is the catalogue's entry, or a bare one for a source that people added.
func (a *App) provider(slug string) downwind.Provider {
	if p, ok := a.catalog.Provider(slug); ok {
		return p
	}
	return downwind.Provider{Slug: slug, Name: slug}
}

// fetchFacts keeps where the newest bytes came from, and the raw bodies by their hash.
func fetchFacts(src downwind.Source, raw []feeds.Payload) (downwind.Fetch, map[string][]byte) {
	bodies := make(map[string][]byte, len(raw))
	var f downwind.Fetch
	for i, p := range raw {
		sum := sha256.Sum256(p.Body)
		sha := hex.EncodeToString(sum[:])
		bodies[sha] = p.Body
		if i == 0 {
			f = downwind.Fetch{URL: p.URL, Status: p.Status, ETag: src.ETag, LastModified: src.LastModified, Body: sha, At: p.FetchedAt, TLSHost: p.TLSHost}
		}
	}
	return f, bodies
}
