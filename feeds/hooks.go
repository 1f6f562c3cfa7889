package feeds

import (
	"bytes"
	"encoding/json"
	"fmt"

	"downwind"
)

// hook is the body of a webhook as Statuspage sends it, and as incident.io does where its pages are compatible: the page
// and one incident, or the page and one component. incident.io also wraps the object in a field named by the event.
type hook struct {
	EventType string          `json:"event_type"`
	Page      json.RawMessage `json:"page"`
	Incident  json.RawMessage `json:"incident"`
	Component json.RawMessage `json:"component"`
}

// DecodeHook reads the body that a status page posts to its subscribers. The document is partial: it holds the one incident
// or the one component that the hook is about, and what is missing says nothing. Incident and update ids are those of the
// page's JSON, so that a hook and the poll after it tell the same thing once.
func DecodeHook(adapters []Adapter, provider string, p Payload) (downwind.Document, error) {
	body := ToUTF8(p.Body, p.ContentType)
	var h hook
	if err := DecodeJSON(body, &h); err != nil {
		return downwind.Document{}, fmt.Errorf("webhook: %w", err)
	}
	if h.EventType != "" && empty(h.Incident) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err == nil {
			h.unwrap(fields[h.EventType])
		}
	}
	list := ""
	object := h.Incident
	switch {
	case !empty(h.Incident):
		list = "incidents"
		var planned struct {
			ScheduledFor Str `json:"scheduled_for"`
			Impact       Str `json:"impact"`
		}
		if json.Unmarshal(h.Incident, &planned) == nil && (planned.ScheduledFor != "" || planned.Impact == "maintenance") {
			list = "scheduled_maintenances"
		}
	case !empty(h.Component):
		list, object = "components", h.Component
	default:
		return downwind.Document{}, fmt.Errorf("webhook with neither incident nor component: %w", downwind.ErrInvalid)
	}
	if empty(h.Page) {
		h.Page = json.RawMessage(`{"id":"webhook","name":""}`)
	}
	p.Body = fmt.Appendf(nil, `{"page":%s,%q:[%s]}`, h.Page, list, object)
	a, err := Sniff(adapters, p)
	if err != nil {
		return downwind.Document{}, fmt.Errorf("webhook: %w", err)
	}
	doc := DecodeAs(a, provider, []Payload{p})
	doc.Partial = true
	if !doc.Readable() {
		return downwind.Document{}, fmt.Errorf("webhook: %s: %w", doc.Error, downwind.ErrUnreadable)
	}
	return doc, nil
}

// unwrap takes the object of an event: with page and incident inside, or the incident itself.
func (h *hook) unwrap(object json.RawMessage) {
	var inner hook
	if empty(object) || json.Unmarshal(object, &inner) != nil {
		return
	}
	if empty(inner.Incident) && empty(inner.Component) {
		h.Incident = object
		return
	}
	h.Incident, h.Component = inner.Incident, inner.Component
	if !empty(inner.Page) {
		h.Page = inner.Page
	}
}

func empty(b json.RawMessage) bool {
	b = bytes.TrimSpace(b)
	return len(b) == 0 || bytes.Equal(b, []byte("null")) || bytes.Equal(b, []byte("{}"))
}
