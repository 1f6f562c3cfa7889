package stackparse_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"downwind"
	"downwind/stackparse"
)

// fakeDNS answers for one domain.
type fakeDNS struct{ asked []string }

func (f *fakeDNS) LookupCNAME(_ context.Context, host string) (string, error) {
	f.asked = append(f.asked, host)
	if host == "www.acme-shop.com" {
		return "cname.vercel-dns.com.", nil
	}
	return host + ".", nil
}

func (f *fakeDNS) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	if name == "www.acme-shop.com" {
		return []*net.MX{{Host: "aspmx.l.google.com.", Pref: 1}}, nil
	}
	return nil, errors.New("no such host")
}

func (f *fakeDNS) LookupNS(_ context.Context, name string) ([]*net.NS, error) {
	if name == "www.acme-shop.com" {
		return []*net.NS{{Host: "ada.ns.cloudflare.com."}}, nil
	}
	return nil, errors.New("no such host")
}

func TestResolve(t *testing.T) {
	ctx := context.Background()
	r := reader(stackparse.Options{})
	s := r.ReadDomains(ctx, []string{"www.acme-shop.com", "api.stripe.com", "other.acme-shop.com"})
	dns := &fakeDNS{}
	zone := stackparse.Resolve(ctx, s.Unknown, dns)
	if strings.Join(dns.asked, " ") != "www.acme-shop.com other.acme-shop.com" {
		t.Errorf("asked for %q", dns.asked)
	}
	s = stackparse.Merge(s, r.ReadFiles(ctx, map[string][]byte{"dns-zone.txt": zone}))
	for _, slug := range []string{"vercel", "google-workspace", "cloudflare", "stripe"} {
		if s.Use(slug) == nil {
			t.Errorf("%s is not found in %s", slug, zone)
		}
	}
}

func TestMerge(t *testing.T) {
	a := downwind.Stack{Providers: []downwind.Use{{Provider: "aws", Confidence: downwind.Guess, Services: []string{"s3"}, Regions: []string{"eu-west-1"}}}}
	b := downwind.Stack{Providers: []downwind.Use{
		{Provider: "aws", Confidence: downwind.Sure, Services: []string{"sqs"}, Regions: []string{"eu-west-1"}, Evidence: []downwind.Evidence{{File: "x"}}},
		{Provider: "acme", Confidence: downwind.Likely},
	}, Dropped: 2}
	got := stackparse.Merge(a, b)
	u := got.Use("aws")
	if len(got.Providers) != 2 || got.Providers[0].Provider != "acme" || u.Confidence != downwind.Sure || strings.Join(u.Services, ",") != "s3,sqs" ||
		strings.Join(u.Regions, ",") != "eu-west-1" || len(u.Evidence) != 1 || got.Dropped != 2 {
		t.Errorf("merged %+v", got)
	}
	if a.Providers[0].Confidence != downwind.Guess || len(a.Providers[0].Services) != 1 {
		t.Errorf("the first stack was changed: %+v", a.Providers[0])
	}
}
