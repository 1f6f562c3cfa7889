package match

import (
	"slices"
	"testing"

	"downwind"
)

// TestKindsOfNotices judges the ways in which pages write, each seen on real histories and told in our own words.
func TestKindsOfNotices(t *testing.T) {
	j := judge(t)
	ev := func(kind, match, service, region string) downwind.Evidence {
		return downwind.Evidence{Kind: kind, Match: match, Service: service, Region: region, Relation: downwind.Hosted}
	}
	droplets := stackOf("digitalocean", ev("tf_resource", "digitalocean_droplet.d", "droplets", "fra1"), ev("tf_resource", "digitalocean_spaces_bucket.b", "spaces", "ams3"))
	workflow := stackOf("github", ev("config_file", ".github/workflows/ci.yml", "actions", ""), ev("gh_action", "actions/checkout", "git-operations", ""))
	worker := stackOf("cloudflare", ev("config_file", "wrangler.toml", "workers", ""))
	client := stackOf("openai", ev("npm", "openai", "", ""), ev("model", "gpt-4.1-mini", "", ""))
	number := stackOf("livekit", ev("env", "LIVEKIT_PHONE_NUMBER_ID", "", ""), ev("domain", "acme.us.sip.livekit.cloud", "", "us"))
	queue := stackOf("aws", ev("tf_resource", "aws_sqs_queue.q", "sqs", "us-east-2"))
	dataset := func(region string) *downwind.Stack {
		return stackOf("google-cloud", ev("tf_resource", "google_bigquery_dataset.d", "bigquery", region))
	}
	functions := stackOf("vercel", ev("setting", "regions", "functions", "iad1"))
	vertex := stackOf("google-cloud", ev("model", "gemini-2.5-flash", "vertex-ai", "europe-west4"))
	site := stackOf("github", ev("domain", "acme.github.io", "pages", ""))
	postgres := stackOf("aws", ev("tf_resource", "aws_db_instance.d", "rds", "eu-west-2"), ev("setting", "engine=postgres", "rds", ""))
	images := stackOf("github", ev("image", "ghcr.io/acme/a", "packages", ""))
	post := func(inc *downwind.Incident, body string) *downwind.Incident {
		inc.Updates = append(inc.Updates, downwind.Update{ID: body, Body: body})
		return inc
	}
	cases := []struct {
		name       string
		inc        *downwind.Incident
		stack      *downwind.Stack
		want       string
		components []string
		urgency    downwind.Urgency
	}{
		{"list of service and place, used there", incident("digitalocean", "Spaces errors", "Requests fail.", nil, "Spaces", "AMS3"), droplets, "yes", []string{"Spaces", "AMS3"}, downwind.UrgencyRuntime},
		{"list of service and place, used elsewhere", incident("digitalocean", "Droplets unreachable", "Connections fail.", nil, "Droplets", "AMS3"), droplets, "no", nil, ""},
		{"place with the title's service", incident("digitalocean", "Droplet connectivity", "Connections fail.", nil, "AMS3"), droplets, "no", nil, ""},
		{"network of a region", incident("digitalocean", "AMS3 Network Maintenance", "Packets may be lost.", nil), droplets, "yes", nil, downwind.UrgencyRuntime},
		{"whole provider, title names a product", incident("digitalocean", "App Platform builds", "Builds fail.", nil, "Global"), droplets, "no", nil, ""},
		{"title in capitals that names nothing", incident("digitalocean", "Create Failures Observed", "Users may see errors.", nil), droplets, "possible", nil, ""},
		{"normal again is recovery", post(incident("github", "Disruption", "Actions is experiencing degraded performance.", nil), "Actions is operating normally."), workflow, "yes", nil, downwind.UrgencyBuild},
		{"not affected is clearing", post(incident("github", "Disruption", "Pages and Actions may be degraded.", nil), "Actions was not affected."), workflow, "no", nil, ""},
		{"data centre that nobody chooses", incident("github", "Incident with Actions", "Runs fail because of load balancers in our Central US site.", nil, "Actions"), workflow, "yes", []string{"Actions"}, downwind.UrgencyBuild},
		{"a portal of something else", incident("cloudflare", "Sign-in to the new portal", "Logins fail.", nil, "MCP Portal"), worker, "no", nil, ""},
		{"a console of the provider", incident("cloudflare", "Dashboard slow", "Pages time out.", nil, "Dashboard"), worker, "possible", []string{"Dashboard"}, downwind.UrgencyDashboard},
		{"two cities of one continent", incident("cloudflare", "Errors in Dubai and Bangkok", "Visitors see errors.", nil, "Network"), worker, "possible", []string{"Network"}, downwind.UrgencyRuntime},
		{"model in the title, used", incident("openai", "Latency across gpt 4.1 mini", "Requests are slow.", nil), client, "yes", nil, downwind.UrgencyRuntime},
		{"model in the title, another used", incident("openai", "Latency with gpt-image-2", "Requests are slow.", nil), client, "no", nil, ""},
		{"creating resources is building", incident("digitalocean", "Global Droplet creation issues", "Creating Droplets fails.", nil), droplets, "yes", nil, downwind.UrgencyBuild},
		{"kind of calls, places cleared", incident("livekit", "SIP failures in US West", "Inbound and outbound SIP calls in US West fail. Other regions are not affected.", nil, "US West - SIP"), number, "yes", []string{"US West - SIP"}, downwind.UrgencyRuntime},
		{"one kind of calls, the other cleared", incident("livekit", "Outbound SIP calls failing", "Outbound SIP calls fail. Inbound calls are not affected.", nil, "SIP"), number, "no", nil, ""},
		{"one kind of calls on what is used", incident("livekit", "Outbound calls failing on phone numbers", "Outbound calls fail. Calls over your own trunks are not affected.", nil, "Phone Numbers"), number, "yes", []string{"Phone Numbers"}, downwind.UrgencyRuntime},
		{"impaired zone", incident("aws", "Amazon SQS connectivity", "Connectivity in a single Availability Zone (use2-az2) is impaired.", []string{"us-east-2"}, "Amazon SQS"), queue, "possible", []string{"Amazon SQS"}, downwind.UrgencyRuntime},
		{"calls that go on are no building", incident("livekit", "SIP transfers failing", "TransferSIPParticipant requests time out. Calls in progress are not affected.", nil, "SIP"), number, "possible", []string{"SIP"}, downwind.UrgencyRuntime},
		{"a place of several regions, used", incident("google-cloud", "BigQuery errors in EU", "Queries in the EU multi-region fail.", []string{"eu"}, "Google BigQuery"), dataset("EU"), "yes", []string{"Google BigQuery"}, downwind.UrgencyRuntime},
		{"a place of several regions, one of them used", incident("google-cloud", "BigQuery errors in EU", "Queries in the EU multi-region fail.", []string{"eu"}, "Google BigQuery"), dataset("europe-west3"), "no", nil, ""},
		{"several regions of an area", incident("google-cloud", "BigQuery errors in Europe", "Queries in Europe fail.", nil, "Google BigQuery"), dataset("europe-west3"), "yes", []string{"Google BigQuery"}, downwind.UrgencyRuntime},
		{"edge of a network, functions elsewhere", incident("vercel", "Edge network errors in Mumbai", "Requests routed through Mumbai fail.", []string{"bom1"}, "Edge Network - bom1"), functions, "possible", []string{"Edge Network - bom1"}, downwind.UrgencyRuntime},
		{"one kind of packages, another used", incident("github", "Incident with Packages", "npm packages cannot be installed. Container images are not affected.", nil, "Packages"), images, "no", nil, ""},
		{"one kind of packages, used", incident("github", "Incident with Packages", "Container images cannot be pulled. npm packages are not affected.", nil, "Packages"), images, "yes", []string{"Packages"}, downwind.UrgencyBuild},
		{"reached through somebody else", incident("google-gemini", "Gemini API errors", "Requests to the Gemini API fail.", nil, "Gemini API"), vertex, "possible", nil, downwind.UrgencyRuntime},
		{"reached through somebody else, who is cleared", incident("google-gemini", "Gemini API errors", "Requests to the Gemini API fail. Vertex AI is not affected.", nil, "Gemini API"), vertex, "no", nil, ""},
		{"sites fail under a host that is used", incident("github", "Pages sites unavailable", "Sites return 502.", nil, "Pages"), site, "yes", []string{"Pages"}, downwind.UrgencyRuntime},
		{"deploys of sites fail", incident("github", "Pages deployments failing", "Deployments fail. Published sites are served normally.", nil, "Pages"), site, "yes", []string{"Pages"}, downwind.UrgencyBuild},
		{"search of a registry, installs work", incident("pypi", "Search on pypi.org unavailable", "Searching returns 503. Installing and uploading packages works.", nil, "pypi.org"), stackOf("pypi", ev("registry", "requirements.txt", "", "")), "no", nil, ""},
		{"Aurora as a neighbour", incident("aws", "Amazon RDS errors", "Connections to some RDS and Aurora instances in EU-WEST-2 time out.", []string{"eu-west-2"}, "Amazon RDS"), postgres, "yes", []string{"Amazon RDS"}, downwind.UrgencyRuntime},
		{"Aurora alone", incident("aws", "Amazon RDS errors", "Connections to Aurora clusters in EU-WEST-2 time out.", []string{"eu-west-2"}, "Amazon RDS"), postgres, "no", nil, ""},
		{"a family of models by its first", incident("openai", "Errors for GPT-4.1 models", "Requests to gpt-4.1 and gpt-4.1-mini fail. Other models are not affected.", nil), client, "yes", nil, downwind.UrgencyRuntime},
		{"one model by name", incident("openai", "Errors for GPT-4.1", "Requests to gpt-4.1 fail. Other models are not affected.", nil), client, "no", nil, ""},
		{"calls of servers, browsers only", incident("livekit", "Elevated API latency", "Server API requests are slow.", nil, "Server APIs"), stackOf("livekit", ev("npm", "livekit-client", "", "")), "no", nil, ""},
		{"calls of servers", incident("livekit", "Elevated API latency", "Server API requests are slow.", nil, "Server APIs"), stackOf("livekit", ev("npm", "livekit-server-sdk", "", "")), "yes", []string{"Server APIs"}, downwind.UrgencyRuntime},
		{"work that nobody notices", func() *downwind.Incident {
			i := incident("digitalocean", "FRA1 maintenance", "We do not expect any impact.", nil)
			i.Kind = downwind.KindMaintenance
			return i
		}(), droplets, "no", nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(c.inc, c.stack, nil, Known{})
			got := map[downwind.Verdict]string{downwind.AffectedSure: "yes", downwind.AffectedLikely: "yes", downwind.AffectedPossible: "possible", downwind.NotAffected: "no"}[m.Verdict]
			if got != c.want {
				t.Fatalf("got %s (held %q: %s), want %s", got, m.Held, m.WhyNot, c.want)
			}
			slices.Sort(m.Components)
			slices.Sort(c.components)
			if got != "no" && !slices.Equal(m.Components, c.components) {
				t.Errorf("components: got %q, want %q", m.Components, c.components)
			}
			if c.urgency != "" && m.Urgency != c.urgency {
				t.Errorf("urgency: got %s, want %s", m.Urgency, c.urgency)
			}
		})
	}
}

// TestOrderChangesNothing turns evidence, components and regions round.
func TestOrderChangesNothing(t *testing.T) {
	j := judge(t)
	es := []downwind.Evidence{
		{File: "a.tf", Line: 1, Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: "us-east-2"},
		{File: "b.tf", Line: 2, Kind: "tf_resource", Match: "aws_lambda_function.f", Service: "lambda", Region: "eu-west-1"},
		{File: ".env", Line: 3, Kind: "env", Match: "AWS_REGION", Region: "us-east-2"},
	}
	inc := incident("aws", "Several services", "Requests fail in US-EAST-2 and EU-WEST-1.", []string{"us-east-2", "eu-west-1"}, "Amazon SQS", "AWS Lambda", "Amazon S3")
	a := j.Match(inc, stackOf("aws", es...), nil, Known{})
	slices.Reverse(es)
	slices.Reverse(inc.Components)
	slices.Reverse(inc.Regions)
	b := j.Match(inc, stackOf("aws", es...), nil, Known{})
	for _, list := range [][]string{a.Components, b.Components, a.Regions, b.Regions} {
		slices.Sort(list)
	}
	if a.Verdict != b.Verdict || a.Urgency != b.Urgency || !slices.Equal(a.Components, b.Components) || !slices.Equal(a.Regions, b.Regions) {
		t.Errorf("got %+v and, turned round, %+v", a, b)
	}
}

func TestMockBesideAClientChangesNothing(t *testing.T) {
	j := judge(t)
	s := stackOf("stripe", downwind.Evidence{Kind: "pypi", Match: "stripe", Relation: downwind.Hosted})
	inc := incident("stripe", "API errors", "Requests fail.", nil, "API")
	s.SelfHosted = map[string][]downwind.Evidence{"stripe": {{File: "compose.yaml", Kind: "image", Match: "stripe/stripe-mock", Relation: downwind.TypeOnly}}}
	if m := j.Match(inc, s, nil, Known{}); !m.Affected {
		t.Errorf("with a mock: got %s (%s), want affected", m.Verdict, m.WhyNot)
	}
	s.SelfHosted["stripe"][0] = downwind.Evidence{File: ".env", Kind: "endpoint", Match: "payments.internal"}
	if m := j.Match(inc, s, nil, Known{}); m.Affected || m.Held != downwind.HeldSelfHosted {
		t.Errorf("with an endpoint: got %s held %q, want no, self_hosted", m.Verdict, m.Held)
	}
}

func TestOnlySSHIsHit(t *testing.T) {
	j := judge(t)
	checkout := downwind.Evidence{Kind: "gh_action", Match: "actions/checkout", Service: "git-operations", Relation: downwind.BuildTime}
	module := downwind.Evidence{Kind: "submodule", Match: "git@github.com:acme/lib.git", Service: "git-operations", Relation: downwind.BuildTime}
	both := incident("github", "Git over SSH failing", "Git operations over SSH fail. HTTPS works.", nil, "Git Operations")
	alone := incident("github", "Git over SSH failing", "Git operations over SSH fail, HTTPS is slow.", nil, "Git Operations")
	if m := j.Match(both, stackOf("github", checkout), nil, Known{}); m.Affected || m.Held != downwind.HeldProduct {
		t.Errorf("checkout by HTTPS: got %s held %q, want no, product", m.Verdict, m.Held)
	}
	if m := j.Match(both, stackOf("github", module), nil, Known{}); !m.Affected {
		t.Errorf("submodule by SSH: got no (%s), want affected", m.WhyNot)
	}
	if m := j.Match(alone, stackOf("github", checkout), nil, Known{}); !m.Affected {
		t.Errorf("HTTPS not cleared: got no (%s), want affected", m.WhyNot)
	}
}

// TestComponentsThatNoTableKnows judges components by their names alone, at a provider without tables.
func TestComponentsThatNoTableKnows(t *testing.T) {
	j := judge(t)
	s := stackOf("nimbus", downwind.Evidence{Kind: "npm", Match: "nimbus-sdk", Relation: downwind.Hosted}, downwind.Evidence{Kind: "domain", Match: "api.nimbus.io", Relation: downwind.Hosted})
	s.Providers[0].Confidence = downwind.Sure
	cases := []struct {
		component, want string
		urgency         downwind.Urgency
		open            string
	}{
		{"Message Delivery", "yes", downwind.UrgencyRuntime, ""},
		{"Nimbus API", "yes", downwind.UrgencyRuntime, ""},
		{"api.nimbus.io", "yes", downwind.UrgencyRuntime, ""},
		{"eu.api.nimbus.io", "no", "", ""},
		{"staging-api.nimbus.io", "no", "", ""},
		{"Visual Editor", "possible", downwind.UrgencyDashboard, ""},
		{"Desktop application", "possible", downwind.UrgencyDashboard, ""},
		{"Mobile Push API", "possible", downwind.UrgencyRuntime, "product"},
		{"Translation Memory", "possible", downwind.UrgencyRuntime, "product"},
		{"NA224", "possible", downwind.UrgencyRuntime, "region"},
		{"Pod 19", "possible", downwind.UrgencyRuntime, "region"},
		{"Sandbox", "no", "", ""},
	}
	for _, c := range cases {
		t.Run(c.component, func(t *testing.T) {
			m := j.Match(incident("nimbus", "Degraded performance", "Requests fail.", nil, c.component), s, nil, Known{Provider: downwind.Provider{Slug: "nimbus", Name: "Nimbus"}})
			got := map[downwind.Verdict]string{downwind.AffectedSure: "yes", downwind.AffectedLikely: "yes", downwind.AffectedPossible: "possible", downwind.NotAffected: "no"}[m.Verdict]
			if got != c.want {
				t.Fatalf("got %s (held %q: %s; open %q), want %s", got, m.Held, m.WhyNot, m.OpenQuestion, c.want)
			}
			if got != "no" && m.Urgency != c.urgency || c.open != "" && m.OpenQuestion != c.open {
				t.Errorf("got urgency %s, open %q, want %s, %q", m.Urgency, m.OpenQuestion, c.urgency, c.open)
			}
		})
	}
}
