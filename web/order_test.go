package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// TestHistoryReadAtOnceIsInOrder gives a provider whose whole history was first seen at one instant, as at first contact.
func TestHistoryReadAtOnceIsInOrder(t *testing.T) {
	server, _ := site(t, func(o *web.Options) {
		store := o.Reader.(*webtest.Store)
		for i, days := range []int{40, 3, 77, 12, 55, 8} {
			at := o.Clock.Now().AddDate(0, 0, -days)
			store.Records = append(store.Records, downwind.IncidentRecord{FirstSeen: o.Clock.Now(), ChangedAt: o.Clock.Now(), Versions: 1, Incident: downwind.Incident{
				Provider: "halyard-dns", ID: fmt.Sprint(i), Kind: downwind.KindIncident, Title: fmt.Sprintf("Ago %02d", days), Phase: downwind.Resolved, Impact: downwind.ImpactMinor,
				StartedAt: at, ResolvedAt: at.Add(time.Hour), Updates: []downwind.Update{{ID: "u", Phase: downwind.Resolved, PostedAt: at.Add(time.Hour)}},
			}})
		}
	})
	ago := regexp.MustCompile(`Ago (\d\d)`)
	_, page := get(t, server.URL+"/providers/halyard-dns")
	resp, result := postFiles(t, server.URL+"/stack", map[string]string{"text": "halyard-dns"})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("check: status %d", resp.StatusCode)
	}
	for name, body := range map[string]string{"provider": page, "stack check": result} {
		var got []string
		for _, m := range ago.FindAllStringSubmatch(body, -1) {
			if !slices.Contains(got, m[1]) {
				got = append(got, m[1])
			}
		}
		if want := []string{"03", "08", "12", "40", "55", "77"}; !slices.Equal(got, want) {
			t.Errorf("%s: days ago %v, want %v", name, got, want)
		}
	}
}
