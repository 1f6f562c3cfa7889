package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"downwind"
)

// A Page serves the invented provider's status page (Statuspage v2 JSON) as it stands at the clock's time.
type Page struct {
	Clock downwind.Clock
	// URL is the page's own address, as it stands in its links.
	URL string
}

func sortTimes(ts []time.Time) { slices.SortFunc(ts, time.Time.Compare) }

type object = map[string]any

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := p.Clock.Now()
	var doc object
	switch r.URL.Path {
	case "/api/v2/summary.json":
		doc = object{
			"components": p.components(now), "incidents": p.entries(now, false, true),
			"scheduled_maintenances": p.entries(now, true, true), "status": p.status(now),
		}
	case "/api/v2/incidents.json":
		doc = object{"incidents": p.entries(now, false, false)}
	case "/api/v2/scheduled-maintenances.json":
		doc = object{"scheduled_maintenances": p.entries(now, true, false)}
	case "/api/v2/components.json":
		doc = object{"components": p.components(now)}
	case "/api/v2/status.json":
		doc = object{"status": p.status(now)}
	default:
		http.NotFound(w, r)
		return
	}
	body, err := p.document(doc, now)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body) // a reader that went away is its own affair
}

// document writes an answer with the page first, as Statuspage does.
func (p *Page) document(rest object, now time.Time) ([]byte, error) {
	page, err := json.Marshal(object{
		"id": "nimbusrelay01", "name": "Nimbus Relay", "url": p.URL, "time_zone": "Etc/UTC", "updated_at": stamp(now.Truncate(time.Hour)),
	})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"page":`), page...), append([]byte{','}, body[1:]...)...), nil
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// state is the newest state of a component at a time.
func state(id string, now time.Time) string {
	s, at := operational, time.Time{}
	for _, e := range story {
		for _, p := range e.posts {
			if v, ok := p.states[id]; ok && !p.at.After(now) && p.at.After(at) {
				s, at = v, p.at
			}
		}
	}
	return s
}

func (p *Page) components(now time.Time) []object {
	var out []object
	groups := map[string]string{}
	for _, c := range components {
		if c.group != "" && groups[c.group] == "" {
			id := "grp-" + strings.ToLower(strings.ReplaceAll(c.group, " ", "-"))
			groups[c.group] = id
			out = append(out, object{"id": id, "name": c.group, "status": operational, "group": true, "group_id": nil})
		}
		out = append(out, component(c, now, groups[c.group]))
	}
	return out
}

func component(c part, now time.Time, group string) object {
	o := object{"id": c.id, "name": c.name, "status": state(c.id, now), "group": false, "group_id": nil, "page_id": "nimbusrelay01"}
	if group != "" {
		o["group_id"] = group
	}
	return o
}

func (p *Page) status(now time.Time) object {
	indicator, words := "none", "All Systems Operational"
	for _, e := range story {
		if i := e.at(now); i != nil && i["resolved_at"] == nil && e.from.IsZero() {
			indicator, words = i["impact"].(string), "Partial System Outage"
		}
	}
	return object{"indicator": indicator, "description": words}
}

// entries lists incidents or maintenances as they stand, newest first; open leaves out what is over.
func (p *Page) entries(now time.Time, planned, open bool) []object {
	out := []object{}
	for _, e := range slices.Backward(story) {
		if planned == e.from.IsZero() {
			continue
		}
		i := e.at(now)
		if i == nil || open && i["resolved_at"] != nil {
			continue
		}
		i["shortlink"] = p.URL + "/incidents/" + e.id
		out = append(out, i)
	}
	return out
}

// at renders the entry as it stands at a time; nil before its first post.
func (e *entry) at(now time.Time) object {
	var updates []object
	linked := map[string]bool{}
	before := map[string]string{}
	status, resolved, changed := "", time.Time{}, time.Time{}
	for _, p := range e.posts {
		if p.at.After(now) {
			break
		}
		body, edited := p.body, p.at
		for _, ed := range p.edits {
			if !ed.at.After(now) {
				body, edited = ed.body, ed.at
			}
		}
		status = p.status
		if status == "resolved" || status == "completed" {
			resolved = p.at
		}
		changed = edited
		u := object{
			"id": p.id, "status": p.status, "body": body, "incident_id": e.id, "created_at": stamp(p.at), "updated_at": stamp(edited),
			"display_at": stamp(p.at), "affected_components": affected(p, before, linked),
		}
		if p.status == "postmortem" {
			u["display_at"] = nil
		}
		updates = append(updates, u)
	}
	if len(updates) == 0 {
		return nil
	}
	impact := ""
	for _, g := range e.impact {
		if impact == "" || !g.at.After(now) {
			impact = g.level
		}
	}
	slices.Reverse(updates)
	comps := []object{}
	for _, c := range components {
		if linked[c.id] {
			comps = append(comps, component(c, now, ""))
		}
	}
	i := object{
		"id": e.id, "name": e.title, "status": status, "impact": impact, "created_at": stamp(e.posts[0].at), "started_at": stamp(e.posts[0].at),
		"updated_at": stamp(changed), "monitoring_at": nil, "resolved_at": stamp(resolved), "page_id": "nimbusrelay01",
		"incident_updates": updates, "components": comps,
	}
	if !e.from.IsZero() {
		i["scheduled_for"], i["scheduled_until"] = stamp(e.from), stamp(e.until)
	}
	return i
}

// affected lists the states that a post gives, and remembers them.
func affected(p post, before map[string]string, linked map[string]bool) any {
	var out []object
	for _, c := range components {
		s, ok := p.states[c.id]
		if !ok {
			continue
		}
		old := before[c.id]
		if old == "" {
			old = operational
		}
		before[c.id], linked[c.id] = s, true
		name := c.name
		if c.group != "" {
			name = c.group + " - " + c.name
		}
		out = append(out, object{"code": c.id, "name": name, "old_status": old, "new_status": s})
	}
	if out == nil {
		return nil
	}
	return out
}
