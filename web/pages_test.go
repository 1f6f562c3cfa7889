package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// get fetches a page as a browser would that follows no redirects.
func get(t *testing.T, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(t, r)
}

func do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
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

func TestEveryPageAnswers(t *testing.T) {
	server, _ := site(t)
	for _, p := range everyPage {
		resp, body := get(t, server.URL+p.path)
		want := http.StatusOK
		if p.name == "missing" {
			want = http.StatusNotFound
		}
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", p.path, resp.StatusCode, want)
		}
		for _, need := range []string{`<html lang="en"`, "<h1", `href="#main"`, "<main id=\"main\"", "<title>"} {
			if !strings.Contains(body, need) {
				t.Errorf("%s: page without %s", p.path, need)
			}
		}
		for _, bad := range []string{"<script", " style=", "javascript:", "ZgotmplZ", "%!", "&lt;no value&gt;", "http://www.w3.org/1999/xhtml"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: page holds %q", p.path, bad)
			}
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "script") {
			t.Errorf("%s: policy %q", p.path, csp)
		}
	}
}
