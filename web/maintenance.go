package web

import (
	"context"
	"net/http"
	"sort"
	"sync"
	"time"

	"downwind"
)

type maintenanceView struct {
	// Provider narrows the list, empty: all; Calendar is the address of the list as a calendar.
	Provider, ProviderName, Calendar string
	Days                             []workDay
	// Later counts what is not listed, because it lies too far ahead.
	Later int
}

// workShown bounds the work that the page lists; the calendar has all of it.
const workShown = 60

// A workDay holds the work that begins on one day, UTC.
type workDay struct {
	Day   time.Time
	Cards []card
}

// plannedFor is how long a reading of the planned work is good for where nothing was published in between.
const plannedFor = 15 * time.Second

// A plannedList keeps the planned work of all providers for a moment: most maintenance in the archive is long over, and
// finding the rest means reading it.
type plannedList struct {
	mu     sync.Mutex
	newest string
	until  time.Time
	recs   []downwind.IncidentRecord
}

// allPlanned lists the planned work of all providers; the list is shared and must not be changed.
func (s *Server) allPlanned(ctx context.Context, now time.Time) ([]downwind.IncidentRecord, error) {
	newest, err := s.newestItem(ctx)
	if err != nil {
		return nil, err
	}
	l := &s.planned
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest == newest && now.Before(l.until) {
		return l.recs, nil
	}
	recs, err := s.plannedWork(ctx, nil, now)
	if err == nil {
		l.recs, l.newest, l.until = recs, newest, now.Add(plannedFor)
	}
	return recs, err
}

// plannedWork reads maintenance that has not ended, the next first; of all providers when none is named.
func (s *Server) plannedWork(ctx context.Context, providers []string, now time.Time) ([]downwind.IncidentRecord, error) {
	filter := downwind.IncidentFilter{Kind: downwind.KindMaintenance, Providers: providers, Limit: 500}
	recs, err := s.opt.Reader.Incidents(ctx, filter)
	if err != nil {
		return nil, err
	}
	var out []downwind.IncidentRecord
	for _, rec := range recs {
		inc := &rec.Incident
		stale := !inc.ScheduledUntil.IsZero() && inc.ScheduledUntil.Before(now.Add(-48*time.Hour))
		if inc.Kind == downwind.KindMaintenance && !inc.Phase.Over() && rec.Withdrawn.IsZero() && !stale {
			out = append(out, rec)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Incident.ScheduledFor.Before(out[j].Incident.ScheduledFor) })
	return out, nil
}

// workFor reads the planned work, for one provider when the address names one.
func (s *Server) workFor(r *http.Request) (recs []downwind.IncidentRecord, provider downwind.Provider, err error) {
	name := r.URL.Query().Get("provider")
	if name == "" {
		recs, err = s.allPlanned(r.Context(), s.now())
		return recs, provider, err
	}
	if provider, err = s.knownProvider(name); err != nil {
		return nil, provider, err
	}
	recs, err = s.plannedWork(r.Context(), []string{provider.Slug}, s.now())
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
	form := formOf(r)
	if form == "" && len(recs) > workShown {
		recs, data.Later = recs[:workShown], len(recs)-workShown
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
	if form != "" {
		return s.writeMaintenanceForm(w, r, form, data)
	}
	v := s.view(r, "Maintenance", data)
	v.Description = countWord(len(recs)+data.Later, "piece of planned work is", "pieces of planned work are") + " known."
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
