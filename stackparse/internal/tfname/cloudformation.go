package tfname

import (
	"strings"
	"sync"
)

// services maps the service part of a type of CloudFormation to the spelling of Terraform, where the lower-case word
// itself does not lead there.
var services = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Lambda": "aws_lambda_function", "Serverless": "aws_lambda_function", "S3": "aws_s3_bucket", "EC2": "aws_instance", "ElasticLoadBalancingV2": "aws_lb",
		"ElasticLoadBalancing": "aws_elb", "RDS": "aws_db_instance", "Events": "aws_cloudwatch_event_rule", "Logs": "aws_cloudwatch_log_group", "SecretsManager": "aws_secretsmanager_secret",
		"StepFunctions": "aws_sfn_state_machine", "Kinesis": "aws_kinesis_stream", "KinesisFirehose": "aws_kinesis_firehose_delivery_stream", "CertificateManager": "aws_acm_certificate",
		"ApiGateway": "aws_api_gateway_rest_api", "ApiGatewayV2": "aws_apigatewayv2_api", "ElastiCache": "aws_elasticache_cluster", "OpenSearchService": "aws_opensearch_domain", "Elasticsearch": "aws_elasticsearch_domain",
		"AutoScaling": "aws_autoscaling_group", "ApplicationAutoScaling": "aws_appautoscaling_target", "Cognito": "aws_cognito_user_pool", "CloudFront": "aws_cloudfront_distribution", "Route53": "aws_route53_record",
		"WAFv2": "aws_wafv2_web_acl", "SSM": "aws_ssm_parameter", "DynamoDB": "aws_dynamodb_table", "SQS": "aws_sqs_queue", "SNS": "aws_sns_topic", "IAM": "aws_iam_role", "KMS": "aws_kms_key", "ECS": "aws_ecs_service", "ECR": "aws_ecr_repository", "EKS": "aws_eks_cluster",
		"EFS": "aws_efs_file_system", "MSK": "aws_msk_cluster", "Glue": "aws_glue_job", "Athena": "aws_athena_workgroup", "CodeBuild": "aws_codebuild_project", "CodePipeline": "aws_codepipeline", "CloudWatch": "aws_cloudwatch_metric_alarm", "Neptune": "aws_neptune_cluster",
		"DocDB": "aws_docdb_cluster", "Batch": "aws_batch_job_definition", "ElasticBeanstalk": "aws_elastic_beanstalk_environment", "ServiceDiscovery": "aws_service_discovery_service", "APS": "aws_prometheus_workspace", "SSO": "aws_ssoadmin_permission_set", "Route53Resolver": "aws_route53_resolver_endpoint",
		"OpenSearchServerless": "aws_opensearchserverless_collection", "MediaConvert": "aws_media_convert_queue", "Macie": "aws_macie2_account", "Inspector": "aws_inspector_assessment_target", "InspectorV2": "aws_inspector2_enabler", "IoT": "aws_iot_topic_rule", "Transfer": "aws_transfer_server", "Config": "aws_config_config_rule",
		"DirectoryService": "aws_directory_service_directory", "NetworkFirewall": "aws_networkfirewall_firewall", "GlobalAccelerator": "aws_globalaccelerator_accelerator", "DMS": "aws_dms_endpoint", "StepFunction": "aws_sfn_state_machine", "XRay": "aws_xray_group", "AppRunner": "aws_apprunner_service", "AppSync": "aws_appsync_graphql_api", "Scheduler": "aws_scheduler_schedule", "Pipes": "aws_pipes_pipe", "AmazonMQ": "aws_mq_broker", "Redshift": "aws_redshift_cluster", "CloudTrail": "aws_cloudtrail", "Backup": "aws_backup_plan", "AppConfig": "aws_appconfig_application",
	}
})

// CloudFormation is that of a resource by its type there ("AWS::S3::Bucket", "MongoDB::Atlas::Cluster"); "" for what is no
// type of a vendor, or stands for CloudFormation itself.
func CloudFormation(t string) string {
	p := strings.Split(t, "::")
	if len(p) < 3 || p[0] == "Alexa" || p[0] == "Custom" || p[0] == "AWS" && p[1] == "CloudFormation" {
		return ""
	}
	if p[0] != "AWS" {
		return strings.ToLower(p[0]) + "_" + strings.ToLower(p[1])
	}
	switch {
	case p[1] == "EC2" && (strings.HasPrefix(p[2], "VPC") || p[2] == "Subnet" || p[2] == "RouteTable" || p[2] == "InternetGateway" || p[2] == "NatGateway"):
		return "aws_vpc"
	case p[1] == "Serverless" && strings.Contains(p[2], "Api"):
		return "aws_api_gateway_rest_api"
	case p[1] == "Serverless" && p[2] == "SimpleTable":
		return "aws_dynamodb_table"
	}
	if name := services()[p[1]]; name != "" {
		return name
	}
	return "aws_" + strings.ToLower(p[1])
}
