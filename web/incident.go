package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind"
)

// incidentPath is the path of an incident's page.
func incidentPath(inc *downwind.Incident) string {
	return "/incidents/" + url.PathEscape(inc.Provider) + "/" + url.PathEscape(inc.ID)
}

type incidentView struct {
	card
	Guide downwind.Guidance
	Line  *timeline
	// Replay are the periods to copy, the one to paste first.
	Replay []replayPeriod
	// Guess says that the periods come from the page's clock, not from words.
	Guess bool
	// Posts are the updates, newest first.
	Posts []post
	// Versions are the archived states, newest first.
	Versions []versionRow
	Edits    int
	// Why are the lines of the team's stack; Team its name, empty without.
	Why   []downwind.Reason
	Team  string
	Path  string
	Feed  string
	Proof string
	// Mine marks the components that the team's stack uses.
	Mine map[string]bool
}

type post struct {
	downwind.Update
	Number int
	// SeenAt is when we first read this post, zero where not known.
	SeenAt time.Time
	Edited bool
	// After is the time since the first post.
	After time.Duration
}

type versionRow struct {
	Number   int
	SeenAt   time.Time
	LastSeen time.Time
	Words    string
	Silent   bool
	Leaf     int64
	Hash     string
}

// A replayPeriod is one period in the forms that people paste.
type replayPeriod struct {
	Label        string
	Start, End   time.Time
	ISO, SQL     string
	Epoch        string
	Length       time.Duration
	Main, Approx bool
	// Local is the period on the clocks of the reader's team, empty where these show UTC.
	Local         string
	Evidence      string
	EvidenceStart string
}

// newReplay writes a closed period in all forms; ok is false while a bound is open.
func newReplay(label string, p downwind.Period) (replayPeriod, bool) {
	if p.Start.IsZero() || p.End.IsZero() || p.End.Before(p.Start) {
		return replayPeriod{}, false
	}
	a, b := isoTime(p.Start), isoTime(p.End)
	return replayPeriod{
		Label: label, Start: p.Start, End: p.End, ISO: a + "/" + b,
		SQL:   "BETWEEN '" + a + "' AND '" + b + "'",
		Epoch: fmt.Sprintf("%d %d", p.Start.Unix(), p.End.Unix()), Length: p.End.Sub(p.Start),
	}, true
}

// replayPeriods lists the padded periods first, then each window as stated.
func replayPeriods(g downwind.Guidance) (out []replayPeriod, guess bool) {
	switch {
	case g.Padded != nil:
		for _, paste := range g.ToPaste() {
			if p, ok := newReplay("To paste, with a margin", paste); ok {
				p.Main = true
				out = append(out, p)
			}
		}
	case g.PageGuess != nil:
		if p, ok := newReplay("A guess from the page's clock, with a margin", *g.PageGuess); ok {
			p.Main, guess = true, true
			out = append(out, p)
		}
	}
	said := ""
	for _, w := range g.Windows {
		if w.Source != downwind.FromProse {
			continue
		}
		label := "As stated"
		if w.Scope != "" {
			label += ": " + oneLine(w.Scope)
		}
		p, ok := newReplay(label, downwind.Period{Start: w.Start, End: w.End})
		if !ok {
			continue
		}
		p.Approx, p.Evidence, p.EvidenceStart = w.Approx, oneLine(w.Text), oneLine(w.StartFrom)
		if said == p.Evidence {
			p.Evidence = "" // one sentence often states several periods; it stands above already
		} else {
			said = p.Evidence
		}
		out = append(out, p)
	}
	return out, guess
}

// localTimes adds the team's own clocks to the periods, beside UTC.
func localTimes(periods []replayPeriod, zone string) {
	at, err := time.LoadLocation(zone)
	if err != nil || zone == "" || at == time.UTC {
		return
	}
	for i := range periods {
		p := &periods[i]
		a, b := p.Start.In(at), p.End.In(at)
		end := b.Format("15:04")
		if a.Format(time.DateOnly) != b.Format(time.DateOnly) {
			end = b.Format("2 Jan, 15:04")
		}
		p.Local = a.Format("2 Jan, 15:04") + " to " + end + " " + b.Format("MST")
	}
}

// findIncident reads the record and splits a format off the id ("abc.json"), unless an incident has just that id.
func (s *Server) findIncident(r *http.Request) (rec downwind.IncidentRecord, format string, err error) {
	slug, id := r.PathValue("provider"), r.PathValue("id")
	if p, ok := s.opt.Catalog.Lookup(slug); ok {
		slug = p.Slug
	}
	rec, err = s.opt.Reader.Incident(r.Context(), slug, id)
	if err == nil || !isMissing(err) {
		return rec, "", err
	}
	for _, ext := range []string{".md", ".json", ".ics"} {
		if short, ok := strings.CutSuffix(id, ext); ok && short != "" {
			rec, err = s.opt.Reader.Incident(r.Context(), slug, short)
			return rec, ext, err
		}
	}
	return rec, "", err
}

func (s *Server) showIncident(w http.ResponseWriter, r *http.Request) error {
	rec, format, err := s.findIncident(r)
	if err != nil {
		return err
	}
	versions, err := s.opt.Reader.Versions(r.Context(), rec.Incident.Provider, rec.Incident.ID)
	if err != nil {
		return err
	}
	switch format {
	case ".json":
		return s.writeIncidentJSON(w, r, rec)
	case ".md":
		return s.writeIncidentMarkdown(w, r, rec)
	case ".ics":
		return s.writeIncidentCalendar(w, r, rec)
	}
	data, err := s.incidentView(r, rec, versions)
	if err != nil {
		return err
	}
	inc := &rec.Incident
	v := s.view(r, data.ProviderName+": "+oneLine(inc.Title), data)
	v.Nav, v.Modified, v.Card = "archive", rec.ChangedAt, data.Path+"/card.png"
	v.Description = incidentSentence(data)
	v.Alternates = []alternate{
		{"application/json", "JSON", data.Path + ".json"},
		{"text/markdown", "Markdown", data.Path + ".md"},
		{"text/calendar", "Calendar", data.Path + ".ics"},
		{"application/rss+xml", data.ProviderName, data.Feed},
	}
	return s.show(w, r, "incident.html", v)
}

func (s *Server) incidentView(r *http.Request, rec downwind.IncidentRecord, versions []downwind.Version) (*incidentView, error) {
	team, known, err := s.readerTeam(r)
	if err != nil {
		return nil, err
	}
	inc := &rec.Incident
	var yours *downwind.Team
	var use *downwind.Use
	if known && len(team.Stack.Providers) > 0 {
		yours, use = &team, team.Stack.Use(inc.Provider)
	}
	v := &incidentView{card: s.card(rec, yours), Path: incidentPath(inc), Feed: "/feed?provider=" + url.QueryEscape(inc.Provider), Mine: map[string]bool{}}
	v.Guide = s.opt.Explain(rec, use)
	v.Line = drawTimeline(rec, v.Guide, s.now())
	v.Replay, v.Guess = replayPeriods(v.Guide)
	localTimes(v.Replay, team.Timezone)
	if v.Match != nil {
		v.Team = team.Name
		for _, name := range v.Match.Components {
			v.Mine[downwind.Fold(name)] = true
		}
		v.Why = v.Match.Why
		if sessionOf(r) == nil && s.homeTeam(r) == "" {
			v.Why = nil
		}
	}
	v.Posts = posts(inc, versions)
	for _, version := range versions {
		row := versionRow{
			Number: version.Number, SeenAt: version.SeenAt, LastSeen: version.LastSeen, Leaf: version.Leaf, Hash: version.Hash,
			Words: changesWords(version.Changes),
		}
		for _, c := range version.Changes {
			row.Silent = row.Silent || c.Silent
		}
		if row.Silent {
			v.Edits++
		}
		v.Versions = append([]versionRow{row}, v.Versions...)
	}
	if s.opt.Bundle != nil && rec.VersionID != 0 {
		v.Proof = bundlePath(inc, rec.VersionID)
	}
	return v, nil
}

// Card is the incident as lists show it.
func (v *incidentView) Card() card { return v.card }

// Uses reports whether the reader's team uses a component of that name.
func (v *incidentView) Uses(name string) bool { return v.Mine[downwind.Fold(name)] }

// posts numbers the updates and tells when each was first read, newest first.
func posts(inc *downwind.Incident, versions []downwind.Version) []post {
	seen := map[string]time.Time{}
	for _, v := range versions {
		for _, u := range v.State.Updates {
			if _, ok := seen[u.ID]; !ok {
				seen[u.ID] = v.SeenAt
			}
		}
	}
	edited := map[string]bool{}
	for _, v := range versions {
		for _, c := range v.Changes {
			if c.Kind == downwind.ChangeEdit && c.Update != "" {
				edited[c.Update] = true
			}
		}
	}
	out := make([]post, 0, len(inc.Updates))
	for i := len(inc.Updates) - 1; i >= 0; i-- {
		u := inc.Updates[i]
		p := post{Update: u, Number: i + 1, SeenAt: seen[u.ID], Edited: edited[u.ID] || !u.EditedAt.IsZero()}
		if first := inc.Updates[0].PostedAt; i > 0 && !first.IsZero() && u.PostedAt.After(first) {
			p.After = u.PostedAt.Sub(first)
		}
		out = append(out, p)
	}
	return out
}

// changesWords names what made a version: "update, components".
func changesWords(changes []downwind.Change) string {
	var words []string
	seen := map[string]bool{}
	for _, c := range changes {
		word := kindWord(c.Kind)
		switch {
		case c.Kind == downwind.ChangeEdit && c.Field != "":
			word = fieldWord(c.Field) + " edited"
			if c.Silent {
				word += " silently"
			}
			if c.AfterEnd {
				word += " after the end"
			}
		case c.Field == "scope", c.Field == "schedule":
			word = c.Field
		}
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "read"
	}
	return strings.Join(words, ", ")
}

// incidentSentence sums an incident up for previews: state, periods, the first thing to do.
func incidentSentence(v *incidentView) string {
	parts := []string{v.ProviderName + " reports: " + phaseWord(v.Inc.Phase) + ", " + impactWord(v.Inc.Impact) + "."}
	var stated []string
	for _, w := range v.Guide.Windows {
		if w.Source == downwind.FromProse {
			stated = append(stated, periodWords(w.Start, w.End))
		}
	}
	if len(stated) > 0 {
		parts = append(parts, "Requests may have failed "+strings.Join(stated, "; ")+".")
	}
	if len(v.Guide.Advice) > 0 {
		parts = append(parts, "Do: "+oneLine(v.Guide.Advice[0]))
	}
	return clip(strings.Join(parts, " "), 300)
}
