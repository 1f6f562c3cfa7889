terraform {
  required_providers {
    aws        = { source = "hashicorp/aws" }
    google     = { source = "hashicorp/google" }
    azurerm    = { source = "hashicorp/azurerm" }
    cloudflare = { source = "cloudflare/cloudflare" }
    random     = { source = "hashicorp/random" }
  }
  backend "gcs" {
    bucket = "stork-state"
  }
}

variable "aws_region" {
  default = "ap-southeast-2"
}

locals {
  gcp = { primary = "australia-southeast1" }
}

provider "aws" {
  region = var.aws_region
}

provider "google" {
  project = "stork"
  region  = local.gcp.primary
}

module "queue" {
  source = "terraform-aws-modules/sqs/aws"
}

module "functions" {
  source = "git::https://github.com/terraform-aws-modules/terraform-aws-lambda.git?ref=v7"
}

module "topics" {
  source = "terraform-google-modules/pubsub/google"
}

module "registry" {
  source   = "Azure/avm-res-containerregistry-registry/azurerm"
  location = "australiaeast"
}

resource "cloudflare_r2_bucket" "media" {
  account_id = "x"
  name       = "media"
}

resource "google_bigquery_dataset" "events" {
  dataset_id = "events"
  location   = "US"
}

resource "random_id" "suffix" {
  byte_length = 4
}

# resource "digitalocean_droplet" "old" {}
