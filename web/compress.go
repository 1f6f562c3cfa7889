package web

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

var gzipWriters = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant of the package itself
	}
	return z
}}

// compressed shrinks text for clients that take gzip. Feeds keep their strong validators and are left as they are.
func compressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		z := &gzipResponse{ResponseWriter: w}
		defer z.close()
		next.ServeHTTP(z, r)
	})
}

// A gzipResponse decides at the first byte whether the answer is text worth shrinking.
type gzipResponse struct {
	http.ResponseWriter
	decided bool
	z       *gzip.Writer
}

// Unwrap lets http.ResponseController reach the connection.
func (g *gzipResponse) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *gzipResponse) WriteHeader(status int) {
	g.decide(status)
	g.ResponseWriter.WriteHeader(status)
}

func (g *gzipResponse) decide(status int) {
	if g.decided {
		return
	}
	g.decided = true
	h := g.Header()
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	switch kind {
	case "text/html", "text/css", "text/markdown", "text/csv", "image/svg+xml", "application/json", "application/problem+json", "application/yaml":
	default:
		return
	}
	if tag := h.Get("ETag"); status != http.StatusOK || h.Get("Content-Encoding") != "" || (tag != "" && !strings.HasPrefix(tag, "W/")) {
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	h.Del("Content-Length")
	g.z = gzipWriters.Get().(*gzip.Writer)
	g.z.Reset(g.ResponseWriter)
}

func (g *gzipResponse) Write(b []byte) (int, error) {
	if !g.decided {
		if g.Header().Get("Content-Type") == "" {
			g.Header().Set("Content-Type", http.DetectContentType(b))
		}
		g.WriteHeader(http.StatusOK)
	}
	if g.z != nil {
		return g.z.Write(b)
	}
	return g.ResponseWriter.Write(b)
}

func (g *gzipResponse) close() {
	if g.z == nil {
		return
	}
	_ = g.z.Close() // the client has gone when this fails
	g.z.Reset(nil)
	gzipWriters.Put(g.z)
	g.z = nil
}
