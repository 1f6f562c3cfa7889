using Amazon.S3;
var client = new AmazonS3Client(RegionEndpoint.APSoutheast2);
