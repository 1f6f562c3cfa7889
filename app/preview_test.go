package app_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"downwind"
	"downwind/app"
	"downwind/config"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

// A sample reaches a destination of the configuration beside a running daemon, and its buttons do nothing.
func TestPreviewInOneDestination(t *testing.T) {
	var got map[string]any
	answer := http.StatusNoContent
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		w.WriteHeader(answer)
	}))
	defer hook.Close()
	slack := slacktest.New(slacktest.Options{Channels: []slacktest.Channel{{ID: channel, Name: "ops"}}})
	defer slack.Close()
	cfg := config.Default()
	cfg.Slack.BotToken, cfg.Slack.AppToken, cfg.Slack.APIURL = secret.New(slack.Token()), secret.New(slack.AppToken()), slack.URL()
	cfg.Team = []config.Team{{Name: "Checkout", Slack: channel}}
	cfg.Destination = []config.Destination{{Name: "chat", Team: "Checkout", Kind: "post", Address: secret.New(hook.URL), Body: `{"text": "{title}\n{text}"}`}}
	send := func(to string, kind downwind.ChangeKind) error {
		_, err := app.Preview(t.Context(), app.Options{Config: cfg}, to, kind)
		return err
	}
	if err := send("chat", downwind.ChangeResolved); err != nil {
		t.Fatal(err)
	}
	if text, _ := got["text"].(string); !strings.Contains(text, "Sample: Resolved: ExampleCloud") || !strings.Contains(text, "This is a sample, not a real incident") {
		t.Errorf("sent %q", text)
	}
	if err := send(channel, downwind.ChangeNew); err != nil {
		t.Fatal(err)
	}
	roots := slack.Roots(channel)
	if len(roots) != 1 || !strings.Contains(roots[0].Visible(), "Sample: ExampleCloud reports") {
		t.Fatalf("Slack shows %v", roots)
	}
	if raw := string(roots[0].Blocks); strings.Contains(raw, `"action_id":"ack:`) || !strings.Contains(raw, `"action_id":"sample:`) {
		t.Errorf("a button of the sample does something: %s", raw)
	}
	answer = http.StatusUnauthorized
	if err := send("post::chat", downwind.ChangeNew); err == nil || !strings.Contains(err.Error(), "renew them in the configuration") {
		t.Errorf("refused: %v", err)
	}
	if err := send("nobody", downwind.ChangeNew); !errors.Is(err, downwind.ErrNotFound) || !strings.Contains(err.Error(), "post::chat") {
		t.Errorf("unknown: %v", err)
	}
	if err := send("chat", "nonsense"); !errors.Is(err, downwind.ErrInvalid) {
		t.Errorf("no such layout: %v", err)
	}
}
