package apple_test

import (
	"testing"

	"downwind/stackparse/apple"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, apple.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, apple.Parser{}, "Fastfile", "Podfile", "Podfile.lock", "Package.resolved", "Package.swift")
}
