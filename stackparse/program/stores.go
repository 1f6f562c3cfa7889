package program

import (
	"downwind/stackparse"
	"downwind/stackparse/internal/stores"
)

// storeSigns are words of which one stands in every file that makes a client of S3, or tells where one is to go.
var storeSigns = signs("S3Client", "client-s3", "storage-s3", "aws-s3", "multer-s3", "s3fs", "AmazonS3", "Amazon.S3", "AWS.S3", "aws-sdk-s3", "aws_sdk_s3", "Aws::S3", "Aws\\S3", "service/s3", "boto3", "S3_ENDPOINT", "s3Endpoint", "S3Endpoint")

// stores finds the clients of S3 that the program points at another store.
func (f *file) stores() {
	if !f.seen.Has(storeSigns) {
		return
	}
	for _, c := range stores.Find(f.text) {
		if c.Address == "" {
			f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindPlain, Provider: "aws", Service: "s3", Name: c.Show, Line: c.Line})
			continue
		}
		f.out.Store(c.Address, c.Line, stackparse.Loose, false)
	}
}
