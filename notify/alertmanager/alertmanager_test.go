package alertmanager_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/notify"
	"downwind/notify/alertmanager"
	"downwind/notify/notifytest"
	"downwind/secret"
)

type alert struct {
	Labels, Annotations map[string]string
	StartsAt, EndsAt    time.Time
}

var now = time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)

func setup(t *testing.T) (*alertmanager.Notifier, *[][]alert) {
	t.Helper()
	var all [][]alert
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pass, _ := r.BasicAuth(); r.URL.Path != "/api/v2/alerts" || user != "dw" || pass != "pass-w0rd" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var list []alert
		if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
			t.Error(err)
		}
		all = append(all, list)
	}))
	t.Cleanup(srv.Close)
	return alertmanager.New(alertmanager.Options{Now: func() time.Time { return now }, Servers: map[string]alertmanager.Config{
		"prod": {URL: srv.URL + "/", User: "dw", Password: secret.New("pass-w0rd"), Labels: map[string]string{"team": "web"}},
		"bad":  {URL: srv.URL, User: "dw", Password: secret.New("pass-wrong")},
	}}), &all
}

func target(name string) notify.Target {
	return notify.Target{Destination: downwind.Destination{Channel: name}, Key: "dw_k"}
}

func TestSameLabelsOverTheWholeLife(t *testing.T) {
	n, all := setup(t)
	ctx := context.Background()
	for _, kind := range []downwind.ChangeKind{downwind.ChangeNew, downwind.ChangeSeverity, downwind.ChangeResolved} {
		m := notify.Compose(notify.Sample(kind, now), notify.ComposeOptions{BaseURL: "https://downwind.example"})
		if r := n.Reply(ctx, target("prod"), m); r.Verdict != notify.Done {
			t.Fatalf("%s: %+v", kind, r)
		}
	}
	var ends []bool
	for i, list := range *all {
		if len(list) != 1 {
			t.Fatalf("%d alerts", len(list))
		}
		if diff := cmp.Diff((*all)[0][0].Labels, list[0].Labels); diff != "" {
			t.Errorf("labels of %d changed: %s", i, diff)
		}
		ends = append(ends, !list[0].EndsAt.After(now))
	}
	if diff := cmp.Diff([]bool{false, false, true}, ends); diff != "" {
		t.Errorf("ended: %s", diff)
	}
	if (*all)[0][0].Labels["team"] != "web" {
		t.Errorf("%v", (*all)[0][0].Labels)
	}
}

func TestScheduledWorkIsNoAlert(t *testing.T) {
	n, all := setup(t)
	m := notify.Compose(notify.Sample(downwind.ChangeMaintenance, now), notify.ComposeOptions{Root: true})
	if r := n.Post(context.Background(), target("prod"), m); r.Verdict != notify.Done || len(*all) != 0 {
		t.Errorf("%+v, %d requests", r, len(*all))
	}
}

func TestCheck(t *testing.T) {
	n, all := setup(t)
	if r := n.Check(context.Background(), target("prod").Destination); r.Verdict != notify.Done || len(*all) != 1 || len((*all)[0]) != 0 {
		t.Errorf("%+v %v", r, *all)
	}
	r := n.Check(context.Background(), target("bad").Destination)
	if r.Verdict != notify.Permanent {
		t.Errorf("%+v", r)
	}
	notifytest.LeaksNoSecret(t, r, "pass-wrong")
}

func TestValidate(t *testing.T) {
	if err := (alertmanager.Config{URL: "http://a:9093"}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (alertmanager.Config{URL: "a", Labels: map[string]string{"a b": "c"}}).Validate(); err == nil {
		t.Error("a bad configuration passes")
	}
}
