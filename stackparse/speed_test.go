package stackparse_test

import (
	"context"
	"os"
	"testing"

	"downwind/stackparse"
	"downwind/stackparse/all"
)

// BenchmarkReadPaths reads the folder named by STACK_BENCH, the stack corpus by default.
func BenchmarkReadPaths(b *testing.B) {
	dir := os.Getenv("STACK_BENCH")
	if dir == "" {
		dir = "../../shared/corpus/stacks"
	}
	if _, err := os.Stat(dir); err != nil {
		b.Skipf("no files to read: %v", err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := stackparse.New(stackparse.Options{Parsers: all.Parsers()})
		if _, err := r.ReadPaths(context.Background(), []string{dir}); err != nil {
			b.Fatal(err)
		}
	}
}
