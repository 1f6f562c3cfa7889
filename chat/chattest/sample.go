package chattest

import (
	"context"

	"downwind"
)

// SampleStacks reads anything as one and the same stack, with every part that a stack result shows.
type SampleStacks struct{}

// ReadFiles implements chat.StackReader.
func (SampleStacks) ReadFiles(context.Context, map[string][]byte) downwind.Stack {
	use := func(slug, name string, c downwind.Confidence, evidence ...downwind.Evidence) downwind.Use {
		return downwind.Use{Provider: slug, Name: name, Confidence: c, Evidence: evidence}
	}
	at := func(file string, line int, match string) downwind.Evidence {
		return downwind.Evidence{File: file, Line: line, Match: match}
	}
	stripe := use("stripe", "Stripe", downwind.Sure, at("package.json", 9, "stripe"), at(".env", 2, "STRIPE_SECRET_KEY"))
	livekit := use("livekit", "LiveKit", downwind.Sure, at("package.json", 7, "livekit-client"), at("infra/main.tf", 12, "my-app.livekit.cloud"), at("package-lock.json", 812, "livekit-server-sdk"))
	livekit.Regions = []string{"us-central"}
	return downwind.Stack{
		Files: []downwind.StackFile{
			{Path: "package.json", Kind: "npm", Dependencies: 23},
			{Path: "infra/main.tf", Kind: "terraform", Dependencies: 6, Diagnostics: []downwind.Diagnostic{{Severity: downwind.SeverityWarning, Summary: "line 40: a module from elsewhere was not read"}}},
			{Path: ".env", Kind: "dotenv", Dependencies: 11},
			{Path: "notes.txt"},
		},
		Providers: []downwind.Use{
			livekit, stripe, use("github", "GitHub", downwind.Likely, at(".github/workflows/ci.yaml", 3, "actions/checkout")),
			use("twilio", "Twilio", downwind.Guess, at(".env", 7, "SMS_GATEWAY")),
		},
		Unknown:    []downwind.Evidence{at("infra/main.tf", 30, "registry.example.com")},
		SelfHosted: map[string][]downwind.Evidence{"google-cloud": {at("compose.yaml", 4, "image")}},
		Dropped:    2,
	}
}

// ReadDomains implements chat.StackReader.
func (SampleStacks) ReadDomains(context.Context, []string) downwind.Stack { return downwind.Stack{} }
