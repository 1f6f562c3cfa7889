package statuspal

import (
	"slices"
	"testing"

	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestEndpoints(t *testing.T) {
	cases := map[string][]string{
		"https://dairy.statuspal.eu/x":                          {"https://statuspal.eu/api/v2/status_pages/dairy/summary"},
		"https://dairy.statuspal.io":                            {"https://statuspal.io/api/v2/status_pages/dairy/summary"},
		"https://statuspal.eu/api/v2/status_pages/dairy/status": {"https://statuspal.eu/api/v2/status_pages/dairy/summary"},
		"https://exoscalestatus.com":                            {"https://statuspal.eu/api/v2/status_pages/exoscalestatus/summary"},
		"https://status.dairy.example":                          {"https://statuspal.io/api/v2/status_pages/status.dairy.example/summary", "https://statuspal.eu/api/v2/status_pages/status.dairy.example/summary"},
		"https://statuspal.io":                                  nil,
		"no address":                                            nil,
	}
	for page, want := range cases {
		var got []string
		for _, e := range (Adapter{}).Endpoints(page) {
			got = append(got, e.URL)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}
