package platform

import (
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// architectParts are the sections of an application of Architect, with the services that each is made of.
var architectParts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"@http": "apigateway", "@ws": "apigateway", "@tables": "dynamodb", "@queues": "sqs", "@events": "sns", "@scheduled": "eventbridge", "@static": "s3", "@cdn": "cloudfront",
	}
})

// architect reads an application of Architect, which runs at AWS: sections that begin with "@", and lines of "key value".
func architect(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "architect"
	section := ""
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		if t == "" || t[0] == '#' {
			return
		}
		if t[0] == '@' {
			section = t
			if t == "@app" {
				use(out, "aws", "lambda", t, line)
			}
			if s := architectParts()[t]; s != "" {
				use(out, "aws", s, t, line)
			}
			return
		}
		if key, value, ok := strings.Cut(t, " "); ok && section == "@aws" && key == "region" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: key, Line: line, Regions: []string{strings.TrimSpace(value)}})
		}
	})
}
