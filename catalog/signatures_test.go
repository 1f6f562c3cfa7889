package catalog

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"downwind"
)

func allSignatures(t testing.TB) map[string][]Signature {
	t.Helper()
	s := EmbeddedSignatures()
	out := map[string][]Signature{}
	for _, k := range signatureKinds {
		out[k.name] = slices.Collect(s.Rows(k.name))
		if n := strings.Count(*k.rows, "\n"); len(out[k.name]) != n {
			t.Errorf("%s: %d of %d rows can be read", k.name, len(out[k.name]), n)
		}
	}
	return out
}

// TestSignatureTables holds the tables to what the lookup relies on: known slugs and services, sorted, no row twice,
// folded spelling, and every row found by a name made from its key.
func TestSignatureTables(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	sig := EmbeddedSignatures()
	providers := map[string]bool{}
	for kind, rows := range allSignatures(t) {
		for i, r := range rows {
			if _, ok := c.Provider(r.Provider); !ok {
				t.Errorf("%s %q: unknown provider %q", kind, r.Key, r.Provider)
			}
			providers[r.Provider] = true
			if r.Key != foldSignature(kind, r.Key) {
				t.Errorf("%s %q is not in the spelling that is compared (%q)", kind, r.Key, foldSignature(kind, r.Key))
			}
			if i > 0 && (rows[i-1].Key > r.Key || rows[i-1].Key == r.Key && rows[i-1].Provider >= r.Provider) {
				t.Errorf("%s: %q (%s) is out of order or stands twice", kind, r.Key, r.Provider)
			}
			if r.Relation == removed {
				t.Errorf("%s %q: relation %q belongs in overlays", kind, r.Key, r.Relation)
			}
			name := sampleName(kind, r.Key)
			if !slices.Contains(sig.Find(kind, name), r) {
				t.Errorf("%s: %q is not found by %q, which gives %+v", kind, r.Key, name, sig.Find(kind, name))
			}
		}
	}
	if n := len(providers); n < 460 {
		t.Errorf("%d providers have signatures, want at least 460", n)
	}
}

// sampleName makes a name that only the row with this key describes best.
func sampleName(kind, key string) string {
	switch kind {
	case "domain":
		if strings.Count(key, "*") == 1 && strings.HasPrefix(key, "*.") {
			return "zq7" + key[1:]
		}
	case "tf_resource":
		return strings.TrimSuffix(key, "*")
	}
	return strings.ReplaceAll(key, "*", "zq7")
}

func TestSignatureServicesHaveNames(t *testing.T) {
	missing := map[string]bool{}
	for _, rows := range allSignatures(t) {
		for _, r := range rows {
			if r.Service != "" && !strings.Contains("\n"+serviceNamesTable, "\n"+r.Provider+"\t"+r.Service+"\t") {
				missing[r.Provider+" "+r.Service] = true
			}
		}
	}
	for m := range missing {
		t.Errorf("services.tsv has no name for %s", m)
	}
}

func TestFindSignature(t *testing.T) {
	for _, c := range []struct{ kind, name, want string }{
		{"npm", "stripe", "stripe"},
		{"npm", "@aws-sdk/client-s3", "aws s3"},
		{"npm", "@types/stripe", ""},
		{"pypi", "Sentry_SDK", "sentry ingest"},
		{"go", "github.com/stripe/stripe-go/v99", "stripe"},
		{"go", "github.com/aws/aws-sdk-go-v2/service/s3/types", "aws s3"},
		{"go", "github.com/stripes/stripe-go", ""},
		{"domain", "api.stripe.com", "stripe"},
		{"domain", "notstripe.com", ""},
		{"domain", "stripe.com.evil.example", ""},
		{"domain", "ns-1.awsdns-01.org", "aws route53"},
		{"domain", "123.dkr.ecr.us-east-1.amazonaws.com", "aws"},
		{"domain", "a.b.c.blob.core.windows.net", "azure blob-storage"},
		{"image", "docker.io/datadog/agent", "datadog"},
		{"image", "ghcr.io/acme/x", "github packages"},
		{"image", "123.dkr.ecr.us-east-1.amazonaws.com/x", "aws ecr"},
		{"tf_resource", "aws_route53_record", "aws route53"},
		{"tf_resource", "aws_route", "aws vpc"},
		{"env", "NEXT_PUBLIC_ALGOLIA_X", "algolia"},
		{"config_file", "a/b/wrangler.toml", "cloudflare workers"},
		{"config_file", "xwrangler.toml", ""},
		{"pod", "Firebase/Messaging", "firebase fcm"},
		{"gh_action", "Snyk/Actions/Setup", "snyk"},
	} {
		var got []string
		for _, s := range EmbeddedSignatures().Find(c.kind, c.name) {
			if s.Relation != downwind.TypeOnly {
				got = append(got, strings.TrimSpace(s.Provider+" "+s.Service))
			}
		}
		if strings.Join(got, ";") != c.want {
			t.Errorf("%s %q: got %q, want %q", c.kind, c.name, got, c.want)
		}
	}
}

func TestProvidersOfAKind(t *testing.T) {
	sig := EmbeddedSignatures()
	for kind, rows := range allSignatures(t) {
		for _, relation := range []downwind.Relation{downwind.Hosted, downwind.ClientOnly, downwind.BuildTime, downwind.TypeOnly} {
			want := map[string]bool{}
			for _, r := range rows {
				if r.Relation == relation {
					want[r.Provider] = true
				}
			}
			got := sig.Providers(kind, relation)
			slices.Sort(got)
			if !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
				t.Errorf("%s, %s: %d providers, want %d", kind, relation, len(got), len(want))
			}
		}
	}
	if got := sig.Providers("no such kind", downwind.Hosted); got != nil {
		t.Errorf("an unknown kind has providers: %v", got)
	}
}

// TestSignatureSize keeps what the tables add to the binary within bounds.
func TestSignatureSize(t *testing.T) {
	const most = 2 << 20
	size := int64(0)
	entries, err := os.ReadDir("data/signatures")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > most {
		t.Errorf("the tables take %d bytes, want at most %d", size, most)
	}
}

// BenchmarkLoadSignatures is what a command that needs all the tables spends on them; ten milliseconds are the aim.
// BenchmarkLoadSignatures is what a command pays that asks for a name of every kind.
func BenchmarkLoadSignatures(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := EmbeddedSignatures()
		for _, k := range signatureKinds {
			s.Has(k.name, "stripe")
		}
	}
}

func FuzzFindSignature(f *testing.F) {
	sig := EmbeddedSignatures()
	for _, s := range []string{"stripe", "a.b.c", "*.x", "github.com/a/b/v2", "", "x/*/y", "AWS_REGION"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, k := range signatureKinds {
			for _, s := range sig.Find(k.name, name) {
				if s.Provider == "" || s.Kind != k.name {
					t.Errorf("%s %q finds %+v", k.name, name, s)
				}
			}
		}
	})
}
