//go:build unix

package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"downwind"
	"downwind/deliver"
	"downwind/deliver/delivertest"
	"downwind/notify"
	"downwind/store"
)

// IsChild reports whether this process is a child of the matrix; it must call Child at once.
func IsChild() bool { return os.Getenv(childEnv) != "" }

// Child delivers until it is killed.
func Child() {
	var conf childConfig
	if err := json.Unmarshal([]byte(os.Getenv(childEnv)), &conf); err != nil {
		fail(err)
	}
	if err := conf.run(context.Background()); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "child:", err)
	os.Exit(1)
}

func (c childConfig) run(ctx context.Context) error {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := store.Open(ctx, store.Options{URL: c.Store, Logger: logger, MaxConns: 8})
	if err != nil {
		return err
	}
	if err := db.SaveTeam(ctx, downwind.Team{ID: "crash"}); err != nil {
		return err
	}
	client := delivertest.NewClient(c.Platform, c.Timeout)
	var n notify.Notifier = client
	write := delivertest.Compose
	if c.PlatformName != "" {
		write = compose
		if n, err = c.notifier(); err != nil {
			return err
		}
	}
	if c.StopAt > 0 {
		var calls atomic.Int64
		client.Before = func(q delivertest.Request) {
			if (q.Op == "post" || q.Op == "reply") && calls.Add(1) == int64(c.StopAt) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			}
		}
	}
	if c.NoDeadline {
		n = tardy{client}
	}
	go c.ingest(ctx, db)
	if c.Naive {
		return naive(ctx, db, n, write)
	}
	engine, err := deliver.New(deliver.Options{
		Store: db, Notifiers: map[string]notify.Notifier{channel(c.PlatformName, 0).Platform: n}, Compose: write, Logger: logger,
		Workers: 8, Lease: c.Lease, Sweep: 100 * time.Millisecond, SelfTest: -1, Ceiling: func(string) (float64, int) { return 0, 0 },
	})
	if err != nil {
		return err
	}
	return engine.Run(ctx)
}

// ingest applies the plans that the parent hands out.
func (c childConfig) ingest(ctx context.Context, db *store.DB) {
	ready := 0
	for {
		var p numbered
		if !c.fetch(&p) {
			<-time.After(20 * time.Millisecond)
			continue
		}
		var err error
		for ; ready < p.Channels && err == nil; ready++ {
			err = db.SaveDestination(ctx, channel(c.PlatformName, ready))
		}
		if err == nil {
			err = db.Apply(ctx, p.Plan)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "child: apply:", err)
			<-time.After(20 * time.Millisecond)
			continue
		}
		if res, err := http.Post(fmt.Sprintf("%s/%d", c.Plans, p.N), "text/plain", nil); err == nil {
			_ = res.Body.Close()
		}
	}
}

func (c childConfig) fetch(p *numbered) bool {
	res, err := http.Get(c.Plans)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK && json.NewDecoder(res.Body).Decode(p) == nil
}

// tardy takes the deadline off the requests that show something: the control for stopped processes.
type tardy struct{ *delivertest.Client }

// Post implements notify.Notifier.
func (t tardy) Post(ctx context.Context, g notify.Target, m notify.Message) notify.Result {
	return t.Client.Post(context.WithoutCancel(ctx), g, m)
}

// Reply implements notify.Notifier.
func (t tardy) Reply(ctx context.Context, g notify.Target, m notify.Message) notify.Result {
	return t.Client.Reply(context.WithoutCancel(ctx), g, m)
}

// A writer composes a message.
type writer = func(downwind.Delivery, downwind.Part) notify.Message

// naive is delivery as it is often written: send, then record; after any error send again.
func naive(ctx context.Context, db *store.DB, n notify.Notifier, write writer) error {
	for {
		ids, err := db.DueDeliveries(ctx, time.Now(), 50)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := naiveOne(ctx, db, n, write, id); err != nil {
				return err
			}
		}
		if len(ids) == 0 {
			<-time.After(10 * time.Millisecond)
		}
	}
}

func naiveOne(ctx context.Context, db *store.DB, n notify.Notifier, write writer, id string) error {
	w, ok, err := db.TakeLease(ctx, id, "naive", time.Now(), time.Hour)
	if err != nil || !ok {
		return err
	}
	d := &w.Delivery
	target := notify.Target{Destination: w.Destination, Root: d.RootID, Key: notify.Key(d.Destination, d.Incident, fmt.Sprint(d.Applied+1))}
	call, part := n.Reply, w.Newest
	switch {
	case d.RootID == "":
		call, part = n.Post, w.Next[0]
	case d.Applied < d.Desired:
		part = w.Next[0]
	default:
		call, part.Version = n.Edit, 1
	}
	edit := d.RootID != "" && d.Applied >= d.Desired
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	res := call(short, target, write(*d, part))
	_, err = db.Step(ctx, w.Delivery, "naive", func(d *downwind.Delivery) []downwind.PartMark {
		d.LeaseOwner, d.LeaseUntil = "", time.Time{}
		if res.Verdict != notify.Done {
			return nil
		}
		switch {
		case edit:
			d.Edited = w.Newest.Version
		case d.RootID == "":
			d.RootID, d.Applied, d.Edited = res.ID, 1, 1
		default:
			d.Applied = part.Version
		}
		return nil
	})
	return err
}
