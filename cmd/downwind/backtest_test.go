package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// backtestFolder writes a stack and two recordings: one of a provider that the stack uses, one of another.
func backtestFolder(t *testing.T) (stack, recordings string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("stack/package.json", `{"dependencies":{"@sendgrid/mail":"^8.0.0"}}`)
	head := func(provider string) string {
		return `{"schema":"downwind.feed/v1","provider":"` + provider + `","platform":"statuspage","page":{"id":"p","name":"P","url":"https://status.example.com"},"state":"ok","error":null,"components":[],"incidents":[`
	}
	incident := func(id, title, component, day string) string {
		return `{"id":"` + id + `","kind":"incident","title":"` + title + `","phase":"resolved","impact":"major","started_at":"` + day + `T10:00:00Z","resolved_at":"` + day + `T11:00:00Z",
			"components":[{"id":"1","name":"` + component + `","status":"operational"}],"updates":[
			{"id":"` + id + `-1","phase":"investigating","body":"Requests fail.","posted_at":"` + day + `T10:00:00Z"},
			{"id":"` + id + `-2","phase":"resolved","body":"This is over.","posted_at":"` + day + `T11:00:00Z"}]}`
	}
	write("recordings/mail.json", head("sendgrid")+incident("a", "Mail Send failing", "Mail Sending", "2026-03-01")+","+
		incident("b", "Marketing Campaigns unavailable", "Marketing Campaigns", "2026-03-02")+"]}")
	write("recordings/other.json", head("stripe")+incident("c", "API errors", "API", "2026-03-03")+"]}")
	write("recordings/broken.json", "{")
	return filepath.Join(dir, "stack"), filepath.Join(dir, "recordings")
}

func runBacktest(t *testing.T, args ...string) string {
	t.Helper()
	cmd := backtestCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBacktestSummary(t *testing.T) {
	stack, recordings := backtestFolder(t)
	got := runBacktest(t, "--stack", stack, recordings)
	for _, want := range []string{
		"3 incidents of 2 providers replayed against a stack of 2 providers, 2026-03-01 to 2026-03-03\n",
		"1 told in 2 messages: 2 in the channel, 0 in threads, 1 with a ping; 0 updates merged",
		"      1  the files do not use the provider\n", "      1  the files do not use what is hit\n",
		"1 source not read: ", "sendgrid: Mail Send failing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Marketing") {
		t.Errorf("what was held stands among the messages:\n%s", got)
	}
}

func TestBacktestSince(t *testing.T) {
	stack, recordings := backtestFolder(t)
	var r backtestReport
	if err := json.Unmarshal([]byte(runBacktest(t, "--json", "--since", "2026-03-02", "--stack", stack, recordings)), &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != backtestSchema || r.Incidents != 2 || r.Told != 0 || r.Held["provider"] != 1 || r.Held["product"] != 1 {
		t.Errorf("since the second day: %+v", r)
	}
}

func TestBar(t *testing.T) {
	b := newBar(&bytes.Buffer{}, "posts", 8)
	for range 2 {
		b.step()
	}
	if got, want := b.line(), "["+strings.Repeat("#", 7)+strings.Repeat(".", 23)+"]  25 %  2 of 8 posts"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	empty := newBar(&bytes.Buffer{}, "posts", 0)
	empty.step()
	if got := empty.line(); !strings.HasSuffix(got, "1 of 0 posts") {
		t.Errorf("a bar for nothing: %q", got)
	}
}
