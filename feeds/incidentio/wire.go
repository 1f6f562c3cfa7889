package incidentio

import (
	"encoding/json"

	"downwind/feeds"
)

// The structs of this file mirror the four JSON shapes that incident.io pages serve. Only what is read is listed.

// answer is the union of the Statuspage-compatible files, the widget and the page's own data.
type answer struct {
	// Compatible: /api/v2/*.json.
	Page         *compatPage                 `json:"page"`
	Status       json.RawMessage             `json:"status"`
	Components   feeds.List[compatComponent] `json:"components"`
	Incidents    feeds.List[compatIncident]  `json:"incidents"`
	Maintenances json.RawMessage             `json:"scheduled_maintenances"`

	// Native: /proxy/<host>.
	Summary *nativeSummary `json:"summary"`

	// Widget: /api/v1/summary.
	PageTitle  feeds.Str                  `json:"page_title"`
	PageURL    feeds.Str                  `json:"page_url"`
	Ongoing    feeds.List[widgetIncident] `json:"ongoing_incidents"`
	InProgress feeds.List[widgetIncident] `json:"in_progress_maintenances"`

	// History: the page's list of past incidents with the times of their impacts.
	Links   feeds.List[historyLink] `json:"incident_links"`
	Impacts feeds.List[impact]      `json:"component_impacts"`
}

// isWidget tells the widget's answer; copies of it by others have an object for the page.
func (a *answer) isWidget() bool {
	return a.PageTitle != "" || a.PageURL != "" || a.Ongoing != nil || a.InProgress != nil
}

type compatPage struct {
	ID   feeds.Str `json:"id"`
	Name feeds.Str `json:"name"`
	URL  feeds.Str `json:"url"`
}

type compatComponent struct {
	ID      feeds.Str `json:"id"`
	Name    feeds.Str `json:"name"`
	Status  feeds.Str `json:"status"`
	Group   bool      `json:"group"`
	GroupID feeds.Str `json:"group_id"`
}

type compatIncident struct {
	ID             feeds.Str                   `json:"id"`
	Name           feeds.Str                   `json:"name"`
	Status         feeds.Str                   `json:"status"`
	Impact         feeds.Str                   `json:"impact"`
	Shortlink      feeds.Str                   `json:"shortlink"`
	CreatedAt      feeds.Stamp                 `json:"created_at"`
	StartedAt      feeds.Stamp                 `json:"started_at"`
	ResolvedAt     feeds.Stamp                 `json:"resolved_at"`
	ScheduledFor   feeds.Stamp                 `json:"scheduled_for"`
	ScheduledUntil feeds.Stamp                 `json:"scheduled_until"`
	Components     feeds.List[compatComponent] `json:"components"`
	Updates        feeds.List[compatUpdate]    `json:"incident_updates"`
}

type compatUpdate struct {
	ID        feeds.Str   `json:"id"`
	Status    feeds.Str   `json:"status"`
	Body      feeds.Str   `json:"body"`
	CreatedAt feeds.Stamp `json:"created_at"`
	DisplayAt feeds.Stamp `json:"display_at"`
	UpdatedAt feeds.Stamp `json:"updated_at"`
}

type nativeSummary struct {
	ID           feeds.Str                   `json:"id"`
	Name         feeds.Str                   `json:"name"`
	PublicURL    feeds.Str                   `json:"public_url"`
	Components   feeds.List[nativeComponent] `json:"components"`
	Affected     feeds.List[nativeState]     `json:"affected_components"`
	Ongoing      feeds.List[nativeIncident]  `json:"ongoing_incidents"`
	Maintenances feeds.List[nativeIncident]  `json:"scheduled_maintenances"`
	Structure    struct {
		Items feeds.List[nativeItem] `json:"items"`
	} `json:"structure"`
}

type nativeComponent struct {
	ID          feeds.Str `json:"id"`
	ComponentID feeds.Str `json:"component_id"`
	Name        feeds.Str `json:"name"`
}

type nativeItem struct {
	Component *nativeComponent `json:"component"`
	Group     *struct {
		Name       feeds.Str                   `json:"name"`
		Components feeds.List[nativeComponent] `json:"components"`
	} `json:"group"`
}

type nativeState struct {
	ComponentID   feeds.Str `json:"component_id"`
	Status        feeds.Str `json:"status"`
	CurrentStatus feeds.Str `json:"current_status"`
}

type nativeIncident struct {
	ID          feeds.Str                `json:"id"`
	Name        feeds.Str                `json:"name"`
	Status      feeds.Str                `json:"status"`
	Type        feeds.Str                `json:"type"`
	PublishedAt feeds.Stamp              `json:"published_at"`
	StartsAt    feeds.Stamp              `json:"starts_at"`
	EndsAt      feeds.Stamp              `json:"ends_at"`
	PlannedFrom feeds.Stamp              `json:"maintenance_starts_at"`
	PlannedTo   feeds.Stamp              `json:"maintenance_ends_at"`
	Affected    feeds.List[nativeState]  `json:"affected_components"`
	Impacts     feeds.List[impact]       `json:"component_impacts"`
	Updates     feeds.List[nativeUpdate] `json:"updates"`
}

type impact struct {
	ComponentID feeds.Str   `json:"component_id"`
	Incident    feeds.Str   `json:"status_page_incident_id"`
	Status      feeds.Str   `json:"status"`
	StartAt     feeds.Stamp `json:"start_at"`
	EndAt       feeds.Stamp `json:"end_at"`
}

type nativeUpdate struct {
	ID          feeds.Str               `json:"id"`
	Message     feeds.Str               `json:"message_string"`
	PublishedAt feeds.Stamp             `json:"published_at"`
	ToStatus    feeds.Str               `json:"to_status"`
	Components  feeds.List[nativeState] `json:"component_statuses"`
}

type widgetIncident struct {
	ID                feeds.Str                   `json:"id"`
	Name              feeds.Str                   `json:"name"`
	Status            feeds.Str                   `json:"status"`
	URL               feeds.Str                   `json:"url"`
	LastUpdateAt      feeds.Stamp                 `json:"last_update_at"`
	LastUpdateMessage feeds.Str                   `json:"last_update_message"`
	WorstImpact       feeds.Str                   `json:"current_worst_impact"`
	StartsAt          feeds.Stamp                 `json:"starts_at"`
	StartedAt         feeds.Stamp                 `json:"started_at"`
	EndsAt            feeds.Stamp                 `json:"ends_at"`
	ScheduledEndAt    feeds.Stamp                 `json:"scheduled_end_at"`
	Components        feeds.List[widgetComponent] `json:"affected_components"`
}

type widgetComponent struct {
	ID        feeds.Str `json:"id"`
	Name      feeds.Str `json:"name"`
	GroupName feeds.Str `json:"group_name"`
	Status    feeds.Str `json:"current_status"`
}

type historyLink struct {
	ID          feeds.Str   `json:"id"`
	Name        feeds.Str   `json:"name"`
	Permalink   feeds.Str   `json:"permalink"`
	PublishedAt feeds.Stamp `json:"published_at"`
	Status      feeds.Str   `json:"status"`
}
