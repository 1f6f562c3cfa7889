package feeds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"downwind"
)

// Detection is what an address turned out to be.
type Detection struct {
	// Platform is the adapter's word.
	Platform string
	// PageURL is the page's address: its origin for pages, the address itself for a pasted feed.
	PageURL string
	// Endpoint is the address that is asked each poll.
	Endpoint string
	// Direct says that the pasted address is itself a feed; only it is read.
	Direct bool
	// Page is what the page says of itself.
	Page downwind.Page
	// Document is the first reading.
	Document downwind.Document
}

// Bounds of one detection.
const (
	maxProbes = 40 // requests
	common    = 8  // adapters that are asked before the feeds that a page links to
)

// Detect finds out how a status page can be read, from the address of the page, of a feed, of a home page, or a bare
// domain. It asks, in this order: the address itself; the adapters that know the host or the page's marks; the first
// adapters of the list; feeds that the page links to; all other adapters; the usual feed addresses; and for a home page the status page that it links to. A host that
// answers every path alike is unmasked by a path that cannot exist. The error says what was tried.
func Detect(ctx context.Context, f *Fetcher, adapters []Adapter, address string) (Detection, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return Detection{}, fmt.Errorf("no address to look at: %w", downwind.ErrInvalid)
	}
	bare := !strings.Contains(address, "://")
	if bare {
		address = "https://" + address
	}
	if err := checkAddress(address); err != nil {
		return Detection{}, err
	}
	d := &detective{fetcher: f, adapters: adapters, seen: map[string]probe{}}
	det, err := d.page(ctx, address, true)
	if err == nil || !bare && !errors.Is(err, errNothing) {
		return det, err
	}
	if u, perr := url.Parse(address); perr == nil { // a home page that links to no status page
		if domain := registrable(u.Hostname()); domain == strings.TrimPrefix(u.Hostname(), "www.") {
			if det, err2 := d.page(ctx, "https://status."+domain, false); err2 == nil {
				return det, nil
			}
		}
	}
	return Detection{}, err
}

var errNothing = errors.New("no status feed found")

type probe struct {
	resp Response
	err  error
}

type detective struct {
	fetcher  *Fetcher
	adapters []Adapter
	seen     map[string]probe
	// sure says that an adapter knows the host or the page.
	sure bool
}

// get fetches an address once.
func (d *detective) get(ctx context.Context, address string) (Response, error) {
	if p, ok := d.seen[address]; ok {
		return p.resp, p.err
	}
	if len(d.seen) >= maxProbes {
		return Response{}, errors.New("too many addresses tried")
	}
	resp, err := d.fetcher.Fetch(ctx, Request{URL: address})
	d.seen[address] = probe{resp, err}
	return resp, err
}

// page looks at one address; follow allows to go on to a linked status page.
func (d *detective) page(ctx context.Context, address string, follow bool) (Detection, error) {
	resp, err := d.get(ctx, address)
	if err != nil {
		var fe *FetchError
		if !errors.As(err, &fe) || fe.Kind != "status" || fe.Status >= 500 || fe.Status == 429 {
			return Detection{}, err
		}
		resp.URL = address // the page itself may be refused to programs while its data are not
	}
	if isOwnFeed(resp.Payload) {
		return Detection{}, fmt.Errorf("%s is a feed that Downwind serves itself; name the provider or its own status page: %w", address, downwind.ErrInvalid)
	}
	origin := JoinURL(resp.URL, "")
	if a, serr := Sniff(d.adapters, resp.Payload); serr == nil {
		return d.direct(a, resp.Payload, origin)
	}
	html := resp.Body
	first, rest := d.order(origin, html)
	if det, ok := d.byAdapters(ctx, origin, first); ok {
		return det, nil
	}
	if det, ok := d.byFeeds(ctx, origin, alternates(html, resp.URL)); ok {
		return det, nil
	}
	if det, ok := d.byAdapters(ctx, origin, rest); ok {
		return det, nil
	}
	if det, ok := d.byFeeds(ctx, origin, usualFeeds(origin)); ok {
		return det, nil
	}
	if follow {
		for _, link := range statusLinks(html, resp.URL) {
			if det, err := d.page(ctx, link, false); err == nil {
				return det, nil
			}
		}
	}
	if err != nil {
		return Detection{}, err
	}
	return Detection{}, fmt.Errorf("%s: %w: %d addresses tried, none answers in a known shape; paste the address of its RSS or Atom feed instead: %w",
		address, errNothing, len(d.seen), downwind.ErrUnreadable)
}

// direct takes an address that answers in a known shape: the page's plan if it is the plan's first address, else only it.
func (d *detective) direct(a Adapter, p Payload, origin string) (Detection, error) {
	det := Detection{Platform: a.Platform(), PageURL: p.URL, Endpoint: p.URL, Direct: true}
	if plan := a.Endpoints(origin); len(plan) > 0 && plan[0].URL == p.URL && len(plan) > 1 {
		det.PageURL, det.Direct = origin, false
	}
	det.Document = DecodeAs(a, "", []Payload{p})
	det.Page = det.Document.Page
	return det, readable(det.Document)
}

// order sorts the adapters: first those that know the host or the page's marks and the most common ones, then the rest.
func (d *detective) order(origin string, html []byte) (first, rest []Adapter) {
	host := ""
	if u, err := url.Parse(origin); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	var others []Adapter
	for _, a := range d.adapters {
		h, knowsHost := a.(HostClaimer)
		m, knowsPage := a.(PageClaimer)
		if knowsHost && h.ClaimsHost(host) || knowsPage && len(html) > 0 && m.ClaimsPage(html) {
			first = append(first, a)
			d.sure = true
		} else {
			others = append(others, a)
		}
	}
	n := min(common, len(others))
	return append(first, others[:n]...), others[n:]
}

// byAdapters asks the first address of each adapter's plan, and the fallbacks of those that know the page.
func (d *detective) byAdapters(ctx context.Context, origin string, list []Adapter) (Detection, bool) {
	for i, a := range list {
		plan := a.Endpoints(origin)
		if len(plan) == 0 || plan[0].URL == origin || plan[0].URL == origin+"/" {
			continue
		}
		if det, ok := d.probe(ctx, plan[0].URL, origin); ok {
			return det, true
		}
		for _, e := range plan[1:] {
			if !e.Fallback || !d.sure || i > 0 {
				continue
			}
			if det, ok := d.feed(ctx, e.URL, origin); ok {
				return det, true
			}
		}
	}
	return Detection{}, false
}

// byFeeds asks addresses that may be feeds.
func (d *detective) byFeeds(ctx context.Context, origin string, list []string) (Detection, bool) {
	for _, address := range list {
		if det, ok := d.feed(ctx, address, origin); ok {
			return det, true
		}
	}
	return Detection{}, false
}

// probe asks one address and takes it when some adapter claims the answer and reads it.
func (d *detective) probe(ctx context.Context, address, origin string) (Detection, bool) {
	resp, err := d.get(ctx, address)
	if err != nil || isOwnFeed(resp.Payload) {
		return Detection{}, false
	}
	a, err := Sniff(d.adapters, resp.Payload)
	if err != nil || d.catchAll(ctx, origin, resp) {
		return Detection{}, false
	}
	doc := DecodeAs(a, "", []Payload{resp.Payload})
	if !doc.Readable() {
		return Detection{}, false
	}
	page := JoinURL(resp.URL, "")
	plan := a.Endpoints(page)
	det := Detection{Platform: a.Platform(), PageURL: page, Endpoint: resp.URL, Page: doc.Page, Document: doc}
	if len(plan) == 0 || plan[0].URL != resp.URL {
		det.Direct = true
		det.PageURL = origin
	}
	return det, true
}

// feed asks for a feed; the source is then that feed alone.
func (d *detective) feed(ctx context.Context, address, origin string) (Detection, bool) {
	det, ok := d.probe(ctx, address, origin)
	if ok {
		det.Direct = true
	}
	return det, ok
}

// catchAll reports whether the host gives the same body for a path that cannot exist.
func (d *detective) catchAll(ctx context.Context, origin string, found Response) bool {
	bogus, err := d.get(ctx, origin+"/no-such-page-"+ContentID(origin)+".json")
	return err == nil && bogus.BodyHash == found.BodyHash
}

// isOwnFeed recognises what Downwind itself serves.
func isOwnFeed(p Payload) bool {
	return Has(p.Body, 2048, "<generator", ">Downwind") || Has(p.Body, 2048, "jsonfeed.org/version", `"_downwind"`)
}

var (
	linkTag = regexp.MustCompile(`(?i)<link\b[^>]*>`)
	aTag    = regexp.MustCompile(`(?i)<a\b[^>]*>`)
	hrefAt  = regexp.MustCompile(`(?i)\bhref\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)`)
)

// alternates returns the feeds that a page links to in its head.
func alternates(html []byte, base string) []string {
	var out []string
	for _, tag := range linkTag.FindAll(html, 200) {
		low := bytes.ToLower(tag)
		if !bytes.Contains(low, []byte("alternate")) {
			continue
		}
		for _, kind := range []string{"atom+xml", "rss+xml", "feed+json"} {
			if bytes.Contains(low, []byte(kind)) {
				if link := href(tag, base); link != "" && len(out) < 4 {
					out = append(out, link)
				}
				break
			}
		}
	}
	return out
}

// usualFeeds are the addresses at which platforms serve feeds.
func usualFeeds(origin string) []string {
	var out []string
	for _, path := range []string{"/history.atom", "/feed.atom", "/history.rss", "/feed.rss", "/rss", "/feed.xml", "/rss.xml", "/feed"} {
		out = append(out, origin+path)
	}
	return out
}

// statusLinks returns the links of a home page that look like its status page, at most two, the likeliest first.
func statusLinks(html []byte, base string) []string {
	from, err := url.Parse(base)
	if err != nil {
		return nil
	}
	var hosts, paths []string
	for _, tag := range aTag.FindAll(html, 2000) {
		link := href(tag, base)
		u, err := url.Parse(link)
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
			continue
		}
		host := strings.ToLower(u.Hostname())
		switch {
		case host != strings.ToLower(from.Hostname()) && strings.Contains(host, "status"):
			hosts = append(hosts, link)
		case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/status"):
			paths = append(paths, link)
		}
	}
	all := append(hosts, paths...)
	return all[:min(len(all), 2)]
}

// href reads and resolves the address of a tag, empty when it has none.
func href(tag []byte, base string) string {
	m := hrefAt.FindSubmatch(tag)
	if m == nil {
		return ""
	}
	ref := PlainLine(strings.Trim(string(m[1]), `"'`))
	from, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u, err := from.Parse(ref)
	if err != nil {
		return ""
	}
	return u.String()
}
