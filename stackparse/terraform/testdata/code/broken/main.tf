resource "aws_s3_bucket" "ok" {}
resource "aws_sqs_queue" "bad" {
  name = "open
}
resource "aws_sns_topic" "after" {}
