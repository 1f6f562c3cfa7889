package web

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"

	"downwind"
)

const archivePage = 50

type archiveView struct {
	Query, Provider, Kind, On, ProviderName string
	Days                                    []workDay
	Count                                   int
	// Next is the address of the following page, empty on the last.
	Next string
	// Providers fill the choice of the form.
	Providers []downwind.Provider
}

func (s *Server) showArchive(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	data := &archiveView{Query: clip(strings.TrimSpace(q.Get("q")), 200), Kind: q.Get("kind"), On: q.Get("on")}
	filter := downwind.IncidentFilter{Query: data.Query, Before: q.Get("before"), Limit: archivePage + 1}
	switch kind := downwind.Kind(data.Kind); kind {
	case downwind.KindIncident, downwind.KindMaintenance, downwind.KindNotice:
		filter.Kind = kind
	case "":
	default:
		return refuse(http.StatusBadRequest, "The kind is incident, maintenance or notice.")
	}
	if name := strings.TrimSpace(q.Get("provider")); name != "" {
		p, err := s.knownProvider(name)
		if err != nil {
			return err
		}
		data.Provider, data.ProviderName, filter.Provider = p.Slug, p.Name, p.Slug
	}
	var on time.Time
	if data.On != "" {
		var err error
		if on, err = time.Parse("2006-01-02", data.On); err != nil {
			return refuse(http.StatusBadRequest, "Write the day like 2026-11-30.")
		}
		if filter.Provider == "" {
			return refuse(http.StatusBadRequest, "Name the provider with the day: /archive?provider=SLUG&on=%s.", data.On)
		}
		filter.Limit = 0
	}
	recs, err := s.archived(r.Context(), filter)
	if err != nil {
		return err
	}
	if on.IsZero() && len(recs) > archivePage {
		recs = recs[:archivePage]
		q.Set("before", recs[archivePage-1].Cursor)
		data.Next = "/archive?" + q.Encode()
	}
	cards := s.cards(recs, nil)
	sort.SliceStable(cards, func(i, j int) bool { return cards[i].Began.After(cards[j].Began) })
	for _, c := range cards {
		if !on.IsZero() && !touches(c, on) {
			continue
		}
		data.Count++
		day := c.Began.Truncate(24 * time.Hour)
		if n := len(data.Days); n == 0 || !data.Days[n-1].Day.Equal(day) {
			data.Days = append(data.Days, workDay{Day: day})
		}
		last := &data.Days[len(data.Days)-1]
		c.InDay = !day.IsZero()
		last.Cards = append(last.Cards, c)
	}
	if form := formOf(r); form != "" {
		return s.writeArchiveForm(w, r, form, data)
	}
	data.Providers = s.opt.Catalog.All()
	if len(data.Providers) > 60 {
		data.Providers = nil
	}
	v := s.view(r, "Archive", data)
	v.Description = "Every version of everything that providers said of their incidents."
	v.NoIndex = v.NoIndex || r.URL.RawQuery != ""
	v.Alternates = otherForms(r, "/archive")
	return s.show(w, r, "archive.html", v)
}

// archived lists what a filter selects; without a limit all of it, page by page: the order is by first sight, which says
// nothing of the day on which an incident was.
func (s *Server) archived(ctx context.Context, filter downwind.IncidentFilter) ([]downwind.IncidentRecord, error) {
	if filter.Limit > 0 {
		return s.opt.Reader.Incidents(ctx, filter)
	}
	filter.Limit = 500
	var all []downwind.IncidentRecord
	for {
		recs, err := s.opt.Reader.Incidents(ctx, filter)
		if err != nil {
			return nil, err
		}
		all = append(all, recs...)
		if len(recs) < filter.Limit {
			return all, nil
		}
		filter.Before = recs[len(recs)-1].Cursor
	}
}

// touches reports whether an incident went on during a day.
func touches(c card, day time.Time) bool {
	end := c.Ended
	if end.IsZero() {
		end = c.Began
	}
	if c.Inc.Open() {
		end = day.Add(24 * time.Hour)
	}
	return c.Began.Before(day.Add(24*time.Hour)) && !end.Before(day)
}

type versionView struct {
	Inc          *downwind.Incident
	ProviderName string
	Path         string
	Version      downwind.Version
	// Before is the version this one is compared with, nil for the first.
	Before *downwind.Version
	// Older and Newer are the numbers of the neighbours, zero without.
	Older, Newer int
	Total        int
	// Side shows old and new beside each other instead of in one text.
	Side bool
	// Facts are the fields that changed, Posts the updates that did; Kept counts those that did not.
	Facts  []factChange
	Posts  []postChange
	Kept   int
	What   string
	Silent bool
	// Steps says that the two are neighbours; Proof is the address of the proof bundle, empty without.
	Steps bool
	Proof string
}

type factChange struct {
	Name     string
	Old, New string
	Spans    []downwind.Span
}

type postChange struct {
	Number int
	downwind.Update
	// State is "added", "removed" or "edited".
	State string
	Spans []downwind.Span
	// OldPhase is set where the state of the post changed.
	OldPhase downwind.Phase
	// OldPosted is set where its time changed.
	OldPosted time.Time
	// Edited says how long after its time it was edited, empty where that is not known.
	Edited string
}

// findVersions reads an incident with its versions.
func (s *Server) findVersions(r *http.Request) (downwind.IncidentRecord, []downwind.Version, error) {
	rec, format, err := s.findIncident(r)
	if err == nil && format != "" {
		err = downwind.ErrNotFound
	}
	if err != nil {
		return rec, nil, err
	}
	versions, err := s.opt.Reader.Versions(r.Context(), rec.Incident.Provider, rec.Incident.ID)
	return rec, versions, err
}

func (s *Server) showVersion(w http.ResponseWriter, r *http.Request) error {
	rec, versions, err := s.findVersions(r)
	if err != nil {
		return err
	}
	number := strings.TrimSuffix(r.PathValue("n"), formOf(r))
	for i, v := range versions {
		if number == itoa(v.Number) {
			return s.showComparison(w, r, rec, versions, i-1, i)
		}
	}
	return refuse(http.StatusNotFound, "This incident has no version %s; there are %d.", clip(oneLine(number), 20), len(versions))
}

// showDiff compares any two versions by their ids in the archive ("17..23"), as messages in chat link to them.
func (s *Server) showDiff(w http.ResponseWriter, r *http.Request) error {
	rec, versions, err := s.findVersions(r)
	if err != nil {
		return err
	}
	from, to, _ := strings.Cut(r.PathValue("range"), "..")
	a, b := -1, -1
	for i, v := range versions {
		id := strconv.FormatInt(v.ID, 10)
		if id == from {
			a = i
		}
		if id == to {
			b = i
		}
	}
	if a < 0 || b < 0 {
		return refuse(http.StatusNotFound, "This incident has no such two versions.")
	}
	return s.showComparison(w, r, rec, versions, a, b)
}

func bundlePath(inc *downwind.Incident, version int64) string {
	return incidentPath(inc) + "/v/" + strconv.FormatInt(version, 10) + ".dwproof"
}

// showBundle sends the proof of one version, by its id in the archive.
func (s *Server) showBundle(w http.ResponseWriter, r *http.Request) error {
	rec, versions, err := s.findVersions(r)
	if err != nil {
		return err
	}
	name, ok := strings.CutSuffix(r.PathValue("file"), ".dwproof")
	for _, v := range versions {
		if !ok || s.opt.Bundle == nil || strconv.FormatInt(v.ID, 10) != name {
			continue
		}
		body, err := s.opt.Bundle(r.Context(), v)
		if err != nil {
			return fmt.Errorf("proof bundle of %s, version %d: %w", rec.Incident.Key(), v.ID, err)
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.dwproof"`)
		return answer(w, r, "application/octet-stream", body)
	}
	return refuse(http.StatusNotFound, "There is no proof of this version.")
}

// showComparison shows what differs between two of the versions; from is -1 for the first.
func (s *Server) showComparison(w http.ResponseWriter, r *http.Request, rec downwind.IncidentRecord, versions []downwind.Version, from, at int) error {
	data := &versionView{
		Inc: &rec.Incident, ProviderName: s.providerName(rec.Incident.Provider), Path: incidentPath(&rec.Incident),
		Version: versions[at], Total: len(versions), Side: r.URL.Query().Get("view") == "side", What: changesWords(versions[at].Changes),
	}
	if at > 0 {
		data.Older = versions[at-1].Number
	}
	if from >= 0 {
		data.Before = &versions[from]
	}
	data.Steps = from == at-1
	if s.opt.Bundle != nil {
		data.Proof = bundlePath(data.Inc, versions[at].ID)
	}
	if at+1 < len(versions) {
		data.Newer = versions[at+1].Number
	}
	for _, c := range versions[at].Changes {
		data.Silent = data.Silent || c.Silent
	}
	s.compare(data)
	if form := formOf(r); form != "" {
		return s.writeVersionForm(w, r, form, data)
	}
	v := s.view(r, "Version "+itoa(data.Version.Number)+" of "+oneLine(rec.Incident.Title), data)
	v.Nav, v.NoIndex = "archive", true
	v.Alternates = otherForms(r, data.Path+"/versions/"+itoa(data.Version.Number))
	return s.show(w, r, "version.html", v)
}

func itoa(n int) string { return strconv.Itoa(n) }

// compare fills in what differs between the version and the one before it.
func (s *Server) compare(v *versionView) {
	now := &v.Version.State
	if v.Before == nil {
		for i, u := range now.Updates {
			v.Posts = append(v.Posts, postChange{Number: i + 1, Update: u, State: "added", Spans: []downwind.Span{{Op: 1, Text: clean(u.Body)}}})
		}
		return
	}
	was := &v.Before.State
	fact := func(name, a, b string) {
		if a != b {
			v.Facts = append(v.Facts, factChange{Name: name, Old: a, New: b, Spans: s.opt.Diff(clean(a), clean(b))})
		}
	}
	fact("Title", was.Title, now.Title)
	fact("State", phaseWord(was.Phase), phaseWord(now.Phase))
	fact("Impact", impactWord(was.Impact), impactWord(now.Impact))
	fact("Began", shortTime(was.StartedAt), shortTime(now.StartedAt))
	fact("Ended", shortTime(was.ResolvedAt), shortTime(now.ResolvedAt))
	fact("Planned from", shortTime(was.ScheduledFor), shortTime(now.ScheduledFor))
	fact("Planned until", shortTime(was.ScheduledUntil), shortTime(now.ScheduledUntil))
	fact("Components", componentWords(was.Components), componentWords(now.Components))
	fact("Regions", strings.Join(was.Regions, ", "), strings.Join(now.Regions, ", "))
	old := map[string]downwind.Update{}
	for _, u := range was.Updates {
		old[u.ID] = u
	}
	for i, u := range now.Updates {
		before, ok := old[u.ID]
		delete(old, u.ID)
		change := postChange{Number: i + 1, Update: u}
		switch {
		case !ok:
			change.State, change.Spans = "added", []downwind.Span{{Op: 1, Text: clean(u.Body)}}
		case before.Body == u.Body && before.Phase == u.Phase && before.PostedAt.Equal(u.PostedAt):
			v.Kept++
			continue
		default:
			change.State, change.Spans, change.Edited = "edited", s.opt.Diff(clean(before.Body), clean(u.Body)), editedWords(&v.Version, &u)
			if before.Phase != u.Phase {
				change.OldPhase = before.Phase
			}
			if !before.PostedAt.Equal(u.PostedAt) {
				change.OldPosted = before.PostedAt
			}
		}
		v.Posts = append(v.Posts, change)
	}
	for i, u := range was.Updates {
		if _, gone := old[u.ID]; gone {
			v.Posts = append(v.Posts, postChange{Number: i + 1, Update: u, State: "removed", Spans: []downwind.Span{{Op: -1, Text: clean(u.Body)}}})
		}
	}
}

// editedWords says how long after its time an update was edited in a version: "within 2 h 10 min" where only our reading
// bounds it.
func editedWords(v *downwind.Version, u *downwind.Update) string {
	for _, c := range v.Changes {
		if c.Kind != downwind.ChangeEdit || c.Update != u.ID {
			continue
		}
		switch after, stated := c.EditedAfter(u.PostedAt, v.SeenAt); {
		case after == 0:
			return ""
		case stated:
			return spanWords(after) + " after it was posted"
		default:
			return "within " + spanWords(after) + " of being posted"
		}
	}
	return ""
}

func shortTime(t time.Time) string {
	if t.IsZero() {
		return "not stated"
	}
	return t.UTC().Format("2 Jan 2006, 15:04") + " UTC"
}

func componentWords(components []downwind.Component) string {
	words := make([]string, len(components))
	for i, c := range components {
		words[i] = c.Name
		if c.Status != "" {
			words[i] += " (" + statusWord(c.Status) + ")"
		}
	}
	return strings.Join(words, ", ")
}

// oldSide and newSide drop what the other side alone has.
func oldSide(spans []downwind.Span) []downwind.Span { return keepSpans(spans, 1) }

func newSide(spans []downwind.Span) []downwind.Span { return keepSpans(spans, -1) }

func keepSpans(spans []downwind.Span, drop int) []downwind.Span {
	out := make([]downwind.Span, 0, len(spans))
	for _, sp := range spans {
		if sp.Op != drop {
			out = append(out, sp)
		}
	}
	return out
}
