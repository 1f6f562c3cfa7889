package feeds_test

import (
	"errors"
	"testing"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
)

func TestDecodeHook(t *testing.T) {
	polled := feeds.Decode(t.Context(), all.Adapters(), "acme", feeds.Payload{Body: incidents("1", incident("i1", "identified")).Body})
	cases := []struct {
		name, body string
		platform   string
		kind       downwind.Kind
		components int
	}{
		{"statuspage incident", `{"meta":{"unsubscribe":"https://x"},"page":{"id":"pageacme0001","status_indicator":"minor"},"incident":` + incident("i1", "identified") + `}`, "statuspage", downwind.KindIncident, 0},
		{"statuspage maintenance", `{"page":{"id":"pageacme0001"},"incident":{"id":"m1","name":"Work","status":"scheduled","impact":"maintenance","scheduled_for":"2026-04-01T00:00:00Z","page_id":"pageacme0001","incident_updates":[]}}`, "statuspage", downwind.KindMaintenance, 0},
		{"statuspage component", `{"page":{"id":"pageacme0001"},"component_update":{"old_status":"operational","new_status":"major_outage"},"component":{"id":"c1","name":"API","status":"major_outage"}}`, "statuspage", "", 1},
		{"compatible incident of incident.io", `{"page":{"id":"01JMDK9XYNY6RXSED6SDWW50WY","name":"Acme"},"incident":{"id":"01KY7SX5MYJ2BP51X5MXAPYX71","name":"Errors","status":"investigating","impact":"minor","incident_updates":[]}}`, "incidentio", downwind.KindIncident, 0},
		{"wrapped in its event", `{"event_type":"page.incident_updated","page.incident_updated":{"page":{"id":"01JMDK9XYNY6RXSED6SDWW50WY","name":"Acme"},"incident":{"id":"01KY7SX5MYJ2BP51X5MXAPYX71","name":"Errors","status":"monitoring","impact":"minor"}}}`, "incidentio", downwind.KindIncident, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := feeds.DecodeHook(all.Adapters(), "acme", feeds.Payload{Body: []byte(tc.body)})
			if err != nil {
				t.Fatal(err)
			}
			if doc.Platform != tc.platform || !doc.Partial || doc.Provider != "acme" || len(doc.Components) != tc.components {
				t.Errorf("document %+v", doc)
			}
			if tc.kind != "" && (len(doc.Incidents) != 1 || doc.Incidents[0].Kind != tc.kind) {
				t.Errorf("incidents %+v", doc.Incidents)
			}
		})
	}
	doc, err := feeds.DecodeHook(all.Adapters(), "acme", feeds.Payload{Body: []byte(cases[0].body)})
	if err != nil || doc.Incidents[0].Key() != polled.Incidents[0].Key() || doc.Incidents[0].Updates[0].ID != polled.Incidents[0].Updates[0].ID {
		t.Errorf("hook and poll tell different things: %+v and %+v", doc.Incidents, polled.Incidents)
	}
	for name, body := range map[string]string{"nothing": `{}`, "cut": `{"incident":{"id"`, "text": "hello", "test ping": `{"page":{"id":"x"},"incident":null}`} {
		if _, err := feeds.DecodeHook(all.Adapters(), "acme", feeds.Payload{Body: []byte(body)}); err == nil || !errors.Is(err, downwind.ErrInvalid) && !errors.Is(err, downwind.ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeHook(f *testing.F) {
	f.Add([]byte(`{"page":{"id":"x"},"incident":{"id":"1","name":"n","status":"resolved"}}`))
	f.Add([]byte(`{"event_type":"e","e":{"id":"1"}}`))
	adapters := all.Adapters()
	f.Fuzz(func(t *testing.T, b []byte) {
		if doc, err := feeds.DecodeHook(adapters, "acme", feeds.Payload{Body: b}); err == nil && !doc.Partial {
			t.Error("a hook's document is not partial")
		}
	})
}
