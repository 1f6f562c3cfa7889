package aws

import (
	"testing"
	"time"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestSplitKey(t *testing.T) {
	cases := []struct{ key, service, region string }{
		{"ec2-us-east-1", "ec2", "us-east-1"},
		{"directconnect-eu-central-1", "directconnect", "eu-central-1"},
		{"internetconnectivity-us-gov-west-1", "internetconnectivity", "us-gov-west-1"},
		{"route53", "route53", ""},
		{"", "", ""},
	}
	for _, c := range cases {
		if s, r := splitKey(c.key); s != c.service || r != c.region {
			t.Errorf("splitKey(%q) = %q, %q, want %q, %q", c.key, s, r, c.service, c.region)
		}
	}
}

// TestQuietDay claims an empty list of its own host, and of nobody else's.
func TestQuietDay(t *testing.T) {
	for url, want := range map[string]bool{
		"": true, "https://health.aws.amazon.com/public/currentevents": true, "https://status.example.com/incidents.json": false,
	} {
		p := feeds.NewPayload(url, "", 200, []byte("\xfe\xff\x00[\x00]"), time.Time{})
		if got := (Adapter{}).Claims(p) > 0; got != want {
			t.Errorf("claims [] of %q: %v, want %v", url, got, want)
		}
	}
}
