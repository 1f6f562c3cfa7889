package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

func TestSettingsOfAChannel(t *testing.T) {
	reserved := false
	var told []string
	server, world := site(t, func(o *web.Options) {
		o.AdminsOnly = func(context.Context, string) (bool, error) { return reserved, nil }
		o.Announce = func(_ context.Context, d downwind.Destination, sentence string) error {
			told = append(told, d.Name+": "+sentence)
			return nil
		}
	})
	const channel = "slack:T01:C012"
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleEditor, Name: "@ana"})
	page := server.URL + "/team/settings?destination=" + url.QueryEscape(channel)
	_, body := get(t, page, "Cookie", cookie)
	csrf := formToken.FindStringSubmatch(body)[1]
	send := func(path string, pairs ...string) (int, string) {
		form := url.Values{"csrf": {csrf}, "destination": {channel}}
		for i := 0; i+1 < len(pairs); i += 2 {
			form.Add(pairs[i], pairs[i+1])
		}
		resp, body := post(t, server.URL+path, form, "Cookie", cookie)
		return resp.StatusCode, body
	}
	for _, c := range []struct {
		name, path string
		fields     []string
		status     int
		told       string
	}{
		{"all providers", "/team/subscriptions", []string{"target", "all", "min", "critical"}, 303, "#checkout-ops: @ana subscribed this channel to all providers (from critical up) (on the team's page)."},
		{"two providers by name and alias", "/team/subscriptions", []string{"target", "provider", "provider", "Tallypay, kdb", "kinds", "new", "kinds", "resolved"}, 303, "@ana subscribed this channel to Tallypay (kinds new, resolved), Kestrel DB (kinds new, resolved)"},
		{"a provider that is none", "/team/subscriptions", []string{"target", "provider", "provider", "tallypey"}, 404, ""},
		{"no provider", "/team/subscriptions", []string{"target", "provider"}, 400, ""},
		{"nothing", "/team/subscriptions", nil, 400, ""},
		{"a kind that is none", "/team/subscriptions", []string{"target", "all", "kinds", "gossip"}, 400, ""},
		{"an end", "/team/subscriptions/end", []string{"id", "2"}, 303, "ended this channel's subscription to Quaymail"},
		{"the same end again", "/team/subscriptions/end", []string{"id", "2"}, 303, ""},
		{"hours", "/team/settings", []string{"from", "21:30", "to", "06:00", "except", "critical", "digest", "daily", "zone", "Europe/Berlin", "remind", "2h"}, 303, "quiet 21:30-06:00 Europe/Berlin, but not for critical; digest daily at 08:00 Europe/Berlin; reminders every 2 h"},
		{"reminders every minute", "/team/settings", []string{"zone", "Europe/Berlin", "remind", "1m"}, 400, ""},
		{"half of the hours", "/team/settings", []string{"from", "21:30", "zone", "UTC"}, 400, ""},
		{"hours that are none", "/team/settings", []string{"from", "25:00", "to", "06:00", "zone", "UTC"}, 400, ""},
		{"a zone that is none", "/team/settings", []string{"zone", "Mars/Olympus"}, 400, ""},
		{"a rhythm that is none", "/team/settings", []string{"digest", "hourly", "zone", "UTC"}, 400, ""},
	} {
		told = nil
		status, body := send(c.path, c.fields...)
		if status != c.status {
			t.Errorf("%s: status %d, want %d: %.300s", c.name, status, c.status, body)
		}
		if got := strings.Join(told, "\n"); c.told == "" && got != "" || !strings.Contains(got, c.told) {
			t.Errorf("%s: told %q, want %q", c.name, got, c.told)
		}
	}
	_, body = get(t, page, "Cookie", cookie)
	for _, want := range []string{"all providers", "from critical up", "Tallypay", "Kestrel DB", `value="21:30"`, `value="Europe/Berlin"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(body, "Quaymail") {
		t.Error("the page still lists what was ended")
	}
	reserved = true
	if status, _ := send("/team/subscriptions", "target", "all"); status != http.StatusForbidden {
		t.Errorf("a channel reserved to administrators: %d", status)
	}
}

// TestTeamsOwnClocks shows the periods on the team's clocks beside UTC, and to its people only.
func TestTeamsOwnClocks(t *testing.T) {
	server, world := site(t)
	team := world.Store.TeamRows[webtest.Team]
	team.Timezone = "Europe/Berlin"
	world.Store.TeamRows[webtest.Team] = team
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleViewer, Name: "@ana"})
	const local = "17 Nov, 17:32 to 18:05 CET"
	_, body := get(t, server.URL+"/incidents/lumen-voice/k03ne", "Cookie", cookie)
	if !strings.Contains(body, local) || !strings.Contains(body, "2026-11-17T16:32:00Z/2026-11-17T17:05:00Z") && !strings.Contains(body, "<span>2026-11-17T16:32:00Z/</span>") {
		t.Error("the team's clocks do not stand beside UTC")
	}
	if _, body := get(t, server.URL+"/incidents/lumen-voice/k03ne"); strings.Contains(body, "CET") {
		t.Error("a stranger sees the team's clocks")
	}
}
