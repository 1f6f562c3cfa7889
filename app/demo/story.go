// Package demo plays an outage that we wrote ourselves, on a status page that it serves itself: no token, no internet.
//
// The provider, its pages and every sentence are invented. What is not invented is the course: a late first post, an
// impact stated only at the end, a postmortem that corrects the window, and a silent edit on the day after.
package demo

import "time"

// Slug is the invented provider; the demo's stacks use its package @nimbusrelay/sdk.
const Slug = "nimbus-relay"

// Start is when the demo's clock begins, UTC.
var Start = time.Date(2026, 3, 10, 14, 0, 0, 0, time.UTC)

// component states in the page's own words.
const (
	operational = "operational"
	degraded    = "degraded_performance"
	partial     = "partial_outage"
)

// A post is one update of the page's incidents.
type post struct {
	id     string
	status string
	at     time.Time
	body   string
	// states are the component states that the post gives.
	states map[string]string
	// edits replace the body later, silently.
	edits []edit
}

type edit struct {
	at   time.Time
	body string
}

// An entry is one incident or maintenance of the page.
type entry struct {
	id, title string
	// impact by time: the first holds from the beginning.
	impact      []grade
	posts       []post
	from, until time.Time // announced period of maintenance
}

type grade struct {
	at    time.Time
	level string
}

type part struct{ id, name, group string }

// components of the page; the name of a group stands before the dash in what updates call affected.
var components = []part{
	{"cmp-eu-msg", "Message API", "EU West"},
	{"cmp-eu-hook", "Webhooks", "EU West"},
	{"cmp-us-msg", "Message API", "US East"},
	{"cmp-us-hook", "Webhooks", "US East"},
	{"cmp-dash", "Dashboard", ""},
}

func clock(day, hour, minute, second int) time.Time {
	return time.Date(2026, 3, day, hour, minute, second, 0, time.UTC)
}

// story is what the page tells, oldest first.
var story = []entry{
	{
		id: "nr2y1dashslow", title: "Dashboard slow to load",
		impact: []grade{{clock(3, 8, 10, 0), "minor"}},
		posts: []post{
			{id: "nrp-0101", status: "investigating", at: clock(3, 8, 10, 4), body: "We are looking into slow page loads in the dashboard. Message delivery is not affected.", states: map[string]string{"cmp-dash": degraded}},
			{id: "nrp-0102", status: "resolved", at: clock(3, 9, 2, 40), body: "Dashboard load times are back to normal. Message delivery was not affected at any time.", states: map[string]string{"cmp-dash": operational}},
		},
	},
	{
		id: "nr7k4euapi503", title: "Elevated message API errors in EU West",
		impact: []grade{{clock(10, 14, 31, 0), "minor"}, {clock(10, 14, 44, 0), "major"}},
		posts: []post{
			{
				id: "nrp-0201", status: "investigating", at: clock(10, 14, 31, 12),
				body:   "We are investigating an elevated rate of 503 responses from the message API in EU West. Retrying a failed request usually succeeds.",
				states: map[string]string{"cmp-eu-msg": degraded},
			},
			{
				id: "nrp-0202", status: "identified", at: clock(10, 14, 44, 5),
				body:   "A configuration change sent part of the EU West traffic to nodes that cannot serve it. Webhook deliveries in EU West are queued and will be sent later. US East is not affected.",
				states: map[string]string{"cmp-eu-msg": partial, "cmp-eu-hook": degraded},
			},
			{
				id: "nrp-0203", status: "monitoring", at: clock(10, 15, 3, 30),
				body:   "The change was rolled back and error rates in EU West are recovering. We are watching the queued webhooks.",
				states: map[string]string{"cmp-eu-msg": degraded},
			},
			{
				id: "nrp-0204", status: "resolved", at: clock(10, 15, 38, 9),
				body:   "This incident is resolved. Between 14:12 and 14:58 UTC about 9% of message API requests in EU West failed with 503. Queued webhooks were delivered in a burst until 15:30 UTC, so duplicates and late events are possible.",
				states: map[string]string{"cmp-eu-msg": operational, "cmp-eu-hook": operational},
			},
			{
				id: "nrp-0205", status: "postmortem", at: clock(11, 10, 5, 0),
				body: "Summary: between 13:51 and 15:04 UTC on 10 March 2026, 9% of message API requests in EU West failed with 503 or timed out. Cause: a routing change was rolled out without its health check. Requests with an idempotency key can be repeated safely. We have added the missing check and a slower rollout.",
				edits: []edit{{
					clock(11, 15, 20, 0),
					"Summary: between 13:51 and 15:04 UTC on 10 March 2026, and again from 16:20 to 16:26 UTC, up to 14% of message API requests in EU West failed with 503 or timed out. Cause: a routing change was rolled out without its health check. Requests with an idempotency key can be repeated safely. We have added the missing check and a slower rollout.",
				}},
			},
		},
	},
	{
		id: "nr9m2uswork", title: "Database maintenance in US East",
		impact: []grade{{clock(11, 9, 0, 0), "maintenance"}},
		from:   clock(14, 6, 0, 0), until: clock(14, 7, 0, 0),
		posts: []post{
			{
				id: "nrp-0301", status: "scheduled", at: clock(11, 9, 0, 20),
				body:   "We will move the US East message store to new hardware. Expect up to two minutes of reconnects within the announced hour.",
				states: map[string]string{"cmp-us-msg": operational},
			},
		},
	},
}

// Moments lists when something new stands on the page, in order, from Start on.
func Moments() []time.Time {
	var out []time.Time
	add := func(t time.Time) {
		if t.After(Start) {
			out = append(out, t)
		}
	}
	for _, e := range story {
		for _, p := range e.posts {
			add(p.at)
			for _, ed := range p.edits {
				add(ed.at)
			}
		}
	}
	sortTimes(out)
	return out
}

// Stacks are the files of the demo's two teams: one lives in EU West, the other in US East.
var Stacks = map[string]map[string]string{
	"Checkout": {
		"package.json": "{\n  \"name\": \"checkout\",\n  \"private\": true,\n  \"dependencies\": {\n    \"@nimbusrelay/sdk\": \"^4.2.0\",\n    \"express\": \"^5.0.0\"\n  }\n}\n",
		".env.example": "NIMBUS_URL=https://eu-west.api.nimbusrelay.example\nNIMBUS_KEY=\nWEBHOOK_PATH=/hooks/nimbus\n",
	},
	"Growth": {
		"requirements.txt": "nimbusrelay==4.1.3\nflask==3.1.0\n",
		"domains.txt":      "us-east.api.nimbusrelay.example\n",
	},
}
