resource "aws_sqs_queue" "before" { name = "a" }

resource "aws_lambda_function" "damaged" {
  environment { variables { A = "b" } }
}

resource "aws_s3_bucket" "behind" {
  region = "eu-west-1"
}
resource "aws_sns_topic" "more" {
  name = = "x"
}
resource "aws_kms_key" "last" {}
