package tfname

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"plain", AWS("sqs", "Queue"), "aws_sqs_queue"},
		{"two words", AWS("cloudwatch", "EventRule"), "aws_cloudwatch_event_rule"},
		{"network", AWS("ec2", "VPC"), "aws_vpc"},
		{"module of another name", AWS("elbv2", "LoadBalancer"), "aws_lb_load_balancer"},
		{"capitals", Google("sql", "SQLInstance"), "google_sql_sqlinstance"},
		{"words of a module", Google("cloudrunv2", "Service"), "google_cloud_run_v2_service"},
		{"Azure", Azure("storage", "StorageAccount"), "azurerm_storage_account"},
		{"Azure in y", Azure("containerregistry", "Registry"), "azurerm_container_registry"},
		{"without a module", Of("cloudflare", "", "Record"), "cloudflare_record"},
		{"with a module", Of("datadog", "aws", "Integration"), "datadog_aws_integration"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
