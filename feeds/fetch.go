package feeds

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"downwind"
)

// Limits of one fetch, unless FetcherOptions says otherwise.
const (
	DefaultMaxBytes  = 5 << 20 // after decompression; the largest page known (a Statuspage with 430 components) has 0.15 MB
	DefaultTimeout   = 20 * time.Second
	maxRatio         = 100 // decompressed to compressed bytes
	maxRedirects     = 5
	maxHeaderBytes   = 64 << 10
	idleConnLifetime = 25 * time.Second // below the usual interval: idle connections cost more than new ones
)

// FetcherOptions configures a Fetcher; the zero value is usable.
type FetcherOptions struct {
	// UserAgent names us and says where to complain; empty: "Downwind (status page reader)".
	UserAgent string
	// AllowPrivate are networks that may be fetched although they are not public.
	AllowPrivate []netip.Prefix
	// MaxBytes bounds a body after decompression; zero: DefaultMaxBytes.
	MaxBytes int64
	// Timeout bounds a fetch from name to last byte, redirects included, in real time; zero: DefaultTimeout.
	Timeout time.Duration
	// Clock gives the time of payloads and limits; nil: the machine's.
	Clock downwind.Clock
	// Dial replaces the guarded dialler: for tests and benchmarks that map names to a local listener. It is not guarded.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver replaces the machine's resolver in the guarded dialler.
	Resolver *net.Resolver
	// TLS replaces the default TLS configuration.
	TLS *tls.Config
	// Limiter spaces the requests; nil: NewLimiter(LimiterOptions{}).
	Limiter *Limiter
}

// Fetcher asks status sources over HTTP: conditional, size- and time-bound, never past the Guard, never through a proxy.
// It is safe for concurrent use.
type Fetcher struct {
	opts    FetcherOptions
	client  *http.Client
	limiter *Limiter
	buffers buffers
}

// NewFetcher makes a Fetcher.
func NewFetcher(o FetcherOptions) *Fetcher {
	if o.UserAgent == "" {
		o.UserAgent = "Downwind (status page reader)"
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(LimiterOptions{})
	}
	if o.TLS == nil {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1024)}
	}
	guard := Guard{Allow: o.AllowPrivate}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: guard.Control, Resolver: o.Resolver}
	dial := dialer.DialContext
	if o.Dial != nil {
		dial = o.Dial
	}
	f := &Fetcher{opts: o, limiter: o.Limiter}
	f.client = &http.Client{
		Transport: &http.Transport{
			Proxy: nil, DialContext: dial, TLSClientConfig: o.TLS, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxConnsPerHost: 2, MaxIdleConnsPerHost: 1, MaxIdleConns: 512, IdleConnTimeout: idleConnLifetime,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeaderBytes,
		},
		CheckRedirect: checkRedirect,
	}
	return f
}

// Limiter returns the limiter that spaces this fetcher's requests.
func (f *Fetcher) Limiter() *Limiter { return f.limiter }

// Close drops idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Request asks for one address. ETag and LastModified make it conditional; BodyHash tells an equal body.
type Request struct {
	URL                          string
	ETag, LastModified, BodyHash string
}

// Response is the answer to a Request.
type Response struct {
	// Payload has the body, empty when NotModified or Unchanged.
	Payload
	// NotModified: the server says so (304). Unchanged: the body has the hash of the request.
	NotModified, Unchanged bool
	// ETag and LastModified are the validators to keep, both; a 304 without them keeps those of the request.
	ETag, LastModified string
	// BodyHash is HashBody of the decoded body.
	BodyHash string
	// MovedTo is where permanent redirects led, empty without any.
	MovedTo string
	// MaxAge is the freshness that the server asks for, zero without.
	MaxAge time.Duration
	// Wire counts the bytes of the body as sent.
	Wire int64
}

// FetchError says why an address gave no usable answer.
type FetchError struct {
	URL string
	// Kind is the cause for metrics: address, redirect, forbidden, name, connect, tls, timeout, status, size, ratio, encoding, body.
	Kind string
	// Status is the HTTP status of kind "status".
	Status int
	// RetryAfter is how long the server asks to wait, zero without.
	RetryAfter time.Duration
	Err        error
}

func (e *FetchError) Error() string { return fmt.Sprintf("fetch %s: %v", e.URL, e.Err) }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() []error { return []error{e.Err, downwind.ErrUnreadable} }

// Fetch asks once. It does not wait for the limiter; the Poller asks Limiter.Ready before. Errors are *FetchError.
func (f *Fetcher) Fetch(ctx context.Context, r Request) (Response, error) {
	if err := checkAddress(r.URL); err != nil {
		return Response{}, &FetchError{URL: r.URL, Kind: "address", Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	trail := &trail{}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, trailKey{}, trail), http.MethodGet, r.URL, nil)
	if err != nil {
		return Response{}, &FetchError{URL: r.URL, Kind: "address", Err: err}
	}
	req.Header.Set("User-Agent", f.opts.UserAgent)
	req.Header.Set("Accept", "application/json, application/atom+xml, application/rss+xml, application/xml;q=0.9, text/html;q=0.8, */*;q=0.5")
	req.Header.Set("Accept-Encoding", "gzip")
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	f.limiter.Take(req.URL.Hostname(), f.opts.Clock.Now())
	resp, err := f.client.Do(req)
	if err != nil {
		return Response{}, f.failure(r.URL, err)
	}
	defer resp.Body.Close()
	return f.answer(r, resp, trail)
}

// answer reads status, headers and body.
func (f *Fetcher) answer(r Request, resp *http.Response, tr *trail) (Response, error) {
	out := Response{ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"), MaxAge: maxAge(resp.Header.Get("Cache-Control"))}
	out.URL, out.Status, out.FetchedAt = resp.Request.URL.String(), resp.StatusCode, f.opts.Clock.Now().UTC()
	out.ContentType = resp.Header.Get("Content-Type")
	if tr.permanent {
		out.MovedTo = out.URL
	}
	if resp.TLS != nil {
		out.TLSHost = resp.Request.URL.Hostname()
	}
	switch {
	case resp.StatusCode == http.StatusNotModified:
		out.NotModified = true
		if out.ETag == "" {
			out.ETag = r.ETag
		}
		if out.LastModified == "" {
			out.LastModified = r.LastModified
		}
		out.BodyHash = r.BodyHash
		return out, nil
	case resp.StatusCode != http.StatusOK:
		return Response{}, f.refusal(r.URL, resp)
	}
	raw, err := f.readBody(resp)
	out.Wire = raw.wire
	if err != nil {
		var known *FetchError
		if errors.As(err, &known) && !errors.Is(err, context.DeadlineExceeded) {
			known.URL = r.URL
			return Response{}, known
		}
		return Response{}, f.failure(r.URL, err)
	}
	out.BodyHash = HashBody(raw.bytes)
	if out.BodyHash == r.BodyHash {
		out.Unchanged = true
		f.buffers.give(raw.bytes)
		return out, nil
	}
	out.Body = ToUTF8(raw.bytes, out.ContentType)
	return out, nil
}

// HashBody tells bodies apart: length and XXH64, hex. It guards nothing: what is archived has hashes of its own.
func HashBody(b []byte) string {
	return strconv.FormatInt(int64(len(b)), 16) + "x" + strconv.FormatUint(xxhash.Sum64(b), 16)
}

// refusal turns a status other than 200 into an error and tells the limiter about 429.
func (f *Fetcher) refusal(address string, resp *http.Response) error {
	e := &FetchError{URL: address, Kind: "status", Status: resp.StatusCode, Err: fmt.Errorf("the server answers %s", resp.Status)}
	e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), f.opts.Clock.Now())
	if resp.StatusCode == http.StatusTooManyRequests {
		f.limiter.Slow(resp.Request.URL.Hostname(), f.opts.Clock.Now())
	}
	return e
}

// failure names the kind of a transport error.
func (f *Fetcher) failure(address string, err error) error {
	e := &FetchError{URL: address, Kind: "connect", Err: err}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var redirect *redirectError
	var uerr *url.Error
	switch {
	case errors.Is(err, downwind.ErrForbidden):
		e.Kind = "forbidden"
	case errors.As(err, &redirect):
		e.Kind = "redirect"
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Err = "timeout", fmt.Errorf("no complete answer within %s", f.opts.Timeout)
	case errors.As(err, &dns):
		e.Kind = "name"
	case errors.As(err, &cert):
		e.Kind = "tls"
	case errors.As(err, &uerr) && uerr.Timeout():
		e.Kind = "timeout"
	}
	if errors.As(e.Err, &uerr) { // the address is named already
		e.Err = uerr.Err
	}
	return e
}

// checkAddress accepts absolute http and https addresses without user information.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return fmt.Errorf("%q is no web address: %w", address, downwind.ErrInvalid)
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%q is no http or https address: %w", address, downwind.ErrInvalid)
	case u.Hostname() == "":
		return fmt.Errorf("%q names no host: %w", address, downwind.ErrInvalid)
	case u.User != nil:
		return fmt.Errorf("an address with a user name is not fetched: %w", downwind.ErrForbidden)
	}
	return nil
}

type trailKey struct{}

// trail remembers what the redirects of one fetch were.
type trail struct{ permanent bool }

type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

// checkRedirect follows a few redirects to other web addresses; each is dialled through the guard again.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return &redirectError{fmt.Sprintf("more than %d redirects", maxRedirects)}
	}
	for _, v := range via {
		if v.URL.String() == req.URL.String() {
			return &redirectError{"redirects in a circle at " + req.URL.Redacted()}
		}
	}
	if err := checkAddress(req.URL.String()); err != nil {
		if errors.Is(err, downwind.ErrForbidden) {
			return err
		}
		return &redirectError{"redirect to an address that is not fetched: " + err.Error()}
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme == "http" {
		return &redirectError{"redirect from https to http"}
	}
	if req.URL.Host != via[0].URL.Host { // validators of another host mean nothing there
		req.Header.Del("If-None-Match")
		req.Header.Del("If-Modified-Since")
	}
	if t, ok := req.Context().Value(trailKey{}).(*trail); ok && req.Response != nil {
		code := req.Response.StatusCode
		permanent := code == http.StatusMovedPermanently || code == http.StatusPermanentRedirect
		t.permanent = permanent && (t.permanent || len(via) == 1)
	}
	return nil
}

// maxAge reads Cache-Control.
func maxAge(h string) time.Duration {
	for part := range strings.SplitSeq(h, ",") {
		v, ok := strings.CutPrefix(strings.TrimSpace(strings.ToLower(part)), "max-age=")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			return time.Duration(min(n, 86400)) * time.Second
		}
	}
	return 0
}

// retryAfter reads the seconds or the date of a Retry-After header, at most an hour.
func retryAfter(h string, now time.Time) time.Duration {
	if h == "" {
		return 0
	}
	var d time.Duration
	if n, err := strconv.Atoi(strings.TrimSpace(h)); err == nil {
		d = time.Duration(min(n, 86400)) * time.Second
	} else if t, ok := ParseTime(h); ok {
		d = t.Sub(now)
	}
	return min(max(d, 0), time.Hour)
}
