package app_test

import (
	"strings"
	"testing"

	"downwind"
	"downwind/app/demo"
)

// join adds a team with a channel on the console, as chat would: team, stack, channel, subscription.
func (v *village) join(id string, stack downwind.Stack, sub downwind.Subscription) downwind.Destination {
	v.t.Helper()
	db, ctx := v.app.Store(), v.t.Context()
	if err := db.SaveTeam(ctx, downwind.Team{ID: id, Name: id, Stack: stack}); err != nil {
		v.t.Fatal(err)
	}
	_, d, err := db.TeamForChannel(ctx, downwind.Destination{Platform: downwind.PlatformConsole, Channel: id, Team: id})
	if err != nil {
		v.t.Fatal(err)
	}
	sub.Destination = d.ID
	if _, _, err := db.SaveSubscription(ctx, sub); err != nil {
		v.t.Fatal(err)
	}
	return d
}

// relayStack uses the demo's provider in one region.
func relayStack(region string) downwind.Stack {
	return downwind.Stack{Providers: []downwind.Use{{Provider: demo.Slug, Name: "Nimbus Relay", Confidence: downwind.Sure, Regions: []string{region}, Evidence: []downwind.Evidence{
		{File: "app.env", Line: 1, Kind: "domain", Match: region + ".api.nimbusrelay.example", Service: "Message API", Region: region, Direct: true, Relation: downwind.Hosted},
	}}}}
}

// TestEveryoneHasAnAnswer plays the outage before teams that it hits and teams that it does not, which the daemon never looks at: each
// of their channels was told of each incident or has a line of the ledger with a reason of its own, also after its team has changed.
func TestEveryoneHasAnAnswer(t *testing.T) {
	v := newVillage(t, nil)
	stack := downwind.Subscription{Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}}
	reasons := map[string]downwind.HoldReason{}
	channels := map[string]downwind.Destination{}
	for _, m := range []struct {
		id    string
		stack downwind.Stack
		sub   downwind.Subscription
		// held is the reason of every line, empty for teams that are told.
		held downwind.HoldReason
	}{
		{"near", relayStack("eu-west"), stack, ""},
		{"far", relayStack("us-east"), stack, downwind.HeldRegion},
		{"moving", relayStack("us-east"), stack, downwind.HeldRegion},
		{"own", downwind.Stack{SelfHosted: map[string][]downwind.Evidence{demo.Slug: {{File: "compose.yml", Line: 3, Match: "nimbus:4"}}}}, stack, downwind.HeldSelfHosted},
		{"asking", downwind.Stack{}, downwind.Subscription{Target: downwind.TargetAll, Filter: downwind.Filter{OnlyAffected: true}}, downwind.HeldProvider},
		{"following", downwind.Stack{}, downwind.Subscription{Target: downwind.TargetProvider, Provider: demo.Slug}, ""},
	} {
		channels[m.id], reasons[m.id] = v.join(m.id, m.stack, m.sub), m.held
	}
	v.until(hour(16, 30))
	db, ctx := v.app.Store(), t.Context()
	incidents, err := db.Incidents(ctx, downwind.IncidentFilter{Provider: demo.Slug})
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		answered := 0
		for _, rec := range incidents {
			key := rec.Incident.Key()
			told, err := db.Deliveries(ctx, downwind.DeliveryFilter{Destination: channels["near"].ID, Incident: key})
			if err != nil {
				t.Fatal(err)
			}
			if len(told) == 0 {
				continue // taken in with the history of the source
			}
			answered++
			for id, want := range reasons {
				told, err := db.Deliveries(ctx, downwind.DeliveryFilter{Destination: channels[id].ID, Incident: key})
				if err != nil {
					t.Fatal(err)
				}
				holds, err := db.Holds(ctx, downwind.HoldFilter{Destination: channels[id].ID, Incident: key})
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case want == "" && len(told) == 0:
					t.Errorf("%s: %s was not told of %s", when, id, key)
				case want != "" && (len(told) > 0 || len(holds) == 0):
					t.Errorf("%s: %s has %d messages and %d lines about %s", when, id, len(told), len(holds), key)
				}
				for _, h := range holds {
					if want != "" && (h.Reason != want || strings.TrimSpace(h.Text) == "" || h.Team != id) {
						t.Errorf("%s: the line of %s about %s says %q for %s: %q, want %q", when, id, key, h.Reason, h.Team, h.Text, want)
					}
				}
			}
		}
		if answered == 0 {
			t.Fatal("nobody was told of anything")
		}
	}
	check("after the outage")
	counts, err := db.Counts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if counts["holds.shared"] == 0 {
		t.Error("there is no shared line: the daemon looked at every team")
	}
	if err := db.SaveStack(ctx, "moving", relayStack("eu-west"), "test", v.clock.Now()); err != nil {
		t.Fatal(err)
	}
	check("after the move")
}

// TestDigestCountsWhatDidNotTouch reads the line of the digest that counts incidents of which a team has only shared lines.
func TestDigestCountsWhatDidNotTouch(t *testing.T) {
	v := newVillage(t, nil)
	far := v.join("far", relayStack("us-east"), downwind.Subscription{Target: downwind.TargetStack, Filter: downwind.Filter{OnlyAffected: true}})
	far.Digest, far.DigestAt = "daily", "20:00"
	db, ctx := v.app.Store(), t.Context()
	if err := db.SaveDestination(ctx, far); err != nil {
		t.Fatal(err)
	}
	v.until(hour(20, 1))
	told, err := db.Deliveries(ctx, downwind.DeliveryFilter{Destination: far.ID})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range told {
		parts, err := db.Parts(ctx, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if p.Alert.Announcement != nil {
				lines = append(lines, p.Alert.Announcement.Lines...)
			}
		}
	}
	if want := "1 incident at your providers did not touch you"; !strings.Contains(strings.Join(lines, "\n"), want) {
		t.Errorf("the digest says %q, want %q", lines, want)
	}
}
