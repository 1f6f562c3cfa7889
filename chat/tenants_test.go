package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/chat"
	"downwind/notify"
)

// Whatever two tenants do, neither sees or changes anything of the other (interfaces.md 8.5).
func TestTenantsAreApart(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		a, b := w.who, w.who
		a.Workspace, a.UserName, a.ChannelName = "TAAA", "alice-a", "chan-a"
		b.Workspace, b.UserName, b.ChannelName = "TBBB", "bob-b", "chan-b"
		incA, incB := open("livekit", "only-a", "Trouble of A", downwind.ImpactMajor), open("stripe", "only-b", "Trouble of B", downwind.ImpactMajor)
		w.told(a.Destination().ID, incA, downwind.Match{Affected: true, Components: []string{"SIP"}})
		w.told(b.Destination().ID, incB, downwind.Match{Affected: true})
		verbs := []string{notify.VerbAck, notify.VerbMute, notify.VerbDone, notify.VerbOurs, notify.VerbNotUs, notify.VerbRemind, notify.VerbWhy, "hide"}
		var discards []string
		steps := rapid.IntRange(1, 15).Draw(r, "steps")
		for range steps {
			w.clock.Add(time.Minute)
			text := rapid.SampledFrom([]string{
				"subscribe livekit", "subscribe stack", "stack add twilio", "mute all for 1h", "digest daily", "list all", "list", "stack show", "status", "unsubscribe all yes",
			}).Draw(r, "command")
			w.Run(ctx, a, text)
			if rapid.Bool().Draw(r, "upload") {
				up := w.Import(ctx, a, []chat.File{{Name: "a-secret-name.json", Data: []byte(`{"dependencies":{"livekit-of-a":"1"}}`)}}, "", true)
				for _, act := range up.Private.Actions {
					if strings.HasPrefix(act.ID, "discard:") {
						discards = append(discards, act.ID)
					}
				}
			}
			before := w.store.Writes()
			verb := rapid.SampledFrom(verbs).Draw(r, "verb")
			id := notify.ActionID(verb, notify.IncidentArg(incA.Key()))
			if verb == "hide" {
				id = "hide:p:" + incA.Key()
			}
			clicks := append([]string{id}, discards...)
			for _, id := range clicks {
				priv, pub := both(w.Click(ctx, b, chat.Click{ID: id, Message: "1.1"}))
				if !strings.Contains(priv, "Not found") && !strings.Contains(priv, "more than") || pub != "" {
					r.Fatalf("b pressed %s of a: %q %q", id, priv, pub)
				}
			}
			if w.store.Writes() != before {
				r.Fatalf("b's click on %s changed something", id)
			}
			for _, text := range []string{"list", "list all", "stack show", "status"} {
				priv, _ := both(w.Run(ctx, b, text))
				for _, mark := range []string{"alice-a", "chan-a", "a-secret-name", "livekit-of-a", "only-a", "TAAA"} {
					if strings.Contains(priv, mark) {
						r.Fatalf("%s of b shows %q of a: %q", text, mark, priv)
					}
				}
			}
		}
	})
}
