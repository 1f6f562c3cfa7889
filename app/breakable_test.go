package app_test

import "net/http"

// breakable is a page that can be made unreadable.
type breakable struct {
	http.Handler
	broken *bool
}

// ServeHTTP answers with a sign-in page while broken: 200 and HTML, as moved pages do.
func (b breakable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if *b.broken {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><html><body>Please sign in</body></html>"))
		return
	}
	b.Handler.ServeHTTP(w, r)
}
