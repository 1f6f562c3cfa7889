package statuspal

import "downwind/feeds"

// wire is the answer of /status_pages/<subdomain>/summary; /status has the page only. Times have no zone.
type wire struct {
	Page *struct {
		ID   feeds.Str `json:"id"`
		Name feeds.Str `json:"name"`
		URL  feeds.Str `json:"url"`
	} `json:"status_page"`
	Services     feeds.List[wireService]  `json:"services"`
	Incidents    feeds.List[wireIncident] `json:"incidents"`
	Maintenances feeds.List[wireIncident] `json:"maintenances"`
	Upcoming     feeds.List[wireIncident] `json:"upcoming_maintenances"`
}

type wireService struct {
	ID       feeds.Str               `json:"id"`
	Name     feeds.Str               `json:"name"`
	Type     feeds.Str               `json:"current_incident_type"`
	Children feeds.List[wireService] `json:"children"`
}

type wireIncident struct {
	ID       feeds.Str               `json:"id"`
	Title    feeds.Str               `json:"title"`
	Type     feeds.Str               `json:"type"`
	URL      feeds.Str               `json:"url"`
	Services feeds.List[feeds.Str]   `json:"service_ids"`
	Starts   feeds.Stamp             `json:"starts_at"`
	Ends     feeds.Stamp             `json:"ends_at"`
	Updates  feeds.List[wireUpdate]  `json:"updates"`
	Latest   *wireUpdate             `json:"latest_update"`
	Named    feeds.List[wireService] `json:"services"`
	Inserted feeds.Stamp             `json:"inserted_at"`
	// Current is the newest text, which version 1 of the API gives in place of the updates.
	Current *wireUpdate `json:"current_status"`
}

type wireUpdate struct {
	ID          feeds.Str   `json:"id"`
	Type        feeds.Str   `json:"type"`
	Description feeds.Str   `json:"description"`
	Posted      feeds.Stamp `json:"posted_at"`
	Inserted    feeds.Stamp `json:"inserted_at"`
}
