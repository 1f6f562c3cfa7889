package stackparse_test

import (
	"slices"
	"strings"
	"testing"

	"downwind"
)

// TestEmulators: software that stands in for a cloud while developing is not that cloud.
func TestEmulators(t *testing.T) {
	const key = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"Cosmos by address", map[string]string{
			"package.json": `{"dependencies":{"@azure/cosmos":"4"}}`,
			"compose.yaml": "services:\n  db: {image: 'mcr.microsoft.com/cosmosdb/linux/azure-cosmos-emulator:latest'}\n  app: {environment: {COSMOS_ENDPOINT: 'https://db:8081', COSMOS_DB_KEY: '" + key + "'}}\n",
		}, []string{"npm sure package-installation"}},
		{"Cosmos by its published key", map[string]string{
			"appsettings.json": `{"ConnectionStrings":{"Cosmos":"AccountEndpoint=https://cosmos:8081/;AccountKey=` + key + `"}}`,
			"app.csproj":       `<Project><ItemGroup><PackageReference Include="Microsoft.Azure.Cosmos" Version="3.1.0" /></ItemGroup></Project>`,
		}, []string{"nuget sure"}},
		{"another store by the kit of all stores", map[string]string{
			"requirements.txt": "boto3==1.35\ndjango-storages[s3]==1.14\n",
			".env.production":  "AWS_ACCESS_KEY_ID=x\nAWS_S3_ENDPOINT_URL=https://ams3.digitaloceanspaces.com\n",
		}, []string{"digitalocean sure spaces ams3", "pypi sure"}},
		{"another store, and queues of AWS", map[string]string{
			"requirements.txt": "boto3==1.35\n",
			".env.production":  "AWS_ACCESS_KEY_ID=x\nAWS_S3_ENDPOINT_URL=https://ams3.digitaloceanspaces.com\n",
			"jobs.py":          "import boto3\nq = boto3.client('sqs', region_name='eu-west-1')\n",
		}, []string{"aws sure sqs eu-west-1", "digitalocean sure spaces ams3", "pypi sure"}},
		{"Cosmos emulator and the account in production", map[string]string{
			"compose.yaml":    "services:\n  db: {image: 'mcr.microsoft.com/cosmosdb/linux/azure-cosmos-emulator'}\n  app: {environment: {COSMOS_ENDPOINT: 'https://db:8081'}}\n",
			".env.production": "COSMOS_ENDPOINT=https://kolibri.documents.azure.com:443/\n",
		}, []string{"azure sure cosmos-db"}},
		{"development storage beside a vault", map[string]string{
			"appsettings.json": `{"Storage":"UseDevelopmentStorage=true"}`,
			"app.csproj":       `<Project><ItemGroup><PackageReference Include="Azure.Storage.Blobs" Version="12" /><PackageReference Include="Azure.Security.KeyVault.Secrets" Version="4" /></ItemGroup></Project>`,
		}, []string{"azure sure key-vault", "nuget sure"}},
		{"Service Bus emulator", map[string]string{
			"appsettings.json": `{"Bus":"Endpoint=sb://localhost;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;"}`,
			"app.csproj":       `<Project><ItemGroup><PackageReference Include="Azure.Messaging.ServiceBus" Version="7" /></ItemGroup></Project>`,
		}, []string{"nuget sure"}},
		{"Azure OpenAI behind a gateway beside a vault", map[string]string{
			"package.json": `{"dependencies":{"@azure/openai":"1","@azure/keyvault-secrets":"4"}}`,
			".env":         "AZURE_OPENAI_ENDPOINT=http://gateway:8080\n",
		}, []string{"azure sure key-vault", "npm sure package-installation"}},
		{"calls by a scheme without slashes", map[string]string{
			".env": "LIVEKIT_SIP_URI=sip:8kk.india.sip.livekit.cloud\nTURN=turn:kolibri.turn.twilio.com:443?transport=tcp\n",
		}, []string{"livekit sure sip india", "twilio sure"}},
		{"Gemini's kit on Vertex AI", map[string]string{
			"requirements.txt": "google-genai==1.3\n",
			".env":             "GOOGLE_GENAI_USE_VERTEXAI=true\nGOOGLE_CLOUD_LOCATION=europe-west4\n",
		}, []string{"google-cloud sure vertex-ai europe-west4", "pypi sure"}},
		{"Gemini's kit by itself", map[string]string{
			"requirements.txt": "google-genai==1.3\n",
			".env":             "GOOGLE_GENAI_USE_VERTEXAI=false\n",
		}, []string{"google-gemini sure", "pypi sure"}},
		{"a repository of charts is no site", map[string]string{
			"Chart.yaml":  "apiVersion: v2\nname: p\nversion: 1.0.0\ndependencies:\n  - {name: datadog, repository: 'https://helm.datadoghq.com', version: 3.70.0}\n",
			"values.yaml": "datadog:\n  datadog:\n    site: datadoghq.eu\n",
		}, []string{"datadog sure  eu1"}},
		{"LocalStack", map[string]string{
			"compose.yaml": "services:\n  aws: {image: 'localstack/localstack:3'}\n  app: {environment: {AWS_ENDPOINT_URL: 'http://aws:4566', AWS_REGION: eu-west-1}}\n",
			"package.json": `{"dependencies":{"@aws-sdk/client-s3":"3"}}`,
		}, []string{"npm sure package-installation"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.files)
			var got []string
			for _, line := range summary(s) {
				if !strings.HasPrefix(line, "docker ") || slices.Contains(c.want, line) {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("uses %q, want %q; %+v", got, c.want, s.SelfHosted)
			}
		})
	}
}

// TestRegionOwner: a region belongs to the provider that the whole words of its variable name.
func TestRegionOwner(t *testing.T) {
	const aws, do = "AWS_ACCESS_KEY_ID=x\n", "DIGITALOCEAN_TOKEN=x\n"
	for _, c := range []struct {
		name, env, provider, want string
	}{
		{"word at the start", aws + "AWS_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"word with a number", aws + "S3_BUCKET_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"word inside another", aws + "SESSION_REGION=fra\n", "aws", ""},
		{"session names an AWS region", aws + "SESSION_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"session without AWS", "GCP_PROJECT_ID=x\nSESSION_REGION=europe-west1\n", "google-cloud", "europe-west1"},
		{"essay", "GOOGLE_CLOUD_PROJECT=x\n" + aws + "GCP_REGION=eu-west-1\n", "aws", ""},
		{"sticky DO", do + "DO_REGION=fra1\n", "digitalocean", "fra1"},
		{"DO inside a word", do + "DOCUMENT_REGION=fra1\n", "digitalocean", ""},
		{"a region of the only provider that has it", do + aws + "REGION=fra1\n", "digitalocean", "fra1"},
		{"a region of two providers", do + "VERCEL_TOKEN=x\nREGION=fra1\n", "digitalocean", ""},
		{"a name", aws + "AWS_REGION=EU (Ireland)\n", "aws", "eu-west-1"},
		{"a zone", "GOOGLE_CLOUD_PROJECT=x\nGKE_ZONE=europe-west4-b\n", "google-cloud", "europe-west4"},
		{"a zone of DNS", "CLOUDFLARE_API_TOKEN=x\nCLOUDFLARE_ZONE=kolibri\n", "cloudflare", ""},
		{"a realm", "SPLUNK_ACCESS_TOKEN=x\nSPLUNK_REALM=eu0\n", "splunk", "eu0"},
		{"a cluster by its short code", "REDIS_URL=rediss://master.s.abc123.euw1.cache.amazonaws.com:6379\n", "aws", "eu-west-1"},
		{"a label of a host", "MEILI_HOST=https://ms-1.lon.meilisearch.io\n", "meilisearch", "lon"},
		{"a label that a customer chose", "MEILI_HOST=https://london.edge.meilisearch.io\n", "meilisearch", ""},
		{"absent provider named first", aws + "SPACES_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"a second word names a provider that is there", aws + "SPACES_S3_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"dynamo and its kin", aws + "DYNAMODB_REGION=eu-west-1\n", "aws", "eu-west-1"},
		{"a region of another vendor", aws + "UPSTASH_REGION=eu-west-1\n", "aws", ""},
		{"camel case", aws + "awsRegion=eu-west-1\n", "aws", "eu-west-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, map[string]string{".env": c.env})
			u := s.Use(c.provider)
			if u == nil {
				t.Fatalf("%s is not used: %q", c.provider, summary(s))
			}
			if got := strings.Join(u.Regions, ","); got != c.want {
				t.Errorf("regions %q, want %q", got, c.want)
			}
		})
	}
}

// TestHostsOfValues: which hosts in settings count as used, and which only as links.
func TestHostsOfValues(t *testing.T) {
	brokers := make([]string, 12)
	for i := range brokers {
		brokers[i] = "b-" + string(rune('1'+i%9)) + string(rune('a'+i)) + ".kolibri.x1.c2.kafka.eu-central-1.amazonaws.com:9098"
	}
	for _, c := range []struct {
		name, env, provider string
		want                downwind.Confidence
	}{
		{"API host that begins with www", "MAPS=https://www.googleapis.com/geolocation/v1\n", "google-cloud", downwind.Sure},
		{"API below the home page", "PAY=https://www.twilio.com/api/v2/pay\n", "twilio", downwind.Sure},
		{"documentation of an API", "DOCS=https://docs.stripe.com/api/v1/charges\n", "stripe", downwind.Guess},
		{"sources at a version", "SCRIPT=https://raw.githubusercontent.com/kolibri/tool/v1/run.sh\n", "github", downwind.Guess},
		{"home page", "HELP=https://www.twilio.com/console\n", "twilio", downwind.Guess},
		{"console", "CONSOLE=https://console.twilio.com/\n", "twilio", downwind.Guess},
		{"many brokers of one vendor", "KAFKA_BROKERS=" + strings.Join(brokers, ",") + "\n", "aws", downwind.Sure},
		{"allow-list", "CSP=https://js.stripe.com https://a.algolia.net https://cdn.segment.com https://api.mixpanel.com https://x.sentry.io https://api.amplitude.com https://widget.intercom.io https://connect.facebook.net https://www.google-analytics.com\n", "stripe", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, map[string]string{".env": c.env})
			var got downwind.Confidence
			if u := s.Use(c.provider); u != nil {
				got = u.Confidence
			}
			if got != c.want {
				t.Errorf("%s is %q, want %q; uses %q", c.provider, got, c.want, summary(s))
			}
		})
	}
}

// TestNumberedInstances: one of several installations in a place is in that place.
func TestNumberedInstances(t *testing.T) {
	for host, want := range map[string]string{
		"westeurope-5.in.applicationinsights.azure.com": "westeurope",
		"uksouth-01.in.applicationinsights.azure.com":   "uksouth",
		"eastus2-3.in.applicationinsights.azure.com":    "eastus2",
	} {
		s := read(t, map[string]string{".env": "INGEST=https://" + host + "/\n"})
		u := s.Use("azure")
		if u == nil || len(u.Regions) != 1 || u.Regions[0] != want {
			t.Errorf("%s: %+v, want region %s", host, u, want)
		}
	}
}

// TestIdentifiers: an ARN tells service and region, or that the service has none.
func TestIdentifiers(t *testing.T) {
	for _, c := range []struct{ arn, service, region string }{
		{"arn:aws:sqs:eu-west-1:123456789012:jobs", "sqs", "eu-west-1"},
		{"arn:aws:s3:::kolibri-files", "s3", ""},
		{"arn:aws:iam::123456789012:role/app", "iam", ""},
		{"arn:aws:cloudfront::123456789012:distribution/X", "cloudfront", "global"},
		{"arn:aws:globalaccelerator::123456789012:accelerator/x", "global-accelerator", "global"},
		{"arn:aws:route53:::hostedzone/Z1", "route53", "global"},
		{"arn:aws:route53resolver:eu-west-1:123456789012:rule/x", "route53-resolver", "eu-west-1"},
		{"arn:aws:budgets::123456789012:budget/x", "budgets", "global"},
		{"arn:aws:chatbot::123456789012:chat-configuration/slack-channel/x", "chatbot", "global"},
		{"arn:aws:networkmanager::123456789012:core-network/x", "network-manager", "global"},
		{"arn:aws:organizations::123456789012:organization/o-1", "organizations", "global"},
		{"arn:aws:savingsplans::123456789012:savingsplan/x", "savings-plans", "global"},
		{"arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/x", "kms", "us-gov-west-1"},
		{"arn:aws-cn:sns:cn-north-1:123456789012:t", "sns", "cn-north-1"},
		{"arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/x", "elb", "eu-west-1"},
	} {
		t.Run(c.arn, func(t *testing.T) {
			s := read(t, map[string]string{".env": "TARGET=" + c.arn + "\n"})
			u := s.Use("aws")
			if u == nil {
				t.Fatal("aws is not used")
			}
			if got := strings.Join(u.Services, ",") + " " + strings.Join(u.Regions, ","); got != c.service+" "+c.region {
				t.Errorf("service and region %q, want %q", got, c.service+" "+c.region)
			}
		})
	}
}

// TestVendorKeys: the vendor whose key a deployed variable holds, behind a team's own words and with other endings.
func TestVendorKeys(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"words before the vendor", "render.yaml", "services:\n  - type: web\n    envVars:\n      - {key: KOLIBRI_PAY_STRIPE_API_KEY, sync: false}\n", []string{"stripe"}},
		{"another ending", "compose.yaml", "x-all: &all\n  OPENAI_ACCESS_TOKEN: ${OPENAI_ACCESS_TOKEN}\nservices:\n  app:\n    image: ghcr.io/kolibri/app\n    environment: {<<: *all}\n", []string{"openai"}},
		{"a stand-in", "compose.yaml", "services:\n  app:\n    image: ghcr.io/kolibri/app\n    environment: {MOCK_STRIPE_API_KEY: '${X}'}\n", nil},
		{"empty example", ".env.example", "KOLIBRI_PAY_STRIPE_API_KEY=\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, map[string]string{c.file: c.text})
			var got []string
			for _, u := range s.Providers {
				if u.Provider == "stripe" || u.Provider == "openai" {
					got = append(got, u.Provider)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestDeveloperCLI: the parts of a program that azure.yaml deploys, by the services that run them.
func TestDeveloperCLI(t *testing.T) {
	s := read(t, map[string]string{"azure.yaml": "name: shop\nservices:\n  web: {project: web, language: js, host: staticwebapp}\n  api: {project: api, language: py, host: containerapp}\n  odd: {project: odd, host: basement}\n"})
	u := s.Use("azure")
	if u == nil || !slices.Equal(u.Services, []string{"container-apps", "static-web-apps"}) {
		t.Errorf("got %q", summary(s))
	}
}

// TestPlacesAndKits: places in hosts and ids of accounts, and kits that another server stands beneath.
func TestPlacesAndKits(t *testing.T) {
	for _, c := range []struct {
		name, provider string
		files          map[string]string
		want           string // regions, "-" for a server of one's own, "none" for no use
	}{
		{"Cloud ID holds the host", "elastic-cloud", map[string]string{".env": "ELASTIC_CLOUD_ID=shop:dXMtZWFzdC0xLmF3cy5mb3VuZC5pbyRhMSRiMg==\n"}, "us-east-1"},
		{"Cloud ID that is none", "elastic-cloud", map[string]string{".env": "ELASTIC_CLOUD_ID=shop:%%%\n"}, ""},
		{"domain of one area", "okta", map[string]string{".env": "OKTA_ISSUER=https://kolibri.okta-emea.com/oauth2/default\n"}, "emea"},
		{"short region of an app", "digitalocean", map[string]string{".do/app.yaml": "name: shop\nregion: ams\n"}, "ams3"},
		{"region of the service in Terraform", "pagerduty", map[string]string{"main.tf": "provider \"pagerduty\" {\n  token = var.t\n  service_region = \"eu\"\n}\nresource \"pagerduty_team\" \"t\" {\n  name = \"t\"\n}\n"}, "eu"},
		{"alias that a folder names", "aws", map[string]string{
			"main.tf":     "provider \"aws\" {\n  region = \"eu-north-1\"\n}\nprovider \"aws\" {\n  alias = \"edge\"\n  region = \"us-east-1\"\n}\nmodule \"web\" {\n  source = \"./web\"\n}\n",
			"web/cert.tf": "resource \"aws_acm_certificate\" \"c\" {\n  provider = aws.edge\n  domain_name = \"kolibri.example\"\n}\n",
		}, "eu-north-1,us-east-1"},
		{"Databricks on a cloud", "databricks", map[string]string{".env": "DATABRICKS_HOST=https://adb-7.4.azuredatabricks.net\nDATABRICKS_TOKEN=x\n"}, ""},
		{"region beside keys of the vendor", "customer-io", map[string]string{".env": "CIO_SITE_ID=x\nCIO_REGION=eu\n"}, "eu"},
		{"submodule of a forge", "github", map[string]string{".gitmodules": "[submodule \"lib\"]\n\tpath = lib\n\turl = git@github.com:kolibri/lib.git\n"}, ""},
		{"submodule of one's own", "github", map[string]string{".gitmodules": "[submodule \"lib\"]\n\turl = https://git.kolibri.example/github.com/lib.git\n"}, "none"},
		{"relay in an example", "openai", map[string]string{".env.example": "OPENAI_BASE_URL=http://vllm:8000/v1\nOPENAI_API_KEY=\n"}, "-"},
		{"Knative on Cloud Run", "google-cloud", map[string]string{"service.yaml": "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\n  labels:\n    cloud.googleapis.com/location: europe-north1\nspec:\n  template:\n    spec:\n      containers:\n        - image: kolibri/shop\n"}, "europe-north1"},
		{"Knative of one's own", "google-cloud", map[string]string{"service.yaml": "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n        - image: kolibri/shop\n"}, "none"},
		{"kit above another server", "algolia", map[string]string{"package.json": `{"dependencies":{"vue-instantsearch":"4","typesense-instantsearch-adapter":"2"}}`}, "-"},
		{"kit beside both", "algolia", map[string]string{"package.json": `{"dependencies":{"vue-instantsearch":"4","algoliasearch":"5","typesense-instantsearch-adapter":"2"}}`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.files)
			got := "none"
			if len(s.SelfHosted[c.provider]) > 0 {
				got = "-"
			}
			if u := s.Use(c.provider); u != nil {
				got = strings.Join(u.Regions, ",")
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
