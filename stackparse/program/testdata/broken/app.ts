import * as cdk from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
new Stack({ env: { region: "eu-west-1" } });
/* never closed
region: "eu-west-2"
const x = new sst.aws.(