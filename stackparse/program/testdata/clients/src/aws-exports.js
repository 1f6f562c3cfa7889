const awsmobile = {
  aws_project_region: "us-west-1",
  "aws_user_pools_id": "us-west-1_AbCdEfGhI",
  "aws_user_files_s3_bucket": "kolibri",
};
