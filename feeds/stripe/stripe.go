// Package stripe reads the JSON of the status page that Stripe wrote itself, /current/full and the older /current. Stripe's
// page of today is a Statuspage; this one has a word for the whole, a mark for each service, and one message.
package stripe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const pageURL = "https://status.stripe.com"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "stripe" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "status.stripe.com" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	switch {
	case feeds.Shape(b) != "json":
		return 0
	case bytes.Contains(b, []byte(`"UptimeStatus"`)), feeds.Has(b, 8192, `"largestatus"`, `"statuses"`):
		return 92
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/current/full")}}
}

type wire struct {
	Uptime   feeds.Str               `json:"UptimeStatus"`
	Large    feeds.Str               `json:"largestatus"`
	Message  feeds.Str               `json:"message"`
	Services feeds.List[wireService] `json:"uptimeData"`
	Statuses map[string]feeds.Str    `json:"statuses"`
}

type wireService struct {
	Key     feeds.Str       `json:"key"`
	Title   feeds.Str       `json:"title"`
	Warning json.RawMessage `json:"warning"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{
		Platform: a.Platform(), Page: downwind.Page{Name: "Stripe", URL: pageURL},
		OpenOnly: true, Without: []downwind.Kind{downwind.KindMaintenance},
	}
	read := false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		word := w.Uptime
		if word == "" {
			word = w.Large
		}
		if word == "" && w.Services == nil && len(w.Statuses) == 0 || read {
			continue
		}
		read = true
		add(&doc, &w, word)
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of Stripe's own status page: %w", downwind.ErrUnreadable)
	}
	return doc, nil
}

func add(doc *downwind.Document, w *wire, word feeds.Str) {
	for _, s := range w.Services {
		c := downwind.Component{ID: string(s.Key), Name: feeds.PlainLine(string(s.Title)), Status: downwind.Operational}
		if c.Name == "" {
			c.Name = c.ID
		}
		if m := strings.TrimSpace(string(s.Warning)); m != "" && m != "null" && m != "false" && m != `""` {
			c.Status = downwind.Degraded
		}
		if c.Name != "" {
			doc.Components = append(doc.Components, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.Statuses)) {
		doc.Components = append(doc.Components, downwind.Component{ID: key, Name: key, Status: status(doc, w.Statuses[key])})
	}
	whole := status(doc, word)
	var hit []downwind.Component
	for _, c := range doc.Components {
		if c.Status.Rank() > 1 {
			hit = append(hit, c)
			if whole == downwind.Operational || whole == downwind.StatusUnknown {
				whole = c.Status
			}
		}
	}
	if whole.Rank() < 2 {
		return
	}
	inc := downwind.Incident{
		ID: "current", Kind: downwind.KindIncident, Title: feeds.PlainLine(string(w.Message)), URL: pageURL,
		Phase: downwind.Investigating, Impact: downwind.ImpactMinor, Components: hit,
	}
	if whole == downwind.MajorOutage {
		inc.Impact = downwind.ImpactCritical
	}
	if inc.Title == "" {
		inc.Title = "Stripe: " + string(whole)
	} else {
		inc.Updates = []downwind.Update{{Phase: downwind.Investigating, Body: feeds.PlainText(string(w.Message))}}
	}
	feeds.Tidy(&inc)
	doc.Incidents = append(doc.Incidents, inc)
}

func status(doc *downwind.Document, word feeds.Str) downwind.Status {
	s, ok := feeds.StatusOf(string(word))
	if !ok {
		feeds.Unknown(doc, "status", string(word))
	}
	return s
}
