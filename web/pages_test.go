package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"downwind"
	"downwind/web"
)

// get fetches a page as a browser would that follows no redirects.
func get(t *testing.T, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	return request(t, http.MethodGet, address, headers...)
}

func request(t *testing.T, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
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

// TestLinksOfMessages opens what chat messages and feed items link to.
func TestLinksOfMessages(t *testing.T) {
	server, world := site(t, func(o *web.Options) {
		o.Bundle = func(_ context.Context, v downwind.Version) ([]byte, error) { return []byte("proof of " + v.Hash), nil }
	})
	versions := world.Store.History["lumen-voice/k03ne"]
	base := server.URL + "/incidents/lumen-voice/k03ne"
	for path, want := range map[string]string{
		fmt.Sprintf("/diff/%d..%d", versions[2].ID, versions[3].ID): "A second, shorter period",
		fmt.Sprintf("/diff/%d..%d", versions[0].ID, versions[3].ID): "version 1, compared here,",
		fmt.Sprintf("/v/%d.dwproof", versions[3].ID):                "proof of " + versions[3].Hash,
		"":            fmt.Sprintf("/v/%d.dwproof", versions[4].ID),
		"/versions/4": fmt.Sprintf("/v/%d.dwproof", versions[3].ID),
	} {
		if resp, body := get(t, base+path); resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, lacks %q", path, resp.StatusCode, want)
		}
	}
	for _, path := range []string{"/diff/1..2", "/diff/x", "/v/1.dwproof", fmt.Sprintf("/v/%d", versions[3].ID), "/v/9.zip"} {
		if resp, _ := get(t, base+path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	_, feed := get(t, server.URL+"/feed?provider=lumen-voice&format=json")
	link := regexp.MustCompile(`"url":"[^"?]*(/incidents/lumen-voice/k03ne\?item=\d+)#(p[0-9a-f]{8})"`).FindStringSubmatch(feed)
	if link == nil {
		t.Fatalf("no link in %.400s", feed)
	}
	if resp, body := get(t, server.URL+link[1]); resp.StatusCode != http.StatusOK || !strings.Contains(body, `id="`+link[2]+`"`) {
		t.Errorf("%s: status %d, or without the anchor %s", link[1], resp.StatusCode, link[2])
	}
}

func TestMarkdownIsReadable(t *testing.T) {
	server, _ := site(t)
	_, body := get(t, server.URL+"/incidents/lumen-voice/k03ne.md")
	for _, want := range []string{
		"# Lumen Voice: Elevated API errors in Virginia\n", "- To paste, with a margin: `2026-11-17T16:32:00Z/2026-11-17T17:05:00Z`",
		"> What happened: a connection pool was sized too small after a failover. Requests in Virginia failed from 16:34 to 17:03 UTC",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q:\n%s", want, body)
		}
	}
}
