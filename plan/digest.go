package plan

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"downwind"
)

// Due tells when a destination's digest was last due at or before now, in UTC; false for one without a digest. Daily
// digests are due at DigestAt (08:00) of the destination's zone, weekly ones on Mondays.
func Due(d *downwind.Destination, now time.Time) (time.Time, bool) {
	if d.Digest != "daily" && d.Digest != "weekly" {
		return time.Time{}, false
	}
	at := lastAt(d, d.DigestAt, "08:00", now)
	if d.Digest == "weekly" {
		for at.In(zoneOf(d)).Weekday() != time.Monday {
			at = lastAt(d, d.DigestAt, "08:00", at.Add(-time.Minute))
		}
	}
	return at, true
}

// QuietEnd tells when a destination's quiet hours last ended at or before now, in UTC; false for one without any.
func QuietEnd(d *downwind.Destination, now time.Time) (time.Time, bool) {
	_, to, ok := strings.Cut(d.Quiet, "-")
	if !ok {
		return time.Time{}, false
	}
	return lastAt(d, to, to, now), true
}

func zoneOf(d *downwind.Destination) *time.Location {
	if z, err := time.LoadLocation(d.Timezone); err == nil && d.Timezone != "" {
		return z
	}
	return time.UTC
}

// lastAt is the newest instant at or before now at which the destination's clocks show hh:mm.
func lastAt(d *downwind.Destination, hhmm, fallback string, now time.Time) time.Time {
	t, err := time.Parse("15:04", hhmm)
	if err != nil {
		if t, err = time.Parse("15:04", fallback); err != nil {
			return now
		}
	}
	local := now.In(zoneOf(d))
	at := time.Date(local.Year(), local.Month(), local.Day(), t.Hour(), t.Minute(), 0, 0, local.Location())
	if at.After(now) {
		at = time.Date(local.Year(), local.Month(), local.Day()-1, t.Hour(), t.Minute(), 0, 0, local.Location())
	}
	return at.UTC()
}

// Digest sums up what was held back and what was told in a period. Titles in it are provider text.
func Digest(period string, holds []downwind.Hold, told int, records map[string]downwind.IncidentRecord) downwind.Announcement {
	a := downwind.Announcement{Title: "Digest: " + period}
	if told > 0 {
		a.Lines = append(a.Lines, plural(told, "incident was", "incidents were")+" told here.")
	}
	byIncident := map[string][]downwind.Hold{}
	for _, h := range holds {
		if _, id, ok := strings.Cut(h.Incident, "/"); ok && id != "" {
			byIncident[h.Incident] = append(byIncident[h.Incident], h)
		}
	}
	var quiet []string
	untouched := 0
	for key, hs := range byIncident {
		if !worthALine(hs) {
			untouched++
			continue
		}
		quiet = append(quiet, key)
	}
	sort.Strings(quiet)
	for _, key := range quiet {
		a.Lines = append(a.Lines, digestLine(key, byIncident[key], records))
	}
	if untouched > 0 {
		a.Lines = append(a.Lines, plural(untouched, "incident at your providers", "incidents at your providers")+" did not touch you; ask /feed why to see the reasons.")
	}
	if len(a.Lines) == 0 {
		a.Lines = []string{"Nothing happened at your providers."}
		a.Good = true
	}
	return a
}

// worthALine reports whether a held incident is told one by one: what hits the team but was kept quiet.
func worthALine(holds []downwind.Hold) bool {
	return slices.ContainsFunc(holds, func(h downwind.Hold) bool {
		switch h.Reason {
		case downwind.HeldQuiet, downwind.HeldDashboard, downwind.HeldMuted, downwind.HeldSeverity, downwind.HeldDigest, downwind.HeldKinds:
			return true
		}
		return false
	})
}

func digestLine(key string, holds []downwind.Hold, records map[string]downwind.IncidentRecord) string {
	provider, _, _ := strings.Cut(key, "/")
	last := holds[0]
	for _, h := range holds {
		if h.At.After(last.At) {
			last = h
		}
	}
	title, state := key, ""
	if rec, ok := records[key]; ok {
		title, state = rec.Incident.Title, " ("+strings.ReplaceAll(string(rec.Incident.Phase), "_", " ")+")"
	}
	return fmt.Sprintf("%s: %s%s. Held: %s", provider, title, state, last.Text)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
