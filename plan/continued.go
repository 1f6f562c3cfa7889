package plan

import (
	"slices"
	"time"

	"downwind"
)

// continued finds entries that are the rest of a known one: a feed that names an incident by its oldest item gives it another
// id once that item has left the window. Their oldest post is one that was read before, in an incident of the same kind,
// components and regions that is listed no more. The map holds the new id with the old one.
func continued(in *Input) map[string]string {
	if len(in.Known.Incidents) == 0 || in.Document.Partial {
		return nil
	}
	listed, strange := make(map[string]bool, len(in.Document.Incidents)), false
	for i := range in.Document.Incidents {
		id := in.Document.Incidents[i].ID
		_, known := in.Known.Incidents[id]
		listed[id], strange = true, strange || !known
	}
	if !strange {
		return nil
	}
	type post struct {
		at   int64
		body string
	}
	said := map[post][]string{}
	for id, known := range in.Known.Incidents {
		if listed[id] || known.Gone {
			continue
		}
		for _, u := range known.State.Updates {
			if !u.PostedAt.IsZero() && u.Body != "" {
				said[post{u.PostedAt.Unix(), u.Body}] = append(said[post{u.PostedAt.Unix(), u.Body}], id)
			}
		}
	}
	out := map[string]string{}
	for i := range in.Document.Incidents {
		inc := &in.Document.Incidents[i]
		if _, known := in.Known.Incidents[inc.ID]; known || len(inc.Updates) == 0 {
			continue
		}
		first := inc.Updates[0]
		for _, id := range said[post{first.PostedAt.Unix(), first.Body}] {
			known := in.Known.Incidents[id]
			if same(&known.State, inc) {
				out[inc.ID] = id
				break
			}
		}
	}
	return out
}

// same tells whether two readings are of one thing: kind, components and regions. Of what names neither nothing is known.
func same(a, b *downwind.Incident) bool {
	names := func(inc *downwind.Incident) []string {
		var out []string
		for _, c := range inc.Components {
			out = append(out, c.Group+"\x00"+c.Name)
		}
		slices.Sort(out)
		return out
	}
	if a.Kind != b.Kind || len(a.Components)+len(a.Regions) == 0 {
		return false
	}
	return slices.Equal(names(a), names(b)) && slices.Equal(a.Regions, b.Regions)
}

// rejoin gives a rest the posts and the beginning that it had before its window moved on.
func rejoin(known *downwind.Incident, rest downwind.Incident) downwind.Incident {
	rest.ID = known.ID
	var oldest time.Time
	if len(rest.Updates) > 0 {
		oldest = rest.Updates[0].PostedAt
	}
	var before []downwind.Update
	for _, u := range known.Updates {
		if u.PostedAt.Before(oldest) {
			before = append(before, u)
		}
	}
	rest.Updates = append(before, rest.Updates...)
	if !known.StartedAt.IsZero() {
		rest.StartedAt = known.StartedAt
	}
	return rest
}
