job "web" {
  datacenters = ["dc1"]
  group "web" {
    task "server" {
      driver = "docker"
      config { image = "registry.gitlab.com/kolibri/web:1.2" }
      config {
        image = "registry.gitlab.com/kolibri/web:1.2"
      }
      env {
        AWS_REGION = "eu-west-1"
        DD_SITE    = "datadoghq.eu"
      }
      template {
        data = <<EOH
STRIPE_SECRET_KEY={{ with secret "kv/web" }}{{ .Data.stripe }}{{ end }}
EOH
        env = true
      }
    }
  }
}
