package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"downwind/proof"
)

// TestLogOverHTTP reads the log as an outsider does, at the C2SP paths: what it serves is one tree, and a checkpoint that
// was kept is shown to be its beginning.
func TestLogOverHTTP(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		a := newArchiver(t, url, nil)
		get := func(path string) (int, string) {
			t.Helper()
			w := httptest.NewRecorder()
			a.app.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			body, err := io.ReadAll(w.Result().Body)
			fatal(t, err)
			return w.Code, string(body)
		}
		if code, _ := get("/log/checkpoint"); code != http.StatusNotFound {
			t.Errorf("a checkpoint of nothing: status %d", code)
		}
		a.until(hour(14, 10), true)
		_, kept := get("/log/checkpoint")
		size := strings.Split(kept, "\n")[1]
		a.until(hour(15, 50), true)
		_, key := get("/log/key")
		policy := proof.Policy{Key: strings.TrimSpace(key), From: []byte(kept)}
		code, since := get("/log/extension/" + size)
		if r := proof.VerifyExtension([]byte(since), policy); code != http.StatusOK || r.Verdict != proof.Valid {
			t.Errorf("extension: status %d, %v: %+v", code, r.Verdict, r.Findings)
		}
		_, now := get("/log/checkpoint")
		newest := strings.Split(now, "\n")[1]
		policy.From = []byte(now)
		if _, same := get("/log/extension/" + newest); proof.VerifyExtension([]byte(same), policy).Verdict != proof.Valid {
			t.Errorf("the newest continues itself: %s", same)
		}
		for path, want := range map[string]int{
			"/log/tile/0/000.p/" + newest: http.StatusOK, "/log/tile/entries/000.p/" + newest: http.StatusOK,
			"/log/tile/0/000": http.StatusNotFound, "/log/tile/0/000.p/0": http.StatusNotFound, "/log/tile/9/000.p/1": http.StatusNotFound,
			"/log/tile/entries/x001/000": http.StatusNotFound, "/log/tile/x": http.StatusNotFound, "/log/extension/0": http.StatusNotFound,
			"/log/extension/-1": http.StatusNotFound, "/log/extension/99999": http.StatusNotFound, "/log/extension/x": http.StatusNotFound,
		} {
			if code, _ := get(path); code != want {
				t.Errorf("%s: status %d, want %d", path, code, want)
			}
		}
	})
}
