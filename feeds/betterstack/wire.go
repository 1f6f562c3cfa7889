package betterstack

import (
	"encoding/json"

	"downwind/feeds"
)

// wire is index.json: one object, and all objects that it refers to.
type wire struct {
	Data     wireObject             `json:"data"`
	Included feeds.List[wireObject] `json:"included"`
}

// wireObject is a resource of JSON:API; its type tells which attributes it has.
type wireObject struct {
	ID         feeds.Str               `json:"id"`
	Type       feeds.Str               `json:"type"`
	Attributes wireAttributes          `json:"attributes"`
	Relations  map[string]wireRelation `json:"relationships"`
}

type wireRelation struct {
	Data json.RawMessage `json:"data"`
}

// wireAttributes is the union of the attributes of all types that are read.
type wireAttributes struct {
	Company   feeds.Str                `json:"company_name"`
	Domain    feeds.Str                `json:"custom_domain"`
	Sub       feeds.Str                `json:"subdomain"`
	State     feeds.Str                `json:"aggregate_state"`
	Name      feeds.Str                `json:"name"`
	Public    feeds.Str                `json:"public_name"`
	Status    feeds.Str                `json:"status"`
	Section   feeds.Str                `json:"status_page_section_id"`
	Title     feeds.Str                `json:"title"`
	Kind      feeds.Str                `json:"report_type"`
	Starts    feeds.Stamp              `json:"starts_at"`
	Ends      feeds.Stamp              `json:"ends_at"`
	Message   feeds.Str                `json:"message"`
	Published feeds.Stamp              `json:"published_at"`
	Report    feeds.Str                `json:"status_report_id"`
	Affected  feeds.List[wireAffected] `json:"affected_resources"`
}

type wireAffected struct {
	Resource feeds.Str `json:"status_page_resource_id"`
	Status   feeds.Str `json:"status"`
}
