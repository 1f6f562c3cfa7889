package stackparse

import (
	"strings"
	"sync"
)

// drivers are variables by which frameworks choose who does a job, with the words for those who do it for money. Words for
// software of one's own ("redis", "log") are left out.
var drivers = sync.OnceValue(func() map[string]map[string]Fact {
	mailers := map[string]Fact{
		"ses": {Provider: "aws", Name: "ses"}, "ses-v2": {Provider: "aws", Name: "ses"}, "postmark": {Provider: "postmark"}, "mailgun": {Provider: "mailgun"}, "resend": {Provider: "resend"}, "sendgrid": {Provider: "sendgrid"},
		"mailjet": {Provider: "mailjet"}, "sparkpost": {Provider: "sparkpost"}, "mandrill": {Provider: "mailchimp"}, "brevo": {Provider: "brevo"}, "mailersend": {Provider: "mailerlite"},
	}
	disks := map[string]Fact{"s3": {Provider: "aws", Name: "s3"}, "gcs": {Provider: "google-cloud", Service: "cloud-storage"}, "azure": {Provider: "azure", Service: "blob-storage"}}
	queues := map[string]Fact{"sqs": {Provider: "aws", Name: "sqs"}}
	broadcasts := map[string]Fact{"pusher": {Provider: "pusher"}, "ably": {Provider: "ably"}}
	caches := map[string]Fact{"dynamodb": {Provider: "aws", Name: "dynamodb"}}
	return map[string]map[string]Fact{
		"MAIL_MAILER": mailers, "MAIL_DRIVER": mailers, "EMAIL_PROVIDER": mailers, "MAIL_PROVIDER": mailers, "EMAIL_TRANSPORT": mailers,
		"FILESYSTEM_DISK": disks, "FILESYSTEM_DRIVER": disks, "STORAGE_PROVIDER": disks, "STORAGE_TYPE": disks, "STORAGE_DRIVER": disks,
		"QUEUE_CONNECTION": queues, "QUEUE_DRIVER": queues,
		"BROADCAST_DRIVER": broadcasts, "BROADCAST_CONNECTION": broadcasts,
		"SCOUT_DRIVER": {"algolia": {Provider: "algolia"}},
		"CACHE_STORE":  caches, "CACHE_DRIVER": caches,
	}
})

// driver looks at variables that choose a vendor by a word. Of Amazon the word tells the service of one that something else
// shows: its protocols are spoken by others, too.
func (r *Result) driver(s Setting, v string) {
	f, ok := drivers()[strings.ToUpper(s.Name)][strings.ToLower(v)]
	if !ok || s.Template || s.Dev || s.Commented {
		return
	}
	f.Kind, f.Show, f.Line, f.State = KindUse, s.Name, s.Line, Loose
	if f.Provider == "aws" {
		f.Kind = KindClient
	} else {
		f.Name, f.Show = s.Name, ""
	}
	r.Facts = append(r.Facts, f)
}
