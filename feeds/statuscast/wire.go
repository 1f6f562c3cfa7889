package statuscast

import "downwind/feeds"

// The structs of this file mirror components.json and incidents.json. Keys come in changing case; encoding/json does not mind.

type wireComponent struct {
	ID     feeds.Str `json:"id"`
	Text   feeds.Str `json:"text"`
	Name   feeds.Str `json:"name"`
	Parent feeds.Str `json:"parent"`
	Status feeds.Str `json:"CurrentStatus"`
}

type wireIncident struct {
	ID         feeds.Str                 `json:"Id"`
	Title      feeds.Str                 `json:"Title"`
	Status     feeds.Str                 `json:"Status"`
	Type       feeds.Str                 `json:"IncidentType"`
	ShortURL   feeds.Str                 `json:"ShortUrl"`
	URL        feeds.Str                 `json:"Url"`
	Posted     feeds.Stamp               `json:"DateToPost"`
	Started    feeds.Stamp               `json:"DateStarted"`
	Ended      feeds.Stamp               `json:"DateEnded"`
	Resolved   feeds.Stamp               `json:"DateResolved"`
	Start      feeds.Stamp               `json:"ScheduledStart"`
	End        feeds.Stamp               `json:"ScheduledEnd"`
	Message    feeds.Str                 `json:"Message"`
	Components feeds.List[wireComponent] `json:"AffectedComponents"`
	Updates    feeds.List[wireUpdate]    `json:"Updates"`
}

type wireUpdate struct {
	ID      feeds.Str   `json:"Id"`
	Status  feeds.Str   `json:"Status"`
	Message feeds.Str   `json:"Message"`
	Text    feeds.Str   `json:"Text"`
	Posted  feeds.Stamp `json:"DateToPost"`
	Date    feeds.Stamp `json:"Date"`
}

// wireLists is an answer with its lists in an object.
type wireLists struct {
	Components feeds.List[wireComponent] `json:"components"`
	Incidents  feeds.List[wireIncident]  `json:"incidents"`
}
