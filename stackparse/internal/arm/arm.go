// Package arm knows the types of resources in Azure's own templates.
package arm

import (
	"strings"
	"sync"
)

// types maps types of Azure's own templates to the Terraform spelling of the catalogue, the longest that fits first.
var types = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"microsoft.apimanagement/service": "azurerm_api_management", "microsoft.app/containerapps": "azurerm_container_app", "microsoft.app/jobs": "azurerm_container_app_job",
		"microsoft.app/managedenvironments": "azurerm_container_app_environment", "microsoft.appconfiguration/configurationstores": "azurerm_app_configuration",
		"microsoft.authorization/roleassignments": "azurerm_role_assignment", "microsoft.automation/automationaccounts": "azurerm_automation_account",
		"microsoft.batch/batchaccounts": "azurerm_batch_account", "microsoft.botservice/botservices": "azurerm_bot_service_azure_bot", "microsoft.cache/redis": "azurerm_redis_cache",
		"microsoft.cache/redisenterprise": "azurerm_redis_enterprise_cluster", "microsoft.cdn/profiles": "azurerm_cdn_profile",
		"microsoft.cognitiveservices/accounts": "azurerm_cognitive_account", "microsoft.communication/communicationservices": "azurerm_communication_service",
		"microsoft.communication/emailservices": "azurerm_email_communication_service", "microsoft.compute/disks": "azurerm_managed_disk",
		"microsoft.compute/galleries": "azurerm_shared_image_gallery", "microsoft.compute/virtualmachines": "azurerm_linux_virtual_machine",
		"microsoft.compute/virtualmachinescalesets": "azurerm_linux_virtual_machine_scale_set", "microsoft.containerinstance/containergroups": "azurerm_container_group",
		"microsoft.containerregistry/registries": "azurerm_container_registry", "microsoft.containerservice/managedclusters": "azurerm_kubernetes_cluster",
		"microsoft.dashboard/grafana": "azurerm_dashboard_grafana", "microsoft.databricks/workspaces": "azurerm_databricks_workspace",
		"microsoft.datafactory/factories": "azurerm_data_factory", "microsoft.dbformysql/flexibleservers": "azurerm_mysql_flexible_server",
		"microsoft.dbformysql/servers": "azurerm_mysql_server", "microsoft.dbforpostgresql/flexibleservers": "azurerm_postgresql_flexible_server",
		"microsoft.dbforpostgresql/servers": "azurerm_postgresql_server", "microsoft.devices/iothubs": "azurerm_iothub",
		"microsoft.documentdb/databaseaccounts": "azurerm_cosmosdb_account", "microsoft.eventgrid/systemtopics": "azurerm_eventgrid_system_topic",
		"microsoft.eventgrid/topics": "azurerm_eventgrid_topic", "microsoft.eventhub/namespaces": "azurerm_eventhub_namespace",
		"microsoft.insights/actiongroups": "azurerm_monitor_action_group", "microsoft.insights/autoscalesettings": "azurerm_monitor_autoscale_setting",
		"microsoft.insights/components": "azurerm_application_insights", "microsoft.insights/diagnosticsettings": "azurerm_monitor_diagnostic_setting",
		"microsoft.insights/metricalerts": "azurerm_monitor_metric_alert", "microsoft.keyvault/vaults": "azurerm_key_vault", "microsoft.kusto/clusters": "azurerm_kusto_cluster",
		"microsoft.loadtestservice/loadtests": "azurerm_load_test", "microsoft.logic/workflows": "azurerm_logic_app_workflow",
		"microsoft.machinelearningservices/workspaces": "azurerm_machine_learning_workspace", "microsoft.managedidentity/userassignedidentities": "azurerm_user_assigned_identity",
		"microsoft.maps/accounts": "azurerm_maps_account", "microsoft.monitor/accounts": "azurerm_monitor_workspace",
		"microsoft.network/applicationgateways": "azurerm_application_gateway", "microsoft.network/azurefirewalls": "azurerm_firewall",
		"microsoft.network/bastionhosts": "azurerm_bastion_host", "microsoft.network/dnszones": "azurerm_dns_zone", "microsoft.network/frontdoors": "azurerm_frontdoor",
		"microsoft.network/frontdoorwebapplicationfirewallpolicies": "azurerm_cdn_frontdoor_firewall_policy", "microsoft.network/loadbalancers": "azurerm_lb",
		"microsoft.network/natgateways": "azurerm_nat_gateway", "microsoft.network/networksecuritygroups": "azurerm_network_security_group",
		"microsoft.network/privatednszones": "azurerm_private_dns_zone", "microsoft.network/privateendpoints": "azurerm_private_endpoint",
		"microsoft.network/publicipaddresses": "azurerm_public_ip", "microsoft.network/trafficmanagerprofiles": "azurerm_traffic_manager_profile",
		"microsoft.network/virtualnetworkgateways": "azurerm_virtual_network_gateway", "microsoft.network/virtualnetworks": "azurerm_virtual_network",
		"microsoft.notificationhubs/namespaces": "azurerm_notification_hub_namespace", "microsoft.operationalinsights/workspaces": "azurerm_log_analytics_workspace",
		"microsoft.purview/accounts": "azurerm_purview_account", "microsoft.recoveryservices/vaults": "azurerm_recovery_services_vault",
		"microsoft.relay/namespaces": "azurerm_relay_namespace", "microsoft.search/searchservices": "azurerm_search_service",
		"microsoft.servicebus/namespaces": "azurerm_servicebus_namespace", "microsoft.signalrservice/signalr": "azurerm_signalr_service",
		"microsoft.signalrservice/webpubsub": "azurerm_web_pubsub", "microsoft.sql/managedinstances": "azurerm_mssql_managed_instance", "microsoft.sql/servers": "azurerm_mssql_server",
		"microsoft.storage/storageaccounts": "azurerm_storage_account", "microsoft.streamanalytics/streamingjobs": "azurerm_stream_analytics_job",
		"microsoft.synapse/workspaces": "azurerm_synapse_workspace", "microsoft.web/serverfarms": "azurerm_service_plan", "microsoft.web/sites": "azurerm_linux_web_app",
		"microsoft.web/sites/slots": "azurerm_linux_web_app_slot", "microsoft.web/staticsites": "azurerm_static_web_app",
	}
})

// families maps namespaces whose types are all of one service, or are called otherwise by other kits ("Account" of storage).
var families = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"microsoft.storage": "azurerm_storage_account", "microsoft.containerservice": "azurerm_kubernetes_cluster", "microsoft.containerregistry": "azurerm_container_registry", "microsoft.keyvault": "azurerm_key_vault",
		"microsoft.dbforpostgresql": "azurerm_postgresql_flexible_server", "microsoft.dbformysql": "azurerm_mysql_flexible_server", "microsoft.cache": "azurerm_redis_cache", "microsoft.cosmosdb": "azurerm_cosmosdb_account",
		"microsoft.documentdb": "azurerm_cosmosdb_account", "microsoft.servicebus": "azurerm_servicebus_namespace", "microsoft.eventhub": "azurerm_eventhub_namespace", "microsoft.sql": "azurerm_mssql_server",
		"microsoft.cognitiveservices": "azurerm_cognitive_account", "microsoft.search": "azurerm_search_service", "microsoft.apimanagement": "azurerm_api_management", "microsoft.datafactory": "azurerm_data_factory",
	}
})

// Resource is the name that the catalogue has for resources of a type ("Microsoft.Web/sites"), as Terraform calls them.
func Resource(t string) string {
	t = strings.ToLower(t)
	for whole := t; strings.Contains(whole, "/"); whole = whole[:strings.LastIndexByte(whole, '/')] {
		if x := types()[whole]; x != "" {
			return x
		}
	}
	namespace, _, _ := strings.Cut(t, "/")
	if x := families()[namespace]; x != "" {
		return x
	}
	return "azurerm_" + namespace[strings.IndexByte(namespace, '.')+1:]
}
