package instatus

import (
	"encoding/json"
	"maps"
	"slices"

	"downwind/feeds"
)

// name is a text, plain or localised: {"default": …, "en": …}; without those two the first language by its code counts.
type name string

// UnmarshalJSON implements json.Unmarshaler.
func (n *name) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var words map[string]feeds.Str
		if json.Unmarshal(b, &words) != nil {
			return nil
		}
		for _, key := range append([]string{"default", "en"}, slices.Sorted(maps.Keys(words))...) {
			if v := words[key]; v != "" {
				*n = name(v)
				return nil
			}
		}
		return nil
	}
	var s feeds.Str
	if err := s.UnmarshalJSON(b); err != nil {
		return err
	}
	*n = name(s)
	return nil
}

// The structs below mirror the three answers of a page. Only what is read is listed.

// wire is the union of all answers.
type wire struct {
	Page *struct {
		Name   name      `json:"name"`
		URL    feeds.Str `json:"url"`
		Status feeds.Str `json:"status"`
	} `json:"page"`
	Site *struct {
		ID     feeds.Str `json:"id"`
		Name   name      `json:"name"`
		Custom feeds.Str `json:"customDomain"`
		Sub    feeds.Str `json:"subdomain"`
	} `json:"site"`
	Incidents    feeds.List[wireEntry]     `json:"activeIncidents"`
	Maintenances feeds.List[wireEntry]     `json:"activeMaintenances"`
	Components   feeds.List[wireComponent] `json:"components"`

	// past says that the incidents are those of a history.
	past bool
}

type wireEntry struct {
	ID         feeds.Str                 `json:"id"`
	Name       name                      `json:"name"`
	Started    feeds.Stamp               `json:"started"`
	Start      feeds.Stamp               `json:"start"`
	Resolved   feeds.Stamp               `json:"resolved"`
	Status     feeds.Str                 `json:"status"`
	Impact     feeds.Str                 `json:"impact"`
	URL        feeds.Str                 `json:"url"`
	Duration   feeds.Str                 `json:"duration"`
	Components feeds.List[wireComponent] `json:"components"`
	Updates    feeds.List[wireUpdate]    `json:"updates"`
}

type wireUpdate struct {
	ID      feeds.Str   `json:"id"`
	Started feeds.Stamp `json:"started"`
	Created feeds.Stamp `json:"createdAt"`
	Status  feeds.Str   `json:"status"`
	Message name        `json:"message"`
	HTML    name        `json:"messageHtml"`
}

// wireComponent is a component or a parent; a child of a parent is an object, or only the child's id.
type wireComponent struct {
	ID       feeds.Str                 `json:"id"`
	Name     name                      `json:"name"`
	Status   feeds.Str                 `json:"status"`
	Parent   bool                      `json:"isParent"`
	Children feeds.List[wireComponent] `json:"children"`
	Group    wireGroup                 `json:"group"`
	GroupID  feeds.Str                 `json:"groupId"`
}

// wireGroup is what a component says of its group: null, the group's id or name, or an object with both.
type wireGroup struct {
	ID   feeds.Str
	Name name
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *wireGroup) UnmarshalJSON(b []byte) error {
	*g = wireGroup{}
	if len(b) > 0 && b[0] == '{' {
		var object struct {
			ID   feeds.Str `json:"id"`
			Name name      `json:"name"`
		}
		if json.Unmarshal(b, &object) == nil {
			g.ID, g.Name = object.ID, object.Name
		}
		return nil
	}
	return g.ID.UnmarshalJSON(b)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *wireComponent) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return c.ID.UnmarshalJSON(b)
	}
	type object wireComponent
	return json.Unmarshal(b, (*object)(c))
}
