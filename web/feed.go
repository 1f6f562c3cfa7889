package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// How much a feed keeps: all of the newest week and at least a hundred items, as long as the body stays small.
const (
	feedItems    = 100
	feedWeek     = 7 * 24 * time.Hour
	feedCeiling  = 245 << 10
	feedFetch    = 1000
	feedTextSize = 1500
)

// A feedQuery is a feed's address in canonical form: what it lists and how it is written.
type feedQuery struct {
	providers         []string
	format            string
	byIncident        bool
	component, region string
	min               downwind.Impact
	kinds             []string
}

// feedKinds are the words of kinds= with the changes each stands for.
var feedKinds = sync.OnceValue(func() map[string][]downwind.ChangeKind {
	return map[string][]downwind.ChangeKind{
		"new":         {downwind.ChangeNew, downwind.ChangeReopened},
		"update":      {downwind.ChangeUpdate, downwind.ChangeComponents, downwind.ChangeSeverity},
		"resolved":    {downwind.ChangeResolved, downwind.ChangeWithdrawn},
		"postmortem":  {downwind.ChangePostmortem},
		"edit":        {downwind.ChangeEdit},
		"maintenance": {downwind.ChangeMaintenance},
	}
})

// allKinds asks for every item, edits as well.
var allKinds = []downwind.ChangeKind{
	downwind.ChangeNew, downwind.ChangeUpdate, downwind.ChangeEdit, downwind.ChangeReopened, downwind.ChangeResolved, downwind.ChangePostmortem,
	downwind.ChangeComponents, downwind.ChangeSeverity, downwind.ChangeWithdrawn, downwind.ChangeMaintenance,
}

func (s *Server) readFeedQuery(r *http.Request) (feedQuery, error) {
	q := r.URL.Query()
	var f feedQuery
	switch f.format = q.Get("format"); f.format {
	case "":
		f.format = "rss"
	case "rss", "atom", "json":
	default:
		return f, refuse(http.StatusBadRequest, "The format is rss, atom or json.")
	}
	switch by := q.Get("by"); by {
	case "", "update":
	case "incident":
		if f.format == "rss" {
			return f, refuse(http.StatusBadRequest, "by=incident needs format=atom or format=json: RSS has no way to say that an entry has changed.")
		}
		f.byIncident = true
	default:
		return f, refuse(http.StatusBadRequest, "by is update or incident.")
	}
	for _, name := range words(q["provider"]) {
		p, err := s.knownProvider(name)
		if err != nil {
			return f, err
		}
		f.providers = append(f.providers, p.Slug)
	}
	f.providers = sortedSet(f.providers)
	if len(f.providers) > 200 {
		return f, refuse(http.StatusBadRequest, "At most 200 providers in one feed.")
	}
	f.component, f.region = clip(oneLine(q.Get("component")), 120), clip(oneLine(q.Get("region")), 120)
	switch f.min = downwind.Impact(q.Get("min")); f.min {
	case "", downwind.ImpactNone, downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical:
	default:
		return f, refuse(http.StatusBadRequest, "min is minor, major or critical.")
	}
	for _, word := range words(q["kinds"]) {
		if _, ok := feedKinds()[word]; !ok {
			return f, refuse(http.StatusBadRequest, "kinds are new, update, resolved, postmortem, edit and maintenance.")
		}
		f.kinds = append(f.kinds, word)
	}
	f.kinds = sortedSet(f.kinds)
	return f, nil
}

// words splits values at commas and drops what is empty.
func words(values []string) []string {
	var out []string
	for _, v := range values {
		for _, word := range strings.Split(v, ",") {
			if word = strings.TrimSpace(word); word != "" {
				out = append(out, word)
			}
		}
	}
	return out
}

func sortedSet(in []string) []string {
	sort.Strings(in)
	return slices.Compact(in)
}

// canonical is the query with its keys sorted and the defaults left out.
func (f feedQuery) canonical() string {
	q := url.Values{}
	set := func(key, value string) {
		if value != "" {
			q.Set(key, value)
		}
	}
	set("provider", strings.Join(f.providers, ","))
	set("component", f.component)
	set("region", f.region)
	set("min", string(f.min))
	set("kinds", strings.Join(f.kinds, ","))
	if f.format != "rss" {
		set("format", f.format)
	}
	if f.byIncident {
		set("by", "incident")
	}
	return strings.ReplaceAll(q.Encode(), "%2C", ",")
}

func (f feedQuery) filter() downwind.FeedFilter {
	out := downwind.FeedFilter{Providers: f.providers, Min: f.min, Component: f.component, Region: f.region, Limit: feedFetch}
	for _, word := range f.kinds {
		out.Kinds = append(out.Kinds, feedKinds()[word]...)
	}
	return out
}

// A channel is a feed before it is written.
type channel struct {
	title, about string
	// self is the feed's own address, home that of the page it belongs to; id is its tag URI.
	self, home, id string
	hub            string
	items          []feedEntry
	updated        time.Time
}

// A feedEntry is one item as readers see it.
type feedEntry struct {
	id, link, title, text string
	// published is ours and strictly falling in the channel, updated the same but in feeds by incident.
	published, updated time.Time
	item               downwind.FeedItem
}

// emptyDate dates a feed without items, so that it is byte-stable too.
var emptyDate = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (s *Server) showFeed(w http.ResponseWriter, r *http.Request) error {
	f, err := s.readFeedQuery(r)
	if err != nil {
		return err
	}
	base := s.baseFor(r)
	self := base + "/feed"
	if c := f.canonical(); c != "" {
		self += "?" + c
	}
	ch := channel{
		title: s.feedTitle(f), about: "What status pages say, one item per update, as read by Downwind.", self: self, home: base + "/",
		id: "tag:" + s.tagHost(r) + ",2026:feed:" + f.canonical(), hub: s.opt.Hub,
	}
	if len(f.providers) == 1 {
		ch.home = base + "/providers/" + f.providers[0]
	}
	return s.serveFeed(w, r, f, ch, self, nil)
}

func (s *Server) feedTitle(f feedQuery) string {
	title := "Status of all providers"
	switch n := len(f.providers); {
	case n == 1:
		title = s.providerName(f.providers[0]) + " status"
	case n > 1:
		title = fmt.Sprintf("Status of %d providers", n)
	}
	if f.component != "" {
		title += ", " + f.component
	}
	if f.region != "" {
		title += ", " + f.region
	}
	return title
}

// showTeamFeed lists what the team's stack and subscriptions are about. It holds no evidence.
func (s *Server) showTeamFeed(w http.ResponseWriter, r *http.Request) error {
	team, err := s.teamBySecret(r)
	if err != nil {
		return err
	}
	f, err := s.readFeedQuery(r)
	if err != nil {
		return err
	}
	if len(f.providers) > 0 {
		return refuse(http.StatusBadRequest, "A team's feed follows its stack; provider= belongs to /feed.")
	}
	stacked, subscribed, err := s.teamTargets(r.Context(), team)
	if err != nil {
		return err
	}
	base := s.baseFor(r)
	self := base + "/teams/" + team.Secret + "/feed"
	if c := f.canonical(); c != "" {
		self += "?" + c
	}
	ch := channel{
		title: teamName(team) + ": what hits us", about: "What status pages say of the providers this team depends on, one item per update, as read by Downwind.",
		self: self, home: base + "/teams/" + team.Secret, hub: s.opt.Hub,
		id: "tag:" + s.tagHost(r) + ",2026:team:" + hashOf(team.Secret)[:24] + ":" + f.canonical(),
	}
	f.providers = sortedSet(append(stacked, subscribed...))
	if slices.Contains(subscribed, "") {
		f.providers = nil
	} else if len(f.providers) == 0 {
		return s.writeFeed(w, r, f.format, ch)
	}
	key := self + " " + team.StackAt.Format(time.RFC3339Nano) + " " + strings.Join(f.providers, ",")
	return s.serveFeed(w, r, f, ch, key, s.teamSieve(team, subscribed))
}

// teamTargets are the providers of the stack and those that were subscribed to by name; "" stands for all.
func (s *Server) teamTargets(ctx context.Context, team downwind.Team) (stacked, subscribed []string, err error) {
	stacked = teamProviders(team)
	destinations, err := s.opt.Reader.Destinations(ctx, team.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range destinations {
		subs, err := s.opt.Reader.Subscriptions(ctx, d.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, sub := range subs {
			switch sub.Target {
			case downwind.TargetProvider:
				subscribed = append(subscribed, sub.Provider)
			case downwind.TargetAll:
				subscribed = append(subscribed, "")
			}
		}
	}
	return stacked, subscribed, nil
}

// teamSieve keeps an item when somebody subscribed to its provider by name, or when the archived state it tells of hits
// the stack. It depends on nothing that changes later, so that an item neither appears late nor vanishes.
func (s *Server) teamSieve(team downwind.Team, subscribed []string) func(context.Context, downwind.FeedItem) (bool, error) {
	return func(ctx context.Context, item downwind.FeedItem) (bool, error) {
		if slices.Contains(subscribed, item.Provider) || slices.Contains(subscribed, "") {
			return true, nil
		}
		version, err := s.opt.Reader.Version(ctx, item.Version)
		if isMissing(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		state := version.State
		state.Provider = item.Provider
		return s.opt.Judge(&state, &team).Affected, nil
	}
}

// serveFeed answers from the cache as long as nothing new was published.
func (s *Server) serveFeed(w http.ResponseWriter, r *http.Request, f feedQuery, ch channel, key string, sieve func(context.Context, downwind.FeedItem) (bool, error)) error {
	if f.byIncident {
		if err := s.fillByIncident(r, f, &ch, sieve != nil); err != nil {
			return err
		}
		return s.writeFeed(w, r, f.format, ch)
	}
	newest, err := s.newestItem(r.Context())
	if err != nil {
		return err
	}
	if hit, ok := s.feeds.get(key, newest); ok {
		return hit.serve(w, r)
	}
	items, err := s.opt.Reader.FeedItems(r.Context(), f.filter())
	if err != nil {
		return err
	}
	if sieve != nil {
		if items, err = sift(r.Context(), items, sieve); err != nil {
			return err
		}
	}
	s.fillByUpdate(r, &ch, items)
	doc, err := encodeFeed(f.format, ch)
	if err != nil {
		return err
	}
	s.feeds.put(key, newest, doc)
	return doc.serve(w, r)
}

func sift(ctx context.Context, items []downwind.FeedItem, sieve func(context.Context, downwind.FeedItem) (bool, error)) ([]downwind.FeedItem, error) {
	var out []downwind.FeedItem
	for _, item := range items {
		keep, err := sieve(ctx, item)
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, item)
		}
		if n := len(out); n > feedItems && out[0].PublishedAt.Sub(item.PublishedAt) > feedWeek {
			break
		}
	}
	return out, nil
}

// newestItem names the newest item of all feeds; a feed built before it may have missed it. The answer is kept for a
// moment, and until this process publishes something: readers ask far more often than anything happens.
func (s *Server) newestItem(ctx context.Context) (string, error) {
	if name, ok := s.newest.get(s.now()); ok {
		return name, nil
	}
	asked := s.newest.begin()
	items, err := s.opt.Reader.FeedItems(ctx, downwind.FeedFilter{Kinds: allKinds, Limit: 1})
	if err != nil {
		return "", err
	}
	name := ""
	if len(items) > 0 {
		name = fmt.Sprintf("%d %s", items[0].Seq, items[0].ID)
	}
	s.newest.put(asked, name, s.now())
	return name, nil
}

// fillByUpdate makes the items readable, newest first, with strictly falling dates.
func (s *Server) fillByUpdate(r *http.Request, ch *channel, items []downwind.FeedItem) {
	items = trimItems(items)
	base, host := s.baseFor(r), s.tagHost(r)
	dates := fallingDates(items)
	size := 2048
	for i, item := range items {
		inc := downwind.Incident{Provider: item.Provider, ID: item.Incident}
		e := feedEntry{
			id: "tag:" + host + ",2026:" + tagPath(item.ID), link: base + incidentPath(&inc) + "?item=" + fmt.Sprint(item.Seq) + "#" + postAnchor(item.Update),
			title: clip(oneLine(item.Title), 300), text: clean(item.Text), published: dates[i], updated: dates[i], item: item,
		}
		size += entrySize(e)
		if size > feedCeiling {
			break
		}
		ch.items = append(ch.items, e)
	}
	ch.updated = emptyDate
	if len(ch.items) > 0 {
		ch.updated = ch.items[0].published
	}
}

// postAnchor names a post within its page by the update's id, which can hold anything.
func postAnchor(update string) string { return "p" + hashOf(update)[:8] }

// tagPath escapes what may not stand in a tag URI; ids of providers can hold anything.
func tagPath(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(clean(parts[i]))
	}
	return strings.Join(parts, "/")
}

// entrySize bounds what an entry takes in the widest format.
func entrySize(e feedEntry) int {
	return len(feedHTML(e.text, e.link))*2 + len(e.title)*3 + len(e.id) + 3*len(e.link) + 700
}

// trimItems keeps a week before the newest item and at least a hundred. The cut depends on the items alone, so that a
// feed without news stays byte-identical.
func trimItems(items []downwind.FeedItem) []downwind.FeedItem {
	for i, item := range items {
		if i >= feedItems && items[0].PublishedAt.Sub(item.PublishedAt) > feedWeek {
			return items[:i]
		}
	}
	return items
}

// fallingDates are the dates to show: whole seconds, each later than that of the item before it in time. The store
// gives such dates already; this keeps the promise for items that it did not date itself.
func fallingDates(items []downwind.FeedItem) []time.Time {
	dates := make([]time.Time, len(items))
	var last time.Time
	for i := len(items) - 1; i >= 0; i-- {
		at := items[i].PublishedAt.UTC().Truncate(time.Second)
		if !at.After(last) {
			at = last.Add(time.Second)
		}
		dates[i], last = at, at
	}
	return dates
}

// fillByIncident makes one entry per incident, whose text follows it.
func (s *Server) fillByIncident(r *http.Request, f feedQuery, ch *channel, judged bool) error {
	recs, err := s.opt.Reader.Incidents(r.Context(), downwind.IncidentFilter{Providers: f.providers, Limit: feedItems})
	if err != nil {
		return err
	}
	var team downwind.Team
	if judged {
		if team, err = s.teamBySecret(r); err != nil {
			return err
		}
	}
	base, host := s.baseFor(r), s.tagHost(r)
	size := 2048
	for _, rec := range recs {
		inc := &rec.Incident
		if !rec.Withdrawn.IsZero() || !f.fits(inc) || (judged && !s.opt.Judge(inc, &team).Affected) {
			continue
		}
		item := downwind.FeedItem{Provider: inc.Provider, Incident: inc.ID, Kind: downwind.ChangeUpdate, Impact: inc.Impact, Phase: inc.Phase, Regions: inc.Regions, PostedAt: began(rec)}
		for _, c := range inc.Components {
			item.Components = append(item.Components, c.Name)
		}
		e := feedEntry{
			id:   "tag:" + host + ",2026:i/" + url.PathEscape(inc.Provider) + "/" + url.PathEscape(inc.ID),
			link: base + incidentPath(inc), title: clip(s.providerName(inc.Provider)+": "+phaseWord(inc.Phase)+", "+oneLine(inc.Title), 300),
			published: rec.FirstSeen.Truncate(time.Second), updated: rec.ChangedAt.Truncate(time.Second), item: item,
		}
		for i := len(inc.Updates) - 1; i >= 0; i-- {
			u := inc.Updates[i]
			e.text += phaseWord(u.Phase) + ", " + shortTime(u.PostedAt) + ": " + clean(u.Body) + "\n"
		}
		if size += entrySize(e); size > feedCeiling {
			break
		}
		ch.items = append(ch.items, e)
	}
	sort.SliceStable(ch.items, func(i, j int) bool { return ch.items[i].updated.After(ch.items[j].updated) })
	ch.updated = emptyDate
	if len(ch.items) > 0 {
		ch.updated = ch.items[0].updated
	}
	return nil
}

// fits applies the filters of an address to an incident.
func (f feedQuery) fits(inc *downwind.Incident) bool {
	if f.min != "" && inc.Impact.Rank() < f.min.Rank() {
		return false
	}
	return (f.component == "" || downwind.FitsAny([]string{f.component}, inc.ComponentNames())) &&
		(f.region == "" || downwind.FitsAny([]string{f.region}, inc.Regions))
}

// tagHost is the host of our tag URIs, without a port.
func (s *Server) tagHost(r *http.Request) string {
	u, err := url.Parse(s.baseFor(r))
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	return u.Hostname()
}

func (s *Server) writeFeed(w http.ResponseWriter, r *http.Request, format string, ch channel) error {
	if ch.updated.IsZero() {
		ch.updated = emptyDate
	}
	doc, err := encodeFeed(format, ch)
	if err != nil {
		return err
	}
	return doc.serve(w, r)
}
