package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"downwind"
	"downwind/secret"
	"downwind/web"
	"downwind/web/webtest"
)

// A tenant is a team with a channel, a subscription, a token and a ledger, all of whose words carry its mark; its ids, which
// anybody may guess, do not.
type tenant struct {
	id, mark, secret, channel string
	subscription, token       int64
	bearer                    string
}

// settle gives the world a team whose every word carries the mark.
func settle(world *webtest.World, id string, n int64) tenant {
	mark := "zq" + id + "qz"
	at := tenant{id: id, mark: mark, secret: fmt.Sprintf("%032x", 0xabc0+n), channel: fmt.Sprintf("slack:T%d:C%d", n, n), subscription: 700 + n, token: 800 + n, bearer: "dw_" + mark}
	s := world.Store
	s.TeamRows[id] = downwind.Team{ID: id, Name: "Team " + mark, Secret: at.secret, StackBy: "by " + mark, StackAt: world.Clock.At, Stack: downwind.Stack{
		Providers: []downwind.Use{{
			Provider: "lumen-voice", Name: "Lumen Voice", Confidence: downwind.Sure,
			Evidence: []downwind.Evidence{{File: mark + "/package.json", Line: 3, Match: "@" + mark + "/sdk"}},
		}},
		Unknown: []downwind.Evidence{{File: mark + "/domains.txt", Match: mark + ".example"}},
	}}
	s.Dests = append(s.Dests, downwind.Destination{ID: at.channel, Platform: "slack", Workspace: fmt.Sprintf("T%d", n), Channel: fmt.Sprintf("C%d", n), Name: "#" + mark, Team: id})
	s.Subs = append(s.Subs, downwind.Subscription{ID: at.subscription, Destination: at.channel, Team: id, Target: downwind.TargetStack, CreatedBy: "@" + mark})
	s.HoldRows = append(s.HoldRows, downwind.Hold{ID: 900 + n, Destination: at.channel, Team: id, Incident: "quaymail/m-4471", Reason: downwind.HeldRegion, Text: "held for " + mark, At: world.Clock.At})
	s.DeliverRows = append(s.DeliverRows, downwind.Delivery{ID: at.channel + "|x", Destination: at.channel, Team: id, Incident: "lumen-voice/vq7d2", Reason: "because of " + mark, State: downwind.DeliveryActive})
	s.TokenRows = append(s.TokenRows, downwind.Token{ID: at.token, Name: "token " + mark, Team: id, Scopes: []string{downwind.ScopeStackWrite}, Hash: web.HashToken(at.bearer)})
	return at
}

// all of a tenant's that a foreigner could change.
func holdings(world *webtest.World, of tenant) any {
	s := world.Store
	return []any{
		s.TeamRows[of.id],
		slices.DeleteFunc(slices.Clone(s.Dests), func(d downwind.Destination) bool { return d.Team != of.id }),
		slices.DeleteFunc(slices.Clone(s.Subs), func(x downwind.Subscription) bool { return x.Destination != of.channel }),
		slices.DeleteFunc(slices.Clone(s.TokenRows), func(x downwind.Token) bool { return x.Team != of.id }),
	}
}

// TestTenantsAreApart lets the people and tokens of one team ask every route for what belongs to another, in any order,
// while that other team works too: nothing of it is shown, and nothing of it changes.
func TestTenantsAreApart(t *testing.T) {
	var patterns []string
	rapid.Check(t, func(rt *rapid.T) {
		world := webtest.New()
		mine, theirs := settle(world, "ours", 1), settle(world, "theirs", 2)
		opt := world.Options()
		opt.AdminToken, opt.PostsPerMinute = secret.New("the-administrator"), 1_000_000
		opt.Judge = world.Judge
		srv, err := web.New(opt)
		if err != nil {
			rt.Fatal(err)
		}
		patterns = srv.Patterns()
		role := rapid.SampledFrom([]web.Role{web.RoleViewer, web.RoleEditor, web.RoleAdmin}).Draw(rt, "role")
		cookie, csrf := enter(rt, srv, world, web.Login{Team: mine.id, Role: role, Name: "@" + mine.mark})
		before := holdings(world, theirs)
		for range rapid.IntRange(1, 25).Draw(rt, "asks") {
			pattern := rapid.SampledFrom(patterns).Draw(rt, "route")
			ask(rt, srv, pattern, mine, theirs, cookie, csrf)
			if diff := cmp.Diff(before, holdings(world, theirs)); diff != "" {
				rt.Fatalf("%s changed another team (-before +after):\n%s", pattern, diff)
			}
		}
	})
	for _, need := range []string{"GET /team", "POST /team/settings", "POST /team/subscriptions/end", "GET /api/v1/deliveries", "PUT /api/v1/teams/{team}/stack"} {
		if !slices.Contains(patterns, need) {
			t.Errorf("the routes lack %s", need)
		}
	}
}

// TestNoRouteShowsAnotherTeam asks every route once with each kind of key of one team, naming the other team's things.
func TestNoRouteShowsAnotherTeam(t *testing.T) {
	world := webtest.New()
	mine, theirs := settle(world, "ours", 1), settle(world, "theirs", 2)
	opt := world.Options()
	opt.PostsPerMinute = 1_000_000
	srv, err := web.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	before := holdings(world, theirs)
	cookie, csrf := enter(t, srv, world, web.Login{Team: mine.id, Role: web.RoleAdmin, Name: "@" + mine.mark})
	for _, pattern := range srv.Patterns() {
		ask(t, srv, pattern, mine, theirs, cookie, csrf)
		ask(t, srv, pattern, mine, theirs, "", "")
	}
	if diff := cmp.Diff(before, holdings(world, theirs)); diff != "" {
		t.Errorf("another team has changed (-before +after):\n%s", diff)
	}
	// The marks are seen by their own team, so that their absence says something.
	own, _ := enter(t, srv, world, web.Login{Team: theirs.id, Role: web.RoleAdmin, Name: "@" + theirs.mark})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/team", nil)
	r.Header.Set("Cookie", own)
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	for _, what := range []string{"#", "held for ", "token ", "by "} {
		if !strings.Contains(w.Body.String(), what+theirs.mark) {
			t.Errorf("their own page lacks %s%s", what, theirs.mark)
		}
	}
}

// ask fills a pattern with the other team's names, asks it as ours, and looks for the other team's mark in the answer.
// Where no cookie is given the bearer token of our team is used.
func ask(t rapid.TB, srv *web.Server, pattern string, mine, theirs tenant, cookie, csrf string) {
	t.Helper()
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || strings.Contains(path, "/events") || strings.HasPrefix(path, "/login") || path == "/logout" {
		return // the stream does not end; signing in and out would change who asks
	}
	path = strings.NewReplacer(
		"{$}", "", "{slug}", "lumen-voice", "{provider}", "lumen-voice", "{id}", "k03ne", "{n}", "2", "{range}", "1..2", "{file}", "1.dwproof", "{team}", theirs.id,
		"{secret}", strings.Repeat("0", 31)+"f", "{token}", strings.Repeat("1", 32), "{name}", "lumen-voice.svg",
	).Replace(path)
	form := url.Values{
		"csrf": {csrf}, "destination": {theirs.channel}, "id": {fmt.Sprint(theirs.subscription), fmt.Sprint(theirs.token)}, "team": {theirs.id},
		"target": {"provider"}, "provider": {"quaymail"}, "name": {"made"}, "scope": {"read"}, "zone": {"UTC"}, "digest": {"daily"}, "text": {"lumen-voice"},
		"stack": {`{"schema":"downwind.stack/v1","providers":[]}`}, "token": {"wrong"}, "about": {theirs.id},
	}
	query := url.Values{"team": {theirs.id}, "destination": {theirs.channel}, "incident": {"lumen-voice/vq7d2"}}
	var r *http.Request
	if method == http.MethodGet {
		r = httptest.NewRequest(method, path+"?"+query.Encode(), nil)
	} else {
		r = httptest.NewRequest(method, path+"?"+query.Encode(), strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	} else {
		r.Header.Set("Authorization", "Bearer "+mine.bearer)
	}
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	body := w.Body.String()
	if strings.Contains(body, theirs.mark) || strings.Contains(body, theirs.secret) {
		i := strings.Index(body, theirs.mark)
		t.Fatalf("%s %s shows another team: …%.200s", method, path, body[max(0, i-80):])
	}
}

// enter signs in by a one-time link.
func enter(t rapid.TB, srv *web.Server, world *webtest.World, login web.Login) (cookie, csrf string) {
	t.Helper()
	path, err := web.LoginPath(context.Background(), world.Store, login, world.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
	for _, c := range w.Result().Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	r := httptest.NewRequest(http.MethodGet, "/stack", nil)
	r.Header.Set("Cookie", cookie)
	page := httptest.NewRecorder()
	srv.ServeHTTP(page, r)
	if page.Code != http.StatusOK || cookie == "" {
		t.Fatalf("signing in: %d, cookie %q", page.Code, cookie)
	}
	r = httptest.NewRequest(http.MethodGet, "/team", nil)
	r.Header.Set("Cookie", cookie)
	page = httptest.NewRecorder()
	srv.ServeHTTP(page, r)
	if m := formToken.FindStringSubmatch(page.Body.String()); m != nil {
		csrf = m[1]
	}
	return cookie, csrf
}
