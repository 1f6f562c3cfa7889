package web

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"downwind"
)

// encodeFeed writes a channel in one of the three formats.
func encodeFeed(format string, ch channel) (*feedDocument, error) {
	doc := &feedDocument{modified: ch.updated}
	switch format {
	case "atom":
		doc.kind, doc.body = "application/atom+xml; charset=utf-8", writeAtom(ch)
	case "json":
		body, err := writeJSONFeed(ch)
		if err != nil {
			return nil, fmt.Errorf("feed: %w", err)
		}
		doc.kind, doc.body = "application/feed+json", body
	default:
		doc.kind, doc.body = "application/rss+xml; charset=utf-8", writeRSS(ch)
	}
	doc.tag = strongTag(doc.body)
	if ch.hub != "" {
		doc.links = []string{"<" + ch.hub + `>; rel="hub"`, "<" + ch.self + `>; rel="self"`}
	}
	return doc, nil
}

// An xmlWriter writes elements whose text and attributes are always escaped.
type xmlWriter struct{ b strings.Builder }

func (x *xmlWriter) text(s string) {
	// EscapeText fails only when the writer does, and a builder does not.
	_ = xml.EscapeText(&x.b, []byte(clean(s)))
}

// open writes a start tag with attributes in pairs of name and value.
func (x *xmlWriter) open(name string, attrs ...string) {
	x.b.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		x.b.WriteString(" " + attrs[i] + `="`)
		x.text(attrs[i+1])
		x.b.WriteByte('"')
	}
	x.b.WriteByte('>')
}

func (x *xmlWriter) close(name string) { x.b.WriteString("</" + name + ">\n") }

func (x *xmlWriter) element(name, text string, attrs ...string) {
	x.open(name, attrs...)
	x.text(text)
	x.close(name)
}

// feedHTML is an item's text as simple HTML: the first line plain, so that bots which cut can show it, then paragraphs.
func feedHTML(text, link string) string {
	const more = "…"
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(text), "\n")
	full := true
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		piece := html.EscapeString(line)
		if room := feedTextSize - b.Len(); len(piece) > room {
			full = false
			if room < 40 {
				break
			}
			piece = html.EscapeString(clip(line, room/2))
			if len(piece) > room {
				break
			}
		}
		if i > 0 {
			piece = "<p>" + piece + "</p>"
		}
		b.WriteString(piece)
		if !full {
			break
		}
	}
	if !full {
		b.WriteString(`<p><a href="` + html.EscapeString(link) + `">The whole text</a>` + more + `</p>`)
	}
	return b.String()
}

func writeRSS(ch channel) []byte {
	x := &xmlWriter{}
	x.b.WriteString(xml.Header)
	x.open("rss", "version", "2.0", "xmlns:atom", "http://www.w3.org/2005/Atom")
	x.open("channel")
	x.b.WriteByte('\n')
	x.element("title", ch.title)
	x.element("link", ch.home)
	x.element("description", ch.about)
	x.element("language", "en")
	x.element("atom:link", "", "href", ch.self, "rel", "self", "type", "application/rss+xml")
	if ch.hub != "" {
		x.element("atom:link", "", "href", ch.hub, "rel", "hub")
	}
	x.element("lastBuildDate", rssDate(ch.updated))
	for _, e := range ch.items {
		x.open("item")
		x.b.WriteByte('\n')
		x.element("title", e.title)
		x.element("link", e.link)
		x.element("guid", e.id, "isPermaLink", "false")
		x.element("pubDate", rssDate(e.published))
		x.element("category", string(e.item.Kind))
		x.element("description", feedHTML(e.text, e.link))
		x.close("item")
	}
	x.close("channel")
	x.close("rss")
	return []byte(x.b.String())
}

func rssDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

func writeAtom(ch channel) []byte {
	x := &xmlWriter{}
	x.b.WriteString(xml.Header)
	x.open("feed", "xmlns", "http://www.w3.org/2005/Atom", "xml:lang", "en")
	x.b.WriteByte('\n')
	x.element("id", ch.id)
	x.element("title", ch.title)
	x.element("subtitle", ch.about)
	x.element("link", "", "rel", "self", "type", "application/atom+xml", "href", ch.self)
	x.element("link", "", "rel", "alternate", "type", "text/html", "href", ch.home)
	if ch.hub != "" {
		x.element("link", "", "rel", "hub", "href", ch.hub)
	}
	x.element("updated", isoTime(ch.updated))
	x.open("author")
	x.element("name", "Downwind")
	x.close("author")
	x.element("generator", "Downwind")
	for _, e := range ch.items {
		x.open("entry")
		x.b.WriteByte('\n')
		x.element("id", e.id)
		x.element("title", e.title)
		x.element("link", "", "rel", "alternate", "type", "text/html", "href", e.link)
		x.element("published", isoTime(e.published))
		x.element("updated", isoTime(e.updated))
		x.open("category", "term", string(e.item.Kind))
		x.close("category")
		x.element("content", feedHTML(e.text, e.link), "type", "html")
		x.close("entry")
	}
	x.close("feed")
	return []byte(x.b.String())
}

type jsonFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	HomePageURL string         `json:"home_page_url"`
	FeedURL     string         `json:"feed_url"`
	Language    string         `json:"language"`
	Authors     []jsonAuthor   `json:"authors"`
	Hubs        []jsonHub      `json:"hubs,omitempty"`
	Items       []jsonFeedItem `json:"items"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

type jsonHub struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type jsonFeedItem struct {
	ID            string        `json:"id"`
	URL           string        `json:"url"`
	Title         string        `json:"title"`
	ContentText   string        `json:"content_text"`
	DatePublished stamp         `json:"date_published"`
	DateModified  stamp         `json:"date_modified"`
	Tags          []string      `json:"tags"`
	Downwind      jsonExtension `json:"_downwind"`
}

// jsonExtension carries what programs want to read without parsing titles.
type jsonExtension struct {
	Provider   string              `json:"provider"`
	Incident   string              `json:"incident"`
	Update     string              `json:"update,omitempty"`
	Kind       downwind.ChangeKind `json:"kind"`
	Impact     downwind.Impact     `json:"impact"`
	Phase      downwind.Phase      `json:"phase"`
	PostedAt   stamp               `json:"posted_at"`
	Components []string            `json:"components"`
	Regions    []string            `json:"regions"`
}

func writeJSONFeed(ch channel) ([]byte, error) {
	out := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: ch.title, Description: ch.about, HomePageURL: ch.home, FeedURL: ch.self,
		Language: "en", Authors: []jsonAuthor{{"Downwind"}}, Items: []jsonFeedItem{},
	}
	if ch.hub != "" {
		out.Hubs = []jsonHub{{"WebSub", ch.hub}}
	}
	for _, e := range ch.items {
		item := jsonFeedItem{
			ID: e.id, URL: e.link, Title: e.title, ContentText: clip(strings.TrimSpace(e.text), feedTextSize),
			DatePublished: stamp(e.published), DateModified: stamp(e.updated), Tags: []string{string(e.item.Kind)},
			Downwind: jsonExtension{
				Provider: e.item.Provider, Incident: e.item.Incident, Update: e.item.Update, Kind: e.item.Kind, Impact: e.item.Impact,
				Phase: e.item.Phase, PostedAt: stamp(e.item.PostedAt), Components: atMost(e.item.Components, 20), Regions: atMost(e.item.Regions, 20),
			},
		}
		out.Items = append(out.Items, item)
	}
	body, err := json.Marshal(out)
	return append(body, '\n'), err
}

// atMost is a list that is never null and never long.
func atMost(list []string, n int) []string {
	out := []string{}
	for _, text := range list[:min(n, len(list))] {
		out = append(out, clip(oneLine(text), 80))
	}
	return out
}
