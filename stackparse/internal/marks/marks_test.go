package marks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"downwind"
)

func TestFind(t *testing.T) {
	cases := []struct {
		name, path, text string
		want             []string
	}{
		{"runner", ".github/workflows/ci.yml", "jobs:\n  t:\n    runs-on: [self-hosted, linux]\n", []string{"3 github ci runs-on self-hosted"}},
		{"hosted runner", ".github/workflows/ci.yml", "jobs:\n  t:\n    runs-on: ubuntu-latest\n", []string{"3 github ci runs-on ubuntu-latest"}},
		{"publish", ".github/workflows/r.yml", "    - run: npm ci && npm publish --access public\n", []string{"1 npm command npm publish"}},
		{"hosted agent with region", "deploy.sh", "lk agent deploy --region us-east\n", []string{"1 livekit command lk agent agents-hosted us-east"}},
		{"push to an own registry", "deploy.sh", "docker push registry.example.org/web:1\n", nil},
		{"proxied", "dns.tf", "resource \"cloudflare_record\" \"w\" {\n  proxied = false\n}\n", []string{"2 cloudflare setting proxied=false"}},
		{"proxied elsewhere", "x.tf", "resource \"other_thing\" \"w\" {\n  proxied = true\n}\n", nil},
		{"switch", "compose.yaml", "      DD_LOGS_ENABLED: \"true\"\n", []string{"1 datadog env DD_LOGS_ENABLED", "1 datadog setting DD_LOGS_ENABLED=true"}},
		{"chart", "values.yaml", "datadog:\n  logs:\n    enabled: false\n", []string{"3 datadog setting datadog.logs.enabled=false"}},
		{"offline", ".yarnrc.yml", "enableNetwork: false\n", []string{"1 npm setting offline false"}},
		{"mirror", ".npmrc", "registry=https://packages.example.org/npm/\n", []string{"1 npm setting mirror packages.example.org"}},
		{"default registry", ".npmrc", "registry=https://registry.npmjs.org/\n", nil},
		{"zone id", "main.tf", "  availability_zone_id = \"euc1-az2\"\n", []string{"1 aws zone euc1-az2"}},
		{"google zone", "main.tf", "  zone = \"europe-west4-a\"\n", []string{"1 google-cloud zone europe-west4-a"}},
		{"model in a setting", ".env", "IMAGE_MODEL=gpt-image-2\n", []string{"1 openai model gpt-image-2"}},
		{"model without quotes", "config.yaml", "llm:\n  model: o3-mini\n  other: o4\n", []string{"2 openai model o3-mini"}},
		{"call", "src/a.ts", "import OpenAI from 'openai'\nnew OpenAI().embeddings.create({})\n", []string{"2 openai code embeddings.create embeddings"}},
		{"call without the client", "src/a.ts", "thing.embeddings.create({})\n", nil},
		{"comment", "src/a.py", "import openai\n# client.embeddings.create()\n", nil},
		{"other endpoint", "src/a.py", "from openai import OpenAI\nc = OpenAI(base_url=\"https://llm.example.org/v1\")\n", []string{"2 openai endpoint llm.example.org"}},
		{"product in a name", ".env", "SIP_OUTBOUND_TRUNK_ID=ST_x\n", []string{"1 livekit env SIP_OUTBOUND_TRUNK_ID"}},
		{"other product in a name", ".env", "TWILIO_SIP_TRUNK_SID=TKx\n", []string{"1 twilio env TWILIO_SIP_TRUNK_SID"}},
		{"own pool", "azure-pipelines.yml", "pool:\n  name: Basement\n", []string{"2 azure-devops ci self-hosted Basement"}},
		{"own runners by tag", ".gitlab-ci.yml", "test:\n  tags: [basement]\n  script: make\n", []string{"2 gitlab ci self-hosted basement"}},
		{"own runners by a list of tags", ".gitlab-ci.yml", "test:\n  tags:\n    - basement\n  script: make\n", []string{"3 gitlab ci self-hosted basement"}},
		{"hosted runners by tag", ".gitlab-ci.yml", "test:\n  tags: [saas-linux-medium-amd64]\n  script: make\n", []string{"2 gitlab ci hosted saas-linux-medium-amd64"}},
		{"a job without tags beside one with", ".gitlab-ci.yml", "a:\n  tags: [basement]\n  script: make\nb:\n  script: make\n", nil},
		{"list of words", "cloudbuild.yaml", "steps:\n- args: ['run', 'deploy', 'web', '--region', 'europe-west1']\n", []string{"0 google-cloud deploys run deploy cloud-run europe-west1"}},
		{"address of events in code", "src/m.ts", "import * as S from '@sentry/vue'\nS.init({ dsn: 'https://a@o4.ingest.de.sentry.io/1' })\n", []string{"2 sentry domain o4.ingest.de.sentry.io de"}},
		{"models through a cloud", "app.py", "from anthropic import AnthropicBedrock\n", []string{"1 anthropic endpoint AnthropicBedrock"}},
		{"own server in a cluster", ".env", "LIVEKIT_URL=ws://livekit.media.svc.cluster.local:7880\n", []string{"1 livekit endpoint livekit.media.svc.cluster.local"}},
		{"own store in a container", "compose.yaml", "      S3_ENDPOINT: http://minio:9000\n", []string{"1 aws endpoint minio s3"}},
		{"hosted server", ".env", "LIVEKIT_URL=wss://x.livekit.cloud\n", nil},
		{"management client", "m.py", "from auth0.management import Auth0\n", []string{"1 auth0 code auth0.management management-api"}},
		{"file of the agent", "datadog.yaml", "site: ap1.datadoghq.com\nlogs_enabled: true\n", []string{"1 datadog domain ap1.datadoghq.com ap1", "2 datadog setting logs_enabled=true"}},
		{"executors", ".circleci/config.yml", "jobs:\n  a:\n    macos:\n      xcode: 26.0\n  b:\n    docker:\n      - image: cimg/go:1.26\n", []string{"3 circleci ci macos", "6 circleci ci docker"}},
		{"executor of an orb", ".circleci/config.yml", "orbs:\n  win: circleci/windows@5.1\n", []string{"2 circleci ci windows"}},
		{"own machine", ".circleci/config.yml", "jobs:\n  a:\n    machine: true\n    resource_class: kolibri/metal\n", []string{"4 circleci ci self-hosted kolibri/metal"}},
		{"engine of a database", "db.tf", "resource \"aws_rds_cluster\" \"c\" {\n  engine = \"aurora-mysql\"\n}\n", []string{"2 aws setting engine=aurora-mysql"}},
		{"engine of something else", "car.tf", "resource \"car_part\" \"c\" {\n  engine = \"mysql\"\n}\n", nil},
		{"registry turned off", "composer.json", "{\"repositories\":[{\"packagist.org\":false}]}\n", []string{"1 packagist setting offline \"packagist.org\":false"}},
		{"function of Supabase", "supabase/config.toml", "[functions.mail]\nverify_jwt = true\n", []string{"1 supabase setting [functions.mail] edge-functions"}},
		{"pool of users in code", "src/aws-exports.js", "export default { aws_user_pools_id: 'eu-west-1_Kolibri01' };\n", []string{"1 aws code aws_user_pools_id cognito eu-west-1"}},
		{"constructor in Go", "rec.go", "import lk \"github.com/livekit/server-sdk-go/v2\"\nvar c = lk.NewEgressClient(u, k, s)\n", []string{"2 livekit code NewEgressClient egress"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !Claims(c.path) {
				t.Fatalf("%s is not claimed", c.path)
			}
			var got []string
			for _, m := range Find(c.path, []byte(c.text)) {
				service := m.Service
				if m.Kind == KindRunner || m.Kind == KindCommand && m.Provider == "npm" || m.Kind == KindModel {
					service = ""
				}
				got = append(got, strings.Join(strings.Fields(fmt.Sprint(m.Line, " ", m.Provider, " ", m.Kind, " ", m.Match, " ", service, " ", m.Region)), " "))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestClaimsLeavesOutTestsAndLockfiles(t *testing.T) {
	for _, p := range []string{"src/a.test.ts", "tests/cassettes/x.yaml", "package-lock.json", "yarn.lock", "a_test.go", "docs/x.md", "lib/x.min.js"} {
		if Claims(p) {
			t.Errorf("%s is claimed", p)
		}
	}
}

func TestAttachAddsToUsesOnly(t *testing.T) {
	s := &downwind.Stack{Providers: []downwind.Use{{Provider: "npm"}}}
	Attach(s, Find("r.sh", []byte("npm publish\ngem push x.gem\n")))
	if n := len(s.Providers); n != 1 {
		t.Fatalf("got %d providers, want 1", n)
	}
	if ev := s.Providers[0].Evidence; len(ev) != 1 || ev[0].Match != "npm publish" || ev[0].Line != 1 {
		t.Errorf("got %+v, want the publish command of line 1", ev)
	}
}

// FuzzFind checks that no input makes the marks panic or point outside the file.
func FuzzFind(f *testing.F) {
	f.Add("main.tf", []byte("resource \"cloudflare_record\" \"w\" {\n proxied = true\n"))
	f.Add("a.py", []byte("import boto3\nboto3.client('s3'"))
	f.Add("values.yaml", []byte("datadog:\n - a: b\n  logs: {enabled: false"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		lines := strings.Count(string(data), "\n") + 1
		for _, m := range Find(name, data) {
			if m.Line < 0 || m.Line > lines {
				t.Fatalf("line %d of %d", m.Line, lines)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat("resource \"aws_instance\" \"web\" {\n  ami = var.ami\n  tags = { Name = \"web\" }\n}\n", 400))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find("main.tf", text)
	}
}
