package web

import (
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// knownProvider finds a provider by slug or alias; the refusal suggests what may have been meant.
func (s *Server) knownProvider(name string) (downwind.Provider, error) {
	if p, ok := s.opt.Catalog.Provider(name); ok {
		return p, nil
	}
	if p, ok := s.opt.Catalog.Lookup(name); ok {
		return p, nil
	}
	sentence := "There is no provider called " + clip(oneLine(name), 60) + "."
	if near := s.opt.Catalog.Closest(name, 3); len(near) > 0 {
		sentence += " Did you mean " + strings.Join(near, ", ") + "?"
	}
	return downwind.Provider{}, refuse(http.StatusNotFound, "%s", sentence)
}

type providersView struct {
	Query, Filter string
	// Trouble have something open or cannot be read; Rest are the others that fit, by what is known of them.
	Trouble []providerRow
	Rest    []providerGroup
	Total   int
}

// A providerGroup are providers of which the same is known, which its title says.
type providerGroup struct {
	ID, Title string
	Rows      []providerRow
}

type providerRow struct {
	downwind.Provider
	Open   int
	Tone   string
	Source downwind.Source
	// Read is the state in words: "read 2 min ago" is not said, only the state.
	Read string
}

func (s *Server) showProviders(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	data := &providersView{Query: strings.TrimSpace(r.URL.Query().Get("q")), Filter: r.URL.Query().Get("show")}
	found := s.opt.Catalog.All()
	if data.Query != "" {
		found = s.opt.Catalog.Search(data.Query)
	}
	sources, err := s.opt.Reader.Sources(ctx)
	if err != nil {
		return err
	}
	bySlug := map[string]downwind.Source{}
	for _, src := range sources {
		bySlug[src.Provider] = src
	}
	open, err := s.openIncidents(ctx, "")
	if err != nil {
		return err
	}
	count, tone := map[string]int{}, map[string]string{}
	for i := range open {
		inc := &open[i].Incident
		if inc.Kind != downwind.KindIncident {
			continue
		}
		count[inc.Provider]++
		if tone[inc.Provider] == "" {
			tone[inc.Provider] = toneOf(inc)
		}
	}
	calm := providerGroup{ID: "calm", Title: "Read, nothing open"}
	unread := providerGroup{ID: "unread", Title: "Not read yet"}
	never := providerGroup{ID: "never", Title: "Cannot be watched"}
	for _, p := range found {
		row := providerRow{Provider: p, Open: count[p.Slug], Tone: tone[p.Slug], Source: bySlug[p.Slug]}
		row.Read = sourceWord(row.Source, p)
		untrusted := !row.Source.LastTried.IsZero() && row.Source.State != downwind.SourceFresh
		if (data.Filter == "open" && row.Open == 0) || (data.Filter == "unread" && !untrusted) {
			continue
		}
		data.Total++
		switch {
		case row.Open > 0 || untrusted:
			data.Trouble = append(data.Trouble, row)
		case p.Unsupported != "":
			never.Rows = append(never.Rows, row)
		case row.Source.LastTried.IsZero():
			unread.Rows = append(unread.Rows, row)
		default:
			calm.Rows = append(calm.Rows, row)
		}
	}
	for _, g := range []providerGroup{calm, unread, never} {
		if len(g.Rows) > 0 {
			data.Rest = append(data.Rest, g)
		}
	}
	sort.SliceStable(data.Trouble, func(i, j int) bool { return data.Trouble[i].Open > data.Trouble[j].Open })
	if form := formOf(r); form != "" {
		return s.writeProvidersForm(w, r, form, data)
	}
	v := s.view(r, "Providers", data)
	v.Description = countWord(data.Total, "provider", "providers") + " that can be watched."
	v.Alternates = otherForms(r, "/providers")
	return s.show(w, r, "providers.html", v)
}

// sourceWord tells what can be said of a source in two or three words.
func sourceWord(src downwind.Source, p downwind.Provider) string {
	switch {
	case p.Unsupported != "":
		return "cannot be watched"
	case src.Provider == "" || (src.LastRead.IsZero() && src.LastTried.IsZero()):
		return "not read yet"
	case src.State == downwind.SourceFresh:
		return "read"
	case src.State == downwind.SourceMoved:
		return "has moved"
	case src.State == downwind.SourceStale:
		return "stale"
	}
	return "cannot be read"
}

type providerView struct {
	downwind.Provider
	Source     downwind.Source
	SourceWord string
	SourceWhy  string
	Page       string
	// Groups are the components by group, as the page orders them.
	Groups []componentGroup
	// Worse counts the components that are not operational.
	Worse, ComponentCount int
	Open, Work, Past      []card
	Heat                  *heatmap
	Late                  *lateness
	Feeds                 []feedLink
}

type componentGroup struct {
	Name       string
	Components []downwind.Component
}

type feedLink struct{ Name, Href string }

// A lateness is how long after the stated beginning of the impact a provider first posted.
type lateness struct {
	// Of counts the incidents with a stated beginning, newest first in Rows; Median is over all of them.
	Of     int
	Median time.Duration
	Rows   []lateRow
	// MedianAt is where the median lies in percent of the longest bar.
	MedianAt float64
	// Edited counts incidents of whose posts one was changed afterwards without notice.
	Edited, Seen int
}

type lateRow struct {
	card
	Late time.Duration
	// Width is the length of the bar in percent of the longest.
	Width float64
}

func (s *Server) showProvider(w http.ResponseWriter, r *http.Request) error {
	name, format := r.PathValue("slug"), ""
	if _, ok := s.opt.Catalog.Provider(name); !ok {
		for _, ext := range []string{".json", ".md"} {
			if short, cut := strings.CutSuffix(name, ext); cut {
				name, format = short, ext
			}
		}
	}
	p, err := s.knownProvider(name)
	if err != nil {
		return err
	}
	if p.Slug != name {
		http.Redirect(w, r, s.prefix+"/providers/"+url.PathEscape(p.Slug)+format, http.StatusMovedPermanently)
		return nil
	}
	data, err := s.providerView(r, p)
	if err != nil {
		return err
	}
	switch format {
	case ".json":
		return writeJSON(w, r, s.providerOut(r, data))
	case ".md":
		return answer(w, r, "text/markdown; charset=utf-8", []byte(s.providerMarkdown(r, data)))
	}
	v := s.view(r, p.Name, data)
	v.Description = p.Name + ": " + countWord(len(data.Open), "open incident", "open incidents") + ", source " + data.SourceWord + "."
	v.Card = "/providers/" + url.PathEscape(p.Slug) + "/card.png"
	for _, f := range data.Feeds {
		v.Alternates = append(v.Alternates, alternate{feedType(f.Name), p.Name + " (" + f.Name + ")", f.Href})
	}
	v.Alternates = append(v.Alternates, alternate{"application/json", "JSON", "/providers/" + p.Slug + ".json"},
		alternate{"text/markdown", "Markdown", "/providers/" + p.Slug + ".md"})
	return s.show(w, r, "provider.html", v)
}

func feedType(name string) string {
	switch name {
	case "Atom":
		return "application/atom+xml"
	case "JSON Feed":
		return "application/feed+json"
	}
	return "application/rss+xml"
}

func (s *Server) providerView(r *http.Request, p downwind.Provider) (*providerView, error) {
	ctx, now := r.Context(), s.now()
	src, err := s.opt.Reader.Source(ctx, p.Slug)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	components, err := s.opt.Reader.Components(ctx, p.Slug)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	if len(components) == 0 {
		components = p.Components
	}
	recs, err := s.opt.Reader.Incidents(ctx, downwind.IncidentFilter{Provider: p.Slug, Limit: 300})
	if err != nil {
		return nil, err
	}
	newestFirst(recs)
	v := &providerView{Provider: p, Source: src, SourceWord: sourceWord(src, p), SourceWhy: clip(oneLine(src.Error), 200), Page: p.StatusURL, ComponentCount: len(components)}
	if src.URL != "" {
		v.Page = src.URL
	}
	v.Groups, v.Worse = groupComponents(components)
	for _, rec := range recs {
		inc := &rec.Incident
		switch {
		case !rec.Withdrawn.IsZero():
		case inc.Open():
			v.Open = append(v.Open, s.ownCard(rec))
		case inc.Kind == downwind.KindMaintenance && !inc.Phase.Over():
			if inc.ScheduledUntil.IsZero() || inc.ScheduledUntil.After(now.Add(-48*time.Hour)) {
				v.Work = append(v.Work, s.ownCard(rec))
			}
		case len(v.Past) < 20:
			v.Past = append(v.Past, s.ownCard(rec))
		}
	}
	v.Heat = drawHeatmap(recs, now)
	v.Late = s.lateness(recs)
	q := "/feed?provider=" + url.QueryEscape(p.Slug)
	v.Feeds = []feedLink{{"RSS", q}, {"Atom", q + "&format=atom"}, {"JSON Feed", q + "&format=json"}}
	return v, nil
}

// statedStart is the earliest beginning of the impact that the posts state, zero where none does. What is over is read
// once for each version.
func (s *Server) statedStart(rec downwind.IncidentRecord) time.Time {
	over := rec.Incident.Phase.Over() && rec.VersionID != 0
	if over {
		if at, ok := s.starts.get(rec.VersionID); ok {
			return at
		}
	}
	var start time.Time
	for _, w := range s.opt.Explain(rec, nil).Windows {
		if w.Source == downwind.FromProse && !w.Start.IsZero() && (start.IsZero() || w.Start.Before(start)) {
			start = w.Start
		}
	}
	if over {
		s.starts.put(rec.VersionID, start)
	}
	return start
}

// startCache remembers stated beginnings by version; it forgets all when it is full.
type startCache struct {
	mu sync.Mutex
	at map[int64]time.Time
}

const startSlots = 60_000

func (c *startCache) get(version int64) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.at[version]
	return at, ok
}

func (c *startCache) put(version int64, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil || len(c.at) >= startSlots {
		c.at = map[int64]time.Time{}
	}
	c.at[version] = at
}

// ownCard is a card on the provider's own page, where its name need not be said again.
func (s *Server) ownCard(rec downwind.IncidentRecord) card {
	c := s.card(rec, nil)
	c.ProviderName = ""
	return c
}

// groupComponents keeps the page's order of groups and of the components in them.
func groupComponents(components []downwind.Component) (groups []componentGroup, worse int) {
	at := map[string]int{}
	for _, c := range components {
		i, ok := at[c.Group]
		if !ok {
			i = len(groups)
			at[c.Group] = i
			groups = append(groups, componentGroup{Name: c.Group})
		}
		groups[i].Components = append(groups[i].Components, c)
		if c.Status != "" && c.Status != downwind.Operational {
			worse++
		}
	}
	return groups, worse
}

// lateSeen is how many of the newest incidents the record of lateness is made of.
const lateSeen = 40

// lateness reads the newest incidents that state when their impact began.
func (s *Server) lateness(recs []downwind.IncidentRecord) *lateness {
	l := &lateness{}
	var all []time.Duration
	for i := range recs {
		rec := recs[i]
		inc := &rec.Incident
		if inc.Kind != downwind.KindIncident || len(inc.Updates) == 0 || l.Seen == lateSeen {
			continue
		}
		l.Seen++
		for _, u := range inc.Updates {
			if !u.EditedAt.IsZero() {
				l.Edited++
				break
			}
		}
		start := s.statedStart(rec)
		first := inc.Updates[0].PostedAt
		if start.IsZero() || first.Before(start) {
			continue
		}
		late := first.Sub(start)
		all = append(all, late)
		if len(l.Rows) < 8 {
			l.Rows = append(l.Rows, lateRow{card: s.card(rec, nil), Late: late})
		}
	}
	if l.Of = len(all); l.Of == 0 {
		return nil
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	l.Median = all[len(all)/2]
	longest := time.Minute
	for _, row := range l.Rows {
		longest = max(longest, row.Late)
	}
	l.MedianAt = min(100, float64(l.Median)/float64(longest)*100)
	for i := range l.Rows {
		l.Rows[i].Width = max(0.8, float64(l.Rows[i].Late)/float64(longest)*100)
	}
	return l
}

func (s *Server) providerMarkdown(r *http.Request, v *providerView) string {
	var b strings.Builder
	b.WriteString("# " + mdText(v.Name) + "\n\nSource: " + v.SourceWord + ", last read " + orNever(v.Source.LastRead) + ".\n")
	s.mdCards(&b, r, "Open", v.Open)
	s.mdCards(&b, r, "Planned work", v.Work)
	if len(v.Groups) > 0 {
		b.WriteString("\n## Components\n\n")
		for _, g := range v.Groups {
			for _, c := range g.Components {
				name := c.Name
				if g.Name != "" {
					name = g.Name + ", " + c.Name
				}
				b.WriteString("- " + mdText(name) + ": " + statusWord(c.Status) + "\n")
			}
		}
	}
	s.mdCards(&b, r, "Past incidents", v.Past)
	return b.String()
}
