package gcloud

import (
	"strings"
	"time"
	_ "time/tzdata" // Pacific time must be known on every machine

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// span is the first sentence of a feed entry: when the incident began and ended, in the zone that it names.
var span = pattern.New(`(?i)incident began at\s+(\d{4}-\d\d-\d\d \d\d:\d\d)(?:\s+and ended at\s+(\d{4}-\d\d-\d\d \d\d:\d\d))?(?:[^)(]{0,40}\(all times are ([A-Za-z_]+(?:/[A-Za-z_]+)*)\))?`)

// decodeFeed reads the Atom feed: one entry per update, the link naming the incident, the state before the title.
func (a Adapter) decodeFeed(p feeds.Payload) (downwind.Document, error) {
	f, err := feeds.ReadFeed(p)
	if err != nil {
		return downwind.Document{}, err
	}
	doc := downwind.Document{
		Platform: a.Platform(), Page: downwind.Page{Name: f.Title, URL: f.Link},
		Without: []downwind.Kind{downwind.KindMaintenance},
	}
	at := map[string]int{}
	for _, it := range f.Items {
		id, update := feedID(it)
		if id == "" {
			id = feeds.ContentID(it.Title, it.Updated.String())
		}
		i, ok := at[id]
		if !ok {
			i = len(doc.Incidents)
			at[id] = i
			title, _ := feeds.TrimState(it.Title)
			doc.Incidents = append(doc.Incidents, downwind.Incident{
				ID: id, Kind: downwind.KindIncident, Title: title, URL: it.Link, Impact: downwind.ImpactUnknown,
			})
		}
		addEntry(&doc.Incidents[i], it, update)
	}
	for i := range doc.Incidents {
		inc := &doc.Incidents[i]
		end := inc.ResolvedAt
		feeds.Tidy(inc)
		if u := inc.Latest(); u != nil {
			inc.Phase = u.Phase
		}
		if inc.Phase.Over() {
			inc.ResolvedAt = end
		}
		feeds.Tidy(inc)
		feeds.StartFromUpdates(inc)
	}
	return doc, nil
}

// feedID takes incident and update out of "tag:host,2022:feed:<incident>.<update>", else the incident out of the link.
func feedID(it feeds.Item) (incident, update string) {
	last := it.ID[strings.LastIndexByte(it.ID, ':')+1:]
	if incident, update, ok := strings.Cut(last, "."); ok && !strings.Contains(last, "/") {
		return incident, update
	}
	link := strings.TrimRight(it.Link, "/")
	return link[strings.LastIndexByte(link, '/')+1:], it.ID
}

// addEntry adds one entry to its incident. Entries come newest first: what is set already is newer.
func addEntry(inc *downwind.Incident, it feeds.Item, update string) {
	text := feeds.PlainText(it.HTML)
	_, phase := feeds.TrimState(it.Title)
	if phase == "" {
		phase = downwind.Investigating
	}
	posted := it.Updated
	if posted.IsZero() {
		posted = it.Published
	}
	inc.Updates = append(inc.Updates, downwind.Update{ID: update, Phase: phase, Body: text, PostedAt: posted})
	flat := strings.Join(strings.Fields(text[:min(len(text), 1000)]), " ")
	if m := span.FindStringSubmatch(flat); m != nil {
		if begin := zoned(m[1], m[3]); inc.StartedAt.IsZero() {
			inc.StartedAt = begin
		}
		if end := zoned(m[2], m[3]); inc.ResolvedAt.IsZero() {
			inc.ResolvedAt = end
		}
	}
	for _, name := range listed(text, "Affected products:") {
		inc.Components = append(inc.Components, downwind.Component{Name: name})
	}
	seen := map[string]bool{}
	for _, r := range inc.Regions {
		seen[r] = true
	}
	for _, place := range listed(text, "Affected locations:") {
		if i := strings.LastIndexByte(place, '('); i >= 0 && strings.HasSuffix(place, ")") {
			place = place[i+1 : len(place)-1]
		}
		if place != "" && !seen[place] {
			seen[place] = true
			inc.Regions = append(inc.Regions, place)
		}
	}
}

// zoned reads a wall-clock time of a zone by its name; US/Pacific is what Google means without one.
func zoned(clock, zone string) time.Time {
	if clock == "" {
		return time.Time{}
	}
	if zone == "" {
		zone = "US/Pacific"
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || strings.EqualFold(zone, "local") {
		return time.Time{}
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", clock, loc)
	if err != nil || t.Year() < 1990 {
		return time.Time{}
	}
	return t.UTC()
}

// listed reads the line that a label begins, as a list with commas.
func listed(text, label string) []string {
	i := strings.LastIndex(text, label)
	if i < 0 {
		return nil
	}
	line, _, _ := strings.Cut(text[i+len(label):], "\n")
	var out []string
	for _, name := range strings.SplitN(line, ",", 500) {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}
