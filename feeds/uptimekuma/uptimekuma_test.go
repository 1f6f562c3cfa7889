package uptimekuma

import (
	"os"
	"testing"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestStatesReachThePage reads page and heartbeats as one poll does, in either order.
func TestStatesReachThePage(t *testing.T) {
	var ps []feeds.Payload
	for _, f := range []string{"testdata/page.json", "testdata/heartbeats.json"} {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, feeds.Payload{Body: raw})
	}
	want := map[string]downwind.Status{"3": downwind.Operational, "4": downwind.MajorOutage, "5": downwind.UnderMaintenance, "6": downwind.StatusUnknown, "7": downwind.StatusUnknown}
	for _, order := range [][]feeds.Payload{{ps[0], ps[1]}, {ps[1], ps[0]}} {
		doc, err := Adapter{}.Decode(order)
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Components) != len(want) || doc.Partial {
			t.Errorf("joined document is %+v", doc)
		}
		for _, c := range doc.Components {
			if c.Status != want[c.ID] || c.Name == c.ID {
				t.Errorf("component %+v, want %s", c, want[c.ID])
			}
		}
	}
}

func TestEndpoints(t *testing.T) {
	cases := map[string]string{
		"https://up.loft.example/status/main":                   "https://up.loft.example/api/status-page/main",
		"https://up.loft.example/status/main/extra?x":           "https://up.loft.example/api/status-page/main",
		"https://up.loft.example/api/status-page/heartbeat/dev": "https://up.loft.example/api/status-page/dev",
		"https://up.loft.example":                               "https://up.loft.example/api/status-page/default",
	}
	for page, want := range cases {
		if plan := (Adapter{}).Endpoints(page); plan[0].URL != want {
			t.Errorf("%s: %s, want %s", page, plan[0].URL, want)
		}
	}
}

// TestHistoryJoinsThePage reads what is pinned and what is over as one poll does.
func TestHistoryJoinsThePage(t *testing.T) {
	var ps []feeds.Payload
	for _, f := range []string{"testdata/page.json", "testdata/history.json"} {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, feeds.Payload{Body: raw})
	}
	doc, err := Adapter{}.Decode(ps)
	if err != nil {
		t.Fatal(err)
	}
	phases := map[string]downwind.Phase{}
	for _, inc := range doc.Incidents {
		phases[inc.ID] = inc.Phase
	}
	if phases["9"] != downwind.Investigating || phases["4"] != downwind.Resolved || phases["5"] != downwind.Investigating || doc.Partial || !doc.OpenOnly {
		t.Errorf("joined: %v, partial %t, open only %t", phases, doc.Partial, doc.OpenOnly)
	}
}
