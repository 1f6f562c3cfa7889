package rootly

import (
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestStatuspageIsNotClaimed keeps the adapter from its likeness: there the page has an id.
func TestStatuspageIsNotClaimed(t *testing.T) {
	body := `{"page":{"id":"p","name":"Kite","url":"https://k.example","time_zone":"Etc/UTC"},"status":{"indicator":"none"},"incidents":[]}`
	if n := (Adapter{}).Claims(feeds.Payload{Body: []byte(body)}); n != 0 {
		t.Errorf("a Statuspage is claimed with %d", n)
	}
}

// TestFullerListCounts joins the state with the list of incidents: each incident once, with its posts.
func TestFullerListCounts(t *testing.T) {
	head := `{"page":{"name":"Kite","url":"https://k.example","time_zone":"UTC"},`
	doc, err := Adapter{}.Decode([]feeds.Payload{
		{Body: []byte(head + `"status":{"indicator":"major"},"incidents":[{"id":"1","title":"Torn"}]}`)},
		{Body: []byte(head + `"incidents":[{"id":"1","title":"Torn","events":[{"id":"e","status":"identified","event":"A tree."}]}]}`)},
	})
	if err != nil || len(doc.Incidents) != 1 || len(doc.Incidents[0].Updates) != 1 || !doc.OpenOnly {
		t.Errorf("joined document is %+v, %v", doc, err)
	}
}
