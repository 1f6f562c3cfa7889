package gcloud

import "downwind/feeds"

// wireIncident is one element of incidents.json.
type wireIncident struct {
	ID       feeds.Str   `json:"id"`
	Number   feeds.Str   `json:"number"`
	Begin    feeds.Stamp `json:"begin"`
	Created  feeds.Stamp `json:"created"`
	End      feeds.Stamp `json:"end"`
	Desc     feeds.Str   `json:"external_desc"`
	Impact   feeds.Str   `json:"status_impact"`
	Severity feeds.Str   `json:"severity"`
	Service  feeds.Str   `json:"service_name"`
	Key      feeds.Str   `json:"service_key"`
	URI      feeds.Str   `json:"uri"`

	Updates  feeds.List[wireUpdate] `json:"updates"`
	Recent   *wireUpdate            `json:"most_recent_update"`
	Products feeds.List[wireNamed]  `json:"affected_products"`
	Current  feeds.List[wireNamed]  `json:"currently_affected_locations"`
	Previous feeds.List[wireNamed]  `json:"previously_affected_locations"`
}

type wireUpdate struct {
	Created   feeds.Stamp           `json:"created"`
	Modified  feeds.Stamp           `json:"modified"`
	When      feeds.Stamp           `json:"when"`
	Text      feeds.Str             `json:"text"`
	Status    feeds.Str             `json:"status"`
	Locations feeds.List[wireNamed] `json:"affected_locations"`
}

// wireNamed is a product or a location.
type wireNamed struct {
	Title feeds.Str `json:"title"`
	ID    feeds.Str `json:"id"`
}

// wireProducts is products.json.
type wireProducts struct {
	Products feeds.List[wireNamed] `json:"products"`
}
