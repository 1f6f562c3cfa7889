terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
    inhouse = { source = "app.terraform.io/acme/inhouse" }
  }
  backend "s3" {
    region = "eu-central-1"
  }
}
variable "region" { default = "us-east-1" }
variable "edge" { default = { "eu-west-1" = {}, "ap-southeast-2" = {} } }
variable "open" {}
locals {
  dr = var.region == "us-east-1" ? "us-west-2" : "us-east-1"
}
provider "aws" { region = var.region }
provider "aws" {
  alias  = "dr"
  region = local.dr
}
resource "aws_s3_bucket" "main" {}
resource "aws_s3_bucket" "copy" { provider = aws.dr }
resource "aws_dynamodb_table" "t" {
  for_each = var.edge
  region   = each.key
}
resource "aws_sqs_queue" "q" {
  region = var.on ? "eu-north-1" : "eu-south-1"
}
data "aws_region" "now" {}
data "aws_secretsmanager_secret" "s" {}
module "here" {
  source    = "./sub"
  providers = { aws = aws.dr }
}
module "vpc" { source = "terraform-aws-modules/vpc/aws" }
resource "aws_lambda_function" "f" {
  environment {
    variables = {
      STRIPE_KEY = var.open
      HOOK       = "https://hooks.slack.com/services/x"
    }
  }
}
/* resource "heroku_app" "old" {} */
