package slack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/slack"
	"downwind/notify"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5"

// bench is an app between a fake Slack and an in-memory store.
type bench struct {
	*testing.T
	fake  *slacktest.Server
	store *chattest.Store
	clock *chattest.Clock
	app   *slack.App
	web   *httptest.Server
	logs  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newBench(t *testing.T, fakeOptions slacktest.Options, change ...func(*slack.Options)) *bench {
	t.Helper()
	t.Parallel()
	b := &bench{T: t, clock: chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)), logs: &lockedBuffer{}}
	b.fake = slacktest.New(fakeOptions)
	t.Cleanup(b.fake.Close)
	b.store = chattest.NewStore(b.clock)
	cat := chattest.Providers()
	log := slog.New(slog.NewTextHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	handler := chat.New(chat.Options{
		Store: b.store, Catalogue: cat, Stacks: chattest.Stacks{Catalogue: cat}, Clock: b.clock, BaseURL: "https://downwind.example", Logger: log,
	})
	o := slack.Options{
		Handler: handler, Token: secret.New(b.fake.Token()), AppToken: secret.New(b.fake.AppToken()), SigningSecret: secret.New(signingSecret),
		APIURL: b.fake.URL(), Clock: b.clock, Logger: log,
	}
	for _, c := range change {
		c(&o)
	}
	app, err := slack.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.app = app
	mux := http.NewServeMux()
	for path, h := range app.Handlers() {
		mux.Handle(path, h)
	}
	b.web = httptest.NewServer(mux)
	t.Cleanup(b.web.Close)
	t.Cleanup(func() {
		app.Wait()
		for _, p := range b.fake.Problems() {
			t.Errorf("Slack would complain: %s", p)
		}
		for _, token := range []string{b.fake.Token(), b.fake.AppToken(), signingSecret} {
			if strings.Contains(b.logs.String(), token) {
				t.Errorf("a token is in the log")
			}
		}
	})
	return b
}

// connect runs Socket Mode until the test ends.
func (b *bench) connect() {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.app.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("Run: %v", err)
		}
	})
}

// patience is how long a test waits for what comes at once, or after less than the platform's three seconds, on a machine
// that has something else to do. What hangs takes longer still.
const patience = 30 * time.Second

func (b *bench) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.Cleanup(cancel)
	return ctx
}

// command types a command over Socket Mode and returns what came to its response_url.
func (b *bench) command(c slacktest.Command) []slacktest.Answer {
	b.Helper()
	x, err := b.fake.Command(b.ctx(), c)
	if err != nil {
		b.Fatal(err)
	}
	b.app.Wait()
	return b.fake.Answers(x.ID)
}

func split(as []slacktest.Answer) (priv, pub string) {
	for _, a := range as {
		if a.ResponseType == "in_channel" {
			pub += a.Visible() + "\n"
		} else {
			priv += a.Visible() + "\n"
		}
	}
	return strings.ReplaceAll(priv, "\u200b", ""), strings.ReplaceAll(pub, "\u200b", "")
}

func (b *bench) wants(got string, parts ...string) {
	b.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			b.Errorf("got %q, want it to contain %q", got, p)
		}
	}
}

func TestCommandsOverSocketMode(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.connect()
	priv, pub := split(b.command(slacktest.Command{Text: "subscribe livekit min:major"}))
	b.wants(pub, "@ana", "subscribed this channel to", "LiveKit", "min:major")
	b.wants(priv, "Subscribed.")
	priv, pub = split(b.command(slacktest.Command{Text: "list"}))
	b.wants(priv, "LiveKit", "min:major")
	if pub != "" {
		t.Errorf("list is announced: %q", pub)
	}
	priv, _ = split(b.command(slacktest.Command{Command: "/downwind", Text: "subscribe livekt"}))
	b.wants(priv, "Did you mean livekit?", "/downwind subscribe livekit")
	priv, _ = split(b.command(slacktest.Command{}))
	b.wants(priv, "/feed stack import", "unsubscribe")
	priv, _ = split(b.command(slacktest.Command{Text: "why"}))
	b.wants(priv, "No incident has been told in this channel yet")
}

func TestStackImportByDialog(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.connect()
	if got := b.command(slacktest.Command{Text: "stack import"}); len(got) != 0 {
		t.Fatalf("answers beside the dialog: %v", got)
	}
	views := b.fake.Views()
	if len(views) != 1 || !strings.Contains(string(views[0].Raw), "file_input") {
		t.Fatalf("views %v", views)
	}
	file := b.fake.AddFile("package.json", []byte(`{"dependencies":{"livekit-client":"1","stripe":"2"}}`))
	payload := b.fake.SubmitPayload(views[0], "", map[string]map[string]any{
		"files":   {"files": map[string]any{"type": "file_input", "files": []any{file}}},
		"domains": {"domains": map[string]any{"type": "plain_text_input", "value": "api.twilio.com"}},
	})
	if _, err := b.fake.Send(b.ctx(), "interactive", payload); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	answers := b.fake.Answers("r1")
	priv, pub := split(answers)
	b.wants(priv, "3 providers found", "livekit-client", "api.twilio.com", "Originals deleted", "Subscribe this channel to 3 providers")
	b.wants(pub, "gave team")
	if team := b.store.Team("slack-t01-c012"); team.Stack.Use("livekit") == nil || team.StackBy != "@ana" {
		t.Errorf("team %+v", team)
	}

	// The button of the answer subscribes.
	action, value := button(t, answers, "Subscribe this channel")
	x, err := b.fake.Click(b.ctx(), slacktest.Click{Message: slacktest.Message{Channel: "C012", TS: "9.9"}, ActionID: action, Value: value})
	if err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	_, pub = split(b.fake.Answers(x.ID))
	b.wants(pub, "subscribed this channel to", "your stack")
}

// button finds a button by the beginning of its label.
func button(t *testing.T, answers []slacktest.Answer, label string) (id, value string) {
	t.Helper()
	for _, a := range answers {
		var blocks []struct {
			Elements []struct {
				ActionID string `json:"action_id"`
				Value    string
				Text     json.RawMessage
			}
		}
		if err := json.Unmarshal(a.Blocks, &blocks); err != nil {
			continue
		}
		for _, bl := range blocks {
			for _, e := range bl.Elements {
				if strings.Contains(string(e.Text), label) {
					return e.ActionID, e.Value
				}
			}
		}
	}
	t.Fatalf("no button %q", label)
	return "", ""
}

func TestShortcutAndMissingScope(t *testing.T) {
	b := newBench(t, slacktest.Options{MissingScopes: []string{"files:read"}})
	b.connect()
	file := b.fake.AddFile("package.json", []byte(`{}`))
	form, id := b.fake.Form(slacktest.Command{})
	payload := map[string]any{
		"type": "message_action", "callback_id": "stack_from_message", "team": map[string]any{"id": "T01"}, "user": map[string]any{"id": "U0USER", "name": "ana"},
		"channel": map[string]any{"id": "C012", "name": "ops"}, "response_url": form.Get("response_url"), "trigger_id": "t",
		"message": map[string]any{"ts": "1.1", "files": []any{file}},
	}
	if _, err := b.fake.Send(b.ctx(), "interactive", payload); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	priv, _ := split(b.fake.Answers(id))
	b.wants(priv, "package.json", "files:read is missing")
	if b.store.Writes() != 0 {
		t.Error("a file that could not be read changed something")
	}
}

// The token never goes to a host that is not Slack's, neither at once nor by a redirect.
func TestFilesComeFromSlackOnly(t *testing.T) {
	var mu sync.Mutex
	seen := 0
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		seen++
		mu.Unlock()
		_, _ = io.WriteString(w, `{"dependencies":{"stripe":"1"}}`)
	}))
	defer foreign.Close()
	b := newBench(t, slacktest.Options{})
	b.connect()
	for _, address := range []string{foreign.URL + "/f", "http://files.slack.com/f", "https://slack.com.evil.example/f", "file:///etc/passwd", "https://u:p@files.slack.com/f"} {
		form, id := b.fake.Form(slacktest.Command{})
		payload := map[string]any{
			"type": "message_action", "callback_id": "stack_from_message", "team": map[string]any{"id": "T01"}, "user": map[string]any{"id": "U0USER", "name": "ana"},
			"channel": map[string]any{"id": "C012"}, "response_url": form.Get("response_url"),
			"message": map[string]any{"files": []any{map[string]any{"id": "F1", "name": "package.json", "size": 3, "url_private_download": address}}},
		}
		if _, err := b.fake.Send(b.ctx(), "interactive", payload); err != nil {
			t.Fatal(err)
		}
		b.app.Wait()
		priv, _ := split(b.fake.Answers(id))
		b.wants(priv, "not kept by Slack")
	}
	mu.Lock()
	defer mu.Unlock()
	if seen != 0 {
		t.Errorf("%d requests went to a foreign host", seen)
	}
}

func TestSettingsDialogMarksWrongFields(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.connect()
	b.command(slacktest.Command{Text: "settings"})
	views := b.fake.Views()
	if len(views) != 1 {
		t.Fatalf("views %v", views)
	}
	field := func(v string) map[string]any { return map[string]any{"type": "plain_text_input", "value": v} }
	ack, err := b.fake.Send(b.ctx(), "interactive", b.fake.SubmitPayload(views[0], "", map[string]map[string]any{
		"quiet": {"quiet": field("22 o'clock")}, "tz": {"tz": field("Berlin")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	b.wants(string(ack), "response_action", "quiet takes hours", "time zone")
	if _, err := b.fake.Send(b.ctx(), "interactive", b.fake.SubmitPayload(views[0], "", map[string]map[string]any{
		"quiet": {"quiet": field("22:00-07:00")}, "tz": {"tz": field("Europe/Berlin")},
		"except": {"except": map[string]any{"type": "static_select", "selected_option": map[string]any{"value": "critical"}}},
	})); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	_, pub := split(b.fake.Answers("r1"))
	b.wants(pub, "quiet 22:00-07:00 Europe/Berlin except critical")
}

// told puts an incident with a delivery into a channel.
func (b *bench) told(workspace, channel string) downwind.Incident {
	inc := downwind.Incident{Provider: "livekit", ID: "a1", Kind: downwind.KindIncident, Title: "API errors <!channel>", Phase: downwind.Investigating, Impact: downwind.ImpactMajor}
	b.store.AddIncident(inc)
	dest := "slack:" + workspace + ":" + channel
	b.store.AddDelivery(downwind.Delivery{ID: dest + "|" + inc.Key(), Destination: dest, Incident: inc.Key(), RootID: "5.5"},
		downwind.Part{Version: 1, Alert: downwind.Alert{Incident: inc, Match: downwind.Match{Affected: true}}})
	return inc
}

func TestClickIsAuthorisedByItsChannel(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.connect()
	inc := b.told("T01", "C012")
	arg := notify.IncidentArg(inc.Key())
	press := func(team, channel string) (string, string) {
		x, err := b.fake.Click(b.ctx(), slacktest.Click{Message: slacktest.Message{Channel: channel, TS: "5.5"}, ActionID: notify.ActionID(notify.VerbAck, arg), Value: arg, Team: team})
		if err != nil {
			t.Fatal(err)
		}
		b.app.Wait()
		return split(b.fake.Answers(x.ID))
	}
	before := b.store.Writes()
	for _, other := range [][2]string{{"TEVIL", "C012"}, {"T01", "C999"}} {
		priv, pub := press(other[0], other[1])
		b.wants(priv, "Not found")
		if pub != "" || b.store.Writes() != before {
			t.Errorf("%v: a foreign click had an effect", other)
		}
	}
	priv, _ := press("T01", "C012")
	b.wants(priv, "Acknowledged")
	x, err := b.fake.Click(b.ctx(), slacktest.Click{Message: slacktest.Message{Channel: "C012", TS: "5.5"}, ActionID: notify.ActionID(notify.VerbMute, arg), Value: arg})
	if err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	for _, a := range b.fake.Answers(x.ID) {
		if a.ResponseType == "in_channel" && a.ThreadTS != "5.5" {
			t.Errorf("the note of a click is in thread %q, want the message's", a.ThreadTS)
		}
		if live := slacktest.Live(a.Text + string(a.Blocks)); len(live) > 0 {
			t.Errorf("live mentions or links: %v", live)
		}
	}
}

func TestGuestsAreToldApart(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.fake.Handle("users.info", func(url.Values) any {
		return map[string]any{"ok": true, "user": map[string]any{"id": "U0USER", "is_restricted": true}}
	})
	b.connect()
	priv, pub := split(b.command(slacktest.Command{Text: "subscribe livekit"}))
	b.wants(priv, "Guests can read")
	if pub != "" || b.store.Writes() != 0 {
		t.Error("a guest changed something")
	}
}

func TestHomeShowsThisWorkspaceOnly(t *testing.T) {
	b := newBench(t, slacktest.Options{})
	b.connect()
	b.told("T01", "C012")
	b.command(slacktest.Command{Text: "subscribe livekit"})
	b.command(slacktest.Command{Text: "subscribe twilio", Team: "TOTHER", Channel: "C555"})
	if err := b.fake.Event(b.ctx(), map[string]any{"type": "app_home_opened", "user": "U0USER", "tab": "home"}); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	var home string
	for _, v := range b.fake.Views() {
		if v.Method == "views.publish" {
			home = strings.ReplaceAll(string(v.Raw), "\u200b", "")
		}
	}
	b.wants(home, "LiveKit", "C012", "API errors")
	for _, mark := range []string{"Twilio", "C555", "<!channel>"} {
		if strings.Contains(home, mark) {
			t.Errorf("the home page shows %s", mark)
		}
	}
}

func TestAppTokenRefused(t *testing.T) {
	b := newBench(t, slacktest.Options{}, func(o *slack.Options) { o.AppToken = secret.New("xapp-wrong") })
	err := b.app.Run(b.ctx())
	if err == nil || !strings.Contains(err.Error(), "app_token_env") || strings.Contains(err.Error(), "xapp-wrong") {
		t.Errorf("got %v, want the repair without the token", err)
	}
}

// slowStore hangs until it is released.
type slowStore struct {
	chat.Store
	hang chan struct{}
}

func (s slowStore) TeamForChannel(ctx context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error) {
	<-s.hang
	return s.Store.TeamForChannel(ctx, d)
}

func TestThreeSecondAnswersUnderLoad(t *testing.T) {
	hang := make(chan struct{})
	release := sync.OnceFunc(func() { close(hang) })
	b := newBench(t, slacktest.Options{}, func(o *slack.Options) {
		inner := o.Handler.Options
		inner.Store = slowStore{inner.Store, hang}
		o.Handler = chat.New(inner)
	})
	b.connect()
	t.Cleanup(release)
	// Every request hangs inside; each is acknowledged all the same, and what is too much is refused politely.
	refused := 0
	for i := range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		x, err := b.fake.Command(ctx, slacktest.Command{Text: "list", User: fmt.Sprintf("U%05d", i)})
		cancel()
		if err != nil {
			t.Fatalf("command %d: %v", i, err)
		}
		if strings.Contains(string(x.Ack), "very busy") {
			refused++
		}
	}
	release()
	b.app.Wait()
	if refused != 200-128 {
		t.Errorf("%d of 200 refused, want those above the bound", refused)
	}
}

func TestPreviewsOfEveryKind(t *testing.T) {
	b := newBench(t, slacktest.Options{}, func(o *slack.Options) {
		inner := o.Handler.Options
		inner.Preview = func(_ context.Context, _ *downwind.Team, kind string) (downwind.Alert, error) {
			return notify.Sample(downwind.ChangeKind(kind), inner.Clock.Now()), nil
		}
		o.Handler = chat.New(inner)
	})
	b.connect()
	for _, kind := range chat.PreviewKinds {
		answers := b.command(slacktest.Command{Text: "preview " + kind})
		priv, pub := split(answers)
		if len(answers) != 2 || pub != "" {
			t.Fatalf("%s: %d answers, public %q; want the sample and a note, both private", kind, len(answers), pub)
		}
		b.wants(priv, "It is a sample", "No subscription here would let it through")
	}
}
