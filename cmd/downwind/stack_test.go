package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downwind"
)

// stack runs the command and returns what it prints.
func stack(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := stackCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestStackJSON(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\n\"dependencies\": {\n\"stripe\": \"^15\"}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := stack(t, "", "--json", dir)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema string
		downwind.Stack
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	u := doc.Use("stripe")
	if doc.Schema != downwind.StackSchema || u == nil || u.Name != "Stripe" || u.Confidence != downwind.Sure {
		t.Fatalf("answer %s", text)
	}
	if e := u.Evidence[0]; e.File != "package.json" || e.Line != 3 || e.Match != "stripe" || e.Version != "^15" || !e.Direct {
		t.Errorf("evidence %+v", e)
	}
}

func TestStackInputs(t *testing.T) {
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"standard input", "stripe==9\n", []string{"--name", "requirements.txt", "-"}, "Stripe"},
		{"standard input as domains", "api.twilio.com\n", []string{"-"}, "Twilio"},
		{"bare domains", "", []string{"api.stripe.com", "api.acme-partner.com"}, "api.acme-partner.com"},
		{"a guess asks", "SENDGRID_API_KEY=\n", []string{"--name", ".env.example", "-"}, "To confirm"},
		{"nothing", "x = 1\n", []string{"--name", "config.toml", "-"}, "No provider found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := stack(t, c.stdin, c.args...)
			if err != nil || !strings.Contains(out, c.want) {
				t.Errorf("got %q, %v; want %q in it", out, err, c.want)
			}
		})
	}
}

func TestStackRefuses(t *testing.T) {
	for _, args := range [][]string{{"./nowhere/x"}, {"-", "x.json"}, {"--signatures", "./nowhere", "-"}} {
		if _, err := stack(t, "", args...); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

func TestStackSignatures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ours.tsv")
	if err := os.WriteFile(file, []byte("domain\t*.pay.acme.example\tacme-pay\tcards\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := stack(t, "api.pay.acme.example\n", "--signatures", file, "-")
	if err != nil || !strings.Contains(out, "acme-pay") || !strings.Contains(out, "cards") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestStackPush(t *testing.T) {
	var got downwind.Stack
	status := http.StatusNoContent
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.URL.Path != "/api/v1/teams/checkout/stack" || r.Header.Get("Authorization") != "Bearer token-1" {
			t.Errorf("%s %s %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer srv.Close()
	t.Setenv("DOWNWIND_TOKEN", "token-1")
	if _, err := stack(t, "api.stripe.com\n", "--push", "checkout", "--server", srv.URL, "-"); err != nil || got.Use("stripe") == nil {
		t.Errorf("pushed %+v, %v", got, err)
	}
	status = http.StatusForbidden
	_, err := stack(t, "api.stripe.com\n", "--push", "checkout", "--server", srv.URL, "-")
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != 1 || !strings.Contains(err.Error(), "403") {
		t.Errorf("error %v", err)
	}
	t.Setenv("DOWNWIND_TOKEN", "")
	if _, err := stack(t, "api.stripe.com\n", "--push", "checkout", "-"); err == nil || !strings.Contains(err.Error(), "DOWNWIND_TOKEN") {
		t.Errorf("error %v", err)
	}
}
