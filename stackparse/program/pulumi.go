package program

import (
	"strings"
	"unicode"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/arm"
)

// A kit is one module of one of Pulumi's providers: "aws" and "s3".
type kit struct{ provider, module string }

var (
	// resource is a resource that a program makes: provider, module and type.
	resource = pattern.New(`\b(?:new\s+)?(awsx?|aws_native|awsNative|gcp|azure_native|azureNative|azure|digitalocean|cloudflare|datadog|github|mongodbatlas|auth0|linode|hcloud|okta|pagerduty|snowflake|confluentcloud|planetscale|vercel|upstash|neon|fastly|stripe|tailscale|supabase)\.([a-z0-9_]+)\.([A-Z]\w+)\(`)
	// flat is one of a provider without modules.
	flat = pattern.New(`\bnew\s+(digitalocean|cloudflare|datadog|github|mongodbatlas|auth0|linode|hcloud|okta|pagerduty|snowflake|confluentcloud|planetscale|vercel|upstash|neon|fastly|stripe|tailscale|supabase)\.([A-Z]\w+)\(|\b(cloudflare|github)\.(get[A-Z]\w+)\(`)
	// goImport names a module in Go: its provider and its module, with the name given to it where there is one.
	goImport = pattern.New(`^(?:import\s+)?(\w+)?\s*"github\.com/pulumi/pulumi-(\w[\w-]*)/sdk/(?:v\d+/)?go/[\w-]+/([\w/-]+)"`)
	// goMake makes a resource in Go.
	goMake = pattern.New(`\b(\w+)\.New([A-Z]\w+)\(\s*ctx\b`)
	// deepImport is a module of its own file in other languages.
	deepImport = pattern.New(`@pulumi/(aws|gcp|azure-native)/([a-z0-9]+)["'/]|\bcom\.pulumi\.(aws|gcp|azurenative)\.([a-z0-9]+)\.[A-Z]|\bPulumi\.(Aws|Gcp|AzureNative)\.([A-Z]\w+)\b`)
)

// split maps modules whose name Terraform writes in several words, or otherwise.
var split = map[string]string{
	"google_cloudrun": "google_cloud_run", "google_cloudrunv2": "google_cloud_run_v2", "google_secretmanager": "google_secret_manager", "google_artifactregistry": "google_artifact_registry", "google_cloudscheduler": "google_cloud_scheduler", "google_cloudtasks": "google_cloud_tasks",
	"google_serviceaccount": "google_service_account", "google_organizations": "google_project", "google_cloudfunctionsv2": "google_cloudfunctions2", "google_projects": "google_project", "google_vpcaccess": "google_vpc_access", "google_appengine": "google_app_engine", "google_alloydb": "google_alloydb",
	"aws_s3": "aws_s3", "aws_ec2": "aws_ec2", "aws_apigateway": "aws_api_gateway", "aws_alb": "aws_lb", "aws_ec2transitgateway": "aws_ec2_transit_gateway", "aws_servicediscovery": "aws_service_discovery", "aws_elasticbeanstalk": "aws_elastic_beanstalk",
	"aws_elasticloadbalancing": "aws_elb", "aws_elasticloadbalancingv2": "aws_lb", "aws_sfn": "aws_sfn", "aws_mediaconvert": "aws_media_convert", "aws_kinesis": "aws_kinesis", "aws_lambda": "aws_lambda", "aws_classic": "aws_", "aws_appautoscaling": "aws_appautoscaling",
}

// resources finds what a program makes with Pulumi, and calls it as Terraform does.
func (f *file) resources(line int, s string) {
	for _, m := range resource.FindAllStringSubmatch(s, 4) {
		f.resource(line, strings.TrimSuffix(m[0], "("), kit{m[1], m[2]}, m[3])
	}
	if m := flat.FindStringSubmatch(s); m != nil {
		f.resource(line, strings.TrimSuffix(m[0], "("), kit{m[1] + m[3], ""}, strings.TrimPrefix(m[2]+m[4], "get"))
	}
	if m := goImport.FindStringSubmatch(s); m != nil {
		module := m[3][strings.LastIndexByte(m[3], '/')+1:]
		name := m[1]
		if name == "" {
			name = module
		}
		f.modules[name] = kit{m[2], module}
	}
	if m := goMake.FindStringSubmatch(s); m != nil {
		if k, ok := f.modules[m[1]]; ok {
			f.resource(line, strings.TrimSuffix(m[0], "(ctx"), k, m[2])
		}
	}
	if m := deepImport.FindStringSubmatch(s); m != nil {
		f.resource(line, strings.TrimRight(m[0], `"'/`), kit{strings.ToLower(m[1] + m[3] + m[5]), strings.ToLower(m[2] + m[4] + m[6])}, "")
	}
}

// resource adds one resource; Provider is the configuration of one and tells no service.
func (f *file) resource(line int, show string, k kit, kind string) {
	if kind == "Provider" || k.module == "iam" || strings.HasPrefix(kind, "Get") && kind != "GetZone" {
		return
	}
	if k.provider == "azure" && f.native {
		k.provider = "azure-native"
	}
	f.out.Add(stackparse.Fact{Kind: "tf_resource", As: "code", Name: terraformType(k, kind), Show: show, Line: line})
}

// terraformType is the name that Terraform gives to the resources of a module, as far as it tells the service.
func terraformType(k kit, kind string) string {
	module := strings.ReplaceAll(k.module, "_", "")
	switch k.provider {
	case "azure-native", "azureNative", "azure_native", "azurenative":
		return arm.Resource("microsoft." + module + "/" + plural(strings.ToLower(kind)))
	case "azure":
		return "azurerm_" + module + "_"
	case "aws", "awsx", "aws-native", "awsNative", "aws_native":
		return joined("aws_"+module, kind)
	case "gcp":
		return joined("google_"+module, kind)
	}
	return joined(k.provider, strings.ToUpper(module[:min(1, len(module))])+module[min(1, len(module)):]+kind)
}

func joined(module, kind string) string {
	if other := split[module]; other != "" {
		module = other
	}
	return module + "_" + snake(kind)
}

// snake writes "EventRule" as "event_rule".
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func plural(s string) string {
	if y, ok := strings.CutSuffix(s, "y"); ok {
		return y + "ies"
	}
	return s + "s"
}
