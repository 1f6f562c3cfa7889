package web

import (
	"fmt"
	"time"

	"downwind"
)

// heatDays is how far the heatmap looks back.
const heatDays = 90

// A heatmap is the last 90 days as a calendar: a table whose rows are weeks from Monday to Sunday.
type heatmap struct {
	Weeks []heatWeek
	// Incidents and Minutes are over all days, by the provider's page.
	Incidents int
	Minutes   time.Duration
	// Clear counts days without incidents.
	Clear, Days int
	// Ungraded says that a day's incidents state no impact.
	Ungraded bool
}

type heatWeek struct {
	Monday time.Time
	Days   []heatDay
	// Old weeks are left out on narrow screens.
	Old bool
}

type heatDay struct {
	Day time.Time
	// In says that the day is one of the 90; the others are empty cells.
	In        bool
	Incidents int
	Took      time.Duration
	Impact    downwind.Impact
	// Class colours the cell, Letter says the same without colour, Words in words.
	Class, Letter, Words string
	// Href leads to the day's incident when there is just one, else to the archive of the day.
	Href string
}

// drawHeatmap counts incidents and the time they took, by the page's clock, on every day.
func drawHeatmap(recs []downwind.IncidentRecord, now time.Time) *heatmap {
	today := now.Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, -(heatDays - 1))
	days := make([]heatDay, heatDays)
	for i := range days {
		days[i] = heatDay{Day: first.AddDate(0, 0, i), In: true, Impact: downwind.ImpactNone}
	}
	h := &heatmap{Days: heatDays}
	for i := range recs {
		rec := recs[i]
		inc := &rec.Incident
		if inc.Kind != downwind.KindIncident || !rec.Withdrawn.IsZero() {
			continue
		}
		from, to := began(rec), ended(inc)
		if to.IsZero() {
			to = now
		}
		if from.IsZero() || to.Before(first) {
			continue
		}
		h.Incidents++
		for d := max(0, int(from.Sub(first)/(24*time.Hour))); d < heatDays && !days[d].Day.After(to); d++ {
			day := &days[d]
			day.Incidents++
			day.Took += overlap(from, to, day.Day, day.Day.Add(24*time.Hour))
			if inc.Impact.Rank() > day.Impact.Rank() || day.Incidents == 1 {
				day.Impact = inc.Impact
			}
			day.Href = incidentPath(inc)
			if day.Incidents > 1 {
				day.Href = fmt.Sprintf("/archive?provider=%s&on=%s", inc.Provider, day.Day.Format("2006-01-02"))
			}
		}
	}
	for i := range days {
		days[i].describe()
		h.Minutes += days[i].Took
		h.Ungraded = h.Ungraded || days[i].Class == "hn"
		if days[i].Incidents == 0 {
			h.Clear++
		}
	}
	h.Weeks = weeks(days, first, today)
	return h
}

func overlap(a, b, from, to time.Time) time.Duration {
	if a.Before(from) {
		a = from
	}
	if b.After(to) {
		b = to
	}
	return max(0, b.Sub(a))
}

func (d *heatDay) describe() {
	if d.Incidents == 0 {
		d.Class, d.Words = "h0", "no incidents"
		return
	}
	d.Words = countWord(d.Incidents, "incident", "incidents") + ", " + spanWords(d.Took) + ", " + impactWord(d.Impact)
	switch d.Impact.Rank() {
	case 3:
		d.Class, d.Letter = "h3", "C"
	case 2:
		d.Class, d.Letter = "h2", "M"
	case 1:
		d.Class, d.Letter = "h1", "m"
	default:
		d.Class, d.Letter = "hn", "n"
	}
}

// weeks sorts the days into rows from Monday to Sunday, newest week last.
func weeks(days []heatDay, first, today time.Time) []heatWeek {
	monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	var out []heatWeek
	for ; !monday.After(today); monday = monday.AddDate(0, 0, 7) {
		w := heatWeek{Monday: monday, Old: monday.AddDate(0, 0, 6).Before(today.AddDate(0, 0, -29))}
		for i := range 7 {
			day := monday.AddDate(0, 0, i)
			n := int(day.Sub(first) / (24 * time.Hour))
			if day.Before(first) || n >= len(days) {
				w.Days = append(w.Days, heatDay{Day: day})
				continue
			}
			w.Days = append(w.Days, days[n])
		}
		out = append(out, w)
	}
	return out
}
