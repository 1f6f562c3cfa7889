package golang_test

import (
	"testing"

	"downwind/stackparse/golang"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, golang.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, golang.Parser{}, "go.mod", "go.sum", "go.work")
}
