package feeds_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"downwind/feeds"
	"downwind/feeds/all"
	"downwind/feeds/feedstest"
)

func TestDetect(t *testing.T) {
	feed := feedstest.Atom([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Acme</title><id>x</id><entry><id>e1</id><title>Down</title><link href="/i/1"/><updated>2026-03-04T09:00:00Z</updated><summary>Investigating - it is down</summary></entry></feed>`))
	shell := feedstest.HTML([]byte(`<!DOCTYPE html><html><head><link rel="alternate" type="application/atom+xml" href="/updates/feed"></head><body></body></html>`))
	cases := []struct {
		name     string
		step     feedstest.Step
		path     string
		catchAll string
		platform string
		endpoint string
		direct   bool
		fails    string
	}{
		{name: "page of a platform", step: feedstest.Step{"/": shell, "/api/v2/incidents.json": incidents("1")}, platform: "statuspage", endpoint: "/api/v2/incidents.json"},
		{name: "address inside a page", step: feedstest.Step{"/history": shell, "/api/v2/incidents.json": incidents("1")}, path: "/history", platform: "statuspage", endpoint: "/api/v2/incidents.json"},
		{name: "its own first endpoint", step: feedstest.Step{"/api/v2/incidents.json": incidents("1")}, path: "/api/v2/incidents.json", platform: "statuspage", endpoint: "/api/v2/incidents.json"},
		{name: "page refused to programs", step: feedstest.Step{"/api/v2/incidents.json": incidents("1")}, platform: "statuspage", endpoint: "/api/v2/incidents.json"},
		{name: "feed pasted", step: feedstest.Step{"/x.atom": feed}, path: "/x.atom", platform: "syndication", endpoint: "/x.atom", direct: true},
		{name: "feed linked", step: feedstest.Step{"/": shell, "/updates/feed": feed}, platform: "syndication", endpoint: "/updates/feed", direct: true},
		{name: "feed at a usual place", step: feedstest.Step{"/": feedstest.HTML([]byte("<html></html>")), "/feed.atom": feed}, platform: "syndication", endpoint: "/feed.atom", direct: true},
		{name: "catch-all of HTML", step: feedstest.Step{"/": shell}, catchAll: "<html>app</html>", fails: "none answers in a known shape"},
		{name: "catch-all of JSON", step: feedstest.Step{"/": shell}, catchAll: string(incidents("1").Body), fails: "none answers in a known shape"},
		{name: "our own feed", step: feedstest.Step{"/feed": feedstest.RSS([]byte(`<rss version="2.0"><channel><title>x</title><generator>Downwind 1.0</generator></channel></rss>`))}, path: "/feed", fails: "Downwind serves itself"},
		{name: "nothing", step: feedstest.Step{"/": feedstest.HTML([]byte("<html>hello</html>"))}, fails: "paste the address of its RSS or Atom feed"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			page := feedstest.New(tc.step)
			if tc.catchAll != "" {
				page.CatchAll([]byte(tc.catchAll))
			}
			srv := httptest.NewServer(page)
			t.Cleanup(srv.Close)
			d, err := feeds.Detect(context.Background(), newFetcher(t, feeds.FetcherOptions{}), all.Adapters(), srv.URL+tc.path)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("found %+v, error %v; want %q", d, err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.Platform != tc.platform || d.Endpoint != srv.URL+tc.endpoint || d.Direct != tc.direct || !d.Document.Readable() {
				t.Errorf("found %+v", d)
			}
			if asked := len(page.Requests()); asked > 40 {
				t.Errorf("%d requests", asked)
			}
		})
	}
}

// TestDetectKeepsToThePage counts the hosts that are asked about a page that no platform knows: nobody else is told of it, and
// no answer from elsewhere is taken for it.
func TestDetectKeepsToThePage(t *testing.T) {
	srv := httptest.NewServer(feedstest.New(feedstest.Step{
		"/": feedstest.HTML([]byte("<html><title>Inner status</title></html>")), "/public/currentevents": feedstest.JSON([]byte(`[{"arn":"arn:aws:health:us-east-1::event/x","event_log":[],"impacted_services":{}}]`)),
	}))
	t.Cleanup(srv.Close)
	var mu sync.Mutex
	hosts := map[string]bool{}
	f := newFetcher(t, feeds.FetcherOptions{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		hosts[address] = true
		mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(srv.URL, "http://"))
	}})
	if d, err := feeds.Detect(context.Background(), f, all.Adapters(), "http://status.inner.example"); err == nil {
		t.Errorf("found %+v", d)
	}
	if len(hosts) != 1 || !hosts["status.inner.example:80"] {
		t.Errorf("asked %v", hosts)
	}
}

// TestDetectBareDomain leaves the blog's feed of a home page alone and finds the status page beside it.
func TestDetectBareDomain(t *testing.T) {
	home := feedstest.New(feedstest.Step{
		"/":     feedstest.HTML([]byte(`<html><head><title>Acme: calls for all</title><link rel="alternate" type="application/rss+xml" href="/feed"></head></html>`)),
		"/feed": feedstest.RSS([]byte(`<rss version="2.0"><channel><title>Acme blog</title><link>https://acme.example</link><item><title>We are hiring</title><guid>1</guid></item></channel></rss>`)),
	})
	status := feedstest.New(feedstest.Step{"/summary.json": feedstest.JSON([]byte(`{"page":{"name":"Acme","url":"https://status.acme.example","status":"UP"}}`))})
	for _, tc := range []struct {
		name, platform string
		status         http.Handler
	}{{"with a status page", "instatus", status}, {"without", "", http.NotFoundHandler()}} {
		t.Run(tc.name, func(t *testing.T) {
			srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Host == "status.acme.example" {
					tc.status.ServeHTTP(w, r)
					return
				}
				home.ServeHTTP(w, r)
			}))
			t.Cleanup(srv.Close)
			f := newFetcher(t, feeds.FetcherOptions{
				TLS: &tls.Config{InsecureSkipVerify: true}, // the test server's certificate is for another name
				Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, network, srv.Listener.Addr().String())
				},
			})
			d, err := feeds.Detect(context.Background(), f, all.Adapters(), "acme.example")
			if found := err == nil; found != (tc.platform != "") || d.Platform != tc.platform {
				t.Errorf("found %+v, %v", d, err)
			}
		})
	}
}

// TestDetectOnePageOfSeveral reads the page that was pasted, not the first one of its host.
func TestDetectOnePageOfSeveral(t *testing.T) {
	srv := httptest.NewServer(feedstest.New(feedstest.Step{
		"/status/second":          feedstest.HTML([]byte(`<html><title>Uptime Kuma</title></html>`)),
		"/api/status-page/second": feedstest.JSON([]byte(`{"config":{"slug":"second","title":"Second"},"incident":null,"publicGroupList":[],"maintenanceList":[]}`)),
	}))
	t.Cleanup(srv.Close)
	d, err := feeds.Detect(context.Background(), newFetcher(t, feeds.FetcherOptions{}), all.Adapters(), srv.URL+"/status/second")
	if err != nil || d.Platform != "uptimekuma" || d.Direct || d.PageURL != srv.URL+"/status/second" {
		t.Errorf("found %+v, %v", d, err)
	}
}

// TestDetectReadsThePage finds data whose address only the page tells.
func TestDetectReadsThePage(t *testing.T) {
	kuma := feedstest.JSON([]byte(`{"config":{"slug":"main","title":"Main"},"incident":null,"publicGroupList":[],"maintenanceList":[]}`))
	for _, tc := range []struct{ name, html, data, platform string }{
		{"id in a link", `<script src="https://api.status.io/x.js"></script><a href="/pages/history/5b36dc6502d06804c08349f7">`, "/1.0/status/5b36dc6502d06804c08349f7", "statusio"},
		{"name in the manifest", `<title>Uptime Kuma</title><link rel="manifest" href="/api/status-page/main/manifest.json">`, "/api/status-page/main", "uptimekuma"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := kuma
			if tc.platform == "statusio" {
				body = feedstest.JSON([]byte(`{"result":{"status_overall":{"status_code":100},"status":[],"incidents":[],"maintenance":{"active":[],"upcoming":[]}}}`))
			}
			srv := httptest.NewTLSServer(feedstest.New(feedstest.Step{"/": feedstest.HTML([]byte(tc.html)), tc.data: body}))
			t.Cleanup(srv.Close)
			f := newFetcher(t, feeds.FetcherOptions{
				TLS: &tls.Config{InsecureSkipVerify: true}, // the test server's certificate is for another name
				Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, network, srv.Listener.Addr().String())
				},
			})
			d, err := feeds.Detect(context.Background(), f, all.Adapters(), "https://status.acme.example")
			if err != nil || d.Platform != tc.platform || !strings.HasSuffix(d.Endpoint, tc.data) {
				t.Errorf("found %+v, %v", d, err)
			}
		})
	}
}

// TestDetectUnmasksChangingCatchAll finds no platform at a host that answers every path with JSON of its own making.
func TestDetectUnmasksChangingCatchAll(t *testing.T) {
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<html><title>Acme status</title></html>`)
			return
		}
		fmt.Fprintf(w, `{"page":{"id":"abcdefgh1234","name":"Acme","url":"https://acme.example","updated_at":"%d"},"incidents":[]}`, n.Add(1))
	}))
	t.Cleanup(srv.Close)
	if d, err := feeds.Detect(context.Background(), newFetcher(t, feeds.FetcherOptions{}), all.Adapters(), srv.URL); err == nil {
		t.Errorf("found %+v", d)
	}
}

func TestDetectFollowsAHomePage(t *testing.T) {
	status := httptest.NewServer(feedstest.New(feedstest.Step{"/api/v2/incidents.json": incidents("1")}))
	t.Cleanup(status.Close)
	link := strings.Replace(status.URL, "127.0.0.1", "status.localhost", 1)
	home := httptest.NewServer(feedstest.New(feedstest.Step{"/": feedstest.HTML([]byte(`<html><body><a href="` + link + `">Status</a></body></html>`))}))
	t.Cleanup(home.Close)
	f := newFetcher(t, feeds.FetcherOptions{Dial: dialLoopback})
	d, err := feeds.Detect(context.Background(), f, all.Adapters(), home.URL)
	if err != nil || d.Platform != "statuspage" || !strings.Contains(d.PageURL, "status.localhost") {
		t.Errorf("found %+v, %v", d, err)
	}
}
