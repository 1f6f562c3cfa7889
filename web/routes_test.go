package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// asked fills a pattern's names in and returns its method and path; ok is false for patterns of all methods.
func asked(pattern string) (method, path string, ok bool) {
	method, path, ok = strings.Cut(pattern, " ")
	return method, strings.NewReplacer(
		"{$}", "", "{slug}", "lumen-voice", "{provider}", "lumen-voice", "{id}", "k03ne", "{n}", "2", "{range}", "301..302", "{file}", "style.css",
		"{team}", webtest.Team, "{secret}", webtest.Secret, "{token}", strings.Repeat("1", 32), "{name}", "lumen-voice.svg",
	).Replace(path), ok
}

// TestEveryRouteIsGuarded asks every route: each answer has the headers that keep a page to itself, and each form that
// another site sends is refused, whoever is signed in.
func TestEveryRouteIsGuarded(t *testing.T) {
	world := webtest.New()
	opt := world.Options()
	opt.PostsPerMinute = 1_000_000
	srv, err := web.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	cookie, csrf := enter(t, srv, world, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: "@ana", Operator: true})
	forms := 0
	for _, pattern := range srv.Patterns() {
		method, path, ok := asked(pattern)
		if !ok || strings.HasSuffix(path, "/events") {
			continue // the stream does not end
		}
		r := httptest.NewRequest(method, path, strings.NewReader(url.Values{"csrf": {csrf}}.Encode()))
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if method != http.MethodGet {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Origin", "https://evil.example")
		}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		h := w.Result().Header
		if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", pattern, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" || h.Get("Referrer-Policy") == "" {
			t.Errorf("%s: headers %v", pattern, h)
		}
		if method == http.MethodGet {
			if w.Code >= http.StatusInternalServerError && w.Code != http.StatusNotImplemented {
				t.Errorf("%s: status %d", pattern, w.Code)
			}
			continue
		}
		forms++
		if refused := w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized; !refused {
			t.Errorf("%s: another site's form was taken: %d", pattern, w.Code)
		}
	}
	if forms < 15 {
		t.Errorf("only %d forms were tried", forms)
	}
}

// TestHostileWordsOfTeamsStayText shows names and errors of others' making on the pages behind the sign-in.
func TestHostileWordsOfTeamsStayText(t *testing.T) {
	world := webtest.New()
	s := world.Store
	team := s.TeamRows[webtest.Team]
	team.Name, team.StackBy = hostileText, hostileText
	team.Stack.Providers[0].Evidence = []downwind.Evidence{{File: hostileText, Match: hostileText}}
	s.TeamRows[webtest.Team] = team
	for i := range s.Dests {
		s.Dests[i].Name, s.Dests[i].Paused, s.Dests[i].Timezone, s.Dests[i].Quiet = hostileText, hostileText, hostileText, hostileText+"-"+hostileText
	}
	for i := range s.Subs {
		s.Subs[i].CreatedBy, s.Subs[i].Component = hostileText, hostileText
		s.Subs[i].Filter.Regions = []string{hostileText}
	}
	for i := range s.JobRows {
		s.JobRows[i].Error, s.JobRows[i].Deliveries = hostileText, []string{hostileText + "|" + hostileText}
	}
	for i := range s.DeliverRows {
		s.DeliverRows[i].Reason = hostileText
	}
	for i := range s.HoldRows {
		s.HoldRows[i].Text, s.HoldRows[i].Reason = hostileText, hostileText
	}
	s.NoteRows[0].Text = hostileText
	s.TokenRows = append(s.TokenRows, downwind.Token{ID: 5, Team: webtest.Team, Name: hostileText, Scopes: []string{hostileText}})
	srv, err := web.New(world.Options())
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := enter(t, srv, world, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: hostileText, Operator: true})
	for _, p := range memberPages {
		r := httptest.NewRequest(http.MethodGet, p.path, nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", p.path, w.Code)
		}
		for _, bad := range []string{"<script", "</title><s", "\u202e", "\x00", "\ufffe", "ZgotmplZ"} {
			if strings.Contains(w.Body.String(), bad) {
				t.Errorf("%s: %q came through", p.path, bad)
			}
		}
	}
}
