package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downwind"
	"downwind/feeds/feedstest"
)

const acmeIncidents = `{"page":{"id":"pageacme0001","name":"Acme","url":"https://status.acme.example"},"incidents":[{"id":"i1","name":"Errors in <eu>","status":"identified","impact":"major","page_id":"pageacme0001","created_at":"2026-03-04T11:00:00Z","incident_updates":[{"id":"u1","status":"identified","body":"Found <b>it</b>.","created_at":"2026-03-04T11:00:00Z"}]}]}`

// runCommand executes a command line and returns its output.
func runCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := rootCommand()
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "payload.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFeedFile(t *testing.T) {
	out, err := runCommand(t, "feed", "--json", writeFile(t, acmeIncidents))
	if err != nil {
		t.Fatal(err)
	}
	var doc downwind.Document
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Platform != "statuspage" || len(doc.Incidents) != 1 || doc.Incidents[0].Updates[0].Body != "Found it." || !strings.Contains(out, `"provider": null`) {
		t.Errorf("document %s", out)
	}
	again, err := runCommand(t, "feed", "--json", writeFile(t, out))
	if err != nil || again != out {
		t.Errorf("a written document reads differently (%v):\n%s\n%s", err, out, again)
	}
	people, err := runCommand(t, "feed", writeFile(t, acmeIncidents))
	if err != nil || !strings.Contains(people, "Errors in <eu>") || strings.Contains(people, "{") {
		t.Errorf("for people: %v\n%s", err, people)
	}
}

func TestFeedAddress(t *testing.T) {
	srv := httptest.NewServer(feedstest.New(feedstest.Step{"/api/v2/incidents.json": feedstest.JSON([]byte(acmeIncidents))}))
	t.Cleanup(srv.Close)
	out, err := runCommand(t, "feed", "--json", "--allow-private", "127.0.0.0/8", srv.URL)
	if err != nil || !strings.Contains(out, `"platform": "statuspage"`) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = runCommand(t, "feed", "--json", srv.URL)
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != 1 || !strings.Contains(out, `"state": "unreadable"`) || !strings.Contains(out, "not public") {
		t.Errorf("a private address without leave: %v\n%s", err, out)
	}
}

func TestFeedMistakes(t *testing.T) {
	cases := []struct {
		name, arg, want string
		code            int
	}{
		{"typing error", "livkit", "did you mean livekit?", 2},
		{"nobody", "nobody-at-all-here", "downwind providers", 2},
		{"not a feed", writeFile(t, "<html><body>Sign in</body></html>"), "an HTML page", 1},
		{"empty file", writeFile(t, ""), "empty answer", 1},
		{"other scheme", "ftp://status.example.com", "no http or https address", 2},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := runCommand(t, "feed", tc.arg)
			code := 2
			var exit *exitError
			if errors.As(err, &exit) {
				code = exit.code
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || code != tc.code {
				t.Errorf("error %v with status %d, want %q with %d", err, code, tc.want, tc.code)
			}
		})
	}
}

func TestProviders(t *testing.T) {
	out, err := runCommand(t, "providers", "--json", "livekit")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema    string
		Providers []struct {
			Provider, Platform string
			StatusURL          string `json:"status_url"`
			Components         []downwind.Component
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "downwind.providers/v1" || got.Providers[0].Provider != "livekit" || got.Providers[0].Platform != "statuspage" || len(got.Providers[0].Components) == 0 {
		t.Errorf("document %s", out)
	}
	if _, err := runCommand(t, "providers", "livkit"); err == nil || !strings.Contains(err.Error(), "did you mean livekit") {
		t.Errorf("typing error: %v", err)
	}
	over := writeFile(t, "[[provider]]\nslug = \"acme\"\nstatus_url = \"https://status.acme.example\"\n")
	if out, err := runCommand(t, "providers", "--overlay", over, "acme"); err != nil || !strings.Contains(out, "status.acme.example") {
		t.Errorf("overlay: %v\n%s", err, out)
	}
}
