package config_test

import (
	"testing"

	"downwind/stackparse/config"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, config.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, config.Parser{}, "appsettings.json", "application.properties", "config.toml", ".npmrc", "nuget.config", ".bundle/config")
}
