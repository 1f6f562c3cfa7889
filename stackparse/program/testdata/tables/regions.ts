import { EC2Client } from "@aws-sdk/client-ec2";
export const REGIONS = [
  "us-east-1", "us-east-2", "us-west-1", "us-west-2",
  "eu-west-1", "eu-west-2", "eu-central-1",
];
