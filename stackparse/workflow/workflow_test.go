package workflow_test

import (
	"testing"

	"downwind/stackparse/stackparsetest"
	"downwind/stackparse/workflow"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, workflow.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, workflow.Parser{}, ".gitlab-ci.yml", "action.yml", "cloudbuild.yaml", "deploy.sh")
}
