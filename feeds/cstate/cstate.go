// Package cstate reads cState pages: index.json, which lists the systems with their open issues, and the JSON of a single
// issue. Neither has updates; the text stands on the issue's page only.
package cstate

import (
	"bytes"
	"fmt"
	"strings"

	"downwind"
	"downwind/feeds"
	"downwind/internal/pattern"
)

// Adapter implements feeds.Adapter.
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "cstate" }

var isIssue = pattern.New(`"is"\s*:\s*"issue"`)

// Claims implements feeds.Adapter.
func (Adapter) Claims(p feeds.Payload) int {
	switch {
	case feeds.Shape(p.Body) != "json":
		return 0
	case feeds.Has(p.Body, 4096, `"cStateVersion"`):
		return 95
	case isIssue.Match(p.Body[:min(len(p.Body), 512)]) && feeds.Has(p.Body, 4096, `"permalink"`, `"affected"`):
		return 85
	}
	return 0
}

// Endpoints implements feeds.Adapter.
func (Adapter) Endpoints(page string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: feeds.JoinURL(page, "/index.json")}}
}

// ClaimsPage implements feeds.PageClaimer.
func (Adapter) ClaimsPage(html []byte) bool {
	return bytes.Contains(html, []byte("cstate/cstate")) || bytes.Contains(html, []byte("cState v"))
}

// Decode implements feeds.Adapter. The index lists what is open, a single issue only itself.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	d := decoder{doc: downwind.Document{Platform: a.Platform()}, groups: map[string]string{}, at: map[string]int{}}
	index, issues := false, false
	for _, p := range ps {
		var w wire
		if err := feeds.DecodeJSON(p.Body, &w); err != nil {
			return downwind.Document{}, err
		}
		if w.Is == "issue" {
			var one wireIssue
			if err := feeds.DecodeJSON(p.Body, &one); err != nil {
				return downwind.Document{}, err
			}
			d.issue(&one)
			issues = true
			continue
		}
		if w.Version == "" && w.Systems == nil {
			continue
		}
		index = true
		d.index(&w)
	}
	if !index && !issues {
		return downwind.Document{}, fmt.Errorf("no answer of a cState page: %w", downwind.ErrUnreadable)
	}
	d.doc.OpenOnly, d.doc.Partial = index, !index
	return d.doc, nil
}

type decoder struct {
	doc    downwind.Document
	groups map[string]string // system to category
	at     map[string]int    // issue id to its place
}

func (d *decoder) index(w *wire) {
	d.doc.Page = downwind.Page{Name: feeds.PlainLine(string(w.Title)), URL: string(w.BaseURL)}
	for _, s := range w.Systems {
		state, ok := status(s.Status)
		if !ok {
			feeds.Unknown(&d.doc, "status", string(s.Status))
		}
		c := downwind.Component{Name: feeds.PlainLine(string(s.Name)), Group: feeds.PlainLine(string(s.Category)), Status: state}
		if c.Group == "Uncategorized" {
			c.Group = ""
		}
		if c.ID = c.Name; d.has(c.Name) {
			c.ID = c.Group + "/" + c.Name
		} else { // issues name systems only: the first of a name is meant
			d.groups[c.Name] = c.Group
		}
		d.doc.Components = append(d.doc.Components, c)
	}
	for i := range w.Pinned {
		d.issue(&w.Pinned[i])
	}
	for i := range w.Systems {
		for j := range w.Systems[i].Issues {
			d.issue(&w.Systems[i].Issues[j])
		}
	}
}

func (d *decoder) has(name string) bool {
	_, ok := d.groups[name]
	return ok
}

// status reads the four words of a system.
func status(word feeds.Str) (s downwind.Status, ok bool) {
	switch strings.ToLower(string(word)) {
	case "ok":
		return downwind.Operational, true
	case "notice":
		return downwind.Degraded, true
	case "disrupted":
		return downwind.PartialOutage, true
	case "down":
		return downwind.MajorOutage, true
	}
	return feeds.StatusOf(string(word))
}

// issue adds an issue; one that stands below several systems, or is pinned as well, is added once.
func (d *decoder) issue(w *wireIssue) {
	inc := downwind.Incident{
		ID: w.id(), Kind: downwind.KindIncident, Title: feeds.PlainLine(string(w.Title)), URL: string(w.Permalink),
		Phase: downwind.Investigating, StartedAt: w.Created.Time, ResolvedAt: w.ResolvedAt.Time,
	}
	state, ok := status(w.Severity)
	if !ok {
		feeds.Unknown(&d.doc, "impact", string(w.Severity))
	}
	inc.Impact = grade(state)
	if w.Informational {
		inc.Kind, inc.Impact = downwind.KindNotice, downwind.ImpactNone
	}
	if w.Resolved || !w.ResolvedAt.IsZero() {
		inc.Phase = downwind.Resolved
	}
	for _, name := range w.Affected {
		c := downwind.Component{Name: feeds.PlainLine(string(name)), Status: state}
		if c.ID, c.Group = c.Name, d.groups[c.Name]; c.Name != "" {
			inc.Components = append(inc.Components, c)
		}
	}
	if body := feeds.PlainText(string(w.Body)); body != "" {
		inc.Updates = []downwind.Update{{ID: "text", Body: body, PostedAt: w.Created.Time, Phase: inc.Phase}}
	}
	end := inc.ResolvedAt
	feeds.Tidy(&inc)
	inc.ResolvedAt = end // as stated: the text's own time is that of the start
	if _, twice := d.at[inc.ID]; twice {
		return
	}
	d.at[inc.ID] = len(d.doc.Incidents)
	d.doc.Incidents = append(d.doc.Incidents, inc)
}

// id is the last part of the issue's address, else its file's name, empty without both.
func (w *wireIssue) id() string {
	if id := feeds.LastPart(string(w.Permalink)); id != "" {
		return id
	}
	return strings.TrimSuffix(string(w.Filename), ".md")
}

// grade turns the severity, which uses the words of a system's state, into an impact.
func grade(s downwind.Status) downwind.Impact {
	switch s {
	case downwind.Operational:
		return downwind.ImpactNone
	case downwind.Degraded:
		return downwind.ImpactMinor
	case downwind.PartialOutage:
		return downwind.ImpactMajor
	case downwind.MajorOutage:
		return downwind.ImpactCritical
	}
	return downwind.ImpactUnknown
}
