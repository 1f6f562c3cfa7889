package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"downwind"
	"downwind/store"
	"downwind/store/storetest"
)

// sharedWorld is a store with three teams of lumen, of which the first was told of incident x1 and the others share a line.
func sharedWorld(t *testing.T, db *store.DB) (at time.Time) {
	t.Helper()
	ctx := t.Context()
	for _, team := range []string{"told", "near", "far"} {
		must(t, db.SaveTeam(ctx, downwind.Team{ID: team, Name: team}))
		must(t, db.SaveStack(ctx, team, lumenStack(team), "me", start))
		must(t, db.SaveDestination(ctx, downwind.Destination{ID: "slack:T:" + team, Platform: "slack", Workspace: "T", Channel: team, Team: team}))
		_, _, err := db.SaveSubscription(ctx, downwind.Subscription{Destination: "slack:T:" + team, Target: downwind.TargetStack})
		must(t, err)
	}
	must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
	applyShared(t, db, "x1", start)
	return start
}

// lumenStack uses lumen in a region that is called like the team.
func lumenStack(team string) downwind.Stack {
	return downwind.Stack{Providers: []downwind.Use{{Provider: "lumen", Name: "Lumen", Confidence: downwind.Sure, Regions: []string{team}}}}
}

func applyShared(t *testing.T, db *store.DB, id string, at time.Time) {
	t.Helper()
	inc := downwind.Incident{ID: id, Provider: "lumen", Kind: downwind.KindIncident, Title: id, Phase: downwind.Investigating}
	d := "slack:T:told"
	must(t, db.Apply(t.Context(), downwind.Plan{
		Provider: "lumen", At: at,
		Versions: []downwind.Version{{Incident: id, State: inc, Hash: id + at.String(), SeenAt: at}},
		Raises:   []downwind.Raise{{Delivery: d + "|" + inc.Key(), Destination: d, Team: "told", Incident: inc.Key(), Alert: downwind.Alert{Incident: inc, SeenAt: at}}},
		Shared:   []downwind.SharedHold{{Provider: "lumen", Incident: inc.Key(), Kind: downwind.ChangeNew, At: at}},
	}))
}

// byRegion is a reasoner whose words tell what it was asked with.
func byRegion(inc *downwind.Incident, _ []downwind.Component, team *downwind.Team) (downwind.HoldReason, string) {
	u := team.Stack.Use("lumen")
	if u == nil {
		return downwind.HeldProvider, "not used"
	}
	return downwind.HeldRegion, fmt.Sprintf("%s is not in %v, %d rules", inc.Title, u.Regions, len(team.Rules))
}

func withReasons(o *store.Options) { o.Reasons = byRegion }

// ledgerOf lists the lines of a team as words.
func ledgerOf(t *testing.T, db *store.DB, f downwind.HoldFilter) []string {
	t.Helper()
	holds, err := db.Holds(t.Context(), f)
	must(t, err)
	var out []string
	for _, h := range holds {
		out = append(out, fmt.Sprintf("%s %s %s %s: %s", h.Destination, h.Incident, h.Kind, h.Reason, h.Text))
	}
	return out
}

func TestSharedLineIsReadForEachTeam(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		at := sharedWorld(t, db)
		want(t, "the line of a team that is not touched", ledgerOf(t, db, downwind.HoldFilter{Team: "near"}),
			[]string{"slack:T:near lumen/x1 new region: x1 is not in [near], 0 rules"})
		want(t, "lines of a team that was told", ledgerOf(t, db, downwind.HoldFilter{Team: "told"}), []string(nil))
		want(t, "lines of an incident", len(ledgerOf(t, db, downwind.HoldFilter{Incident: "lumen/x1"})), 2)
		want(t, "lines of another incident", len(ledgerOf(t, db, downwind.HoldFilter{Incident: "lumen/x2"})), 0)
		want(t, "lines since later", len(ledgerOf(t, db, downwind.HoldFilter{Team: "near", Since: at.Add(time.Second)})), 0)

		_, existed, err := db.SaveSubscription(t.Context(), downwind.Subscription{Destination: "slack:T:near", Target: downwind.TargetAll, Filter: downwind.Filter{OnlyAffected: true}})
		must(t, err)
		want(t, "it was there", existed, false)
		applyShared(t, db, "x2", at.Add(time.Minute))
		want(t, "one line for who uses the provider and asked for everything", len(ledgerOf(t, db, downwind.HoldFilter{Team: "near", Incident: "lumen/x2"})), 1)
	}, withReasons)
}

// TestSharedLineOutlivesChanges holds that a line says what was true when the incident was, whatever changes of the team later.
func TestSharedLineOutlivesChanges(t *testing.T) {
	line := []string{"slack:T:near lumen/x1 new region: x1 is not in [near], 0 rules"}
	cases := []struct {
		name   string
		change func(context.Context, *store.DB) error
	}{
		{"another stack", func(ctx context.Context, db *store.DB) error {
			return db.SaveStack(ctx, "near", lumenStack("elsewhere"), "me", start)
		}},
		{"a stack without the provider", func(ctx context.Context, db *store.DB) error {
			return db.SaveStack(ctx, "near", downwind.Stack{}, "me", start)
		}},
		{"a rule", func(ctx context.Context, db *store.DB) error {
			_, err := db.AddRule(ctx, "near", downwind.Rule{Kind: downwind.RuleDrop, Provider: "lumen"})
			return err
		}},
		{"no subscription", func(ctx context.Context, db *store.DB) error {
			subs, err := db.Subscriptions(ctx, "slack:T:near")
			if err != nil {
				return err
			}
			return db.DeleteSubscription(ctx, "slack:T:near", subs[0].ID)
		}},
		{"another subscription", func(ctx context.Context, db *store.DB) error {
			_, _, err := db.SaveSubscription(ctx, downwind.Subscription{Destination: "slack:T:near", Target: downwind.TargetProvider, Provider: "lumen"})
			return err
		}},
		{"the channel goes to another team", func(ctx context.Context, db *store.DB) error {
			return db.SaveDestination(ctx, downwind.Destination{ID: "slack:T:near", Platform: "slack", Workspace: "T", Channel: "near", Team: "far"})
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				at := sharedWorld(t, db)
				must(t, c.change(t.Context(), db))
				want(t, "the line after the change", ledgerOf(t, db, downwind.HoldFilter{Team: "near"}), line)
				applyShared(t, db, "x2", at.Add(time.Minute))
				want(t, "the line after the next incident", ledgerOf(t, db, downwind.HoldFilter{Team: "near", Incident: "lumen/x1"}), line)
			}, withReasons)
		})
	}
}

// TestSharedLineIsNotForLaterComers holds that who comes after an incident has no line of it.
func TestSharedLineIsNotForLaterComers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		sharedWorld(t, db)
		ctx := t.Context()
		must(t, db.SaveTeam(ctx, downwind.Team{ID: "late", Name: "late", Stack: lumenStack("late")}))
		must(t, db.SaveDestination(ctx, downwind.Destination{ID: "slack:T:late", Platform: "slack", Workspace: "T", Channel: "late", Team: "late"}))
		_, _, err := db.SaveSubscription(ctx, downwind.Subscription{Destination: "slack:T:late", Target: downwind.TargetStack})
		must(t, err)
		want(t, "lines of who came later", ledgerOf(t, db, downwind.HoldFilter{Team: "late"}), []string(nil))
	}, withReasons)
}

// TestSharedLinesPage pages through lines of both kinds, two at a time, and meets each once.
func TestSharedLinesPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		at := sharedWorld(t, db)
		ctx := t.Context()
		must(t, db.SaveDestination(ctx, downwind.Destination{ID: "slack:T:near2", Platform: "slack", Workspace: "T", Channel: "near2", Team: "near"}))
		_, _, err := db.SaveSubscription(ctx, downwind.Subscription{Destination: "slack:T:near2", Target: downwind.TargetStack})
		must(t, err)
		for i := range 3 {
			applyShared(t, db, fmt.Sprintf("y%d", i), at.Add(time.Duration(i+1)*time.Minute))
		}
		all := ledgerOf(t, db, downwind.HoldFilter{Team: "near"})
		want(t, "lines in all", len(all), 7)
		var paged []string
		f := downwind.HoldFilter{Team: "near", Limit: 2}
		for range 10 {
			holds, err := db.Holds(ctx, f)
			must(t, err)
			if len(holds) == 0 {
				break
			}
			paged = append(paged, ledgerOf(t, db, f)...)
			last := holds[len(holds)-1]
			f.Before, f.BeforeID = last.At, last.ID
		}
		want(t, "lines page by page", paged, all)
	}, withReasons)
}

// TestPlanOfOlderTeamsIsRefused holds that nobody is ruled out by a stack that has changed since.
func TestPlanOfOlderTeamsIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		at := sharedWorld(t, db)
		ctx := t.Context()
		filed, err := db.EachFiled(ctx, 0, func(downwind.Team, []downwind.Subscription) {})
		must(t, err)
		p := downwind.Plan{Provider: "lumen", At: at.Add(time.Minute), Filed: filed, Shared: []downwind.SharedHold{{Provider: "lumen", Incident: "lumen/x1", Kind: downwind.ChangeUpdate, At: at.Add(time.Minute)}}}
		must(t, db.SaveStack(ctx, "far", lumenStack("near"), "me", start))
		if err := db.Apply(ctx, p); !errors.Is(err, downwind.ErrConflict) {
			t.Errorf("a plan of older teams: got %v, want a conflict", err)
		}
		var changed []string
		p.Filed, err = db.EachFiled(ctx, filed, func(t downwind.Team, subs []downwind.Subscription) {
			changed = append(changed, fmt.Sprint(t.ID, t.Stack.Providers[0].Regions, len(subs)))
		})
		must(t, err)
		want(t, "teams that changed", changed, []string{"far[near] 1"})
		must(t, db.Apply(ctx, p))
	}, withReasons)
}

// TestEachFiledTellsAll goes over more teams than one page holds.
func TestEachFiledTellsAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var saved, told []string
		for i := range 450 {
			id := fmt.Sprintf("team-%03d", i)
			saved = append(saved, id)
			must(t, db.SaveTeam(t.Context(), downwind.Team{ID: id, Name: id}))
		}
		_, err := db.EachFiled(t.Context(), 0, func(team downwind.Team, _ []downwind.Subscription) { told = append(told, team.ID) })
		must(t, err)
		slices.Sort(told)
		want(t, "teams", told, saved)
	})
}
