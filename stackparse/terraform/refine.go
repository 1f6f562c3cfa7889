package terraform

import (
	"strings"

	"downwind/stackparse"
)

// A refinement is a value of an attribute that tells more than the type of a resource: its service, or a second vendor
// beside the first.
type refinement struct {
	kind, attr, value string
	provider, service string
	// beside says that the resource counts for its own provider, too.
	beside bool
}

// refinements are compared without case.
var refinements = []refinement{
	{"azurerm_cognitive_account", "kind", "openai", "azure", "azure-openai", false},
	{"azurerm_cognitive_account", "kind", "formrecognizer", "azure", "ai-document-intelligence", false},
	{"azurerm_cognitive_account", "kind", "speechservices", "azure", "ai-speech", false},
	{"azurerm_cognitive_account", "kind", "computervision", "azure", "ai-vision", false},
	{"azurerm_cognitive_account", "kind", "texttranslation", "azure", "ai-translator", false},
	{"azurerm_cognitive_account", "kind", "textanalytics", "azure", "ai-language", false},
	{"azurerm_cognitive_account", "kind", "contentsafety", "azure", "ai-content-safety", false},
	{"google_monitoring_notification_channel", "type", "pagerduty", "pagerduty", "", true},
	{"google_monitoring_notification_channel", "type", "slack", "slack", "", true},
	{"datadog_integration_pagerduty", "", "", "pagerduty", "", true},
	{"datadog_integration_slack_channel", "", "", "slack", "", true},
	{"datadog_integration_opsgenie_service_object", "", "", "opsgenie", "", true},
	{"datadog_integration_aws", "", "", "aws", "", true},
	{"datadog_integration_aws_account", "", "", "aws", "", true},
	{"datadog_integration_gcp", "", "", "google-cloud", "", true},
	{"datadog_integration_gcp_sts", "", "", "google-cloud", "", true},
	{"datadog_integration_azure", "", "", "azure", "", true},
	{"pagerduty_slack_connection", "", "", "slack", "", true},
	{"newrelic_notification_destination", "type", "slack", "slack", "", true},
	{"newrelic_notification_destination", "type", "pagerduty_account_integration", "pagerduty", "", true},
	{"newrelic_notification_destination", "type", "pagerduty_service_integration", "pagerduty", "", true},
	{"newrelic_cloud_aws_link_account", "", "", "aws", "", true},
	{"grafana_contact_point", "pagerduty", "", "pagerduty", "", true},
	{"grafana_contact_point", "slack", "", "slack", "", true},
	{"grafana_contact_point", "opsgenie", "", "opsgenie", "", true},
	{"sentry_notification_action", "trigger_type", "slack", "slack", "", true},
	{"mongodbatlas_third_party_integration", "type", "datadog", "datadog", "", true},
	{"mongodbatlas_third_party_integration", "type", "pager_duty", "pagerduty", "", true},
	{"mongodbatlas_third_party_integration", "type", "ops_genie", "opsgenie", "", true},
	{"mongodbatlas_third_party_integration", "type", "slack", "slack", "", true},
	{"auth0_connection", "strategy", "google-oauth2", "google-identity", "", true},
	{"auth0_connection", "strategy", "github", "github", "oauth", true},
	{"auth0_connection", "strategy", "facebook", "meta", "facebook-login", true},
	{"auth0_connection", "strategy", "apple", "apple-developer", "sign-in-with-apple", true},
	{"auth0_connection", "strategy", "waad", "azure", "entra-id", true},
	{"auth0_connection", "strategy", "okta", "okta", "", true},
	{"auth0_connection", "strategy", "linkedin", "linkedin", "", true},
	{"auth0_email_provider", "name", "sendgrid", "sendgrid", "", true},
	{"auth0_email_provider", "name", "ses", "aws", "ses", true},
	{"auth0_email_provider", "name", "mailgun", "mailgun", "", true},
	{"auth0_email_provider", "name", "mandrill", "mailchimp", "transactional", true},
	{"auth0_email_provider", "name", "sparkpost", "sparkpost", "", true},
	{"auth0_log_stream", "type", "datadog", "datadog", "logs", true},
	{"auth0_log_stream", "type", "splunk", "splunk", "", true},
	{"auth0_log_stream", "type", "sumo", "sumologic", "", true},
	{"auth0_log_stream", "type", "eventbridge", "aws", "eventbridge", true},
	{"auth0_log_stream", "type", "eventgrid", "azure", "event-grid", true},
	{"aws_codestarconnections_connection", "provider_type", "github", "github", "", true},
	{"aws_codestarconnections_connection", "provider_type", "gitlab", "gitlab", "", true},
	{"aws_codestarconnections_connection", "provider_type", "bitbucket", "bitbucket", "", true},
	{"aws_codeconnections_connection", "provider_type", "github", "github", "", true},
	{"aws_cognito_identity_provider", "provider_type", "google", "google-identity", "", true},
	{"aws_cognito_identity_provider", "provider_type", "facebook", "meta", "facebook-login", true},
	{"aws_cognito_identity_provider", "provider_type", "signinwithapple", "apple-developer", "sign-in-with-apple", true},
	{"google_identity_platform_default_supported_idp_config", "idp_id", "facebook.com", "meta", "facebook-login", true},
	{"google_identity_platform_default_supported_idp_config", "idp_id", "github.com", "github", "oauth", true},
	{"google_identity_platform_default_supported_idp_config", "idp_id", "apple.com", "apple-developer", "sign-in-with-apple", true},
}

// refine looks at attributes that tell more than the type: the service goes into the fact, a second vendor is a fact of
// its own. Heroku's add-ons and Helm's charts are known by their own names.
func (c *call) refine(b *block, f *stackparse.Fact, out *stackparse.Result) {
	kind := b.labels[0]
	switch kind {
	case "heroku_addon":
		plan, _, _ := strings.Cut(c.text(b.body, "plan"), ":")
		c.also(b, "addon", plan, "plan", out)
	case "helm_release":
		c.also(b, "chart", c.text(b.body, "chart"), "chart", out)
	}
	if config, ok := strings.CutPrefix(c.text(b.body, "config"), "regional-"); ok && strings.HasPrefix(kind, "google_spanner_") {
		f.Regions = []string{config}
	}
	for _, r := range refinements {
		if r.kind != kind {
			continue
		}
		if r.attr != "" && !c.holds(b.body, r.attr, r.value) {
			continue
		}
		if !r.beside {
			f.Service = r.service
			continue
		}
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: r.provider, Service: r.service, Name: kind, Show: f.Show, Line: b.line})
	}
}

// text is the known text of an attribute.
func (c *call) text(b body, attr string) string {
	if v, _, ok := b.attr(attr, c.ctx); ok && isString(v) {
		return v.AsString()
	}
	return ""
}

// holds says whether an attribute has a value, or, where none is told, whether there is such an attribute or block.
func (c *call) holds(b body, attr, value string) bool {
	if value != "" {
		return strings.EqualFold(c.text(b, attr), value)
	}
	found := false
	b.inner(func(name string, _ []string, _ int, _ body) { found = found || name == attr })
	return found
}

// also adds what another kind of signature knows.
func (c *call) also(b *block, kind, name, attr string, out *stackparse.Result) {
	if name == "" {
		return
	}
	_, line, _ := b.body.attr(attr, c.ctx)
	out.Add(stackparse.Fact{Kind: kind, Name: name, Line: line})
}
