package php_test

import (
	"testing"

	"downwind/stackparse/php"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, php.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, php.Parser{}, "composer.json", "composer.lock")
}
