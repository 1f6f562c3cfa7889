package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/match"
	"downwind/plan"
)

var t0 = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return t0.Add(time.Duration(minutes) * time.Minute) }

// team uses the invented provider acme in production, by a host of its own.
func team(change ...func(*downwind.Audience)) downwind.Audience {
	d := downwind.Destination{ID: "slack:T1:C1", Platform: downwind.PlatformSlack, Workspace: "T1", Channel: "C1", Team: "ops"}
	a := downwind.Audience{
		Team: downwind.Team{ID: "ops", Stack: downwind.Stack{Providers: []downwind.Use{{
			Provider: "acme", Name: "Acme", Confidence: downwind.Sure,
			Evidence: []downwind.Evidence{{File: "go.mod", Line: 7, Kind: "go", Match: "acme.example/sdk", Direct: true, Relation: downwind.Hosted}},
		}}}},
		Destinations:  []downwind.Destination{d},
		Subscriptions: []downwind.Subscription{{Destination: d.ID, Team: "ops", Target: downwind.TargetStack}},
	}
	for _, c := range change {
		c(&a)
	}
	return a
}

func withSubscription(s downwind.Subscription) func(*downwind.Audience) {
	return func(a *downwind.Audience) {
		s.Destination, s.Team = a.Destinations[0].ID, a.Team.ID
		a.Subscriptions = []downwind.Subscription{s}
	}
}

// site is a status page that tests change between readings.
type site struct {
	t       *testing.T
	planner *plan.Planner
	memory  *plan.Memory
	doc     downwind.Document
	now     time.Time
}

func newSite(t *testing.T, teams ...downwind.Audience) *site {
	t.Helper()
	judge, err := match.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, planner: plan.New(judge, plan.Options{}), memory: plan.NewMemory(teams...), now: t0}
	s.doc = downwind.Document{Provider: "acme", Platform: "statuspage", Components: []downwind.Component{{ID: "c1", Name: "API", Status: downwind.Operational}}}
	s.incident("old", -20000, downwind.Resolved, "An old one.")
	s.incident("older", -30000, downwind.Resolved, "An older one.")
	if p := s.read(); len(p.Raises) != 0 {
		t.Fatalf("the first reading raises %d", len(p.Raises))
	}
	return s
}

var acme = downwind.Provider{Slug: "acme", Name: "Acme"}

func (s *site) read() downwind.Plan {
	s.t.Helper()
	p, err := s.planner.Plan(s.memory.Input(acme, s.doc, s.now))
	if err != nil {
		s.t.Fatal(err)
	}
	s.memory.Apply(p)
	s.now = s.now.Add(time.Minute)
	return p
}

// incident opens one with a first post; post adds to it.
func (s *site) incident(id string, minutes int, p downwind.Phase, body string) *downwind.Incident {
	inc := downwind.Incident{
		ID: id, Kind: downwind.KindIncident, Title: "API errors " + id, Phase: p, Impact: downwind.ImpactMajor, StartedAt: at(minutes),
		Components: []downwind.Component{{ID: "c1", Name: "API", Status: downwind.PartialOutage}},
		Updates:    []downwind.Update{{ID: id + "-1", Phase: p, Body: body, PostedAt: at(minutes)}},
	}
	s.doc.Incidents = append([]downwind.Incident{inc}, s.doc.Incidents...)
	return &s.doc.Incidents[0]
}

func (s *site) find(id string) *downwind.Incident {
	i := slices.IndexFunc(s.doc.Incidents, func(i downwind.Incident) bool { return i.ID == id })
	return &s.doc.Incidents[i]
}

func (s *site) post(id string, p downwind.Phase, body string) {
	inc := s.find(id)
	inc.Phase = p
	inc.Updates = append(slices.Clone(inc.Updates), downwind.Update{ID: fmt.Sprintf("%s-%d", id, len(inc.Updates)+1), Phase: p, Body: body, PostedAt: s.now.Add(-30 * time.Second)})
	if p == downwind.Resolved {
		inc.ResolvedAt = s.now.Add(-30 * time.Second)
	}
}

func (s *site) remove(id string) {
	s.doc.Incidents = slices.DeleteFunc(s.doc.Incidents, func(i downwind.Incident) bool { return i.ID == id })
}

func one(t *testing.T, p downwind.Plan) downwind.Raise {
	t.Helper()
	if len(p.Raises) != 1 {
		t.Fatalf("%d raises, want 1 (holds %+v)", len(p.Raises), p.Holds)
	}
	return p.Raises[0]
}

func heldFor(t *testing.T, p downwind.Plan, want downwind.HoldReason) downwind.Hold {
	t.Helper()
	for _, h := range p.Holds {
		if h.Reason == want {
			if h.Text == "" {
				t.Errorf("the hold has no words for people: %+v", h)
			}
			return h
		}
	}
	t.Fatalf("held %+v, want %s", p.Holds, want)
	return downwind.Hold{}
}

// C006, C038: plain updates stay in the thread, each change is told once.
func TestLifeOfAnIncident(t *testing.T) {
	s := newSite(t, team())
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	if r := one(t, s.read()); !r.Alert.Broadcast || r.Alert.Before != nil || r.Alert.Kind != downwind.ChangeNew {
		t.Errorf("root: %+v", r.Alert)
	}
	if p := s.read(); len(p.Raises)+len(p.Versions)+len(p.Holds) != 0 {
		t.Errorf("the same reading again brings %+v", p)
	}
	s.post("i", downwind.Identified, "A cause was found.")
	if r := one(t, s.read()); r.Alert.Broadcast || r.Alert.Kind != downwind.ChangeUpdate {
		t.Errorf("a plain update reaches the channel: %+v", r.Alert)
	}
	s.post("i", downwind.Resolved, "Requests failed between 09:40 and 10:02 UTC.")
	if r := one(t, s.read()); !r.Alert.Broadcast || r.Alert.Guidance.Replay == nil {
		t.Errorf("resolved without channel or window: %+v", r.Alert.Guidance)
	}
	s.find("i").Updates[2].Body = "Requests failed between 09:40 and 10:12 UTC."
	if r := one(t, s.read()); !r.Alert.Broadcast || r.Alert.Kind != downwind.ChangeEdit || len(r.Alert.WindowChanges) == 0 || !r.Alert.Changes[0].Silent {
		t.Errorf("an edit that moves the window: %+v", r.Alert)
	}
	s.find("i").Updates[2].Body = "Requests failed between 09:40 and 10:12 UTC. Sorry."
	heldFor(t, s.read(), downwind.HeldInconsequent)
	s.post("i", downwind.Investigating, "It is back.")
	if r := one(t, s.read()); !r.Alert.Broadcast || r.Alert.Kind != downwind.ChangeReopened {
		t.Errorf("re-opened: %+v", r.Alert)
	}
}

func TestWithdrawalNeedsASecondReading(t *testing.T) {
	s := newSite(t, team())
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	one(t, s.read())
	s.remove("i")
	if p := s.read(); len(p.Raises) != 0 || !p.Confirm {
		t.Fatalf("withdrawn at once: %+v", p.Raises)
	}
	if r := one(t, s.read()); r.Alert.Kind != downwind.ChangeWithdrawn || !r.Done {
		t.Errorf("got %+v", r.Alert)
	}
	if p := s.read(); len(p.Raises) != 0 {
		t.Errorf("told twice")
	}
}

func TestLeavingTheWindowIsNoWithdrawal(t *testing.T) {
	s := newSite(t, team())
	s.remove("older")
	s.remove("old")
	for range 3 {
		if p := s.read(); len(p.Raises)+len(p.Versions) != 0 {
			t.Fatalf("history that fell off the end brings %+v", p.Versions)
		}
	}
}

func TestAnOpenOnlySourceTellsTheEndByAbsence(t *testing.T) {
	s := newSite(t, team())
	s.doc.OpenOnly = true
	s.doc.Incidents = nil
	s.read()
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	one(t, s.read())
	s.remove("i")
	s.read()
	if r := one(t, s.read()); r.Alert.Kind != downwind.ChangeResolved {
		t.Errorf("got %s", r.Alert.Kind)
	}
}

func TestNeverToldIsNotToldLater(t *testing.T) {
	s := newSite(t, team(withSubscription(downwind.Subscription{Target: downwind.TargetStack, Filter: downwind.Filter{Min: downwind.ImpactCritical}})))
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	heldFor(t, s.read(), downwind.HeldSeverity)
	s.find("i").Impact = downwind.ImpactCritical
	if r := one(t, s.read()); !r.Alert.NewlyYours && r.Alert.Before != nil {
		t.Errorf("an incident that got worse: %+v", r.Alert)
	}
}

// C067, C139: what does not concern a channel is held with its reason.
func TestWhoHears(t *testing.T) {
	region := downwind.Filter{Regions: []string{"eu-*"}}
	tests := []struct {
		name string
		team downwind.Audience
		want downwind.HoldReason // empty: told
	}{
		{"stack", team(), ""},
		{"by name, whatever the stack", team(withSubscription(downwind.Subscription{Target: downwind.TargetProvider, Provider: "acme"}), noStack), ""},
		{"another provider", team(withSubscription(downwind.Subscription{Target: downwind.TargetProvider, Provider: "other"})), "none"},
		{"stack without the provider", team(noStack), downwind.HeldProvider},
		{"component glob fits", team(withSubscription(downwind.Subscription{Target: downwind.TargetProvider, Provider: "acme", Component: "a*"})), ""},
		{"component glob fits not", team(withSubscription(downwind.Subscription{Target: downwind.TargetProvider, Provider: "acme", Component: "Web*"})), downwind.HeldFilter},
		{"component filter", team(withSubscription(downwind.Subscription{Target: downwind.TargetAll, Filter: downwind.Filter{Components: []string{"Billing"}}})), downwind.HeldFilter},
		{"region unknown passes a region filter", team(withSubscription(downwind.Subscription{Target: downwind.TargetAll, Filter: region})), ""},
		{"kinds", team(withSubscription(downwind.Subscription{Target: downwind.TargetAll, Filter: downwind.Filter{Kinds: []string{"resolved"}}})), downwind.HeldKinds},
		{"muted provider", team(func(a *downwind.Audience) {
			a.Mutes = []downwind.Mute{{Destination: a.Destinations[0].ID, Provider: "acme", Until: at(600)}}
		}), downwind.HeldMuted},
		{"a mute that has ended", team(func(a *downwind.Audience) {
			a.Mutes = []downwind.Mute{{Destination: a.Destinations[0].ID, Provider: "acme", Until: at(-600)}}
		}), ""},
		{"not us", team(func(a *downwind.Audience) {
			a.Team.Rules = []downwind.Rule{{Kind: downwind.RuleNotUs, Provider: "acme"}}
		}), downwind.HeldRule},
		{"quiet hours", team(func(a *downwind.Audience) { a.Destinations[0].Quiet = "09:00-12:00" }), downwind.HeldQuiet},
		{"quiet hours that this impact breaks", team(func(a *downwind.Audience) {
			a.Destinations[0].Quiet, a.Destinations[0].QuietExcept = "09:00-12:00", downwind.ImpactMajor
		}), ""},
		{"quiet hours in another zone", team(func(a *downwind.Audience) {
			a.Destinations[0].Quiet, a.Destinations[0].Timezone = "09:00-12:00", "America/New_York"
		}), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, tt.team)
			s.incident("i", 0, downwind.Investigating, "Requests fail.")
			p := s.read()
			switch tt.want {
			case "":
				one(t, p)
			case "none":
				if len(p.Raises)+len(p.Holds) != 0 {
					t.Errorf("got %+v %+v", p.Raises, p.Holds)
				}
			default:
				heldFor(t, p, tt.want)
				if len(p.Raises) != 0 {
					t.Error("held and told at once")
				}
			}
		})
	}
}

func TestAMuteLetsTheEndThrough(t *testing.T) {
	s := newSite(t, team())
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	one(t, s.read())
	s.memory.Teams[0].Mutes = []downwind.Mute{{Destination: "slack:T1:C1", Incident: "acme/i", Until: at(600)}}
	s.post("i", downwind.Identified, "A cause was found.")
	p := s.read()
	heldFor(t, p, downwind.HeldMuted)
	if r := one(t, p); !r.RootOnly {
		t.Error("a muted update is sent")
	}
	s.post("i", downwind.Resolved, "Requests failed between 09:40 and 10:02 UTC.")
	if r := one(t, s.read()); r.RootOnly || !r.Alert.Broadcast {
		t.Error("the end is muted too")
	}
}

func noStack(a *downwind.Audience) { a.Team.Stack = downwind.Stack{} }

// C045.
func TestFirstSeenAfterItsEnd(t *testing.T) {
	s := newSite(t, team())
	s.now = at(90)
	inc := s.incident("i", 60, downwind.Resolved, "Requests failed from 10:40 to 11:00 UTC.")
	inc.ResolvedAt = at(65)
	if r := one(t, s.read()); !r.Alert.AlreadyOver || r.Alert.Push || !r.Alert.Quiet {
		t.Errorf("an incident that is over when first seen must not alarm: %+v", r.Alert)
	}
}

// C025, C027: a source that suddenly lists its past is no news.
func TestABacklogIsNotTold(t *testing.T) {
	s := newSite(t, team())
	s.now = at(10000)
	for i := range 8 {
		inc := s.incident(fmt.Sprintf("b%d", i), 100+i, downwind.Resolved, "Long over.")
		inc.ResolvedAt = at(120 + i)
	}
	p := s.read()
	if len(p.Raises) != 0 || len(p.Versions) != 8 || len(p.Notes) != 1 {
		t.Errorf("%d raises, %d versions, notes %+v", len(p.Raises), len(p.Versions), p.Notes)
	}
}

// C026.
func TestAnOldEntryThatReappearsIsNotTold(t *testing.T) {
	s := newSite(t, team())
	inc := s.incident("earlier", -9000, downwind.Resolved, "Before our time.")
	inc.ResolvedAt = at(-8990)
	if p := s.read(); len(p.Raises) != 0 || len(p.Versions) != 1 {
		t.Errorf("%d raises, %d versions", len(p.Raises), len(p.Versions))
	}
}

func TestTheSameEntryUnderANewID(t *testing.T) {
	s := newSite(t, team())
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	one(t, s.read())
	inc := s.find("i")
	inc.ID, inc.Updates[0].ID = "moved", "moved-1"
	if p := s.read(); len(p.Raises)+len(p.Versions) != 0 {
		t.Errorf("a re-keyed page brings %+v", p.Versions)
	}
}

func TestAnOldCopyFromACacheIsNothing(t *testing.T) {
	s := newSite(t, team())
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	one(t, s.read())
	before := slices.Clone(s.doc.Incidents)
	s.post("i", downwind.Identified, "A cause was found.")
	one(t, s.read())
	after := s.doc.Incidents
	for range 3 {
		s.doc.Incidents = before
		if p := s.read(); len(p.Raises)+len(p.Versions) != 0 {
			t.Fatalf("the old copy brings %+v", p.Versions)
		}
		s.doc.Incidents = after
		if p := s.read(); len(p.Raises)+len(p.Versions) != 0 {
			t.Fatalf("the newer copy again brings %+v", p.Versions)
		}
	}
}

// C041, C042: mild machine-made signals wait for a second reading.
func TestAMachinesFlickerWaits(t *testing.T) {
	s := newSite(t, team())
	s.doc.Platform = "uptimekuma"
	inc := s.incident("i", 0, downwind.Investigating, "")
	inc.Impact, inc.Components[0].Status = downwind.ImpactMinor, downwind.Degraded
	p := s.read()
	heldFor(t, p, downwind.HeldFlicker)
	if !p.Confirm {
		t.Error("nothing asks for the second reading")
	}
	one(t, s.read())
	inc = s.incident("j", 1, downwind.Investigating, "")
	inc.Impact = downwind.ImpactMajor
	one(t, s.read())
}

// C043.
func TestFlapping(t *testing.T) {
	s := newSite(t, team())
	told := 0
	for i := range 5 {
		id := fmt.Sprintf("f%d", i)
		inc := s.incident(id, i*20, downwind.Investigating, "Checks fail.")
		inc.Title, inc.Impact = "API check", downwind.ImpactMinor
		s.now = at(i * 20)
		told += len(s.read().Raises)
		s.post(id, downwind.Resolved, "Checks pass.")
		s.read()
	}
	if told != 2 {
		t.Errorf("%d of five equal incidents within two hours were told, want 2", told)
	}
}

// C083: many providers at once are one message, and each keeps its own delivery.
func TestMassEvent(t *testing.T) {
	a := team()
	d := a.Destinations[0].ID
	for i := range 5 {
		a.Recent = append(a.Recent, downwind.RecentRoot{Delivery: fmt.Sprintf("%s|p%d/x", d, i), Destination: d, Provider: fmt.Sprintf("p%d", i), At: at(-3)})
	}
	s := newSite(t, a)
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	p := s.read()
	if len(p.Raises) != 2 || p.Raises[0].Parent == "" || p.Raises[0].Parent != p.Raises[1].Delivery {
		t.Fatalf("raises: %+v", p.Raises)
	}
	what := p.Raises[1].Alert.Announcement
	if what == nil || !strings.HasPrefix(what.Title, "6 of your providers") || !slices.Contains(what.Lines, "Acme") {
		t.Errorf("the collecting root says %+v", what)
	}
}

func TestCatchup(t *testing.T) {
	s := newSite(t)
	s.incident("i", 0, downwind.Investigating, "Requests fail.")
	s.read()
	s.memory.Teams = []downwind.Audience{team()}
	p := s.planner.Catchup(s.memory.Input(acme, s.doc, s.now), "slack:T1:C1")
	r := one(t, p)
	if !r.Alert.InProgress || r.Alert.Push {
		t.Errorf("got %+v", r.Alert)
	}
	s.memory.Apply(downwind.Plan{Provider: "acme", At: s.now, Raises: p.Raises})
	if again := s.planner.Catchup(s.memory.Input(acme, s.doc, s.now), "slack:T1:C1"); len(again.Raises) != 0 {
		t.Error("told twice")
	}
}

func TestFeedItems(t *testing.T) {
	s := newSite(t)
	s.incident("i", 0, downwind.Investigating, "Requests fail <b>badly</b>.")
	p := s.read()
	if len(p.Items) != 1 || p.Items[0].Title != "🟠 Acme: investigating, API errors i" || !strings.HasPrefix(p.Items[0].Text, "Requests fail") {
		t.Fatalf("items: %+v", p.Items)
	}
	s.post("i", downwind.Resolved, "Requests failed between 09:40 and 10:02 UTC.")
	p = s.read()
	if len(p.Items) != 1 || !strings.HasPrefix(p.Items[0].Text, "Window by the provider's words: 2026-03-04T09:40Z / 2026-03-04T10:02Z") {
		t.Fatalf("resolved item: %+v", p.Items)
	}
}

func TestDigestTimes(t *testing.T) {
	d := downwind.Destination{Digest: "weekly", DigestAt: "08:00", Timezone: "Europe/Berlin"}
	due, ok := plan.Due(&d, time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)) // a Wednesday
	if want := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC); !ok || !due.Equal(want) {
		t.Errorf("weekly digest due %s, want %s", due, want)
	}
	d = downwind.Destination{Quiet: "22:00-07:00", Timezone: "Europe/Berlin"}
	end, ok := plan.QuietEnd(&d, time.Date(2026, 3, 4, 6, 30, 0, 0, time.UTC))
	if want := time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC); !ok || !end.Equal(want) {
		t.Errorf("quiet hours ended %s, want %s", end, want)
	}
	if !plan.Quiet(&d, time.Date(2026, 3, 4, 22, 0, 0, 0, time.UTC)) || plan.Quiet(&d, time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)) {
		t.Error("Quiet over midnight")
	}
}
