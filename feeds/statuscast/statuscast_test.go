package statuscast

import (
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestQuietPage(t *testing.T) {
	p := feeds.Payload{URL: "https://status.tram.example/incidents.json", Body: []byte("[]\n")}
	if (Adapter{}).Claims(p) == 0 {
		t.Error("an empty list at the plan's address is not claimed")
	}
	if doc, err := (Adapter{}).Decode([]feeds.Payload{p}); err != nil || doc.Partial {
		t.Errorf("a quiet page: %+v, %v", doc, err)
	}
	p.URL = ""
	if (Adapter{}).Claims(p) != 0 {
		t.Error("an empty list of nobody is claimed")
	}
}
