package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Ceilings of request bodies, in bytes.
const (
	maxForm   = 64 << 10
	maxUpload = 32 << 20
	maxKeep   = 4 << 20
)

// A handler answers a request or returns why it cannot.
type handler func(w http.ResponseWriter, r *http.Request) error

// An origin is where a request came from, after the named proxies have been believed.
type origin struct {
	client netip.Addr
	scheme string
	host   string
}

type contextKey int

const (
	keyOrigin contextKey = iota
	keySession
)

func originOf(r *http.Request) origin {
	o, _ := r.Context().Value(keyOrigin).(origin)
	return o
}

// open serves a handler to everybody; errors become pages.
func (s *Server) open(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := s.withSession(r)
		if err == nil {
			err = h(w, r)
		}
		if err != nil {
			s.failPage(w, r, err)
		}
	})
}

// page serves a handler to everybody where pages are public, else to those who have signed in.
func (s *Server) page(h handler) http.Handler {
	h = s.shared.share(h)
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		if !s.opt.Public && sessionOf(r) == nil {
			return s.askToSignIn(w, r)
		}
		return h(w, r)
	})
}

// form serves a post that anybody may make where pages are public.
func (s *Server) form(h handler) http.Handler {
	return s.page(s.guarded(h))
}

// openForm serves a post that anybody may make: signing in and out, the theme.
func (s *Server) openForm(h handler) http.Handler { return s.open(s.guarded(h)) }

// guarded refuses posts of other sites and too many posts, and bounds the body.
func (s *Server) guarded(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.sameOrigin(r); err != nil {
			return err
		}
		if !s.posts.allow(clientKey(r), s.now()) {
			return &httpError{status: http.StatusTooManyRequests, sentence: "Too many posts from your address. Wait a minute and try again.", retry: 60}
		}
		ceiling := int64(maxForm)
		switch r.URL.Path {
		case "/stack", "/backtest":
			ceiling = maxUpload
		case "/stack/keep":
			ceiling = maxKeep
		}
		r.Body = http.MaxBytesReader(w, r.Body, ceiling)
		return h(w, r)
	}
}

// sameOrigin refuses requests that another site made a browser send.
func (s *Server) sameOrigin(r *http.Request) error {
	checked := r
	if o := originOf(r); o.host != "" && o.host != r.Host {
		checked = r.Clone(r.Context())
		checked.Host = o.host
	}
	if err := s.origin.Check(checked); err != nil {
		return &httpError{status: http.StatusForbidden, sentence: "This form was sent from another site. Open the page here and send it again.", cause: err}
	}
	return nil
}

// member serves a handler to those who have signed in with at least that role.
func (s *Server) member(least Role, h handler) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		who := sessionOf(r)
		if who == nil {
			return s.askToSignIn(w, r)
		}
		if err := who.needTeam(); err != nil {
			return err
		}
		if who.Role.rank() < least.rank() {
			return refuse(http.StatusForbidden, "This needs the role %s; you have signed in as %s.", least, who.Role)
		}
		return h(w, r)
	})
}

// memberForm serves a post of somebody who has signed in; the form must carry the token of the session.
func (s *Server) memberForm(least Role, h handler) http.Handler {
	return s.member(least, s.guarded(func(w http.ResponseWriter, r *http.Request) error {
		if err := checkFormToken(r); err != nil {
			return err
		}
		return h(w, r)
	}))
}

// secretPath serves pages whose address is the secret: not indexed, no referrer, not kept by caches in between.
func (s *Server) secretPath(h handler) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		w.Header().Set("Referrer-Policy", "no-referrer")
		return h(w, r)
	})
}

// feed serves feeds: to everybody where pages are public, else with a token or a session.
func (s *Server) feed(h handler) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		if !s.opt.Public && sessionOf(r) == nil {
			if _, err := s.caller(r); err != nil {
				return refuse(http.StatusUnauthorized, "Feeds of this installation need a token. Use a team's feed, whose address is its secret.")
			}
		}
		return h(w, r)
	})
}

// observed measures what the routes answer; it stands directly before them, because only they know their pattern.
func (s *Server) observed(next http.Handler) http.Handler {
	if s.opt.Observe == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &timedResponse{ResponseWriter: w, began: time.Now()}
		next.ServeHTTP(t, r)
		t.first(http.StatusOK)
		s.opt.Observe(r.Pattern, t.status, t.took)
	})
}

// A timedResponse notes when the first byte was written, and with which status.
type timedResponse struct {
	http.ResponseWriter
	began  time.Time
	status int
	took   time.Duration
}

// Unwrap lets http.ResponseController reach the connection.
func (t *timedResponse) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *timedResponse) first(status int) {
	if t.status == 0 {
		t.status, t.took = status, time.Since(t.began)
	}
}

// WriteHeader implements http.ResponseWriter.
func (t *timedResponse) WriteHeader(status int) {
	t.first(status)
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *timedResponse) Write(b []byte) (int, error) {
	t.first(http.StatusOK)
	return t.ResponseWriter.Write(b)
}

// recovered turns a panic into a 500 and a log line; the daemon lives on.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.Error("panic in handler", "method", r.Method, "route", r.Pattern, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				http.Error(w, "Something went wrong on our side. It has been logged.", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// forwarded finds out who asks, and under which address, believing forwarded headers of the named networks only.
func (s *Server) forwarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := origin{scheme: "http", host: r.Host}
		if r.TLS != nil {
			o.scheme = "https"
		}
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		o.client, _ = netip.ParseAddr(host)
		o.client = o.client.Unmap()
		if s.trusted(o.client) {
			s.believe(&o, r.Header)
		}
		if !validHost(o.host) {
			http.Error(w, "The host name of this request is not valid.", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyOrigin, o)))
	})
}

func (s *Server) trusted(addr netip.Addr) bool {
	for _, p := range s.opt.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// believe takes over what trusted proxies say: the nearest address in the chain that is not theirs, scheme and host.
func (s *Server) believe(o *origin, h http.Header) {
	chain := strings.Split(strings.Join(h.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0; i-- {
		addr, err := netip.ParseAddr(strings.TrimSpace(chain[i]))
		if err != nil {
			break
		}
		o.client = addr.Unmap()
		if !s.trusted(o.client) {
			break
		}
	}
	if p := h.Get("X-Forwarded-Proto"); p == "http" || p == "https" {
		o.scheme = p
	}
	if host := h.Get("X-Forwarded-Host"); host != "" {
		o.host = host
	}
}

// validHost refuses hosts that could not stand in an address we write into a page or feed.
func validHost(host string) bool {
	if host == "" {
		return true
	}
	u, err := url.Parse("http://" + host)
	return err == nil && u.Host == host && u.User == nil && !strings.ContainsAny(host, "\"'<>\\ ")
}

// stripPrefix takes the path prefix away where the proxy has left it on.
func (s *Server) stripPrefix(next http.Handler) http.Handler {
	if s.prefix == "" {
		return next
	}
	strip := http.StripPrefix(s.prefix, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == s.prefix:
			http.Redirect(w, r, s.prefix+"/", http.StatusMovedPermanently)
		case strings.HasPrefix(r.URL.Path, s.prefix+"/"):
			strip.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// contentPolicy allows our own style sheet and pictures and nothing else: no scripts, no frames, no foreign forms.
const contentPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secured sets the headers that every answer carries.
func (s *Server) secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if originOf(r).scheme == "https" {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// clientKey names the asking address for limits; IPv6 by its /64.
func clientKey(r *http.Request) string {
	a := originOf(r).client
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

// A limiter bounds how often each key may do something. It holds at most twice limiterKeys keys.
type limiter struct {
	perMinute int
	mu        sync.Mutex
	young     map[string]*rate.Limiter
	old       map[string]*rate.Limiter
}

const limiterKeys = 5000

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, young: map[string]*rate.Limiter{}}
}

// allow reports whether the key may act now, and counts it.
func (l *limiter) allow(key string, now time.Time) bool { return l.reserve(key).AllowN(now, 1) }

// peek reports whether the key may act now, without counting.
func (l *limiter) peek(key string, now time.Time) bool { return l.reserve(key).TokensAt(now) >= 1 }

// reserve returns the key's own limiter, moving it to the young half.
func (l *limiter) reserve(key string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.young[key]; ok {
		return b
	}
	if len(l.young) >= limiterKeys {
		l.old, l.young = l.young, map[string]*rate.Limiter{}
	}
	b, ok := l.old[key]
	if !ok {
		b = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
	}
	l.young[key] = b
	return b
}

// answer writes a whole body with a weak validator, or 304 where the client has it.
func answer(w http.ResponseWriter, r *http.Request, contentType string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	tag := "W/" + strongTag(body)
	h.Set("ETag", tag)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", cacheFor(r))
		h.Add("Vary", "Cookie")
	}
	if tagMatches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	_, _ = w.Write(body) // the client has gone when this fails; nobody is left to tell
	return nil
}

// cacheFor is short for everybody's pages and none for those of one person.
func cacheFor(r *http.Request) string {
	if sessionOf(r) != nil || r.PathValue("secret") != "" {
		return "private, no-cache"
	}
	return "public, max-age=15, stale-while-revalidate=60"
}
