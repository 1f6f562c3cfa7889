package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/app/demo"
)

// TestSilentSource: the demo's page had something every week and then nothing for a third of a year.
func TestSilentSource(t *testing.T) {
	v := newVillage(t, nil)
	v.until(hour(15, 0))
	var versions []downwind.Version
	for i := range 9 {
		at := hour(12, 0).AddDate(0, 0, -7*(i+1))
		in := downwind.Incident{
			Provider: demo.Slug, ID: fmt.Sprintf("old%d", i), Kind: downwind.KindIncident, Title: "Something", Phase: downwind.Resolved, StartedAt: at, ResolvedAt: at.Add(time.Hour),
		}
		versions = append(versions, downwind.Version{Provider: demo.Slug, Incident: in.ID, SeenAt: v.clock.Now(), State: in})
	}
	if err := v.app.Store().Apply(t.Context(), downwind.Plan{Provider: demo.Slug, At: v.clock.Now(), Versions: versions}); err != nil {
		t.Fatal(err)
	}
	heard := func() (list []string) {
		for _, text := range v.texts("C0OPERATOR") {
			if strings.Contains(text, "told nothing new") || strings.Contains(text, "tells news again") {
				list = append(list, text)
			}
		}
		return list
	}
	for _, d := range []int{20, 120, 121, 122} {
		v.clock.Set(hour(12, 0).AddDate(0, 0, d))
		v.until(v.clock.Now().Add(2 * time.Minute))
		if got := len(heard()); got != min(1, d/100) {
			t.Errorf("day %d: heard %d times: %q", d, got, heard())
		}
	}
	if got := strings.Join(heard(), "\n"); !strings.Contains(got, "Nimbus Relay has told nothing new for 120 days; its longest pause before was 7 days.") {
		t.Errorf("told %q", got)
	}
}
