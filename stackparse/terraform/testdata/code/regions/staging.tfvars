region = "sa-east-1"
