package feeds

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"downwind"
)

// Feed is an RSS 2 or Atom feed as it stands, before anybody reads incidents out of it.
type Feed struct {
	// Format is "rss" or "atom".
	Format string
	ID     string
	// Title is plain text.
	Title string
	// Link is the page that the feed belongs to; Self the feed's own address, both resolved, empty where not stated.
	Link, Self string
	Generator  string
	Updated    time.Time
	Items      []Item
}

// Item is one entry of a feed, in the feed's order.
type Item struct {
	// ID is the guid or Atom id as it stands, empty without one.
	ID string
	// Link is the entry's page, resolved against xml:base, else the channel's link.
	Link string
	// Title is plain text on one line.
	Title string
	// HTML is the richest body of the entry as markup: content, else description or summary.
	HTML string
	// Published and Updated are UTC, zero where not stated; RSS has only Published (pubDate, dc:date).
	Published, Updated time.Time
	// Ends is when planned work is to end (maintenanceEndDate), UTC; zero where not stated.
	Ends       time.Time
	Categories []string
}

// CheckXML refuses XML that declares entities, nests deeper than MaxDepth or has absurdly many elements; it reads tags only and allocates nothing.
func CheckXML(body []byte) error {
	depth, tags := 0, 0
	for i := 0; ; {
		j := bytes.IndexByte(body[i:], '<')
		if j < 0 {
			return nil
		}
		i += j
		rest := body[i:]
		skip := 1
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			skip = past(rest, "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			skip = past(rest, "]]>")
		case bytes.HasPrefix(rest, []byte("<!DOCTYPE")), bytes.HasPrefix(rest, []byte("<!ENTITY")):
			return fmt.Errorf("XML with a DOCTYPE is not read: %w", downwind.ErrUnreadable)
		case bytes.HasPrefix(rest, []byte("<?")):
			skip = past(rest, "?>")
		case bytes.HasPrefix(rest, []byte("</")):
			depth--
		case len(rest) > 1 && (rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z' || rest[1] == '_'):
			end := bytes.IndexByte(rest, '>')
			if end < 0 {
				return nil
			}
			if rest[end-1] != '/' {
				depth++
			}
			if tags++; tags > maxTags {
				return fmt.Errorf("XML with more than %d elements: %w", maxTags, downwind.ErrUnreadable)
			}
			skip = end
		}
		if depth > MaxDepth {
			return fmt.Errorf("XML nested deeper than %d at byte %d: %w", MaxDepth, i, downwind.ErrUnreadable)
		}
		i += max(skip, 1)
	}
}

func past(b []byte, mark string) int {
	if i := bytes.Index(b, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(b)
}

// ReadFeed reads RSS 2 and Atom of known platforms: strict in structure, one pass. Other dialects and broken feeds are the
// business of feeds/syndication.
func ReadFeed(p Payload) (Feed, error) {
	if err := checkBody(p.Body); err != nil {
		return Feed{}, err
	}
	r := &feedReader{scan: xmlScanner{b: p.Body}, base: p.URL, atom: "atom:"}
	if err := r.read(); err != nil {
		return Feed{}, fmt.Errorf("feed cannot be read at byte %d: %w: %w", r.scan.i, err, downwind.ErrUnreadable)
	}
	r.resolve()
	return r.feed, nil
}

type feedReader struct {
	scan   xmlScanner
	feed   Feed
	base   string
	atom   string // the prefix of the Atom name space, with its colon
	item   *Item
	plain  string // the description or summary of the item
	open   []string
	closed bool // the root element has ended
}

func (r *feedReader) read() error {
	var t xmlToken
	for {
		if err := r.scan.next(&t); err != nil {
			return err
		}
		var err error
		switch t.kind {
		case xmlEOF:
			if len(r.open) > 0 || !r.closed {
				return errors.New("the feed ends before its last element is closed")
			}
			return nil
		case xmlStart:
			err = r.start(&t)
		case xmlEnd:
			err = r.end(r.local(t.name))
		}
		if err != nil {
			return err
		}
	}
}

// local is a tag's name without the prefix of Atom; other prefixes stay.
func (r *feedReader) local(name []byte) string {
	s := string(name)
	if strings.HasPrefix(s, r.atom) {
		return s[len(r.atom):]
	}
	return s
}

func (r *feedReader) start(t *xmlToken) error {
	if len(r.open) == 0 {
		if err := r.root(t); err != nil {
			return err
		}
	}
	name := r.local(t.name)
	isAtom := r.feed.Format == "atom" || len(name) != len(t.name)
	switch {
	case r.item == nil && (name == "item" || name == "entry"):
		r.feed.Items = append(r.feed.Items, Item{})
		r.item, r.plain = &r.feed.Items[len(r.feed.Items)-1], ""
	case name == "link" && isAtom:
		r.atomLink(t)
	case r.field(name) != nil || isDate(name) || name == "category" && r.item != nil:
		return r.value(name, *t)
	}
	if t.empty {
		if len(r.open) == 0 {
			r.closed = true
		}
		return nil
	}
	if len(r.open) >= MaxDepth {
		return errors.New("nested too deep")
	}
	r.open = append(r.open, name)
	return nil
}

// root takes format, base and prefixes from the root element.
func (r *feedReader) root(t *xmlToken) error {
	if r.closed {
		return errors.New("a second root element")
	}
	eachAttr(t.attrs, func(name []byte, value string) {
		switch {
		case string(name) == "xml:base" && value != "":
			r.base = value
		case value == "http://www.w3.org/2005/Atom" && bytes.HasPrefix(name, []byte("xmlns:")):
			r.atom = string(name[len("xmlns:"):]) + ":"
		}
	})
	switch name := r.local(t.name); name {
	case "rss":
		r.feed.Format = "rss"
	case "feed":
		r.feed.Format = "atom"
	default:
		return fmt.Errorf("root element %q is no feed", truncated([]byte(name)))
	}
	return nil
}

// value reads an element that is a field.
func (r *feedReader) value(name string, t xmlToken) error {
	text := ""
	if !t.empty {
		var err error
		if text, err = r.text(t.name); err != nil {
			return err
		}
	}
	if name == "category" && text == "" {
		eachAttr(t.attrs, func(n []byte, v string) {
			if string(n) == "term" {
				text = v
			}
		})
	}
	r.set(name, text)
	return nil
}

func (r *feedReader) end(name string) error {
	if len(r.open) == 0 || r.open[len(r.open)-1] != name {
		return fmt.Errorf("</%s> closes nothing that is open", name)
	}
	r.open = r.open[:len(r.open)-1]
	r.closed = len(r.open) == 0
	if r.item != nil && (name == "item" || name == "entry") {
		if r.item.HTML == "" {
			r.item.HTML = r.plain
		}
		r.item = nil
	}
	return nil
}

// field returns where the text of an element goes, nil for elements that are walked into or passed by.
func (r *feedReader) field(name string) *string {
	depth := len(r.open)
	if r.item != nil {
		if depth == 0 || (r.open[depth-1] != "item" && r.open[depth-1] != "entry") {
			return nil
		}
		switch name {
		case "title":
			return &r.item.Title
		case "guid", "id":
			return &r.item.ID
		case "link":
			return &r.item.Link
		case "content:encoded", "content":
			return &r.item.HTML
		case "description", "summary":
			return &r.plain
		}
		return nil
	}
	if depth == 0 || (r.open[depth-1] != "channel" && r.open[depth-1] != "feed") {
		return nil
	}
	switch name {
	case "title":
		return &r.feed.Title
	case "id":
		return &r.feed.ID
	case "link":
		return &r.feed.Link
	case "generator":
		return &r.feed.Generator
	}
	return nil
}

func isDate(name string) bool {
	switch name {
	case "pubDate", "published", "updated", "dc:date", "lastBuildDate", "issued", "modified", "maintenanceEndDate":
		return true
	}
	return false
}

func (r *feedReader) set(name, text string) {
	if isDate(name) {
		r.setDate(name, text)
		return
	}
	if name == "category" {
		if text != "" {
			r.item.Categories = append(r.item.Categories, PlainLine(text))
		}
		return
	}
	switch f := r.field(name); name {
	case "title":
		*f = PlainLine(text)
	case "content:encoded", "content", "description", "summary":
		*f = text
	default:
		*f = strings.TrimSpace(text)
	}
}

func (r *feedReader) setDate(name, text string) {
	t, ok := ParseTime(text)
	if !ok {
		return
	}
	switch {
	case name == "maintenanceEndDate":
		if r.item != nil {
			r.item.Ends = t
		}
	case r.item == nil:
		if r.feed.Updated.IsZero() || name == "updated" || name == "lastBuildDate" {
			r.feed.Updated = t
		}
	case name == "updated", name == "modified":
		r.item.Updated = t
	case name != "lastBuildDate":
		r.item.Published = t
	}
}

// atomLink keeps rel=alternate (or none) as the page and rel=self as the feed's own address.
func (r *feedReader) atomLink(t *xmlToken) {
	href, rel := "", ""
	eachAttr(t.attrs, func(name []byte, value string) {
		switch string(name) {
		case "href":
			href = value
		case "rel":
			rel = value
		}
	})
	switch {
	case r.item != nil:
		if r.item.Link == "" && (rel == "" || rel == "alternate") {
			r.item.Link = href
		}
	case rel == "self":
		r.feed.Self = href
	case (rel == "" || rel == "alternate") && r.feed.Link == "":
		r.feed.Link = href
	}
}

// text reads the content of an element up to its end: character data as such, nested markup (XHTML) as its source.
func (r *feedReader) text(name []byte) (string, error) {
	from := r.scan.i
	var parts []string
	nested := false
	var t xmlToken
	for depth := 0; ; {
		before := r.scan.i
		if err := r.scan.next(&t); err != nil {
			return "", err
		}
		switch t.kind {
		case xmlEOF:
			return "", fmt.Errorf("<%s> is not closed", name)
		case xmlStart:
			nested = true
			if !t.empty {
				depth++
			}
			if depth > MaxDepth {
				return "", errors.New("nested too deep")
			}
		case xmlEnd:
			if depth > 0 {
				depth--
				continue
			}
			if !bytes.Equal(t.name, name) {
				return "", fmt.Errorf("<%s> is closed by </%s>", name, truncated(t.name))
			}
			if nested {
				return string(r.scan.b[from:before]), nil
			}
			if len(parts) == 1 {
				return parts[0], nil
			}
			return strings.Join(parts, ""), nil
		case xmlText:
			switch {
			case nested:
			case t.cdata:
				parts = append(parts, string(t.text))
			default:
				parts = append(parts, unescapeXML(t.text))
			}
		}
	}
}

// resolve makes links absolute: against xml:base, else the channel's link, else the feed's own address.
func (r *feedReader) resolve() {
	base, err := url.Parse(r.base)
	if err != nil || !base.IsAbs() {
		base = nil
	}
	r.feed.Link = resolveURL(base, r.feed.Link)
	if page, err := url.Parse(r.feed.Link); err == nil && page.IsAbs() && base == nil {
		base = page
	}
	r.feed.Self = resolveURL(base, r.feed.Self)
	for i := range r.feed.Items {
		r.feed.Items[i].Link = resolveURL(base, r.feed.Items[i].Link)
	}
}

func resolveURL(base *url.URL, ref string) string {
	if ref == "" || base == nil || strings.Contains(ref, "://") {
		return ref
	}
	u, err := url.Parse(ref)
	if err != nil || u.IsAbs() {
		return ref
	}
	return base.ResolveReference(u).String()
}
