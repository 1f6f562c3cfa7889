package stackparse

import (
	"strings"
	"unicode"

	"downwind/catalog"
)

// A regionWord is a word inside names of variables that tells whose region they set. A shared word also has other
// uses, so that where its provider is absent the variable may speak of another cloud.
type regionWord struct {
	word, slug string
	shared     bool
}

// regionWords are tried in this order.
var regionWords = []regionWord{
	{word: "LIVEKIT", slug: "livekit"},
	{word: "TWILIO", slug: "twilio"},
	{word: "UPSTASH", slug: "upstash"},
	{word: "NEON", slug: "neon"},
	{word: "SUPABASE", slug: "supabase"},
	{word: "FLY", slug: "fly-io"},
	{word: "PRIMARY_REGION", slug: "fly-io", shared: true},
	{word: "DD_SITE", slug: "datadog"},
	{word: "DATADOG_SITE", slug: "datadog"},
	{word: "AZURE", slug: "azure"},
	{word: "ARM_LOCATION", slug: "azure"},
	{word: "SPEECH_REGION", slug: "azure", shared: true},
	{word: "VERTEX", slug: "google-cloud"},
	{word: "GCP", slug: "google-cloud"},
	{word: "GCS", slug: "google-cloud"},
	{word: "GOOGLE", slug: "google-cloud"},
	{word: "GCLOUD", slug: "google-cloud"},
	{word: "CLOUDSDK", slug: "google-cloud"},
	{word: "DIGITALOCEAN", slug: "digitalocean"},
	{word: "DO", slug: "digitalocean", shared: true},
	{word: "SPACES", slug: "digitalocean", shared: true},
	{word: "LINODE", slug: "linode"},
	{word: "HETZNER", slug: "hetzner"},
	{word: "HCLOUD", slug: "hetzner"},
	{word: "SCALEWAY", slug: "scaleway"},
	{word: "SCW", slug: "scaleway"},
	{word: "OCI", slug: "oracle-cloud"},
	{word: "VERCEL", slug: "vercel"},
	{word: "AUTH0", slug: "auth0"},
	{word: "SENTRY", slug: "sentry"},
	{word: "MONGODB", slug: "mongodb-atlas"},
	{word: "ATLAS", slug: "mongodb-atlas", shared: true},
	{word: "PUSHER", slug: "pusher"},
	{word: "ALIBABA", slug: "alibaba-cloud"},
	{word: "ALICLOUD", slug: "alibaba-cloud"},
	{word: "OSS", slug: "alibaba-cloud", shared: true},
	{word: "PINECONE", slug: "pinecone"},
	{word: "CLOUDFLARE", slug: "cloudflare"},
	{word: "R2", slug: "cloudflare"},
	{word: "B2", slug: "backblaze"},
	{word: "WASABI", slug: "wasabi"},
	{word: "MAILGUN", slug: "mailgun"},
	{word: "TURSO", slug: "turso"},
	{word: "RAILWAY", slug: "railway"},
	{word: "RENDER", slug: "render", shared: true},
	{word: "KOYEB", slug: "koyeb"},
	{word: "VULTR", slug: "vultr"},
	{word: "OVH", slug: "ovhcloud"},
	{word: "PLANETSCALE", slug: "planetscale"},
	{word: "CONFLUENT", slug: "confluent-cloud"},
	{word: "SNOWFLAKE", slug: "snowflake"},
	{word: "ELASTIC", slug: "elastic-cloud", shared: true},
	{word: "AIVEN", slug: "aiven"},
	{word: "COCKROACH", slug: "cockroach-labs"},
	{word: "AWS", slug: "aws"},
	{word: "S3", slug: "aws", shared: true},
	{word: "SQS", slug: "aws"},
	{word: "SNS", slug: "aws"},
	{word: "SES", slug: "aws"},
	{word: "DYNAMO", slug: "aws"},
	{word: "COGNITO", slug: "aws"},
	{word: "BEDROCK", slug: "aws"},
	{word: "CDK", slug: "aws"},
	{word: "LAMBDA", slug: "aws", shared: true},
	{word: "EKS", slug: "aws"},
	{word: "ECR", slug: "aws"},
	{word: "ECS", slug: "aws", shared: true},
}

// in says whether the name, as borderedName writes it, holds the word. Short words need both borders, so that "SES"
// is not in "SESSION"; long ones may go on ("DYNAMO" in "DYNAMODB").
func (w regionWord) in(name string) bool {
	const long = 5
	if len(w.word) >= long && !strings.Contains(w.word, "_") {
		return strings.Contains(name, "_"+w.word)
	}
	for _, end := range []string{"_", "REGION_", "LOCATION_"} {
		if strings.Contains(name, "_"+w.word+end) {
			return true
		}
	}
	return false
}

// borderedName writes the words of a name in capitals with a border before, between and after them:
// "s3.bucketRegion" becomes "_S3_BUCKET_REGION_".
func borderedName(name string) string {
	var b strings.Builder
	b.WriteByte('_')
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '.' || r == '-' || r == ' ' || r == '/':
			r = '_'
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	b.WriteByte('_')
	return b.String()
}

// regionOwner says whose region a setting names, and its code; "" where the name speaks of nobody that the stack uses.
func (j *judge) regionOwner(f Fact, raw string) (slug, region string) {
	if f.Provider != "" {
		return f.Provider, namedRegion(f.Provider, raw)
	}
	name, taken := borderedName(f.Name), false
	for _, w := range regionWords {
		if !w.in(name) {
			continue
		}
		if j.drafts[w.slug] != nil {
			if region = namedRegion(w.slug, raw); region != "" {
				return w.slug, region
			}
		}
		taken = taken || !w.shared
	}
	if taken {
		return "", ""
	}
	if rows, _ := j.variableRows(strings.Trim(name, "_")); len(rows) > 0 && j.drafts[rows[0].Provider] != nil {
		if region = namedRegion(rows[0].Provider, raw); region != "" {
			return rows[0].Provider, region
		}
	}
	for _, slug := range []string{"aws", "google-cloud", "azure"} {
		if d := j.drafts[slug]; d != nil && len(d.signs) > 0 {
			if region := foldRegion(slug, raw); region != "" && region != "global" && (len(region) > 4 || strings.ContainsAny(region, "0123456789")) { // not "us"
				return slug, region
			}
		}
	}
	if base := borderedName(f.Name[strings.LastIndexByte(f.Name, '.')+1:]); base == "_REGION_" || base == "_LOCATION_" || base == "_ZONE_" {
		return j.onlyOwner(strings.ToLower(raw))
	}
	return "", ""
}

// onlyOwner finds the one provider of the stack that has a region of this code, where the name tells nothing ("REGION=fra1").
func (j *judge) onlyOwner(raw string) (slug, region string) {
	const shortest = 3 // "eu" and "us" are regions of many
	if len(raw) < shortest || notRegion(raw) {
		return "", ""
	}
	for _, s := range sortedKeys(j.drafts) {
		if len(j.drafts[s].signs) == 0 || catalog.RegionCode(s, raw) != raw {
			continue
		}
		if slug != "" {
			return "", ""
		}
		slug, region = s, raw
	}
	return slug, region
}
