// Package aws reads the public AWS Health Dashboard: the lists of current and of past events, the RSS feeds of updates, and the
// data.json of the dashboard before 2022.
//
// The list is UTF-16 with a byte order mark, and [] on a quiet day. Its states are digits, sometimes strings and sometimes
// numbers: 0 ended, 1 informational, 2 degraded, 3 disrupted. Events carry their region in the ARN.
package aws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const pageURL = "https://health.aws.amazon.com/health/status"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "aws" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return host == "health.aws.amazon.com" || host == "status.aws.amazon.com"
}

// Claims implements feeds.Adapter. An empty list without an address is claimed too: this is the one platform that answers
// so all day, and it says nothing wrong.
func (a Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch feeds.Shape(b) {
	case "json":
		switch {
		case feeds.Has(b, 8192, `"arn:aws`, `"event_log"`), feeds.Has(b, 8192, `"event_log"`, `"impacted_services"`):
			return 95
		case feeds.Has(b, 4096, `"archive"`, `"service_name"`, `"date"`), feeds.Has(b, 4096, `"current"`, `"service_name"`, `"date"`):
			return 88
		case string(bytes.Join(bytes.Fields(b[:min(len(b), 64)]), nil)) == "[]" && (p.URL == "" || a.ours(p.URL)):
			return 35
		}
	case "xml":
		if feeds.Has(b, 4096, "<rss", "AWS Service Health Dashboard RSS Generator") || feeds.Has(b, 4096, "<rss", "://status.aws.amazon.com/#") {
			return 93
		}
	}
	return 0
}

func (a Adapter) ours(address string) bool {
	u, err := url.Parse(address)
	return err == nil && a.ClaimsHost(strings.ToLower(u.Hostname()))
}

// Endpoints implements feeds.Adapter. The feeds have no ids of events, so a page is read from its list alone.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	if strings.HasSuffix(page, ".rss") || strings.HasSuffix(page, "/currentevents") {
		return []feeds.Endpoint{{URL: page}}
	}
	return []feeds.Endpoint{{URL: feeds.JoinURL("https://health.aws.amazon.com", "/public/currentevents")}}
}

type wireEvent struct {
	Date     feeds.Stamp            `json:"date"`
	ARN      feeds.Str              `json:"arn"`
	Region   feeds.Str              `json:"region_name"`
	Status   feeds.Str              `json:"status"`
	Service  feeds.Str              `json:"service"`
	Name     feeds.Str              `json:"service_name"`
	Summary  feeds.Str              `json:"summary"`
	Log      feeds.List[wireLog]    `json:"event_log"`
	Impacted map[string]wireService `json:"impacted_services"`
	End      feeds.Stamp            `json:"end_time"`
}

type wireLog struct {
	Summary feeds.Str   `json:"summary"`
	Message feeds.Str   `json:"message"`
	Status  feeds.Str   `json:"status"`
	At      feeds.Stamp `json:"timestamp"`
}

type wireService struct {
	Name    feeds.Str `json:"service_name"`
	Current feeds.Str `json:"current"`
	Max     feeds.Str `json:"max"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{Platform: a.Platform(), Page: downwind.Page{Name: "Amazon Web Services", URL: pageURL}}
	for _, p := range ps {
		body := bytes.TrimSpace(p.Body)
		switch {
		case feeds.Shape(p.Body) == "xml":
			if err := decodeFeed(&doc, p); err != nil {
				return downwind.Document{}, err
			}
		case bytes.HasPrefix(body, []byte("[")):
			var events feeds.List[wireEvent]
			if err := feeds.DecodeJSON(p.Body, &events); err != nil {
				return downwind.Document{}, err
			}
			doc.OpenOnly = true
			for i := range events {
				doc.Incidents = append(doc.Incidents, events[i].incident(&doc))
			}
		case feeds.Has(body, 8192, `"event_log"`):
			if err := decodePast(&doc, p.Body); err != nil {
				return downwind.Document{}, err
			}
		default:
			if err := decodeOld(&doc, p.Body); err != nil {
				return downwind.Document{}, err
			}
		}
	}
	if len(ps) == 0 {
		return downwind.Document{}, fmt.Errorf("no answer of the AWS Health Dashboard: %w", downwind.ErrUnreadable)
	}
	doc.Without = []downwind.Kind{downwind.KindMaintenance}
	return doc, nil
}

// decodePast reads historyevents.json: the events of a year by service, each with the fields of the current ones. One that
// concerns several services stands under each of them.
func decodePast(doc *downwind.Document, body []byte) error {
	var services map[string]json.RawMessage
	if err := feeds.DecodeJSON(body, &services); err != nil {
		return err
	}
	seen := map[feeds.Str]bool{}
	for _, key := range slices.Sorted(maps.Keys(services)) {
		var events feeds.List[wireEvent]
		if feeds.DecodeJSON(services[key], &events) != nil {
			continue
		}
		for i := range events {
			e := &events[i]
			if e.ARN != "" && seen[e.ARN] {
				continue
			}
			if seen[e.ARN] = true; e.Service == "" {
				e.Service = feeds.Str(key)
			}
			doc.Incidents = append(doc.Incidents, e.incident(doc))
		}
	}
	return nil
}

func (e *wireEvent) incident(doc *downwind.Document) downwind.Incident {
	title, over := summary(string(e.Summary))
	inc := downwind.Incident{
		ID: string(e.ARN), Kind: downwind.KindIncident, Title: title, Phase: downwind.Investigating,
		StartedAt: e.Date.Time, ResolvedAt: e.End.Time,
	}
	worst := grade(doc, e.Status)
	for _, key := range sortedKeys(e.Impacted) {
		s := e.Impacted[key]
		c := downwind.Component{ID: key, Name: feeds.PlainLine(string(s.Name)), Status: status(grade(doc, s.Max))}
		if c.Name == "" {
			c.Name = key
		}
		worst = max(worst, grade(doc, s.Max))
		inc.Components = append(inc.Components, c)
	}
	name := feeds.PlainLine(string(e.Name))
	if name == "" && e.Service != "multipleservices" {
		name, _ = splitKey(feeds.PlainLine(string(e.Service)))
	}
	if len(inc.Components) == 0 && name != "" && name != "Multiple services" {
		inc.Components = []downwind.Component{{ID: string(e.Service), Name: name, Status: status(worst)}}
	}
	inc.Impact = impact(worst)
	if region := e.region(); region != "" {
		inc.Regions = []string{region}
	}
	if e.ARN != "" {
		inc.URL = pageURL + "?eventID=" + string(e.ARN)
	} else { // neither the title nor the oldest post stays
		inc.ID = feeds.ContentID(string(e.Service), e.Date.UTC().Format(time.RFC3339))
	}
	for _, l := range e.Log {
		u := downwind.Update{Phase: downwind.Investigating, Body: feeds.PlainText(string(l.Message)), PostedAt: l.At.Time}
		if !l.At.IsZero() {
			u.ID = fmt.Sprint(l.At.Unix())
		}
		if _, ended := summary(string(l.Summary)); ended || l.Status == "0" {
			u.Phase = downwind.Resolved
		}
		inc.Updates = append(inc.Updates, u)
	}
	if over || e.Status == "0" || !e.End.IsZero() {
		inc.Phase = downwind.Resolved
	}
	feeds.Tidy(&inc)
	feeds.StartFromUpdates(&inc)
	return inc
}

// region is the code in the ARN (arn:aws:health:<region>::event/…), else the end of the service's key, else the name.
func (e *wireEvent) region() string {
	if f := strings.SplitN(string(e.ARN), ":", 6); len(f) == 6 && f[3] != "" {
		return f[3]
	}
	if _, region := splitKey(string(e.Service)); region != "" {
		return region
	}
	return feeds.PlainLine(string(e.Region))
}

// summary cuts what the title says of the state, and tells whether it says that the event is over.
func summary(s string) (title string, over bool) {
	title = feeds.PlainLine(s)
	for _, prefix := range []string{"Service is operating normally: ", "Service impact: ", "Service disruption: ", "Service degradation: ", "Informational message: "} {
		if rest, ok := strings.CutPrefix(title, prefix); ok {
			title, over = rest, strings.HasPrefix(prefix, "Service is operating")
			break
		}
	}
	if rest, phase := feeds.TrimState(title); phase == downwind.Resolved {
		return rest, true
	}
	return title, over
}

// grade reads a state digit; what nobody knows is the least that is known to be felt, and is said.
func grade(doc *downwind.Document, s feeds.Str) int {
	switch s {
	case "", "0":
		return 0
	case "1", "2", "3":
		return int(s[0] - '0')
	}
	feeds.Unknown(doc, "status", string(s))
	return 1
}

func status(grade int) downwind.Status {
	return []downwind.Status{downwind.StatusUnknown, downwind.Degraded, downwind.PartialOutage, downwind.MajorOutage}[grade]
}

func impact(grade int) downwind.Impact {
	return []downwind.Impact{downwind.ImpactUnknown, downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical}[grade]
}

func sortedKeys(m map[string]wireService) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
