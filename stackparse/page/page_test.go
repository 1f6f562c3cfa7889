package page_test

import (
	"testing"

	"downwind/stackparse/page"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, page.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, page.Parser{}, "index.html")
}
