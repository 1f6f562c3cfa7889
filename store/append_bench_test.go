//go:build unix

package store_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"downwind"
	"downwind/proof"
	"downwind/store"
	"downwind/store/storetest"
)

// processor is the processor time that the process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAppend archives versions with their leaves on SQLite (synchronous=FULL), and reports versions per second by the
// clock and by processor time: one a transaction, and 500 a transaction.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 500} {
		b.Run(fmt.Sprintf("%d-a-transaction", size), func(b *testing.B) {
			db := storetest.Open(b, func(o *store.Options) { o.Leaves = store.LeafOf })
			ctx, n, used := context.Background(), 0, processor(b)
			for b.Loop() {
				p := downwind.Plan{Provider: "lumen", At: start}
				for range size {
					in := incident(fmt.Sprintf("inc-%d", n), downwind.Investigating)
					p.Versions = append(p.Versions, version(in, start))
					n++
				}
				must(b, db.Apply(ctx, p))
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "versions/s")
			b.ReportMetric(float64(n)/(processor(b)-used).Seconds(), "versions/cpu-s")
			got, err := proof.Size(ctx, db.Log())
			must(b, err)
			want(b, "leaves", got, int64(n))
		})
	}
}
