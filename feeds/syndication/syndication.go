// Package syndication reads status feeds of no particular platform: RSS, Atom and JSON Feed, parsed by gofeed. It is the
// last resort: the state of an incident stands in prose only, and a feed names neither impact nor components in fields.
package syndication

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"downwind"
	"downwind/feeds"
)

// Adapter implements feeds.Adapter. Its documents carry the platform "rss", "atom" or "json".
type Adapter struct{}

// Platform implements feeds.Adapter.
func (Adapter) Platform() string { return "syndication" }

// Claims implements feeds.Adapter: any feed, with the lowest claim.
func (Adapter) Claims(p feeds.Payload) int {
	head := p.Body[:min(len(p.Body), 4096)]
	switch feeds.Shape(p.Body) {
	case "xml":
		low := bytes.ToLower(head)
		for _, root := range []string{"<rss", "<feed", "<rdf:rdf"} {
			if bytes.Contains(low, []byte(root)) {
				return 10
			}
		}
	case "json":
		if bytes.Contains(head, []byte("jsonfeed.org/version")) {
			return 10
		}
	}
	return 0
}

// Endpoints implements feeds.Adapter: a feed is asked at its own address.
func (Adapter) Endpoints(pageURL string) []feeds.Endpoint {
	return []feeds.Endpoint{{URL: pageURL, Every: 1}}
}

// Decode implements feeds.Adapter.
func (a Adapter) Decode(ps []feeds.Payload) (downwind.Document, error) {
	p := ps[0]
	if a.Claims(p) == 0 {
		return downwind.Document{}, fmt.Errorf("neither RSS, Atom nor JSON Feed: %w", downwind.ErrUnreadable)
	}
	if feeds.Shape(p.Body) == "xml" {
		if err := feeds.CheckXML(p.Body); err != nil {
			return downwind.Document{}, err
		}
	} else if err := feeds.CheckJSON(p.Body); err != nil {
		return downwind.Document{}, err
	}
	f, err := gofeed.NewParser().Parse(bytes.NewReader(p.Body))
	if err != nil {
		return downwind.Document{}, fmt.Errorf("feed cannot be read: %w: %w", err, downwind.ErrUnreadable)
	}
	if strings.HasPrefix(f.Generator, "Downwind") {
		return downwind.Document{}, fmt.Errorf("this is a feed that Downwind itself serves; subscribe to the provider's own page instead: %w", downwind.ErrInvalid)
	}
	r := reader{root: normal(f.Link)}
	r.base, _ = url.Parse(f.Link)
	if r.base == nil || !r.base.IsAbs() {
		r.base, _ = url.Parse(p.URL)
	}
	doc := downwind.Document{Platform: f.FeedType, Page: downwind.Page{Name: pageName(f.Title), URL: f.Link}}
	for _, it := range f.Items {
		if it != nil {
			r.add(it)
		}
	}
	doc.Incidents = r.incidents()
	return doc, nil
}

func pageName(title string) string {
	return strings.TrimSuffix(feeds.PlainLine(title), " - Incident History")
}

// An entry is one item of the feed, read.
type entry struct {
	key    string // what groups it with others, empty when it stands alone
	guid   string // normalised, empty when it is the page root
	link   string // resolved
	title  string // without state prefix
	update downwind.Update
	// posts stand in the place of update where the entry holds several, each below its date.
	posts  []downwind.Update
	impact downwind.Impact
	// since is when the entry was first published, zero where not stated.
	since time.Time
	// ends is the end that a category tells, as cState writes it; zero for none.
	ends   time.Time
	parts  []downwind.Component
	plan   bool // it is about planned work
	notice bool // an announcement that reports no fault
}

type reader struct {
	base    *url.URL
	root    string
	entries []entry
}

// add reads one item.
func (r *reader) add(it *gofeed.Item) {
	e := entry{link: r.resolve(it.Link)}
	if len(it.Links) > 0 && it.Link == "" {
		e.link = r.resolve(it.Links[0])
	}
	if e.link == "" && strings.HasPrefix(it.GUID, "http") { // a guid is a permanent link unless it says otherwise
		e.link = it.GUID
	}
	e.guid = normal(it.GUID)
	if e.guid == r.root || isRoot(e.guid) {
		e.guid = ""
	}
	if k := normal(e.link); k != r.root && !isRoot(k) {
		e.key = k
	}
	title := feeds.PlainLine(it.Title)
	var fromTitle downwind.Phase
	e.title, fromTitle = titleState(title)
	html := it.Content
	if html == "" {
		html = it.Description
	}
	b := readBody(html)
	e.update = downwind.Update{Phase: b.phase, Body: b.text}
	e.since, e.update.PostedAt = dates(it)
	e.parts, e.posts, e.impact = b.components, b.posts, b.impact
	for _, c := range it.Categories {
		if len(c) < len(time.DateTime) {
			continue
		}
		if at, ok := feeds.ParseTime(c); ok && at.After(e.since) {
			e.ends = at
		}
	}
	if fromTitle != "" && b.phase == "" {
		e.update.Phase = fromTitle
	}
	if e.update.Phase == "" {
		e.update.Phase = proseState(title, b.text)
	}
	e.plan = feeds.IsMaintenancePhase(e.update.Phase) || isPlanned(e.title, it.Categories) && e.update.Phase != downwind.Investigating && e.update.Phase != downwind.Identified
	if e.plan && e.update.Phase == "" {
		e.update.Phase = workState(b.text)
	}
	e.notice = isNotice(e.title, it.Categories)
	r.entries = append(r.entries, e)
}

// dates gives when an entry was published and the time that readers see: that, or the later updated of Atom.
func dates(it *gofeed.Item) (since, posted time.Time) {
	published, _ := feeds.ParseTime(it.Published)
	updated, _ := feeds.ParseTime(it.Updated)
	if published.IsZero() && it.PublishedParsed != nil && it.Published == "" {
		published = it.PublishedParsed.UTC()
	}
	if updated.After(published) {
		return published, updated
	}
	return published, published
}

func (r *reader) resolve(ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || r.base == nil || strings.Contains(ref, "://") {
		return ref
	}
	u, err := r.base.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

// incidents groups the entries: those with the same link (else guid) are one incident, each entry one of its updates; an
// entry whose link and guid are the page root stands alone.
func (r *reader) incidents() []downwind.Incident {
	var order []string
	groups := map[string][]entry{}
	spread := r.spreadLinks()
	for _, e := range r.entries {
		key := e.key
		if key == "" || spread[key] {
			key = e.guid
		}
		if key == "" {
			key = "alone:" + feeds.ContentID(e.title, e.update.PostedAt.String())
			if e.update.PostedAt.IsZero() {
				key = "alone:" + feeds.ContentID(e.title, e.update.Body)
			}
		}
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], e)
	}
	ids := shortIDs(order)
	out := make([]downwind.Incident, 0, len(order))
	for _, key := range order {
		out = append(out, incident(ids[key], groups[key]))
	}
	return out
}

// spreadLinks finds links that identify nothing: shared by entries whose titles and guids all differ.
func (r *reader) spreadLinks() map[string]bool {
	first := map[string]entry{}
	out := map[string]bool{}
	for _, e := range r.entries {
		if e.key == "" {
			continue
		}
		f, ok := first[e.key]
		if !ok {
			first[e.key] = e
			continue
		}
		if f.title != e.title && f.guid != "" && e.guid != "" && f.guid != e.guid && !strings.HasPrefix(e.guid, e.key) {
			out[e.key] = true
		}
	}
	return out
}

// shortIDs takes the last part of each key where that is unique and says something, else the whole key.
func shortIDs(keys []string) map[string]string {
	count := map[string]int{}
	short := make(map[string]string, len(keys))
	for _, k := range keys {
		s := strings.TrimPrefix(k, "alone:")
		if !strings.ContainsAny(s, "?#") && strings.Contains(s, "/") {
			s = s[strings.LastIndexByte(s, '/')+1:]
		}
		short[k] = s
		count[s]++
	}
	for k, s := range short {
		if s == "" || count[s] > 1 {
			short[k] = k
		}
	}
	return short
}

func incident(id string, es []entry) downwind.Incident {
	newest := es[0]
	for _, e := range es[1:] {
		if e.update.PostedAt.After(newest.update.PostedAt) {
			newest = e
		}
	}
	inc := downwind.Incident{ID: id, Kind: downwind.KindIncident, Title: newest.title, URL: newest.link, Impact: downwind.ImpactUnknown}
	for i := len(es) - 1; i >= 0; i-- { // feeds list the newest first
		e := es[i]
		if inc.URL == "" {
			inc.URL = e.link
		}
		if e.plan {
			inc.Kind = downwind.KindMaintenance
		} else if e.notice && inc.Kind == downwind.KindIncident {
			inc.Kind = downwind.KindNotice
		}
		inc.Components = append(inc.Components, e.parts...)
		if !e.since.IsZero() && (inc.StartedAt.IsZero() || e.since.Before(inc.StartedAt)) {
			inc.StartedAt = e.since
		}
		if len(e.posts) > 0 {
			if e.impact != "" && e.impact != downwind.ImpactUnknown {
				inc.Impact = e.impact
			}
			inc.Updates = append(inc.Updates, withPhase(e.posts, e.update.Phase)...)
			continue
		}
		if e.update.Body == "" && e.update.PostedAt.IsZero() {
			continue
		}
		u := e.update
		u.ID = updateID(e, len(es) > 1)
		inc.Updates = append(inc.Updates, u)
	}
	if inc.Kind == downwind.KindMaintenance {
		inc.Impact = downwind.ImpactMaintenance
		for i := range inc.Updates {
			if inc.Updates[i].Phase == downwind.Resolved {
				inc.Updates[i].Phase = downwind.Completed
			}
		}
	}
	feeds.Tidy(&inc)
	if u := inc.Latest(); u != nil {
		if inc.Phase = u.Phase; inc.Phase.Over() && newest.ends.After(u.PostedAt) {
			inc.ResolvedAt = newest.ends
		}
		feeds.Tidy(&inc)
	}
	if inc.Kind == downwind.KindMaintenance {
		feeds.StartMaintenance(&inc)
	} else {
		feeds.StartFromUpdates(&inc)
	}
	return inc
}

// withPhase gives the newest of the posts of an entry the phase of the whole, where that is over and no post says so.
func withPhase(posts []downwind.Update, whole downwind.Phase) []downwind.Update {
	newest := 0
	for i, u := range posts {
		if u.Phase.Over() {
			return posts
		}
		if !u.PostedAt.Before(posts[newest].PostedAt) {
			newest = i
		}
	}
	if whole.Over() {
		posts[newest].Phase = whole
	}
	return posts
}

// updateID is the guid where each entry has its own; else the time, which an edit in place keeps.
func updateID(e entry, several bool) string {
	if several && e.guid != "" && e.guid != e.key {
		return e.guid
	}
	if e.update.PostedAt.IsZero() {
		return feeds.ContentID(string(e.update.Phase), e.update.Body)
	}
	return feeds.ContentID(string(e.update.Phase), e.update.PostedAt.Format(time.RFC3339))
}

// normal makes two spellings of one address equal: scheme, host case, trailing slash, tracking parameters. What is no
// address stays as it is.
func normal(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	u.Scheme, u.Host = "https", strings.ToLower(u.Host)
	if u.RawQuery != "" {
		q := u.Query()
		for k := range q {
			if strings.HasPrefix(k, "utm_") || k == "ref" || k == "source" {
				q.Del(k)
			}
		}
		u.RawQuery = q.Encode()
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u.String()
}

// isRoot reports an address without path: it names a page, no incident.
func isRoot(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	return ok && !strings.ContainsAny(strings.TrimRight(rest, "/"), "/?#")
}
