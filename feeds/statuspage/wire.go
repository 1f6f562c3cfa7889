package statuspage

import (
	"encoding/json"

	"downwind/feeds"
)

// The structs of this file mirror what /api/v2/*.json of a Statuspage says. Only what is read is listed.

// answer is the union of all answers: every file of the API has "page" and one or more of the lists.
type answer struct {
	Page         page                      `json:"page"`
	Status       json.RawMessage           `json:"status"`
	Components   feeds.List[wireComponent] `json:"components"`
	Incidents    feeds.List[wireIncident]  `json:"incidents"`
	Maintenances feeds.List[wireIncident]  `json:"scheduled_maintenances"`
	// Incident is the only one of an answer about one, and of a message to a webhook.
	Incident *wireIncident `json:"incident"`

	// What the answer has at all decides what it can say.
	has struct{ components, incidents, maintenances bool }
}

type page struct {
	ID   feeds.Str `json:"id"`
	Name feeds.Str `json:"name"`
	URL  feeds.Str `json:"url"`
}

type wireComponent struct {
	ID      feeds.Str `json:"id"`
	Name    feeds.Str `json:"name"`
	Status  feeds.Str `json:"status"`
	Group   bool      `json:"group"`
	GroupID feeds.Str `json:"group_id"`
}

type wireIncident struct {
	ID             feeds.Str                 `json:"id"`
	Name           feeds.Str                 `json:"name"`
	Status         feeds.Str                 `json:"status"`
	Impact         feeds.Str                 `json:"impact"`
	Shortlink      feeds.Str                 `json:"shortlink"`
	CreatedAt      feeds.Stamp               `json:"created_at"`
	StartedAt      feeds.Stamp               `json:"started_at"`
	UpdatedAt      feeds.Stamp               `json:"updated_at"`
	ResolvedAt     feeds.Stamp               `json:"resolved_at"`
	ScheduledFor   feeds.Stamp               `json:"scheduled_for"`
	ScheduledUntil feeds.Stamp               `json:"scheduled_until"`
	Components     feeds.List[wireComponent] `json:"components"`
	Updates        feeds.List[wireUpdate]    `json:"incident_updates"`
}

type wireUpdate struct {
	ID        feeds.Str                `json:"id"`
	Status    feeds.Str                `json:"status"`
	Body      feeds.Str                `json:"body"`
	DisplayAt feeds.Stamp              `json:"display_at"`
	CreatedAt feeds.Stamp              `json:"created_at"`
	UpdatedAt feeds.Stamp              `json:"updated_at"`
	Affected  feeds.List[wireAffected] `json:"affected_components"`
}

type wireAffected struct {
	Code      feeds.Str `json:"code"`
	Name      feeds.Str `json:"name"`
	OldStatus feeds.Str `json:"old_status"`
	NewStatus feeds.Str `json:"new_status"`
}
