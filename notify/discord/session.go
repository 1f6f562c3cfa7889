package discord

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"downwind/secret"
)

// userAgent is what Discord asks of every client: "DiscordBot (url, version)".
const userAgent = "DiscordBot (https://github.com/downwind, 1)"

// timeout bounds one request.
const timeout = 15 * time.Second

// Config is what the configuration says of a Discord application.
type Config struct {
	// Token is the bot token, without "Bot ".
	Token secret.String
	// APIURL replaces "https://discord.com" (for tests).
	APIURL string
}

// NewSession makes a discordgo session as we need it: no retries of its own, no sleeping, requests to another address
// where one is configured. The chat side opens its gateway on it.
func NewSession(token secret.String, apiURL string) (*discordgo.Session, error) {
	return newSession(token, apiURL, nil, nil)
}

func newSession(token secret.String, apiURL string, next http.RoundTripper, seen func(*http.Request, *http.Response)) (*discordgo.Session, error) {
	if next == nil {
		next = http.DefaultTransport
	}
	s, err := discordgo.New("Bot " + token.Reveal())
	if err != nil {
		return nil, fmt.Errorf("discord session: %w", err)
	}
	t := &transport{next: next, seen: seen}
	if apiURL != "" {
		if t.base, err = url.Parse(strings.TrimRight(apiURL, "/")); err != nil || t.base.Host == "" {
			return nil, fmt.Errorf("discord api_url %q is not an address", apiURL)
		}
	}
	s.Client = &http.Client{Transport: t, Timeout: timeout}
	s.UserAgent = userAgent
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.Identify.Intents = discordgo.IntentsGuilds
	return s, nil
}

// transport sends requests to another host where one is set, and keeps the headers of rate limits from discordgo, which
// would sleep on them whatever the context says; limits reads them instead.
type transport struct {
	base *url.URL
	next http.RoundTripper
	seen func(*http.Request, *http.Response)
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.base != nil {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = t.base.Scheme, t.base.Host
		r.URL.Path = t.base.Path + r.URL.Path
		r.Host = ""
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if t.seen != nil {
		t.seen(r, resp)
	}
	for name := range resp.Header {
		if strings.HasPrefix(strings.ToLower(name), "x-ratelimit-") {
			resp.Header.Del(name)
		}
	}
	return resp, nil
}

// limits remembers exhausted buckets, by channel and kind of request.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time
	all   time.Time
}

// routeKey carries the key of a request's bucket in its context.
type routeKey struct{}

func withRoute(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, routeKey{}, key)
}

// wait is how long a request must wait by what is known; zero: it may go.
func (l *limits) wait(key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	d := l.all.Sub(now)
	if until, ok := l.until[key]; ok {
		if !until.After(now) {
			delete(l.until, key)
		} else {
			d = max(d, until.Sub(now))
		}
	}
	return max(d, 0)
}

// note reads an answer's headers.
func (l *limits) note(r *http.Request, resp *http.Response) {
	key, _ := r.Context().Value(routeKey{}).(string)
	if key == "" {
		return
	}
	after, err := strconv.ParseFloat(resp.Header.Get("X-RateLimit-Reset-After"), 64)
	if resp.StatusCode == http.StatusTooManyRequests {
		if s, e := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); e == nil && (err != nil || s > after) {
			after, err = s, nil
		}
	} else if resp.Header.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	if err != nil || after <= 0 {
		return
	}
	until := time.Now().Add(time.Duration(after * float64(time.Second)))
	l.mu.Lock()
	defer l.mu.Unlock()
	if resp.Header.Get("X-RateLimit-Global") == "true" {
		l.all = until
		return
	}
	if l.until == nil {
		l.until = map[string]time.Time{}
	}
	l.until[key] = until
}
