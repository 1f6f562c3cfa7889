package program

import (
	"bytes"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
)

// sites are components of SST that serve a site: functions and files behind a network of caches.
const sites = "lambda,s3,cloudfront"

// awsComponents maps the components of SST to what they make at AWS.
var awsComponents = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Bucket": "s3", "Dynamo": "dynamodb", "Queue": "sqs", "Function": "lambda", "Cron": "eventbridge,lambda", "CronV2": "eventbridge,lambda", "ApiGatewayV1": "apigateway", "ApiGatewayV2": "apigateway", "ApiGatewayWebSocket": "apigateway",
		"Nextjs": sites, "Astro": sites, "Remix": sites, "React": sites, "SvelteKit": sites, "SolidStart": sites, "Nuxt": sites, "Analog": sites, "TanStackStart": sites, "StaticSite": "s3,cloudfront", "Router": "cloudfront", "Cdn": "cloudfront",
		"Postgres": "rds", "Mysql": "rds", "Aurora": "rds", "Redis": "elasticache", "Vpc": "vpc", "Cluster": "ecs", "Service": "ecs", "Task": "ecs", "Bus": "eventbridge", "SnsTopic": "sns", "Email": "ses", "KinesisStream": "kinesis", "Realtime": "iot-core",
		"CognitoUserPool": "cognito", "CognitoIdentityPool": "cognito", "OpenSearch": "opensearch", "Efs": "efs", "StepFunctions": "step-functions", "AppSync": "appsync", "Auth": "lambda,dynamodb", "Vector": "rds", "Dsql": "aurora-dsql", "Workflow": "lambda",
	}
})

// cloudflareComponents maps those at Cloudflare.
var cloudflareComponents = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Worker": "workers", "Bucket": "r2", "Kv": "workers-kv", "D1": "d1", "Queue": "queues", "Cron": "workers", "StaticSite": "workers", "StaticSiteV2": "workers", "Astro": "workers", "React": "workers", "Remix": "workers", "Hyperdrive": "hyperdrive", "Ai": "workers-ai", "Auth": "workers",
	}
})

// oldComponents maps the constructs of SST before its third version.
var oldComponents = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Api": "apigateway,lambda", "ApiGatewayV1Api": "apigateway,lambda", "WebSocketApi": "apigateway,lambda", "AppSyncApi": "appsync", "Bucket": "s3", "Table": "dynamodb", "Queue": "sqs", "Topic": "sns", "Cron": "eventbridge,lambda", "Job": "codebuild", "Function": "lambda",
		"StaticSite": "s3,cloudfront", "ReactStaticSite": "s3,cloudfront", "NextjsSite": sites, "RemixSite": sites, "AstroSite": sites, "SvelteKitSite": sites, "SolidStartSite": sites, "RDS": "rds", "EventBus": "eventbridge", "KinesisStream": "kinesis", "Cognito": "cognito", "Auth": "lambda", "Service": "ecs",
	}
})

var (
	component = pattern.New(`\bsst\.(aws|cloudflare)\.(\w+)\s*(?:\.get)?[(<]`)
	domainDNS = pattern.New(`\bsst\.(cloudflare|vercel)\.dns\(`)
	construct = pattern.New(`\bnew\s+([A-Z]\w+)\(\s*(?:stack|this|ctx\.stack)\b`)
	imported  = pattern.New(`\bimport\s*\{([^}]*)\}\s*from\s*["'](?:sst/constructs|@serverless-stack/resources)["']`)
	home      = pattern.New(`\bhome\s*:\s*["'](aws|cloudflare)["']`)
)

// components finds what a program makes with SST.
func (f *file) components(line int, s string) {
	if m := imported.FindStringSubmatch(s); m != nil {
		for name := range strings.SplitSeq(m[1], ",") {
			f.constructs[strings.TrimSpace(name)] = true
		}
		return
	}
	for _, m := range component.FindAllStringSubmatch(s, 4) {
		table := awsComponents()
		if m[1] == "cloudflare" {
			table = cloudflareComponents()
		}
		f.makes(line, "sst."+m[1]+"."+m[2], m[1], table[m[2]])
	}
	if m := domainDNS.FindStringSubmatch(s); m != nil {
		f.code(line, strings.TrimSuffix(m[0], "("), m[1], "dns")
	}
	if m := construct.FindStringSubmatch(s); m != nil && f.constructs[m[1]] {
		f.makes(line, "new "+m[1], "aws", oldComponents()[m[1]])
	}
	if m := home.FindStringSubmatch(s); m != nil {
		f.code(line, m[1], m[1], "")
	}
}

func (f *file) makes(line int, show, provider, services string) {
	if services == "" {
		return
	}
	for service := range strings.SplitSeq(services, ",") {
		f.code(line, show, provider, service)
	}
}

var (
	providersOpen = pattern.New(`\bproviders\s*:\s*\{`)
	providerKey   = pattern.New(`^\s*["']?(?:@\w[\w-]*/)?([a-z][a-z0-9-]*)["']?\s*:`)
)

// utility reports whether a provider of Pulumi or Terraform talks to nobody's service.
func utility(s string) bool {
	switch s {
	case "random", "command", "docker", "docker-build", "kubernetes", "tls", "std", "http", "null", "time", "archive", "local", "external",
		"synced-command", "helm", "pulumi":
		return true
	}
	return false
}

// project reads the providers that the settings of an SST project list.
func (f *file) project() {
	all := providersOpen.FindAllIndex(f.text, 1)
	if all == nil {
		return
	}
	rest := f.text[all[0][1]:]
	line, depth := bytes.Count(f.text[:all[0][1]], []byte("\n"))+1, 1
	begun := line
	var entry []byte // what stands in the list itself, not in the settings of its entries
	for _, c := range rest {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
		if depth == 0 || depth == 1 && (c == ',' || c == '\n') {
			f.installed(begun, string(entry))
			entry = nil
		} else if depth == 1 {
			if len(entry) == 0 {
				begun = line
			}
			entry = append(entry, c)
		}
		if c == '\n' {
			line++
		}
		if depth == 0 {
			return
		}
	}
	f.installed(begun, string(entry))
}

// installed adds the provider whose key a text begins with.
func (f *file) installed(line int, text string) {
	if m := providerKey.FindStringSubmatch(text); m != nil && !utility(m[1]) {
		f.out.Add(stackparse.Fact{Kind: "tf_provider", As: "code", Name: "hashicorp/" + m[1], Show: m[1], Line: line})
	}
}
