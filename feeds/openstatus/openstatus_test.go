package openstatus

import (
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestWorkByTime reads one maintenance before, in and after its window.
func TestWorkByTime(t *testing.T) {
	body := []byte(`{"title":"x","statusReports":[],"maintenances":[{"id":1,"title":"y","from":"2026-05-01T10:00:00Z","to":"2026-05-01T11:00:00Z"}]}`)
	cases := map[string]downwind.Phase{
		"2026-05-01T09:59:00Z": downwind.Scheduled, "2026-05-01T10:00:00Z": downwind.InProgress, "2026-05-01T11:00:00Z": downwind.Completed,
	}
	for at, want := range cases {
		now, _ := time.Parse(time.RFC3339, at)
		doc, err := Adapter{}.Decode([]feeds.Payload{{Body: body, FetchedAt: now}})
		if err != nil || doc.Incidents[0].Phase != want {
			t.Errorf("at %s: %v, %v, want %s", at, doc.Incidents, err, want)
		}
	}
}

// TestSameIDs holds the ids of feed and JSON against each other: a source that changes over keeps its incidents.
func TestSameIDs(t *testing.T) {
	rss := `<rss version="2.0"><channel><title>x</title><link>https://o.example</link><generator>OpenStatus - y</generator><item><title>Resolved - z</title><link>https://o.example/events/report/12</link></item></channel></rss>`
	js := `{"title":"x","statusReports":[{"id":12,"title":"z","status":"resolved"}],"maintenances":[]}`
	for _, body := range []string{rss, js} {
		doc, err := Adapter{}.Decode([]feeds.Payload{{Body: []byte(body)}})
		if err != nil || len(doc.Incidents) != 1 || doc.Incidents[0].ID != "12" || doc.Incidents[0].Phase != downwind.Resolved {
			t.Errorf("%s: %+v, %v", body, doc, err)
		}
	}
}
