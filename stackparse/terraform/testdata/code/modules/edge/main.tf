variable "place" {}
resource "aws_sqs_queue" "q" { region = var.place }
