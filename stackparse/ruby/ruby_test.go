package ruby_test

import (
	"testing"

	"downwind/stackparse/ruby"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, ruby.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, ruby.Parser{}, "Gemfile", "Gemfile.lock", "acme.gemspec")
}
