package terraform

import (
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
)

// moduleTypes maps names of registry modules to a resource type that tells their service, where the name itself does
// not: "provider/module".
var moduleTypes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"aws/app-runner": "aws_apprunner_service", "aws/autoscaling": "aws_autoscaling_group", "aws/ebs-optimized": "aws_instance", "aws/ec2-autoscale-group": "aws_autoscaling_group",
		"aws/ecs-alb-service-task": "aws_ecs_service", "aws/elastic-beanstalk-environment": "aws_elastic_beanstalk_environment", "aws/eventbridge": "aws_cloudwatch_event_rule",
		"aws/global-accelerator": "aws_globalaccelerator_accelerator", "aws/managed-service-grafana": "aws_grafana_workspace", "aws/managed-service-prometheus": "aws_prometheus_workspace",
		"aws/memory-db": "aws_memorydb_cluster", "aws/msk-apache-kafka-cluster": "aws_msk_cluster", "aws/msk-kafka-cluster": "aws_msk_cluster", "aws/network-firewall": "aws_networkfirewall_firewall",
		"aws/notify-slack": "aws_sns_topic", "aws/opensearch": "aws_opensearch_domain", "aws/rds-proxy": "aws_db_proxy", "aws/rds": "aws_db_instance", "aws/secrets-manager": "aws_secretsmanager_secret",
		"aws/step-functions": "aws_sfn_state_machine", "aws/transit-gateway": "aws_ec2_transit_gateway", "aws/dynamic-subnets": "aws_subnet", "aws/named-subnets": "aws_subnet", "aws/zone": "aws_route53_zone",
		"aws/cloudwatch": "aws_cloudwatch_metric_alarm", "aws/documentdb-cluster": "aws_docdb_cluster", "aws/elasticsearch": "aws_elasticsearch_domain", "aws/emr-cluster": "aws_emr_cluster",
		"aws/vpn-gateway": "aws_vpn_gateway", "aws/bastion": "aws_instance", "aws/ec2-bastion-server": "aws_instance", "aws/tfstate-backend": "aws_s3_bucket", "aws/cognito": "aws_cognito_user_pool",
		"aws/cloudfront-s3-cdn": "aws_cloudfront_distribution", "aws/datadog-forwarders": "aws_lambda_function", "aws/fargate": "aws_ecs_service", "aws/appsync": "aws_appsync_graphql_api",

		"google/address": "google_compute_address", "google/bastion-host": "google_compute_instance", "google/bootstrap": "google_project", "google/cloud-armor": "google_compute_security_policy",
		"google/cloud-datastore": "google_datastore_index", "google/cloud-functions": "google_cloudfunctions2_function", "google/cloud-nat": "google_compute_router_nat", "google/cloud-operations": "google_monitoring_dashboard",
		"google/cloud-router": "google_compute_router", "google/cloud-run": "google_cloud_run_service", "google/cloud-storage": "google_storage_bucket", "google/cloud-workflows": "google_workflows_workflow",
		"google/container-vm": "google_compute_instance", "google/data-fusion": "google_data_fusion_instance", "google/event-function": "google_cloudfunctions_function", "google/gke-gitlab": "google_container_cluster",
		"google/group": "google_cloud_identity_group", "google/kubernetes-engine": "google_container_cluster", "google/lb": "google_compute_forwarding_rule", "google/lb-http": "google_compute_backend_service",
		"google/lb-internal": "google_compute_forwarding_rule", "google/log-export": "google_logging_project_sink", "google/memorystore": "google_redis_instance", "google/network": "google_compute_network",
		"google/project-factory": "google_project", "google/regional-lb-http": "google_compute_backend_service", "google/scheduled-function": "google_cloudfunctions_function", "google/secret-manager": "google_secret_manager_secret",
		"google/service-accounts": "google_service_account", "google/sql-db": "google_sql_database_instance", "google/vault": "google_compute_instance", "google/vm": "google_compute_instance", "google/vpn": "google_compute_vpn_tunnel",
		"google/iam": "google_project_iam_member", "google/kms": "google_kms_key_ring", "google/org-policy": "google_org_policy_policy",

		"azurerm/aks": "azurerm_kubernetes_cluster", "azurerm/appgw": "azurerm_application_gateway", "azurerm/compute": "azurerm_linux_virtual_machine", "azurerm/cosmosdb": "azurerm_cosmosdb_account",
		"azurerm/database": "azurerm_mssql_database", "azurerm/loadbalancer": "azurerm_lb", "azurerm/network": "azurerm_virtual_network", "azurerm/network-security-group": "azurerm_network_security_group",
		"azurerm/openai": "azurerm_cognitive_deployment", "azurerm/vnet": "azurerm_virtual_network", "azurerm/virtual-machine": "azurerm_linux_virtual_machine", "azurerm/container-apps": "azurerm_container_app",
		"azurerm/avm-res-apimanagement-service": "azurerm_api_management", "azurerm/avm-res-app": "azurerm_container_app", "azurerm/avm-res-appconfiguration": "azurerm_app_configuration",
		"azurerm/avm-res-cache-redis": "azurerm_redis_cache", "azurerm/avm-res-cdn": "azurerm_cdn_frontdoor_profile", "azurerm/avm-res-cognitiveservices-account": "azurerm_cognitive_account",
		"azurerm/avm-res-compute-virtualmachine": "azurerm_linux_virtual_machine", "azurerm/avm-res-compute-virtualmachinescaleset": "azurerm_orchestrated_virtual_machine_scale_set",
		"azurerm/avm-res-containerinstance": "azurerm_container_group", "azurerm/avm-res-containerregistry": "azurerm_container_registry", "azurerm/avm-res-containerservice": "azurerm_kubernetes_cluster",
		"azurerm/avm-res-databricks": "azurerm_databricks_workspace", "azurerm/avm-res-dbformysql": "azurerm_mysql_flexible_server", "azurerm/avm-res-dbforpostgresql": "azurerm_postgresql_flexible_server",
		"azurerm/avm-res-documentdb": "azurerm_cosmosdb_account", "azurerm/avm-res-eventgrid": "azurerm_eventgrid_topic", "azurerm/avm-res-eventhub": "azurerm_eventhub_namespace",
		"azurerm/avm-res-insights": "azurerm_application_insights", "azurerm/avm-res-keyvault": "azurerm_key_vault", "azurerm/avm-res-kusto": "azurerm_kusto_cluster", "azurerm/avm-res-logic": "azurerm_logic_app_workflow",
		"azurerm/avm-res-machinelearningservices": "azurerm_machine_learning_workspace", "azurerm/avm-res-managedidentity": "azurerm_user_assigned_identity", "azurerm/avm-res-network-applicationgateway": "azurerm_application_gateway",
		"azurerm/avm-res-network-azurefirewall": "azurerm_firewall", "azurerm/avm-res-network-bastionhost": "azurerm_bastion_host", "azurerm/avm-res-network-dnszone": "azurerm_dns_zone", "azurerm/avm-res-network-loadbalancer": "azurerm_lb",
		"azurerm/avm-res-network-natgateway": "azurerm_nat_gateway", "azurerm/avm-res-network-networksecuritygroup": "azurerm_network_security_group", "azurerm/avm-res-network-privatednszone": "azurerm_private_dns_zone",
		"azurerm/avm-res-network-virtualnetwork": "azurerm_virtual_network", "azurerm/avm-res-operationalinsights": "azurerm_log_analytics_workspace", "azurerm/avm-res-recoveryservices": "azurerm_recovery_services_vault",
		"azurerm/avm-res-search": "azurerm_search_service", "azurerm/avm-res-servicebus": "azurerm_servicebus_namespace", "azurerm/avm-res-sql-managedinstance": "azurerm_mssql_managed_instance", "azurerm/avm-res-sql": "azurerm_mssql_server",
		"azurerm/avm-res-storage": "azurerm_storage_account", "azurerm/avm-res-web-site": "azurerm_linux_web_app", "azurerm/avm-res-web-serverfarm": "azurerm_service_plan", "azurerm/avm-res-web-staticsite": "azurerm_static_web_app",
	}
})

// moduleUses are registry modules that serve a second vendor beside the cloud they run in.
var moduleUses = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"aws/notify-slack": {"slack", "webhooks"}, "aws/sns-lambda-notify-slack": {"slack", "webhooks"}, "aws/datadog-forwarders": {"datadog", ""}, "aws/datadog-lambda-forwarder": {"datadog", ""},
	}
})

// moduleOrigins are places that modules are fetched from. Sources at a git host are a faint sign; a bucket is the
// team's own.
var moduleOrigins = []struct {
	mark, provider, service string
	state                   stackparse.State
}{
	{"s3::", "aws", "s3", stackparse.Firm},
	{"gcs::", "google-cloud", "cloud-storage", stackparse.Firm},
	{"github.com", "github", "git-operations", stackparse.Faint},
	{"gitlab.com", "gitlab", "", stackparse.Faint},
	{"bitbucket.org", "bitbucket", "", stackparse.Faint},
}

// bucketRegion finds the region in the address of a bucket ("s3::https://s3-eu-west-1.amazonaws.com/…").
var bucketRegion = pattern.New(`\bs3[.-]((?:[a-z]{2}|us-gov)-[a-z]+-\d)\.amazonaws\.com`)

// clouds maps what a module's address ends in to the provider whose resources it makes.
var clouds = sync.OnceValue(func() map[string]string {
	return map[string]string{"aws": "aws", "awscc": "aws", "google": "google", "google-beta": "google", "azurerm": "azurerm", "azure": "azurerm", "azapi": "azurerm"}
})

// repository is the name that a module's repository must have to stand in the registry.
var repository = pattern.New(`(?i)(?:^|[/:])terraform-([a-z0-9]+(?:-beta)?)-([a-z0-9-]+?)(?:\.git)?(?:\?.*)?$`)

// moduleAddress takes the name of a module and its provider out of an address: "NAMESPACE/NAME/PROVIDER", also behind
// the host of a registry, or a repository named "terraform-PROVIDER-NAME". The host is empty for public registries
// and repositories.
func moduleAddress(source string) (name, local, host string, ok bool) {
	address, scheme := source, false
	if after, ok := strings.CutPrefix(address, "tfr://"); ok { // as Terragrunt writes addresses of a registry
		address, _, _ = strings.Cut(strings.TrimPrefix(after, "/"), "?")
	}
	if i := strings.Index(address, "://"); i >= 0 {
		address, scheme = address[i+3:], true
	}
	address, _, _ = strings.Cut(address, "//")
	if m := repository.FindStringSubmatch(address); m != nil {
		return strings.ToLower(m[2]), strings.ToLower(m[1]), "", true
	}
	if scheme || strings.Contains(address, "::") || strings.HasPrefix(address, ".") {
		return "", "", "", false
	}
	parts := strings.Split(address, "/")
	if len(parts) == 4 && strings.Contains(parts[0], ".") {
		if host = strings.ToLower(parts[0]); strings.HasPrefix(host, "registry.") && (strings.HasSuffix(host, ".terraform.io") || strings.HasSuffix(host, ".opentofu.org")) {
			host = ""
		}
		parts = parts[1:]
	}
	if len(parts) != 3 || strings.Contains(parts[0], ".") || strings.Contains(parts[0], "@") {
		return "", "", "", false
	}
	return parts[1], parts[2], host, true
}

// moduleType finds the resource type that tells the service of a registry module; names are tried word by word from
// the end, so that "avm-res-sql-server" is found by "avm-res-sql".
func moduleType(cloud, name string) string {
	for part := name; part != ""; {
		if t := moduleTypes()[cloud+"/"+part]; t != "" {
			return t
		}
		i := strings.LastIndexByte(part, '-')
		if i < 0 || !strings.HasPrefix(part, "avm-") {
			break
		}
		part = part[:i]
	}
	// A trailing border lets "aws_sns_" be found by the prefix of its resources.
	return cloud + "_" + strings.ReplaceAll(name, "-", "_") + "_"
}

// registry takes in the call of a module that is not in these files.
func (c *call) registry(b *block, source string, line int, out *stackparse.Result) {
	registryModule(source, line, out, func(local string) []string {
		if regions := c.eachPlace(b.body); regions != nil {
			return regions
		}
		for to, from := range b.body.references("providers") {
			if to == local && c.providers[from] != nil {
				return c.providers[from]
			}
		}
		return c.providers[local]
	})
}

// registryModule takes in a module by its address; regions tells those in which its resources lie, by the name of their
// provider.
func registryModule(source string, line int, out *stackparse.Result, regions func(local string) []string) {
	for _, o := range moduleOrigins {
		if strings.Contains(source, o.mark) {
			f := stackparse.Fact{Kind: stackparse.KindUse, Provider: o.provider, Service: o.service, Name: o.mark, Line: line, State: o.state}
			if m := bucketRegion.FindStringSubmatch(source); m != nil && o.provider == "aws" {
				f.Regions = m[1:]
			}
			out.Facts = append(out.Facts, f)
			break
		}
	}
	name, local, host, ok := moduleAddress(source)
	if !ok {
		return
	}
	if host != "" {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: "domain", Name: host, Line: line})
	}
	cloud, ok := clouds()[local]
	if !ok {
		out.Add(stackparse.Fact{Kind: "tf_provider", Name: "hashicorp/" + local, Show: source, Line: line, State: stackparse.Loose, Regions: regions(local)})
		return
	}
	kind := moduleType(cloud, name)
	if sub := strings.SplitN(source, "//modules/", 2); len(sub) == 2 {
		inner, _, _ := strings.Cut(sub[1], "?")
		if t := moduleTypes()[cloud+"/"+path.Base(inner)]; t != "" {
			kind = t
		}
	}
	out.Add(stackparse.Fact{Kind: "tf_resource", Name: kind, Show: source, Line: line, Regions: regions(local)})
	if u := moduleUses()[cloud+"/"+name]; u.provider != "" {
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: u.provider, Service: u.service, Name: source, Line: line})
	}
}
