package elixir

import (
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// settingsFile says whether a path is configuration of a Mix project.
func settingsFile(p string) bool {
	return path.Ext(p) == ".exs" && path.Base(path.Dir(p)) == "config"
}

var (
	app      = pattern.New(`^config\s+:([a-z0-9_]+)(?:\s*,\s*:([a-z0-9_]+))?`)
	inner    = pattern.New(`\b(s3|sqs|sns|ses|dynamodb|kinesis|lambda|firehose):\s*(?:\[|%\{)`)
	variable = pattern.New(`(?:System\.(?:get_env|fetch_env!?)\(\s*|\{:system,\s*)"([A-Za-z_][A-Za-z0-9_]*)"(?:\s*,\s*"([^"]*)")?`)
	keyword  = pattern.New(`\b([a-z_][a-z0-9_]*):\s*"([^"]*)"`)
	adapter  = pattern.New(`\b(?:Swoosh\.Adapters|Bamboo)\.([A-Za-z]+)`)
)

// adapters maps names of mail adapters to whom they send with.
var adapters = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"AmazonSES": {"aws", "ses"}, "ExAwsAmazonSES": {"aws", "ses"}, "SesAdapter": {"aws", "ses"}, "Brevo": {"brevo", ""}, "Sendinblue": {"brevo", ""}, "CustomerIO": {"customer-io", ""},
		"Gmail": {"google-workspace", "gmail"}, "Loops": {"loops", ""}, "Mailgun": {"mailgun", ""}, "MailgunAdapter": {"mailgun", ""}, "Mailjet": {"mailjet", ""}, "Mandrill": {"mailchimp", ""},
		"MandrillAdapter": {"mailchimp", ""}, "MsGraph": {"microsoft-365", "microsoft-graph"}, "Postmark": {"postmark", ""}, "PostmarkAdapter": {"postmark", ""}, "Resend": {"resend", ""},
		"Sendgrid": {"sendgrid", ""}, "SendGridAdapter": {"sendgrid", ""}, "SparkPost": {"sparkpost", ""}, "SparkpostAdapter": {"sparkpost", ""},
	}
})

// regional maps applications of Mix to the provider that their key "region" is of.
var regional = sync.OnceValue(func() map[string]string {
	return map[string]string{"ex_aws": "aws", "aws": "aws"}
})

// settings takes variables, hosts, adapters and regions out of configuration; nothing is evaluated.
func settings(in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	dev := base == "dev.exs" || base == "test.exs" || strings.HasPrefix(base, "dev.") || strings.HasPrefix(base, "test.")
	owner, part := "", "" // of whom the keys speak, and of which part
	scan.Lines(in.Data, func(line int, text string) {
		code, _, _ := strings.Cut(text, " # ")
		t := strings.TrimSpace(code)
		if t == "" || t[0] == '#' {
			return
		}
		if m := app.FindStringSubmatch(t); m != nil {
			owner, part = m[1], m[2]
		}
		if owner == "ex_aws" {
			if m := inner.FindStringSubmatch(code); m != nil {
				part = m[1]
			}
		}
		for _, m := range variable.FindAllStringSubmatch(code, 10) {
			out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line, Dev: dev, Secret: m[2] == ""})
		}
		for _, m := range adapter.FindAllStringSubmatch(code, 4) {
			if a := adapters()[m[1]]; a.provider != "" {
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: a.provider, Service: a.service, Name: m[0], Line: line, Dev: dev})
			}
		}
		for _, m := range keyword.FindAllStringSubmatch(code, 20) {
			if slug := regional()[owner]; slug != "" && m[1] == "region" {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: slug, Name: m[1], Regions: []string{m[2]}, Line: line, Dev: dev})
				continue
			}
			if owner == "ex_aws" && m[1] == "host" && part == "s3" { // of another store, which the kit for Amazon's then speaks to
				out.Store(m[2], line, stackparse.Firm, dev)
				continue
			}
			out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line, Dev: dev, Deep: true})
		}
	})
}
