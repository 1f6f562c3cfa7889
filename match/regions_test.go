package match

import (
	"slices"
	"testing"

	"downwind"
)

// pageIncident is an incident of a provider that no table knows, with components in groups by region.
func pageIncident() *downwind.Incident {
	inc := incident("nimbus-relay", "Elevated message API errors in EU West", "An elevated rate of 503 responses from the message API in EU West.", nil)
	inc.Components = []downwind.Component{{Name: "Message API", Group: "EU West"}, {Name: "Webhooks", Group: "EU West"}}
	inc.Updates = append(inc.Updates, downwind.Update{
		ID: "u2", Body: "Webhook deliveries in EU West are queued. US East is not affected.",
		Components: []downwind.Component{{Name: "EU West - Message API"}, {Name: "EU West - Webhooks"}},
	})
	return inc
}

func TestRegionsOfUnknownProviders(t *testing.T) {
	j := judge(t)
	k := Known{Provider: downwind.Provider{Slug: "nimbus-relay", Name: "Nimbus Relay"}}
	use := func(region string) *downwind.Stack {
		return stackOf("nimbus-relay", downwind.Evidence{Kind: "domain", Match: "api.nimbusrelay.example", Region: region, Relation: downwind.Hosted})
	}
	for _, region := range []string{"eu-west", "EU-WEST", "eu_west", "EU West"} {
		m := j.Match(pageIncident(), use(region), nil, k)
		if m.Verdict != downwind.AffectedLikely && m.Verdict != downwind.AffectedSure {
			t.Errorf("%s: got %s (open %q, held %q), want yes", region, m.Verdict, m.OpenQuestion, m.Held)
		}
		if !slices.Equal(m.Regions, []string{"EU West"}) || !slices.Equal(m.Components, []string{"Message API"}) {
			t.Errorf("%s: got regions %q, components %q, want EU West and Message API", region, m.Regions, m.Components)
		}
	}
	for _, region := range []string{"us-east", "us_east", "US East"} {
		if m := j.Match(pageIncident(), use(region), nil, k); m.Affected || m.Held != downwind.HeldRegion {
			t.Errorf("%s: got %s held %q, want no, region", region, m.Verdict, m.Held)
		}
	}
	if m := j.Match(pageIncident(), use(""), nil, k); m.Verdict != downwind.AffectedPossible || m.OpenQuestion != "region" {
		t.Errorf("no region: got %s, open %q, want possible, region", m.Verdict, m.OpenQuestion)
	}
}

// TestRegionsOfThePage uses names that are on no map: only the page tells that they are regions.
func TestRegionsOfThePage(t *testing.T) {
	j := judge(t)
	k := Known{Provider: downwind.Provider{Slug: "quillbox", Name: "Quillbox", Regions: []string{"nord-3", "sud-1", "all"}}}
	inc := incident("quillbox", "Storage errors in Nord 3", "Uploads in nord-3 fail. SUD-1 is not affected.", nil)
	for region, want := range map[string]downwind.HoldReason{"nord-3": "", "sud-1": downwind.HeldRegion} {
		s := stackOf("quillbox", downwind.Evidence{Kind: "domain", Match: "api.quillbox.example", Region: region, Relation: downwind.Hosted})
		if m := j.Match(inc, s, nil, k); m.Held != want || m.Affected != (want == "") {
			t.Errorf("%s: got %s held %q (%s), want held %q", region, m.Verdict, m.Held, m.WhyNot, want)
		}
	}
}

func TestFindName(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       string
	}{
		{"errors in Nord 3.", "nord-3", "Nord 3"},
		{"errors in nord_3", "Nord 3", "nord_3"},
		{"errors in Nord 31", "nord-3", ""},
		{"errors in the Nord. In part 3 we", "nord-3", ""},
		{"", "nord-3", ""},
	} {
		got := ""
		if start, end := findName(c.text, c.name); start >= 0 {
			got = c.text[start:end]
		}
		if got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestUrgencyIsWhatSuffers(t *testing.T) {
	j := judge(t)
	s := stackOf("livekit", downwind.Evidence{Kind: "npm", Match: "livekit-server-sdk", Relation: downwind.Hosted})
	for _, c := range []struct {
		name, title, body string
		want              downwind.Urgency
	}{
		{"postmortem tells of a rollout", "Connection errors", "Requests failed while a new release was rolled out. We have stopped deployments until the fix is deployed.", downwind.UrgencyRuntime},
		{"a verb is no subject", "Connection errors", "Requests failed, but a cache allowed many to continue flowing when a server had already cached them.", downwind.UrgencyRuntime},
		{"cause in the title", "Connection errors following a deployment", "Requests fail.", downwind.UrgencyRuntime},
		{"cause in the title, due to", "Connection errors due to a configuration change", "Requests fail.", downwind.UrgencyRuntime},
		{"calls of a running application", "Connection errors", "UpdateParticipant and DeleteRoom fail.", downwind.UrgencyRuntime},
		{"administrative calls", "Connection errors", "UpdateCluster and CreateNodePool fail.", downwind.UrgencyBuild},
		{"running things go on", "Connection errors", "Starting new ones fails. Existing instances continue to run.", downwind.UrgencyBuild},
		{"deploys in the title", "Deploys failing after a release", "Deploys fail.", downwind.UrgencyBuild},
	} {
		if m := j.Match(incident("livekit", c.title, c.body, nil), s, nil, Known{}); m.Urgency != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.name, m.Urgency, m.Verdict, c.want)
		}
	}
}
