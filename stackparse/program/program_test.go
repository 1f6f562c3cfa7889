package program_test

import (
	"testing"

	"downwind/stackparse/program"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, program.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, program.Parser{}, "sst.config.ts", "bin/app.ts", "__main__.py", "main.go", "src/Client.php", "Stack.java", "Infra.cs")
}
