package webtest

import (
	"fmt"
	"strings"
	"time"

	"downwind"
)

// A Clock stands still until it is set.
type Clock struct{ At time.Time }

// Now implements downwind.Clock.
func (c *Clock) Now() time.Time { return c.At }

// After implements downwind.Clock; it never fires.
func (c *Clock) After(time.Duration) <-chan time.Time { return make(chan time.Time) }

// Now is the instant at which the made-up world stands.
var now = time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)

// World is everything the pages need, all of it invented.
type World struct {
	Clock    *Clock
	Store    *Store
	Catalog  Catalog
	Guidance map[string]downwind.Guidance
}

// Team, Secret and Token are those of the world's one team.
const (
	Team   = "checkout"
	Secret = "6f1f0c52a9d44b0e8f7d1a2b3c4d5e6f"
)

var providers = Catalog{
	{Slug: "halyard-dns", Name: "Halyard DNS", Homepage: "halyard.example", StatusURL: "https://status.halyard.example", Platform: "rss"},
	{Slug: "kestrel-db", Name: "Kestrel DB", Homepage: "kestrel.example", StatusURL: "https://status.kestrel.example", Platform: "incidentio", Aliases: []string{"kdb"}},
	{Slug: "lumen-voice", Name: "Lumen Voice", Homepage: "lumenvoice.example", StatusURL: "https://status.lumenvoice.example", Platform: "statuspage"},
	{Slug: "nimbus-cloud", Name: "Nimbus Cloud", Homepage: "nimbus.example", StatusURL: "https://status.nimbus.example", Platform: "statuspage"},
	{Slug: "parcelbase", Name: "Parcelbase", Homepage: "parcelbase.example", StatusURL: "https://parcelbase.example/status", Platform: "atom"},
	{Slug: "quaymail", Name: "Quaymail", Homepage: "quaymail.example", StatusURL: "https://status.quaymail.example", Platform: "statuspage"},
	{Slug: "tallypay", Name: "Tallypay", Homepage: "tallypay.example", StatusURL: "https://status.tallypay.example", Platform: "statuspage"},
}

func ago(d time.Duration) time.Time { return now.Add(-d) }

func clock(day, hm string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-"+day+" "+hm)
	if err != nil {
		panic(err) // the data of this file is wrong
	}
	return t
}

// New builds the world. Each call makes a fresh one.
func New() *World {
	w := &World{Clock: &Clock{At: now}, Catalog: append(Catalog(nil), providers...), Guidance: map[string]downwind.Guidance{}}
	w.Store = &Store{Clock: w.Clock, History: map[string][]downwind.Version{}, PartRows: map[string][]downwind.Part{}, Comps: map[string][]downwind.Component{}, TeamRows: map[string]downwind.Team{}, Kept: map[string]kept{}}
	w.sources()
	w.voiceOutage()
	w.callsEarlier()
	w.mailQueue()
	w.maintenance()
	w.past()
	w.team()
	w.items()
	return w
}

func (w *World) sources() {
	for i, p := range w.Catalog {
		src := downwind.Source{Provider: p.Slug, URL: p.StatusURL, Endpoint: p.StatusURL, Platform: p.Platform, State: downwind.SourceFresh, LastRead: ago(time.Duration(20+7*i) * time.Second), FirstRead: ago(2000 * time.Hour), Wanted: i%2 == 0}
		src.LastTried, src.NextDue = src.LastRead, src.LastRead.Add(time.Minute)
		switch p.Slug {
		case "halyard-dns":
			src.State, src.Failures, src.Error, src.LastRead = downwind.SourceUnreadable, 14, "status.halyard.example answered 503 Service Unavailable", ago(47*time.Minute)
		case "parcelbase":
			src.State, src.Error, src.LastRead = downwind.SourceMoved, "now redirects to https://status.parcelbase.example", ago(26*time.Hour)
		case "tallypay":
			src.State, src.Failures, src.Error, src.LastRead = downwind.SourceStale, 3, "timed out after 10 s", ago(12*time.Minute)
		}
		w.Store.SourceRows = append(w.Store.SourceRows, src)
	}
	w.Store.NoteRows = []downwind.Note{{OperatorNote: downwind.OperatorNote{Key: "source:halyard-dns:unreadable", Text: "The status page of Halyard DNS has not been readable for 47 minutes.", At: ago(32 * time.Minute), Provider: "halyard-dns"}}}
	w.Store.Comps["lumen-voice"] = []downwind.Component{
		{ID: "c1", Name: "Call API", Group: "Europe", Status: downwind.PartialOutage},
		{ID: "c2", Name: "SIP trunks", Group: "Europe", Status: downwind.MajorOutage},
		{ID: "c3", Name: "Call API", Group: "North America", Status: downwind.Operational},
		{ID: "c4", Name: "SIP trunks", Group: "North America", Status: downwind.Operational},
		{ID: "c5", Name: "Recordings", Status: downwind.Degraded},
		{ID: "c6", Name: "Webhooks", Status: downwind.Operational},
		{ID: "c7", Name: "Console", Status: downwind.Operational},
	}
	w.Store.Comps["kestrel-db"] = []downwind.Component{{ID: "k1", Name: "Primary clusters", Status: downwind.Operational}, {ID: "k2", Name: "Backups", Status: downwind.Operational}}
}

// add archives an incident with one version per state; the guidance is what would be read out of it.
func (w *World) add(g downwind.Guidance, states ...downwind.Incident) {
	last := states[len(states)-1]
	key := last.Key()
	for i, state := range states {
		v := downwind.Version{ID: int64(100*len(w.Store.Records) + i + 1), Provider: last.Provider, Incident: last.ID, Number: i + 1, State: state, Leaf: int64(1200 + 40*len(w.Store.Records) + i)}
		v.Hash = strings.Repeat(fmt.Sprintf("%04x", 4099*v.ID), 16)
		v.SeenAt = state.StartedAt.Add(2 * time.Minute)
		if u := state.Latest(); u != nil {
			v.SeenAt = u.PostedAt.Add(40 * time.Second)
		}
		for _, u := range state.Updates {
			if at := u.EditedAt.Add(40 * time.Second); at.After(v.SeenAt) {
				v.SeenAt = at
			}
		}
		if state.Kind == downwind.KindMaintenance {
			v.SeenAt = ago(70 * time.Hour)
		}
		v.LastSeen = v.SeenAt.Add(9 * time.Minute)
		v.Changes = []downwind.Change{{Kind: downwind.ChangeUpdate}}
		switch {
		case i == 0:
			v.Changes[0].Kind = downwind.ChangeNew
		case len(state.Updates) == len(states[i-1].Updates):
			v.Changes[0] = downwind.Change{Kind: downwind.ChangeEdit, Field: "body", Silent: true, Update: state.Updates[1].ID}
		case state.Phase == downwind.Resolved:
			v.Changes[0].Kind = downwind.ChangeResolved
		case state.Phase == downwind.Postmortem:
			v.Changes[0].Kind = downwind.ChangePostmortem
		}
		w.Store.History[key] = append(w.Store.History[key], v)
	}
	versions := w.Store.History[key]
	w.Store.Records = append(w.Store.Records, downwind.IncidentRecord{Incident: last, FirstSeen: versions[0].SeenAt, ChangedAt: versions[len(versions)-1].SeenAt, Versions: len(versions), VersionID: versions[len(versions)-1].ID})
	g.Phase = last.Phase
	w.Guidance[key] = g
}

// grow returns the incident with its first n posts, as it stood then.
func grow(inc downwind.Incident, n int) downwind.Incident {
	inc.Updates = append([]downwind.Update(nil), inc.Updates[:n]...)
	inc.Phase = inc.Updates[n-1].Phase
	if !inc.Phase.Over() {
		inc.ResolvedAt = time.Time{}
	}
	return inc
}

func (w *World) voiceOutage() {
	inc := downwind.Incident{
		Provider: "lumen-voice", ID: "vq7d2", Kind: downwind.KindIncident, Title: "Calls failing to connect in Frankfurt", URL: "https://status.lumenvoice.example/incidents/vq7d2",
		Impact: downwind.ImpactCritical, StartedAt: clock("11-30", "08:21"), Regions: []string{"Europe"},
		Components: []downwind.Component{{Name: "SIP trunks", Group: "Europe", Status: downwind.MajorOutage}, {Name: "Call API", Group: "Europe", Status: downwind.PartialOutage}, {Name: "Recordings", Status: downwind.Degraded}},
		Updates: []downwind.Update{
			{ID: "a1", Phase: downwind.Investigating, PostedAt: clock("11-30", "08:21"), Body: "We are looking into reports of calls not connecting in Frankfurt. Other regions are not affected."},
			{ID: "a2", Phase: downwind.Identified, PostedAt: clock("11-30", "08:44"), Body: "Since 07:58 UTC about a third of new calls in Frankfurt have failed with status 503. A media gateway took a bad route after a scheduled deploy.\n\nWe are draining it now. Retrying a failed call is safe."},
			{ID: "a3", Phase: downwind.Identified, PostedAt: clock("11-30", "09:03"), Body: "The gateway has been drained. Connection rates are recovering; recordings of calls between 07:58 and 08:52 UTC are being reassembled and may arrive late."},
		},
	}
	w.add(downwind.Guidance{
		Windows: []downwind.Window{
			{Start: clock("11-30", "07:58"), Scope: "Frankfurt", Source: downwind.FromProse, Text: "Since 07:58 UTC about a third of new calls in Frankfurt have failed", Update: "a2"},
			{Start: clock("11-30", "07:58"), End: clock("11-30", "08:52"), Scope: "Recordings", Source: downwind.FromProse, Text: "recordings of calls between 07:58 and 08:52 UTC", Update: "a3"},
		},
		Padded: &downwind.Period{Start: clock("11-30", "07:56"), End: now}, Regions: []string{"Frankfurt"}, Categories: []downwind.Category{downwind.CategoryCalls, downwind.CategoryRecordings},
		Actions:   []downwind.Action{{Text: "Retrying a failed call is safe.", Source: "provider"}},
		Advice:    []string{"Send new calls through another region while Frankfurt recovers.", "Retry calls that failed with 503, with growing pauses.", "Tell support that recordings will arrive late."},
		Checklist: []string{"List calls that ended with 503 since 07:56 UTC and place them again.", "Fetch recordings of the period once they are complete."},
		Delayed:   []string{"recordings … are being reassembled and may arrive late"},
	}, grow(inc, 1), grow(inc, 2), grow(inc, 3))
}

func (w *World) callsEarlier() {
	inc := downwind.Incident{
		Provider: "lumen-voice", ID: "k03ne", Kind: downwind.KindIncident, Title: "Elevated API errors in Virginia", URL: "https://status.lumenvoice.example/incidents/k03ne",
		Impact: downwind.ImpactMajor, StartedAt: clock("11-17", "16:52"), ResolvedAt: clock("11-17", "18:10"), Regions: []string{"North America"},
		Components: []downwind.Component{{Name: "Call API", Group: "North America", Status: downwind.PartialOutage}, {Name: "Webhooks", Status: downwind.Degraded}},
		Updates: []downwind.Update{
			{ID: "b1", Phase: downwind.Investigating, PostedAt: clock("11-17", "16:52"), Body: "Some API requests in Virginia are failing. We are investigating."},
			{ID: "b2", Phase: downwind.Monitoring, PostedAt: clock("11-17", "17:34"), Body: "A fix is in place and we are watching error rates."},
			{ID: "b3", Phase: downwind.Resolved, PostedAt: clock("11-17", "18:10"), Body: "This incident is resolved. API requests failed between 16:38 and 17:05 UTC."},
			{ID: "b4", Phase: downwind.Postmortem, PostedAt: clock("11-20", "15:00"), Body: "What happened: a connection pool was sized too small after a failover. Requests in Virginia failed from 16:34 to 17:03 UTC, and again from 17:47 to 17:54 UTC when the fix was rolled out. Webhooks were queued and sent by 18:30 UTC."},
		},
	}
	edited := grow(inc, 3)
	edited.Updates[1].Body = "A fix is in place and we are watching error rates. A second, shorter period of errors began at 17:47 UTC."
	edited.Updates[1].EditedAt = clock("11-17", "18:40")
	inc.Updates[1] = edited.Updates[1]
	final := grow(inc, 4)
	final.ResolvedAt = clock("11-17", "18:10")
	was := grow(inc, 3)
	was.Updates[1].Body, was.Updates[1].EditedAt = "A fix is in place and we are watching error rates.", time.Time{}
	second := grow(was, 2)
	w.add(downwind.Guidance{
		Windows: []downwind.Window{
			{Start: clock("11-17", "16:34"), End: clock("11-17", "17:03"), Scope: "Virginia", Source: downwind.FromProse, Text: "Requests in Virginia failed from 16:34 to 17:03 UTC", Update: "b4"},
			{Start: clock("11-17", "17:47"), End: clock("11-17", "17:54"), Scope: "Virginia", Source: downwind.FromProse, Text: "again from 17:47 to 17:54 UTC", Update: "b4"},
		},
		Replay: &downwind.Period{Start: clock("11-17", "16:34"), End: clock("11-17", "17:54")}, Padded: &downwind.Period{Start: clock("11-17", "16:32"), End: clock("11-17", "17:56")},
		Paste: []downwind.Period{
			{Start: clock("11-17", "16:32"), End: clock("11-17", "17:05")},
			{Start: clock("11-17", "17:45"), End: clock("11-17", "17:56")},
		},
		Regions: []string{"Virginia"}, Categories: []downwind.Category{downwind.CategoryAPIErrors, downwind.CategoryWebhooks},
		Conflicts: []string{"The resolved notice says 16:38 to 17:05 UTC; the postmortem says 16:34 to 17:03 UTC and a second period.", "A post stamped 17:34 UTC speaks of 17:47 UTC: it was changed after it was posted."},
		Advice:    []string{"Replay requests of both periods; they are safe to repeat with the same idempotency key."},
		Checklist: []string{"Repeat failed API requests of both periods.", "Check that webhooks up to 18:30 UTC have arrived.", "Look for calls that were placed twice."},
		Delayed:   []string{"Webhooks were queued and sent by 18:30 UTC"}, DataLoss: "none claimed",
	}, grow(was, 1), second, was, edited, final)
}

func (w *World) mailQueue() {
	inc := downwind.Incident{
		Provider: "quaymail", ID: "m-4471", Kind: downwind.KindIncident, Title: "Delayed delivery to some mailboxes", URL: "https://status.quaymail.example/m-4471",
		Impact: downwind.ImpactMinor, StartedAt: clock("11-30", "06:40"), Components: []downwind.Component{{Name: "Outgoing mail", Status: downwind.Degraded}},
		Updates: []downwind.Update{
			{ID: "q1", Phase: downwind.Investigating, PostedAt: clock("11-30", "06:40"), Body: "Mail to a large mailbox provider is being accepted slowly."},
			{ID: "q2", Phase: downwind.Monitoring, PostedAt: clock("11-30", "08:15"), Body: "The queue is shrinking. No mail has been lost."},
		},
	}
	w.add(downwind.Guidance{Windows: []downwind.Window{{Start: clock("11-30", "06:40"), Source: downwind.FromPage}}, PageGuess: &downwind.Period{Start: clock("11-30", "06:25"), End: now}, Categories: []downwind.Category{downwind.CategoryLatency}, NoneNeeded: true, DataLoss: "none claimed"}, grow(inc, 1), grow(inc, 2))
	db := downwind.Incident{
		Provider: "kestrel-db", ID: "01HZX", Kind: downwind.KindIncident, Title: "Backups started late in two regions", URL: "javascript:alert(1)", Impact: downwind.ImpactMinor,
		StartedAt: ago(20 * time.Hour), ResolvedAt: ago(16 * time.Hour), Components: []downwind.Component{{Name: "Backups", Status: downwind.Degraded}},
		Updates: []downwind.Update{{ID: "d1", Phase: downwind.Resolved, PostedAt: ago(16 * time.Hour), Body: "Nightly backups started four hours late. All have completed; no action is needed."}},
	}
	w.add(downwind.Guidance{NoneNeeded: true, Categories: []downwind.Category{downwind.CategoryData}}, grow(db, 1))
}

func (w *World) maintenance() {
	work := func(provider, id, title string, in, length time.Duration, phase downwind.Phase, body string) {
		inc := downwind.Incident{
			Provider: provider, ID: id, Kind: downwind.KindMaintenance, Title: title, Phase: phase, Impact: downwind.ImpactMaintenance, ScheduledFor: now.Truncate(time.Hour).Add(in), ScheduledUntil: now.Truncate(time.Hour).Add(in + length),
			Updates: []downwind.Update{{ID: id + "u", Phase: phase, PostedAt: ago(71 * time.Hour), Body: body}},
		}
		w.add(downwind.Guidance{Categories: []downwind.Category{downwind.CategoryMaintenance}, Advice: []string{"Pause jobs that need the database for the time of the work."}}, inc)
	}
	work("kestrel-db", "mw-88", "Minor version upgrade of European clusters", 19*time.Hour, 2*time.Hour, downwind.Scheduled, "Clusters restart one after the other; expect up to thirty seconds of refused connections for each.")
	work("tallypay", "mw-12", "Card processor switches data centres", 67*time.Hour, 4*time.Hour, downwind.Scheduled, "Payments stay possible. Refunds are queued for the time of the work.")
	work("nimbus-cloud", "mw-31", "Network maintenance in Oslo", 68*time.Hour, 3*time.Hour, downwind.Scheduled, "Redundant paths are worked on one at a time.")
}

// past fills three months with shorter incidents, so that heatmaps and lists have something to show.
func (w *World) past() {
	titles := []string{"Slow responses from the API", "Console sign-in failing for some users", "Webhooks delayed", "Intermittent timeouts", "Recordings unavailable", "Higher error rates than usual"}
	impacts := []downwind.Impact{downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactMinor, downwind.ImpactCritical, downwind.ImpactNone, downwind.ImpactMinor}
	for i := range 28 {
		p := w.Catalog[(i*3)%len(w.Catalog)].Slug
		if i%3 == 0 {
			p = "lumen-voice"
		}
		start := ago(time.Duration(i*77+60) * time.Hour).Add(time.Duration(i*13%50) * time.Minute)
		late := time.Duration(4+i*7%31) * time.Minute
		inc := downwind.Incident{
			Provider: p, ID: fmt.Sprintf("p%03d", i), Kind: downwind.KindIncident, Title: titles[i%len(titles)], Impact: impacts[i%len(impacts)], StartedAt: start, ResolvedAt: start.Add(time.Duration(25+i*11%140) * time.Minute), Components: []downwind.Component{{Name: "Call API"}},
			Updates: []downwind.Update{
				{ID: "x1", Phase: downwind.Investigating, PostedAt: start, Body: "We are looking into this."},
				{ID: "x2", Phase: downwind.Resolved, PostedAt: start.Add(time.Duration(25+i*11%140) * time.Minute), Body: "This is resolved."},
			},
		}
		w.add(downwind.Guidance{Windows: []downwind.Window{{Start: start.Add(-late), End: start.Add(18 * time.Minute), Source: downwind.FromProse, Text: "as stated in the resolved notice"}}}, grow(inc, 1), inc2(inc))
	}
}

func inc2(inc downwind.Incident) downwind.Incident {
	resolved := inc.ResolvedAt
	inc = grow(inc, 2)
	inc.ResolvedAt = resolved
	return inc
}

func (w *World) team() {
	w.Store.TeamRows[Team] = downwind.Team{ID: Team, Name: "Checkout", Secret: Secret, StackAt: ago(30 * time.Hour), StackBy: "token ci", Stack: downwind.Stack{Providers: []downwind.Use{
		{Provider: "lumen-voice", Name: "Lumen Voice", Confidence: downwind.Sure, Services: []string{"SIP"}, Regions: []string{"eu-central"}, Evidence: []downwind.Evidence{{File: "services/calls/package.json", Line: 18, Kind: "npm", Match: "@lumen-voice/sip", Version: "^4.2.0", Direct: true}, {File: "infra/voice.tf", Line: 7, Kind: "tf_resource", Match: "lumenvoice_trunk", Region: "eu-central", Direct: true}}},
		{Provider: "tallypay", Name: "Tallypay", Confidence: downwind.Sure, Evidence: []downwind.Evidence{{File: "services/shop/go.mod", Line: 12, Kind: "go", Match: "tallypay.example/go", Version: "v2.8.1", Direct: true}}},
		{Provider: "kestrel-db", Name: "Kestrel DB", Confidence: downwind.Likely, Evidence: []downwind.Evidence{{File: ".env.example", Line: 3, Kind: "env", Match: "KESTREL_URL"}}},
	}}}
	w.Store.TeamRows["other"] = downwind.Team{ID: "other", Name: "Other", Secret: strings.Repeat("0", 31) + "1"}
	w.Store.Dests = []downwind.Destination{{ID: "slack:T01:C012", Platform: "slack", Workspace: "T01", Channel: "C012", Name: "#checkout-ops", Team: Team, Quiet: "22:00-07:00"}, {ID: "discord:9:12", Platform: "discord", Workspace: "9", Channel: "12", Name: "#alerts", Team: Team, Paused: "the bot may not write in this channel", PausedAt: ago(3 * time.Hour)}}
	w.Store.Subs = []downwind.Subscription{{ID: 1, Destination: "slack:T01:C012", Team: Team, Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}, CreatedBy: "@ana"}, {ID: 2, Destination: "slack:T01:C012", Team: Team, Target: downwind.TargetProvider, Provider: "quaymail", Filter: downwind.Filter{Min: downwind.ImpactMajor}, CreatedBy: "@ben"}}
	voice, _ := w.Catalog.Provider("lumen-voice")
	id := "slack:T01:C012|lumen-voice/vq7d2"
	rec := w.Store.Records[0]
	w.Store.DeliverRows = []downwind.Delivery{{ID: id, Destination: "slack:T01:C012", Team: Team, Incident: "lumen-voice/vq7d2", State: downwind.DeliveryActive, Desired: 3, Applied: 3, Edited: 3, RootID: "1764490000.000100", UpdatedAt: ago(8 * time.Minute)}}
	for i, kind := range []downwind.ChangeKind{downwind.ChangeNew, downwind.ChangeUpdate, downwind.ChangeUpdate} {
		at := rec.Incident.Updates[i].PostedAt.Add(45 * time.Second)
		w.Store.PartRows[id] = append(w.Store.PartRows[id], downwind.Part{Delivery: id, Version: i + 1, MessageID: fmt.Sprintf("17644900%02d.000100", i), SentAt: at, Alert: downwind.Alert{Kind: kind, Incident: rec.Incident, ProviderName: voice.Name, SeenAt: at}})
	}
	w.Store.DeliverRows = append(w.Store.DeliverRows, downwind.Delivery{
		ID: "discord:9:12|lumen-voice/vq7d2", Destination: "discord:9:12", Team: Team, Incident: "lumen-voice/vq7d2", State: downwind.DeliveryActive, Desired: 3,
		Reason: "Discord asks to wait", NotBefore: now.Add(40 * time.Second), Attempts: 2, UpdatedAt: ago(3 * time.Minute),
	})
	w.Store.JobRows = []downwind.Job{
		{ID: 412, Kind: "delivery_wake", Queue: "delivery", State: "running", Attempt: 1, MaxAttempts: 1, Deliveries: []string{id}, CreatedAt: ago(2 * time.Second), DueAt: ago(2 * time.Second)},
		{ID: 398, Kind: "delivery_wake", Queue: "delivery", State: "discarded", Attempt: 1, MaxAttempts: 1, Deliveries: []string{"discord:9:12|lumen-voice/vq7d2"}, Error: "look at discord:9:12|lumen-voice/vq7d2: discord answered 503", CreatedAt: ago(11 * time.Minute), DueAt: ago(11 * time.Minute)},
	}
	w.Store.HoldRows = []downwind.Hold{
		{ID: 2, Destination: "slack:T01:C012", Team: Team, Incident: "quaymail/m-4471", Kind: downwind.ChangeNew, Reason: downwind.HeldSeverity, Text: "minor is below major", At: clock("11-30", "06:41")},
		{ID: 1, Destination: "slack:T01:C012", Team: Team, Incident: "lumen-voice/k03ne", Kind: downwind.ChangeNew, Reason: downwind.HeldRegion, Text: "the incident names Virginia; infra/voice.tf:7 says eu-central", At: clock("11-17", "16:53")},
	}
}

func (w *World) items() {
	for _, rec := range w.Store.Records {
		if rec.Incident.Kind != downwind.KindIncident {
			continue
		}
		for _, v := range w.Store.History[rec.Incident.Key()] {
			w.Store.Items = append(w.Store.Items, w.item(v))
		}
	}
	items := w.Store.Items
	w.Store.Items = nil
	for i := len(items) - 1; i >= 0; i-- {
		w.Store.Publish(items[i], items[i].PublishedAt)
	}
}

func (w *World) item(v downwind.Version) downwind.FeedItem {
	p, _ := w.Catalog.Provider(v.Provider)
	u := v.State.Latest()
	item := downwind.FeedItem{
		ID: fmt.Sprintf("u/%s/%s/%s/%d", v.Provider, v.Incident, u.ID, v.Number), Provider: v.Provider, Incident: v.Incident, Update: u.ID, Kind: v.Changes[0].Kind, Impact: v.State.Impact, Phase: v.State.Phase,
		Title: fmt.Sprintf("%s: %s, %s (update %d)", p.Name, v.State.Phase, v.State.Title, len(v.State.Updates)), Text: u.Body, PostedAt: u.PostedAt, PublishedAt: v.SeenAt, Version: v.ID, Regions: v.State.Regions,
	}
	for _, c := range v.State.Components {
		item.Components = append(item.Components, c.Name)
	}
	return item
}

// Explain returns the guidance that the world has for an incident.
func (w *World) Explain(rec downwind.IncidentRecord, _ *downwind.Use) downwind.Guidance {
	return w.Guidance[rec.Incident.Key()]
}

// Judge says that a team is hit where its stack uses the provider, unless both name regions and none fits.
func (w *World) Judge(inc *downwind.Incident, team *downwind.Team) downwind.Match {
	m := downwind.Match{Incident: inc.ID, Provider: inc.Provider, Verdict: downwind.NotAffected, Of: len(inc.Components)}
	use := team.Stack.Use(inc.Provider)
	switch {
	case use == nil:
		m.WhyNot, m.Held = "The stack does not use this provider.", downwind.HeldProvider
		return m
	case len(use.Regions) > 0 && len(inc.Regions) > 0 && inc.Regions[0] != "Europe":
		m.WhyNot, m.Held = "The incident is in North America; the files say eu-central.", downwind.HeldRegion
		return m
	}
	m.Affected, m.Verdict, m.Urgency = true, downwind.AffectedSure, downwind.UrgencyRuntime
	if use.Confidence != downwind.Sure {
		m.Verdict = downwind.AffectedLikely
	}
	for i, c := range inc.Components {
		if i < 2 {
			m.Components = append(m.Components, c.Name)
		}
	}
	m.Used = len(m.Components)
	for _, e := range use.Evidence {
		m.Why = append(m.Why, downwind.Reason{File: e.File, Line: e.Line, Match: e.Match, Text: "uses " + e.Match})
	}
	return m
}
