package store

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// CountJobs counts the wake-ups in River's queue by state ("available", "running", "discarded" …).
func (db *DB) CountJobs(ctx context.Context) (map[string]int64, error) {
	counts, err := db.river.Driver().GetExecutor().JobCountByAllStates(ctx, &riverdriver.JobCountByAllStatesParams{})
	if err != nil {
		return nil, err
	}
	out := make(map[string]int64, len(counts))
	for state, n := range counts {
		out[string(state)] = int64(n)
	}
	return out, nil
}

// River is the client of the queue, for its own pages; nothing is inserted or worked with it outside this package.
func (db *DB) River() *river.Client[*sql.Tx] { return db.river }
