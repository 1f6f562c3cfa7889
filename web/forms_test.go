package web_test

import (
	"bytes"
	"encoding/json"
	"html"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// postFiles sends the fields of a form as the forms of stacks do.
func postFiles(t *testing.T, address string, fields map[string]string) (*http.Response, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, &b)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	return do(t, r)
}

func TestEveryPageHasItsOtherForms(t *testing.T) {
	server, _ := site(t)
	for _, path := range []string{
		"/now", "/providers", "/providers/lumen-voice", "/incidents/lumen-voice/k03ne", "/incidents/lumen-voice/k03ne/versions/4", "/maintenance", "/archive",
		"/corrections", "/about",
	} {
		resp, body := get(t, server.URL+path+".json")
		if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "application/json" || !json.Valid([]byte(body)) {
			t.Errorf("%s.json: status %d, type %s: %.200s", path, resp.StatusCode, kind, body)
		}
		resp, body = get(t, server.URL+path+".md")
		if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/markdown") || !strings.HasPrefix(body, "# ") {
			t.Errorf("%s.md: status %d, type %s: %.200s", path, resp.StatusCode, kind, body)
		}
		page := path
		if path == "/now" {
			page = "/"
		}
		if resp, body := get(t, server.URL+page); !strings.Contains(body, `href="`+path+`.md"`) || !strings.Contains(strings.Join(resp.Header.Values("Link"), " "), path+".json") {
			t.Errorf("%s does not name its other forms", page)
		}
	}
}

func TestBacktest(t *testing.T) {
	server, _ := site(t)
	resp, body := postFiles(t, server.URL+"/backtest", map[string]string{"months": "6", "text": "lumen-voice\nquaymail"})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %.300s", resp.StatusCode, body)
	}
	for _, want := range []string{"You would have heard of", "By month", "Nov 2026", "Jun 2026", "Elevated API errors in Virginia", `name="stack"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	stack := regexp.MustCompile(`name="stack" value="([^"]+)"`).FindStringSubmatch(body)
	if stack == nil {
		t.Fatal("no stack to go on with")
	}
	again, body := postFiles(t, server.URL+"/backtest", map[string]string{"months": "1", "stack": html.UnescapeString(stack[1])})
	if again.StatusCode != http.StatusOK || strings.Contains(body, "Jun 2026") {
		t.Errorf("another span: status %d", again.StatusCode)
	}
	if _, body := postFiles(t, server.URL+"/backtest", map[string]string{"months": "1", "text": "parcelbase"}); !strings.Contains(body, "Nothing to look back on") || strings.Contains(body, "By month") {
		t.Error("a provider without incidents has a past")
	}
	for name, fields := range map[string]map[string]string{
		"no span": {"text": "lumen-voice"}, "a span that is none": {"months": "99", "text": "lumen-voice"}, "nothing known": {"months": "1", "text": "nothing.example"},
		"a broken stack": {"months": "1", "stack": "{"},
	} {
		if resp, _ := postFiles(t, server.URL+"/backtest", fields); resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
}
