package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// hostilePath is the address of the hostile incident's page.
var hostilePath = "/incidents/lumen-voice/" + url.PathEscape(`../x?"<b>&`+"\u00fc")

func TestHostileTextStaysText(t *testing.T) {
	server, _ := site(t, hostile)
	var paths []string
	for _, p := range everyPage {
		paths = append(paths, p.path)
	}
	paths = append(paths, hostilePath, hostilePath+"/versions/1", "/archive?q="+url.QueryEscape(hostileText), "/providers?q="+url.QueryEscape(hostileText),
		"/corrections?about="+url.QueryEscape(hostileText), "/login?next="+url.QueryEscape(`javascript:alert(1)"><b>`), "/incidents/kestrel-db/01HZX")
	for _, path := range paths {
		resp, body := get(t, server.URL+path)
		if resp.StatusCode != http.StatusOK && path != "/nothing" {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
		for _, bad := range []string{"<script", "</title><b", "<b>", `href="javascript`, "\u202e", "\x00", "\ufffe", "ZgotmplZ"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: %q came through", path, bad)
			}
		}
		if strings.Count(body, "<h1") != 1 {
			t.Errorf("%s: %d first headings", path, strings.Count(body, "<h1"))
		}
	}
}

func TestHostileTextInOtherForms(t *testing.T) {
	server, _ := site(t, hostile)
	for form, bad := range map[string][]string{
		".md":         {"<script", "<!channel>", "](javascript", "@everyone", "\u202e", "![a]"},
		".ics":        {"\nBEGIN:VEVENT\r\nX:", "\nX:", "\x00", "\u202e"},
		"/replay.csv": {",=1", "\n=", "\x00", "\nX:"},
		".json":       {"<script", "\x00"},
	} {
		resp, body := get(t, server.URL+hostilePath+form)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", form, resp.StatusCode)
		}
		for _, text := range bad {
			if strings.Contains(body, text) {
				t.Errorf("%s: %q came through: %.300q", form, text, body)
			}
		}
	}
	_, body := get(t, server.URL+hostilePath+".ics")
	for _, line := range strings.Split(body, "\r\n") {
		if len(line) > 75 || strings.Contains(line, "\n") {
			t.Errorf("calendar line %q", line)
		}
	}
	if strings.Count(body, "BEGIN:VEVENT\r\n") != 1 {
		t.Errorf("calendar holds %d events", strings.Count(body, "BEGIN:VEVENT\r\n"))
	}
	_, body = get(t, server.URL+"/incidents/kestrel-db/01HZX")
	if strings.Contains(body, "own page") {
		t.Error("an address that is not http became a link")
	}
}

// post sends a form as a browser on the site itself would.
func post(t *testing.T, address string, form url.Values, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(t, r)
}

// cookieOf picks a cookie of an answer, to be sent back.
func cookieOf(t *testing.T, resp *http.Response, name string) *http.Cookie {
	t.Helper()
	for _, c := range resp.Cookies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cookie %s; status %d", name, resp.StatusCode)
	return nil
}

// signIn returns the cookie header of a session by a one-time link.
func signIn(t *testing.T, server *httptest.Server, world *webtest.World, login web.Login) string {
	t.Helper()
	path, err := web.LoginPath(t.Context(), world.Store, login, world.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := get(t, server.URL+path); resp.StatusCode != http.StatusOK || !strings.Contains(body, "One click") {
		t.Fatalf("link: %d", resp.StatusCode)
	}
	resp, _ := post(t, server.URL+path, nil)
	c := cookieOf(t, resp, "dw_session")
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("cookie %v", c)
	}
	if again, _ := post(t, server.URL+path, nil); again.StatusCode != http.StatusGone {
		t.Errorf("a link worked twice: %d", again.StatusCode)
	}
	return c.Name + "=" + c.Value
}

var formToken = regexp.MustCompile(`name="csrf" value="([0-9a-f]+)"`)

func TestSignInAndRoles(t *testing.T) {
	server, world := site(t)
	cookies := map[string]string{}
	for _, role := range []string{"viewer", "editor", "admin"} {
		login := web.Login{Team: webtest.Team, Name: "@ana"}
		switch role {
		case "viewer":
			login.Role = web.RoleViewer
		case "editor":
			login.Role = web.RoleEditor
		default:
			login.Role = web.RoleAdmin
		}
		cookies[role] = signIn(t, server, world, login)
	}
	if resp, _ := get(t, server.URL+"/team"); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("/team without a session: %d", resp.StatusCode)
	}
	for role, cookie := range cookies {
		resp, body := get(t, server.URL+"/team", "Cookie", cookie)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, "services/calls/package.json") {
			t.Errorf("%s: status %d, evidence %v", role, resp.StatusCode, strings.Contains(body, "package.json"))
		}
		if got := strings.Contains(body, "Make a token"); got != (role == "admin") {
			t.Errorf("%s: form for tokens %v", role, got)
		}
		if !strings.Contains(resp.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: cache control %q", role, resp.Header.Get("Cache-Control"))
		}
	}
	if _, body := get(t, server.URL+"/teams/"+webtest.Secret); strings.Contains(body, "package.json") || strings.Contains(body, "voice.tf") {
		t.Error("the secret address shows evidence")
	}
	_, body := get(t, server.URL+"/team", "Cookie", cookies["admin"])
	csrf := formToken.FindStringSubmatch(body)[1]
	for _, c := range []struct {
		name, path, cookie, csrf string
		want                     int
	}{
		{"nobody", "/team/rotate", "", csrf, 401},
		{"viewer", "/team/rotate", cookies["viewer"], csrf, 403},
		{"editor", "/team/rotate", cookies["editor"], csrf, 403},
		{"no form token", "/team/rotate", cookies["admin"], "", 403},
		{"a token of another session", "/team/rotate", cookies["admin"], strings.Repeat("0", 32), 403},
		{"viewer keeps a stack", "/stack/keep", cookies["viewer"], "", 403},
	} {
		if resp, _ := post(t, server.URL+c.path, url.Values{"csrf": {c.csrf}}, "Cookie", c.cookie); resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, resp.StatusCode, c.want)
		}
	}
	if resp, _ := post(t, server.URL+"/team/rotate", url.Values{"csrf": {csrf}}, "Cookie", cookies["admin"], "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("another site's form: %d", resp.StatusCode)
	}
	if resp, _ := post(t, server.URL+"/team/rotate", url.Values{"csrf": {csrf}}, "Cookie", cookies["admin"]); resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("rotate: %d", resp.StatusCode)
	}
	if resp, _ := get(t, server.URL+"/teams/"+webtest.Secret+"/feed"); resp.StatusCode != http.StatusGone {
		t.Errorf("old secret: %d, want 410", resp.StatusCode)
	}
	if resp, _ := post(t, server.URL+"/logout", nil, "Cookie", cookies["admin"]); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("sign out: %d", resp.StatusCode)
	}
	if resp, _ := get(t, server.URL+"/team", "Cookie", cookies["admin"]); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("session lives on after signing out: %d", resp.StatusCode)
	}
	world.Clock.At = world.Clock.At.Add(15 * 24 * time.Hour)
	if resp, _ := get(t, server.URL+"/team", "Cookie", cookies["viewer"]); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("session lives on after two weeks: %d", resp.StatusCode)
	}
}

func TestTokensOnTheTeamPage(t *testing.T) {
	server, world := site(t)
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: "@ana"})
	_, body := get(t, server.URL+"/team", "Cookie", cookie)
	csrf := formToken.FindStringSubmatch(body)[1]
	_, body = post(t, server.URL+"/team/tokens", url.Values{"csrf": {csrf}, "name": {"ci"}, "scope": {"stack:write"}}, "Cookie", cookie)
	secret := regexp.MustCompile(`dw_[0-9a-f]{32}`).FindString(body)
	if secret == "" {
		t.Fatal("no token shown")
	}
	if _, again := get(t, server.URL+"/team", "Cookie", cookie); strings.Contains(again, secret) {
		t.Error("the token is shown twice")
	}
	if resp, _ := get(t, server.URL+"/api/v1/teams/checkout/stack", "Authorization", "Bearer "+secret); resp.StatusCode != http.StatusOK {
		t.Errorf("the token does not work: %d", resp.StatusCode)
	}
	id := world.Store.TokenRows[len(world.Store.TokenRows)-1].ID
	if resp, _ := post(t, server.URL+"/team/tokens/revoke", url.Values{"csrf": {csrf}, "id": {fmt.Sprint(id)}}, "Cookie", cookie); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("revoke: %d", resp.StatusCode)
	}
	if resp, _ := get(t, server.URL+"/api/v1/teams/checkout/stack", "Authorization", "Bearer "+secret); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked token works: %d", resp.StatusCode)
	}
	foreign := token(t, world, "other", downwind.ScopeRead)
	foreignID := world.Store.TokenRows[len(world.Store.TokenRows)-1].ID
	if resp, _ := post(t, server.URL+"/team/tokens/revoke", url.Values{"csrf": {csrf}, "id": {fmt.Sprint(foreignID)}}, "Cookie", cookie); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another team's token: %d", resp.StatusCode)
	}
	if resp, _ := get(t, server.URL+"/api/v1/teams/other", "Authorization", "Bearer "+foreign); resp.StatusCode != http.StatusOK {
		t.Errorf("another team's token was revoked: %d", resp.StatusCode)
	}
}

func TestLoginByToken(t *testing.T) {
	server, world := site(t)
	resp, _ := post(t, server.URL+"/login", url.Values{"token": {token(t, world, webtest.Team, downwind.ScopeRead)}, "next": {"//evil.example"}})
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" {
		t.Errorf("status %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	resp, _ = post(t, server.URL+"/login", url.Values{"token": {"the-administrator"}, "team": {"checkout"}, "next": {"/team"}})
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/team" {
		t.Errorf("administrator: status %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	limited := false
	for range 15 {
		resp, _ = post(t, server.URL+"/login", url.Values{"token": {"guess"}})
		limited = limited || resp.StatusCode == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("fifteen wrong tokens in a row were all tried")
	}
}

func TestPostsAreLimited(t *testing.T) {
	server, world := site(t, func(o *web.Options) { o.PostsPerMinute = 5 })
	codes := map[int]int{}
	for range 8 {
		resp, _ := post(t, server.URL+"/corrections", url.Values{"text": {"this is wrong"}})
		codes[resp.StatusCode]++
		if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if codes[http.StatusSeeOther] != 5 || codes[http.StatusTooManyRequests] != 3 {
		t.Errorf("answers %v", codes)
	}
	if n := world.Store.KeptKinds(web.ReportKind); n != 5 {
		t.Errorf("%d reports kept, want 5", n)
	}
	world.Clock.At = world.Clock.At.Add(time.Minute)
	if resp, _ := post(t, server.URL+"/corrections", url.Values{"text": {"later"}}); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("a minute later: %d", resp.StatusCode)
	}
	if resp, _ := post(t, server.URL+"/corrections", url.Values{"text": {strings.Repeat("x", 100_000)}}); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large form: %d", resp.StatusCode)
	}
}

func TestForwardedHeaders(t *testing.T) {
	for _, c := range []struct {
		name    string
		proxies []netip.Prefix
		want    string
	}{
		{"from a named network", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "https://dw.example.org/sub/feed"},
		{"from elsewhere", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, ""},
		{"from nowhere", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, _ := site(t, func(o *web.Options) { o.TrustedProxies, o.PathPrefix = c.proxies, "/sub/" })
			if c.want == "" {
				c.want = server.URL + "/sub/feed"
			}
			resp, body := get(t, server.URL+"/sub/feed?format=json", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "dw.example.org", "X-Forwarded-For", "203.0.113.9, 127.0.0.1")
			if !strings.Contains(body, `"feed_url":"`+c.want) {
				t.Errorf("feed says %.300s", body)
			}
			if hsts := resp.Header.Get("Strict-Transport-Security") != ""; hsts != strings.HasPrefix(c.want, "https") {
				t.Errorf("HSTS %v", hsts)
			}
		})
	}
	server, _ := site(t, func(o *web.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	if resp, _ := get(t, server.URL+"/", "X-Forwarded-Host", `a"><script>`); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a host that is none: %d", resp.StatusCode)
	}
}

func TestPathPrefix(t *testing.T) {
	server, _ := site(t, func(o *web.Options) { o.BaseURL = "https://ops.example.org/downwind" })
	for _, prefix := range []string{"/downwind", ""} {
		resp, body := get(t, server.URL+prefix+"/providers/lumen-voice")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
		for _, m := range regexp.MustCompile(`(?:href|action)="(/[^"]*)"`).FindAllStringSubmatch(body, -1) {
			if !strings.HasPrefix(m[1], "/downwind/") {
				t.Errorf("address %q leaves the prefix", m[1])
			}
		}
		if !strings.Contains(body, `rel="canonical" href="https://ops.example.org/downwind/providers/lumen-voice"`) {
			t.Error("no canonical address under the prefix")
		}
	}
	resp, _ := post(t, server.URL+"/downwind/theme", url.Values{"theme": {"dark"}, "next": {"/about"}})
	if resp.Header.Get("Location") != "/downwind/about" || cookieOf(t, resp, "dw_theme").Path != "/downwind/" {
		t.Errorf("theme leads to %q", resp.Header.Get("Location"))
	}
	if resp, _ := get(t, server.URL+"/downwind"); resp.Header.Get("Location") != "/downwind/" {
		t.Errorf("the prefix alone leads to %q", resp.Header.Get("Location"))
	}
}

func TestOtherHandlersAndOperators(t *testing.T) {
	ready := errors.New("first poll has not ended")
	server, _ := site(t, func(o *web.Options) {
		o.Ready = func() error { return ready }
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "up 1") })
		o.Extra = map[string]http.Handler{"POST /slack/command": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "command") })}
	})
	if resp, body := get(t, server.URL+"/readyz"); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "first poll") {
		t.Errorf("readyz %d %q", resp.StatusCode, body)
	}
	if _, body := get(t, server.URL+"/metrics"); body != "up 1\n" {
		t.Errorf("metrics %q", body)
	}
	if _, body := post(t, server.URL+"/slack/command", nil, "Sec-Fetch-Site", "cross-site"); body != "command" {
		t.Errorf("extra handler %q", body)
	}
}

// brokenReader fails where the pages look first.
type brokenReader struct{ web.Reader }

func (brokenReader) Sources(context.Context) ([]downwind.Source, error) {
	return nil, errors.New("pq: password authentication failed for user downwind")
}

func (brokenReader) Teams(context.Context) ([]downwind.Team, error) { panic("nil map") }

func TestFailuresTellNothingInside(t *testing.T) {
	server, _ := site(t, func(o *web.Options) { o.Reader = brokenReader{o.Reader} })
	for _, path := range []string{"/", "/api/v1/providers", "/api/v1/teams"} {
		resp, body := get(t, server.URL+path, "Authorization", "Bearer the-administrator")
		if resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, "password") || strings.Contains(body, "nil map") || strings.Contains(body, "goroutine") {
			t.Errorf("%s: %d %.200s", path, resp.StatusCode, body)
		}
	}
}

func TestBadges(t *testing.T) {
	server, _ := site(t, hostile)
	for path, want := range map[string]string{
		"/badges/lumen-voice.svg": "2 open incidents", "/badges/nimbus-cloud.svg": "no open incident", "/badges/halyard-dns.svg": "cannot be read",
		"/teams/" + webtest.Secret + "/badge.svg": "hit",
	} {
		resp, body := get(t, server.URL+path)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, want) {
			t.Errorf("%s: %d %q", path, resp.StatusCode, body)
		}
	}
}

func TestPageWeight(t *testing.T) {
	server, _ := site(t)
	_, style := get(t, server.URL+"/static/style.css", "Accept-Encoding", "gzip")
	_, icon := get(t, server.URL+"/static/icon.svg", "Accept-Encoding", "gzip")
	heaviest := 0
	for _, p := range everyPage {
		_, body := get(t, server.URL+p.path, "Accept-Encoding", "gzip")
		weight := len(body) + len(style) + len(icon)
		heaviest = max(heaviest, weight)
		if weight > 30<<10 {
			t.Errorf("%s weighs %d bytes with its style and icon", p.path, weight)
		}
		_, plain := get(t, server.URL+p.path, "Accept-Encoding", "identity")
		if n := strings.Count(plain, `rel="stylesheet"`) + strings.Count(plain, `rel="icon"`) + strings.Count(plain, "<img"); n > 2 {
			t.Errorf("%s asks for %d more files", p.path, n)
		}
	}
	t.Logf("heaviest page %d bytes, of which style %d", heaviest, len(style))
}

func TestPagesHaveValidators(t *testing.T) {
	server, _ := site(t)
	for _, path := range []string{"/", "/providers/lumen-voice", "/incidents/lumen-voice/k03ne", "/incidents/lumen-voice/k03ne.json", "/incidents/lumen-voice/k03ne.md", "/now.json", "/static/style.css", "/maintenance.ics"} {
		resp, _ := get(t, server.URL+path)
		tag := resp.Header.Get("ETag")
		if again, body := get(t, server.URL+path, "If-None-Match", tag); tag == "" || again.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s: tag %q then %d", path, tag, again.StatusCode)
		}
	}
}

// TestHomeTeamStaysAtHome asks under a name that a foreign site could have made lead to this machine.
func TestHomeTeamStaysAtHome(t *testing.T) {
	server, _ := site(t, func(o *web.Options) { o.HomeTeam = webtest.Team })
	for host, want := range map[string]bool{"": true, "localhost:8080": true, "127.0.0.1": true, "[::1]:8080": true, "evil.example": false, "127.0.0.1.evil.example:8080": false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/incidents/lumen-voice/vq7d2", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if _, body := do(t, r); strings.Contains(body, "package.json") != want {
			t.Errorf("host %q: evidence shown is not %v", host, want)
		}
	}
}
