package main

import (
	"testing"

	"downwind"
)

// TestRelevanceExamples holds the twenty examples of docs/relevance.md against the judge, by their number there.
func TestRelevanceExamples(t *testing.T) {
	sqs := func(region string) map[string]string {
		return map[string]string{"main.tf": "provider \"aws\" {\n  region = " + region + "\n}\nresource \"aws_sqs_queue\" \"q\" {\n  name = \"q\"\n}\n"}
	}
	with := func(m map[string]string, name, text string) map[string]string { m[name] = text; return m }
	file := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	inc := func(title, body string, regions []string, components ...string) downwind.Incident {
		i := downwind.Incident{ID: "i", Kind: downwind.KindIncident, Phase: downwind.Identified, Title: title, Regions: regions, Updates: []downwind.Update{{ID: "u", Body: body}}}
		for _, c := range components {
			i.Components = append(i.Components, downwind.Component{Name: c})
		}
		return i
	}
	ohio := inc("SQS increased latencies (Ohio)", "SendMessage in US-EAST-2 is slow.", []string{"us-east-2"}, "Amazon SQS")
	iam := inc("AWS IAM: delays in propagating changes", "Changed roles take long to become visible. Existing credentials kept working.", []string{"us-east-1"}, "AWS Identity and Access Management")
	s3 := inc("S3 errors (Ireland)", "Requests in EU-WEST-1 fail.", []string{"eu-west-1"}, "Amazon S3")
	npm := inc("Package installs failing", "Downloads of packages return 503.", nil, "Package installation")
	room := "participants cannot connect"
	santiago := inc("SCL (Santiago) maintenance", "Traffic may be re-routed.", nil, "Santiago, Chile - (SCL)")
	santiago.Kind = downwind.KindMaintenance
	record := func(proxied string) map[string]string {
		return file("dns.tf", "resource \"cloudflare_record\" \"w\" {\n  zone_id = \"z\"\n  name = \"w\"\n  type = \"A\"\n  content = \"203.0.113.1\"\n  proxied = "+proxied+"\n}\n")
	}
	cases := []struct {
		number   int
		provider string
		files    map[string]string
		incident downwind.Incident
		want     string
		held     downwind.HoldReason
		urgency  downwind.Urgency
		open     string
	}{
		{1, "aws", sqs(`"us-east-2"`), ohio, "yes", "", downwind.UrgencyRuntime, ""},
		{2, "aws", sqs(`"eu-west-1"`), ohio, "no", downwind.HeldRegion, "", ""},
		{3, "aws", with(sqs("var.region"), "variables.tf", "variable \"region\" {\n  type = string\n}\n"), ohio, "possible", "", downwind.UrgencyRuntime, "region"},
		{4, "aws", with(with(sqs("var.region"), "variables.tf", "variable \"region\" {\n  default = \"us-east-2\"\n}\n"), "terraform.tfvars", "region = \"ap-southeast-2\"\n"), ohio, "no", downwind.HeldRegion, "", ""},
		{5, "aws", file("main.tf", "provider \"aws\" {\n  region = \"sa-east-1\"\n}\nresource \"aws_iam_role\" \"r\" {\n  name = \"r\"\n}\n"), iam, "yes", "", downwind.UrgencyBuild, ""},
		{6, "aws", file("main.tf", "provider \"aws\" {\n  region = \"sa-east-1\"\n}\nresource \"aws_s3_bucket\" \"b\" {\n  bucket = \"b\"\n}\nresource \"aws_cloudfront_distribution\" \"d\" {\n  enabled = true\n}\n"), iam, "no", downwind.HeldProduct, "", ""},
		{7, "azure", file("main.tf", "resource \"azurerm_linux_web_app\" \"w\" {\n  name = \"w\"\n  location = \"East US\"\n}\n"), inc("App Service - East US 2", "Apps return 502.", []string{"East US 2"}, "App Service"), "no", downwind.HeldRegion, "", ""},
		{
			8, "aws", file("main.tf", "provider \"aws\" {\n  region = \"eu-central-1\"\n}\nresource \"aws_instance\" \"i\" {\n  ami = \"a\"\n  availability_zone = \"eu-central-1b\"\n}\n"),
			inc("EC2 connectivity in one Availability Zone (Frankfurt)", "Instances in a single Availability Zone (euc1-az2) lost power.", []string{"eu-central-1"}, "Amazon EC2"), "possible", "", downwind.UrgencyRuntime, "zone",
		},
		{9, "aws", file("package.json", `{"dependencies":{"@aws-sdk/client-s3":"^3"}}`, ".env", "S3_ENDPOINT=https://ab12.r2.cloudflarestorage.com\n"), s3, "no", downwind.HeldSelfHosted, "", ""},
		{9, "cloudflare", file("package.json", `{"dependencies":{"@aws-sdk/client-s3":"^3"}}`, ".env", "S3_ENDPOINT=https://ab12.r2.cloudflarestorage.com\n"), inc("R2 errors", "Requests fail.", nil, "R2"), "yes", "", downwind.UrgencyRuntime, ""},
		{10, "openai", file("requirements.txt", "openai==1.99.0\n", ".env", "OPENAI_BASE_URL=http://ollama:11434/v1\n"), inc("Elevated API errors", "Requests for all models fail.", nil, "API"), "no", downwind.HeldSelfHosted, "", ""},
		{11, "mongodb-atlas", file("package.json", `{"dependencies":{"mongodb":"^6"}}`, ".env", "MONGO_URL=mongodb://mongo:27017/app\n"), inc("Clusters unreachable", "Clusters are unreachable.", nil, "MongoDB Atlas"), "no", downwind.HeldSelfHosted, "", ""},
		{12, "livekit", file("requirements.txt", "livekit-api==1.0.0\n", ".env", "SIP_HOST=9kk.us.sip.livekit.cloud\nSIP_TRUNK_ID=ST_a\n"), inc("Calls failing in US East", "Calls fail.", nil, "US East - SIP"), "yes", "", downwind.UrgencyRuntime, ""},
		{13, "livekit", file("package.json", `{"dependencies":{"livekit-client":"^2"}}`), inc("Connection errors in Chicago", room, nil, "US Central - Real Time Communication"), "possible", "", downwind.UrgencyRuntime, "region"},
		{14, "livekit", file("package.json", `{"dependencies":{"livekit-client":"^2"}}`), inc("Connection errors", room, nil, "US Central - Real Time Communication", "Europe Central - Real Time Communication", "India - Real Time Communication"), "yes", "", downwind.UrgencyRuntime, ""},
		{15, "cloudflare", record("true"), santiago, "no", downwind.HeldRegion, "", ""},
		{16, "cloudflare", record("false"), inc("5xx for proxied sites", "Proxied traffic fails worldwide.", []string{"global"}, "CDN/Cache"), "no", downwind.HeldProduct, "", ""},
		{17, "npm", file("package.json", `{"dependencies":{"express":"^5"}}`), npm, "yes", "", downwind.UrgencyBuild, ""},
		{18, "npm", file("package.json", `{"dependencies":{"express":"^5"}}`, ".yarnrc.yml", "enableNetwork: false\n"), npm, "no", downwind.HeldVendored, "", ""},
		{
			19, "anthropic", file("requirements.txt", "anthropic==0.60.0\n", "app.py", "import anthropic\nanthropic.Anthropic().messages.create(model='claude-haiku-4-5')\n"),
			inc("Elevated errors on Claude Opus 4.5", "Requests to Opus 4.5 fail. Other models are fine.", nil, "Claude API (api.anthropic.com)"), "no", downwind.HeldProduct, "", "",
		},
		{20, "github", file(".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    runs-on: [self-hosted, linux]\n    steps:\n      - run: make\n"), inc("Incident with Actions", "Workflow runs wait on hosted runners.", nil, "Actions"), "no", downwind.HeldSelfHosted, "", ""},
	}
	m := testMatcher(t)
	for _, c := range cases {
		got := m.answerFor(t, pair{Provider: c.provider, Files: c.files, Incident: c.incident})
		if verdictWord(got.Verdict) != c.want || got.Held != c.held || c.urgency != "" && got.Urgency != c.urgency || c.open != got.OpenQuestion {
			t.Errorf("example %d (%s): got %s, held %q, urgency %s, open %q (%s); want %s, %q, %s, %q", c.number, c.provider,
				verdictWord(got.Verdict), got.Held, got.Urgency, got.OpenQuestion, got.WhyNot, c.want, c.held, c.urgency, c.open)
		}
	}
}
