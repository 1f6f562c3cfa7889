package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func runExplain(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := explainCommand()
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestExplainLines(t *testing.T) {
	in := `{"id":"a","provider":"fly.io","body":"Between 09:10 and 09:42 UTC uploads failed.","posted_at":"2026-03-04T12:00:00Z","groups":[1]}

{"id":7,"body":"We are investigating.","posted_at":null}
`
	out, err := runExplain(t, in, "--jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines: %s", len(lines), out)
	}
	var first struct {
		ID, Schema string
		Windows    []struct{ Start, End, Text string }
		Replay     *struct{ Start, End string } `json:"replay_window"`
		Advice     []string
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	if first.ID != "a" || first.Schema != "downwind.explain/v1" || len(first.Windows) != 1 || first.Windows[0].Start != "2026-03-04T09:10:00Z" || first.Replay == nil {
		t.Errorf("got %s", lines[0])
	}
	if !strings.HasPrefix(lines[1], `{"id":7,`) || !strings.Contains(lines[1], `"replay_window":null`) || !strings.Contains(lines[1], `"windows":[]`) {
		t.Errorf("got %s", lines[1])
	}
}

func TestExplainText(t *testing.T) {
	out, err := runExplain(t, "Between 09:10 and 09:42 UTC uploads failed.", "--posted-at", "2026-03-04T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2026-03-04 09:10 to 2026-03-04 09:42 UTC", "2026-03-04T09:09:00Z/2026-03-04T09:43:00Z", "BETWEEN"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		stdin string
		args  []string
		want  string
	}{
		"empty":       {"  ", nil, "is empty"},
		"bad time":    {"x", []string{"--posted-at", "yesterday"}, "RFC 3339"},
		"bad line":    {"{\"id\":1}\nnot json\n", []string{"--jsonl"}, "line 2"},
		"bad post":    {`{"id":1,"body":"x","posted_at":"soon"}`, []string{"--jsonl"}, "posted_at"},
		"two formats": {"x", []string{"--json", "--jsonl"}, "json"},
		"no file":     {"", []string{"/nowhere/at/all"}, "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runExplain(t, c.stdin, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestExplainHidesControlCharacters(t *testing.T) {
	out, err := runExplain(t, "Between 09:10 and 09:42 UTC \x1b[31muploads\x1b[0m failed.", "--posted-at", "2026-03-04T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(out, 0x1b) {
		t.Errorf("an escape reaches the terminal: %q", out)
	}
}
