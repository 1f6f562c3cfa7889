module "edge" {
  for_each = { sydney = "ap-southeast-2", melbourne = "ap-southeast-4" }
  source   = "./edge"
  place    = each.value
}
