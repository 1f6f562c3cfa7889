package match

import (
	"testing"

	"downwind"
)

// TestKindsOfLists judges what a title, the posts and the list say of each other, and where what is not told lies; each was seen on
// histories or told by readers, and is written in our own words.
func TestKindsOfLists(t *testing.T) {
	j := judge(t)
	ev := func(kind, match, service, region string) downwind.Evidence {
		return downwind.Evidence{Kind: kind, Match: match, Service: service, Region: region, Relation: downwind.Hosted, Direct: true}
	}
	trunk := stackOf("livekit", ev("pypi", "livekit-agents", "", ""), ev("env", "SIP_OUTBOUND_TRUNK_ID", "", ""))
	search := stackOf("algolia", ev("env", "ALGOLIA_APP_ID", "", ""))
	apps := stackOf("fly-io", ev("config_file", "fly.toml", "", ""), ev("setting", "primary_region", "", "lhr"), ev("command", "flyctl scale", "machines-api", "ams"))
	kv := stackOf("cloudflare", ev("config_file", "wrangler.toml", "workers", ""), ev("use", "kv_namespaces", "workers-kv", ""))
	phone := stackOf("firebase", ev("pub", "firebase_core", "", ""), ev("pub", "firebase_messaging", "", ""))
	web := stackOf("firebase", ev("npm", "firebase", "", ""))
	video := stackOf("twilio", ev("npm", "twilio", "", ""), ev("code", "client.video.rooms", "", ""))
	onCall := stackOf("pagerduty", ev("tf_resource", "pagerduty_service.s", "", ""))
	agent := stackOf("datadog", ev("domain", "datadoghq.com", "", ""), ev("setting", "datadog.enabled=false", "", ""))
	windows := stackOf("github", ev("config_file", ".github/workflows/ci.yml", "actions", ""), ev("ci", "runs-on windows-latest", "actions", ""))
	two := stackOf("aws", ev("tf_resource", "aws_sqs_queue.a", "sqs", "eu-west-1"), ev("tf_resource", "aws_sqs_queue.b", "sqs", ""), ev("tf_resource", "aws_sns_topic.t", "sns", "eu-north-1"))
	one := stackOf("aws", ev("tf_resource", "aws_sqs_queue.a", "sqs", "eu-west-1"), ev("tf_resource", "aws_sqs_queue.b", "sqs", ""))
	ownRunner := stackOf("github", ev("config_file", ".github/workflows/ci.yml", "actions", ""), ev("ci", "runs-on self-hosted", "actions", ""))
	client := stackOf("anthropic", ev("pypi", "anthropic", "", ""))
	haiku := stackOf("anthropic", ev("pypi", "anthropic", "", ""), ev("model", "claude-haiku-4-5", "", ""))
	insights := stackOf("azure", ev("domain", "eastus-4.in.applicationinsights.azure.com", "application-insights", ""))
	insights2 := stackOf("azure", ev("domain", "eastus2-4.in.applicationinsights.azure.com", "application-insights", ""))
	cdn := stackOf("aws", ev("tf_resource", "aws_cloudfront_distribution.d", "cloudfront", "global"), ev("tf_resource", "aws_s3_bucket.b", "s3", "eu-west-3"))
	tenant := stackOf("auth0", ev("domain", "acme.eu.auth0.com", "", "eu"))
	plugin := stackOf("livekit", ev("pypi", "livekit-agents", "", ""), ev("pypi", "livekit-plugins-cartesia", "", ""))
	cases := []struct {
		name  string
		inc   *downwind.Incident
		stack *downwind.Stack
		want  downwind.Verdict
	}{
		{"the title tells more of a listed component", incident("livekit", "Phone Numbers: incoming calls refused", "Calls to bought numbers are refused.", nil, "Phone Numbers"), trunk, downwind.NotAffected},
		{"the title names a service that the list leaves out", incident("livekit", "Outgoing telephony calls fail", "Calls fail.", nil, "Ingress"), trunk, downwind.AffectedSure},
		{"one cluster of many, named in title and list", incident("algolia", "Search API slow on c9-usw", "Applications on c9-usw wait.", nil, "c9-usw"), search, downwind.AffectedPossible},
		{"the title says a word of the component's name", incident("fly-io", "Machine creation fails in LHR", "New machines cannot be created.", []string{"lhr"}, "Machines API"), apps, downwind.AffectedSure},
		{"a later post adds a service", func() *downwind.Incident {
			i := incident("cloudflare", "Errors", "Requests to R2 fail.", nil, "R2")
			i.Updates = append(i.Updates, downwind.Update{ID: "later", Body: "Writes to Workers KV are also affected."})
			return i
		}(), kv, downwind.AffectedSure},
		{"no later post adds one", incident("cloudflare", "Errors", "Requests to R2 fail.", nil, "R2"), kv, downwind.NotAffected},
		{"one package for each product", incident("firebase", "Realtime Database unreachable", "Connections fail.", nil, "Realtime Database"), phone, downwind.NotAffected},
		{"one package for all products", incident("firebase", "Realtime Database unreachable", "Connections fail.", nil, "Realtime Database"), web, downwind.AffectedPossible},
		{"a country of end users", incident("twilio", "Video rooms in Chile", "Joining fails.", []string{"Chile"}, "Programmable Video"), video, downwind.AffectedPossible},
		{"resources of a provider with a documented place", incident("pagerduty", "US: late notifications", "Notifications are late.", []string{"US"}, "Notification Delivery"), onCall, downwind.AffectedLikely},
		{"the same, another place", incident("pagerduty", "EU: late notifications", "Notifications are late.", []string{"EU"}, "Notification Delivery"), onCall, downwind.NotAffected},
		{"a setting that switches it off", incident("datadog", "Metrics are rejected", "Metrics are rejected.", nil, "Metrics"), agent, downwind.NotAffected},
		{"runners of another system", incident("github", "Ubuntu runners wait", "Jobs on Ubuntu runners wait.", nil, "Actions"), windows, downwind.NotAffected},
		{"words clear what teams run themselves", incident("github", "Larger runners do not start", "Jobs on larger runners wait. Self-hosted runners are not affected.", nil, "Actions"), ownRunner, downwind.NotAffected},
		{"several models at first, then one, used another", incident("anthropic", "Errors for multiple models", "Requests to Claude Opus 5 fail. All other models work normally.", nil, "Claude API (api.anthropic.com)"), haiku, downwind.NotAffected},
		{"several models at first, then one, none told", incident("anthropic", "Errors for multiple models", "Requests to Claude Opus 5 fail. The other models are not affected.", nil, "Claude API (api.anthropic.com)"), client, downwind.AffectedPossible},
		{"several models", incident("anthropic", "Errors for multiple models", "Requests fail.", nil, "Claude API (api.anthropic.com)"), haiku, downwind.AffectedSure},
		{"a region with a number in a host", incident("azure", "Application Insights - East US", "Data is late in East US.", []string{"eastus"}, "Application Insights"), insights, downwind.AffectedSure},
		{"another region with a number in a host", incident("azure", "Application Insights - East US", "Data is late in East US.", []string{"eastus"}, "Application Insights"), insights2, downwind.NotAffected},
		{"builds at the provider, of which files tell nothing", incident("cloudflare", "Workers Builds wait", "Builds start late.", nil, "Workers Builds"), kv, downwind.AffectedPossible},
		{"some edge locations of a global service", incident("aws", "CloudFront errors at edge locations in Asia", "Visitors near Seoul see errors.", nil, "Amazon CloudFront"), cdn, downwind.AffectedPossible},
		{"a global service with its page's region", incident("aws", "CloudFront: errors", "Distributions return errors.", []string{"us-east-1"}, "Amazon CloudFront"), cdn, downwind.AffectedSure},
		{"words name a part of the page's place", incident("auth0", "Logins fail in EU-2", "Tenants in EU-2 cannot log in.", []string{"eu"}, "User Authentication"), tenant, downwind.AffectedPossible},
		{"posts name the listed component, the title what stands on it", incident("livekit", "Agent sessions lose their voice", "Voices of LiveKit Inference break off.", nil, "LiveKit Inference"), plugin, downwind.NotAffected},
		{"one cluster of many, named in the words", incident("algolia", "Search is slow", "Requests on cluster c9-usw wait.", nil, "Search API"), search, downwind.AffectedPossible},
		{"an untold place beside several", incident("aws", "SQS errors (Oregon)", "Requests fail.", []string{"us-west-2"}, "Amazon SQS"), two, downwind.AffectedPossible},
		{"an untold place beside one only", incident("aws", "SQS errors (Oregon)", "Requests fail.", []string{"us-west-2"}, "Amazon SQS"), one, downwind.NotAffected},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if m := j.Match(c.inc, c.stack, nil, Known{}); m.Verdict != c.want {
				t.Errorf("got %s (held %q: %s; open %q), want %s", m.Verdict, m.Held, m.WhyNot, m.OpenQuestion, c.want)
			}
		})
	}
}
