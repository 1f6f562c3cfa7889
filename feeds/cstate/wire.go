package cstate

import "downwind/feeds"

// wire is /index.json of a cState page; that of a single issue has the fields of the issue at its top.
type wire struct {
	Is      feeds.Str              `json:"is"`
	Version feeds.Str              `json:"cStateVersion"`
	Title   feeds.Str              `json:"title"`
	BaseURL feeds.Str              `json:"baseURL"`
	Pinned  feeds.List[wireIssue]  `json:"pinnedIssues"`
	Systems feeds.List[wireSystem] `json:"systems"`
}

type wireSystem struct {
	Name     feeds.Str             `json:"name"`
	Category feeds.Str             `json:"category"`
	Status   feeds.Str             `json:"status"`
	Issues   feeds.List[wireIssue] `json:"unresolvedIssues"`
}

// wireIssue writes times as Go prints them ("2017-12-17 16:24:00 +0000 UTC") and "<no value>" for none.
type wireIssue struct {
	Is            feeds.Str             `json:"is"`
	Title         feeds.Str             `json:"title"`
	Created       feeds.Stamp           `json:"createdAt"`
	Permalink     feeds.Str             `json:"permalink"`
	Severity      feeds.Str             `json:"severity"`
	Resolved      bool                  `json:"resolved"`
	Informational bool                  `json:"informational"`
	ResolvedAt    feeds.Stamp           `json:"resolvedAt"`
	Affected      feeds.List[feeds.Str] `json:"affected"`
	Filename      feeds.Str             `json:"filename"`
	Body          feeds.Str             `json:"body"`
}
