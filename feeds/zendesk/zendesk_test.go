package zendesk

import (
	"os"
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

// TestPlan reads the answers of a whole request plan: names and states of services come from two of them, planned work from
// a third.
func TestPlan(t *testing.T) {
	incidents, err := os.ReadFile("testdata/incidents.json")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(path, body string) feeds.Payload {
		return feeds.NewPayload("https://status.zendesk.com"+path, "application/json", 200, []byte(body), time.Time{})
	}
	ps := []feeds.Payload{
		answer("/api/ssp/incidents.json", string(incidents)),
		answer("/api/ssp/services.json", `{"data":[{"id":"12","type":"service","attributes":{"name":"Support"}},{"id":"31","type":"service","attributes":{"name":"Voice"}},{"id":"40","type":"service","attributes":{"name":"Analytics"}}]}`),
		answer("/api/incidents/maintenance", `{"data":[{"id":"88","type":"incident","attributes":{"title":"Voice carrier change","status":"scheduled","maintenance_start_time":"2026-06-01T04:00:00Z","maintenance_end_time":"2026-06-01T05:00:00Z"},"relationships":{"incident_services":{"data":[{"id":"1"}]}}}],"included":[{"id":"1","type":"incident_service","attributes":{"service_id":31}}]}`),
	}
	for _, p := range ps {
		if (Adapter{}).Claims(p) < 80 {
			t.Errorf("%s is not claimed", p.URL)
		}
	}
	doc := feeds.DecodeAs(Adapter{}, "zendesk", ps)
	adaptertest.Check(t, doc)
	want := []downwind.Status{downwind.Operational, downwind.MajorOutage, downwind.Operational}
	for i, c := range doc.Components {
		if c.Status != want[i] {
			t.Errorf("%s is %s, want %s", c.Name, c.Status, want[i])
		}
	}
	if len(doc.Components) != 3 || len(doc.Incidents) != 3 || doc.OpenOnly {
		t.Fatalf("%d components, %d incidents, open only %t", len(doc.Components), len(doc.Incidents), doc.OpenOnly)
	}
	work := doc.Incidents[2]
	if work.Kind != downwind.KindMaintenance || work.Phase != downwind.Scheduled || work.ScheduledUntil.Hour() != 5 || len(work.Components) != 1 || work.Components[0].Name != "Voice" {
		t.Errorf("planned work is read as %+v", work)
	}

	quiet := feeds.DecodeAs(Adapter{}, "zendesk", []feeds.Payload{answer("/api/incidents/active", `{"data":[],"included":[]}`)})
	if !quiet.Readable() || !quiet.OpenOnly || len(quiet.Incidents) != 0 {
		t.Errorf("a quiet answer of the public API: %+v", quiet)
	}
}
