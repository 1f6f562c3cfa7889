package zendesk

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

type wire struct {
	Data     json.RawMessage          `json:"data"`
	Included feeds.List[wireResource] `json:"included"`

	list []wireResource
	url  string
}

// read reads one answer; none when it is not JSON:API.
func read(p feeds.Payload) (*wire, error) {
	w := &wire{url: p.URL}
	if err := feeds.DecodeJSON(p.Body, w); err != nil {
		return nil, err
	}
	list, ok := w.entries()
	if !ok {
		return nil, nil
	}
	w.list = list
	return w, nil
}

// entries is what the answer lists: many entries, or the one that was asked for.
func (w *wire) entries() ([]wireResource, bool) {
	data := bytes.TrimSpace(w.Data)
	switch {
	case bytes.HasPrefix(data, []byte("[")):
		list := struct {
			Data feeds.List[wireResource] `json:"data"`
		}{}
		if feeds.DecodeJSON(append(append([]byte(`{"data":`), data...), '}'), &list) != nil {
			return nil, false
		}
		return list.Data, true
	case bytes.HasPrefix(data, []byte("{")):
		var one wireResource
		if feeds.DecodeJSON(data, &one) != nil {
			return nil, false
		}
		return []wireResource{one}, true
	}
	return nil, false
}

// wireResource is one record of JSON:API.
type wireResource struct {
	ID   feeds.Str      `json:"id"`
	Type feeds.Str      `json:"type"`
	A    wireAttributes `json:"attributes"`
	R    wireRelations  `json:"relationships"`
}

// kind is the type without the difference of the two APIs: "incidentService" and "incident_services" are one.
func (r *wireResource) kind() string {
	t := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(string(r.Type)))
	return strings.TrimSuffix(t, "s")
}

// wireAttributes are those of all kinds of records, in both spellings.
type wireAttributes struct {
	Name          feeds.Str   `json:"name"`
	Title         feeds.Str   `json:"title"`
	Status        feeds.Str   `json:"status"`
	Impact        feeds.Str   `json:"impact"`
	Outage        flag        `json:"outage"`
	Degraded      flag        `json:"degradation"`
	Postmortem    feeds.Str   `json:"postmortem"`
	Description   feeds.Str   `json:"description"`
	Started       feeds.Stamp `json:"startedAt"`
	Started2      feeds.Stamp `json:"started_at"`
	Resolved      feeds.Stamp `json:"resolvedAt"`
	Resolved2     feeds.Stamp `json:"resolved_at"`
	Created       feeds.Stamp `json:"createdAt"`
	Created2      feeds.Stamp `json:"created_at"`
	PlannedStart  feeds.Stamp `json:"maintenanceStartTime"`
	PlannedStart2 feeds.Stamp `json:"maintenance_start_time"`
	PlannedEnd    feeds.Stamp `json:"maintenanceEndTime"`
	PlannedEnd2   feeds.Stamp `json:"maintenance_end_time"`
	Service       feeds.Str   `json:"serviceId"`
	Service2      feeds.Str   `json:"service_id"`
	ServiceName   feeds.Str   `json:"serviceName"`
	ServiceName2  feeds.Str   `json:"service_name"`
}

func (a *wireAttributes) started() time.Time  { return firstTime(a.Started, a.Started2) }
func (a *wireAttributes) resolved() time.Time { return firstTime(a.Resolved, a.Resolved2) }

// planned is the window of planned work; without one of its own, start and end of the entry are it.
func (a *wireAttributes) planned() (from, until time.Time) {
	return firstTime(a.PlannedStart, a.PlannedStart2, a.Started, a.Started2), firstTime(a.PlannedEnd, a.PlannedEnd2)
}

// state is what the two marks say of a service, else what the incident does.
func (a *wireAttributes) state(inc *downwind.Incident) downwind.Status {
	switch {
	case inc.Kind == downwind.KindMaintenance:
		return downwind.UnderMaintenance
	case bool(a.Outage):
		return downwind.MajorOutage
	case bool(a.Degraded):
		return downwind.Degraded
	}
	return downwind.StatusUnknown
}

type wireRelations struct {
	Updates  wireRefs `json:"incidentUpdates"`
	Updates2 wireRefs `json:"incident_updates"`
	Links    wireRefs `json:"incidentServices"`
	Links2   wireRefs `json:"incident_services"`
	Services wireRefs `json:"services"`
}

func (r *wireRelations) updates() []string { return ids(r.Updates, r.Updates2) }
func (r *wireRelations) links() []string   { return ids(r.Links, r.Links2) }

type wireRefs struct {
	Data feeds.List[wireRef] `json:"data"`
}

type wireRef struct {
	ID feeds.Str `json:"id"`
}

func ids(refs ...wireRefs) []string {
	var out []string
	for _, r := range refs {
		for _, d := range r.Data {
			out = append(out, string(d.ID))
		}
	}
	return out
}

// flag is a boolean that may be null or missing.
type flag bool

// UnmarshalJSON implements json.Unmarshaler; everything but true is false.
func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true" || string(b) == `"true"`
	return nil
}

func (r *wireResource) update(d *decoder) downwind.Update {
	u := downwind.Update{ID: string(r.ID), Body: feeds.PlainText(string(r.A.Description)), PostedAt: firstTime(r.A.Created, r.A.Created2)}
	if r.A.Status != "" {
		phase, ok := feeds.PhaseOf(string(r.A.Status))
		if !ok {
			feeds.Unknown(&d.doc, "phase", string(r.A.Status))
		}
		u.Phase = phase
	}
	return u
}

// after is the time of the newest update or of the end, whichever is later.
func after(inc *downwind.Incident) time.Time {
	t := inc.ResolvedAt
	if last := inc.Latest(); last != nil && last.PostedAt.After(t) {
		t = last.PostedAt
	}
	return t
}

func first(words ...feeds.Str) string {
	for _, w := range words {
		if line := feeds.PlainLine(string(w)); line != "" {
			return line
		}
	}
	return ""
}

func firstTime(ts ...feeds.Stamp) time.Time {
	for _, t := range ts {
		if !t.IsZero() {
			return t.Time
		}
	}
	return time.Time{}
}
