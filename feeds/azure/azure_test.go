package azure

import (
	"testing"
	"time"

	"downwind"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestParts(t *testing.T) {
	for title, want := range map[string]struct {
		title string
		phase downwind.Phase
	}{
		"Virtual Machines - West Europe - Mitigated":                   {"Virtual Machines - West Europe", downwind.Resolved},
		"Azure Front Door – Connectivity issues – Applying Mitigation": {"Azure Front Door – Connectivity issues", downwind.Identified},
		"RESOLVED: Storage - East US 2":                                {"Storage - East US 2", downwind.Resolved},
		"Storage - East US 2":                                          {"Storage - East US 2", downwind.Investigating},
		"Post Incident Review (PIR): Key Vault":                        {"Post Incident Review (PIR): Key Vault", downwind.Postmortem},
	} {
		if got, phase := parts(title); got != want.title || phase != want.phase {
			t.Errorf("%q is %q, %s; want %q, %s", title, got, phase, want.title, want.phase)
		}
	}
}

func TestStated(t *testing.T) {
	for text, want := range map[string][2]string{
		"Impact Statement: Starting at 17:21 UTC on 16 Apr 2026, customers may see errors.":       {"2026-04-16T17:21:00Z", ""},
		"Between 15:41 UTC on 29 October 2025 and 00:05 UTC on 30 October 2025, requests failed.": {"2025-10-29T15:41:00Z", "2025-10-30T00:05:00Z"},
		"Between 09:10 and 11:00 UTC on 4 March 2026 requests failed.":                            {"", ""},
		"Between 09:10 UTC and 11:00 UTC on 4 March 2026, requests failed.":                       {"2026-03-04T09:10:00Z", "2026-03-04T11:00:00Z"},
		"We are looking into it.": {"", ""},
	} {
		for i, kind := range []*struct{ got time.Time }{{stated(started, text)}, {stated(ended, text)}} {
			got := ""
			if !kind.got.IsZero() {
				got = kind.got.Format(time.RFC3339)
			}
			if got != want[i] {
				t.Errorf("%q: %d is %q, want %q", text, i, got, want[i])
			}
		}
	}
}
