package kubernetes_test

import (
	"testing"

	"downwind/stackparse/kubernetes"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, kubernetes.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, kubernetes.Parser{}, "deploy.yaml", "values.yaml", "Chart.yaml", "kustomization.yaml")
}
