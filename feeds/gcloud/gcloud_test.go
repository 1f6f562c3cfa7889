package gcloud

import (
	"os"
	"strings"
	"testing"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{Word: Cloud}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{Word: Workspace}) }

func TestEndpoints(t *testing.T) {
	cases := []struct{ name, word, page, want string }{
		{"cloud", Cloud, "https://status.cloud.google.com", "https://status.cloud.google.com/incidents.json"},
		{"workspace page", Workspace, "https://www.google.com/appsstatus/dashboard/", "https://www.google.com/appsstatus/dashboard/incidents.json"},
		{"workspace origin", Workspace, "https://www.google.com", "https://www.google.com/appsstatus/dashboard/incidents.json"},
		{"maps below cloud", Cloud, "https://status.cloud.google.com/maps-platform", "https://status.cloud.google.com/maps-platform/incidents.json"},
		{"ads origin", Cloud, "https://ads.google.com", "https://ads.google.com/status/publisher/incidents.json"},
		{"summary page", Cloud, "https://status.cloud.google.com/summary", "https://status.cloud.google.com/incidents.json"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (Adapter{Word: c.word}).Endpoints(c.page)[0].URL; got != c.want {
				t.Errorf("asks %s, want %s", got, c.want)
			}
		})
	}
}

// TestWhichDashboard tells the two dashboards apart by address or by the services they list.
func TestWhichDashboard(t *testing.T) {
	const shape = `[{"id":"a","external_desc":"x","status_impact":"SERVICE_OUTAGE","service_name":"%"}]`
	cases := []struct{ name, url, service, want string }{
		{"service of Workspace", "", "Gmail", Workspace},
		{"service of Cloud", "", "Cloud Run", Cloud},
		{"address of Workspace", "https://www.google.com/appsstatus/dashboard/incidents.json", "Cloud Search", Workspace},
		{"address of Cloud", "https://status.cloud.google.com/incidents.json", "Gmail", Cloud},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := feeds.Payload{URL: c.url, Body: []byte(strings.ReplaceAll(shape, "%", c.service))}
			a, err := feeds.Sniff([]feeds.Adapter{Adapter{Word: Cloud}, Adapter{Word: Workspace}}, p)
			if err != nil || a.Platform() != c.want {
				t.Errorf("read as %v (%v), want %s", a, err, c.want)
			}
		})
	}
}

// TestProductsTakeStates joins both files: a product is well unless an open incident names it.
func TestProductsTakeStates(t *testing.T) {
	incidents, err := os.ReadFile("testdata/incidents.json")
	if err != nil {
		t.Fatal(err)
	}
	products := []byte(`{"products":[{"title":"Cloud Run","id":"run1"},{"title":"BigQuery","id":"bq1"}]}`)
	doc, err := Adapter{Word: Cloud}.Decode([]feeds.Payload{{Body: incidents}, {Body: products}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range doc.Components {
		got[c.Name] = string(c.Status)
	}
	if got["Cloud Run"] != "partial_outage" || got["BigQuery"] != "operational" {
		t.Errorf("states are %v", got)
	}
}
