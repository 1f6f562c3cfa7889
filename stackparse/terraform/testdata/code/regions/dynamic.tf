variable "copies" { default = ["uksouth", "germanywestcentral"] }
resource "azurerm_resource_group" "here" { location = "West Europe" }
resource "azurerm_container_registry" "r" {
  location = azurerm_resource_group.here.location
  dynamic "georeplications" {
    for_each = toset(var.copies)
    content {
      location = georeplications.value
    }
  }
}
resource "azurerm_cosmosdb_account" "d" {
  dynamic "geo_location" {
    for_each = { first = "northeurope" }
    iterator = place
    content { location = place.value }
  }
}
resource "azurerm_storage_account" "unknown" {
  dynamic "copy" {
    for_each = var.elsewhere
    content { location = copy.value }
  }
}
variable "nothing" { default = null }
resource "aws_kms_key" "k" { region = coalesce(var.nothing, "ap-south-2") }
