package feeds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"downwind"
	"downwind/internal/pattern"
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
	common    = 5  // platforms that are asked before anything else is looked at
)

// Detect finds out how a status page can be read, from the address of the page, of a feed, of a home page, or a bare
// domain. It asks, in this order: the address itself; the platforms that know the host or the page's marks; the most common
// platforms; feeds that the page links to; all other platforms; the usual feed addresses. From a home page it goes on to the
// status page that it links to, or to "status." before its domain, before it looks for anything else there. A host that
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
	if err == nil || !bare || errors.Is(err, errNothing) {
		return det, err
	}
	if det, ok := d.elsewhere(ctx, address, nil); ok { // the home page itself cannot be read
		return det, nil
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

// page looks at one address; follow allows to go on to the status page of a home page.
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
	if a, serr := Sniff(d.adapters, resp.Payload); serr == nil {
		return d.direct(a, resp.Payload, JoinURL(resp.URL, ""))
	}
	if det, ok := d.search(ctx, resp.URL, resp.Body, follow); ok {
		return det, nil
	}
	if err != nil {
		return Detection{}, err
	}
	return Detection{}, fmt.Errorf("%s: %w: %d addresses tried, none answers in a known shape; paste the address of its RSS or Atom feed instead: %w",
		address, errNothing, len(d.seen), downwind.ErrUnreadable)
}

// search tries what may stand behind a page that is no feed itself. The feeds of a home page are those of its blog, so there
// the status page elsewhere comes first and a feed counts only when it names its purpose.
func (d *detective) search(ctx context.Context, page string, html []byte, follow bool) (Detection, bool) {
	known, others := d.order(page, html)
	first, rest := others[:min(common, len(others))], others[min(common, len(others)):]
	home := !namesStatus(page, html)
	steps := []func() (Detection, bool){
		func() (Detection, bool) { return d.byPage(ctx, page, html, known) },
		func() (Detection, bool) { return d.byAdapters(ctx, page, known, true) },
		func() (Detection, bool) { return d.byAdapters(ctx, page, first, false) },
		func() (Detection, bool) { return d.byFeeds(ctx, page, alternates(html, page, home)) },
		func() (Detection, bool) { return d.byAdapters(ctx, page, rest, false) },
	}
	if !home {
		steps = append(steps, func() (Detection, bool) { return d.byFeeds(ctx, page, usualFeeds(JoinURL(page, ""))) })
	}
	if follow {
		at := len(steps)
		if home {
			at = 3
		}
		steps = slices.Insert(steps, at, func() (Detection, bool) { return d.elsewhere(ctx, page, html) })
	}
	for _, step := range steps {
		if det, ok := step(); ok {
			return det, true
		}
	}
	return Detection{}, false
}

// elsewhere looks at the status pages that a home page links to, and at "status." before its domain.
func (d *detective) elsewhere(ctx context.Context, page string, html []byte) (Detection, bool) {
	links := statusLinks(html, page)
	if u, err := url.Parse(page); err == nil {
		host := strings.ToLower(u.Hostname())
		if domain := registrable(host); domain == strings.TrimPrefix(host, "www.") && strings.Contains(domain, ".") {
			links = append(links, "https://status."+domain)
		}
	}
	for _, link := range links {
		if det, err := d.page(ctx, link, false); err == nil {
			return det, true
		}
	}
	return Detection{}, false
}

// statusWords are found in the addresses and titles of status pages.
var statusWords = pattern.New(`(?i)status|incident|uptime|outage|health|trust\b|st(ö|oe)rung`)

// titleTag is a page's title.
var titleTag = pattern.New(`(?is)<title[^>]*>([^<]{1,300})`)

// namesStatus reports whether an address or a page's title says that this is a status page; a page without a title may be one.
func namesStatus(page string, html []byte) bool {
	if _, rest, ok := strings.Cut(page, "://"); ok && statusWords.MatchString(rest) {
		return true
	}
	m := titleTag.FindSubmatch(html)
	return m == nil || statusWords.Match(m[1])
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

// order parts the adapters: those that know the host or the page's marks, and those of platforms that may be anywhere. What
// one company serves at its own hosts is looked for nowhere else.
func (d *detective) order(page string, html []byte) (known, others []Adapter) {
	host := ""
	if u, err := url.Parse(page); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	for _, a := range d.adapters {
		h, knowsHost := a.(HostClaimer)
		m, knowsPage := a.(PageClaimer)
		_, own := a.(OwnHosts)
		switch {
		case knowsHost && h.ClaimsHost(host) || knowsPage && len(html) > 0 && m.ClaimsPage(html):
			known = append(known, a)
		case !own:
			others = append(others, a)
		}
	}
	return known, others
}

// byPage asks where the page itself says that its data are.
func (d *detective) byPage(ctx context.Context, page string, html []byte, known []Adapter) (Detection, bool) {
	for _, a := range known {
		r, ok := a.(PageReader)
		if !ok {
			continue
		}
		from := r.AddressIn(page, html)
		if from == "" {
			continue
		}
		if plan := a.Endpoints(from); len(plan) > 0 {
			if det, ok := d.probe(ctx, plan[0].URL, from); ok {
				return det, true
			}
		}
	}
	return Detection{}, false
}

// byAdapters asks the first address of each adapter's plan, and the fallbacks of the first that is sure to know the page. What
// a platform answers at hosts of its own is asked only where the page is surely its: other pages' names are nobody's business.
func (d *detective) byAdapters(ctx context.Context, page string, list []Adapter, sure bool) (Detection, bool) {
	for i, a := range list {
		for _, from := range []string{page, JoinURL(page, "")} { // some platforms have several pages at one host
			plan := a.Endpoints(from)
			if len(plan) == 0 || plan[0].URL == from || plan[0].URL == from+"/" || !sure && JoinURL(plan[0].URL, "") != JoinURL(from, "") {
				continue
			}
			if det, ok := d.probe(ctx, plan[0].URL, from); ok {
				return det, true
			}
			for _, e := range plan[1:] {
				if !e.Fallback || !sure || i > 0 {
					continue
				}
				if det, ok := d.feed(ctx, e.URL, from); ok {
					return det, true
				}
			}
		}
	}
	return Detection{}, false
}

// byFeeds asks addresses that may be feeds.
func (d *detective) byFeeds(ctx context.Context, page string, list []string) (Detection, bool) {
	for _, address := range list {
		if det, ok := d.feed(ctx, address, JoinURL(page, "")); ok {
			return det, true
		}
	}
	return Detection{}, false
}

// probe asks one address of a page's plan and takes it when some adapter claims the answer and reads it.
func (d *detective) probe(ctx context.Context, address, page string) (Detection, bool) {
	resp, err := d.get(ctx, address)
	if err != nil || isOwnFeed(resp.Payload) {
		return Detection{}, false
	}
	a, err := Sniff(d.adapters, resp.Payload)
	if err != nil || d.catchAll(ctx, a, resp) {
		return Detection{}, false
	}
	doc := DecodeAs(a, "", []Payload{resp.Payload})
	if !doc.Readable() {
		return Detection{}, false
	}
	det := Detection{Platform: a.Platform(), PageURL: JoinURL(page, ""), Endpoint: resp.URL, Page: doc.Page, Document: doc, Direct: true}
	for _, from := range []string{page, JoinURL(resp.URL, "")} {
		if plan := a.Endpoints(from); len(plan) > 0 && plan[0].URL == resp.URL {
			det.PageURL, det.Direct = from, false
			break
		}
	}
	return det, true
}

// feed asks for a feed; the source is then that feed alone.
func (d *detective) feed(ctx context.Context, address, page string) (Detection, bool) {
	det, ok := d.probe(ctx, address, page)
	if ok {
		det.Direct = true
	}
	return det, ok
}

// catchAll reports whether the host answers a path that cannot exist in the same way: with the same body, or with another one
// that the same adapter claims.
func (d *detective) catchAll(ctx context.Context, a Adapter, found Response) bool {
	origin := JoinURL(found.URL, "")
	bogus, err := d.get(ctx, origin+"/no-such-page-"+ContentID(origin)+".json")
	if err != nil {
		return false
	}
	if bogus.BodyHash == found.BodyHash {
		return true
	}
	same, err := Sniff(d.adapters, bogus.Payload)
	return err == nil && same.Platform() == a.Platform()
}

// isOwnFeed recognises what Downwind itself serves.
func isOwnFeed(p Payload) bool {
	return Has(p.Body, 2048, "<generator", ">Downwind") || Has(p.Body, 2048, "jsonfeed.org/version", `"_downwind"`)
}

var (
	linkTag = pattern.New(`(?i)<link\b[^>]*>`)
	aTag    = pattern.New(`(?i)<a\b[^>]*>`)
	hrefAt  = pattern.New(`(?i)\bhref\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)`)
)

// alternates returns the feeds that a page links to in its head; those of a home page must say that they are of its status.
func alternates(html []byte, base string, home bool) []string {
	var out []string
	for _, tag := range linkTag.FindAll(html, 200) {
		low := bytes.ToLower(tag)
		if !bytes.Contains(low, []byte("alternate")) || home && !statusWords.Match(low) {
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

// vendors are hosts of the makers of status pages, which many pages link to; their customers' pages have names before them.
var vendors = pattern.New(`^(?:www\.|docs\.|help\.)?(?:statuspage\.io|status\.io|statuspal\.(?:io|eu)|instatus\.com|openstatus\.dev|statuscast\.com|statusgator\.com|statuscake\.com|isdown\.app)$`)

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
		case vendors.MatchString(host):
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
