package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"downwind/config"
	"downwind/notify"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

const signingSecret = "shhh"

// overHTTP lets Slack reach the program over signed requests in place of a socket, and asks for reminders.
func overHTTP(c *config.Config) {
	c.Slack.Mode, c.Slack.SigningSecret = "http", secret.New(signingSecret)
	c.Team[0].Remind.Duration = 15 * time.Minute
}

// click presses a button of a message and waits for the answer.
func (v *village) click(m slacktest.Message, verb, incident string) {
	v.t.Helper()
	payload, id := v.slack.ClickPayload(slacktest.Click{Message: m, ActionID: notify.ActionID(verb, notify.IncidentArg(incident))})
	raw, err := json.Marshal(payload)
	if err != nil {
		v.t.Fatal(err)
	}
	body := []byte(url.Values{"payload": {string(raw)}}.Encode())
	req, err := slacktest.Sign(v.t.Context(), "http://downwind.example/slack/interact", signingSecret, "application/x-www-form-urlencoded", body, v.clock.Now())
	if err != nil {
		v.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	v.app.Handler().ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		v.t.Fatalf("the click is answered with %d %s", w.Code, w.Body)
	}
	if err := v.slack.Wait(v.t.Context(), func() bool { return len(v.slack.Answers(id)) > 0 }); err != nil {
		v.t.Fatal(err)
	}
}

// reminders are the messages that say again what is open.
func (v *village) reminders() []string {
	var out []string
	for _, s := range v.texts(channel) {
		if strings.Contains(s, "Still open: ") {
			out = append(out, s)
		}
	}
	return out
}

// The demo's incident is first read at half past two and worse a quarter of an hour later; it ends at half past three.
func TestReminders(t *testing.T) {
	v := newVillage(t, func(c *config.Config) { c.Team[0].Remind.Duration = 15 * time.Minute })
	v.until(hour(15, 5))
	got := v.reminders()
	if len(got) == 0 || !strings.Contains(got[0], "Nobody here has acknowledged it") || !strings.Contains(got[0], "Elevated message API errors in EU West") {
		t.Fatalf("no reminder: %q", v.texts(channel))
	}
	if n := len(v.slack.Roots(channel)); n != 1 {
		t.Errorf("%d roots: a reminder belongs into the thread", n)
	}
	v.until(hour(16, 30))
	ended := len(v.reminders())
	v.until(hour(18, 0))
	if n := len(v.reminders()); n != ended {
		t.Errorf("%d reminders after the end", n-ended)
	}
}

func TestRemindersAreOffAndEndWhenAcknowledged(t *testing.T) {
	v := newVillage(t, nil)
	v.until(hour(15, 20))
	if got := v.reminders(); len(got) != 0 {
		t.Fatalf("reminded without asking: %q", got)
	}
	v = newVillage(t, overHTTP)
	v.until(hour(14, 50))
	v.click(v.slack.Roots(channel)[0], notify.VerbAck, "nimbus-relay/nr7k4euapi503")
	v.until(hour(15, 20))
	if got := v.reminders(); len(got) != 0 {
		t.Errorf("reminded of what somebody has taken: %q", got)
	}
}

// A mute answers the reminder.
func TestAMuteEndsReminders(t *testing.T) {
	v := newVillage(t, overHTTP)
	v.until(hour(14, 50))
	v.click(v.slack.Roots(channel)[0], notify.VerbMute, "nimbus-relay/nr7k4euapi503")
	v.until(hour(15, 30))
	if got := v.reminders(); len(got) != 0 {
		t.Errorf("reminded of what is muted: %q", got)
	}
}
