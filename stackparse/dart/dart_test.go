package dart_test

import (
	"testing"

	"downwind/stackparse/dart"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, dart.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, dart.Parser{}, "pubspec.yaml", "pubspec.lock")
}
