package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

func TestQueueIsForOperators(t *testing.T) {
	server, world := site(t)
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: "@ana"})
	for _, headers := range [][]string{nil, {"Cookie", cookie}, {"Authorization", "Bearer " + token(t, world, webtest.Team, downwind.ScopeStackWrite)}} {
		resp, body := get(t, server.URL+"/admin/queue", headers...)
		if resp.StatusCode == http.StatusOK || strings.Contains(body, "Messages that wait") {
			t.Errorf("with %v: status %d", headers, resp.StatusCode)
		}
	}
	resp, _ := post(t, server.URL+"/login", url.Values{"token": {"the-administrator"}, "team": {webtest.Team}})
	c := cookieOf(t, resp, "dw_session")
	cookie = c.Name + "=" + c.Value
	resp, body := get(t, server.URL+"/admin/queue", "Cookie", cookie)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the operator: status %d, cache %q", resp.StatusCode, resp.Header.Get("Cache-Control"))
	}
	csrf := formToken.FindStringSubmatch(body)[1]
	for _, c := range []struct {
		name, csrf, do, id string
		want               int
	}{
		{"cancel", csrf, "cancel", "412", 303},
		{"retry", csrf, "retry", "398", 303},
		{"a job that is not there", csrf, "retry", "99", 404},
		{"no job", csrf, "retry", "x", 400},
		{"something else", csrf, "drop", "412", 400},
		{"no form token", "", "retry", "398", 403},
		{"resume", csrf, "resume", "discord:9:12", 303},
		{"a channel that is not there", csrf, "resume", "discord:9:99", 404},
	} {
		if resp, _ := post(t, server.URL+"/admin/queue", url.Values{"csrf": {c.csrf}, "do": {c.do}, "id": {c.id}}, "Cookie", cookie); resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, resp.StatusCode, c.want)
		}
	}
	states := map[int64]string{}
	for _, j := range world.Store.JobRows {
		states[j.ID] = j.State
	}
	if states[412] != "cancelled" || states[398] != "available" || world.Store.Dests[1].Paused != "" {
		t.Errorf("jobs %v, paused %q", states, world.Store.Dests[1].Paused)
	}
}

// An operator needs no team: a new installation has none yet.
func TestOperatorWithoutTeam(t *testing.T) {
	server, world := site(t)
	for _, c := range []struct {
		name  string
		teams int
		next  string
		lands string
	}{
		{"no team yet", 0, "/team", "/admin/queue"},
		{"several teams, none named", 2, "/team", "/admin/queue"},
		{"on the way somewhere", 0, "/archive", "/archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			world.Store.TeamRows = map[string]downwind.Team{}
			for _, id := range []string{"a", "b"}[:c.teams] {
				world.Store.TeamRows[id] = downwind.Team{ID: id, Name: id}
			}
			resp, _ := post(t, server.URL+"/login", url.Values{"token": {"the-administrator"}, "next": {c.next}})
			if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != c.lands {
				t.Fatalf("status %d, lands at %q, want %q", resp.StatusCode, got, c.lands)
			}
			session := cookieOf(t, resp, "dw_session")
			cookie := session.Name + "=" + session.Value
			resp, body := get(t, server.URL+"/admin/queue", "Cookie", cookie)
			if resp.StatusCode != http.StatusOK || strings.Contains(body, "Your team") {
				t.Errorf("the queue: status %d; a link to a team: %v", resp.StatusCode, strings.Contains(body, "Your team"))
			}
			csrf := formToken.FindStringSubmatch(body)[1]
			for _, path := range []string{"/", "/archive", "/stack"} {
				if resp, _ := get(t, server.URL+path, "Cookie", cookie); resp.StatusCode != http.StatusOK {
					t.Errorf("%s: status %d", path, resp.StatusCode)
				}
			}
			for _, path := range []string{"/team", "/team/settings"} {
				if resp, body := get(t, server.URL+path, "Cookie", cookie); resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "for the whole installation") {
					t.Errorf("%s: status %d", path, resp.StatusCode)
				}
			}
			for _, path := range []string{"/team/tokens", "/stack/keep"} {
				if resp, _ := post(t, server.URL+path, url.Values{"csrf": {csrf}}, "Cookie", cookie); resp.StatusCode != http.StatusBadRequest {
					t.Errorf("a post to %s: status %d", path, resp.StatusCode)
				}
			}
		})
	}
	all := token(t, world, "", downwind.ScopeStackWrite)
	if resp, _ := post(t, server.URL+"/login", url.Values{"token": {all}}); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a token for all teams without a team: status %d", resp.StatusCode)
	}
}
