package deliver_test

import (
	"context"
	"testing"

	"downwind/store/storetest"
)

// BenchmarkQueue raises one incident for 10,000 destinations without delivering.
func BenchmarkQueue(b *testing.B) {
	for range b.N {
		b.StopTimer()
		db := storetest.Open(b)
		plan := burstPlan(b, db)
		b.StartTimer()
		must(b, db.Apply(context.Background(), plan))
	}
}
