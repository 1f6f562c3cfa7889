"""Where the queue lives."""
import aws_cdk as cdk
from aws_cdk import (
    aws_sqs as sqs,
    aws_dynamodb,
)

app = cdk.App()
QueueStack(app, "queue", env=cdk.Environment(account="111111111111", region="ca-central-1"))
REGIONS = [
    "us-east-2",
    "us-west-2",
]
