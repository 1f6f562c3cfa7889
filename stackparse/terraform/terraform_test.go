package terraform_test

import (
	"testing"

	"downwind/stackparse/stackparsetest"
	"downwind/stackparse/terraform"
)

func TestFixtures(t *testing.T) { stackparsetest.RunIn(t, terraform.Parser{}, "testdata/code") }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, terraform.Parser{}, "main.tf", "main.tf.json", "terraform.tfvars", ".terraform.lock.hcl", "terragrunt.hcl")
}

func TestStates(t *testing.T) { stackparsetest.RunIn(t, terraform.State{}, "testdata/state") }

func FuzzState(f *testing.F) {
	stackparsetest.Fuzz(f, terraform.State{}, "terraform.tfstate", "plan.json")
}
