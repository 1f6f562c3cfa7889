package ntfy_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/notifytest"
	"downwind/notify/ntfy"
	"downwind/secret"
)

type published struct {
	Topic, Title, Message, Click string
	Priority                     int
	Actions                      []struct{ URL string }
}

func setup(t *testing.T, got *published) *ntfy.Notifier {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tk_secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		*got = published{}
		if err := json.NewDecoder(r.Body).Decode(got); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"id":"n1"}`))
	}))
	t.Cleanup(srv.Close)
	return ntfy.New(ntfy.Options{Topics: map[string]ntfy.Config{
		"ops": {Server: srv.URL, Topic: secret.New("ops-x"), Token: secret.New("tk_secret")}, "bad": {Server: srv.URL, Topic: secret.New("ops-x")},
	}})
}

func target(name string) notify.Target {
	return notify.Target{Destination: downwind.Destination{Platform: "ntfy", Channel: name}, Key: "dw_k"}
}

func TestPost(t *testing.T) {
	var got published
	n := setup(t, &got)
	m := notify.Compose(notify.Sample(downwind.ChangeNew, time.Now()), notify.ComposeOptions{Root: true, BaseURL: "https://downwind.example"})
	r := n.Post(context.Background(), target("ops"), m)
	if r.Verdict != notify.Done || r.ID != "n1" {
		t.Fatalf("%+v", r)
	}
	if got.Topic != "ops-x" || got.Priority != 3 || !strings.Contains(got.Message, "Do now") || got.Click == "" || len(got.Actions) == 0 {
		t.Errorf("%+v", got)
	}
	r = n.Post(context.Background(), target("bad"), m)
	if r.Verdict != notify.Permanent {
		t.Errorf("%+v", r)
	}
	notifytest.LeaksNoSecret(t, r, "tk_secret", "ops-x")
}

func TestNeverOver4096Bytes(t *testing.T) {
	var got published
	n := setup(t, &got)
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{Root: rapid.Bool().Draw(t, "root")})
		if r := n.Post(context.Background(), target("ops"), m); r.Verdict != notify.Done || len(got.Message) > 4096 || got.Message == "" {
			t.Fatalf("%+v, %d bytes", r, len(got.Message))
		}
	})
}
