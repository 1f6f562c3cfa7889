import * as aws from "@pulumi/aws";
import * as gcp from "@pulumi/gcp";
import * as azure from "@pulumi/azure-native";
import * as web from "@pulumi/azure-native/web";

const queue = new aws.sqs.Queue("jobs");
const rule = new aws.cloudwatch.EventRule("nightly", {});
const tokyo = new aws.Provider("tokyo", { region: "ap-northeast-1" });
const role = new aws.iam.Role("r", {});
const apps = new gcp.cloudrunv2.Service("web", { location: "europe-west4" });
const data = new gcp.bigquery.Dataset("events", { location: "EU" });
const blobs = new azure.storage.StorageAccount("blobs", { location: "West Europe" });
const record = new cloudflare.Record("www", {});
