module example.com/x

go 1.22

require github.com/stripe/stripe-go/v78 v78.5.0

require (
	github.com/twilio/twilio-go v1.20.1 // indirect
	github.com/getsentry/sentry-go v0.27.0
	github.com/aws/aws-sdk-go-v2/service/s3 v1.50.0
)

replace github.com/getsentry/sentry-go => ../sentry

replace github.com/aws/aws-sdk-go-v2/service/s3 => github.com/acme/s3 v1.0.0
