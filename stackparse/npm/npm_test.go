package npm_test

import (
	"testing"

	"downwind/stackparse/npm"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, npm.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, npm.Parser{}, "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "deno.json", "deno.lock")
}
