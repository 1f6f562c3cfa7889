package web

import (
	"net/http"
	"time"

	"downwind"
)

type maintenanceView struct {
	// Provider narrows the list, empty: all; Calendar is the address of the list as a calendar.
	Provider, ProviderName, Calendar string
	Days                             []workDay
}

// A workDay holds the work that begins on one day, UTC.
type workDay struct {
	Day   time.Time
	Cards []card
}

// workFor reads the planned work, for one provider when the address names one.
func (s *Server) workFor(r *http.Request) (recs []downwind.IncidentRecord, provider downwind.Provider, err error) {
	var slugs []string
	if name := r.URL.Query().Get("provider"); name != "" {
		if provider, err = s.knownProvider(name); err != nil {
			return nil, provider, err
		}
		slugs = []string{provider.Slug}
	}
	recs, err = s.plannedWork(r.Context(), slugs, s.now())
	return recs, provider, err
}

func (s *Server) showMaintenance(w http.ResponseWriter, r *http.Request) error {
	recs, provider, err := s.workFor(r)
	if err != nil {
		return err
	}
	team, known, err := s.readerTeam(r)
	if err != nil {
		return err
	}
	var yours *downwind.Team
	if known && len(team.Stack.Providers) > 0 {
		yours = &team
	}
	data := &maintenanceView{Provider: provider.Slug, ProviderName: provider.Name, Calendar: "/maintenance.ics"}
	if provider.Slug != "" {
		data.Calendar += "?provider=" + provider.Slug
	}
	for _, c := range s.cards(recs, yours) {
		day := c.Began.Truncate(24 * time.Hour)
		if n := len(data.Days); n == 0 || !data.Days[n-1].Day.Equal(day) {
			data.Days = append(data.Days, workDay{Day: day})
		}
		last := &data.Days[len(data.Days)-1]
		c.InDay = !day.IsZero()
		last.Cards = append(last.Cards, c)
	}
	if form := formOf(r); form != "" {
		return s.writeMaintenanceForm(w, r, form, data)
	}
	v := s.view(r, "Maintenance", data)
	v.Description = countWord(len(recs), "piece of planned work is", "pieces of planned work are") + " known."
	v.Alternates = append(otherForms(r, "/maintenance"), alternate{"text/calendar", "Maintenance calendar", data.Calendar})
	return s.show(w, r, "maintenance.html", v)
}

func (s *Server) showMaintenanceCalendar(w http.ResponseWriter, r *http.Request) error {
	recs, provider, err := s.workFor(r)
	if err != nil {
		return err
	}
	name := "Maintenance"
	if provider.Name != "" {
		name = provider.Name + " maintenance"
	}
	return s.writeCalendar(w, r, name, recs)
}
