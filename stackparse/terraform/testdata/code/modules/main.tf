provider "aws" {
  region = "eu-north-1"
}

provider "aws" {
  alias  = "edge"
  region = "us-east-1"
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.1.0"
}

module "alerts" {
  source    = "terraform-aws-modules/notify-slack/aws"
  providers = { aws = aws.edge }
}

module "bus" {
  source = "registry.terraform.io/terraform-aws-modules/eventbridge/aws"
}

module "topic" {
  source = "terraform-aws-modules/sns/aws//modules/wrappers"
}

module "certificates" {
  source = "app.terraform.io/kolibri/acm/aws"
}

module "cluster" {
  source = "terraform-google-modules/kubernetes-engine/google//modules/private-cluster"
  region = "europe-west3"
}

module "database" {
  source = "GoogleCloudPlatform/sql-db/google//modules/postgresql"
}

module "aks" {
  source   = "Azure/aks/azurerm"
  location = "westeurope"
}

module "vault" {
  source   = "Azure/avm-res-keyvault-vault/azurerm"
  location = "northeurope"
}

module "function" {
  source = "git::https://github.com/terraform-aws-modules/terraform-aws-lambda.git?ref=v7.2.0"
}

module "events" {
  source = "github.com/terraform-google-modules/terraform-google-pubsub"
}

module "internal" {
  source = "git@github.com:kolibri/platform.git//network"
}

module "monitor" {
  source = "kolibri/monitors/datadog"
}

module "archive" {
  source = "https://artifacts.kolibri.example/modules/vpc.zip"
}

module "bucket" {
  source = "s3::https://s3-eu-west-1.amazonaws.com/kolibri/modules/queue.zip"
}

module "hosted" {
  source = "git::https://gitlab.com/kolibri/modules.git//queue"
}
