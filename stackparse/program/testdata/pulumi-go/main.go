package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	bucket "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func stack(ctx *pulumi.Context) error {
	_, err := bucket.NewBucketV2(ctx, "files", nil)
	t, err := dynamodb.NewTable(ctx, "items", &dynamodb.TableArgs{})
	other.NewThing(ctx)
	return err
}
