package pagerduty_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/notifytest"
	"downwind/notify/pagerduty"
	"downwind/secret"
)

const key = "0123456789abcdef0123456789abcdef"

type got struct {
	path   string
	size   int
	Action string `json:"event_action"`
	Dedup  string `json:"dedup_key"`
	Key    string `json:"routing_key"`
	Body   struct {
		Summary, Severity string
	} `json:"payload"`
}

func setup(t *testing.T, status int) (*pagerduty.Notifier, *[]got) {
	t.Helper()
	var all []got
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		g := got{path: r.URL.Path, size: len(b)}
		if err := json.Unmarshal(b, &g); err != nil {
			t.Error(err)
		}
		all = append(all, g)
		w.WriteHeader(status)
	}))
	t.Cleanup(srv.Close)
	return pagerduty.New(pagerduty.Options{Services: map[string]pagerduty.Config{"ops": {RoutingKey: secret.New(key), URL: srv.URL}}}), &all
}

func target(root string) notify.Target {
	return notify.Target{Destination: downwind.Destination{Platform: "pagerduty", Channel: "ops"}, Key: "dw_k", Root: root}
}

func compose(kind downwind.ChangeKind, impact downwind.Impact, root bool) notify.Message {
	a := notify.Sample(kind, time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC))
	if a.Incident.Kind == downwind.KindIncident {
		a.Incident.Impact = impact
	}
	return notify.Compose(a, notify.ComposeOptions{Root: root, BaseURL: "https://downwind.example"})
}

func TestOneAlertPerIncident(t *testing.T) {
	n, all := setup(t, http.StatusAccepted)
	ctx := context.Background()
	for _, r := range []notify.Result{
		n.Post(ctx, target(""), compose(downwind.ChangeNew, downwind.ImpactMajor, true)),
		n.Reply(ctx, target("dw_k"), compose(downwind.ChangeUpdate, downwind.ImpactCritical, false)),
		n.Reply(ctx, target("dw_k"), compose(downwind.ChangeResolved, downwind.ImpactMajor, false)),
		n.Post(ctx, target(""), compose(downwind.ChangeMaintenance, "", true)),
	} {
		if r.Verdict != notify.Done {
			t.Fatalf("%+v", r)
		}
	}
	want := []struct{ path, action, severity string }{
		{"/v2/enqueue", "trigger", "error"}, {"/v2/enqueue", "trigger", "critical"}, {"/v2/enqueue", "resolve", "error"}, {"/v2/change/enqueue", "", ""},
	}
	if len(*all) != len(want) {
		t.Fatalf("%d events, want %d", len(*all), len(want))
	}
	for i, w := range want {
		g := (*all)[i]
		if g.path != w.path || g.Action != w.action || g.Body.Severity != w.severity || g.Key != key {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
		if w.action != "" && g.Dedup != "dw:examplecloud:frankfurt-api" {
			t.Errorf("%d: dedup key %q", i, g.Dedup)
		}
	}
}

func TestNotTold(t *testing.T) {
	n, all := setup(t, http.StatusAccepted)
	for name, m := range map[string]notify.Message{
		"below the least impact": compose(downwind.ChangeNew, downwind.ImpactMinor, true),
		"already over":           compose(downwind.ChangeResolved, downwind.ImpactMajor, true),
		"no incident":            {Title: "digest"},
	} {
		if r := n.Post(context.Background(), target(""), m); r.Verdict != notify.Done || r.Reason == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if len(*all) > 0 {
		t.Errorf("%d events", len(*all))
	}
}

func TestVerdicts(t *testing.T) {
	for status, want := range map[int]notify.Verdict{202: notify.Done, 400: notify.Rejected, 429: notify.Wait, 500: notify.Unclear} {
		n, _ := setup(t, status)
		r := n.Post(context.Background(), target(""), compose(downwind.ChangeNew, downwind.ImpactMajor, true))
		if r.Verdict != want {
			t.Errorf("%d: %+v", status, r)
		}
		notifytest.LeaksNoSecret(t, r, key)
	}
}

func TestLimits(t *testing.T) {
	n, all := setup(t, http.StatusAccepted)
	rapid.Check(t, func(t *rapid.T) {
		*all = nil
		n.Reply(context.Background(), target("x"), notify.Compose(notifytest.Alert(t), notify.ComposeOptions{}))
		for _, g := range *all {
			if len([]rune(g.Body.Summary)) > 1024 || len(g.Dedup) > 255 || g.size > 512<<10 || strings.ContainsAny(g.Body.Summary, "\n\r\x1b") {
				t.Fatalf("%+v", g)
			}
		}
	})
}

func TestValidate(t *testing.T) {
	if err := (pagerduty.Config{RoutingKey: secret.New(key)}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (pagerduty.Config{RoutingKey: secret.New("short"), Min: "loud"}).Validate(); err == nil {
		t.Error("a bad configuration passes")
	}
}
