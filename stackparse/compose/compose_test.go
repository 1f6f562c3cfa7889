package compose_test

import (
	"testing"

	"downwind/stackparse/compose"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, compose.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, compose.Parser{}, "compose.yaml", "Dockerfile")
}
