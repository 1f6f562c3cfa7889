generate "provider" {
  path     = "provider.tf"
  contents = <<EOF
provider "aws" {
  region = "x"
}
EOF
}
remote_state {
  backend = "s3"
}
