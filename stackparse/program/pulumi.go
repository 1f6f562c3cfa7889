package program

import (
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/tfname"
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
		return tfname.Azure(module, kind)
	case "azure":
		return "azurerm_" + module + "_"
	case "aws", "awsx", "aws-native", "awsNative", "aws_native":
		return tfname.AWS(module, kind)
	case "gcp":
		return tfname.Google(module, kind)
	}
	return tfname.Of(k.provider, module, kind)
}
