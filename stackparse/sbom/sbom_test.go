package sbom_test

import (
	"testing"

	"downwind/stackparse/sbom"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, sbom.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, sbom.Parser{}, "bom.json", "bom.xml", "acme.spdx")
}
