resource "aws_kms_key" "k" {}
provider "azurerm" { location = var.nowhere }
