package feeds_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"downwind"
	"downwind/feeds"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func TestGuard(t *testing.T) {
	g := feeds.Guard{}
	for _, a := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
		"192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
	} {
		if err := g.Check(netip.MustParseAddr(a)); !errors.Is(err, downwind.ErrForbidden) {
			t.Errorf("%s may be dialled: %v", a, err)
		}
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "52.84.12.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"} {
		if err := g.Check(netip.MustParseAddr(a)); err != nil {
			t.Errorf("%s may not be dialled: %v", a, err)
		}
	}
	open := feeds.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	if err := open.Check(netip.MustParseAddr("10.1.2.3")); err != nil {
		t.Errorf("allowed network: %v", err)
	}
	if err := open.Check(netip.MustParseAddr("10.2.0.1")); err == nil {
		t.Error("a neighbour of the allowed network may be dialled")
	}
	for _, address := range []string{"example.com:80", "1.1.1.1", ""} {
		if err := g.Control("tcp", address, nil); !errors.Is(err, downwind.ErrForbidden) {
			t.Errorf("Control(%q) = %v", address, err)
		}
	}
	if err := g.Control("udp", "1.1.1.1:53", nil); !errors.Is(err, downwind.ErrForbidden) {
		t.Errorf("udp: %v", err)
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func newFetcher(t *testing.T, o feeds.FetcherOptions) *feeds.Fetcher {
	t.Helper()
	if o.AllowPrivate == nil {
		o.AllowPrivate = loopback
	}
	if o.Limiter == nil {
		o.Limiter = feeds.NewLimiter(feeds.LimiterOptions{PerDomain: 1e6, PerPlatform: 1e6, Burst: 1e6})
	}
	f := feeds.NewFetcher(o)
	t.Cleanup(f.Close)
	return f
}

func kindOf(err error) string {
	var fe *feeds.FetchError
	if errors.As(err, &fe) {
		return fe.Kind
	}
	return ""
}

func TestFetchConditional(t *testing.T) {
	body := `{"page":{"id":"x"}}`
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("asks for encoding %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Last-Modified", "Wed, 04 Mar 2026 09:12:00 GMT")
		w.Header().Set("Cache-Control", "public, max-age=30")
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		fmt.Fprint(w, body)
	})
	f := newFetcher(t, feeds.FetcherOptions{})
	first, err := f.Fetch(context.Background(), feeds.Request{URL: url})
	if err != nil || string(first.Body) != body || first.ETag != `"v1"` || first.LastModified == "" || first.MaxAge != 30*time.Second {
		t.Fatalf("first answer %+v, %v", first, err)
	}
	second, err := f.Fetch(context.Background(), feeds.Request{URL: url, ETag: first.ETag, LastModified: first.LastModified, BodyHash: first.BodyHash})
	if err != nil || !second.NotModified || second.ETag != `"v1"` || second.BodyHash != first.BodyHash || len(second.Body) != 0 {
		t.Errorf("conditional answer %+v, %v", second, err)
	}
	third, err := f.Fetch(context.Background(), feeds.Request{URL: url, BodyHash: first.BodyHash})
	if err != nil || !third.Unchanged || len(third.Body) != 0 {
		t.Errorf("equal body %+v, %v", third, err)
	}
}

func packed(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFetchHostile(t *testing.T) {
	bomb := packed(t, make([]byte, 8<<20))
	cases := []struct {
		name, kind string
		handler    http.HandlerFunc
	}{
		{"endless body", "size", func(w http.ResponseWriter, r *http.Request) {
			chunk := bytes.Repeat([]byte("x"), 64<<10)
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}},
		{"huge length announced", "size", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99999999999")
			w.WriteHeader(http.StatusOK)
		}},
		{"a byte now and then", "timeout", func(w http.ResponseWriter, r *http.Request) {
			for i := 0; ; i++ {
				if _, err := w.Write([]byte("x")); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}},
		{"no answer at all", "timeout", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"gzip bomb", "ratio", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}},
		{"gzip bomb unannounced", "ratio", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(bomb)
		}},
		{"brotli unasked", "encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "xx")
		}},
		{"broken gzip", "encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "this is no gzip")
		}},
		{"cut body", "body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
		}},
		{"redirect loop", "redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }},
		{"redirects without end", "redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}},
		{"redirect to metadata", "forbidden", redirectTo("http://169.254.169.254/latest/meta-data/")},
		{"redirect to a private network", "forbidden", redirectTo("http://10.0.0.1/")},
		{"redirect to a mapped address", "forbidden", redirectTo("http://[::ffff:169.254.169.254]/")},
		{"redirect to a mapped loopback by NAT64", "forbidden", redirectTo("http://[64:ff9b::7f00:1]/")},
		{"redirect to a file", "redirect", redirectTo("file:///etc/passwd")},
		{"redirect with a user name", "forbidden", redirectTo("http://user:pw@example.com/")},
		{"too many requests", "status", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFetcher(t, feeds.FetcherOptions{Timeout: 700 * time.Millisecond, MaxBytes: 1 << 20})
			_, err := f.Fetch(context.Background(), feeds.Request{URL: serve(t, tc.handler) + "/"})
			if got := kindOf(err); got != tc.kind {
				t.Errorf("kind %q (%v), want %q", got, err, tc.kind)
			}
			if err != nil && !errors.Is(err, downwind.ErrUnreadable) {
				t.Errorf("%v is not ErrUnreadable", err)
			}
			var fe *feeds.FetchError
			if errors.As(err, &fe) && fe.Status == 429 && fe.RetryAfter != 2*time.Minute {
				t.Errorf("Retry-After read as %s", fe.RetryAfter)
			}
		})
	}
}

func redirectTo(where string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", where)
		w.WriteHeader(http.StatusFound)
	}
}

func TestFetchRefusesAddresses(t *testing.T) {
	f := newFetcher(t, feeds.FetcherOptions{AllowPrivate: []netip.Prefix{}})
	for address, kind := range map[string]string{
		"http://127.0.0.1:1/": "forbidden", "http://[::1]:1/": "forbidden", "http://2130706433/": "name", "ftp://example.com/": "address",
		"file:///etc/passwd": "address", "https://": "address", "http://u:p@example.com/": "address", "": "address", "http://[fd00::1]/": "forbidden",
	} {
		_, err := f.Fetch(context.Background(), feeds.Request{URL: address})
		if got := kindOf(err); got != kind && !(kind == "name" && got == "forbidden") {
			t.Errorf("%s: kind %q (%v), want %q", address, got, err, kind)
		}
	}
}

// TestRebinding resolves a name to a public address for whoever looks first and to loopback for the dial: the guard must see
// the address that is dialled.
func TestRebinding(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	srv := &dns.Server{PacketConn: pc, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			asked.Add(1)
			rr, _ := dns.NewRR(q.Question[0].Name + " 0 IN A 127.0.0.1")
			m.Answer = append(m.Answer, rr)
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = srv.ActivateAndServe() }()
	t.Cleanup(func() { _ = srv.Shutdown() })
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
	f := newFetcher(t, feeds.FetcherOptions{AllowPrivate: []netip.Prefix{}, Resolver: resolver, Timeout: 5 * time.Second})
	_, err = f.Fetch(context.Background(), feeds.Request{URL: "http://rebind.example.com:8080/"})
	if kindOf(err) != "forbidden" || asked.Load() == 0 {
		t.Errorf("kind %q after %d questions: %v", kindOf(err), asked.Load(), err)
	}
}

func TestPermanentRedirectIsRemembered(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	for code, want := range map[int]string{http.StatusMovedPermanently: target + "/x", http.StatusFound: ""} {
		from := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target+"/x", code) })
		resp, err := newFetcher(t, feeds.FetcherOptions{}).Fetch(context.Background(), feeds.Request{URL: from})
		if err != nil || resp.MovedTo != want {
			t.Errorf("status %d: moved to %q, %v; want %q", code, resp.MovedTo, err, want)
		}
	}
}

func TestProxyIsIgnored(t *testing.T) {
	hit := false
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { hit = true })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	f := newFetcher(t, feeds.FetcherOptions{AllowPrivate: []netip.Prefix{}, Timeout: time.Second})
	_, err := f.Fetch(context.Background(), feeds.Request{URL: "http://169.254.169.254/"})
	if hit || kindOf(err) != "forbidden" {
		t.Errorf("proxy asked: %v; %v", hit, err)
	}
}

func TestLimiter(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	l := feeds.NewLimiter(feeds.LimiterOptions{PerPlatform: 5, PerDomain: 2, Burst: 4})
	for i := range 4 {
		if ok, _ := l.Ready("statuspage", fmt.Sprintf("status.p%d.com", i), now); !ok {
			t.Fatalf("poll %d of the burst must wait", i+1)
		}
	}
	seen := map[time.Time]bool{}
	for i := range 10 {
		ok, at := l.Ready("statuspage", fmt.Sprintf("status.q%d.com", i), now)
		if ok || !at.After(now) || seen[at] || at.Sub(now) > 3*time.Second {
			t.Errorf("poll %d beyond the burst: ready %v at %s", i, ok, at.Sub(now))
		}
		seen[at] = true
	}
	if ok, _ := l.Ready("instatus", "status.other.com", now); !ok {
		t.Error("another platform waits for this one")
	}
	if ok, _ := l.Ready("statuspage", "status.p9.com", now.Add(time.Second)); !ok {
		t.Error("no recovery after a second")
	}
	for range 6 {
		l.Take("a.shared.com", now)
	}
	if ok, at := l.Ready("syndication", "b.shared.com", now); ok || at.Sub(now) > 2*time.Second {
		t.Errorf("a domain in debt is ready: %v %s", ok, at.Sub(now))
	}
	slow := feeds.NewLimiter(feeds.LimiterOptions{PerPlatform: 4, PerDomain: 100, Burst: 1})
	slow.SlowPlatform("statuspage", now)
	_, at := slow.Ready("statuspage", "x.com", now)
	if at.Sub(now) != 500*time.Millisecond {
		t.Errorf("after 429 the next poll is in %s, want 500ms (2 a second)", at.Sub(now))
	}
	later := now.Add(10 * time.Minute)
	slow.Ready("statuspage", "x.com", later)
	if _, at := slow.Ready("statuspage", "y.com", later); at.Sub(later) != 250*time.Millisecond {
		t.Errorf("ten minutes later the next poll is in %s, want 250ms (4 a second)", at.Sub(later))
	}
}

// dialLoopback dials every host name at the port on this machine.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}
