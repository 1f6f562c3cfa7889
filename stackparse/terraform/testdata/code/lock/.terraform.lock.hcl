provider "registry.terraform.io/hashicorp/aws" {
  version = "6.0.0"
}
provider "app.terraform.io/acme/x" {}
