package cachet

import (
	"os"
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestJoined reads the lists of version 2 as one poll does: ids of components become names.
func TestJoined(t *testing.T) {
	var ps []feeds.Payload
	for _, f := range []string{"v2-incidents.json", "v2-components.json", "v2-groups.json", "v2-schedules.json"} {
		raw, err := os.ReadFile("testdata/" + f)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, feeds.Payload{Body: raw})
	}
	doc, err := Adapter{}.Decode(ps)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Partial || doc.Without != nil || len(doc.Components) != 4 || doc.Components[1].Group != "Yard" {
		t.Errorf("joined document is %+v", doc)
	}
	if c := doc.Incidents[0].Components; len(c) != 1 || c[0].Name != "Kennel" {
		t.Errorf("components of the incident: %+v", c)
	}
	seen := map[string]bool{}
	for _, inc := range doc.Incidents {
		if seen[inc.ID] {
			t.Errorf("two entries are %s", inc.ID)
		}
		seen[inc.ID] = true
	}
}

func TestQuietPage(t *testing.T) {
	for _, body := range []string{
		`{"meta":{"pagination":{"total":0,"count":0,"per_page":20,"current_page":1,"total_pages":1,"links":{"next_page":null,"previous_page":null}}},"data":[]}`,
		`{"data":[],"links":{"first":"https://d.example/api/incidents?page=1","next":null},"meta":{"current_page":1,"per_page":15}}`,
	} {
		p := feeds.Payload{Body: []byte(body)}
		doc, err := Adapter{}.Decode([]feeds.Payload{p})
		if (Adapter{}).Claims(p) == 0 || err != nil || doc.Partial {
			t.Errorf("an empty list: claim %d, %+v, %v", Adapter{}.Claims(p), doc, err)
		}
	}
}
