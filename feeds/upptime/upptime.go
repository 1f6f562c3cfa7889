// Package upptime reads Upptime: the summary of all sites in the repository, and the issues that it opens for what is
// down and that people open for maintenance.
package upptime

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "upptime" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	switch {
	case feeds.Shape(p.Body) != "json" || !bytes.HasPrefix(bytes.TrimSpace(p.Body[:min(len(p.Body), 64)]), []byte("[")):
		return 0
	case isSummary(p.Body):
		return 92
	case isIssues(p.Body):
		return 70
	case bytes.Equal(bytes.TrimSpace(p.Body), []byte("[]")) && strings.Contains(p.URL, "/issues?") && strings.Contains(p.URL, "labels=status"):
		return 60
	}
	return 0
}

// isSummary recognises history/summary.json; before 2021 it had no figures by day.
func isSummary(b []byte) bool {
	return feeds.Has(b, 4096, `"slug"`, `"status"`, `"uptime"`, `"url"`) && (feeds.Has(b, 4096, `"uptimeDay"`) || feeds.Has(b, 4096, `"time"`) && upDown.Match(b[:min(len(b), 4096)]))
}

var upDown = pattern.New(`"status"\s*:\s*"(?:up|down|degraded)"`)

var statusLabel = pattern.New(`"name"\s*:\s*"(status|maintenance)"`)

// isIssues recognises issues of a repository, one of which has a label of the software.
func isIssues(b []byte) bool {
	return feeds.Has(b, 8192, `"html_url"`, `"labels"`) && bytes.Contains(b, []byte(`"closed_at"`)) && statusLabel.Match(b)
}

// Endpoints implements feeds.Adapter. The page is made from a repository, which its address has to name: that of the
// repository itself, or of its page at github.io.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	repo := repository(page)
	if repo == "" {
		return nil
	}
	issues := "https://api.github.com/repos/" + repo + "/issues?state=all&per_page=50&labels="
	return []feeds.Endpoint{
		{URL: "https://raw.githubusercontent.com/" + repo + "/HEAD/history/summary.json"},
		{URL: issues + "status", Every: 5, Optional: true},
		{URL: issues + "maintenance", Every: 5, Optional: true},
	}
}

// repository finds "owner/name" in an address, empty without one.
func repository(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	var parts []string
	for _, p := range strings.Split(u.Path, "/") {
		if p != "" {
			parts = append(parts, url.PathEscape(p))
		}
	}
	host := strings.ToLower(u.Hostname())
	switch owner, isPage := strings.CutSuffix(host, ".github.io"); {
	case (host == "github.com" || host == "raw.githubusercontent.com") && len(parts) >= 2:
		return parts[0] + "/" + parts[1]
	case host == "api.github.com" && len(parts) >= 3 && parts[0] == "repos":
		return parts[1] + "/" + parts[2]
	case isPage && len(parts) >= 1:
		return owner + "/" + parts[0]
	case isPage:
		return owner + "/" + host
	}
	return ""
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("upptime.js.org")) || bytes.Contains(html, []byte("/upptime/upptime"))
}

// ofPage finds the repository that a page on a host of its own is made from.
var ofPage = pattern.New(`https://(?:raw\.githubusercontent\.com|api\.github\.com/repos|github\.com)/([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100})`)

// AddressIn implements feeds.PageReader.
func (Adapter) AddressIn(_ string, html []byte) string {
	for _, m := range ofPage.FindAllSubmatch(html, 50) {
		if owner, _, _ := strings.Cut(string(m[1]), "/"); owner != "upptime" && owner != "sponsors" {
			return "https://github.com/" + string(m[1])
		}
	}
	return ""
}

// Decode implements feeds.Adapter. The issues are the newest fifty of each label; the summary alone tells nothing of them.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform()}
	names := map[string]string{}
	var issues []wireIssue
	read, listed, planned := false, false, false
	for _, p := range ps {
		if isSummary(p.Body) {
			var sites []wireSite
			if err := feeds.DecodeJSON(p.Body, &sites); err != nil {
				return downwind.Document{}, err
			}
			read = true
			for _, s := range sites {
				doc.Components = append(doc.Components, s.component(&doc))
				names[string(s.Slug)] = feeds.PlainLine(string(s.Name))
			}
			continue
		}
		var list []wireIssue
		if err := feeds.DecodeJSON(p.Body, &list); err != nil {
			return downwind.Document{}, err
		}
		read = true
		work := strings.Contains(p.URL, "labels=maintenance")
		planned, listed = planned || work, listed || !work
		issues = append(issues, list...)
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of an Upptime repository: %w", downwind.ErrUnreadable)
	}
	seen := map[feeds.Str]bool{}
	for i := range issues {
		w := &issues[i]
		if kind, ok := w.kind(); ok && w.Pull == nil && !seen[w.Number] {
			seen[w.Number] = w.Number != ""
			planned = planned || kind == downwind.KindMaintenance
			doc.Incidents = append(doc.Incidents, w.incident(kind, names))
		}
	}
	if doc.Partial = !listed; listed && !planned {
		doc.Without = []downwind.Kind{downwind.KindMaintenance}
	}
	if u := repository(firstURL(ps)); u != "" {
		doc.Page = downwind.Page{ID: u, Name: u[strings.IndexByte(u, '/')+1:], URL: "https://github.com/" + u}
	}
	return doc, nil
}

func firstURL(ps []feeds.Payload) string {
	if len(ps) == 0 {
		return ""
	}
	return ps[0].URL
}

func (s *wireSite) component(doc *downwind.Document) downwind.Component {
	state, ok := feeds.StatusOf(string(s.Status))
	if !ok {
		feeds.Unknown(doc, "status", string(s.Status))
	}
	return downwind.Component{ID: string(s.Slug), Name: feeds.PlainLine(string(s.Name)), Status: state}
}

// kind tells incidents from maintenance by their label; ok is false for issues about something else.
func (w *wireIssue) kind() (k downwind.Kind, ok bool) {
	for _, l := range w.Labels {
		switch strings.ToLower(string(l.Name)) {
		case "maintenance":
			return downwind.KindMaintenance, true
		case "status":
			k, ok = downwind.KindIncident, true
		}
	}
	return k, ok
}

var (
	comment = pattern.New(`(?s)<!--(.*?)-->`)
	field   = pattern.New(`(?m)^\s*(start|end|expectedDown|expectedDegraded)\s*:\s*(.+?)\s*$`)
)

// plan reads the comment at the start of a maintenance issue: its window and the slugs of its sites.
func (w *wireIssue) plan() (start, end time.Time, slugs []string) {
	m := comment.FindStringSubmatch(string(w.Body))
	if m == nil {
		return start, end, nil
	}
	for _, f := range field.FindAllStringSubmatch(m[1], 8) {
		switch f[1] {
		case "start":
			start, _ = feeds.ParseTime(f[2])
		case "end":
			end, _ = feeds.ParseTime(f[2])
		default:
			slugs = append(slugs, strings.FieldsFunc(f[2], func(r rune) bool { return r == ',' || r == ' ' })...)
		}
	}
	return start, end, slugs
}

func (w *wireIssue) incident(kind downwind.Kind, names map[string]string) downwind.Incident {
	inc := downwind.Incident{
		ID: string(w.Number), Kind: kind, Title: feeds.PlainLine(string(w.Title)), URL: string(w.URL), Impact: downwind.ImpactUnknown,
		Phase: downwind.Investigating, StartedAt: w.Created.Time, ResolvedAt: w.Closed.Time,
	}
	over := w.State == "closed" || !w.Closed.IsZero()
	start, end, slugs := w.plan()
	for _, l := range w.Labels {
		slugs = append(slugs, string(l.Name))
	}
	for _, slug := range slugs {
		if name, ok := names[slug]; ok {
			inc.Components = append(inc.Components, downwind.Component{ID: slug, Name: name})
		}
	}
	if body := feeds.PlainText(comment.ReplaceAllString(string(w.Body), "")); body != "" {
		inc.Updates = []downwind.Update{{ID: "issue", Body: body, PostedAt: w.Created.Time, Phase: downwind.Investigating}}
	}
	if kind == downwind.KindMaintenance {
		inc.Impact, inc.Phase, inc.ScheduledFor, inc.ScheduledUntil = downwind.ImpactMaintenance, downwind.Scheduled, start, end
		for i := range inc.Updates {
			inc.Updates[i].Phase = downwind.Scheduled
		}
		if over {
			inc.Phase = downwind.Completed
		}
		feeds.Tidy(&inc)
		feeds.StartMaintenance(&inc)
		return inc
	}
	if over {
		inc.Phase = downwind.Resolved
	}
	feeds.Tidy(&inc)
	return inc
}
