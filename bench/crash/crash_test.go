//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"downwind"
	"downwind/bench/crash/matrix"
	"downwind/deliver/delivertest"
	"downwind/store/storetest"
)

func TestMain(m *testing.M) {
	if matrix.IsChild() {
		matrix.Child()
		return
	}
	os.Exit(m.Run())
}

func short(seed uint64) matrix.Config {
	return matrix.Config{
		Processes: 1, Kills: 12, MinLife: 150 * time.Millisecond, MaxLife: 700 * time.Millisecond, Incidents: 12, Versions: 4, Channels: 6,
		Faults: delivertest.Real, Seed: seed, Lease: 3 * time.Second, Timeout: time.Second, Settle: 75 * time.Second,
	}
}

func play(t *testing.T, cfg matrix.Config) matrix.Result {
	t.Helper()
	cfg.Output = t.Output()
	res, err := matrix.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(res)
	return res
}

// TestCrash is the short form of the crash matrix: real processes, killed in the middle of their work.
// C002, C005, C019: through crashes and with several processes each message comes once, in order.
func TestCrash(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		cfg := short(1)
		cfg.Store = "sqlite:" + filepath.Join(t.TempDir(), "crash.db")
		if res := play(t, cfg); !res.Clean() {
			t.Errorf("%s", res)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		cfg := short(2)
		cfg.Store, cfg.Processes, cfg.Kills = storetest.PostgresURL(t), 3, 6
		if res := play(t, cfg); !res.Clean() {
			t.Errorf("%s", res)
		}
	})
	// The real notifiers, client libraries and all, on the fakes of their platforms.
	for _, platform := range []string{downwind.PlatformSlack, downwind.PlatformDiscord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			cfg := short(5)
			cfg.Store = "sqlite:" + filepath.Join(t.TempDir(), "crash.db")
			cfg.Platform, cfg.Kills, cfg.Incidents, cfg.Channels = platform, 10, 8, 4
			if res := play(t, cfg); !res.Clean() || res.Calls["find"] == 0 {
				t.Errorf("%s", res)
			}
		})
		t.Run("control: naive on "+platform, func(t *testing.T) {
			t.Parallel()
			cfg := short(6)
			cfg.Store = "sqlite:" + filepath.Join(t.TempDir(), "crash.db")
			cfg.Platform, cfg.Naive, cfg.Kills, cfg.Settle = platform, true, 4, 6*time.Second
			if res := play(t, cfg); len(res.Repeated) == 0 {
				t.Error("the naive sender repeated nothing")
			}
		})
	}
	// A process that stops between its intent and its request, for longer than its lease.
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		cfg := short(3)
		cfg.Store, cfg.Processes, cfg.Kills, cfg.Stops = storetest.PostgresURL(t), 2, 0, 2
		cfg.Incidents, cfg.Versions = 6, 3
		if res := play(t, cfg); !res.Clean() || res.Stops == 0 {
			t.Errorf("%s", res)
		}
	})
	// The controls show that the harness sees what it looks for.
	t.Run("control: stopped without deadline", func(t *testing.T) {
		t.Parallel()
		cfg := short(3)
		cfg.Store, cfg.Processes, cfg.Kills, cfg.Stops = storetest.PostgresURL(t), 2, 0, 2
		cfg.Incidents, cfg.Versions, cfg.NoDeadline, cfg.Settle = 6, 3, true, 20*time.Second
		cfg.Faults = delivertest.Faults{} // nothing but the stop, so that the others have surely sent before it ends
		for range 4 {                     // a stop may happen to fall where it does no harm
			if res := play(t, cfg); len(res.Repeated) > 0 {
				return
			}
			cfg.Seed += 100
		}
		t.Error("requests that leave after the lease repeated nothing")
	})
	t.Run("control: naive", func(t *testing.T) {
		t.Parallel()
		cfg := short(4)
		cfg.Store = "sqlite:" + filepath.Join(t.TempDir(), "crash.db")
		cfg.Naive, cfg.Kills, cfg.Settle = true, 4, 6*time.Second
		if res := play(t, cfg); len(res.Repeated) == 0 {
			t.Error("the naive sender repeated nothing")
		}
	})
}
