// Package ibm reads the notification feed of IBM Cloud: RSS whose bodies end in labelled lines (Type, Regions, Resources,
// Outage Start, Outage End). News of the product stands between the incidents.
package ibm

import (
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "ibm" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "cloud.ibm.com" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	if feeds.Shape(p.Body) == "xml" && feeds.Has(p.Body, 8192, "<rss", "cloud.ibm.com/status") {
		return 92
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(strings.TrimSuffix(page, "/status"), "/status/api/notifications/feed.rss")}}
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform()}
	for _, p := range ps {
		f, err := feeds.ReadFeed(p)
		if err != nil {
			return downwind.Document{}, err
		}
		doc.Page = downwind.Page{Name: f.Title, URL: f.Link}
		at := map[string]int{}
		for i := range f.Items {
			inc := incident(&doc, &f.Items[i])
			if n, ok := at[inc.ID]; ok && inc.ID != "" { // newest first: what stands there is newer
				merge(&doc.Incidents[n], inc)
				continue
			}
			at[inc.ID] = len(doc.Incidents)
			doc.Incidents = append(doc.Incidents, inc)
		}
	}
	for i := range doc.Incidents {
		feeds.Tidy(&doc.Incidents[i])
		if doc.Incidents[i].Kind == downwind.KindMaintenance {
			feeds.StartMaintenance(&doc.Incidents[i])
		}
	}
	return doc, nil
}

// label begins one of the lines at the end; each ends where the next begins.
var label = pattern.New(`\b(Type|Regions|Resources|Locations|(?:Outage|Maintenance|Event) Start|(?:Outage|Maintenance|Event) End|Update)\s*:\s*`)

// trailer parts a body from its labelled lines; the last of equal labels counts. Prose that happens to hold such a word
// before the line "Type:" stays prose.
func trailer(text string) (body string, fields map[string]string) {
	begin := strings.LastIndex(text, "Type:")
	if begin < 0 {
		return text, nil
	}
	fields = map[string]string{}
	rest := text[begin:]
	marks := label.FindAllStringSubmatchIndex(rest, -1)
	for i, m := range marks {
		end := len(rest)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		name := rest[m[2]:m[3]]
		if _, when, ok := strings.Cut(name, " "); ok {
			name = when // "Outage Start" and its like
		}
		fields[name] = strings.TrimSpace(rest[m[1]:end])
	}
	return strings.TrimSpace(text[:begin]), fields
}

func incident(doc *downwind.Document, it *feeds.Item) downwind.Incident {
	body, fields := trailer(feeds.PlainText(it.HTML))
	title, phase := feeds.TrimState(it.Title)
	inc := downwind.Incident{Kind: downwind.KindIncident, Title: title, URL: it.Link, Phase: phase, Impact: downwind.ImpactUnknown}
	if inc.ID = feeds.LastPart(it.ID); inc.ID == "" {
		inc.ID = feeds.LastPart(it.Link)
	}
	for _, r := range list(fields["Regions"]) {
		inc.Regions = append(inc.Regions, strings.ToLower(r))
	}
	for _, r := range list(fields["Resources"]) {
		inc.Components = append(inc.Components, downwind.Component{ID: r, Name: r})
	}
	start, started := feeds.ParseTime(fields["Start"])
	end, ended := feeds.ParseTime(fields["End"])
	switch kind := strings.ToLower(fields["Type"]); kind {
	case "maintenance":
		inc.Kind, inc.Impact, inc.ScheduledFor, inc.ScheduledUntil = downwind.KindMaintenance, downwind.ImpactMaintenance, start, end
		if inc.Phase == "" || inc.Phase == downwind.Investigating {
			inc.Phase = downwind.Scheduled
		}
		if inc.Phase == downwind.Resolved {
			inc.Phase = downwind.Completed
		}
	case "announcement", "release", "security":
		inc.Kind = downwind.KindNotice
	default:
		if kind != "incident" && kind != "" {
			feeds.Unknown(doc, "type", kind)
		}
		if started {
			inc.StartedAt = start
		}
		if ended {
			inc.Phase, inc.ResolvedAt = downwind.Resolved, end
		}
		if inc.Phase == "" {
			inc.Phase = downwind.Investigating
		}
	}
	if inc.Phase == "" {
		inc.Phase = downwind.PhaseUnknown
	}
	inc.Updates = []downwind.Update{{Phase: inc.Phase, Body: body, PostedAt: it.Published}}
	return inc
}

// merge adds an older item of the same notification.
func merge(inc *downwind.Incident, older downwind.Incident) {
	inc.Updates = append(inc.Updates, older.Updates...)
	inc.Components = append(inc.Components, older.Components...)
	if inc.StartedAt.IsZero() {
		inc.StartedAt = older.StartedAt
	}
}

func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
