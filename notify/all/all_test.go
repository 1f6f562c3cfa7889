package all_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downwind/notify"
	"downwind/notify/alertmanager"
	"downwind/notify/all"
	"downwind/notify/email"
	"downwind/notify/ntfy"
	"downwind/notify/pagerduty"
	"downwind/notify/teams"
	"downwind/notify/webhook"
	"downwind/secret"
)

func config() all.Config {
	return all.Config{
		Webhooks:      map[string]webhook.Config{"ci": {URL: secret.New("https://ci.example/hook"), Key: secret.New("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")}},
		Teams:         map[string]teams.Config{"ops": {URL: secret.New("https://x.logic.azure.com/w?sig=1")}},
		PagerDuty:     map[string]pagerduty.Config{"night": {RoutingKey: secret.New(strings.Repeat("a", 32))}},
		Alertmanagers: map[string]alertmanager.Config{"prod": {URL: "http://am:9093"}},
		Ntfy:          map[string]ntfy.Config{"phone": {Topic: secret.New("t-1")}},
		Email:         email.Config{Addr: "smtp.example:587", From: "dw@acme.example", To: map[string]string{"ops": "ops@acme.example"}},
	}
}

func TestEveryDestinationHasItsNotifier(t *testing.T) {
	c := config()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	ns := all.Notifiers(c, all.Options{})
	var ids []string
	for _, d := range all.Destinations(c) {
		ids = append(ids, d.ID)
		n := ns[d.Platform]
		if n == nil {
			t.Fatalf("no notifier for %s", d.ID)
		}
		if l := n.Limits(); l.Timeout <= 0 {
			t.Errorf("%s has no time limit", d.ID)
		}
	}
	want := []string{"webhook::ci", "teams::ops", "pagerduty::night", "alertmanager::prod", "ntfy::phone", "email::ops"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
}

func TestNothingConfigured(t *testing.T) {
	if err := (all.Config{}).Validate(); err != nil {
		t.Error(err)
	}
	if n := len(all.Notifiers(all.Config{}, all.Options{})) + len(all.Destinations(all.Config{})); n != 0 {
		t.Errorf("%d things out of nothing", n)
	}
}

func TestErrorsNameKindAndName(t *testing.T) {
	c := config()
	c.Ntfy["bad"] = ntfy.Config{Topic: secret.New("no spaces")}
	c.Email.From = "x"
	err := c.Validate()
	if err == nil || !strings.Contains(err.Error(), `ntfy "bad": topic`) || !strings.Contains(err.Error(), "email: from") {
		t.Errorf("%v", err)
	}
}

var _ notify.Notifier = (*email.Notifier)(nil)
