package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/discord"
	"downwind/notify"
	"downwind/notify/discord/discordtest"
)

// Every answer stays within Discord's limits and pings nobody, whatever files and providers say.
func TestAnswersFitAndAreInert(t *testing.T) {
	for _, size := range []chattest.HostileStacks{
		{Providers: 1, Evidence: 1, Length: 10}, {Providers: 30, Evidence: 5, Length: 80}, {Providers: 120, Evidence: 40, Length: 300}, {Providers: 300, Evidence: 2, Length: 30},
	} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			b := newBench(t, func(o *discord.Options) {
				inner := o.Handler.Options
				inner.Stacks = size
				inner.Judge = func(*downwind.Incident, *downwind.Team) downwind.Match {
					return downwind.Match{Affected: true, Verdict: downwind.AffectedSure, Why: []downwind.Reason{{File: chattest.Hostile(size.Length), Match: chattest.Hostile(size.Length), Words: chattest.Hostile(size.Length), Text: chattest.Hostile(size.Length)}}, WhyNot: chattest.Hostile(size.Length)}
				}
				o.Handler = chat.New(inner)
			})
			b.connect()
			var raws []json.RawMessage
			run := func(r discordtest.Request) {
				b.clock.Add(10 * time.Second)
				_, _, i := b.interact(r)
				raws = append(append(raws, i.Edits...), i.Followups...)
			}
			run(b.fake.WithAttachment(cmd("feed stack import", nil), "file", chattest.Hostile(60)+".json", []byte(`{}`)))
			inc := downwind.Incident{Provider: "livekit", ID: strings.Repeat("x", 150), Kind: downwind.KindIncident, Title: chattest.Hostile(size.Length * 3), Phase: downwind.Investigating, Impact: downwind.ImpactMajor}
			for i := range 20 {
				inc.Components = append(inc.Components, downwind.Component{Name: chattest.Hostile(size.Length) + fmt.Sprint(i)})
			}
			b.store.AddIncident(inc)
			b.store.AddDelivery(downwind.Delivery{ID: "d", Destination: "discord:99:1001", Incident: inc.Key(), RootID: "5"}, downwind.Part{Version: 1, Alert: downwind.Alert{Incident: inc}})
			run(cmd("feed subscribe", map[string]any{"target": "livekit github stripe", "region": strings.Repeat("eu-west-1-zone,", 3)}))
			run(cmd("feed subscribe", map[string]any{"target": chattest.Hostile(290)}))
			for _, verb := range []string{"stack show", "list", "status", "why", "replay", "feed", "help", "settings"} {
				run(cmd("feed "+verb, nil))
			}
			for _, verb := range []string{notify.VerbNotUs, notify.VerbWhy, notify.VerbDone, notify.VerbMute} {
				run(discordtest.Press(discordtest.Message{ID: "5", Channel: "1001"}, notify.ActionID(verb, notify.IncidentArg(inc.Key()))))
			}
			for _, raw := range raws {
				var m struct {
					Content string
					Embeds  []struct {
						Title, Description string
						Fields             []struct{ Name, Value string }
					}
				}
				if err := json.Unmarshal(raw, &m); err != nil {
					t.Fatal(err)
				}
				for _, e := range m.Embeds {
					text := e.Title + "\n" + e.Description
					for _, f := range e.Fields {
						text += "\n" + f.Name + "\n" + f.Value
					}
					for _, live := range discordtest.Live(text) {
						if !strings.Contains(live, "](https://downwind.example/") && !strings.HasPrefix(live, "https://downwind.example/") {
							t.Errorf("live: %q", live)
						}
					}
				}
			}
			if strings.Contains(b.logs.String(), "could not be shown") {
				t.Errorf("an answer was refused: %s", b.logs.String())
			}
		})
	}
}
