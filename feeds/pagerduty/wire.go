package pagerduty

import "downwind/feeds"

type wireSummary struct {
	Open     feeds.List[wirePost]    `json:"open_incidents"`
	Resolved feeds.List[wirePost]    `json:"resolved_incidents"`
	Posts    feeds.List[wirePost]    `json:"posts"`
	Services feeds.List[wireService] `json:"post_status_page_services"`
}

type wireService struct {
	ID     feeds.Str `json:"id"`
	Name   feeds.Str `json:"name"`
	Active *bool     `json:"is_active"`
	Page   struct {
		ID feeds.Str `json:"id"`
	} `json:"status_page"`
}

type wirePost struct {
	ID         feeds.Str              `json:"id"`
	Title      feeds.Str              `json:"title"`
	Type       feeds.Str              `json:"post_type"`
	Starts     feeds.Stamp            `json:"starts_at"`
	Ends       feeds.Stamp            `json:"ends_at"`
	Updates    feeds.List[wireUpdate] `json:"updates"`
	Postmortem *wireUpdate            `json:"postmortem"`
}

type wireUpdate struct {
	ID       feeds.Str                `json:"id"`
	Message  feeds.Str                `json:"message"`
	Status   feeds.Str                `json:"status"`
	Severity feeds.Str                `json:"severity"`
	Reported feeds.Stamp              `json:"reported_at"`
	Created  feeds.Stamp              `json:"created_at"`
	Updated  feeds.Stamp              `json:"updated_at"`
	Business feeds.List[wireImpacted] `json:"impacted_business_services"`
	Impacted feeds.List[wireImpacted] `json:"impacted_services"`
}

type wireImpacted struct {
	ID       feeds.Str `json:"id"`
	Name     feeds.Str `json:"name"`
	Severity feeds.Str `json:"severity"`
	Impact   feeds.Str `json:"impact"`
}
