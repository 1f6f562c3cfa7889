import software.amazon.awssdk.regions.Region;

class Store {
  S3Client s3 = S3Client.builder().region(Region.EU_WEST_1).build();
  S3Client us = S3Client.builder().region(Region.of("us-east-2")).build();
}
