package ansible_test

import (
	"testing"

	"downwind/stackparse/ansible"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, ansible.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, ansible.Parser{}, "site.yml", "roles/web/tasks/main.yml", "inventory/aws_ec2.yml", "packer.json")
}
