package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"downwind"
	"downwind/app/demo"
	"downwind/notify/discord/discordtest"
	"downwind/notify/notifytest"
	"downwind/notify/slack/slacktest"
	"downwind/store"
)

// childEnv makes the test binary run the command line, so that the tests drive the real program in processes of its own.
const childEnv = "DOWNWIND_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

// outage is the page of the demo's invented provider, whose clock the test moves, and the two chats.
type outage struct {
	t       *testing.T
	clock   *downwind.ManualClock
	slack   *slacktest.Server
	discord *discordtest.Server
	dir     string
	addr    string
	daemon  *exec.Cmd
	logs    *logBuffer
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{t: t, clock: downwind.NewManualClock(demo.Start), dir: t.TempDir(), logs: &logBuffer{}}
	page := &demo.Page{Clock: o.clock}
	status := httptest.NewServer(page)
	t.Cleanup(status.Close)
	page.URL = status.URL
	o.slack, o.discord = slacktest.New(slacktest.Options{Faults: notifytest.NewPlan(1)}), discordtest.New(discordtest.Options{})
	t.Cleanup(o.slack.Close)
	t.Cleanup(o.discord.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.addr = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o.write("signatures.tsv", demo.Signatures)
	o.write("config.toml", fmt.Sprintf(`
[server]
listen = %q
[store]
url = "sqlite:downwind.db"
[poll]
interval = "200ms"
all = false
allow_private = ["127.0.0.0/8"]
[catalog]
signatures = "signatures.tsv"
[slack]
api_url = %q
[discord]
application_id = %q
api_url = %q
[[provider]]
slug = %q
name = "Nimbus Relay"
status_url = %q
platform = "statuspage"
`, o.addr, o.slack.URL(), o.discord.Application(), o.discord.URL()+"/api/v10", demo.Slug, status.URL))
	return o
}

func (o *outage) write(name, text string) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// start runs the daemon and waits until it is ready and connected to both chats.
func (o *outage) start() {
	o.t.Helper()
	self, err := os.Executable()
	if err != nil {
		o.t.Fatal(err)
	}
	o.daemon = exec.Command(self, "serve", "--config", filepath.Join(o.dir, "config.toml"))
	o.daemon.Env = append(os.Environ(), childEnv+"=1", "SLACK_BOT_TOKEN="+o.slack.Token(), "SLACK_APP_TOKEN="+o.slack.AppToken(),
		"DISCORD_BOT_TOKEN="+o.discord.Token(), "XDG_DATA_HOME="+o.dir)
	o.daemon.Stdout, o.daemon.Stderr = o.logs, o.logs
	if err := o.daemon.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(o.kill)
	ctx := o.ctx(time.Minute)
	if err := o.slack.Wait(ctx, func() bool { return o.slack.Connected() > 0 }); err != nil {
		o.t.Fatalf("Slack is not connected: %v\n%s", err, o.logs)
	}
	if err := o.discord.Wait(ctx, func() bool { return o.discord.Connected() > 0 }); err != nil {
		o.t.Fatalf("Discord is not connected: %v\n%s", err, o.logs)
	}
}

// kill ends the daemon as a crash would, by its own id.
func (o *outage) kill() {
	if o.daemon != nil && o.daemon.Process != nil {
		_ = o.daemon.Process.Kill()
		_ = o.daemon.Wait()
		o.daemon = nil
	}
}

func (o *outage) ctx(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(o.t.Context(), d)
	o.t.Cleanup(cancel)
	return ctx
}

// subscribe gives both channels the stack and subscribes them, as people do: on Slack by the dialog and its button, on
// Discord by a command with a file.
func (o *outage) subscribe() {
	o.t.Helper()
	ctx := o.ctx(time.Minute)
	if _, err := o.slack.Command(ctx, slacktest.Command{Text: "stack import"}); err != nil {
		o.t.Fatal(err)
	}
	if err := o.slack.Wait(ctx, func() bool { return len(o.slack.Views()) > 0 }); err != nil {
		o.t.Fatalf("no dialog opens: %v\n%s", err, o.logs)
	}
	file := o.slack.AddFile("package.json", []byte(demo.Stacks["Checkout"]["package.json"]))
	submit := o.slack.SubmitPayload(o.slack.Views()[0], "", map[string]map[string]any{
		"files":   {"files": map[string]any{"type": "file_input", "files": []any{file}}},
		"domains": {"domains": map[string]any{"type": "plain_text_input", "value": "eu-west.api.nimbusrelay.example"}},
	})
	if _, err := o.slack.Send(ctx, "interactive", submit); err != nil {
		o.t.Fatal(err)
	}
	x, err := o.slack.Command(ctx, slacktest.Command{Text: "subscribe stack"})
	if err != nil {
		o.t.Fatal(err)
	}
	if err := o.slack.Wait(ctx, func() bool { return strings.Contains(answers(o.slack, x.ID), "ubscribed") }); err != nil {
		o.t.Fatalf("/feed subscribe stack answers %q: %v\n%s", answers(o.slack, x.ID), err, o.logs)
	}
	o.interact(o.discord.WithAttachment(discordtest.Command([]string{"feed", "stack", "import"}, nil), "file", "package.json",
		[]byte(demo.Stacks["Checkout"]["package.json"])), "Nimbus Relay")
	o.interact(discordtest.Command([]string{"feed", "subscribe"}, map[string]any{"target": "stack"}), "ubscribed")
}

func answers(s *slacktest.Server, id string) string {
	var b strings.Builder
	for _, a := range s.Answers(id) {
		b.WriteString(a.Visible())
	}
	return b.String()
}

func (o *outage) interact(r discordtest.Request, want string) {
	o.t.Helper()
	ctx := o.ctx(time.Minute)
	i, err := o.discord.Interact(ctx, r)
	if err == nil {
		i, err = o.discord.Answered(ctx, i.ID)
	}
	if err != nil || !strings.Contains(i.Visible(), want) {
		o.t.Fatalf("Discord answers %q, want %q: %v\n%s", i.Visible(), want, err, o.logs)
	}
}

// reach moves the page to a moment of the story and waits until both roots and threads show it.
func (o *outage) reach(moment int, roots, replies int, words string) {
	o.t.Helper()
	o.clock.Set(demo.Moments()[moment].Add(time.Second))
	ctx := o.ctx(time.Minute)
	s := func() bool {
		r := o.slack.Roots("C012")
		return len(r) == roots && len(o.slack.Messages("C012")) == roots+replies && strings.Contains(r[0].Visible(), words)
	}
	if err := o.slack.Wait(ctx, s); err != nil {
		o.t.Fatalf("Slack shows %d roots and %d messages, want %d and %d with %q: %v\n%s\n%s", len(o.slack.Roots("C012")), len(o.slack.Messages("C012")),
			roots, roots+replies, words, err, show(o.slack), o.ledger()+o.logs.String())
	}
	// Discord's roots are edited once a minute at most: the newest message of root and thread shows the state.
	d := func() bool {
		r := o.discord.Roots("1001")
		if len(r) != roots {
			return false
		}
		all := append([]discordtest.Message{r[0]}, o.discord.Thread(r[0].ID)...)
		return len(all) == 1+replies && strings.Contains(all[len(all)-1].Visible(), words)
	}
	if err := o.discord.Wait(ctx, d); err != nil {
		o.t.Fatalf("Discord shows %d roots, want %d with %d replies and %q: %v\n%s", len(o.discord.Roots("1001")), roots, replies, words, err, o.logs)
	}
}

// ledger is what the store says of holds and deliveries, for failures.
func (o *outage) ledger() string {
	db, err := store.Open(o.t.Context(), store.Options{URL: "sqlite:" + filepath.Join(o.dir, "downwind.db"), ReadOnly: true})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }() // only read from
	var b strings.Builder
	holds, err := db.Holds(o.t.Context(), downwind.HoldFilter{})
	fmt.Fprintln(&b, err, holds)
	deliveries, err := db.Deliveries(o.t.Context(), downwind.DeliveryFilter{})
	fmt.Fprintln(&b, err, deliveries)
	return b.String()
}

func show(s *slacktest.Server) string {
	var b strings.Builder
	for _, m := range s.Messages("C012") {
		fmt.Fprintf(&b, "[%s in %s] %.80s\n", m.TS, m.ThreadTS, m.Text)
	}
	return b.String()
}

// TestEndToEnd runs the real program: fake page, serve, fake Slack and Discord. People subscribe by command, the outage
// plays, the daemon is killed in the middle of sending and started again: nothing is lost, nothing comes twice.
func TestEndToEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real processes for some seconds; left out with -short")
	}
	o := newOutage(t)
	o.start()
	o.subscribe()
	o.waitRead()
	o.reach(0, 1, 0, "Investigating")
	o.reach(1, 1, 1, "Identified")

	// The answer to the next reply is lost after it was accepted; the daemon dies before it can know.
	sent := len(o.slack.Messages("C012"))
	o.slack.Faults().Add(notifytest.Rule{Method: "chat.postMessage", Fault: notifytest.LostAnswer, Times: 1})
	o.clock.Set(demo.Moments()[2].Add(time.Second))
	if err := o.slack.Wait(o.ctx(time.Minute), func() bool { return len(o.slack.Messages("C012")) > sent }); err != nil {
		t.Fatalf("the third post is not sent: %v\n%s", err, o.logs)
	}
	o.kill()
	o.start()
	o.reach(2, 1, 2, "Monitoring")
	o.reach(3, 1, 3, "14:12")
	for _, p := range append(o.slack.Problems(), o.discord.Problems()...) {
		t.Errorf("a fake complains: %s", p)
	}
	keys := map[string]int{}
	for _, m := range o.slack.Messages("C012") {
		keys[m.Delivery()]++
	}
	for k, n := range keys {
		if n > 1 || k == "" {
			t.Errorf("message %q stands %d times", k, n)
		}
	}
	for _, secret := range []string{o.slack.Token(), o.slack.AppToken(), o.discord.Token()} {
		if strings.Contains(o.logs.String(), secret) {
			t.Error("a token stands in the log")
		}
	}
}

// waitRead waits until the daemon has taken in the page's history.
func (o *outage) waitRead() {
	o.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		resp, err := http.Get("http://" + o.addr + "/providers/" + demo.Slug)
		if err == nil {
			var b bytes.Buffer
			_, _ = b.ReadFrom(resp.Body)
			_ = resp.Body.Close()
			if strings.Contains(b.String(), "Dashboard slow to load") {
				return
			}
		}
		select {
		case <-o.t.Context().Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	o.t.Fatalf("the page's history is not taken in\n%s", o.logs)
}
