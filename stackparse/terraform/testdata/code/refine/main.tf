resource "azurerm_cognitive_account" "llm" {
  kind     = "OpenAI"
  location = "francecentral"
}
resource "heroku_addon" "mail" { plan = "sendgrid:starter" }
resource "helm_release" "agent" { chart = "nri-bundle" }
resource "google_monitoring_notification_channel" "oncall" { type = "pagerduty" }
resource "auth0_connection" "social" { strategy = "github" }
resource "neon_project" "db" { region_id = "aws-eu-central-1" }
resource "cockroach_cluster" "db" {
  regions = [{ name = "europe-west1" }]
}
resource "google_cloud_run_v2_service" "api" {
  location = "europe-north1"
  template {
    containers {
      env {
        name  = "SENTRY_DSN"
        value = var.dsn
      }
      env {
        name = "TWILIO_AUTH_TOKEN"
        value_source {
          secret_key_ref { secret = "twilio" }
        }
      }
    }
  }
}
resource "google_spanner_instance" "s" { config = "regional-europe-west1" }
