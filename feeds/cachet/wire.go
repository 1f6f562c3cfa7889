package cachet

import (
	"encoding/json"

	"downwind/feeds"
)

// wire is any answer of either version: a page of a list. Version 2 has flat items, version 3 resources of JSON:API.
type wire struct {
	Data     feeds.List[wireItem]     `json:"data"`
	Included feeds.List[wireResource] `json:"included"`
	Links    struct {
		First feeds.Str `json:"first"`
	} `json:"links"`
	Meta struct {
		Pagination json.RawMessage `json:"pagination"`
	} `json:"meta"`
}

// wireItem is an item of a list of either version; one of both is filled.
type wireItem struct {
	flat     wireFlat
	resource wireResource
}

// UnmarshalJSON implements json.Unmarshaler: items with attributes are resources. Fields of another type are left out.
func (i *wireItem) UnmarshalJSON(b []byte) error {
	if _ = json.Unmarshal(b, &i.resource); i.resource.Attributes == nil {
		_ = json.Unmarshal(b, &i.flat)
	}
	return nil
}

// wireFlat is the union of components, groups, incidents and schedules of version 2; kind has tell which
// it is.
type wireFlat struct {
	ID          feeds.Str            `json:"id"`
	Name        feeds.Str            `json:"name"`
	Message     feeds.Str            `json:"message"`
	Status      feeds.Str            `json:"status"`
	StatusName  feeds.Str            `json:"status_name"`
	GroupID     feeds.Str            `json:"group_id"`
	Human       feeds.Str            `json:"human_status"`
	Latest      feeds.Str            `json:"latest_status"`
	LatestHuman feeds.Str            `json:"latest_human_status"`
	ComponentID feeds.Str            `json:"component_id"`
	Permalink   feeds.Str            `json:"permalink"`
	ScheduledAt feeds.Stamp          `json:"scheduled_at"`
	OccurredAt  feeds.Stamp          `json:"occurred_at"`
	CreatedAt   feeds.Stamp          `json:"created_at"`
	CompletedAt wireSeen             `json:"completed_at"`
	Updates     feeds.List[wireFlat] `json:"updates"`
	Components  feeds.List[wireFlat] `json:"components"`
	Enabled     feeds.List[wireFlat] `json:"enabled_components"`
}

// wireSeen is a time that remembers whether its key was there, also with null.
type wireSeen struct {
	feeds.Stamp
	seen bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *wireSeen) UnmarshalJSON(b []byte) error {
	s.seen = true
	return s.Stamp.UnmarshalJSON(b)
}

// wireResource is a resource of version 3.
type wireResource struct {
	ID         feeds.Str       `json:"id"`
	Type       feeds.Str       `json:"type"`
	Attributes *wireAttributes `json:"attributes"`
	Relations  struct {
		Components wireRelation `json:"components"`
		Updates    wireRelation `json:"updates"`
		Group      wireRelation `json:"group"`
	} `json:"relationships"`
}

type wireAttributes struct {
	GUID      feeds.Str `json:"guid"`
	Name      feeds.Str `json:"name"`
	Message   feeds.Str `json:"message"`
	Status    wireWord  `json:"status"`
	Occurred  wireTime  `json:"occurred"`
	Published wireTime  `json:"published"`
	Created   wireTime  `json:"created"`
	Scheduled wireTime  `json:"scheduled"`
	Completed wireTime  `json:"completed"`
}

// wireWord is a state: {"human":"Identified","value":2}, or the number alone.
type wireWord struct{ Code, Human feeds.Str }

// UnmarshalJSON implements json.Unmarshaler.
func (w *wireWord) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var object struct {
			Human feeds.Str `json:"human"`
			Value feeds.Str `json:"value"`
		}
		if json.Unmarshal(b, &object) == nil {
			w.Code, w.Human = object.Value, object.Human
		}
		return nil
	}
	return w.Code.UnmarshalJSON(b)
}

// wireTime is a time: {"human":"2 hours ago","string":"2026-02-01 10:00:00"}, or the string alone.
type wireTime struct{ feeds.Stamp }

// UnmarshalJSON implements json.Unmarshaler.
func (t *wireTime) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var object struct {
			Text feeds.Stamp `json:"string"`
		}
		if json.Unmarshal(b, &object) == nil {
			t.Stamp = object.Text
		}
		return nil
	}
	return t.Stamp.UnmarshalJSON(b)
}

// wireRelation is one reference or several.
type wireRelation struct{ IDs []feeds.Str }

// UnmarshalJSON implements json.Unmarshaler.
func (r *wireRelation) UnmarshalJSON(b []byte) error {
	type ref struct {
		ID feeds.Str `json:"id"`
	}
	var many struct {
		Data []ref `json:"data"`
	}
	if json.Unmarshal(b, &many) != nil {
		var one struct {
			Data ref `json:"data"`
		}
		if json.Unmarshal(b, &one) != nil {
			return nil
		}
		many.Data = []ref{one.Data}
	}
	r.IDs = nil
	for _, d := range many.Data {
		if d.ID != "" {
			r.IDs = append(r.IDs, d.ID)
		}
	}
	return nil
}
