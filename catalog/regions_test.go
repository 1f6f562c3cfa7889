package catalog

import (
	"slices"
	"strings"
	"testing"
)

func regions(t testing.TB) *Regions {
	t.Helper()
	g, err := LoadRegions()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestResolve(t *testing.T) {
	g := regions(t)
	cases := []struct{ provider, name, code string }{
		{"aws", "us-east-1", "us-east-1"},
		{"aws", "N. Virginia", "us-east-1"},
		{"aws", "US-EAST-1", "us-east-1"},
		{"aws", "eu-central-1b", "eu-central-1b"},
		{"aws", "euc1-az2", "euc1-az2"},
		{"azure", "East US 2", "eastus2"},
		{"azure", "eastus2", "eastus2"},
		{"azure", "East US", "eastus"},
		{"google-cloud", "europe-west12", "europe-west12"},
		{"google-cloud", "us-east4-a", "us-east4-a"},
		{"mongodb-atlas", "EU_WEST_1", "eu-west-1"},
		{"mongodb-atlas", "WESTERN_EUROPE", "gcp-europe-west1"},
		{"pinecone", "aws-us-east-1", "us-east-1"},
		{"grafana", "prod-eu-west-2", "prod-eu-west-2"},
		{"livekit", "Chicago", "us-central"},
		{"livekit", "Europe Central", "eu-central"},
		{"vercel", "fra1 - Frankfurt, Germany", "fra1"},
		{"cloudflare", "Santiago, Chile - (SCL)", "SCL"},
		{"stripe", "Germany", "Germany"},
		{"stripe", "Europe", "Europe"},
		{"stripe", "worldwide", "global"},
		{"stripe", "Nowhere 9", "nowhere9"},
	}
	for _, c := range cases {
		got := g.Resolve(c.provider, c.name)
		if len(got) == 0 || got[0].Code != c.code {
			t.Errorf("%s %q: got %+v, want %s", c.provider, c.name, got, c.code)
		}
	}
	if got := g.Resolve("aws", "  "); got != nil {
		t.Errorf("empty name: got %+v, want none", got)
	}
}

func TestMentionsMatchWhole(t *testing.T) {
	g := regions(t)
	cases := []struct {
		provider, text string
		want           []string
	}{
		{"azure", "Apps in East US 2 fail", []string{"East US 2"}},
		{"azure", "Apps in East US fail, West Europe is fine", []string{"East US", "West Europe"}},
		{"google-cloud", "errors in europe-west12", []string{"europe-west12"}},
		{"aws", "Requests in US-EAST-1 (N. Virginia) fail", []string{"US-EAST-1", "N. Virginia"}},
		{"livekit", "it helps us and our users", nil},
		{"livekit", "customers in the US and Mexico", []string{"US", "Mexico"}},
		{"cloudflare", "Visitors served from ORD; in order to help", []string{"ORD"}},
		{"vercel", "functions in iad1 and fra1", []string{"iad1", "fra1"}},
		{"stripe", "Turkey and Ireland, or nowhere", []string{"Turkey", "Ireland"}},
	}
	for _, c := range cases {
		var got []string
		for _, m := range g.Mentions(c.provider, c.text) {
			got = append(got, m.Text)
			if c.text[m.Start:m.End] != m.Text {
				t.Errorf("%q: offsets %d to %d are not %q", c.text, m.Start, m.End, m.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %q: got %q, want %q", c.provider, c.text, got, c.want)
		}
	}
}

func TestRelate(t *testing.T) {
	g := regions(t)
	cases := []struct {
		provider, hit, used string
		want                Nearness
	}{
		{"aws", "us-east-1", "N. Virginia", PlacesSame},
		{"aws", "us-east-1", "us-east-2", PlacesApart},
		{"aws", "Europe", "eu-west-1", PlacesSame},
		{"aws", "Ireland", "eu-west-2", PlacesApart},
		{"aws", "euc1-az2", "eu-central-1", PlacesInside},
		{"aws", "euc1-az2", "eu-central-1b", PlacesInside},
		{"aws", "eu-central-1", "euc1-az2", PlacesSame},
		{"aws", "US East", "us-east-2", PlacesSame},
		{"aws", "US East", "eu-west-1", PlacesApart},
		{"google-cloud", "us-east4-a", "us-east4-b", PlacesApart},
		{"google-cloud", "europe-west1", "EU", PlacesInside},
		{"google-cloud", "us-central1", "EU", PlacesApart},
		{"azure", "East US", "East US 2", PlacesApart},
		{"datadog", "us1", "us5", PlacesApart},
		{"auth0", "US-4", "us", PlacesInside},
		{"auth0", "EU", "us", PlacesApart},
		{"livekit", "US East", "us", PlacesInside},
		{"livekit", "London", "uk", PlacesSame},
		{"livekit", "London", "india", PlacesApart},
		{"mongodb-atlas", "EU_WEST_1", "WESTERN_EUROPE", PlacesApart},
		{"stripe", "somewhere", "Germany", PlacesUnclear},
		{"stripe", "global", "Germany", PlacesSame},
	}
	for _, c := range cases {
		hit, used := g.Resolve(c.provider, c.hit)[0], g.Resolve(c.provider, c.used)[0]
		if got := g.Relate(hit, used); got != c.want {
			t.Errorf("%s: %q hit, %q used: got %d, want %d", c.provider, c.hit, c.used, got, c.want)
		}
	}
}

func TestEveryRegionResolvesToItself(t *testing.T) {
	g := regions(t)
	for provider, list := range g.regions {
		for _, r := range list {
			got := g.Resolve(provider, r.Code)
			if !slices.ContainsFunc(got, func(p Place) bool { return p.Code == r.Code }) {
				t.Errorf("%s %s resolves to %+v", provider, r.Code, got)
			}
			if r.Country != "" && g.common[placeKey(r.Country)] == nil {
				t.Errorf("%s %s lies in %q, which places.tsv does not know", provider, r.Code, r.Country)
			}
		}
	}
}

func TestRegionTablesNameTheirFaults(t *testing.T) {
	for _, bad := range []string{"provider\tcode\tnames\tcity\tcountry\tcloud\naws\tx\n"} {
		if _, err := parseRegions(bad, placesTable); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("got %v, want an error that names line 2", err)
		}
	}
	if _, err := parseRegions(regionsTable, "kind\tname\tnames\tparents\nocean\tAtlantic\tAtlantic\t\n"); err == nil || !strings.Contains(err.Error(), "ocean") {
		t.Errorf("got %v, want an error that names the kind", err)
	}
}

// FuzzMentions checks that no text makes the gazetteer panic or point outside the text.
func FuzzMentions(f *testing.F) {
	g := regions(f)
	s, err := LoadServices()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("aws", "Requests in US-EAST-1 (N. Virginia), eu-central-1b and euc1-az2 fail")
	f.Add("cloudflare", "Santiago, Chile - (SCL) Ünïcode – São Paulo")
	f.Fuzz(func(t *testing.T, provider, text string) {
		last := 0
		for _, m := range g.Mentions(provider, text) {
			if m.Start < last || m.End > len(text) || m.Start >= m.End || len(m.Places) == 0 {
				t.Fatalf("mention %+v", m)
			}
			last = m.End
		}
		for _, m := range s.Mentions(provider, text, true) {
			if m.Start >= m.End || m.End > len(text) || len(m.Services) == 0 {
				t.Fatalf("mention %+v", m)
			}
		}
	})
}

// TestHeadsPassNoName makes sure that the quick look at a word's first letters hides no name.
func TestHeadsPassNoName(t *testing.T) {
	g, err := LoadRegions()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append(g.heads.keys, "global", "worldwide", "allregions") {
		if g.heads.passes(key) || g.heads.passes(strings.ToUpper(key)) {
			t.Errorf("%q is passed over", key)
		}
	}
	for _, word := range []string{"qqq", "Zzzyx"} {
		if !g.heads.passes(word) {
			t.Errorf("%q is looked for", word)
		}
	}
}

func BenchmarkParseRegions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseRegions(regionsTable, placesTable); err != nil {
			b.Fatal(err)
		}
	}
}
