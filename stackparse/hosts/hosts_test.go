package hosts_test

import (
	"testing"

	"downwind/stackparse/hosts"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, hosts.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, hosts.Parser{}, "domains.txt", "hosts.csv", "acme.zone")
}
