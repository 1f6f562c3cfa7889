package stackparse

import (
	"strings"
	"sync"

	"downwind/catalog"
	"downwind/internal/pattern"
)

var (
	awsRegion   = pattern.New(`^(?:us|eu|ap|sa|ca|me|af|il|mx|cn)-(?:gov-|iso[a-z]*-)?(?:north|south|east|west|central|northeast|northwest|southeast|southwest)-[1-9]$`)
	gcpRegion   = pattern.New(`^(?:us|europe|asia|northamerica|southamerica|australia|me|africa)-(?:north|south|east|west|central|northeast|northwest|southeast|southwest)[0-9]{1,2}$`)
	gcpZone     = pattern.New(`^((?:us|europe|asia|northamerica|southamerica|australia|me|africa)-[a-z]+[0-9]{1,2})-[a-f]$`)
	awsZone     = pattern.New(`^((?:us|eu|ap|sa|ca|me|af|il|mx|cn)-(?:gov-)?[a-z]+-[1-9])[a-f]$`)
	ociRegion   = pattern.New(`^(?:us|eu|ap|sa|ca|me|af|il|uk|mx)-[a-z]+-[1-9]$`)
	placeRegion = pattern.New(`^[a-z]{2,}[a-z0-9]*(?:-[a-z0-9]+){0,3}$`)
	azurePlace  = pattern.New(`^(?:east|west|north|south|central|southcentral|northcentral|westcentral|eastus|westus)?(?:us|europe|asia|india|uk|france|germany|japan|korea|australia|brazil|canada|norway|sweden|switzerland|uae|southafrica|qatar|poland|italy|israel|spain|mexico|newzealand|chile|austria|belgium|denmark|malaysia|indonesia|taiwan|jioindia)(?:north|south|east|west|central|southeast|west|northwest|westcentral)?[23]?(?:euap)?$|^(?:south|north)eastasia$|^eastasia$|^southeastasia$|^usgov(?:virginia|texas|arizona)$|^(?:us)?(?:east|west|central|south|north|southcentral|northcentral|westcentral)us[23]?$|^global$`)
)

// foldRegion brings a region as written for a provider into its code, "" when it is none: zones are reduced to their
// region, "West Europe" becomes "westeurope", "US_EAST_1" "us-east-1".
func foldRegion(provider, raw string) string {
	r := strings.ToLower(strings.TrimSpace(raw))
	if provider == "cloudamqp" { // "amazon-web-services::ap-southeast-2"
		r = r[strings.LastIndexByte(r, ':')+1:]
	}
	if r == "" || len(r) > 32 {
		return ""
	}
	switch provider {
	case "aws":
		if m := awsZone.FindStringSubmatch(r); m != nil {
			r = m[1]
		}
		if awsRegion.MatchString(r) || r == "global" {
			return r
		}
		if r == "aws-global" {
			return "global"
		}
		return ""
	case "google-cloud", "firebase":
		if m := gcpZone.FindStringSubmatch(r); m != nil {
			r = m[1]
		}
		switch r {
		case "us", "eu", "asia", "nam4", "eur4", "nam3", "nam5", "eur3", "eur5", "asia1", "nam6", "nam-eur-asia1":
			return r
		}
		if gcpRegion.MatchString(r) {
			return r
		}
		return ""
	case "azure":
		r = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(r)
		if azurePlace.MatchString(r) {
			return r
		}
		return ""
	case "mongodb-atlas":
		r = strings.ReplaceAll(r, "_", "-")
	case "datadog":
		return datadogSite(r)
	case "neon", "turso":
		if awsRegion.MatchString(r) {
			return "aws-" + r
		}
	case "pinecone":
		for _, cloud := range []string{"-gcp", "-aws", "-azure"} {
			r = strings.TrimSuffix(r, cloud)
		}
	case "digitalocean": // App Platform leaves the number out
		if full := doShort()[r]; full != "" {
			return full
		}
	case "new-relic":
		r = strings.TrimRight(r, "0123456789")
	case "oracle-cloud":
		if !ociRegion.MatchString(r) {
			return ""
		}
	}
	r = strings.ReplaceAll(r, " ", "-")
	if !placeRegion.MatchString(r) || notRegion(r) {
		return ""
	}
	return r
}

// namedRegion is the code of what is said to be a region of the provider: names and other spellings count as well ("EU
// (Frankfurt)", "Dublin").
func namedRegion(provider, raw string) string {
	if code := strings.ToLower(catalog.RegionCode(provider, raw)); code != "" && code != "global" {
		return code
	}
	return foldRegion(provider, raw)
}

// doShort are the regions of App Platform that are one region of all else.
var doShort = sync.OnceValue(func() map[string]string {
	return map[string]string{"fra": "fra1", "ams": "ams3", "sgp": "sgp1", "blr": "blr1", "tor": "tor1", "lon": "lon1", "syd": "syd1", "sfo": "sfo3", "atl": "atl1"}
})

func notRegion(s string) bool {
	switch s {
	case "auto", "default", "none", "null", "true", "false", "your-region",
		"region", "template", "changeme", "local", "localhost", "test", "dev", "x", "example":
		return true
	}
	return false
}

// datadogSite turns a site or a host of Datadog into the name of the site.
func datadogSite(s string) string {
	switch {
	case strings.HasSuffix(s, "datadoghq.eu"):
		return "eu1"
	case strings.HasSuffix(s, "ddog-gov.com"):
		return "us1-fed"
	}
	for _, site := range []string{"us3", "us5", "ap1", "ap2"} {
		if strings.Contains(s, site+".datadoghq.com") || strings.Contains(s, site+"-datadoghq.com") || s == site {
			return site
		}
	}
	if s == "eu" || s == "eu1" {
		return "eu1"
	}
	if s == "us" || s == "us1" || s == "datadoghq.com" || strings.HasSuffix(s, ".datadoghq.com") || strings.HasSuffix(s, "-datadoghq.com") {
		return "us1"
	}
	return ""
}

// awsLabels maps the label of a service in host names and ARNs to the service, where they differ.
var awsLabels = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"execute-api": "apigateway", "email-smtp": "ses", "email": "ses", "dkr": "ecr", "api.ecr": "ecr", "es": "opensearch", "aoss": "opensearch-serverless",
		"cache": "elasticache", "elasticloadbalancing": "elb", "secretsmanager": "secrets-manager", "bedrock-runtime": "bedrock",
		"bedrock-agent-runtime": "bedrock", "cognito-idp": "cognito", "cognito-identity": "cognito", "events": "eventbridge", "logs": "cloudwatch",
		"monitoring": "cloudwatch", "states": "step-functions", "kafka": "msk", "s3-accelerate": "s3", "s3-website": "s3", "s3-control": "s3",
		"compute": "ec2", "elasticfilesystem": "efs", "elasticbeanstalk": "elastic-beanstalk", "docdb": "documentdb", "iot": "iot-core",
		"waf": "wafv2", "appsync-api": "appsync", "appsync-realtime-api": "appsync", "lambda-url": "lambda", "inbound-smtp": "ses", "feedback-smtp": "ses", "kafka-serverless": "msk", "airflow": "mwaa",
		"redshift-serverless": "redshift", "emr-containers": "emr", "elasticmapreduce": "emr", "neptune-db": "neptune", "data-ats": "iot-core", "dms": "dms", "transfer": "transfer-family",
		"codestar": "codestar", "transcribestreaming": "transcribe", "sagemaker-runtime": "sagemaker", "aps-workspaces": "managed-prometheus", "grafana-workspace": "managed-grafana", "timestream-query": "timestream", "appconfigdata": "appconfig", "geo": "location-service",
		"pinpoint": "pinpoint", "fsx": "fsx", "quicksight": "quicksight", "rolesanywhere": "iam-roles-anywhere", "imagebuilder": "ec2-image-builder", "synthetics": "cloudwatch-synthetics", "dataplane": "cloudwatch-rum", "oidc": "iam-identity-center", "portal": "iam-identity-center", "runtime.sagemaker": "sagemaker", "codestar-connections": "codeconnections", "dynamodb": "dynamodb", "servicediscovery": "cloud-map",
		"firehose": "firehose", "autoscaling": "auto-scaling", "globalaccelerator": "global-accelerator", "route53domains": "route53-domains", "route53resolver": "route53-resolver",
		"account": "account-management", "billing": "billing-console", "ce": "cost-explorer", "networkmanager": "network-manager", "pricing": "price-list", "savingsplans": "savings-plans",
		"support": "support-center", "trustedadvisor": "trusted-advisor", "network-firewall": "network-firewall", "memorydb": "memorydb", "scheduler": "eventbridge-scheduler", "pipes": "eventbridge-pipes",
		"apprunner": "app-runner", "xray": "x-ray", "application-autoscaling": "auto-scaling", "backup": "backup", "sso": "iam-identity-center",
	}
})

func awsPlain(s string) bool {
	switch s {
	case "s3", "sqs", "sns", "ses", "rds", "ec2", "ecr", "ecs", "eks", "elb",
		"lambda", "kms", "ssm", "sts", "iam", "kinesis", "glue", "athena", "textract", "transcribe",
		"polly", "bedrock", "cloudfront", "route53", "dynamodb", "cloudformation", "codebuild", "codecommit",
		"codepipeline", "codedeploy", "acm", "cognito", "mq", "redshift", "sagemaker", "neptune", "batch",
		"cloudtrail", "organizations", "wafv2", "translate", "comprehend", "rekognition", "amplify", "appsync",
		"backup", "elasticache", "cloudwatch", "firehose", "apigateway", "config", "guardduty", "shield", "budgets", "chatbot", "cur", "health",
		"lightsail", "efs", "codeartifact":
		return true
	}
	return false
}

func awsService(label string) string {
	if s, ok := awsLabels()[label]; ok {
		return s
	}
	if awsPlain(label) {
		return label
	}
	return ""
}

// awsGlobal reports whether a service of AWS has no region.
func awsGlobal(s string) bool {
	switch s {
	case "cloudfront", "route53", "route53-domains", "iam", "organizations", "shield", "global-accelerator",
		"account-management", "billing-console", "budgets", "chatbot", "cost-explorer", "cur", "health", "network-manager",
		"price-list", "savings-plans", "support-center", "trusted-advisor":
		return true
	}
	return false
}

var (
	arnShape = pattern.New(`\barn:aws[a-z-]*:([a-z0-9-]+):([a-z0-9-]*):`)
	runCodes = sync.OnceValue(func() map[string]string {
		return map[string]string{"uc": "us-central1", "ue": "us-east1", "uk": "us-east4", "uw": "us-west1", "wl": "us-west2", "ew": "europe-west1", "nw": "europe-west2", "ey": "europe-west3", "ez": "europe-west4", "an": "asia-northeast1", "as": "asia-southeast1", "de": "asia-east1", "ts": "australia-southeast1", "rj": "southamerica-east1", "el": "asia-south1", "lz": "europe-north1", "pd": "northamerica-northeast1", "dt": "asia-northeast2", "du": "asia-northeast3"}
	})
	cloudCode = pattern.New(`(?:^|[.-])((?:us|eu|ap|sa|ca|me|af|il)-(?:gov-)?(?:north|south|east|west|central|northeast|southeast|southwest|northwest)-[1-9]|(?:us|europe|asia|northamerica|southamerica|australia)-(?:north|south|east|west|central|northeast|southeast|southwest)[0-9]{1,2})(?:[.-]|$)`)
	// wideCode is a region without a number, of those who have one in each.
	wideCode  = pattern.New(`(?:^|[.-])((?:us|eu|ap|sa|ca)-(?:north|south|east|west|central|northeast|southeast)(?:-[1-9])?)\.`)
	numbered  = pattern.New(`-[0-9]{1,2}$`)
	shortSite = pattern.New(`(?:^|[.-])(eu|us|de|au|jp|ca|uk|in|ap|sg|ie|br)([0-9]{0,2})(?:[.-]|$)`)
)

// hostPlace reads service and region out of a provider's host name; both may be empty.
func hostPlace(provider, host string) (service, region string) {
	switch provider {
	case "aws":
		return awsHost(host)
	case "google-cloud":
		return googleHost(host)
	case "azure":
		return "", azureHost(host)
	case "datadog":
		return "", datadogSite(host)
	case "grafana":
		if i := strings.LastIndex(host, "prod-"); i >= 0 {
			r, _, _ := strings.Cut(host[i:], ".")
			return "", r
		}
	case "livekit":
		return livekitHost(host)
	case "auth0":
		return "", auth0Region(host)
	case "okta":
		if strings.HasSuffix(host, ".okta-emea.com") {
			return "", "emea"
		}
	case "neon", "turso":
		for _, cloud := range [...]string{"aws", "gcp", "azure"} { // "eu-west-2.aws.neon.tech", "aws-eu-west-1.turso.io"
			if before, _, ok := strings.Cut(host, "."+cloud+"."); ok {
				return "", cloud + "-" + before[strings.LastIndexByte(before, '.')+1:]
			}
		}
		if m := cloudCode.FindStringSubmatch(host); m != nil {
			return "", "aws-" + m[1]
		}
	case "pusher":
		first, _, _ := strings.Cut(host, ".")
		return "", catalog.RegionCode(provider, first[strings.LastIndexByte(first, '-')+1:])
	case "planetscale", "tinybird":
		if m := wideCode.FindStringSubmatch(host); m != nil {
			return "", m[1]
		}
	case "render":
		if r, ok := strings.CutSuffix(strings.SplitN(host, ".", 3)[min(1, strings.Count(host, "."))], "-postgres"); ok {
			return "", r
		}
		return "", ""
	case "digitalocean":
		if m := databaseHost.FindStringSubmatch(host); m != nil {
			return "", m[1]
		}
		return "", objectStore(host)
	case "hetzner", "linode", "backblaze", "scaleway", "wasabi", "vultr", "ovhcloud", "exoscale":
		return "", objectStore(host)
	case "alibaba-cloud", "tencent-cloud":
		for label := range strings.SplitSeq(host, ".") {
			if r := strings.TrimSuffix(strings.TrimPrefix(label, "oss-"), "-internal"); aliRegion.MatchString(r) {
				return "", r
			}
		}
		return "", ""
	case "upstash":
		if first, _, _ := strings.Cut(host, "-"); upstashPlaces()[strings.TrimRight(first, "0123456789")] != "" && first != host {
			return "", upstashPlace(first)
		}
	case "oracle-cloud":
		for label := range strings.SplitSeq(host, ".") {
			if ociRegion.MatchString(label) {
				return "", label
			}
		}
		return "", ""
	}
	if m := cloudCode.FindStringSubmatch(host); m != nil {
		return "", m[1]
	}
	if place := azureLabel(host); place != "" {
		return "", place
	}
	return "", siteOf(provider, host)
}

// siteOf is the site in a host of those who have them, in labels below their own domain only.
func siteOf(provider, host string) string {
	if !hasShortSite(provider) {
		return ""
	}
	m := shortSite.FindStringSubmatch(ownLabels(host))
	switch {
	case m == nil:
		return ""
	case provider == "posthog":
		return m[1]
	}
	return foldRegion(provider, m[1]+m[2])
}

// azureHost is the place of Azure that a label of one of its own hosts names.
func azureHost(host string) string {
	for label := range strings.SplitSeq(host, ".") {
		label = numbered.ReplaceAllString(label, "") // "uksouth-01"
		if len(label) > 5 && label != "global" && azurePlace.MatchString(label) {
			return label
		}
	}
	return ""
}

// azureLabel is the place of Azure before the label that names this cloud: "cluster.westeurope.azure.confluent.cloud".
func azureLabel(host string) string {
	before, _, ok := strings.Cut(host, ".azure.")
	if !ok {
		return ""
	}
	return foldRegion("azure", before[strings.LastIndexByte(before, '.')+1:])
}

// labelRegion finds the one region that a label of a host names, as the provider's own table has it. Whole names below the
// first label only: that one is what customers chose.
func labelRegion(provider, host string) string {
	labels := strings.Split(ownLabels(host), ".")
	for i, l := range labels {
		if code := strings.ToLower(catalog.RegionCode(provider, l)); code != "" && (i > 0 || code == l && strings.ContainsAny(l, "0123456789-")) {
			return code
		}
	}
	return ""
}

// ownLabels are the labels of a host below the domain that its owner registered.
func ownLabels(host string) string {
	own := host
	for range 2 {
		i := strings.LastIndexByte(own, '.')
		if i < 0 {
			return ""
		}
		own = own[:i]
	}
	return own
}

func livekitHost(host string) (service, region string) {
	if sip := strings.TrimSuffix(host, ".sip.livekit.cloud"); sip != host && strings.Contains(sip, ".") {
		return "sip", sip[strings.LastIndexByte(sip, '.')+1:]
	}
	for _, l := range strings.Split(host, ".")[1:] {
		if len(l) > 4 && livekitRegion.MatchString(l) {
			return "", l
		}
	}
	return "", ""
}

// auth0Region is the region in a tenant's host; the oldest has none.
func auth0Region(host string) string {
	tenant, ok := strings.CutSuffix(host, ".auth0.com")
	if !ok || tenant == "cdn" {
		return ""
	}
	if i := strings.LastIndexByte(tenant, '.'); i >= 0 {
		return tenant[i+1:]
	}
	return "us"
}

var livekitRegion = pattern.New(`^(?:us|eu|ap|sa|af|me|in|au|jp|israel|india|oceania)(?:-(?:east|west|central|south|north|southeast|northeast)(?:-[0-9]?[a-z]?)?)$`)

var aliRegion = pattern.New(`^(?:cn|ap|eu|us|me|na)-[a-z]+(?:-[0-9a-z]+)?$`)

// upstashPlaces are the short words with which hosts of Upstash begin, less a number where they stand for one region.
var upstashPlaces = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"us": "us", "eu": "eu", "usw": "us-west-", "use": "us-east-", "euw": "eu-west-", "euc": "eu-central-", "apn": "ap-northeast-", "apse": "ap-southeast-", "aps": "ap-south-", "sae": "sa-east-", "cac": "ca-central-",
	}
})

// upstashPlace turns "usw1" into "us-west-1", and "eu2" into "eu".
func upstashPlace(word string) string {
	letters := strings.TrimRight(word, "0123456789")
	place := upstashPlaces()[letters]
	if strings.HasSuffix(place, "-") {
		return place + word[len(letters):]
	}
	return place
}

// hasShortSite reports whether hosts of a provider carry a site such as "eu" or "us2".
func hasShortSite(s string) bool {
	switch s {
	case "auth0", "sentry", "mailgun", "upstash", "posthog", "twilio", "pusher",
		"new-relic", "honeycomb", "mixpanel", "amplitude", "segment", "sumologic", "logz-io", "langfuse",
		"langsmith", "rollbar", "launchdarkly", "intercom", "customer-io", "braze", "algolia", "pagerduty",
		"opsgenie", "okta", "bugsnag", "sparkpost", "axiom", "vonage-api", "contentful", "statsig", "ably", "convex", "box",
		"docusign", "plaid", "iterable", "hubspot", "storyblok", "contentstack", "cloudinary", "coralogix", "assemblyai", "openai", "bunny-net",
		"elevenlabs", "planetscale", "1password", "typesense", "kinde", "sinch", "frontegg", "messagebird", "infobip", "dynatrace", "unleash",
		"configcat", "growthbook", "deepgram", "snyk":
		return true
	}
	return false
}

func awsHost(host string) (service, region string) {
	switch {
	case host == "public.ecr.aws":
		return "ecr-public", ""
	case strings.HasSuffix(host, ".cloudfront.net"):
		return "cloudfront", "global"
	case strings.Contains(host, "awsdns-"):
		return "route53", "global"
	case strings.HasSuffix(host, ".awsglobalaccelerator.com"):
		return "global-accelerator", "global"
	}
	before := ""
	for label := range strings.SplitSeq(host, ".") {
		if s := awsService(label); s != "" {
			service = s
		}
		if awsRegion.MatchString(label) {
			region = label
		}
		for _, p := range []string{"s3-website-", "s3-", "s3-fips-"} {
			if r, ok := strings.CutPrefix(label, p); ok && awsRegion.MatchString(r) {
				service, region = "s3", r
			}
		}
		if label == "ecr" {
			service = "ecr"
		}
		if service == "elasticache" && region == "" { // "euw1" in names of clusters
			region = catalog.RegionCode("aws", before)
		}
		before = label
	}
	return service, region
}

func googleHost(host string) (service, region string) {
	first, _, _ := strings.Cut(host, ".")
	switch {
	case strings.HasSuffix(host, ".pkg.dev"):
		r, _, _ := strings.Cut(first, "-docker")
		for _, s := range []string{"-npm", "-python", "-maven", "-go", "-apt", "-yum"} {
			r = strings.TrimSuffix(r, s)
		}
		if r == "europe" {
			r = "eu"
		}
		return "artifact-registry", foldRegion("google-cloud", r)
	case strings.HasSuffix(host, ".run.app"):
		if m := cloudCode.FindStringSubmatch(host); m != nil {
			return "cloud-run", m[1]
		}
		if strings.HasSuffix(host, ".a.run.app") {
			if i := strings.LastIndexByte(first, '-'); i >= 0 {
				return "cloud-run", runCodes()[first[i+1:]]
			}
		}
		return "cloud-run", ""
	}
	if m := cloudCode.FindStringSubmatch(host); m != nil {
		return "", m[1]
	}
	return "", ""
}

// objectStore finds the region label of S3-compatible stores: "nyc3.digitaloceanspaces.com", "s3.us-west-004.backblazeb2.com".
func objectStore(host string) string {
	labels := strings.Split(host, ".")
	if len(labels) < 3 {
		return ""
	}
	r := strings.TrimPrefix(labels[len(labels)-3], "sos-")
	if r == "cdn" && len(labels) > 3 {
		r = labels[len(labels)-4]
	}
	if storeRegion.MatchString(r) {
		return r
	}
	return ""
}

// databaseHost is the name of a managed database of DigitalOcean, which tells the region and a number.
var databaseHost = pattern.New(`-([a-z]{3}[0-9])-.*\.db\.ondigitalocean\.com$`)

var storeRegion = pattern.New(`^(?:[a-z]{3}[0-9]|[a-z]{2}-[a-z]{3}-[0-9]|[a-z]{2}-[a-z]+-[0-9]+|[a-z]{2}-[a-z]{3}|[a-z]{2,3}-[a-z]{2,4}-[0-9])$`)
