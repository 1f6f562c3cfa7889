// Package gcloud reads the status dashboards of Google: Cloud, Workspace, and the copies that Firebase, Maps, Ads and Search
// have. All publish incidents.json and products.json of one schema, and an Atom feed of updates.
//
// The list holds incidents only, newest first, and reaches back months to years; no product has a state of its own.
package gcloud

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Platform words of the two dashboards.
const (
	Cloud     = "gcp"
	Workspace = "gworkspace"
)

// Adapter implements feeds.Adapter for one of the two dashboards.
type Adapter struct {
	// Word is Cloud or Workspace; empty means Cloud.
	Word string
}

// Platform implements feeds.Adapter.
func (a Adapter) Platform() string {
	if a.Word == "" {
		return Cloud
	}
	return a.Word
}

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (a Adapter) ClaimsHost(host string) bool {
	if a.Platform() == Workspace {
		return host == "workspace.google.com" || host == "www.google.com"
	}
	switch host {
	case "status.cloud.google.com", "status.firebase.google.com", "status.search.google.com", "ads.google.com":
		return true
	}
	return false
}

// workspaceService finds a service that only the Workspace dashboard lists.
var workspaceService = pattern.New(`"(?:service_name|title)"\s*:\s*"(?:Gmail|Admin Console|Classroom|Google (?:Calendar|Chat|Classroom|Docs|Drive|Forms|Groups|Keep|Meet|Sheets|Sites|Slides|Tasks|Vault|Vids|Voice|Workspace[^"]*))"`)

// Claims implements feeds.Adapter. Both dashboards have one shape, so the claims of the two are close to each other: the
// address decides, else the names of the services.
func (a Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	ours := 0
	switch feeds.Shape(b) {
	case "json":
		head := b[:min(len(b), 64<<10)]
		switch {
		case bytes.Contains(head, []byte(`"external_desc"`)) && bytes.Contains(head, []byte(`"status_impact"`)):
			ours = 90
		case bytes.Contains(head, []byte(`"most_recent_update"`)) && bytes.Contains(head, []byte(`"service_name"`)):
			ours = 80
		case feeds.Has(b, 256, `"products"`, `"title"`, `"id"`) && bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
			ours = 55
		case onGoogle(p.URL) && string(bytes.Join(bytes.Fields(head), nil)) == "[]":
			ours = 60
		}
	case "xml":
		if feeds.Has(b, 4096, "<feed") && (feeds.Has(b, 4096, "google.com") && feeds.Has(b, 4096, "feed.atom") || feeds.Has(b, 8192, "status.cloud.google.com")) {
			ours = 90
		}
	}
	if ours == 0 {
		return 0
	}
	if a.isWorkspace(p) == (a.Platform() == Workspace) {
		return ours + 2
	}
	return ours
}

func (Adapter) isWorkspace(p feeds.Payload) bool {
	if p.URL != "" && onGoogle(p.URL) {
		return strings.Contains(p.URL, "/appsstatus/")
	}
	head := p.Body[:min(len(p.Body), 64<<10)]
	return bytes.Contains(head, []byte("google.com/appsstatus/")) ||
		workspaceService.Match(head) && !bytes.Contains(head, []byte("Google Cloud")) && !bytes.Contains(head, []byte("Compute Engine"))
}

func onGoogle(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Hostname() == "google.com" || strings.HasSuffix(u.Hostname(), ".google.com"))
}

// Endpoints implements feeds.Adapter: the incidents each poll, the names of the products now and then.
func (a Adapter) Endpoints(pageURL string) []feeds.Endpoint {
	base := a.base(pageURL)
	return []feeds.Endpoint{
		{URL: base + "/incidents.json", Every: 1},
		{URL: base + "/products.json", Every: 5, Optional: true},
		{URL: base + "/en/feed.atom", Every: 1, Fallback: true},
	}
}

// base is the dashboard's address without a slash at its end; several dashboards share a host, so the path counts.
func (a Adapter) base(pageURL string) string {
	u, err := url.Parse(pageURL)
	if err != nil || u.Host == "" {
		return strings.TrimRight(pageURL, "/")
	}
	host := strings.ToLower(u.Hostname())
	path := strings.TrimRight(u.Path, "/")
	for _, file := range []string{"/incidents.json", "/products.json", "/feed.atom", "/summary", "/en"} {
		path = strings.TrimSuffix(path, file)
	}
	switch {
	case host == "www.google.com" || host == "google.com" || host == "workspace.google.com":
		return "https://www.google.com/appsstatus/dashboard"
	case host == "ads.google.com" && path == "":
		path = "/status/publisher"
	}
	return u.Scheme + "://" + u.Host + path
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{}
	d.doc.Platform = a.Platform()
	d.doc.Page = downwind.Page{Name: "Google Cloud", URL: "https://status.cloud.google.com/"}
	if a.Platform() == Workspace {
		d.doc.Page = downwind.Page{Name: "Google Workspace", URL: "https://www.google.com/appsstatus/dashboard/"}
	}
	d.doc.Without = []downwind.Kind{downwind.KindMaintenance}
	for _, p := range ps {
		if feeds.Shape(p.Body) == "xml" {
			if len(ps) == 1 {
				return a.decodeFeed(p)
			}
			continue
		}
		if onOtherPage(p.URL, d.doc.Page.URL) {
			d.doc.Page = downwind.Page{URL: a.base(p.URL) + "/"}
		}
		if err := d.read(p.Body); err != nil {
			return downwind.Document{}, err
		}
	}
	if !d.known {
		return downwind.Document{}, fmt.Errorf("neither incidents nor products of a Google dashboard: %w", downwind.ErrUnreadable)
	}
	d.states()
	return d.doc, nil
}

// onOtherPage reports an address of another dashboard than the one that the platform word means.
func onOtherPage(address, page string) bool {
	return address != "" && !strings.HasPrefix(address, page)
}

type decoder struct {
	doc   downwind.Document
	known bool
	// open holds the worst state that an open incident gives a product.
	open map[string]downwind.Status
	// listed says that the incidents were among the payloads, so that products without one are well.
	listed bool
}

func (d *decoder) read(body []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		var list []wireIncident
		if err := feeds.DecodeJSON(body, &list); err != nil {
			return err
		}
		d.known, d.listed = true, true
		for i := range list {
			d.add(&list[i])
		}
		return nil
	}
	var w wireProducts
	if err := feeds.DecodeJSON(body, &w); err != nil {
		return err
	}
	if !feeds.Has(body, 256, `"products"`) {
		return nil
	}
	d.known = true
	for _, c := range w.Products {
		if c.ID != "" || c.Title != "" {
			d.doc.Components = append(d.doc.Components, component(c))
		}
	}
	return nil
}

func component(w wireNamed) downwind.Component {
	return downwind.Component{ID: string(w.ID), Name: feeds.PlainLine(string(w.Title))}
}

// states gives each product the state that the open incidents tell.
func (d *decoder) states() {
	for i := range d.doc.Components {
		c := &d.doc.Components[i]
		switch s, ok := d.open[c.ID]; {
		case ok:
			c.Status = s
		case d.listed:
			c.Status = downwind.Operational
		default:
			c.Status = downwind.StatusUnknown
		}
	}
}

func (d *decoder) add(w *wireIncident) {
	inc := downwind.Incident{
		ID: string(w.ID), Kind: downwind.KindIncident, Title: title(w), URL: address(d.doc.Page.URL, string(w.URI)),
		Phase: downwind.Investigating, Impact: d.impact(w), StartedAt: w.Begin.Time, ResolvedAt: w.End.Time,
	}
	if inc.ID == "" {
		inc.ID = string(w.Number)
	}
	if inc.ID == "" && inc.Title == "" && len(w.Updates) == 0 {
		return
	}
	if inc.URL == d.doc.Page.URL && inc.ID != "" {
		inc.URL += "incidents/" + inc.ID
	}
	for _, p := range w.Products {
		if p.ID != "" || p.Title != "" {
			inc.Components = append(inc.Components, component(p))
		}
	}
	if len(inc.Components) == 0 && w.Service != "" && w.Service != "Multiple Products" {
		inc.Components = []downwind.Component{{ID: string(w.Key), Name: feeds.PlainLine(string(w.Service))}}
	}
	inc.Regions = regions(w)
	if len(w.Updates) == 0 && w.Recent != nil {
		w.Updates = feeds.List[wireUpdate]{*w.Recent}
	}
	for i := range w.Updates {
		inc.Updates = append(inc.Updates, d.update(w, &w.Updates[i]))
	}
	feeds.Tidy(&inc)
	d.phase(&inc, w)
	feeds.Tidy(&inc)
	if inc.StartedAt.IsZero() {
		inc.StartedAt = w.Created.Time
	}
	feeds.StartFromUpdates(&inc)
	if !inc.Phase.Over() {
		d.raise(&inc, string(w.Impact))
	}
	d.doc.Incidents = append(d.doc.Incidents, inc)
}

// phase sets the state of the whole: over with an end or when the newest update says that all is available.
func (d *decoder) phase(inc *downwind.Incident, w *wireIncident) {
	inc.ResolvedAt = w.End.Time
	last := inc.Latest()
	switch {
	case last != nil && last.Phase == downwind.Postmortem:
		inc.Phase = downwind.Postmortem
	case !w.End.IsZero(), last != nil && last.Phase == downwind.Resolved:
		inc.Phase = downwind.Resolved
	}
}

// incidentReport is how Google heads the report that follows an incident.
var incidentReport = pattern.New(`(?i)^\W*(mini |preliminary |full )?incident report`)

func (d *decoder) update(w *wireIncident, u *wireUpdate) downwind.Update {
	out := downwind.Update{Body: feeds.PlainText(string(u.Text)), PostedAt: u.When.Time}
	if out.PostedAt.IsZero() {
		out.PostedAt = u.Created.Time
	}
	if !u.Created.IsZero() && u.Modified.Sub(u.Created.Time).Seconds() > 1 {
		out.EditedAt = u.Modified.Time
	}
	switch u.Status {
	case "AVAILABLE":
		out.Phase = downwind.Resolved
		if !w.End.IsZero() && out.PostedAt.After(w.End.Time) && incidentReport.MatchString(out.Body[:min(len(out.Body), 200)]) {
			out.Phase = downwind.Postmortem
		}
	case "SERVICE_INFORMATION", "SERVICE_DISRUPTION", "SERVICE_OUTAGE":
		out.Phase = downwind.Investigating
	case "":
	default:
		out.Phase = downwind.PhaseUnknown
		feeds.Unknown(&d.doc, "phase", string(u.Status))
	}
	out.ID = feeds.ContentID("update", out.PostedAt.String())
	return out
}

// impact reads the grade: what kind of trouble, and how severe Google calls it.
func (d *decoder) impact(w *wireIncident) downwind.Impact {
	switch w.Impact {
	case "SERVICE_INFORMATION":
		return downwind.ImpactMinor
	case "SERVICE_DISRUPTION":
		if w.Severity == "low" {
			return downwind.ImpactMinor
		}
		return downwind.ImpactMajor
	case "SERVICE_OUTAGE":
		return downwind.ImpactCritical
	case "AVAILABLE":
		return downwind.ImpactNone
	case "":
	default:
		feeds.Unknown(&d.doc, "impact", string(w.Impact))
		return downwind.ImpactUnknown
	}
	impact, ok := feeds.ImpactOf(string(w.Severity))
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(w.Severity))
	}
	return impact
}

// raise notes what an open incident does to its products.
func (d *decoder) raise(inc *downwind.Incident, impact string) {
	s := downwind.Degraded
	switch impact {
	case "SERVICE_DISRUPTION":
		s = downwind.PartialOutage
	case "SERVICE_OUTAGE":
		s = downwind.MajorOutage
	}
	if d.open == nil {
		d.open = map[string]downwind.Status{}
	}
	for _, c := range inc.Components {
		if s.Rank() > d.open[c.ID].Rank() || d.open[c.ID] == "" {
			d.open[c.ID] = s
		}
	}
}

// heading is a label in bold that a description may begin with.
var heading = pattern.New(`(?i)\*\*\s*title\s*:?\s*\*\*\s*:?\s*`)

// title is the first line of the description: after "**Title:**" where that stands, without a state word.
func title(w *wireIncident) string {
	s := string(w.Desc)
	if at := heading.FindStringIndex(s); at != nil {
		s = strings.TrimLeft(s[at[1]:], " \t\r\n")
		s, _, _ = strings.Cut(s, "\n")
		s, _, _ = strings.Cut(s, "**Description")
	}
	s, _ = feeds.TrimState(feeds.PlainLine(s))
	if s == "" && w.Service != "" {
		return feeds.PlainLine(string(w.Service))
	}
	return s
}

func address(page, uri string) string {
	if strings.Contains(uri, "://") {
		return uri
	}
	return page + strings.TrimLeft(uri, "/")
}

// regions collects the places of the incident's whole life, by id.
func regions(w *wireIncident) []string {
	var out []string
	seen := map[string]bool{}
	add := func(list []wireNamed) {
		for _, l := range list {
			name := feeds.PlainLine(string(l.ID))
			if name == "" {
				name = feeds.PlainLine(string(l.Title))
			}
			if name != "" && !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	add(w.Current)
	add(w.Previous)
	for _, u := range w.Updates {
		add(u.Locations)
	}
	return out
}
