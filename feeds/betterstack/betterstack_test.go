package betterstack

import (
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestPlannedAhead reads a maintenance whose page already says "maintenance" before and after its start.
func TestPlannedAhead(t *testing.T) {
	body := []byte(`{"data":{"id":"1","type":"status_page","attributes":{}},"included":[{"id":"2","type":"status_report",
	"attributes":{"title":"x","report_type":"maintenance","starts_at":"2026-05-01T10:00:00Z","aggregate_state":"maintenance"}}]}`)
	for at, want := range map[string]downwind.Phase{"2026-05-01T09:00:00Z": downwind.Scheduled, "2026-05-01T10:30:00Z": downwind.InProgress} {
		now, _ := time.Parse(time.RFC3339, at)
		doc, err := Adapter{}.Decode([]feeds.Payload{{Body: body, FetchedAt: now}})
		if err != nil || doc.Incidents[0].Phase != want {
			t.Errorf("at %s: %v, %v, want %s", at, doc.Incidents, err, want)
		}
	}
}
