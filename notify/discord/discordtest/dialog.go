package discordtest

import (
	"encoding/json"
	"fmt"
)

// dialog is a modal as a bot sends it.
type dialog struct {
	CustomID   string `json:"custom_id"`
	Title      string `json:"title"`
	Components []part `json:"components"`
}

// part is a component of a dialog: text (10), or a label (18) around a field.
type part struct {
	Type        int    `json:"type"`
	CustomID    string `json:"custom_id"`
	Label       string `json:"label"`
	Description string `json:"description"`
	Content     string `json:"content"`
	Placeholder string `json:"placeholder"`
	Value       string `json:"value"`
	Style       int    `json:"style"`
	MaxLength   int    `json:"max_length"`
	MaxValues   int    `json:"max_values"`
	Options     []struct {
		Label string `json:"label"`
		Value string `json:"value"`
	} `json:"options"`
	Component *part `json:"component"`
}

// ValidateDialog reports what Discord would refuse in a modal.
func ValidateDialog(raw json.RawMessage) []string {
	var d dialog
	if err := json.Unmarshal(raw, &d); err != nil {
		return []string{"dialog: " + err.Error()}
	}
	var out []string
	bad := func(format string, a ...any) { out = append(out, "dialog: "+fmt.Sprintf(format, a...)) }
	within := func(what, s string, least, most int) {
		if n := size(s); n < least || n > most {
			bad("%s of %d, %d to %d", what, n, least, most)
		}
	}
	within("custom_id", d.CustomID, 1, 100)
	within("title", d.Title, 1, 45)
	if n := len(d.Components); n < 1 || n > 5 {
		bad("%d components, 1 to 5", n)
	}
	ids := map[string]bool{}
	for _, p := range d.Components {
		switch {
		case p.Type == 10:
			within("text", p.Content, 1, 4000)
		case p.Type == 18 && p.Component != nil:
			within("label", p.Label, 1, 45)
			within("description", p.Description, 0, 100)
			p.Component.validate(bad, within)
			if ids[p.Component.CustomID] {
				bad("custom_id %q twice", p.Component.CustomID)
			}
			ids[p.Component.CustomID] = true
		default:
			bad("component of type %d at the top", p.Type)
		}
	}
	return out
}

// validate checks the field of a label.
func (p *part) validate(bad func(string, ...any), within func(string, string, int, int)) {
	within("custom_id of a field", p.CustomID, 1, 100)
	switch p.Type {
	case 3:
		if len(p.Options) < 1 || len(p.Options) > 25 {
			bad("%d options, 1 to 25", len(p.Options))
		}
		for _, o := range p.Options {
			within("option", o.Label, 1, 100)
			within("option's value", o.Value, 1, 100)
		}
	case 4:
		within("placeholder", p.Placeholder, 0, 100)
		within("value", p.Value, 0, 4000)
		if p.Style != 1 && p.Style != 2 || p.MaxLength > 4000 || p.MaxLength > 0 && size(p.Value) > p.MaxLength {
			bad("text input of style %d with max_length %d and %d characters", p.Style, p.MaxLength, size(p.Value))
		}
	case 19:
		if p.MaxValues > 10 {
			bad("%d files, at most 10", p.MaxValues)
		}
	default:
		bad("field of type %d", p.Type)
	}
}

// Submit is the request of a dialog that comes back filled in: texts by custom_id, chosen values, and files made by
// AddAttachment. Fields that are not named come back as they were shown.
func (i Interaction) Submit(texts map[string]string, chosen map[string][]string, files map[string][]map[string]any) (Request, error) {
	var d dialog
	if err := json.Unmarshal(i.Data, &d); err != nil || i.Type != 9 {
		return Request{}, fmt.Errorf("interaction %s was not answered with a dialog: %s", i.ID, i.Data)
	}
	resolved := map[string]any{}
	var components []any
	for _, p := range d.Components {
		if p.Component == nil {
			components = append(components, map[string]any{"type": p.Type})
			continue
		}
		f := map[string]any{"type": p.Component.Type, "custom_id": p.Component.CustomID}
		switch p.Component.Type {
		case 4:
			f["value"] = p.Component.Value
			if t, ok := texts[p.Component.CustomID]; ok {
				f["value"] = t
			}
		case 3:
			f["values"] = append([]string{}, chosen[p.Component.CustomID]...)
		case 19:
			ids := []string{}
			for _, a := range files[p.Component.CustomID] {
				id, _ := a["id"].(string)
				ids = append(ids, id)
				resolved[id] = a
			}
			f["values"] = ids
		}
		components = append(components, map[string]any{"type": p.Type, "component": f})
	}
	return Request{Type: 5, Data: map[string]any{
		"custom_id": d.CustomID, "components": components, "resolved": map[string]any{"attachments": resolved},
	}}, nil
}

// OnMessage is the request of a message command used on a message with files made by AddAttachment.
func OnMessage(name string, files ...map[string]any) Request {
	return Request{Type: 2, Data: map[string]any{
		"id": "2", "name": name, "type": 3, "target_id": "4711",
		"resolved": map[string]any{"messages": map[string]any{"4711": map[string]any{"id": "4711", "content": "", "attachments": files}}},
	}}
}
