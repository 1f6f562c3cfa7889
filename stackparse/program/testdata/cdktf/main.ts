import { S3Bucket } from "@cdktf/provider-aws/lib/s3-bucket";
