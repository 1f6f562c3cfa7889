package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

// TestWordsSurviveTheNextUpload says on the team's page what files cannot know, stores a stack anew, and looks again.
func TestWordsSurviveTheNextUpload(t *testing.T) {
	server, world := site(t)
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleEditor, Name: "Ana"})
	page := func() string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/team", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", cookie)
		resp, body := do(t, r)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
		return body
	}
	csrf := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page())[1]
	say := func(word, provider string, want int) string {
		t.Helper()
		resp, body := post(t, server.URL+"/team/stack", url.Values{"csrf": {csrf}, "word": {word}, "provider": {provider}}, "Cookie", cookie)
		if resp.StatusCode != want {
			t.Errorf("%s %s: status %d, want %d", word, provider, resp.StatusCode, want)
		}
		return body
	}
	say("confirm", "kestrel-db", http.StatusSeeOther)
	say("drop", "Tallypay", http.StatusSeeOther)
	say("add", "Quaymail", http.StatusSeeOther)
	if body := say("add", "quaymial", http.StatusUnprocessableEntity); !strings.Contains(body, "quaymail") {
		t.Error("a name with a slip is refused without naming what may be meant")
	}
	say("forget", "quaymail", http.StatusBadRequest)
	upload := downwind.Stack{Providers: []downwind.Use{{Provider: "tallypay", Name: "Tallypay", Confidence: downwind.Sure}, {Provider: "kestrel-db", Name: "Kestrel DB", Confidence: downwind.Guess}}}
	if err := world.Store.SaveStack(t.Context(), webtest.Team, upload, "token ci", world.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	team, err := world.Store.Team(t.Context(), webtest.Team)
	if err != nil {
		t.Fatal(err)
	}
	stack := team.MyStack()
	var got []string
	for _, u := range stack.Providers {
		got = append(got, u.Provider+" "+string(u.Confidence))
	}
	if want := []string{"kestrel-db sure", "quaymail sure"}; !slices.Equal(got, want) {
		t.Errorf("the stack is %q, want %q", got, want)
	}
	body := page()
	for _, want := range []string{"said by people", "Not ours, whatever files show", "by Ana", "Quaymail"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	say("add", "tallypay", http.StatusSeeOther)
	if team, _ = world.Store.Team(t.Context(), webtest.Team); slices.ContainsFunc(team.Rules, func(r downwind.Rule) bool { return r.Kind == downwind.RuleDrop }) {
		t.Errorf("a word was not taken back by its opposite: %+v", team.Rules)
	}
}

func TestViewersSayNothing(t *testing.T) {
	server, world := site(t)
	cookie := signIn(t, server, world, web.Login{Team: webtest.Team, Role: web.RoleViewer, Name: "Vic"})
	resp, _ := post(t, server.URL+"/team/stack", url.Values{"word": {"drop"}, "provider": {"tallypay"}}, "Cookie", cookie)
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestAPIAmendsTheStack(t *testing.T) {
	server, world := site(t)
	secret := token(t, world, webtest.Team, downwind.ScopeStackWrite)
	send := func(method, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/teams/checkout/stack", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+secret)
		resp, answer := do(t, r)
		return resp.StatusCode, answer
	}
	status, body := send(http.MethodPatch, `{"add":["quaymail"],"confirm":["Kestrel DB"],"drop":["tallypay"]}`)
	var out struct {
		Added, Removed []string
		Stack          downwind.Stack
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	if !slices.Equal(out.Added, []string{"quaymail"}) || !slices.Equal(out.Removed, []string{"tallypay"}) || out.Stack.Use("quaymail").Name != "Quaymail" {
		t.Errorf("answer %s", body)
	}
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"both at once", `{"add":["quaymail"],"drop":["quaymail"]}`, http.StatusUnprocessableEntity},
		{"nobody of that name", `{"add":["nope-nope"]}`, http.StatusUnprocessableEntity},
		{"another word", `{"forget":["quaymail"]}`, http.StatusBadRequest},
		{"no JSON", `{`, http.StatusBadRequest},
	} {
		if status, body := send(http.MethodPatch, c.body); status != c.want {
			t.Errorf("%s: status %d, want %d: %s", c.name, status, c.want, body)
		}
	}
	if status, body = send(http.MethodPut, `{"schema":"downwind.stack/v1","providers":[{"provider":"tallypay","confidence":"sure"}]}`); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	var again downwind.Stack
	if _, body = send(http.MethodGet, ""); json.Unmarshal([]byte(body), &again) != nil || again.Use("tallypay") != nil || again.Use("quaymail") == nil || again.Use("kestrel-db") == nil {
		t.Errorf("after the next upload: %s", body)
	}
}
