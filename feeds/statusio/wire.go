package statusio

import "downwind/feeds"

// wire is the answer of the call for the whole status of a page.
type wire struct {
	Result *struct {
		Overall     wireState             `json:"status_overall"`
		Status      feeds.List[wireState] `json:"status"`
		Incidents   feeds.List[wireEntry] `json:"incidents"`
		Maintenance struct {
			Active   feeds.List[wireEntry] `json:"active"`
			Upcoming feeds.List[wireEntry] `json:"upcoming"`
		} `json:"maintenance"`
	} `json:"result"`
}

// wireState is a service with its state as a code and as words.
type wireState struct {
	ID   feeds.Str `json:"id"`
	Name feeds.Str `json:"name"`
	Code feeds.Str `json:"status_code"`
	Word feeds.Str `json:"status"`
}

// wireEntry is an incident or a maintenance; its messages come oldest first. Clients and answers differ in the name of ids.
type wireEntry struct {
	ID         feeds.Str               `json:"_id"`
	OtherID    feeds.Str               `json:"id"`
	Code       feeds.Str               `json:"status_code"`
	Name       feeds.Str               `json:"name"`
	Open       feeds.Stamp             `json:"datetime_open"`
	Resolved   feeds.Stamp             `json:"datetime_resolved"`
	Closed     feeds.Stamp             `json:"datetime_closed"`
	Start      feeds.Stamp             `json:"datetime_planned_start"`
	End        feeds.Stamp             `json:"datetime_planned_end"`
	Messages   feeds.List[wireMessage] `json:"messages"`
	Components feeds.List[wireNamed]   `json:"components_affected"`
	Containers feeds.List[wireNamed]   `json:"containers_affected"`
}

type wireMessage struct {
	ID      feeds.Str   `json:"_id"`
	Details feeds.Str   `json:"details"`
	State   feeds.Str   `json:"state"`
	Status  feeds.Str   `json:"status"`
	At      feeds.Stamp `json:"datetime"`
}

type wireNamed struct {
	ID      feeds.Str `json:"_id"`
	OtherID feeds.Str `json:"id"`
	Name    feeds.Str `json:"name"`
}
