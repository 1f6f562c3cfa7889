import { S3Client } from "@aws-sdk/client-s3";
import { setGlobalOptions } from "firebase-functions/v2";
import { VertexAI } from "@google-cloud/vertexai";

setGlobalOptions({ region: "europe-west6" });
const vertex = new VertexAI({ project: "kolibri", location: "europe-west4" });
const files = new S3Client({
  region: "eu-west-1",
});





const store = new S3Client({
  endpoint: process.env.STORE,
  region: "us-east-1",
});
