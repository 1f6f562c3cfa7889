package aws

import (
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// regionEnd finds the region at the end of a service's key, "directconnect-eu-central-1".
var regionEnd = pattern.New(`-([a-z]{2}(?:-[a-z]+){1,2}-\d)$`)

// splitKey parts a key into service and region; a key without a region is of a global service.
func splitKey(key string) (service, region string) {
	if m := regionEnd.FindStringSubmatchIndex(key); m != nil {
		return key[:m[0]], key[m[2]:m[3]]
	}
	return key, ""
}

// quiet is how long an event of the feed may be silent before the next item of its key is another event: inside one event the
// longest gap seen was under seven hours.
const quiet = 24 * time.Hour

// decodeFeed reads the feed of updates. Its items name a service's key and a time and no event: items of one key are one event
// until one says that it is over, or a day passes. An event is named by its oldest item.
func decodeFeed(doc *downwind.Document, p feeds.Payload) error {
	f, err := feeds.ReadFeed(p)
	if err != nil {
		return err
	}
	if f.Title != "" {
		doc.Page.Name = f.Title
	}
	open := map[string]int{} // service key to the place of its event that may go on
	last := map[string]time.Time{}
	for i := len(f.Items) - 1; i >= 0; i-- { // oldest first
		it := f.Items[i]
		key := itemKey(it.ID)
		at := it.Published
		n, known := open[key]
		if !known || key == "" || at.Sub(last[key]) > quiet {
			n = len(doc.Incidents)
			doc.Incidents = append(doc.Incidents, newEvent(key, it))
		}
		open[key], last[key] = n, at
		inc := &doc.Incidents[n]
		title, over := summary(it.Title)
		inc.Title = title
		if i := feedImpact(it.Title); inc.Impact == downwind.ImpactUnknown || i.Rank() > inc.Impact.Rank() && i != downwind.ImpactUnknown {
			inc.Impact = i
		}
		u := downwind.Update{ID: it.ID, Phase: downwind.Investigating, Body: feeds.PlainText(it.HTML), PostedAt: at}
		if over {
			u.Phase = downwind.Resolved
			delete(open, key)
		}
		inc.Phase = u.Phase
		inc.Updates = append(inc.Updates, u)
	}
	slices.Reverse(doc.Incidents)
	for i := range doc.Incidents {
		feeds.Tidy(&doc.Incidents[i])
		feeds.StartFromUpdates(&doc.Incidents[i])
	}
	return nil
}

// itemKey is the service's key in a guid "https://status.aws.amazon.com/#ec2-us-east-1_1650000000", empty in any other.
func itemKey(guid string) string {
	_, mark, ok := strings.Cut(guid, "#")
	if !ok {
		return ""
	}
	key, _, ok := strings.Cut(mark, "_")
	if !ok {
		return ""
	}
	return key
}

func newEvent(key string, it feeds.Item) downwind.Incident {
	inc := downwind.Incident{ID: it.ID, Kind: downwind.KindIncident, URL: it.Link, Impact: downwind.ImpactUnknown}
	if _, mark, ok := strings.Cut(it.ID, "#"); ok && mark != "" {
		inc.ID = mark
	}
	if key == "" {
		return inc
	}
	service, region := splitKey(key)
	if service != "multipleservices" {
		inc.Components = []downwind.Component{{ID: key, Name: service}}
	}
	if region != "" {
		inc.Regions = []string{region}
	}
	return inc
}

func feedImpact(title string) downwind.Impact {
	switch {
	case strings.HasPrefix(title, "Service disruption:"):
		return downwind.ImpactCritical
	case strings.HasPrefix(title, "Service impact:"), strings.HasPrefix(title, "Service degradation:"):
		return downwind.ImpactMajor
	case strings.HasPrefix(title, "Informational message:"):
		return downwind.ImpactMinor
	}
	return downwind.ImpactUnknown
}
