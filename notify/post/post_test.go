package post_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/notifytest"
	"downwind/notify/post"
	"downwind/secret"
)

// sink is a service that takes JSON.
type sink struct {
	mu     sync.Mutex
	status int
	got    []map[string]any
	last   *http.Request
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	if json.Unmarshal(raw, &body) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.last = append(s.got, body), r
	if s.status != 0 {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(s.status)
	}
}

func target() notify.Target {
	return notify.Target{Destination: downwind.Destination{ID: "post::chat", Platform: post.Platform, Channel: "chat"}, Key: "dw_abcdefghijklmnopqrst"}
}

func message(kind downwind.ChangeKind) notify.Message {
	return notify.Compose(notify.Sample(kind, time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)), notify.ComposeOptions{BaseURL: "https://downwind.example", Root: true, Version: 1})
}

// The forms that docs/destinations.md shows.
func TestBodiesOfServices(t *testing.T) {
	const key = "s3cr3t-key"
	for _, tc := range []struct {
		name   string
		config post.Config
		path   string
		check  func(t *testing.T, body map[string]any, r *http.Request)
	}{
		{"mattermost", post.Config{Body: `{"text": "**{title}**\n{text}"}`}, "/hooks/abc", func(t *testing.T, body map[string]any, r *http.Request) {
			text, _ := body["text"].(string)
			if !strings.HasPrefix(text, "**🟡 Sample: ExampleCloud reports") || !strings.Contains(text, "Do now:") || r.Header.Get("Authorization") != "" {
				t.Errorf("%q", text)
			}
		}},
		{"telegram", post.Config{Body: `{"chat_id": -100123, "text": "{title}\n{text}", "link_preview_options": {"is_disabled": true}}`}, "/bot1:x/sendMessage", func(t *testing.T, body map[string]any, _ *http.Request) {
			if body["chat_id"] != -100123.0 || body["link_preview_options"].(map[string]any)["is_disabled"] != true {
				t.Errorf("what is no string changed: %v", body)
			}
		}},
		{"gotify", post.Config{Body: `{"title": "{title}", "message": "{text}"}`, Key: secret.New(key), Header: "X-Gotify-Key"}, "/message", func(t *testing.T, _ map[string]any, r *http.Request) {
			if r.Header.Get("X-Gotify-Key") != key {
				t.Error("no key in its header")
			}
		}},
		{"pushover", post.Config{Body: `{"token": "{key}", "user": "u1", "title": "{title}", "message": "{text}", "url": "{url}"}`, Key: secret.New(key), Max: 1024}, "/1/messages.json", func(t *testing.T, body map[string]any, r *http.Request) {
			text, _ := body["message"].(string)
			if body["token"] != key || r.Header.Get("Authorization") != "" || notify.Size(text) > 1024 || !strings.Contains(text, "Left out here") || body["url"] == "" {
				t.Errorf("%v", body)
			}
		}},
		{"lark", post.Config{Body: `{"msg_type": "text", "content": {"text": "{title}\n{text}"}}`}, "/hook", func(t *testing.T, body map[string]any, _ *http.Request) {
			if text, _ := body["content"].(map[string]any)["text"].(string); !strings.Contains(text, "Do now:") {
				t.Errorf("%v", body)
			}
		}},
		{"matrix", post.Config{Method: "PUT", Body: `{"msgtype": "m.text", "body": "{title}\n{text}"}`, Key: secret.New(key)}, "/rooms/r/send/m.room.message/{id}", func(t *testing.T, _ map[string]any, r *http.Request) {
			if r.Method != http.MethodPut || r.URL.Path != "/rooms/r/send/m.room.message/dw_abcdefghijklmnopqrst" || r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &sink{}
			srv := httptest.NewServer(s)
			defer srv.Close()
			tc.config.URL = secret.New(srv.URL + tc.path)
			if err := tc.config.Validate(); err != nil {
				t.Fatal(err)
			}
			n := post.New(post.Options{Addresses: map[string]post.Config{"chat": tc.config}})
			if r := n.Post(t.Context(), target(), message(downwind.ChangeNew)); r.Verdict != notify.Done || r.ID == "" {
				t.Fatalf("%+v", r)
			}
			tc.check(t, s.got[0], s.last)
		})
	}
}

func TestVerdicts(t *testing.T) {
	const address, key = "/hooks/h1dd3n", "s3cr3t-key"
	for status, want := range map[int]notify.Verdict{
		200: notify.Done, 204: notify.Done, 429: notify.Wait, 500: notify.Unclear, 502: notify.Unclear, 401: notify.Permanent, 404: notify.Permanent,
		302: notify.Permanent, 400: notify.Rejected,
	} {
		srv := httptest.NewServer(&sink{status: status})
		n := post.New(post.Options{Addresses: map[string]post.Config{"chat": {URL: secret.New(srv.URL + address), Body: `{"text":"{text}"}`, Key: secret.New(key)}}})
		r := n.Reply(t.Context(), target(), message(downwind.ChangeUpdate))
		if r.Verdict != want {
			t.Errorf("%d: verdict %v, want %v", status, r.Verdict, want)
		}
		notifytest.LeaksNoSecret(t, r, address, key)
		srv.Close()
		r = n.Post(t.Context(), target(), message(downwind.ChangeNew))
		if r.Verdict != notify.NotSent {
			t.Errorf("nobody listens: verdict %v", r.Verdict)
		}
		notifytest.LeaksNoSecret(t, r, address, key)
	}
	n := post.New(post.Options{})
	if r := n.Edit(t.Context(), target(), notify.Message{}); r.Verdict != notify.NoEdit {
		t.Errorf("edit: %v", r.Verdict)
	}
	if l := n.Limits(); l.Edits || l.Threads || l.Lookup {
		t.Errorf("limits %+v", l)
	}
}

func TestValidate(t *testing.T) {
	good := post.Config{URL: secret.New("https://chat.example/hooks/x"), Body: `{"text":"{text}"}`}
	for name, tc := range map[string]struct {
		change func(*post.Config)
		want   string
	}{
		"no address":      {func(c *post.Config) { c.URL = secret.New("chat.example") }, "url:"},
		"other method":    {func(c *post.Config) { c.Method = "DELETE" }, "method:"},
		"no JSON":         {func(c *post.Config) { c.Body = `{"text": {text}}` }, "body:"},
		"always the same": {func(c *post.Config) { c.Body = `{"text": "hello"}` }, "body:"},
		"too short":       {func(c *post.Config) { c.Max = 20 }, "max:"},
	} {
		c := good
		tc.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

// What would name somebody or lead away, in the forms that the services know.
var alive = regexp.MustCompile(`@[A-Za-z0-9]|<[A-Za-z!@#/]|\]\(|(?i)https?://|www\.[a-z]`)

// Hostile text in every field comes to life in none of the services, cannot change the form of the body, and fits.
func TestHostileText(t *testing.T) {
	s := &sink{}
	srv := httptest.NewServer(s)
	defer srv.Close()
	n := post.New(post.Options{Addresses: map[string]post.Config{"chat": {URL: secret.New(srv.URL), Body: `{"text": "{title}\n{text}", "channel": "ops"}`}}})
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{
			BaseURL: "https://downwind.example", StatusURL: "https://status.examplecloud.example", Root: rapid.Bool().Draw(t, "root"), Version: 2,
		})
		if r := n.Post(t.Context(), target(), m); r.Verdict != notify.Done {
			t.Fatalf("%+v", r)
		}
		body := s.got[len(s.got)-1]
		text, _ := body["text"].(string)
		if len(body) != 2 || body["channel"] != "ops" {
			t.Fatalf("the form changed: %v", body)
		}
		if notify.Size(text) > 4000 {
			t.Fatalf("%d characters", notify.Size(text))
		}
		for _, a := range m.Actions {
			if u := notify.SafeURL(a.URL); u != "" {
				text = strings.ReplaceAll(text, ": "+u, ": (ours)")
			}
		}
		if found := alive.FindString(text); found != "" {
			t.Fatalf("%q is alive in %q", found, text)
		}
	})
}
