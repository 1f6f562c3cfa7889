package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"downwind"
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

// Jobs lists wake-ups in any of the states, the newest first; all states when none is named. At most limit, up to 1,000.
func (db *DB) Jobs(ctx context.Context, states []string, limit int) ([]downwind.Job, error) {
	params := river.NewJobListParams().OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(min(max(limit, 1), 1000))
	if len(states) > 0 {
		named := make([]rivertype.JobState, len(states))
		for i, s := range states {
			named[i] = rivertype.JobState(s)
		}
		params = params.States(named...)
	}
	found, err := db.river.JobList(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	list := make([]downwind.Job, len(found.Jobs))
	for i, row := range found.Jobs {
		list[i] = jobOf(row)
	}
	return list, nil
}

func jobOf(row *rivertype.JobRow) downwind.Job {
	j := downwind.Job{
		ID: row.ID, Kind: row.Kind, Queue: row.Queue, State: string(row.State), Attempt: row.Attempt, MaxAttempts: row.MaxAttempts,
		CreatedAt: row.CreatedAt.UTC(), DueAt: row.ScheduledAt.UTC(),
	}
	if row.AttemptedAt != nil {
		j.AttemptedAt = row.AttemptedAt.UTC()
	}
	if n := len(row.Errors); n > 0 {
		j.Error = row.Errors[n-1].Error
	}
	var args wakeArgs
	if json.Unmarshal(row.EncodedArgs, &args) == nil { // other kinds have no deliveries
		j.Deliveries = args.Deliveries
	}
	return j
}

// QueuePaused tells since when nobody takes wake-ups because an operator paused the queue; zero: it is not paused.
func (db *DB) QueuePaused(ctx context.Context) (time.Time, error) {
	q, err := db.river.QueueGet(ctx, wakeQueue)
	if errors.Is(err, rivertype.ErrNotFound) { // no worker has started yet
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read queue: %w", err)
	}
	if q.PausedAt == nil {
		return time.Time{}, nil
	}
	return q.PausedAt.UTC(), nil
}

// RetryJob makes a wake-up due now, whatever became of it.
func (db *DB) RetryJob(ctx context.Context, id int64) error {
	_, err := db.river.JobRetry(ctx, id)
	return jobError(err, "retry", id)
}

// CancelJob ends a wake-up that has not been worked; one that runs is asked to stop.
func (db *DB) CancelJob(ctx context.Context, id int64) error {
	_, err := db.river.JobCancel(ctx, id)
	return jobError(err, "cancel", id)
}

func jobError(err error, what string, id int64) error {
	if errors.Is(err, rivertype.ErrNotFound) {
		return fmt.Errorf("job %d: %w", id, downwind.ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("%s job %d: %w", what, id, err)
	}
	return nil
}
