#!/usr/bin/env node
import * as cdk from "aws-cdk-lib";
import { WebStack } from "../lib/web";

const app = new cdk.App();
const home: cdk.Environment = { account: process.env.CDK_DEFAULT_ACCOUNT, region: "ap-northeast-1" };
const certificates = { region: "us-east-1" };
// new WebStack(app, "Old", { env: { region: "eu-west-3" } });
/*
  region: "eu-north-1",
*/
new WebStack(app, "Web", { env: home, crossRegionReferences: true });
new WebStack(app, "Spare", { env: { region: process.env.SPARE_REGION ?? "ap-southeast-1" } });
new WebStack(app, "Stage", { env: { region: stage === "prod" ? "eu-west-1" : "eu-central-1" } });
if (region === "sa-east-1") throw new Error("not there");
