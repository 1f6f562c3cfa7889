module "b" { source = "../b" }
resource "aws_s3_bucket" "a" {}
