package sorry

import (
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestJoined reads the three answers as one poll does: names and groups of the components reach the notices.
func TestJoined(t *testing.T) {
	bodies := []string{
		`{"notices":[{"id":1,"type":"unplanned","state":"identified","subject":"x","began_at":"2026-01-01T00:00:00Z","ended_at":null,"components":[{"id":5,"name":"old","state":"outage"}]}]}`,
		`{"components":[{"id":4,"name":"Post","state":"outage","children":[{"id":5,"name":"Sorting","state":"outage"}]}]}`,
		`{"page":{"name":"Post office","state":"outage","state_text":"Down","url":"https://p.example"}}`,
	}
	var ps []feeds.Payload
	for _, b := range bodies {
		ps = append(ps, feeds.Payload{Body: []byte(b)})
	}
	doc, err := Adapter{}.Decode(ps)
	if err != nil {
		t.Fatal(err)
	}
	c := doc.Incidents[0].Components
	if doc.Page.Name != "Post office" || len(doc.Components) != 1 || len(c) != 1 || c[0].Name != "Sorting" || c[0].Group != "Post" || doc.Partial {
		t.Errorf("joined document is %+v", doc)
	}
}
