package slack_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/slack"
	"downwind/notify"
	"downwind/notify/slack/slacktest"
)

// markup is all text of blocks that Slack reads as markup; plain text cannot act.
func markup(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if len(raw) == 0 {
		return ""
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if s, ok := v["text"].(string); ok && v["type"] == "mrkdwn" {
				out = append(out, s)
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return strings.Join(out, "\n")
}

// Every answer stays within Slack's limits and pings nobody, whatever files and providers say.
func TestAnswersFitAndAreInert(t *testing.T) {
	for _, size := range []chattest.HostileStacks{
		{Providers: 1, Evidence: 1, Length: 10}, {Providers: 30, Evidence: 5, Length: 80}, {Providers: 120, Evidence: 40, Length: 300}, {Providers: 300, Evidence: 2, Length: 30},
	} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			b := newBench(t, slacktest.Options{}, func(o *slack.Options) {
				inner := o.Handler.Options
				inner.Stacks = size
				inner.Judge = func(*downwind.Incident, *downwind.Team) downwind.Match {
					return downwind.Match{Affected: true, Verdict: downwind.AffectedSure, Why: []downwind.Reason{{File: chattest.Hostile(size.Length), Match: chattest.Hostile(size.Length), Words: chattest.Hostile(size.Length), Text: chattest.Hostile(size.Length)}}, WhyNot: chattest.Hostile(size.Length)}
				}
				inner.Explain = func(*downwind.Incident) downwind.Guidance {
					g := downwind.Guidance{Checklist: []string{chattest.Hostile(size.Length)}, Conflicts: []string{chattest.Hostile(size.Length)}}
					for range size.Evidence {
						g.Windows = append(g.Windows, downwind.Window{Start: time.Unix(1792429320, 0), End: time.Unix(1792430000, 0), Scope: chattest.Hostile(size.Length)})
					}
					return g
				}
				o.Handler = chat.New(inner)
			})
			b.connect()
			file := b.fake.AddFile(chattest.Hostile(60)+".json", []byte(`{}`))
			form, id := b.fake.Form(slacktest.Command{})
			if _, err := b.fake.Send(b.ctx(), "interactive", map[string]any{
				"type": "message_action", "callback_id": "stack_from_message", "team": map[string]any{"id": "T01"},
				"user": map[string]any{"id": "U0USER", "name": chattest.Hostile(40)}, "channel": map[string]any{"id": "C012", "name": chattest.Hostile(50)},
				"response_url": form.Get("response_url"), "message": map[string]any{"files": []any{file}},
			}); err != nil {
				t.Fatal(err)
			}
			b.app.Wait()
			answers := b.fake.Answers(id)
			if len(answers) == 0 {
				t.Fatal("no answer")
			}
			inc := downwind.Incident{Provider: "livekit", ID: strings.Repeat("x", 150), Kind: downwind.KindIncident, Title: chattest.Hostile(size.Length * 3), Phase: downwind.Investigating, Impact: downwind.ImpactMajor}
			for i := range 20 {
				inc.Components = append(inc.Components, downwind.Component{Name: chattest.Hostile(size.Length) + fmt.Sprint(i)})
			}
			b.store.AddIncident(inc)
			b.store.AddDelivery(downwind.Delivery{ID: "d", Destination: "slack:T01:C012", Incident: inc.Key(), RootID: "5.5"}, downwind.Part{Version: 1, Alert: downwind.Alert{Incident: inc}})
			for _, text := range []string{"subscribe livekit github stripe region:" + strings.Repeat("eu-west-1-zone,", 3), "stack show", "list", "status", "status livekit", "why", "replay", "why " + chattest.Hostile(50), "subscribe " + chattest.Hostile(300), chattest.Hostile(200), "feed", "help", "list all"} {
				b.clock.Add(10 * time.Second)
				answers = append(answers, b.command(slacktest.Command{Text: text})...)
			}
			for _, verb := range []string{notify.VerbNotUs, notify.VerbWhy, notify.VerbDone, notify.VerbMute} {
				x, err := b.fake.Click(b.ctx(), slacktest.Click{Message: slacktest.Message{Channel: "C012", TS: "5.5"}, ActionID: notify.ActionID(verb, notify.IncidentArg(inc.Key()))})
				if err != nil {
					t.Fatal(err)
				}
				b.app.Wait()
				answers = append(answers, b.fake.Answers(x.ID)...)
			}
			if err := b.fake.Event(b.ctx(), map[string]any{"type": "app_home_opened", "user": "U0USER", "tab": "home"}); err != nil {
				t.Fatal(err)
			}
			b.app.Wait()
			for _, a := range answers {
				for _, p := range slacktest.Validate(a.Text, a.Blocks) {
					t.Error(p)
				}
				for _, live := range slacktest.Live(a.Text+"\n"+markup(t, a.Blocks), "https://downwind.example/", "downwind.example") {
					t.Errorf("live: %q in %.600q", live, a.Text+markup(t, a.Blocks))
				}
			}
			for _, line := range strings.Split(b.logs.String(), "\n") {
				if strings.Contains(line, "response_url") {
					t.Errorf("an answer was refused: %s", line)
				}
			}
		})
	}
}
