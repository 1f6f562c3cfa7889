package ansible

import (
	"strings"
	"sync"

	"downwind/stackparse"
)

type product struct{ provider, service string }

// collections maps collections of modules to whose they are, where all of them are one vendor's.
var collections = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"community.digitalocean": {"digitalocean", ""}, "digitalocean.cloud": {"digitalocean", ""}, "hetzner.hcloud": {"hetzner", ""}, "linode.cloud": {"linode", ""}, "vultr.cloud": {"vultr", ""},
		"scaleway.scaleway": {"scaleway", ""}, "oracle.oci": {"oracle-cloud", ""}, "ibm.cloudcollection": {"ibm-cloud", ""}, "community.okta": {"okta", ""}, "ngine_io.exoscale": {"exoscale", ""},
		"datadog.dd": {"datadog", ""}, "newrelic.newrelic_infra": {"new-relic", ""}, "grafana.cloud": {"grafana", ""}, "tailscale.tailscale": {"tailscale", ""},
	}
})

// alone are modules that stand for themselves, by their name without a collection.
var alone = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"cloudflare_dns": {"cloudflare", "dns"}, "slack": {"slack", ""}, "pagerduty": {"pagerduty", ""}, "pagerduty_alert": {"pagerduty", ""}, "pagerduty_change": {"pagerduty", ""},
		"datadog_event": {"datadog", ""}, "datadog_monitor": {"datadog", ""}, "datadog_downtime": {"datadog", ""}, "newrelic_deployment": {"new-relic", ""}, "honeybadger_deployment": {"honeybadger", ""}, "rollbar_deployment": {"rollbar", ""},
		"heroku_collaborator": {"heroku", ""}, "github_repo": {"github", ""}, "github_deploy_key": {"github", ""}, "github_release": {"github", ""}, "github_webhook": {"github", ""}, "dnsimple": {"dnsimple", ""}, "gandi_livedns": {"gandi-net", ""},
		"telegram": {"telegram", ""}, "discord": {"discord", ""}, "twilio": {"twilio", ""}, "sendgrid": {"sendgrid", ""}, "onepassword_info": {"1password", ""}, "statusio_maintenance": {"statuscast", ""}, "opsgenie_alert": {"opsgenie", ""},
	}
})

// azureKinds maps modules for Azure to the types of Terraform's resources, under which the catalogue has their services.
var azureKinds = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"aks": "azurerm_kubernetes_cluster", "virtualmachine": "azurerm_linux_virtual_machine", "storageaccount": "azurerm_storage_account", "storageblob": "azurerm_storage_account", "webapp": "azurerm_linux_web_app", "functionapp": "azurerm_linux_function_app",
		"containerregistry": "azurerm_container_registry", "containerinstance": "azurerm_container_group", "keyvault": "azurerm_key_vault", "keyvaultsecret": "azurerm_key_vault", "postgresqlserver": "azurerm_postgresql_server", "postgresqlflexibleserver": "azurerm_postgresql_flexible_server",
		"mysqlserver": "azurerm_mysql_server", "sqlserver": "azurerm_mssql_server", "sqldatabase": "azurerm_mssql_server", "rediscache": "azurerm_redis_cache", "cosmosdbaccount": "azurerm_cosmosdb_account", "dnszone": "azurerm_dns_zone", "dnsrecordset": "azurerm_dns_zone",
		"servicebus": "azurerm_servicebus_namespace", "eventhub": "azurerm_eventhub_namespace", "loadbalancer": "azurerm_lb", "appgateway": "azurerm_application_gateway", "loganalyticsworkspace": "azurerm_log_analytics_workspace",
	}
})

// droplets are words in names of modules for DigitalOcean, with the service that they are for.
var droplets = []product{{"droplet", "droplets"}, {"kubernetes", "kubernetes"}, {"spaces", "spaces"}, {"database", "managed-databases"}, {"domain", "dns"}, {"load_balancer", "load-balancers"}}

// short begin the names of modules for clouds from before they were kept in collections.
var short = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ec2": "amazon.aws", "s3": "amazon.aws", "aws": "amazon.aws", "rds": "amazon.aws", "route53": "amazon.aws", "lambda": "amazon.aws", "ecs": "community.aws", "sqs": "community.aws", "sns": "community.aws", "cloudformation": "amazon.aws", "cloudfront": "community.aws", "dynamodb": "community.aws",
		"elb": "amazon.aws", "elasticache": "community.aws", "kms": "amazon.aws", "cloudwatch": "amazon.aws", "gcp": "google.cloud", "azure": "azure.azcollection", "digital": "community.digitalocean", "hcloud": "hetzner.hcloud", "linode": "linode.cloud", "vultr": "vultr.cloud", "scaleway": "scaleway.scaleway",
	}
})

// known says what a module shows, by its name with its collection or, where those are in use, by its old name.
func (r *reader) known(name string) (f stackparse.Fact, ok bool) {
	collection, module := "", name
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		collection, module = name[:i], name[i+1:]
	}
	if collection == "" {
		if !r.plain {
			return f, false
		}
		word, _, _ := strings.Cut(module, "_")
		collection = short()[word]
	}
	use := func(p product) (stackparse.Fact, bool) {
		return stackparse.Fact{Kind: stackparse.KindUse, As: "ansible", Provider: p.provider, Service: p.service, Name: name}, true
	}
	resource := func(kind string) (stackparse.Fact, bool) {
		return stackparse.Fact{Kind: "tf_resource", As: "ansible", Name: kind}, true
	}
	switch collection {
	case "amazon.aws", "community.aws":
		module = strings.TrimPrefix(module, "aws_")
		if strings.HasPrefix(module, "iam") || strings.HasPrefix(module, "sts") || module == "caller_info" {
			return use(product{"aws", ""})
		}
		if strings.HasPrefix(module, "ec2_vpc") {
			module = "vpc"
		}
		return resource("aws_" + module + "_")
	case "google.cloud":
		return resource("google_" + strings.TrimPrefix(module, "gcp_") + "_")
	case "azure.azcollection":
		module, _ = strings.CutPrefix(module, "azure_rm_")
		if kind := azureKinds()[strings.TrimSuffix(module, "_info")]; kind != "" {
			return resource(kind)
		}
		return resource("azurerm_resource_group")
	}
	if p, found := collections()[collection]; found {
		for _, d := range droplets {
			if p.provider == "digitalocean" && strings.Contains(module, d.provider) {
				p.service = d.service
			}
		}
		return use(p)
	}
	if p, found := alone()[module]; found && (collection == "community.general" || collection == "") {
		return use(p)
	}
	return f, false
}
