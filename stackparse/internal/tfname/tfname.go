// Package tfname calls the resources of other kits by the names that Terraform has for them, under which the catalogue
// keeps their services.
package tfname

import (
	"strings"
	"sync"
	"unicode"

	"downwind/stackparse/internal/arm"
)

// modules maps modules whose name Terraform writes in several words, or otherwise.
var modules = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"google_cloudrun": "google_cloud_run", "google_cloudrunv2": "google_cloud_run_v2", "google_run": "google_cloud_run", "google_secretmanager": "google_secret_manager", "google_artifactregistry": "google_artifact_registry",
		"google_cloudscheduler": "google_cloud_scheduler", "google_cloudtasks": "google_cloud_tasks", "google_serviceaccount": "google_service_account", "google_organizations": "google_project", "google_cloudfunctionsv2": "google_cloudfunctions2",
		"google_projects": "google_project", "google_vpcaccess": "google_vpc_access", "google_appengine": "google_app_engine", "google_cloudplatform": "google_project", "google_resourcemanager": "google_project",
		"aws_apigateway": "aws_api_gateway", "aws_alb": "aws_lb", "aws_ec2transitgateway": "aws_ec2_transit_gateway", "aws_servicediscovery": "aws_service_discovery", "aws_elasticbeanstalk": "aws_elastic_beanstalk",
		"aws_elasticloadbalancing": "aws_elb", "aws_elasticloadbalancingv2": "aws_lb", "aws_elbv2": "aws_lb", "aws_mediaconvert": "aws_media_convert", "aws_opensearchservice": "aws_opensearch", "aws_kafka": "aws_msk",
	}
})

// AWS is the type of a resource of AWS by its module and its own name ("s3", "Bucket").
func AWS(module, kind string) string {
	if strings.EqualFold(module, "ec2") && strings.HasPrefix(strings.ToLower(kind), "vpc") {
		return "aws_vpc"
	}
	return joined("aws_"+module, kind)
}

// Google is that of a resource of Google Cloud ("pubsub", "Topic").
func Google(module, kind string) string { return joined("google_"+module, kind) }

// Azure is that of a resource of Azure ("storage", "StorageAccount"), whose own types are in the plural.
func Azure(module, kind string) string {
	return arm.Resource("microsoft." + strings.ToLower(module) + "/" + plural(strings.ToLower(strings.TrimSuffix(kind, "Resource"))))
}

// Of is that of a resource of any other vendor; the module may be empty.
func Of(provider, module, kind string) string {
	if module != "" {
		provider += "_" + module
	}
	return joined(provider, kind)
}

func joined(module, kind string) string {
	if other := modules()[module]; other != "" {
		module = other
	}
	return module + "_" + snake(kind)
}

// snake writes "EventRule" as "event_rule".
func snake(s string) string {
	var b strings.Builder
	low := true // the letter before was small
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 && low {
			b.WriteByte('_')
		}
		low = !unicode.IsUpper(r)
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
