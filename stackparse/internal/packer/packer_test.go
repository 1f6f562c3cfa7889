package packer_test

import (
	"testing"

	"downwind/stackparse/internal/packer"
)

func TestBuilder(t *testing.T) {
	for _, c := range []struct{ kind, provider, service string }{
		{"amazon-ebs", "aws", "ec2"},
		{"azure-arm", "azure", "virtual-machines"},
		{"hcloud", "hetzner", ""},
		{"docker", "", ""},
		{"", "", ""},
	} {
		if p, s := packer.Builder(c.kind); p != c.provider || s != c.service {
			t.Errorf("Builder(%q) = %q, %q; want %q, %q", c.kind, p, s, c.provider, c.service)
		}
	}
}
