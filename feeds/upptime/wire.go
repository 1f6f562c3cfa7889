package upptime

import "downwind/feeds"

// wireSite is one entry of history/summary.json.
type wireSite struct {
	Name   feeds.Str `json:"name"`
	Slug   feeds.Str `json:"slug"`
	Status feeds.Str `json:"status"`
}

// wireIssue is an issue as GitHub's API lists it.
type wireIssue struct {
	Number  feeds.Str             `json:"number"`
	Title   feeds.Str             `json:"title"`
	Body    feeds.Str             `json:"body"`
	URL     feeds.Str             `json:"html_url"`
	State   feeds.Str             `json:"state"`
	Created feeds.Stamp           `json:"created_at"`
	Closed  feeds.Stamp           `json:"closed_at"`
	Labels  feeds.List[wireLabel] `json:"labels"`
	Pull    *struct{}             `json:"pull_request"`
}

// wireLabel is a label of an issue; beside "status" or "maintenance" stand the slugs of the sites it is about.
type wireLabel struct {
	Name feeds.Str `json:"name"`
}
