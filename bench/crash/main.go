//go:build unix

// Command crash runs the crash matrix in its long form:
//
//	go run ./bench/crash -kills 1000
//	go run ./bench/crash -kills 200 -processes 3 -store postgres://user@host/db
//	go run ./bench/crash -kills 100 -platform slack    # the real notifier on the fake Slack; discord likewise
//	go run ./bench/crash -kills 20 -naive              # the control: it must show repeats
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"downwind/bench/crash/matrix"
	"downwind/deliver/delivertest"
)

func main() {
	if matrix.IsChild() {
		matrix.Child()
		return
	}
	ok, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run() (bool, error) {
	cfg := matrix.Config{Faults: delivertest.Real, MinLife: 150 * time.Millisecond, MaxLife: 900 * time.Millisecond, Settle: 2 * time.Minute, Output: os.Stderr}
	flag.StringVar(&cfg.Store, "store", "", "address of an empty store: sqlite:/path or postgres://…; default: SQLite in a temporary folder")
	flag.StringVar(&cfg.Platform, "platform", "", "slack or discord: the real notifier on the fake of that name; default: a peer that knows only the contract")
	flag.IntVar(&cfg.Kills, "kills", 100, "processes to kill")
	flag.IntVar(&cfg.Stops, "stops", 0, "processes to stop between intent and request, for longer than the lease")
	flag.IntVar(&cfg.Processes, "processes", 1, "processes at once (PostgreSQL only)")
	flag.IntVar(&cfg.Versions, "versions", 5, "versions of each incident")
	flag.IntVar(&cfg.Channels, "channels", 10, "channels that hear of each")
	flag.IntVar(&cfg.Incidents, "incidents", 0, "incidents; default: one for each kill, at least 10")
	flag.BoolVar(&cfg.Naive, "naive", false, "send first and record after: the control")
	flag.BoolVar(&cfg.NoDeadline, "no-deadline", false, "let requests leave at any time: the control for stops")
	flag.DurationVar(&cfg.Lease, "lease", 3*time.Second, "lease of a delivery")
	flag.DurationVar(&cfg.Timeout, "timeout", time.Second, "bound of one request")
	flag.Uint64Var(&cfg.Seed, "seed", uint64(time.Now().UnixNano()), "seed of kills and faults")
	flag.Parse()
	if cfg.Incidents == 0 {
		cfg.Incidents = max(10, cfg.Kills)
	}
	if cfg.Store == "" {
		dir, err := os.MkdirTemp("", "downwind-crash")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		cfg.Store = "sqlite:" + filepath.Join(dir, "crash.db")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("seed %d: %d incidents × %d versions × %d channels\n", cfg.Seed, cfg.Incidents, cfg.Versions, cfg.Channels)
	res, err := matrix.Run(ctx, cfg)
	if err != nil {
		return false, err
	}
	fmt.Println(res)
	for _, what := range []string{"post", "reply", "edit", "find", "fault 429", "fault 500", "fault slow", "fault lost", "fault 503 after"} {
		fmt.Printf("  %-16s %d\n", what, res.Calls[what])
	}
	return res.Clean(), nil
}
