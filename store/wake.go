package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

// wakeArgs is all that River ever learns: which deliveries to look at.
type wakeArgs struct {
	Deliveries []string `json:"deliveries"`
}

// A few wake-ups get a job each; many are bundled, because River on SQLite spends a millisecond on a job.
const (
	wakeApart = 32
	wakeMost  = 64
)

// Kind implements river.JobArgs.
func (wakeArgs) Kind() string { return "delivery_wake" }

const wakeQueue = "delivery"

// River's settings, measured: see docs/delivery.md.
const (
	fetchCooldown    = 5 * time.Millisecond
	fetchPoll        = time.Second
	jobTimeout       = 2 * time.Minute
	finishedJobsKept = time.Hour
)

func (db *DB) riverConfig() *river.Config {
	return &river.Config{
		Logger:                      db.riverLog(),
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           fetchPoll,
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        2 * jobTimeout,
		CompletedJobRetentionPeriod: finishedJobsKept,
		CancelledJobRetentionPeriod: finishedJobsKept,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
	}
}

// riverLog is what River writes to. It tells of its own life at info level; ours begins at warnings.
func (db *DB) riverLog() *slog.Logger { return slog.New(quiet{db.log.Handler()}) }

// quiet drops everything below warnings.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// wake enqueues wake-ups for deliveries in the transaction that gave it something to do. It is not unique: a second
// wake-up finds nothing to do, while uniqueness would swallow one that arrives during a send.
func (db *DB) wake(ctx context.Context, t tx, deliveries []string) error {
	if len(deliveries) == 0 {
		return nil
	}
	size := min(max(len(deliveries)/wakeApart, 1), wakeMost)
	jobs := make([]river.InsertManyParams, 0, len(deliveries)/size+1)
	for bundle := range slices.Chunk(deliveries, size) {
		jobs = append(jobs, river.InsertManyParams{Args: wakeArgs{bundle}, InsertOpts: &river.InsertOpts{Queue: wakeQueue, MaxAttempts: 1}})
	}
	if _, err := db.river.InsertManyFastTx(ctx, t.Tx, jobs); err != nil {
		return fmt.Errorf("wake workers: %w", err)
	}
	return nil
}

// Work calls look for each wake-up until the context ends, then waits for those that run. A wake-up may come twice or for
// nothing; an error of look is logged by River and not repeated, because the sweeper wakes again.
func (db *DB) Work(ctx context.Context, workers int, look func(ctx context.Context, delivery string) error) error {
	conf := db.riverConfig()
	conf.Queues = map[string]river.QueueConfig{wakeQueue: {MaxWorkers: workers}}
	conf.Workers = river.NewWorkers()
	if err := river.AddWorkerSafely(conf.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[wakeArgs]) error {
		var errs []error
		for _, id := range job.Args.Deliveries {
			if ctx.Err() != nil {
				break // the sweeper wakes the rest
			}
			errs = append(errs, look(ctx, id))
		}
		return errors.Join(errs...)
	})); err != nil {
		return fmt.Errorf("river: %w", err)
	}
	client, err := river.NewClient(db.river.Driver(), conf)
	if err != nil {
		return fmt.Errorf("river: %w", err)
	}
	// The client is stopped below, with time for those that run; the context's end alone would cut them off.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start river: %w", err)
	}
	<-ctx.Done()
	return stopRiver(ctx, client)
}

// stopGrace is how long running deliveries may finish after the end was asked for.
const stopGrace = 10 * time.Second

func stopRiver(ctx context.Context, client *river.Client[*sql.Tx]) error {
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := client.Stop(soft); err == nil {
		return nil
	}
	hard, cancelHard := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancelHard()
	if err := client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("stop river: %w", err)
	}
	return nil
}
