terraform {
  source = "tfr:///terraform-aws-modules/eks/aws?version=20.31.0"
}

remote_state {
  backend = "s3"
  config = {
    bucket = "kolibri-state"
    region = "eu-south-1"
  }
}

inputs = {
  aws_region = "eu-south-1"
}
