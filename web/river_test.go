package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// TestRiverIsForOperators: the job engine's own pages see their whole path, and nobody but the operator on this site
// reaches them.
func TestRiverIsForOperators(t *testing.T) {
	var mounted string
	server, world := site(t, func(o *web.Options) {
		o.PathPrefix = "/status"
		o.River = func(prefix string) (http.Handler, error) {
			mounted = prefix
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "river got %s %s", r.Method, r.URL.Path) }), nil
		}
	})
	if mounted != "/status/admin/river" {
		t.Errorf("mounted under %q", mounted)
	}
	resp, _ := post(t, server.URL+"/status/login", url.Values{"token": {"the-administrator"}, "team": {webtest.Team}})
	c := cookieOf(t, resp, "dw_session")
	operator, admin := c.Name+"="+c.Value, signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: "@ana"})
	for _, c := range []struct {
		name, method, path string
		headers            []string
		want               string
	}{
		{"operator", http.MethodGet, "/status/admin/river/api/jobs", []string{"Cookie", operator}, "river got GET /status/admin/river/api/jobs"},
		{"prefix taken away by the proxy", http.MethodGet, "/admin/river/", []string{"Cookie", operator}, "river got GET /status/admin/river/"},
		{"operator's change", http.MethodPut, "/status/admin/river/api/queues/x/pause", []string{"Cookie", operator, "Origin", server.URL}, "river got PUT"},
		{"change from elsewhere", http.MethodPut, "/status/admin/river/api/queues/x/pause", []string{"Cookie", operator, "Origin", "https://evil.example"}, ""},
		{"a team's admin", http.MethodGet, "/status/admin/river/api/jobs", []string{"Cookie", admin}, ""},
		{"a token for stacks", http.MethodGet, "/status/admin/river/api/jobs", []string{"Authorization", "Bearer " + token(t, world, webtest.Team, downwind.ScopeStackWrite)}, ""},
		{"nobody", http.MethodGet, "/status/admin/river/api/jobs", nil, ""},
	} {
		resp, body := request(t, c.method, server.URL+c.path, c.headers...)
		if c.want == "" && (resp.StatusCode == http.StatusOK && !strings.Contains(body, "Sign in") || strings.Contains(body, "river got")) {
			t.Errorf("%s: status %d: %.200s", c.name, resp.StatusCode, body)
		}
		if !strings.HasPrefix(body, c.want) {
			t.Errorf("%s: status %d: %.200s", c.name, resp.StatusCode, body)
		}
		if policy := resp.Header.Get("Content-Security-Policy"); c.want != "" && (!strings.Contains(policy, "script-src 'self';") || resp.Header.Get("Cache-Control") != "no-store") {
			t.Errorf("%s: policy %q", c.name, policy)
		}
	}
	if resp, body := get(t, server.URL+"/status/admin/queue", "Cookie", operator); !strings.Contains(body, `href="/status/admin/river/"`) {
		t.Errorf("the queue (status %d) does not lead there", resp.StatusCode)
	}
}
