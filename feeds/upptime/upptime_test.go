package upptime

import (
	"os"
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestIssuesNameSites reads summary and issues as one poll does: labels become the sites that they name.
func TestIssuesNameSites(t *testing.T) {
	var ps []feeds.Payload
	for file, address := range map[string]string{
		"summary.json": "https://raw.githubusercontent.com/loom/up/HEAD/history/summary.json",
		"issues.json":  "https://api.github.com/repos/loom/up/issues?state=all&per_page=50&labels=status",
	} {
		raw, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, feeds.Payload{URL: address, Body: raw})
	}
	doc, err := Adapter{}.Decode(ps)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Partial || doc.Page.ID != "loom/up" || len(doc.Incidents) == 0 || len(doc.Incidents[0].Components) != 1 || doc.Incidents[0].Components[0].Name != "Web shop" {
		t.Errorf("joined document is %+v", doc)
	}
}

func TestEndpoints(t *testing.T) {
	cases := map[string]string{
		"https://github.com/loom/up":        "loom/up",
		"https://github.com/loom/up/issues": "loom/up",
		"https://loom.github.io/up/":        "loom/up",
		"https://loom.github.io":            "loom/loom.github.io",
		"https://github.com/loom":           "",
		"https://status.loom.example":       "",
	}
	for page, repo := range cases {
		plan := Adapter{}.Endpoints(page)
		if repo == "" {
			if plan != nil {
				t.Errorf("%s: plan %v without a repository", page, plan)
			}
			continue
		}
		if want := "https://raw.githubusercontent.com/" + repo + "/HEAD/history/summary.json"; len(plan) == 0 || plan[0].URL != want {
			t.Errorf("%s: plan %v, want %s", page, plan, want)
		}
	}
}
