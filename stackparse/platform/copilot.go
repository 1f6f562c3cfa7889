package platform

import (
	"path"
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// copilotKinds are the kinds of services that AWS Copilot deploys, with what runs them.
var copilotKinds = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"Load Balanced Web Service": {"ecs", "elb"}, "Backend Service": {"ecs"}, "Worker Service": {"ecs", "sqs"}, "Scheduled Job": {"ecs", "eventbridge"}, "Request-Driven Web Service": {"app-runner"}, "Static Site": {"s3", "cloudfront"},
	}
})

// copilotManifest says whether a path is the manifest of a service of AWS Copilot.
func copilotManifest(p string) bool {
	base := path.Base(p)
	return (base == "manifest.yml" || base == "manifest.yaml") && strings.Contains("/"+p, "/copilot/")
}

// copilot reads a manifest: what runs the service, and the variables and secrets that it is given.
func copilot(n *scan.Node, out *stackparse.Result) {
	kind := n.Get("type")
	for _, service := range copilotKinds()[kind.Str()] {
		use(out, "aws", service, kind.Str(), kind.Line)
	}
	n.WalkMaps(func(m *scan.Node) {
		table(m.Get("variables"), out)
		m.Get("secrets").Each(func(k string, line int, _ *scan.Node) {
			out.Setting(stackparse.Setting{Name: k, Line: line, Secret: true})
		})
	})
}

// categories are services as Amplify writes them down for what it has set up.
var categories = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Cognito": "cognito", "AppSync": "appsync", "S3": "s3", "Lambda": "lambda", "API Gateway": "apigateway", "DynamoDB": "dynamodb", "Kinesis": "kinesis", "Pinpoint": "pinpoint", "S3AndCloudFront": "cloudfront", "ElasticContainer": "ecs", "Lex": "lex", "Rekognition": "rekognition", "Translate": "translate",
	}
})

// amplifyBackend reads which services Amplify has set up: kinds of things, with the things of each.
func amplifyBackend(n *scan.Node, out *stackparse.Result) {
	n.Each(func(_ string, _ int, all *scan.Node) {
		all.Each(func(_ string, _ int, one *scan.Node) {
			if s := one.Get("service"); categories()[s.Str()] != "" {
				use(out, "aws", categories()[s.Str()], s.Str(), s.Line)
			}
		})
	})
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}
