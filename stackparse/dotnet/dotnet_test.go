package dotnet_test

import (
	"testing"

	"downwind/stackparse/dotnet"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, dotnet.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, dotnet.Parser{}, "Api.csproj", "packages.config", "packages.lock.json", "Directory.Packages.props", "paket.dependencies")
}
