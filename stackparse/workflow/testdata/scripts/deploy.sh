#!/usr/bin/env bash
# aws s3 rm s3://old
export AWS_REGION="us-east-2"
STAGE=prod
REGIONS=$(cat regions)
aws s3 sync dist "s3://$BUCKET" --region us-east-2
gcloud run deploy web --image europe-west6-docker.pkg.dev/kolibri/web/web:$TAG --region=europe-west6
