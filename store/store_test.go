package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"downwind"
	"downwind/store"
	"downwind/store/storetest"
)

// start is the instant at which the tests' clocks begin.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// clock is a settable clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) After(time.Duration) <-chan time.Time { return make(chan time.Time) }

// each runs a test on both databases with a settable clock.
func each(t *testing.T, test func(t *testing.T, db *store.DB, c *clock)) {
	c := newClock()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, db, c) }, func(o *store.Options) {
		*c = clock{now: start}
		o.Clock = c
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func incident(id string, phase downwind.Phase) downwind.Incident {
	return downwind.Incident{
		Provider: "lumen", ID: id, Kind: downwind.KindIncident, Title: "Calls fail in the west", URL: "https://status.lumen.example/" + id,
		Phase: phase, Impact: downwind.ImpactMajor, StartedAt: start.Add(-10 * time.Minute),
		Components: []downwind.Component{{ID: "c1", Name: "Calls", Status: downwind.PartialOutage}}, Regions: []string{"us-west"},
		Updates: []downwind.Update{{ID: "u1", Phase: phase, Body: "We look into failing calls.", PostedAt: start.Add(-9 * time.Minute)}},
	}
}

func version(in downwind.Incident, at time.Time) downwind.Version {
	return downwind.Version{
		Provider: in.Provider, Incident: in.ID, State: in, Hash: fmt.Sprintf("hash-%s-%s-%d", in.ID, in.Phase, len(in.Updates)), SeenAt: at,
		Changes: []downwind.Change{{Kind: downwind.ChangeNew, Incident: in.ID}}, Fetch: downwind.Fetch{URL: in.URL, Status: 200, Body: "b0d7", At: at},
	}
}

// channel adds a team with one channel that is subscribed to lumen.
func channel(t testing.TB, db *store.DB, name string) downwind.Destination {
	t.Helper()
	_, d, err := db.TeamForChannel(context.Background(), downwind.Destination{Platform: "slack", Workspace: "T1", Channel: name, Name: "#" + name})
	must(t, err)
	return d
}

func raiseFor(d downwind.Destination, in downwind.Incident, kind downwind.ChangeKind) downwind.Raise {
	return downwind.Raise{
		Delivery: d.ID + "|" + in.Key(), Destination: d.ID, Team: d.Team, Incident: in.Key(),
		Alert: downwind.Alert{Kind: kind, Changes: []downwind.Change{{Kind: kind, Incident: in.ID}}, Incident: in, ProviderName: "Lumen", SeenAt: start},
	}
}

func TestSources(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "a", URL: "https://a"}, {Provider: "b", URL: "https://b", Wanted: true, Interval: time.Minute}}))
		got, err := db.ClaimDue(ctx, c.Now(), "one", time.Minute, 1)
		must(t, err)
		want(t, "first claim", len(got), 1)
		rest, err := db.ClaimDue(ctx, c.Now(), "two", time.Minute, 10)
		must(t, err)
		want(t, "second claim", len(rest), 1)
		none, err := db.ClaimDue(ctx, c.Now(), "three", time.Minute, 10)
		must(t, err)
		want(t, "nothing is left", len(none), 0)

		s := got[0]
		s.ETag, s.State, s.LastRead, s.FirstRead, s.Platform, s.Polls = `"x"`, downwind.SourceFresh, c.Now(), c.Now(), "statuspage", 1
		s.NextDue = c.Now().Add(time.Hour)
		must(t, db.SaveSource(ctx, s))
		again, err := db.Source(ctx, "a")
		must(t, err)
		want(t, "saved source", again, s)

		c.advance(2 * time.Minute)
		freed, err := db.ClaimDue(ctx, c.Now(), "three", time.Minute, 10)
		must(t, err)
		want(t, "the other lease ended", []string{freed[0].Provider}, []string{"b"})

		must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "a", URL: "https://a", Wanted: true}}))
		list, err := db.Sources(ctx)
		must(t, err)
		want(t, "listed sources", len(list), 1)
		want(t, "memory is kept", list[0].ETag, `"x"`)
		must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "a", URL: "https://moved"}}))
		moved, err := db.Source(ctx, "a")
		must(t, err)
		want(t, "another address starts afresh", []string{moved.ETag, moved.URL, moved.Platform}, []string{"", "https://moved", ""})
		want(t, "its history is kept", moved.FirstRead, start)
		must(t, db.SetWanted(ctx, map[string]bool{"a": true}))
		moved, err = db.Source(ctx, "a")
		must(t, err)
		want(t, "wanted", moved.Wanted, true)
		_, err = db.Source(ctx, "nobody")
		want(t, "unknown source", errors.Is(err, downwind.ErrNotFound), true)
	})
}

func TestApply(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
		d := channel(t, db, "C1")
		in := incident("x1", downwind.Investigating)
		plan := downwind.Plan{
			Provider: "lumen", At: c.Now(), Versions: []downwind.Version{version(in, c.Now())}, Hot: true,
			Bodies: map[string][]byte{"b0d7": []byte("raw body")}, Components: []downwind.Component{{ID: "c1", Name: "Calls", Status: downwind.PartialOutage}},
			Known:  map[string]downwind.Archived{"x1": {State: in, FirstSeen: c.Now(), Windows: []downwind.Window{{Start: start, Source: downwind.FromProse, Text: "since 09:00"}}}},
			Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)},
			Holds:  []downwind.Hold{{Destination: "slack:T1:C9", Team: "other", Incident: in.Key(), Kind: downwind.ChangeNew, Reason: downwind.HeldRegion, Text: "eu only"}},
			Items: []downwind.FeedItem{
				{ID: "u/lumen/x1/u1/1", Provider: "lumen", Incident: "x1", Update: "u1", Kind: downwind.ChangeNew, Impact: downwind.ImpactMajor, Title: "t", Text: "t", Components: []string{"Calls / West"}},
				{ID: "u/lumen/x1/u2/1", Provider: "lumen", Incident: "x1", Update: "u2", Kind: downwind.ChangeUpdate, Impact: downwind.ImpactMinor, Title: "t", Text: "t"},
			},
			Notes: []downwind.OperatorNote{{Key: "source:lumen:unreadable", Text: "cannot be read"}},
		}
		must(t, db.Apply(ctx, plan))
		must(t, db.Apply(ctx, plan)) // again: nothing may change

		versions, err := db.Versions(ctx, "lumen", "x1")
		must(t, err)
		want(t, "versions", len(versions), 1)
		want(t, "archived state", versions[0].State, in)
		want(t, "no log, no leaf", versions[0].Leaf, int64(-1))
		body, err := db.Body(ctx, "b0d7")
		must(t, err)
		want(t, "body", string(body), "raw body")

		delivery, err := db.Delivery(ctx, d.ID+"|lumen/x1")
		must(t, err)
		want(t, "desired", delivery.Desired, 1)
		want(t, "state", delivery.State, downwind.DeliveryActive)
		parts, err := db.Parts(ctx, delivery.ID)
		must(t, err)
		want(t, "parts", len(parts), 1)
		wantAlert := plan.Raises[0].Alert
		wantAlert.Version = versions[0].ID
		want(t, "alert", parts[0].Alert, wantAlert)

		items, err := db.FeedItems(ctx, downwind.FeedFilter{Providers: []string{"lumen"}})
		must(t, err)
		want(t, "items", len(items), 2)
		want(t, "published at least a second apart", items[0].PublishedAt.Sub(items[1].PublishedAt), time.Second)
		want(t, "item's version", items[0].Version, versions[0].ID)
		only, err := db.FeedItems(ctx, downwind.FeedFilter{Component: "calls*"})
		must(t, err)
		want(t, "component glob", len(only), 1)
		grave, err := db.FeedItems(ctx, downwind.FeedFilter{Min: downwind.ImpactMajor})
		must(t, err)
		want(t, "least impact", len(grave), 1)

		holds, err := db.Holds(ctx, downwind.HoldFilter{Team: "other"})
		must(t, err)
		want(t, "holds", len(holds), 1)
		notes, err := db.Notes(ctx)
		must(t, err)
		want(t, "notes", len(notes), 1)

		// A second state, then the stale plan of a slower process.
		c.advance(time.Minute)
		next := in
		next.Phase = downwind.Monitoring
		next.Updates = append(next.Updates, downwind.Update{ID: "u2", Phase: downwind.Monitoring, Body: "A fix is out.", PostedAt: c.Now()})
		second := downwind.Plan{Provider: "lumen", At: c.Now(), Versions: []downwind.Version{version(next, c.Now())}, Raises: []downwind.Raise{raiseFor(d, next, downwind.ChangeUpdate)}}
		must(t, db.Apply(ctx, second))
		must(t, db.Apply(ctx, second))
		if err := db.Apply(ctx, plan); !errors.Is(err, downwind.ErrConflict) {
			t.Errorf("an old plan: got %v, want a conflict", err)
		}
		stale := downwind.Plan{Provider: "lumen", At: start.Add(time.Second), Versions: []downwind.Version{version(incident("x1", downwind.Identified), start.Add(time.Second))}}
		if err := db.Apply(ctx, stale); !errors.Is(err, downwind.ErrConflict) {
			t.Errorf("a stale plan: got %v, want a conflict", err)
		}
		delivery, err = db.Delivery(ctx, delivery.ID)
		must(t, err)
		want(t, "desired after the second state", delivery.Desired, 2)

		known, err := db.Known(ctx, "lumen")
		must(t, err)
		want(t, "known state", known.Incidents["x1"].State, next)
		want(t, "known windows", known.Incidents["x1"].Windows[0].Text, "since 09:00")
		want(t, "number", known.Incidents["x1"].Version.Number, 2)
		want(t, "components", known.Components, plan.Components)

		recs, err := db.Incidents(ctx, downwind.IncidentFilter{Query: "CALLS", Provider: "lumen"})
		must(t, err)
		want(t, "incidents", len(recs), 1)
		more, err := db.Incidents(ctx, downwind.IncidentFilter{Before: recs[0].Cursor})
		must(t, err)
		want(t, "after the last", len(more), 0)
		src, err := db.Source(ctx, "lumen")
		must(t, err)
		want(t, "hot follows the newest plan", src.Hot, false)
	})
}

func TestAudiences(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		stack := downwind.Stack{Providers: []downwind.Use{{Provider: "lumen", Name: "Lumen", Confidence: downwind.Sure}}}
		byStack, bySub, byAll, other := channel(t, db, "C1"), channel(t, db, "C2"), channel(t, db, "C3"), channel(t, db, "C4")
		must(t, db.SaveStack(ctx, byStack.Team, stack, "ana", c.Now()))
		sub := downwind.Subscription{Destination: bySub.ID, Target: downwind.TargetProvider, Provider: "lumen", CreatedBy: "ben"}
		saved, existed, err := db.SaveSubscription(ctx, sub)
		must(t, err)
		want(t, "existed", existed, false)
		sub.Filter.Min = downwind.ImpactMajor
		merged, existed, err := db.SaveSubscription(ctx, sub)
		must(t, err)
		want(t, "merged", []any{existed, merged.ID, merged.Filter.Min, merged.CreatedBy}, []any{true, saved.ID, downwind.ImpactMajor, "ben"})
		_, _, err = db.SaveSubscription(ctx, downwind.Subscription{Destination: byAll.ID, Target: downwind.TargetAll})
		must(t, err)
		_, err = db.SaveMute(ctx, downwind.Mute{Destination: bySub.ID, Provider: "lumen", Until: c.Now().Add(time.Hour)})
		must(t, err)
		_, err = db.AddRule(ctx, byStack.Team, downwind.Rule{Kind: downwind.RuleNotUs, Provider: "lumen", Region: "eu-*"})
		must(t, err)

		teams := func() []string {
			list, err := db.Audiences(ctx, "lumen")
			must(t, err)
			var ids []string
			for _, a := range list {
				ids = append(ids, a.Team.ID)
			}
			return ids
		}
		want(t, "teams", teams(), []string{byStack.Team, bySub.Team, byAll.Team})
		_, err = db.AddRule(ctx, other.Team, downwind.Rule{Kind: downwind.RuleAdd, Provider: "lumen"})
		must(t, err)
		want(t, "a word adds a team", len(teams()), 4)
		must(t, db.SaveStack(ctx, byStack.Team, downwind.Stack{}, "ana", c.Now()))
		must(t, db.DeleteSubscription(ctx, bySub.ID, saved.ID))
		want(t, "leaving", teams(), []string{byAll.Team, other.Team})
		if err := db.DeleteSubscription(ctx, byAll.ID, saved.ID); !errors.Is(err, downwind.ErrNotFound) {
			t.Errorf("a subscription of another channel: got %v", err)
		}
		list, err := db.Audiences(ctx, "lumen")
		must(t, err)
		want(t, "rules travel along", list[1].Team.Rules[0].Provider, "lumen")
	})
}

func TestTemp(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		put := func(v string) bool {
			ok, err := db.PutTemp(ctx, "replay", "k", []byte(v), c.Now().Add(time.Minute))
			must(t, err)
			return ok
		}
		want(t, "puts", []bool{put("1"), put("2")}, []bool{true, false})
		v, err := db.Temp(ctx, "replay", "k")
		must(t, err)
		want(t, "value", string(v), "1")
		c.advance(2 * time.Minute)
		_, err = db.Temp(ctx, "replay", "k")
		want(t, "expired", errors.Is(err, downwind.ErrNotFound), true)
		want(t, "free again", put("3"), true)
		v, err = db.TakeTemp(ctx, "replay", "k")
		must(t, err)
		want(t, "taken", string(v), "3")
		_, err = db.TakeTemp(ctx, "replay", "k")
		want(t, "taken once", errors.Is(err, downwind.ErrNotFound), true)
	})
}

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		ctx := t.Context()
		tok, err := db.AddToken(ctx, downwind.Token{Name: "ci", Team: "a", Scopes: []string{downwind.ScopeStackWrite}, Hash: "h1"})
		must(t, err)
		_, err = db.AddToken(ctx, downwind.Token{Name: "ci", Hash: "h1"})
		want(t, "same hash", errors.Is(err, downwind.ErrConflict), true)
		got, err := db.TokenByHash(ctx, "h1")
		must(t, err)
		want(t, "scopes", got.Scopes, []string{downwind.ScopeStackWrite})
		must(t, db.RevokeToken(ctx, tok.ID))
		_, err = db.TokenByHash(ctx, "h1")
		want(t, "revoked", errors.Is(err, downwind.ErrNotFound), true)
		list, err := db.Tokens(ctx)
		must(t, err)
		want(t, "last use", list[0].LastUsed, start)
	})
}

func TestInstalls(t *testing.T) {
	key, err := store.AgeKey(filepath.Join(t.TempDir(), "keys", "age.txt"))
	must(t, err)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		in := downwind.Install{Platform: "slack", Workspace: "T1", Name: "Acme", Token: "xoxb-very-secret", Scopes: []string{"chat:write"}, At: start}
		must(t, db.SaveInstall(ctx, in))
		got, err := db.Install(ctx, "slack", "T1")
		must(t, err)
		want(t, "install", got, in)
		list, err := db.Installs(ctx, "")
		must(t, err)
		want(t, "list", len(list), 1)
		must(t, db.DeleteInstall(ctx, "slack", "T1"))
		_, err = db.Install(ctx, "slack", "T1")
		want(t, "erased", errors.Is(err, downwind.ErrNotFound), true)
	}, func(o *store.Options) { o.Sealer = key })
	plain := storetest.Open(t)
	if err := plain.SaveInstall(t.Context(), downwind.Install{Platform: "slack", Workspace: "T1", Token: "x"}); err == nil {
		t.Error("an install was stored without a key")
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	db, err := store.Open(t.Context(), store.Options{URL: address})
	must(t, err)
	defer db.Close()
	_, err = store.Open(t.Context(), store.Options{URL: address})
	want(t, "second open is a conflict", errors.Is(err, downwind.ErrConflict), true)
	ro, err := store.Open(t.Context(), store.Options{URL: address, ReadOnly: true})
	must(t, err)
	_, err = ro.Counts(t.Context())
	must(t, err)
	must(t, ro.Close())
}
