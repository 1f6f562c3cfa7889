// Package feeds reads status pages: it fetches them politely and safely (Fetcher), decides when (Poller), finds out what
// a page is (Detect), and turns what every platform publishes into the one document of the field (Adapter, Decode).
//
// A document is a window, never a log: what is missing from it has left the window, nothing more. A payload that cannot
// be read makes an unreadable document, which says neither "down" nor "healthy". Adapters are folders below this one;
// feeds/all lists them. docs/new-adapter.md shows how to add one.
package feeds

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"downwind"
)

// Payload is one answer of a source. Body is UTF-8 without a byte order mark where the answer is text (see NewPayload).
type Payload struct {
	// URL is the address that answered, after redirects; empty for a file.
	URL string
	// ContentType is the header as sent, empty where unknown. It is a hint only: 200 and "application/json" prove nothing.
	ContentType string
	Body        []byte
	// Status is the HTTP status, 0 for a file.
	Status int
	// FetchedAt is when it was read, UTC; zero for a file.
	FetchedAt time.Time
	// TLSHost is the host whose certificate was checked, empty over plain HTTP and for a file.
	TLSHost string
}

// NewPayload makes a payload from raw bytes: byte order marks, UTF-16 and declared or guessed charsets become UTF-8.
func NewPayload(url, contentType string, status int, raw []byte, at time.Time) Payload {
	return Payload{URL: url, ContentType: contentType, Body: ToUTF8(raw, contentType), Status: status, FetchedAt: at}
}

// Adapter reads one platform. It does no I/O and keeps no state; one value serves all goroutines.
type Adapter interface {
	// Platform is the word of the document ("statuspage").
	Platform() string
	// Claims tells from the payload's shape how surely it is of this platform: 0 no, 100 certain. It must be cheap (look at
	// the first kilobytes with Has and Sniff) and must not claim other people's shapes: 90 for a unique mark, 60 for a
	// likely shape, 10 for a last resort.
	Claims(p Payload) int
	// Endpoints is the request plan for a page of this platform, the first one being the one that is asked each poll and
	// that alone makes a useful document. pageURL is the page's address as people know it. Nil: the platform cannot be
	// asked by page address (only pasted feed addresses of it are read).
	Endpoints(pageURL string) []Endpoint
	// Decode makes one document of one or several payloads of the same source, fetched close together. An error means
	// unreadable: nothing is taken from any of them. Incident.Provider is filled in by the caller.
	Decode(ps []Payload) (downwind.Document, error)
}

// HostClaimer is implemented by adapters that know host names of their platform, so that detection asks them first.
type HostClaimer interface {
	// ClaimsHost reports whether a page on this host (lower case, no port) is of this platform.
	ClaimsHost(host string) bool
}

// OwnHosts is implemented by adapters of pages that one company serves at its own hosts (ClaimsHost): detection looks for
// them nowhere else, so that an address of theirs is never taken for somebody else's page.
type OwnHosts interface {
	HostClaimer
	// OwnHosts is a mark only.
	OwnHosts()
}

// PageClaimer is implemented by adapters that know marks in an HTML page ("powered by …"), so that detection asks them first.
type PageClaimer interface {
	// ClaimsPage reports whether this HTML was rendered by the platform.
	ClaimsPage(html []byte) bool
}

// PageReader is implemented by adapters whose request plan needs what only the page itself says, an id or a name.
type PageReader interface {
	// AddressIn returns the address to make the plan of, from the page's HTML; empty where that does not tell.
	AddressIn(page string, html []byte) string
}

// Endpoint is one address of a request plan.
type Endpoint struct {
	URL string
	// Every, when more than 1, asks it only when the endpoints of each poll brought news, and on the polls that ask for
	// everything (each fifth); 0 and 1: each poll.
	Every int
	// Optional says that the source is readable without it: a 404 or another shape is no failure.
	Optional bool
	// Fallback is asked only when the endpoints before it could not be read.
	Fallback bool
}

// Decode sniffs one payload and decodes it: what `downwind feed FILE` does. It never panics; what cannot be read comes
// back as a document with Error. A body that is a document of ours ("downwind.feed/v1") is read as such.
func Decode(_ context.Context, adapters []Adapter, provider string, p Payload) downwind.Document {
	p.Body = ToUTF8(p.Body, p.ContentType)
	if doc, ok := ownDocument(p.Body); ok {
		if provider != "" {
			stamp(&doc, provider)
		}
		return doc
	}
	a, err := Sniff(adapters, p)
	if err != nil {
		return Unreadable(provider, "unknown", err)
	}
	return DecodeAs(a, provider, []Payload{p})
}

// DecodeAs decodes payloads of one source with a known adapter; errors and panics become an unreadable document.
func DecodeAs(a Adapter, provider string, ps []Payload) (doc downwind.Document) {
	defer func() {
		if r := recover(); r != nil {
			doc = Unreadable(provider, a.Platform(), fmt.Errorf("the %s reader met something that it cannot read: %v", a.Platform(), r))
		}
	}()
	doc, err := a.Decode(ps)
	if err != nil {
		return Unreadable(provider, a.Platform(), err)
	}
	if doc.Platform == "" {
		doc.Platform = a.Platform()
	}
	stamp(&doc, provider)
	return doc
}

// Unreadable makes the document of a source that could not be read.
func Unreadable(provider, platform string, err error) downwind.Document {
	return downwind.Document{Provider: provider, Platform: platform, Error: err.Error()}
}

// Sniff chooses the adapter with the highest claim, the earlier one on a tie. The error names what the payload is instead.
func Sniff(adapters []Adapter, p Payload) (Adapter, error) {
	if err := checkBody(p.Body); err != nil {
		return nil, err
	}
	if best, _ := claimant(adapters, p); best != nil {
		return best, nil
	}
	switch Shape(p.Body) {
	case "html":
		return nil, fmt.Errorf("an HTML page, not a status feed: %w", downwind.ErrUnreadable)
	case "json":
		return nil, fmt.Errorf("JSON of a shape that no adapter knows: %w", downwind.ErrUnreadable)
	case "xml":
		return nil, fmt.Errorf("XML of a shape that no adapter knows: %w", downwind.ErrUnreadable)
	}
	return nil, fmt.Errorf("neither JSON nor XML: %w", downwind.ErrUnreadable)
}

// claimant returns the adapter with the highest claim, and the claim; nil and 0 where nobody makes one.
func claimant(adapters []Adapter, p Payload) (best Adapter, most int) {
	for _, a := range adapters {
		if n := a.Claims(p); n > most {
			best, most = a, n
		}
	}
	return best, most
}

// Find returns the adapter of a platform, nil where there is none. rss, atom and json mean the syndication adapter.
func Find(adapters []Adapter, platform string) Adapter {
	switch platform {
	case "":
		return nil
	case "rss", "atom", "json":
		platform = "syndication"
	}
	for _, a := range adapters {
		if a.Platform() == platform {
			return a
		}
	}
	return nil
}

// checkBody refuses what no adapter may see: nothing at all, cut or over-deep JSON, XML with entity declarations.
func checkBody(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return fmt.Errorf("empty answer: %w", downwind.ErrUnreadable)
	}
	switch Shape(body) {
	case "json":
		return CheckJSON(body)
	case "xml":
		return CheckXML(body)
	}
	return nil
}

// Shape tells "json", "xml", "html" or "" from the first characters of a body.
func Shape(body []byte) string {
	head := bytes.TrimLeft(body[:min(len(body), 4096)], " \t\r\n\ufeff")
	if len(head) == 0 {
		return ""
	}
	switch head[0] {
	case '{', '[':
		return "json"
	case '<':
	default:
		return ""
	}
	low := bytes.ToLower(head[:min(len(head), 1024)])
	if bytes.HasPrefix(low, []byte("<!doctype html")) || bytes.HasPrefix(low, []byte("<html")) {
		return "html"
	}
	for _, mark := range []string{"<rss", "<feed", "<rdf:rdf", "<?xml"} {
		if bytes.Contains(low, []byte(mark)) {
			if mark == "<?xml" && bytes.Contains(low, []byte("<html")) {
				return "html"
			}
			return "xml"
		}
	}
	if bytes.Contains(low, []byte("<head")) || bytes.Contains(low, []byte("<body")) || bytes.Contains(low, []byte("<script")) {
		return "html"
	}
	return "xml"
}

// Has reports whether all marks stand in the first n bytes of the body; it is how Claims looks at payloads.
func Has(body []byte, n int, marks ...string) bool {
	head := body[:min(len(body), n)]
	for _, m := range marks {
		if !bytes.Contains(head, []byte(m)) {
			return false
		}
	}
	return true
}

// stamp writes the provider into the document and its incidents.
func stamp(doc *downwind.Document, provider string) {
	doc.Provider = provider
	for i := range doc.Incidents {
		doc.Incidents[i].Provider = provider
	}
}

// JoinURL resolves a path against the origin of a page: JoinURL("https://a.example/x", "/api") is "https://a.example/api".
// Without a usable page address it returns the path.
func JoinURL(page, path string) string {
	i := strings.Index(page, "://")
	if i < 0 {
		return path
	}
	if j := strings.IndexAny(page[i+3:], "/?#"); j >= 0 {
		page = page[:i+3+j]
	}
	return page + path
}
