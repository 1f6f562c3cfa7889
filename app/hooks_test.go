package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"downwind/app/demo"
	"downwind/config"
	"downwind/secret"
)

// pushed is a Statuspage webhook in our own words.
const pushed = `{"meta":{"unsubscribe":"https://status.example/u"},"page":{"id":"nimbusrelay01","status_indicator":"major"},
"incident":{"id":"pushed01","name":"Webhooks fail in EU West","status":"investigating","impact":"major","created_at":"2026-03-10T14:05:00Z","updated_at":"2026-03-10T14:05:00Z",
"incident_updates":[{"id":"pu1","status":"investigating","body":"Message API requests in EU West fail.","created_at":"2026-03-10T14:05:00Z","display_at":"2026-03-10T14:05:00Z","updated_at":"2026-03-10T14:05:00Z"}]}}`

func TestAPushedUpdateIsFasterThanThePoll(t *testing.T) {
	v := newVillage(t, func(c *config.Config) {
		c.Provider = []config.Provider{{Slug: demo.Slug, StatusURL: "", WebhookSecret: secret.New("hunter2hunter2")}}
	})
	v.until(hour(14, 5))
	post := func(path, body string) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		v.app.Handler().ServeHTTP(w, r)
		return w.Code
	}
	for _, tt := range []struct {
		name, path, body string
		want             int
	}{
		{"wrong secret", "/hooks/" + demo.Slug + "/wrong", pushed, http.StatusNotFound},
		{"unknown provider", "/hooks/nobody/hunter2hunter2", pushed, http.StatusNotFound},
		{"no webhook", "/hooks/" + demo.Slug + "/hunter2hunter2", `{"hello":1}`, http.StatusUnprocessableEntity},
		{"too large", "/hooks/" + demo.Slug + "/hunter2hunter2", strings.Repeat("x", 2<<20), http.StatusRequestEntityTooLarge},
		{"good", "/hooks/" + demo.Slug + "/hunter2hunter2", pushed, http.StatusNoContent},
		{"the same again", "/hooks/" + demo.Slug + "/hunter2hunter2", pushed, http.StatusNoContent},
	} {
		if got := post(tt.path, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if _, err := v.app.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := v.slack.Roots(channel); len(got) != 1 || !strings.Contains(got[0].Visible(), "Webhooks fail in EU West") {
		t.Errorf("told: %q", v.texts(channel))
	}
}
