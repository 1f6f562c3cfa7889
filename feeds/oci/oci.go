// Package oci reads the status of Oracle Cloud Infrastructure: every service in every region is a component, and incidents are
// given by reference only, with their severity but without words.
package oci

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "oci" }

// OwnHosts implements feeds.OwnHosts.
func (Adapter) OwnHosts() {}

// ClaimsHost implements feeds.HostClaimer.
func (Adapter) ClaimsHost(host string) bool {
	return host == "ocistatus.oraclecloud.com" || strings.HasSuffix(host, ".ocistatus.oraclecloud.com")
}

// Claims implements feeds.Adapter. The word for the whole stands in a file like a Statuspage's, whose page has no id.
func (Adapter) Claims(p feeds.Payload) int {
	switch {
	case feeds.Shape(p.Body) != "json":
		return 0
	case feeds.Has(p.Body, 1024, `"regionHealthReports"`):
		return 95
	case feeds.Has(p.Body, 1024, `"page"`, `"indicator"`) && !feeds.Has(p.Body, 1024, `"id"`) && oracle.Match(p.Body[:min(len(p.Body), 1024)]):
		return 80
	}
	return 0
}

// oracle is a page's name as Oracle writes it.
var oracle = pattern.New(`"name"\s*:\s*"(?:OCI|Oracle)\b`)

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/api/v2/components.json")}}
}

// wire is components.json, or status.json with the word for the whole.
type wire struct {
	Regions feeds.List[wireRegion] `json:"regionHealthReports"`
	Page    struct {
		Name feeds.Str `json:"name"`
	} `json:"page"`
	Whole *struct {
		Indicator feeds.Str `json:"indicator"`
	} `json:"status"`
}

type wireRegion struct {
	Name     feeds.Str               `json:"regionName"`
	Key      feeds.Str               `json:"regionCanonicalName"`
	Services feeds.List[wireService] `json:"serviceHealthReports"`
}

type wireService struct {
	Name      feeds.Str                `json:"serviceName"`
	Key       feeds.Str                `json:"serviceCanonicalName"`
	Status    feeds.Str                `json:"serviceStatus"`
	Incidents feeds.List[wireIncident] `json:"incidents"`
}

type wireIncident struct {
	ID       feeds.Str `json:"incidentId"`
	Severity feeds.Str `json:"severity"`
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{
		Platform: a.Platform(), Page: downwind.Page{Name: "Oracle Cloud Infrastructure", URL: "https://ocistatus.oraclecloud.com"},
		OpenOnly: true, Without: []downwind.Kind{downwind.KindMaintenance},
	}, at: map[string]int{}}
	read, listed := false, false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if name := feeds.PlainLine(string(w.Page.Name)); name != "" {
			d.doc.Page.Name = name
		}
		read, listed = read || w.Whole != nil || w.Regions != nil, listed || w.Regions != nil
		for i := range w.Regions {
			d.region(&w.Regions[i])
		}
	}
	d.doc.Partial, d.doc.OpenOnly = !listed, listed
	if !read {
		return downwind.Document{}, fmt.Errorf("no answer of Oracle's status API: %w", downwind.ErrUnreadable)
	}
	for i := range d.doc.Incidents {
		inc := &d.doc.Incidents[i]
		inc.Title = title(inc)
		feeds.Tidy(inc)
	}
	return d.doc, nil
}

type decoder struct {
	doc downwind.Document
	at  map[string]int // incident id to its place
}

func (d *decoder) region(r *wireRegion) {
	place := feeds.PlainLine(string(r.Name))
	if place == "" {
		place = string(r.Key)
	}
	for _, s := range r.Services {
		state, ok := feeds.StatusOf(string(s.Status))
		if !ok {
			feeds.Unknown(&d.doc, "status", string(s.Status))
		}
		c := downwind.Component{ID: string(r.Key) + "/" + string(s.Key), Name: feeds.PlainLine(string(s.Name)), Group: place, Status: state}
		d.doc.Components = append(d.doc.Components, c)
		for _, ref := range s.Incidents {
			if ref.ID != "" {
				d.reference(ref, c, string(r.Key))
			}
		}
	}
}

// reference adds a component to the incident that it names. The list holds what is open.
func (d *decoder) reference(ref wireIncident, c downwind.Component, region string) {
	i, ok := d.at[string(ref.ID)]
	if !ok {
		i = len(d.doc.Incidents)
		d.at[string(ref.ID)] = i
		d.doc.Incidents = append(d.doc.Incidents, downwind.Incident{
			ID: string(ref.ID), Kind: downwind.KindIncident, URL: d.doc.Page.URL, Phase: downwind.Investigating,
			Impact: severity(&d.doc, ref.Severity),
		})
	}
	inc := &d.doc.Incidents[i]
	if inc.Impact == downwind.ImpactNone {
		inc.Kind = downwind.KindNotice
	}
	inc.Components = append(inc.Components, c)
	if region != "" && !slices.Contains(inc.Regions, region) {
		inc.Regions = append(inc.Regions, region)
	}
}

// severity reads the words of the API, which documents and clients spell differently.
func severity(doc *downwind.Document, word feeds.Str) downwind.Impact {
	switch strings.ToLower(string(word)) {
	case "", "informational", "normalperformance":
		return downwind.ImpactNone
	case "degradedperformance", "servicedegradation":
		return downwind.ImpactMinor
	case "partialoutage", "servicedisruption":
		return downwind.ImpactMajor
	case "majoroutage", "servicedown":
		return downwind.ImpactCritical
	}
	i, ok := feeds.ImpactOf(string(word))
	if !ok {
		feeds.Unknown(doc, "severity", string(word))
	}
	return i
}

// title makes up for the missing words: the services, three at most.
func title(inc *downwind.Incident) string {
	var names []string
	for _, c := range inc.Components {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if more := len(names) - 3; more > 0 {
		names = append(names[:3], fmt.Sprintf("%d more", more))
	}
	return "Incident with " + strings.Join(names, ", ")
}
