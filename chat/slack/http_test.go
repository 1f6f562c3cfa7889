package slack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/chat/slack"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

const formType = "application/x-www-form-urlencoded"

// post sends a signed request and returns the status and the body.
func (b *bench) post(path, contentType string, body []byte, at time.Time, change ...func(*http.Request)) (int, string) {
	b.Helper()
	req, err := slacktest.Sign(b.ctx(), b.web.URL+path, signingSecret, contentType, body, at)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range change {
		c(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	b.app.Wait()
	return resp.StatusCode, string(got)
}

func TestSignedCommand(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	form, id := b.fake.Form(slacktest.Command{Text: "subscribe livekit"})
	status, body := b.post("/slack/command", formType, []byte(form.Encode()), b.clock.Now())
	if status != http.StatusOK || body != "" {
		t.Fatalf("status %d body %q, want an empty 200", status, body)
	}
	_, pub := split(b.fake.Answers(id))
	b.wants(pub, "LiveKit")
}

func TestForgedRequestsHaveNoEffect(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	form, id := b.fake.Form(slacktest.Command{Text: "subscribe livekit"})
	body := []byte(form.Encode())
	now := b.clock.Now()
	swap := func(with []byte) func(*http.Request) {
		return func(r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader(with))
			r.ContentLength = int64(len(with))
		}
	}
	altered := bytes.Replace(body, []byte("livekit"), []byte("twilio1"), 1)
	for _, tc := range []struct {
		name   string
		at     time.Time
		change func(*http.Request)
		want   int
	}{
		{"too old", now.Add(-301 * time.Second), nil, 401},
		{"from the future", now.Add(301 * time.Second), nil, 401},
		{"altered body", now, swap(altered), 401},
		{"body longer by a byte", now, swap(append(append([]byte{}, body...), '&')), 401},
		{"empty body", now, swap(nil), 401},
		{"no signature", now, func(r *http.Request) { r.Header.Del("X-Slack-Signature") }, 401},
		{"no time", now, func(r *http.Request) { r.Header.Del("X-Slack-Request-Timestamp") }, 401},
		{"other time", now, func(r *http.Request) { r.Header.Set("X-Slack-Request-Timestamp", "1792429321") }, 401},
		{"signature of another version", now, func(r *http.Request) {
			r.Header.Set("X-Slack-Signature", strings.Replace(r.Header.Get("X-Slack-Signature"), "v0=", "v1=", 1))
		}, 401},
		{"huge body", now, swap(bytes.Repeat([]byte("a"), 1<<20+1)), 413},
		{"by GET", now, func(r *http.Request) { r.Method = http.MethodGet }, 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, path := range []string{"/slack/command", "/slack/interact", "/slack/events"} {
				changes := []func(*http.Request){}
				if tc.change != nil {
					changes = append(changes, tc.change)
				}
				if status, _ := b.post(path, formType, body, tc.at, changes...); status != tc.want {
					t.Errorf("%s: status %d, want %d", path, status, tc.want)
				}
			}
		})
	}
	if b.store.Writes() != 0 || len(b.fake.Answers(id)) != 0 {
		t.Errorf("a forged request had an effect: %d writes, %d answers", b.store.Writes(), len(b.fake.Answers(id)))
	}
}

func TestReplayedRequestIsRefused(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	form, _ := b.fake.Form(slacktest.Command{Text: "subscribe livekit"})
	body, at := []byte(form.Encode()), b.clock.Now()
	if status, _ := b.post("/slack/command", formType, body, at); status != 200 {
		t.Fatalf("status %d", status)
	}
	writes := b.store.Writes()
	for _, later := range []time.Duration{0, time.Minute, 4 * time.Minute} {
		b.clock.Add(later - b.clock.Now().Sub(at))
		if status, _ := b.post("/slack/command", formType, body, at); status != 401 {
			t.Errorf("after %s: status %d, want 401", later, status)
		}
	}
	if b.store.Writes() != writes {
		t.Error("a replay had an effect")
	}
}

func TestEventsAreVerifiedAndTakenOnce(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	status, body := b.post("/slack/events", "application/json", []byte(`{"type":"url_verification","challenge":"3eZbrw1a"}`), b.clock.Now())
	if status != 200 || body != "3eZbrw1a" {
		t.Errorf("challenge: %d %q", status, body)
	}
	event, err := json.Marshal(map[string]any{
		"type": "event_callback", "team_id": "T01", "event_id": "Ev1", "event": map[string]any{"type": "app_home_opened", "user": "U0USER", "tab": "home"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		// Slack signs a retry anew.
		if status, _ := b.post("/slack/events", "application/json", event, b.clock.Now().Add(time.Duration(i)*time.Second)); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	if n := len(b.fake.Views()); n != 1 {
		t.Errorf("the event was carried out %d times, want once", n)
	}
	b.post("/slack/events", "application/json", []byte(`{"type":"event_callback","team_id":"T01","event_id":"Ev2","event":{"type":"channel_rename","channel":{"id":"C1"}}}`), b.clock.Now())
}

// Two workspaces install the app; each is served with its own token, and one that is revoked is stopped at once (C095, C103).
func TestInstallsOfSeveralWorkspaces(t *testing.T) {
	revoked := ""
	b := newBench(t, slacktest.Options{Tokens: map[string]string{"xoxb-two": "T02"}}, func(o *slack.Options) {
		o.ClientID, o.ClientSecret, o.RedirectURL = "1.2", secret.New("client-secret"), "http://downwind.example/slack/oauth"
		o.OnRevoked = func(_ context.Context, workspace, _ string) { revoked = workspace }
	}, withInstalls)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(c *http.Client, path string) (*http.Response, string) {
		resp, err := c.Get(b.web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	resp, _ := get(browser, "/slack/oauth")
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode != http.StatusFound || to.Query().Get("client_id") != "1.2" || !strings.Contains(to.Query().Get("scope"), "files:read") {
		t.Fatalf("status %d, location %v", resp.StatusCode, to)
	}
	back := "/slack/oauth?code=T02&state=" + to.Query().Get("state")
	if resp, _ := get(http.DefaultClient, back); resp.StatusCode != http.StatusForbidden {
		t.Errorf("another browser: status %d, want 403", resp.StatusCode)
	}
	if resp, _ := get(browser, "/slack/oauth?code=T02&state=00"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("another state: status %d, want 403", resp.StatusCode)
	}
	resp, page := get(browser, back)
	if resp.StatusCode != 200 || !strings.Contains(page, "Test T02") || strings.Contains(page, "xoxb") {
		t.Errorf("status %d, page %q", resp.StatusCode, page)
	}
	if resp, _ := get(browser, back); resp.StatusCode != http.StatusForbidden {
		t.Errorf("used twice: status %d, want 403", resp.StatusCode)
	}
	got, err := installsOf(b).Install(b.ctx(), downwind.PlatformSlack, "T02")
	if err != nil || got.Token != "xoxb-two" || got.Installer != "U0ADMIN" {
		t.Fatalf("install %v %v", got, err)
	}

	form, _ := b.fake.Form(slacktest.Command{Text: "subscribe livekit", Team: "T02"})
	b.post("/slack/command", formType, []byte(form.Encode()), b.clock.Now())
	event := []byte(`{"type":"event_callback","team_id":"T02","event_id":"Ev9","event":{"type":"tokens_revoked","tokens":{"bot":["U0BOT"]}}}`)
	if status, _ := b.post("/slack/events", "application/json", event, b.clock.Now()); status != 200 {
		t.Errorf("status %d", status)
	}
	if _, err := installsOf(b).Install(b.ctx(), downwind.PlatformSlack, "T02"); err == nil {
		t.Error("the revoked token is still there")
	}
	ds, _ := b.store.Destinations(b.ctx(), "")
	for _, d := range ds {
		if d.Workspace == "T02" && !strings.Contains(d.Paused, "install it again") {
			t.Errorf("destination %s: paused %q", d.ID, d.Paused)
		}
	}
	if subs, _ := b.store.Subscriptions(b.ctx(), "slack:T02:C012"); len(subs) != 1 || revoked != "T02" {
		t.Errorf("subscriptions %v, revoked %q: settings stay and the operator hears", subs, revoked)
	}
}

// withInstalls keeps installs in the store of the handler.
func withInstalls(o *slack.Options) { o.Installs = o.Handler.Store.(slack.Installs) }

func installsOf(b *bench) slack.Installs { return b.store }
