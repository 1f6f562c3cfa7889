package web

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"downwind"
)

// Most public pages come in three forms: HTML, and under the same path with .json or .md at its end for programs and for
// those who read in a terminal. The handler of a page serves all three.

// formed registers a page's handler for its three forms.
func (s *Server) formed(mux *table, path string, h handler) {
	for _, form := range []string{"", ".json", ".md"} {
		mux.Handle("GET "+path+form, s.page(h))
	}
}

// formOf is the form that a path asks for: ".json", ".md", or empty for the page.
func formOf(r *http.Request) string {
	switch ext := path.Ext(r.URL.Path); ext {
	case ".json", ".md":
		return ext
	}
	return ""
}

// otherForms are the alternates of a page; the query goes with them.
func otherForms(r *http.Request, path string) []alternate {
	query := ""
	if r.URL.RawQuery != "" {
		query = "?" + r.URL.RawQuery
	}
	return []alternate{
		{"application/json", "This page as JSON", path + ".json" + query},
		{"text/markdown", "This page as Markdown", path + ".md" + query},
	}
}

func writeMarkdown(w http.ResponseWriter, r *http.Request, text string) error {
	return answer(w, r, "text/markdown; charset=utf-8", []byte(text))
}

// mdCards writes incidents as a list under a heading; nothing where there are none.
func (s *Server) mdCards(b *strings.Builder, r *http.Request, title string, cards []card) {
	if len(cards) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, c := range cards {
		b.WriteString("- ")
		if c.ProviderName != "" {
			b.WriteString("**" + mdText(c.ProviderName) + "**: ")
		}
		fmt.Fprintf(b, "[%s](%s), %s", mdText(c.Inc.Title), s.baseFor(r)+incidentPath(c.Inc), phaseWord(c.Inc.Phase))
		if c.Inc.Kind != downwind.KindMaintenance {
			b.WriteString(", " + impactWord(c.Inc.Impact))
		}
		if !c.Began.IsZero() {
			b.WriteString(", " + isoTime(c.Began))
			if !c.Ended.IsZero() {
				b.WriteString(" to " + isoTime(c.Ended))
			}
		}
		b.WriteString("\n")
	}
}

func (s *Server) summaries(r *http.Request, days []workDay) []incidentSummary {
	out := []incidentSummary{}
	for _, day := range days {
		for _, c := range day.Cards {
			out = append(out, s.summary(r, c.Rec))
		}
	}
	return out
}

// dayTitle names a day in a list of days.
func dayTitle(day time.Time) string {
	if day.IsZero() {
		return "Time not stated"
	}
	return day.Format("2 January 2006")
}

func (s *Server) mdDays(b *strings.Builder, r *http.Request, days []workDay) {
	for _, day := range days {
		s.mdCards(b, r, dayTitle(day.Day), day.Cards)
	}
}

// An incidentsJSON is a page that lists incidents.
type incidentsJSON struct {
	Schema string            `json:"schema"`
	Items  []incidentSummary `json:"items"`
	// Next is the address of the following page, null on the last.
	Next *string `json:"next"`
}

// A providerRowJSON is a provider in the list of all.
type providerRowJSON struct {
	providerJSON
	OpenCount int    `json:"open_count"`
	State     string `json:"state"`
}

func (s *Server) writeProvidersForm(w http.ResponseWriter, r *http.Request, form string, v *providersView) error {
	rows := slices.Clone(v.Trouble)
	for _, g := range v.Rest {
		rows = append(rows, g.Rows...)
	}
	if form == ".json" {
		out := struct {
			Schema string            `json:"schema"`
			Items  []providerRowJSON `json:"items"`
		}{"downwind.providers/v1", []providerRowJSON{}}
		for _, row := range rows {
			out.Items = append(out.Items, providerRowJSON{providerBrief(row.Provider, row.Source), row.Open, row.Read})
		}
		return writeJSON(w, r, out)
	}
	var b strings.Builder
	b.WriteString("# Providers\n")
	list := func(title string, rows []providerRow) {
		if len(rows) == 0 {
			return
		}
		b.WriteString("\n## " + title + "\n\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "- [%s](%s): ", mdText(row.Name), s.baseFor(r)+"/providers/"+row.Slug)
			if row.Open > 0 {
				b.WriteString(countWord(row.Open, "open incident", "open incidents") + ", ")
			}
			b.WriteString(row.Read + "\n")
		}
	}
	list("Open incidents, or not to be trusted", v.Trouble)
	for _, g := range v.Rest {
		list(g.Title, g.Rows)
	}
	return writeMarkdown(w, r, b.String())
}

func (s *Server) writeMaintenanceForm(w http.ResponseWriter, r *http.Request, form string, v *maintenanceView) error {
	if form == ".json" {
		return writeJSON(w, r, incidentsJSON{Schema: "downwind.maintenance/v1", Items: s.summaries(r, v.Days)})
	}
	var b strings.Builder
	b.WriteString("# Planned work\n")
	s.mdDays(&b, r, v.Days)
	return writeMarkdown(w, r, b.String())
}

func (s *Server) writeArchiveForm(w http.ResponseWriter, r *http.Request, form string, v *archiveView) error {
	next := ""
	if v.Next != "" {
		next = s.baseFor(r) + strings.Replace(v.Next, "/archive?", "/archive"+form+"?", 1)
	}
	if form == ".json" {
		out := incidentsJSON{Schema: "downwind.archive/v1", Items: s.summaries(r, v.Days)}
		if next != "" {
			out.Next = &next
		}
		return writeJSON(w, r, out)
	}
	var b strings.Builder
	b.WriteString("# Archive\n")
	s.mdDays(&b, r, v.Days)
	if next != "" {
		fmt.Fprintf(&b, "\n[Older](%s)\n", next)
	}
	return writeMarkdown(w, r, b.String())
}

// A correctionJSON is a change of a past post.
type correctionJSON struct {
	Provider string `json:"provider"`
	Incident string `json:"incident"`
	Title    string `json:"title"`
	Version  int    `json:"version"`
	What     string `json:"what"`
	Silent   bool   `json:"silent"`
	SeenAt   stamp  `json:"seen_at"`
	URL      string `json:"url"`
}

func (s *Server) writeCorrectionsForm(w http.ResponseWriter, r *http.Request, form string, rows []correctionRow) error {
	address := func(row correctionRow) string {
		return s.baseFor(r) + incidentPath(row.Inc) + "/versions/" + itoa(row.Number)
	}
	if form == ".json" {
		out := struct {
			Schema string           `json:"schema"`
			Items  []correctionJSON `json:"items"`
		}{"downwind.corrections/v1", []correctionJSON{}}
		for _, row := range rows {
			out.Items = append(out.Items, correctionJSON{
				row.Inc.Provider, row.Inc.ID, row.Inc.Title, row.Number, row.Words, row.Silent, stamp(row.At), address(row),
			})
		}
		return writeJSON(w, r, out)
	}
	var b strings.Builder
	b.WriteString("# Corrections\n\n")
	for _, row := range rows {
		how := "told"
		if row.Silent {
			how = "silent"
		}
		fmt.Fprintf(&b, "- **%s**: [%s](%s), %s (%s), read %s\n", mdText(row.ProviderName), mdText(row.Inc.Title), address(row), row.Words, how, isoTime(row.At))
	}
	return writeMarkdown(w, r, b.String())
}

func (s *Server) writeVersionForm(w http.ResponseWriter, r *http.Request, form string, v *versionView) error {
	if form == ".json" {
		out := struct {
			Schema   string `json:"schema"`
			Provider string `json:"provider"`
			Incident string `json:"incident_id"`
			versionJSON
		}{"downwind.version/v1", v.Inc.Provider, v.Inc.ID, versionOut(v.Version, true)}
		return writeJSON(w, r, out)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s, version %d of %d\n\n%s, first read %s.\n", mdText(v.ProviderName), mdText(v.Inc.Title), v.Version.Number, v.Total, mdText(v.What), isoTime(v.Version.SeenAt))
	for _, f := range v.Facts {
		fmt.Fprintf(&b, "\n- %s: %s (was: %s)", f.Name, mdText(f.New), mdText(f.Old))
	}
	for _, p := range v.Posts {
		fmt.Fprintf(&b, "\n## Post %d, %s: %s\n\n", p.Number, phaseWord(p.Phase), p.State)
		for _, side := range []struct {
			title string
			spans []downwind.Span
		}{{"Removed", onlyOp(p.Spans, -1)}, {"Added", onlyOp(p.Spans, 1)}} {
			for _, sp := range side.spans {
				if text := strings.TrimSpace(sp.Text); text != "" {
					fmt.Fprintf(&b, "%s:\n\n%s\n", side.title, mdQuote(text))
				}
			}
		}
	}
	fmt.Fprintf(&b, "\nSHA-256 `%s`\n", v.Version.Hash)
	return writeMarkdown(w, r, b.String())
}

// onlyOp keeps the spans of one kind.
func onlyOp(spans []downwind.Span, op int) []downwind.Span {
	var out []downwind.Span
	for _, sp := range spans {
		if sp.Op == op {
			out = append(out, sp)
		}
	}
	return out
}
