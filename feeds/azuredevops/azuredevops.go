// Package azuredevops reads the health of Azure DevOps: a word for every service in every geography, and nothing else. It has
// no incidents, so a service that is not healthy makes one of its own, which ends when the service is healthy again.
package azuredevops

import (
	"bytes"
	"fmt"
	"strings"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

const pageURL = "https://status.dev.azure.com"

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "azuredevops" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool { return host == "status.dev.azure.com" }

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	b := p.Body
	if feeds.Shape(b) == "json" && bytes.Contains(b, []byte(`"geographies"`)) && bytes.Contains(b, []byte(`"health"`)) && bytes.Contains(b, []byte(`"services"`)) {
		return 92
	}
	return 0
}

// Endpoints implements feeds.Adapter. The answer is cached there for a minute.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	if strings.Contains(page, "/_apis/") {
		return []feeds.Endpoint{{URL: page}}
	}
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/_apis/status/health?api-version=7.1-preview.1")}}
}

type wire struct {
	Status   wireHealth              `json:"status"`
	Services feeds.List[wireService] `json:"services"`
}

type wireHealth struct {
	Health  feeds.Str `json:"health"`
	Message feeds.Str `json:"message"`
}

type wireService struct {
	ID     feeds.Str             `json:"id"`
	Places feeds.List[wirePlace] `json:"geographies"`
}

type wirePlace struct {
	ID     feeds.Str `json:"id"`
	Name   feeds.Str `json:"name"`
	Health feeds.Str `json:"health"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	doc := downwind.Document{
		Platform: a.Platform(), Page: downwind.Page{Name: "Azure DevOps", URL: pageURL},
		OpenOnly: true, Without: []downwind.Kind{downwind.KindMaintenance},
	}
	read, worst := false, 0
	var whole wireHealth
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Services == nil && w.Status.Health == "" {
			continue
		}
		read, whole = true, w.Status
		for i := range w.Services {
			worst = max(worst, add(&doc, &w.Services[i]))
		}
	}
	if !read {
		return downwind.Document{}, fmt.Errorf("no health of Azure DevOps: %w", downwind.ErrUnreadable)
	}
	if g := grade(&doc, whole.Health); g > 0 && worst == 0 { // the whole says what no service does
		inc := incident("all", "Azure DevOps: "+feeds.PlainLine(string(whole.Health)), g)
		if body := feeds.PlainText(string(whole.Message)); body != "" {
			inc.Updates = []downwind.Update{{Phase: downwind.Investigating, Body: body}}
		}
		feeds.Tidy(&inc)
		doc.Incidents = append(doc.Incidents, inc)
	}
	return doc, nil
}

// add reads one service and returns its worst grade.
func add(doc *downwind.Document, s *wireService) int {
	name := feeds.PlainLine(string(s.ID))
	if name == "" {
		return 0
	}
	for _, c := range doc.Components {
		if strings.HasPrefix(c.ID, name+"/") { // listed twice
			return 0
		}
	}
	worst, word := 0, ""
	var hit []downwind.Component
	var places []string
	for _, p := range s.Places {
		place := feeds.PlainLine(string(p.Name))
		if place == "" {
			place = feeds.PlainLine(string(p.ID))
		}
		g := grade(doc, p.Health)
		c := downwind.Component{ID: name + "/" + string(p.ID), Name: name, Group: place, Status: status(g, p.Health)}
		doc.Components = append(doc.Components, c)
		if g == 0 {
			continue
		}
		hit, places = append(hit, c), append(places, place)
		if g > worst {
			worst, word = g, feeds.PlainLine(string(p.Health))
		}
	}
	if worst > 0 {
		inc := incident("health-"+name, name+": "+word, worst)
		inc.Components, inc.Regions = hit, places
		feeds.Tidy(&inc)
		doc.Incidents = append(doc.Incidents, inc)
	}
	return worst
}

func incident(id, title string, grade int) downwind.Incident {
	impact := downwind.ImpactMinor
	if grade == 3 {
		impact = downwind.ImpactMajor
	}
	return downwind.Incident{ID: id, Kind: downwind.KindIncident, Title: title, URL: pageURL, Phase: downwind.Investigating, Impact: impact}
}

// grade reads a word of health: 0 healthy or not stated, 1 advisory, 2 degraded, 3 unhealthy. Words that nobody knows make
// no incident, and are said.
func grade(doc *downwind.Document, word feeds.Str) int {
	switch strings.ToLower(string(word)) {
	case "", "healthy", "unknown", "notset":
		return 0
	case "advisory":
		return 1
	case "degraded":
		return 2
	case "unhealthy":
		return 3
	}
	feeds.Unknown(doc, "health", string(word))
	return 0
}

func status(grade int, word feeds.Str) downwind.Status {
	switch {
	case grade == 3:
		return downwind.MajorOutage
	case grade > 0:
		return downwind.Degraded
	case strings.EqualFold(string(word), "healthy"):
		return downwind.Operational
	}
	return downwind.StatusUnknown
}
