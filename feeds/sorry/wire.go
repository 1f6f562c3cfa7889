package sorry

import (
	"encoding/json"

	"downwind/feeds"
)

// wire is the union of a page's own /api/v1/status, /components and /notices and of the answers of api.sorryapp.com, which
// have the same objects under one name.
type wire struct {
	Page       *wirePage                 `json:"page"`
	Components feeds.List[wireComponent] `json:"components"`
	Notices    feeds.List[wireNotice]    `json:"notices"`
	Notice     *wireNotice               `json:"notice"`
	Response   wireResponse              `json:"response"`
}

// wireResponse is a page, a notice, or a list of notices or of components.
type wireResponse struct {
	page       *wirePage
	notices    feeds.List[wireNotice]
	components feeds.List[wireComponent]
	single     bool // one notice alone
}

// UnmarshalJSON implements json.Unmarshaler: notices have a subject. Fields of another type are left out.
func (r *wireResponse) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var one wireNotice
		if _ = json.Unmarshal(b, &one); one.Subject != "" {
			r.notices, r.single = feeds.List[wireNotice]{one}, true
			return nil
		}
		r.page = new(wirePage)
		_ = json.Unmarshal(b, r.page)
		return nil
	}
	_ = json.Unmarshal(b, &r.notices)
	for i := range r.notices {
		if r.notices[i].Subject != "" {
			return nil
		}
	}
	if len(r.notices) > 0 { // an empty list may be of either
		r.notices = nil
		_ = json.Unmarshal(b, &r.components)
	}
	return nil
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
	Synopsis   feeds.Str                 `json:"synopsis"`
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
