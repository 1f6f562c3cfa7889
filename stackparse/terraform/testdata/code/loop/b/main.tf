module "a" { source = "../a" }
