module x

require (
	github.com/stripe/stripe-go/v78 v78.5.0
	not a require line
	github.com/twilio/twilio-go v1.20.1
)
