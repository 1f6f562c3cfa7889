package slack_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"

	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/slack"
	"downwind/notify/slack/slacktest"
)

var update = flag.Bool("update", false, "write the golden files anew")

var randomKey = regexp.MustCompile(`[0-9a-f]{32}`)

// The result of an import and the two dialogs, as Slack gets them.
func TestGoldenStackResultAndDialogs(t *testing.T) {
	b := newBench(t, slacktest.Options{}, func(o *slack.Options) {
		inner := o.Handler.Options
		inner.Stacks = chattest.SampleStacks{}
		o.Handler = chat.New(inner)
	})
	b.connect()
	file := b.fake.AddFile("package.json", []byte(`{}`))
	form, id := b.fake.Form(slacktest.Command{})
	if _, err := b.fake.Send(b.ctx(), "interactive", map[string]any{
		"type": "message_action", "callback_id": "stack_from_message", "team": map[string]any{"id": "T01"}, "user": map[string]any{"id": "U0USER", "name": "ana"},
		"channel": map[string]any{"id": "C012", "name": "ops"}, "response_url": form.Get("response_url"), "message": map[string]any{"files": []any{file}},
	}); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	for _, a := range b.fake.Answers(id) {
		name := "stack-announced"
		if a.ResponseType == "ephemeral" {
			name = "stack"
		}
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, raw)
	}
	b.command(slacktest.Command{Text: "stack import"})
	b.command(slacktest.Command{Text: "settings"})
	views := b.fake.Views()
	if len(views) != 2 {
		t.Fatalf("%d views", len(views))
	}
	golden(t, "dialog-stack", views[0].Raw)
	golden(t, "dialog-settings", views[1].Raw)
}

// golden compares JSON with testdata/name.json.
func golden(t *testing.T, name string, raw []byte) {
	t.Helper()
	raw = randomKey.ReplaceAll(raw, []byte("00000000000000000000000000000000"))
	raw = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`).ReplaceAll(raw, []byte("https://hooks.slack.com"))
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := "testdata/" + name + ".json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s differs; look at it, then write it anew with -update:\n%s", path, got.String())
	}
}
