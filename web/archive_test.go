package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"downwind"
)

// A day of the past is found however much was first seen since, and in whatever order.
func TestArchiveOfOneDay(t *testing.T) {
	server, world := site(t)
	day := time.Date(2025, 3, 9, 0, 0, 0, 0, time.UTC)
	add := func(n int, title string, began, ended, seen time.Time) {
		inc := downwind.Incident{
			Provider: "lumen-voice", ID: fmt.Sprintf("past%04d", n), Kind: downwind.KindIncident, Phase: downwind.Resolved,
			Title: title, StartedAt: began, ResolvedAt: ended,
		}
		world.Store.Records = append(world.Store.Records, downwind.IncidentRecord{Incident: inc, FirstSeen: seen, ChangedAt: seen, Versions: 1})
	}
	add(0, "Inside the day", day.Add(9*time.Hour), day.Add(10*time.Hour), day.Add(9*time.Hour))
	add(1, "Over midnight", day.Add(-time.Hour), day.Add(time.Hour), day.Add(-time.Hour))
	add(2, "The day before", day.Add(-9*time.Hour), day.Add(-8*time.Hour), day.Add(-9*time.Hour))
	for n := range 1100 {
		later := day.Add(time.Duration(48+n) * time.Hour)
		add(10+n, "Later", later, later.Add(time.Hour), later)
	}
	resp, body := get(t, server.URL+"/archive?provider=lumen-voice&on=2025-03-09")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "Inside the day") || !strings.Contains(body, "Over midnight") {
		t.Errorf("status %d, inside: %v, over midnight: %v", resp.StatusCode, strings.Contains(body, "Inside the day"), strings.Contains(body, "Over midnight"))
	}
	if strings.Contains(body, "The day before") || strings.Contains(body, ">Later<") {
		t.Error("other days are listed")
	}
	for query, want := range map[string]string{"on=2025-03-09": "Name the provider with the day", "provider=lumen-voice&on=9.3.2025": "Write the day like"} {
		if resp, body := get(t, server.URL+"/archive?"+query); resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: status %d", query, resp.StatusCode)
		}
	}
}
