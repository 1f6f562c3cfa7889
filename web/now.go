package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	"downwind"
)

func isMissing(err error) bool { return errors.Is(err, downwind.ErrNotFound) }

// sourceCount counts the sources by state.
type sourceCount struct {
	Fresh, Stale, Unreadable, Moved, Waiting, Total int
	// LastRead is the newest reading of any source.
	LastRead time.Time
}

// A sourceRow is a source that cannot be trusted at the moment.
type sourceRow struct {
	downwind.Source
	Name string
	// Why is the newest failure in a sentence's length.
	Why string
}

type nowView struct {
	// Team is the name of the team whose stack decides; empty: nobody's.
	Team string
	// HasStack says that the team has told what it runs on.
	HasStack bool
	// Yours hit the team's stack; Others is the rest of what is open.
	Yours, Others []card
	// More are others that are listed in brief; Unlisted those that the page only counts.
	More, Unlisted []card
	// Ended were resolved in the last day; Work begins within two days or is going on.
	Ended, Work []card
	Sources     sourceCount
	// Unread are the sources that are stale, unreadable or have moved.
	Unread []sourceRow
	// Notes concern the installation itself and are shown to those who have signed in.
	Notes []downwind.Note
}

func (s *Server) nowView(r *http.Request) (*nowView, error) {
	ctx, now := r.Context(), s.now()
	team, known, err := s.readerTeam(r)
	if err != nil {
		return nil, err
	}
	var yours *downwind.Team
	v := &nowView{}
	if known {
		v.Team, v.HasStack = team.Name, len(team.Stack.Providers) > 0
		if v.HasStack {
			yours = &team
		}
	}
	open, err := s.openIncidents(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, c := range s.cards(open, yours) {
		if c.Match != nil && c.Match.Affected {
			v.Yours = append(v.Yours, c)
		} else {
			v.Others = append(v.Others, c)
		}
	}
	v.shorten()
	if v.Ended, err = s.lately(r, yours, now); err != nil {
		return nil, err
	}
	work, err := s.allPlanned(ctx, now)
	if err != nil {
		return nil, err
	}
	for _, rec := range work {
		if inc := &rec.Incident; inc.Phase == downwind.Scheduled && inc.ScheduledFor.Before(now.Add(48*time.Hour)) && len(v.Work) < 8 {
			v.Work = append(v.Work, s.card(rec, yours))
		}
	}
	sources, err := s.opt.Reader.Sources(ctx)
	if err != nil {
		return nil, err
	}
	v.Sources, v.Unread = s.countSources(sources)
	if sessionOf(r) != nil {
		notes, err := s.opt.Reader.Notes(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			if n.Ended.IsZero() {
				v.Notes = append(v.Notes, n)
			}
		}
	}
	return v, nil
}

// How many open incidents at others are shown in full, and how many more in a line each.
const (
	othersFull  = 12
	othersBrief = 40
)

// shorten keeps the page readable on a bad day: the worst come first.
func (v *nowView) shorten() {
	if len(v.Others) <= othersFull {
		return
	}
	v.Others, v.More = v.Others[:othersFull], v.Others[othersFull:]
	if len(v.More) > othersBrief {
		v.More, v.Unlisted = v.More[:othersBrief], v.More[othersBrief:]
	}
}

// Open counts all that is open.
func (v *nowView) Open() int { return len(v.Yours) + v.Elsewhere() }

// Elsewhere counts what is open and does not hit the reader's team.
func (v *nowView) Elsewhere() int { return len(v.Others) + len(v.More) + len(v.Unlisted) }

// lately lists what ended within a day.
func (s *Server) lately(r *http.Request, team *downwind.Team, now time.Time) ([]card, error) {
	no := false
	recs, err := s.opt.Reader.Incidents(r.Context(), downwind.IncidentFilter{Open: &no, Kind: downwind.KindIncident, Limit: 60})
	if err != nil {
		return nil, err
	}
	var out []card
	for _, rec := range recs {
		at := ended(&rec.Incident)
		if !rec.Withdrawn.IsZero() || at.IsZero() || at.Before(now.Add(-24*time.Hour)) {
			continue
		}
		out = append(out, s.card(rec, team))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Ended.After(out[j].Ended) })
	return out[:min(len(out), 12)], nil
}

func (s *Server) countSources(sources []downwind.Source) (sourceCount, []sourceRow) {
	var n sourceCount
	var rows []sourceRow
	for _, src := range sources {
		n.Total++
		if src.LastRead.After(n.LastRead) {
			n.LastRead = src.LastRead
		}
		switch {
		case src.LastTried.IsZero() && src.LastRead.IsZero():
			n.Waiting++
			continue
		case src.State == downwind.SourceFresh:
			n.Fresh++
			continue
		case src.State == downwind.SourceStale:
			n.Stale++
		case src.State == downwind.SourceMoved:
			n.Moved++
		default:
			n.Unreadable++
		}
		rows = append(rows, s.sourceRow(src))
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Wanted != rows[j].Wanted {
			return rows[i].Wanted
		}
		return rows[i].Name < rows[j].Name
	})
	return n, rows
}

func (s *Server) sourceRow(src downwind.Source) sourceRow {
	return sourceRow{Source: src, Name: s.providerName(src.Provider), Why: clip(oneLine(src.Error), 160)}
}

func (s *Server) showNow(w http.ResponseWriter, r *http.Request) error {
	data, err := s.nowView(r)
	if err != nil {
		return err
	}
	v := s.view(r, "Now", data)
	v.Nav = "now"
	v.Description = nowSentence(data)
	v.Alternates = []alternate{
		{"application/rss+xml", "All providers", "/feed"},
		{"application/json", "This page as JSON", "/now.json"},
		{"text/markdown", "This page as Markdown", "/now.md"},
	}
	return s.show(w, r, "now.html", v)
}

// nowSentence sums the page up for previews and screen readers.
func nowSentence(v *nowView) string {
	text := countWord(v.Open(), "incident is", "incidents are") + " open"
	if v.Team != "" && v.HasStack {
		text += fmt.Sprintf(", %d of them at what %s uses", len(v.Yours), v.Team)
	}
	if n := len(v.Unread); n > 0 {
		text += "; " + countWord(n, "source cannot", "sources cannot") + " be trusted at the moment"
	}
	return text + "."
}

func (s *Server) showNowJSON(w http.ResponseWriter, r *http.Request) error {
	v, err := s.nowView(r)
	if err != nil {
		return err
	}
	out := nowJSON{Schema: "downwind.now/v1", At: stamp(s.now()), Incidents: []incidentSummary{}, Sources: []sourceJSON{}}
	for _, c := range slices.Concat(v.Yours, v.Others, v.More, v.Unlisted) {
		out.Incidents = append(out.Incidents, s.summary(r, c.Rec))
	}
	for _, row := range v.Unread {
		out.Sources = append(out.Sources, sourceOut(row.Source))
	}
	return writeJSON(w, r, out)
}

type nowJSON struct {
	Schema    string            `json:"schema"`
	At        stamp             `json:"at"`
	Incidents []incidentSummary `json:"incidents"`
	// Sources are those that are not fresh.
	Sources []sourceJSON `json:"sources_not_fresh"`
}

func (s *Server) showNowMarkdown(w http.ResponseWriter, r *http.Request) error {
	v, err := s.nowView(r)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Now\n\n%s\n", mdText(nowSentence(v)))
	s.mdCards(&b, r, "Hits you", v.Yours)
	s.mdCards(&b, r, "Open", slices.Concat(v.Others, v.More, v.Unlisted))
	s.mdCards(&b, r, "Ended in the last day", v.Ended)
	s.mdCards(&b, r, "Planned work", v.Work)
	if len(v.Unread) > 0 {
		b.WriteString("\n## Cannot be trusted at the moment\n\n")
		for _, row := range v.Unread {
			fmt.Fprintf(&b, "- %s: %s, last read %s\n", mdText(row.Name), row.State, orNever(row.LastRead))
		}
	}
	return answer(w, r, "text/markdown; charset=utf-8", []byte(b.String()))
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return isoTime(t)
}
