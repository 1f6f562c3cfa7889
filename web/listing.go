package web

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"sort"
	"strings"
	"time"

	"downwind"
)

// A card is one incident in a list.
type card struct {
	Rec          downwind.IncidentRecord
	Inc          *downwind.Incident
	ProviderName string
	// Began and Ended are the page's times; Ended is zero while it goes on.
	Began, Ended time.Time
	// Words is the beginning of the newest post.
	Words string
	// Components are the first few names; More counts the rest.
	Components []string
	More       int
	// Match is the judgement for the reader's team, nil where there is no team.
	Match *downwind.Match
	// SoFar is how long it has gone on when the page was made, zero for what is over.
	SoFar time.Duration
	// InDay says that the card stands under the heading of its day, so that the date need not be said again.
	InDay bool
}

// A badgeMark is the word before an incident in a list, with the class that colours it and words for those who only listen.
type badgeMark struct{ Word, Class, Hidden string }

// Badge is the state while it goes on; afterwards, when all are over, the impact tells more.
func (c card) Badge() badgeMark {
	if c.Inc.Kind != downwind.KindIncident || !c.Inc.Phase.Over() {
		return badgeMark{Word: phaseWord(c.Inc.Phase), Class: c.Tone()}
	}
	switch c.Inc.Impact.Rank() {
	case 3:
		return badgeMark{"critical", "past crit", "over, impact: "}
	case 2:
		return badgeMark{"major", "past major", "over, impact: "}
	case 1:
		if c.Inc.Impact == downwind.ImpactMinor {
			return badgeMark{"minor", "past minor", "over, impact: "}
		}
	}
	return badgeMark{"no grade", "past", "over, impact: "}
}

// Lasted is how long it went on by the page's clock, up to now for what is open.
func (c card) Lasted(now time.Time) time.Duration {
	end := c.Ended
	if end.IsZero() {
		end = now
	}
	if c.Began.IsZero() || end.Before(c.Began) {
		return 0
	}
	return end.Sub(c.Began)
}

// OneDay reports whether it ends on the day on which it begins.
func (c card) OneDay() bool { return c.Began.Format(time.DateOnly) == c.Ended.Format(time.DateOnly) }

// HitWord says in short what it does to the reader's team, empty where nothing.
func (c card) HitWord() string {
	switch {
	case c.Match == nil || !c.Match.Affected:
		return ""
	case c.Inc.Kind == downwind.KindMaintenance:
		return "touches you"
	case c.Inc.Phase.Over():
		return "hit you"
	}
	return "hits you"
}

// Tone is the class that colours it: the state decides once it is over, else the impact.
func (c card) Tone() string { return toneOf(c.Inc) }

func toneOf(inc *downwind.Incident) string {
	switch {
	case inc.Kind == downwind.KindMaintenance:
		return "work"
	case inc.Kind == downwind.KindNotice:
		return "calm"
	case inc.Phase.Over():
		return "ok"
	case inc.Phase == downwind.Monitoring:
		return "watch"
	}
	switch inc.Impact.Rank() {
	case 3:
		return "crit"
	case 2:
		return "major"
	}
	return "minor"
}

func (s *Server) card(rec downwind.IncidentRecord, team *downwind.Team) card {
	inc := &rec.Incident
	c := card{Rec: rec, Inc: inc, ProviderName: s.providerName(inc.Provider), Began: began(rec)}
	if inc.Kind == downwind.KindMaintenance {
		c.Began, c.Ended = inc.ScheduledFor, inc.ScheduledUntil
	} else if !inc.Open() {
		c.Ended = ended(inc)
	} else {
		c.SoFar = c.Lasted(s.now())
	}
	if u := inc.Latest(); u != nil {
		c.Words = clip(oneLine(u.Body), 220)
	}
	for _, comp := range inc.Components {
		if len(c.Components) == 3 {
			c.More = len(inc.Components) - 3
			break
		}
		c.Components = append(c.Components, oneLine(comp.Name))
	}
	if team != nil {
		m := s.opt.Judge(inc, team)
		c.Match = &m
	}
	return c
}

func (s *Server) cards(recs []downwind.IncidentRecord, team *downwind.Team) []card {
	out := make([]card, len(recs))
	for i, rec := range recs {
		out[i] = s.card(rec, team)
	}
	return out
}

// newestFirst sorts by when the page says they began. The archive lists by first sight, and the whole history of a page is
// first seen at once.
func newestFirst(recs []downwind.IncidentRecord) {
	sort.SliceStable(recs, func(i, j int) bool { return began(recs[i]).After(began(recs[j])) })
}

// began is when the page says it began, else its first post, else our first sight.
func began(rec downwind.IncidentRecord) time.Time {
	inc := &rec.Incident
	if !inc.StartedAt.IsZero() {
		return inc.StartedAt
	}
	for _, u := range inc.Updates {
		if !u.PostedAt.IsZero() {
			return u.PostedAt
		}
	}
	return rec.FirstSeen
}

// ended is when the page says it ended, else when the first post said that it was over; zero while open.
func ended(inc *downwind.Incident) time.Time {
	if !inc.ResolvedAt.IsZero() {
		return inc.ResolvedAt
	}
	for _, u := range inc.Updates {
		if u.Phase.Over() {
			return u.PostedAt
		}
	}
	return time.Time{}
}

func (s *Server) providerName(slug string) string {
	if p, ok := s.opt.Catalog.Provider(slug); ok && p.Name != "" {
		return p.Name
	}
	return slug
}

// homeTeam is the installation's home team. Where no public address is configured it is shown under addresses of this
// machine only: another name that leads here may be a foreign site's, made to read what is shown without a sign-in.
func (s *Server) homeTeam(r *http.Request) string {
	if s.base != nil {
		return s.opt.HomeTeam
	}
	host := (&url.URL{Host: originOf(r).host}).Hostname()
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return ""
	}
	return s.opt.HomeTeam
}

// readerTeam is the team of the session, else the installation's home team; ok is false where there is neither.
func (s *Server) readerTeam(r *http.Request) (team downwind.Team, ok bool, err error) {
	id := s.homeTeam(r)
	if who := sessionOf(r); who != nil && who.Team != "" {
		id = who.Team
	}
	if id == "" {
		return downwind.Team{}, false, nil
	}
	team, err = s.opt.Reader.Team(r.Context(), id)
	if isMissing(err) {
		return downwind.Team{}, false, nil
	}
	return team, err == nil, err
}

// open lists what is going on, the worst first.
func (s *Server) openIncidents(ctx context.Context, provider string) ([]downwind.IncidentRecord, error) {
	yes := true
	recs, err := s.opt.Reader.Incidents(ctx, downwind.IncidentFilter{Provider: provider, Open: &yes, Limit: 300})
	if err != nil {
		return nil, err
	}
	var out []downwind.IncidentRecord
	for _, rec := range recs {
		if rec.Withdrawn.IsZero() && rec.Incident.Open() {
			out = append(out, rec)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i].Incident, &out[j].Incident
		if x, y := a.Phase == downwind.Monitoring, b.Phase == downwind.Monitoring; x != y {
			return y
		}
		return a.Impact.Rank() > b.Impact.Rank()
	})
	return out, nil
}
