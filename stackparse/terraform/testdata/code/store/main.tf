terraform {
  backend "s3" {
    endpoint = "https://ams3.digitaloceanspaces.com"
    region   = "us-east-1"
  }
}
