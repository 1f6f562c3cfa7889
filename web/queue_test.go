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
