// Package sinks knows the vendors to whom tools send logs and metrics, by the names that each tool has for them. Software
// that teams run themselves is left out.
package sinks

import "sync"

// A Sink is where a tool sends to.
type Sink struct{ Provider, Service string }

var (
	cloudwatch = Sink{"aws", "cloudwatch"}
	storage    = Sink{"google-cloud", "cloud-storage"}
)

// Vector has the sinks and sources of Vector.
var Vector = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{
		"aws_cloudwatch_logs": cloudwatch, "aws_cloudwatch_metrics": cloudwatch, "aws_kinesis_firehose": {"aws", "firehose"}, "aws_kinesis_streams": {"aws", "kinesis"}, "aws_s3": {"aws", "s3"}, "aws_sqs": {"aws", "sqs"}, "aws_sns": {"aws", "sns"},
		"gcp_cloud_storage": storage, "gcp_stackdriver_logs": {"google-cloud", "logging"}, "gcp_stackdriver_metrics": {"google-cloud", "monitoring"}, "gcp_pubsub": {"google-cloud", "pubsub"}, "gcp_chronicle_unstructured": {"google-cloud", "security-operations"},
		"azure_blob": {"azure", "blob-storage"}, "azure_monitor_logs": {"azure", "monitor"}, "datadog_logs": {"datadog", "logs"}, "datadog_metrics": {"datadog", ""}, "datadog_traces": {"datadog", "apm"}, "datadog_events": {"datadog", ""}, "new_relic": {"new-relic", ""}, "honeycomb": {"honeycomb", ""}, "papertrail": {"papertrail", ""}, "axiom": {"axiom", ""}, "appsignal": {"appsignal", ""},
	}
})

// FluentBit has the outputs of Fluent Bit.
var FluentBit = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{
		"cloudwatch_logs": cloudwatch, "cloudwatch": cloudwatch, "kinesis_firehose": {"aws", "firehose"}, "firehose": {"aws", "firehose"}, "kinesis_streams": {"aws", "kinesis"}, "kinesis": {"aws", "kinesis"}, "s3": {"aws", "s3"},
		"stackdriver": {"google-cloud", "logging"}, "bigquery": {"google-cloud", "bigquery"}, "azure": {"azure", "monitor"}, "azure_blob": {"azure", "blob-storage"}, "azure_logs_ingestion": {"azure", "monitor"}, "azure_kusto": {"azure", "data-explorer"},
		"datadog": {"datadog", "logs"}, "nrlogs": {"new-relic", "logs"}, "newrelic": {"new-relic", "logs"}, "slack": {"slack", ""}, "oracle_log_analytics": {"oracle-cloud", ""},
	}
})

// Grafana has the sources from which Grafana draws.
var Grafana = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{
		"cloudwatch": cloudwatch, "stackdriver": {"google-cloud", "monitoring"}, "grafana-azure-monitor-datasource": {"azure", "monitor"}, "grafana-bigquery-datasource": {"google-cloud", "bigquery"}, "doitintl-bigquery-datasource": {"google-cloud", "bigquery"}, "grafana-athena-datasource": {"aws", "athena"},
		"grafana-timestream-datasource": {"aws", "timestream"}, "grafana-redshift-datasource": {"aws", "redshift"}, "grafana-x-ray-datasource": {"aws", "x-ray"}, "grafana-snowflake-datasource": {"snowflake", ""}, "grafana-datadog-datasource": {"datadog", ""}, "grafana-newrelic-datasource": {"new-relic", ""}, "grafana-sentry-datasource": {"sentry", ""},
	}
})

// Discovery has the ways in which Prometheus finds machines.
var Discovery = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{
		"ec2_sd_configs": {"aws", "ec2"}, "lightsail_sd_configs": {"aws", "lightsail"}, "gce_sd_configs": {"google-cloud", "compute-engine"}, "azure_sd_configs": {"azure", "virtual-machines"}, "digitalocean_sd_configs": {"digitalocean", "droplets"}, "hetzner_sd_configs": {"hetzner", ""}, "linode_sd_configs": {"linode", ""}, "vultr_sd_configs": {"vultr", ""}, "scaleway_sd_configs": {"scaleway", ""}, "ovhcloud_sd_configs": {"ovhcloud", ""}, "ionos_sd_configs": {"ionos-cloud", ""},
	}
})

// Machines has the clouds on whose machines Ray runs.
var Machines = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{"aws": {"aws", "ec2"}, "gcp": {"google-cloud", "compute-engine"}, "azure": {"azure", "virtual-machines"}}
})

// Blobs has the stores to which GoReleaser puts a release.
var Blobs = sync.OnceValue(func() map[string]Sink {
	return map[string]Sink{"s3": {"aws", "s3"}, "gs": storage, "azblob": {"azure", "blob-storage"}}
})
