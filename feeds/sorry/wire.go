package sorry

import "downwind/feeds"

// wire is the union of /api/v1/status, /components and /notices.
type wire struct {
	Page       *wirePage                 `json:"page"`
	Components feeds.List[wireComponent] `json:"components"`
	Notices    feeds.List[wireNotice]    `json:"notices"`
}

type wirePage struct {
	ID         feeds.Str                 `json:"id"`
	Name       feeds.Str                 `json:"name"`
	URL        feeds.Str                 `json:"url"`
	State      feeds.Str                 `json:"state"`
	Components feeds.List[wireComponent] `json:"components"`
	Notices    feeds.List[wireNotice]    `json:"notices"`
}

type wireComponent struct {
	ID       feeds.Str                 `json:"id"`
	Name     feeds.Str                 `json:"name"`
	State    feeds.Str                 `json:"state"`
	ParentID feeds.Str                 `json:"parent_id"`
	Children feeds.List[wireComponent] `json:"children"`
	Inner    feeds.List[wireComponent] `json:"components"`
}

type wireNotice struct {
	ID         feeds.Str                 `json:"id"`
	Type       feeds.Str                 `json:"type"`
	State      feeds.Str                 `json:"state"`
	Subject    feeds.Str                 `json:"subject"`
	URL        feeds.Str                 `json:"url"`
	Link       feeds.Str                 `json:"link"`
	Began      feeds.Stamp               `json:"began_at"`
	Begins     feeds.Stamp               `json:"begins_at"`
	Ended      feeds.Stamp               `json:"ended_at"`
	Ends       feeds.Stamp               `json:"ends_at"`
	Created    feeds.Stamp               `json:"created_at"`
	Components feeds.List[wireComponent] `json:"components"`
	Updates    feeds.List[wireUpdate]    `json:"updates"`
}

type wireUpdate struct {
	ID      feeds.Str   `json:"id"`
	State   feeds.Str   `json:"state"`
	Content feeds.Str   `json:"content"`
	Posted  feeds.Stamp `json:"published_at"`
	Created feeds.Stamp `json:"created_at"`
	Updated feeds.Stamp `json:"updated_at"`
}
