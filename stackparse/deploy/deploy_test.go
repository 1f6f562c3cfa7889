package deploy_test

import (
	"testing"

	"downwind/stackparse/deploy"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, deploy.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, deploy.Parser{}, "template.yaml", "serverless.yml", "Pulumi.yaml", "cdk.context.json", "samconfig.toml", "azuredeploy.json", "main.bicep", "web.nomad.hcl", "main.parameters.json")
}
