package openstatus

import (
	"encoding/json"

	"downwind/feeds"
)

// wire is /feed/json.
type wire struct {
	Title    feeds.Str               `json:"title"`
	URL      feeds.Str               `json:"url"`
	Status   feeds.Str               `json:"status"`
	Monitors feeds.List[wireMonitor] `json:"monitors"`
	// Parts are what the page shows, its monitors among them; older versions have the monitors alone.
	Parts        feeds.List[wireMonitor] `json:"pageComponents"`
	Groups       feeds.List[wireMonitor] `json:"pageComponentGroups"`
	Reports      feeds.List[wireReport]  `json:"statusReports"`
	Maintenances feeds.List[wireWork]    `json:"maintenances"`
}

// wireMonitor is a monitor, a part of the page or a group of parts, or only its id. Parts have the state of their monitor.
type wireMonitor struct {
	ID      feeds.Str `json:"id"`
	Name    feeds.Str `json:"name"`
	Status  feeds.Str `json:"status"`
	Monitor feeds.Str `json:"monitorId"`
	Group   feeds.Str `json:"groupId"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *wireMonitor) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return m.ID.UnmarshalJSON(b)
	}
	type object wireMonitor
	_ = json.Unmarshal(b, (*object)(m)) // fields of another type are left out
	return nil
}

type wireReport struct {
	ID       feeds.Str               `json:"id"`
	Title    feeds.Str               `json:"title"`
	Status   feeds.Str               `json:"status"`
	Monitors feeds.List[wireMonitor] `json:"monitors"`
	Parts    feeds.List[wireMonitor] `json:"pageComponents"`
	Updates  feeds.List[wireUpdate]  `json:"statusReportUpdates"`
	Plain    feeds.List[wireUpdate]  `json:"updates"`
}

type wireUpdate struct {
	ID      feeds.Str   `json:"id"`
	Status  feeds.Str   `json:"status"`
	Message feeds.Str   `json:"message"`
	Date    feeds.Stamp `json:"date"`
}

type wireWork struct {
	ID       feeds.Str               `json:"id"`
	Title    feeds.Str               `json:"title"`
	Name     feeds.Str               `json:"name"`
	Message  feeds.Str               `json:"message"`
	From     feeds.Stamp             `json:"from"`
	To       feeds.Stamp             `json:"to"`
	Monitors feeds.List[wireMonitor] `json:"monitors"`
	Parts    feeds.List[wireMonitor] `json:"pageComponents"`
	Updates  feeds.List[wireUpdate]  `json:"maintenanceUpdates"`
}
