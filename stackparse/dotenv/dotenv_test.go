package dotenv_test

import (
	"testing"

	"downwind/stackparse/dotenv"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, dotenv.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, dotenv.Parser{}, ".env", ".env.example")
}
