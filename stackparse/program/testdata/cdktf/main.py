from cdktf import App, TerraformStack
from cdktf_cdktf_provider_aws.provider import AwsProvider
from cdktf_cdktf_provider_aws.sqs_queue import SqsQueue
class Jobs(TerraformStack):
    def __init__(self, scope, id):
        AwsProvider(self, "aws", region="il-central-1")
        SqsQueue(self, "jobs")
