package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/notify"
	"downwind/store"
)

// Whatever two tenants do, neither sees or changes anything of the other (interfaces.md 8.5).
func TestTenantsAreApart(t *testing.T) {
	clock := chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	cat := chattest.Providers()
	handler := func(s chat.Store) *chat.Handler {
		return chat.New(chat.Options{Store: s, Catalogue: cat, Stacks: chattest.Stacks{Catalogue: cat}, Clock: clock, BaseURL: "https://downwind.example"})
	}
	t.Run("memory", func(t *testing.T) {
		memory := chattest.NewStore(clock)
		tenants{handler(memory), clock, func(t *rapid.T, who chat.Caller, inc downwind.Incident, m downwind.Match) {
			memory.AddIncident(inc)
			memory.AddDelivery(downwind.Delivery{ID: who.Destination().ID + "|" + inc.Key(), Destination: who.Destination().ID, Incident: inc.Key(), RootID: "1.1"},
				downwind.Part{Version: 1, Alert: downwind.Alert{Incident: inc, Match: m}})
		}}.check(t)
	})
	t.Run("sqlite", func(t *testing.T) {
		db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "tenants.db"), Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.SyncSources(t.Context(), []downwind.Source{{Provider: "livekit", URL: "https://a.example"}, {Provider: "stripe", URL: "https://b.example"}}); err != nil {
			t.Fatal(err)
		}
		tenants{handler(db), clock, func(t *rapid.T, who chat.Caller, inc downwind.Incident, m downwind.Match) {
			team, d, err := db.TeamForChannel(context.Background(), who.Destination())
			if err == nil {
				err = db.Apply(context.Background(), downwind.Plan{
					Provider: inc.Provider, At: clock.Now(),
					Versions: []downwind.Version{{Provider: inc.Provider, Incident: inc.ID, State: inc, Hash: inc.ID, SeenAt: clock.Now(), Leaf: -1}},
					Raises: []downwind.Raise{{
						Delivery: d.ID + "|" + inc.Key(), Destination: d.ID, Team: team.ID, Incident: inc.Key(),
						Alert: downwind.Alert{Kind: downwind.ChangeNew, Incident: inc, Match: m, SeenAt: clock.Now()},
					}},
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		}}.check(t)
	})
}

// tenants are two workspaces on one store.
type tenants struct {
	*chat.Handler
	clock *chattest.Clock
	// told makes an incident known that was told in a channel.
	told func(t *rapid.T, who chat.Caller, inc downwind.Incident, m downwind.Match)
}

func (w tenants) check(t *testing.T) {
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		w.story(r, fmt.Sprint(n))
	})
}

// marks are words that only tenant A has.
var marks = []string{"alice-a", "chan-a", "a-secret-name", "livekit-of-a", "only-a", "TAAA"}

func (w tenants) story(r *rapid.T, run string) {
	ctx := context.Background()
	caller := func(workspace, user, channel string) chat.Caller {
		return chat.Caller{Platform: "slack", Workspace: workspace + run, Channel: "C0123456", ChannelName: channel, User: user + run, UserName: user, Command: "/feed"}
	}
	a, b := caller("TAAA", "alice-a", "chan-a"), caller("TBBB", "bob-b", "chan-b")
	incA, incB := open("livekit", "only-a"+run, "Trouble of A", downwind.ImpactMajor), open("stripe", "only-b"+run, "Trouble of B", downwind.ImpactMajor)
	w.told(r, a, incA, downwind.Match{Affected: true, Components: []string{"SIP"}})
	w.told(r, b, incB, downwind.Match{Affected: true})
	verbs := []string{notify.VerbAck, notify.VerbMute, notify.VerbDone, notify.VerbOurs, notify.VerbNotUs, notify.VerbRemind, notify.VerbWhy, "hide"}
	var discards []string
	for range rapid.IntRange(1, 15).Draw(r, "steps") {
		w.clock.Add(time.Minute)
		w.Run(ctx, a, rapid.SampledFrom([]string{
			"subscribe livekit", "subscribe stack", "stack add twilio", "mute all for 1h", "digest daily", "quiet 22:00-07:00", "remind 2h", "settings",
			"list all", "list", "stack show", "status", "why", "replay", "preview", "unsubscribe all yes",
		}).Draw(r, "command"))
		if rapid.Bool().Draw(r, "upload") {
			up := w.Import(ctx, a, []chat.File{{Name: "a-secret-name.json", Data: []byte(`{"dependencies":{"livekit-of-a":"1"}}`)}}, "", true)
			for _, act := range up.Private.Actions {
				if strings.HasPrefix(act.ID, "discard:") {
					discards = append(discards, act.ID)
				}
			}
		}
		before := w.all(r, a)
		verb := rapid.SampledFrom(verbs).Draw(r, "verb")
		id := notify.ActionID(verb, notify.IncidentArg(incA.Key()))
		if verb == "hide" {
			id = "hide:p:" + incA.Key()
		}
		for _, id := range append([]string{id}, discards...) {
			priv, pub := both(w.Click(ctx, b, chat.Click{ID: id, Message: "1.1"}))
			if !strings.Contains(priv, "Not found") && !strings.Contains(priv, "more than") || pub != "" {
				r.Fatalf("b pressed %s of a: %q %q", id, priv, pub)
			}
		}
		w.Run(ctx, b, rapid.SampledFrom([]string{
			"unmute all", "unsubscribe all yes", "stack clear yes", "mute " + incA.Key() + " for 1h", "ack " + incA.Key(), "why " + incA.Key(), "digest off", "remind off", "quiet off",
		}).Draw(r, "command of b"))
		if after := w.all(r, a); after != before {
			r.Fatalf("b changed something of a:\n%s\n%s", before, after)
		}
		w.sees(r, b)
	}
}

// all is what is kept for a tenant's channel.
func (w tenants) all(r *rapid.T, who chat.Caller) string {
	ctx := context.Background()
	team, d, err := w.Store.TeamForChannel(ctx, who.Destination())
	if err != nil {
		r.Fatal(err)
	}
	subs, err1 := w.Store.Subscriptions(ctx, d.ID)
	mutes, err2 := w.Store.Mutes(ctx, d.ID)
	deliveries, err3 := w.Store.Deliveries(ctx, downwind.DeliveryFilter{Destination: d.ID})
	raw, err4 := json.Marshal([]any{team, d, subs, mutes, deliveries})
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			r.Fatal(err)
		}
	}
	return string(raw)
}

// sees looks for words of the other tenant in all that a tenant is shown.
func (w tenants) sees(r *rapid.T, who chat.Caller) {
	ctx := context.Background()
	shown := ""
	for _, text := range []string{"list", "list all", "stack show", "status", "why", "settings"} {
		priv, pub := both(w.Run(ctx, who, text))
		shown += priv + pub
	}
	home, err := w.Home(ctx, who)
	if err != nil {
		r.Fatal(err)
	}
	shown += fmt.Sprintf("%+v", home)
	for _, option := range []string{"incident", "target"} {
		shown += fmt.Sprint(w.Suggest(ctx, who, "why", option, "", nil))
	}
	for _, mark := range marks {
		if strings.Contains(shown, mark) {
			r.Fatalf("%q of the other tenant is shown: %s", mark, shown)
		}
	}
}
