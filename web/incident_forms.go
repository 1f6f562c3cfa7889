package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"time"

	"downwind"
	"downwind/internal/pattern"
)

// writeIncidentJSON writes the incident with what was read out of it ("downwind.incident/v1").
func (s *Server) writeIncidentJSON(w http.ResponseWriter, r *http.Request, rec downwind.IncidentRecord) error {
	return writeJSON(w, r, s.incidentOut(r, rec))
}

type incidentOut struct {
	Schema       string            `json:"schema"`
	Provider     string            `json:"provider"`
	ProviderName string            `json:"provider_name"`
	Incident     downwind.Incident `json:"incident"`
	FirstSeen    stamp             `json:"first_seen"`
	ChangedAt    stamp             `json:"changed_at"`
	Withdrawn    stamp             `json:"withdrawn_at"`
	Versions     int               `json:"versions"`
	Guidance     downwind.Guidance `json:"guidance"`
	URL          string            `json:"url"`
}

func (s *Server) incidentOut(r *http.Request, rec downwind.IncidentRecord) incidentOut {
	inc := rec.Incident
	out := incidentOut{
		Schema: "downwind.incident/v1", Provider: inc.Provider, ProviderName: s.providerName(inc.Provider),
		FirstSeen: stamp(rec.FirstSeen), ChangedAt: stamp(rec.ChangedAt), Withdrawn: stamp(rec.Withdrawn), Versions: rec.Versions,
		Guidance: s.opt.Explain(rec, nil), URL: s.baseFor(r) + incidentPath(&inc),
	}
	out.Incident = inc
	out.Incident.Provider = ""
	return out
}

// mdEscaper takes the meaning from every character that Markdown or the HTML inside it gives one.
var mdEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "](", `\]\(`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "~", `\~`,
	"&", "&amp;", "@", "&#64;", "://", "&#58;//", "www.", "www&#46;", "WWW.", "WWW&#46;",
)

// mdStart finds what would begin a heading, list, rule or table at the start of a line.
var mdStart = pattern.New(`^([#+=-]|\d+[.)])`)

// mdText makes provider text safe as one line of Markdown: no markup, no links, no mentions.
func mdText(text string) string {
	text = mdEscaper.Replace(oneLine(text))
	if at := mdStart.FindStringIndex(text); at != nil {
		return text[:at[1]-1] + `\` + text[at[1]-1:]
	}
	return text
}

// mdQuote writes provider text as a block quote.
func mdQuote(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(clean(text)), "\n") {
		b.WriteString("> " + mdText(line) + "\n")
	}
	return b.String()
}

func (s *Server) writeIncidentMarkdown(w http.ResponseWriter, r *http.Request, rec downwind.IncidentRecord) error {
	inc, g := &rec.Incident, s.opt.Explain(rec, nil)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", mdText(s.providerName(inc.Provider)), mdText(inc.Title))
	fmt.Fprintf(&b, "State: %s. Impact: %s. First post: %s. Seen by us: %s.\n", phaseWord(inc.Phase), impactWord(inc.Impact), isoTime(began(rec)), isoTime(rec.FirstSeen))
	if page := safeLink(inc.URL); page != "" {
		fmt.Fprintf(&b, "Provider's page: <%s>\n", strings.NewReplacer("<", "%3C", ">", "%3E").Replace(page))
	}
	if len(g.Windows) > 0 {
		b.WriteString("\n## When requests may have failed\n\n")
		for _, win := range g.Windows {
			source := "by the provider's words"
			if win.Source == downwind.FromPage {
				source = "by the page's clock only"
			}
			fmt.Fprintf(&b, "- %s", periodWords(win.Start, win.End))
			if win.Scope != "" {
				fmt.Fprintf(&b, ", %s", mdText(win.Scope))
			}
			fmt.Fprintf(&b, " (%s)\n", source)
		}
	}
	if periods, _ := replayPeriods(g); len(periods) > 0 {
		b.WriteString("\n## Replay\n\n")
		for _, p := range periods {
			fmt.Fprintf(&b, "- %s: `%s`\n", mdText(p.Label), p.ISO)
		}
	}
	mdList(&b, "The provider asks", actionTexts(g.Actions))
	mdList(&b, "What to do", g.Advice)
	mdList(&b, "Once it is over", g.Checklist)
	mdList(&b, "Contradictions", g.Conflicts)
	if len(inc.Components) > 0 {
		b.WriteString("\n## Components\n\n")
		for _, c := range inc.Components {
			fmt.Fprintf(&b, "- %s: %s\n", mdText(c.Name), statusWord(c.Status))
		}
	}
	b.WriteString("\n## Posts\n")
	for i := len(inc.Updates) - 1; i >= 0; i-- {
		u := inc.Updates[i]
		fmt.Fprintf(&b, "\n### %d. %s, %s\n\n%s", i+1, phaseWord(u.Phase), isoTime(u.PostedAt), mdQuote(u.Body))
	}
	fmt.Fprintf(&b, "\n---\n%s%s\n", s.baseFor(r), incidentPath(inc))
	return answer(w, r, "text/markdown; charset=utf-8", []byte(b.String()))
}

func actionTexts(actions []downwind.Action) []string {
	out := make([]string, len(actions))
	for i, a := range actions {
		out[i] = a.Text
	}
	return out
}

func mdList(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", mdText(line))
	}
}

// csvCell keeps spreadsheets from reading a cell as a formula.
func csvCell(text string) string {
	text = oneLine(text)
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func (s *Server) showReplayCSV(w http.ResponseWriter, r *http.Request) error {
	rec, format, err := s.findIncident(r)
	if err != nil {
		return err
	}
	if format != "" {
		return downwind.ErrNotFound
	}
	g := s.opt.Explain(rec, nil)
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	rows := [][]string{{"provider", "incident", "kind", "scope", "start", "end", "approximate", "source", "evidence"}}
	add := func(kind, scope string, start, end time.Time, approx bool, source, evidence string) {
		rows = append(rows, []string{
			csvCell(rec.Incident.Provider), csvCell(rec.Incident.ID), kind, csvCell(scope), isoTime(start), isoTime(end),
			fmt.Sprint(approx), source, csvCell(evidence),
		})
	}
	for _, win := range g.Windows {
		add("window", win.Scope, win.Start, win.End, win.Approx, win.Source, win.Text)
	}
	for _, p := range g.ToPaste() {
		add("replay", "", p.Start, p.End, true, "padded", "")
	}
	if g.PageGuess != nil {
		add("guess", "", g.PageGuess.Start, g.PageGuess.End, true, "page", "")
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("replay csv: %w", err)
	}
	w.Header().Set("Content-Disposition", `attachment; filename="replay.csv"`)
	return answer(w, r, "text/csv; charset=utf-8", b.Bytes())
}
