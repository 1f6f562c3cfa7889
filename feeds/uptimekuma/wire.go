package uptimekuma

import (
	"encoding/json"

	"downwind/feeds"
)

// wirePage is /api/status-page/<slug>: version 1 has one incident or null, version 2 a list. Its incident-history has the
// list alone, of those that are over too.
type wirePage struct {
	Config       *wireConfig                 `json:"config"`
	Incident     *wireIncident               `json:"incident"`
	Incidents    feeds.List[wireIncident]    `json:"incidents"`
	Groups       feeds.List[wireGroup]       `json:"publicGroupList"`
	Maintenances feeds.List[wireMaintenance] `json:"maintenanceList"`
	// Beats is the list of /api/status-page/heartbeat/<slug>: newest beat last, by monitor.
	Beats map[string]json.RawMessage `json:"heartbeatList"`
}

type wireConfig struct {
	Slug  feeds.Str `json:"slug"`
	Title feeds.Str `json:"title"`
}

type wireIncident struct {
	ID      feeds.Str `json:"id"`
	Title   feeds.Str `json:"title"`
	Content feeds.Str `json:"content"`
	Style   feeds.Str `json:"style"`
	// Active is false once it is over, which Updated tells the time of; older versions do not have it.
	Active  feeds.Str   `json:"active"`
	Created feeds.Stamp `json:"createdDate"`
	Updated feeds.Stamp `json:"lastUpdatedDate"`
}

type wireGroup struct {
	Name     feeds.Str               `json:"name"`
	Monitors feeds.List[wireMonitor] `json:"monitorList"`
}

type wireMonitor struct {
	ID   feeds.Str `json:"id"`
	Name feeds.Str `json:"name"`
}

type wireMaintenance struct {
	ID          feeds.Str             `json:"id"`
	Title       feeds.Str             `json:"title"`
	Description feeds.Str             `json:"description"`
	Status      feeds.Str             `json:"status"`
	Offset      feeds.Str             `json:"timezoneOffset"`
	Slots       feeds.List[wireSlot]  `json:"timeslotList"`
	Range       feeds.List[feeds.Str] `json:"dateRange"`
}

type wireSlot struct {
	Start feeds.Str `json:"startDate"`
	End   feeds.Str `json:"endDate"`
}

type wireBeat struct {
	Status feeds.Str   `json:"status"`
	Time   feeds.Stamp `json:"time"`
}
