package elixir_test

import (
	"testing"

	"downwind/stackparse/elixir"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, elixir.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, elixir.Parser{}, "mix.exs", "mix.lock", "gleam.toml", "config/runtime.exs")
}
