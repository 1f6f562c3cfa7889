package catalog

import (
	"slices"
	"testing"
)

func TestRegionCode(t *testing.T) {
	for _, c := range []struct{ name, provider, region, want string }{
		{"code", "aws", "eu-west-1", "eu-west-1"},
		{"name", "aws", "EU (Ireland)", "eu-west-1"},
		{"name in other letters", "aws", "europe (ireland)", "eu-west-1"},
		{"short code", "aws", "euw1", "eu-west-1"},
		{"last provider's rows", "railway", "europe-west4", "europe-west4-drams3a"},
		{"spaces around", "render", " Oregon ", "oregon"},
		{"another provider's region", "render", "eu-west-1", ""},
		{"beginning of a code", "aws", "eu-west", ""},
		{"provider without regions", "stripe", "us", ""},
		{"nothing", "aws", "", ""},
		{"head of the table", "provider", "code", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := RegionCode(c.provider, c.region); got != c.want {
				t.Errorf("RegionCode(%q, %q) = %q, want %q", c.provider, c.region, got, c.want)
			}
		})
	}
}

// TestRegionRowsStandTogether: RegionCode reads the rows of a provider from the first to the last in a row.
func TestRegionRowsStandTogether(t *testing.T) {
	seen, last := map[string]bool{}, ""
	if err := eachRow(regionsTable, 6, func(f []string) error {
		if f[0] != last && seen[f[0]] {
			t.Errorf("rows of %s stand apart", f[0])
		}
		seen[f[0]], last = true, f[0]
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRegionCodes holds the codes that the catalogue shows to the regions of the gazetteer.
func TestRegionCodes(t *testing.T) {
	regions, err := LoadRegions()
	if err != nil {
		t.Fatal(err)
	}
	for provider := range regionRows() {
		var want []string
		for _, r := range regions.Of(provider) {
			want = append(want, r.Code)
		}
		if got := regionCodes(provider); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", provider, got, want)
		}
	}
	if got := regionCodes("stripe"); got != nil {
		t.Errorf("a provider without regions has %q", got)
	}
}

func BenchmarkRegionCode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		RegionCode("aws", "us-east-1")
		RegionCode("google-cloud", "Frankfurt")
		RegionCode("stripe", "us")
	}
}
