import boto3

region = os.environ.get("AWS_REGION", "us-east-2")




queue = boto3.client("sqs", region_name="eu-west-1")
mail = boto3.client('ses')
# old = boto3.client("sns", region_name="us-west-1")
stand_in = boto3.client("s3", endpoint_url="http://localhost:4566", region_name="us-east-1")
