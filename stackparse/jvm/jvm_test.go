package jvm_test

import (
	"testing"

	"downwind/stackparse/jvm"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, jvm.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, jvm.Parser{}, "pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml", "gradle.lockfile", "build.sbt")
}
