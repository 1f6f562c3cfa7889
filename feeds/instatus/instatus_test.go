package instatus

import (
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestJoined reads the summary and the list of components as one poll does.
func TestJoined(t *testing.T) {
	summary := `{"page":{"name":"Kiln","url":"https://kiln.instatus.com","status":"UP"}}`
	parts := `{"components":[{"id":"a","name":"Ovens","status":"OPERATIONAL","group":null}]}`
	doc, err := Adapter{}.Decode([]feeds.Payload{{Body: []byte(summary)}, {Body: []byte(parts)}})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Page.Name != "Kiln" || len(doc.Components) != 1 || doc.Partial || !doc.OpenOnly {
		t.Errorf("joined document is %+v", doc)
	}
	if alone, err := (Adapter{}).Decode([]feeds.Payload{{Body: []byte(parts)}}); err != nil || !alone.Partial {
		t.Errorf("a list of components says that nothing is open: %+v, %v", alone, err)
	}
	if _, err := (Adapter{}).Decode([]feeds.Payload{{Body: []byte(`{"hello":1}`)}}); err == nil {
		t.Error("JSON of nobody is read")
	}
}
