package rust_test

import (
	"testing"

	"downwind/stackparse/rust"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, rust.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, rust.Parser{}, "Cargo.toml", "Cargo.lock")
}
