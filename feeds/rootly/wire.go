package rootly

import (
	"encoding/json"

	"downwind/feeds"
)

// wire is /api/v1/status.json and /api/v1/incidents.json. The page is documented to have no id, which tells it from a
// Statuspage.
type wire struct {
	Page *struct {
		ID   feeds.Str `json:"id"`
		Name feeds.Str `json:"name"`
		URL  feeds.Str `json:"url"`
	} `json:"page"`
	Incidents  feeds.List[wireIncident] `json:"incidents"`
	Components feeds.List[wireNamed]    `json:"components"`
}

// wireIncident reads the names that Rootly uses for incidents of a status page and in its other interfaces.
type wireIncident struct {
	ID             feeds.Str              `json:"id"`
	Slug           feeds.Str              `json:"slug"`
	Title          feeds.Str              `json:"title"`
	Name           feeds.Str              `json:"name"`
	Status         feeds.Str              `json:"status"`
	Kind           feeds.Str              `json:"kind"`
	Impact         wireWord               `json:"impact"`
	Severity       wireWord               `json:"severity"`
	URL            feeds.Str              `json:"url"`
	Shortlink      feeds.Str              `json:"shortlink"`
	StartedAt      feeds.Stamp            `json:"started_at"`
	CreatedAt      feeds.Stamp            `json:"created_at"`
	ResolvedAt     feeds.Stamp            `json:"resolved_at"`
	ScheduledFor   feeds.Stamp            `json:"scheduled_for"`
	ScheduledUntil feeds.Stamp            `json:"scheduled_until"`
	Components     feeds.List[wireNamed]  `json:"components"`
	Affected       feeds.List[wireNamed]  `json:"affected_components"`
	Services       feeds.List[wireNamed]  `json:"services"`
	Functions      feeds.List[wireNamed]  `json:"functionalities"`
	Updates        feeds.List[wireUpdate] `json:"incident_updates"`
	Events         feeds.List[wireUpdate] `json:"events"`
	Plain          feeds.List[wireUpdate] `json:"updates"`
}

type wireUpdate struct {
	ID        feeds.Str   `json:"id"`
	Status    feeds.Str   `json:"status"`
	Body      feeds.Str   `json:"body"`
	Event     feeds.Str   `json:"event"`
	Message   feeds.Str   `json:"message"`
	DisplayAt feeds.Stamp `json:"display_at"`
	StartedAt feeds.Stamp `json:"started_at"`
	CreatedAt feeds.Stamp `json:"created_at"`
}

// wireNamed is a part of the service: an object, or its name alone.
type wireNamed struct {
	ID     feeds.Str `json:"id"`
	Name   feeds.Str `json:"name"`
	Status feeds.Str `json:"status"`
	Group  wireWord  `json:"group"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *wireNamed) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return n.Name.UnmarshalJSON(b)
	}
	type object wireNamed
	_ = json.Unmarshal(b, (*object)(n)) // fields of another type are left out
	return nil
}

// wireWord is a word, or an object with it as its name.
type wireWord string

// UnmarshalJSON implements json.Unmarshaler.
func (w *wireWord) UnmarshalJSON(b []byte) error {
	var s feeds.Str
	if len(b) > 0 && b[0] == '{' {
		var object struct {
			Name feeds.Str `json:"name"`
			Slug feeds.Str `json:"slug"`
		}
		if json.Unmarshal(b, &object) == nil {
			if s = object.Name; s == "" {
				s = object.Slug
			}
		}
	} else if err := s.UnmarshalJSON(b); err != nil {
		return err
	}
	*w = wireWord(s)
	return nil
}
