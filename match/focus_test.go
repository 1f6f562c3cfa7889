package match

import (
	"slices"
	"testing"

	"downwind"
)

// TestWordsNarrowLists judges notices whose words speak of less than their lists of components.
func TestWordsNarrowLists(t *testing.T) {
	j := judge(t)
	ev := func(kind, match, service string) downwind.Evidence {
		return downwind.Evidence{Kind: kind, Match: match, Service: service, Relation: downwind.Hosted}
	}
	kv := stackOf("cloudflare", ev("config_file", "wrangler.toml", "workers"), ev("binding", "kv_namespaces", "workers-kv"))
	mail := stackOf("sendgrid", ev("domain", "smtp.sendgrid.net", ""))
	pay := stackOf("paypal", ev("npm", "@paypal/paypal-server-sdk", ""))
	try := stackOf("paypal", ev("npm", "@paypal/paypal-server-sdk", ""), ev("domain", "api-m.sandbox.paypal.com", ""))
	crates := stackOf("crates-io", ev("registry", "Cargo.toml", ""))
	cases := []struct {
		name, provider, title, body string
		list                        []string
		stack                       *downwind.Stack
		want                        []string // nil: not affected
	}{
		{"title names one of two products, the other is used", "cloudflare", "R2 object reads failing", "Reading objects fails.", []string{"R2", "Workers KV"}, kv, nil},
		{"title names the one that is used", "cloudflare", "Workers KV reads failing", "Reads fail.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"words add the neighbour", "cloudflare", "R2 object reads failing", "Reads from Workers KV fail as well.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"several products are more than the title names", "cloudflare", "R2 and other products failing", "Reads fail.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"two names of one service, one cleared", "sendgrid", "SMTP hand-over slow", "Messages wait. The Web API is not affected.", []string{"SMTP", "Web API"}, mail, []string{"SMTP"}},
		{"sandbox only, production cleared", "paypal", "Payments in the sandbox time out", "Calls to the sandbox time out. Production is not affected.", []string{"Payments"}, pay, nil},
		{"sandbox only, and the files name it", "paypal", "Payments in the sandbox time out", "Calls to the sandbox time out. Production is not affected.", []string{"Payments"}, try, []string{"Payments"}},
		{"publishing only, main thing listed", "crates-io", "Publishing crates times out", "cargo publish fails. Downloads work.", []string{"crates.io"}, crates, nil},
		{"publishing and fetching", "crates-io", "Publishing and downloads time out", "Both fail. The website works.", []string{"crates.io"}, crates, []string{"crates.io"}},
		{"fetching only", "crates-io", "Downloads time out", "Downloads fail; publishing works.", []string{"crates.io"}, crates, []string{"crates.io"}},
		{"mail by SMTP only, client by the Web API", "sendgrid", "SMTP hand-over refused", "Connections are refused. The Web API is not affected.", []string{"SMTP"}, stackOf("sendgrid", ev("npm", "@sendgrid/mail", "")), nil},
		{"one cloud only, host on another", "databricks", "AWS us-west-2: jobs fail", "Jobs fail.", []string{"AWS us-west-2"}, stackOf("databricks", ev("domain", "adb-7.4.azuredatabricks.net", "")), nil},
		{"host below the console's", "sentry", "de.sentry.io ingestion down", "Events are dropped.", []string{"EU Ingestion"}, stackOf("sentry", ev("domain", "o7.ingest.de.sentry.io", "")), []string{"EU Ingestion"}},
		{"sandbox beside production", "paypal", "Payments time out", "Calls to the sandbox and to production time out.", []string{"Payments"}, pay, []string{"Payments"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(incident(c.provider, c.title, c.body, nil, c.list...), c.stack, nil, Known{})
			if m.Affected != (c.want != nil) || m.Urgency == downwind.UrgencyDashboard || !slices.Equal(m.Components, c.want) {
				t.Errorf("got %s %q (held %q: %s), want %q", m.Verdict, m.Components, m.Held, m.WhyNot, c.want)
			}
		})
	}
}

// TestUrgencyByPlace tells what suffers by where the evidence stands and by what the words mean.
func TestUrgencyByPlace(t *testing.T) {
	j := judge(t)
	at := func(file, kind, match, service string) downwind.Evidence {
		return downwind.Evidence{File: file, Line: 1, Kind: kind, Match: match, Service: service, Direct: true, Relation: downwind.Hosted}
	}
	maintenance := incident("livekit", "Planned upgrade of databases", "SIP calls may fail for a minute.", nil, "SIP")
	maintenance.Kind = downwind.KindMaintenance
	cases := []struct {
		name  string
		inc   *downwind.Incident
		stack *downwind.Stack
		want  downwind.Urgency
	}{
		{"key of a workflow only", incident("anthropic", "Messages API errors", "Requests fail.", nil, "API"), stackOf("anthropic", at(".github/workflows/review.yml", "env", "ANTHROPIC_API_KEY", "")), downwind.UrgencyBuild},
		{"key of a workflow and of what runs", incident("anthropic", "Messages API errors", "Requests fail.", nil, "API"), stackOf("anthropic", at(".github/workflows/review.yml", "env", "ANTHROPIC_API_KEY", ""), at(".env", "env", "ANTHROPIC_API_KEY", "")), downwind.UrgencyRuntime},
		{"files copied by a workflow", incident("aws", "S3 errors", "Requests fail.", nil, "Amazon S3"), stackOf("aws", at(".github/workflows/site.yml", "command", "aws s3 sync", "s3")), downwind.UrgencyBuild},
		{"what a workflow deploys runs", incident("google-cloud", "Cloud Run errors", "Requests fail.", nil, "Cloud Run"), stackOf("google-cloud", at(".github/workflows/site.yml", "command", "gcloud run deploy", "cloud-run")), downwind.UrgencyRuntime},
		{"what a workflow hands to a host of agents", incident("livekit", "Hosted agents end sessions", "Sessions end in the middle of a call.", nil, "Agents Hosted on LiveKit Cloud"), stackOf("livekit", at(".github/workflows/agent.yml", "command", "lk agent", "agents-hosted")), downwind.UrgencyRuntime},
		{"image that a build starts from", incident("aws", "ECR pulls fail", "Pulls fail.", nil, "Amazon ECR"), stackOf("aws", at("api/Dockerfile", "domain", "1.dkr.ecr.eu-west-1.amazonaws.com/base:3", "ecr")), downwind.UrgencyBuild},
		{"messages that programs publish", incident("google-cloud", "Pub/Sub publish latency", "Publish requests are slow.", nil, "Cloud Pub/Sub"), stackOf("google-cloud", at("go.mod", "go", "cloud.google.com/go/pubsub", "pub-sub")), downwind.UrgencyRuntime},
		{"publishing that fails while programs run", incident("google-cloud", "Pub/Sub publish errors", "Some are answered UNAVAILABLE.", nil, "Cloud Pub/Sub"), stackOf("google-cloud", at("go.mod", "go", "cloud.google.com/go/pubsub", "pub-sub")), downwind.UrgencyRuntime},
		{"client of the forge in a program", incident("github", "API failing", "Requests fail.", nil, "API Requests"), stackOf("github", at("go.mod", "go", "github.com/google/go-github/v80", "api")), downwind.UrgencyRuntime},
		{"upgrade that ends calls", maintenance, stackOf("livekit", at(".env", "env", "SIP_TRUNK_ID", "sip")), downwind.UrgencyRuntime},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if m := j.Match(c.inc, c.stack, nil, Known{}); m.Urgency != c.want {
				t.Errorf("got %s (%s, held %q: %s), want %s", m.Urgency, m.Verdict, m.Held, m.WhyNot, c.want)
			}
		})
	}
}

// TestEngines holds what runs another engine than the one that fails.
func TestEngines(t *testing.T) {
	j := judge(t)
	runs := func(engine string) *downwind.Stack {
		return stackOf("aws", downwind.Evidence{Kind: "tf_resource", Match: "aws_rds_cluster.c", Service: "rds", Region: "eu-west-1"}, downwind.Evidence{Kind: "setting", Match: "engine=" + engine})
	}
	for _, c := range []struct {
		name, title, engine string
		want                bool
	}{
		{"another dialect", "RDS: MySQL connections fail", "postgres", false},
		{"the same dialect", "RDS: MySQL connections fail", "aurora-mysql", true},
		{"Aurora alone", "Aurora PostgreSQL failovers are slow", "postgres", false},
		{"Aurora, any dialect", "Aurora failovers are slow", "aurora-mysql", true},
		{"two dialects", "RDS: MySQL and PostgreSQL connections fail", "postgres", true},
		{"no engine named", "RDS connections fail", "postgres", true},
		{"a cache is no database", "RDS connections fail, Redis clients too", "postgres", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(incident("aws", c.title, "Errors in EU-WEST-1.", []string{"eu-west-1"}, "Amazon Relational Database Service"), runs(c.engine), nil, Known{})
			if m.Affected != c.want {
				t.Errorf("got %s (%s), want %v", m.Verdict, m.WhyNot, c.want)
			}
		})
	}
}
