package discord_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"downwind"
	"downwind/notify"
	"downwind/notify/discord"
	"downwind/notify/discord/discordtest"
	"downwind/notify/notifytest"
	"downwind/secret"
)

func setup(t *testing.T, o discordtest.Options) (*discordtest.Server, *discord.Notifier, notify.Target) {
	t.Helper()
	s := discordtest.New(o)
	t.Cleanup(s.Close)
	n, err := discord.New(discord.Options{Token: secret.New(s.Token()), APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	d := downwind.Destination{ID: "discord:99:1001", Platform: "discord", Workspace: "99", Channel: "1001"}
	return s, n, notify.Target{Destination: d, Key: notify.Key(d.ID, "livekit/x", "root"), FirstTry: time.Now()}
}

func message() notify.Message {
	return notify.Message{
		Title: "Title", Text: "Title. All of it.", Thread: "LiveKit: x", URL: "https://downwind.example/incidents/livekit/x",
		Blocks: []notify.Block{{Kind: notify.BlockText, Lines: [][]notify.Run{{{Text: "hello"}}}}},
	}
}

func TestPostReplyEditFind(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{})
	ctx := context.Background()
	root := n.Post(ctx, target, message())
	if root.Verdict != notify.Done || root.ID == "" {
		t.Fatalf("post: %+v", root)
	}
	target.Root = root.ID
	reply := target
	reply.Key = notify.Key("discord:99:1001", "livekit/x", "v2")
	m := message()
	m.Silent = true
	r := n.Reply(ctx, reply, m)
	if r.Verdict != notify.Done || r.Thread != root.ID {
		t.Fatalf("reply: %+v", r)
	}
	loud := target
	loud.Key, loud.Thread = notify.Key("discord:99:1001", "livekit/x", "v3"), r.Thread
	m.Broadcast, m.Silent = true, false
	if r := n.Reply(ctx, loud, m); r.Verdict != notify.Done || r.Thread != root.ID {
		t.Fatalf("loud reply: %+v", r)
	}
	m.Title = "Newest state"
	edit := target
	edit.Thread = r.Thread
	if r := n.Edit(ctx, edit, m); r.Verdict != notify.Done {
		t.Fatalf("edit: %+v", r)
	}
	roots := s.Roots("1001")
	if len(roots) != 1 || len(roots[0].Edits) != 1 || !strings.Contains(roots[0].Visible(), "Newest state") {
		t.Errorf("roots: %+v", roots)
	}
	th := s.Thread(root.ID)
	if len(th) != 2 || !th[0].Silent() || th[0].Channel != root.ID || th[1].Channel != "1001" || th[1].Silent() {
		t.Errorf("replies: %+v", th)
	}
	find := target
	find.Root = ""
	if r := n.Find(ctx, find); r.ID != root.ID {
		t.Errorf("find root: %+v", r)
	}
	for _, key := range []notify.Target{reply, loud} {
		if r := n.Find(ctx, key); r.Verdict != notify.Done || r.ID == "" {
			t.Errorf("find reply %s: %+v", key.Key, r)
		}
	}
	reply.Key = "dw_none"
	if r := n.Find(ctx, reply); r.Verdict != notify.Done || r.ID != "" {
		t.Errorf("find nothing: %+v", r)
	}
	if p := s.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

func TestVerdicts(t *testing.T) {
	refuse := func(code string, status int) notifytest.Rule {
		return notifytest.Rule{Fault: notifytest.Refuse, Name: code, Status: status}
	}
	for _, c := range []struct {
		name string
		rule notifytest.Rule
		edit bool
		want notify.Verdict
		sent bool
	}{
		{"429", notifytest.Rule{Fault: notifytest.RateLimit, RetryAfter: 2 * time.Second}, false, notify.Wait, false},
		{"500", notifytest.Rule{Fault: notifytest.ErrorBefore}, false, notify.Unclear, false},
		{"502 after", notifytest.Rule{Fault: notifytest.ErrorAfter}, false, notify.Unclear, true},
		{"lost answer", notifytest.Rule{Fault: notifytest.LostAnswer}, false, notify.Unclear, true},
		{"cut", notifytest.Rule{Fault: notifytest.CutBefore}, false, notify.Unclear, false},
		{"no access", refuse("50001", 403), false, notify.Permanent, false},
		{"no permission", refuse("50013", 403), false, notify.Permanent, false},
		{"no channel", refuse("10003", 404), false, notify.Permanent, false},
		{"no guild", refuse("10004", 404), false, notify.Permanent, false},
		{"bad token", refuse("0", 401), false, notify.Revoked, false},
		{"bad token by code", refuse("40001", 401), false, notify.Revoked, false},
		{"webhook gone", refuse("10015", 404), false, notify.Permanent, false},
		{"slow mode", refuse("20016", 400), false, notify.Wait, false},
		{"channel write limit", refuse("20028", 429), false, notify.Wait, false},
		{"invalid body", refuse("50035", 400), false, notify.Rejected, false},
		{"root gone", refuse("10008", 404), true, notify.RootGone, false},
		{"old edit", refuse("30046", 400), true, notify.Wait, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n, target := setup(t, discordtest.Options{Faults: notifytest.NewPlan(1, c.rule)})
			var r notify.Result
			if c.edit {
				target.Root = "123456"
				r = n.Edit(context.Background(), target, message())
			} else {
				r = n.Post(context.Background(), target, message())
			}
			if r.Verdict != c.want {
				t.Errorf("verdict %d, want %d (%v)", r.Verdict, c.want, r.Err)
			}
			if got := len(s.Roots("1001")) > 0; got != c.sent {
				t.Errorf("in the channel: %v, want %v", got, c.sent)
			}
			if n := len(s.Calls("")); c.want != notify.Rejected && n != 1 {
				t.Errorf("%d calls, want 1: nothing is retried here", n)
			}
			if (r.Verdict == notify.Permanent || r.Verdict == notify.Revoked) && r.Reason == "" {
				t.Error("no reason for people")
			}
			if r.Verdict == notify.Wait && r.RetryAfter <= 0 {
				t.Error("no time to wait")
			}
			notifytest.LeaksNoSecret(t, r, s.Token())
		})
	}
}

func TestSameNonceTwiceIsOneMessage(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{Faults: notifytest.NewPlan(1, notifytest.Rule{Fault: notifytest.LostAnswer, Times: 1})})
	if r := n.Post(context.Background(), target, message()); r.Verdict != notify.Unclear {
		t.Fatalf("%+v", r)
	}
	r := n.Post(context.Background(), target, message())
	if roots := s.Roots("1001"); r.Verdict != notify.Done || len(roots) != 1 || roots[0].ID != r.ID {
		t.Errorf("%+v, %d roots", r, len(roots))
	}
}

// C089, C109.
func TestUsedUpBucketWaitsWithoutARequest(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{Remaining: 2, ResetAfter: time.Minute})
	for i := range 2 {
		target.Key = notify.Key("a", "b", string(rune('a'+i)))
		if r := n.Post(context.Background(), target, message()); r.Verdict != notify.Done {
			t.Fatalf("%+v", r)
		}
	}
	target.Key = "dw_third"
	r := n.Post(context.Background(), target, message())
	if r.Verdict != notify.Wait || r.RetryAfter < 50*time.Second || len(s.Calls("POST")) != 2 {
		t.Errorf("%+v after %d calls", r, len(s.Calls("POST")))
	}
}

func TestNoThreadsMeansTheChannel(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{Channels: []discordtest.Channel{{ID: "1001", NoThreads: true}}})
	root := n.Post(context.Background(), target, message())
	target.Root, target.Key = root.ID, "dw_v2"
	r := n.Reply(context.Background(), target, message())
	if r.Verdict != notify.Done || r.Thread != notify.InChannel {
		t.Fatalf("%+v", r)
	}
	target.Thread, target.Key = r.Thread, "dw_v3"
	before := len(s.Calls("POST"))
	if r := n.Reply(context.Background(), target, message()); r.Thread != notify.InChannel || len(s.Calls("POST")) != before+1 {
		t.Errorf("%+v, %d calls", r, len(s.Calls("POST"))-before)
	}
	if th := s.Thread(root.ID); len(th) != 2 || th[0].ReplyTo != root.ID {
		t.Errorf("%+v", th)
	}
}

func TestFilteredTextIsWithheld(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{Faults: notifytest.NewPlan(1,
		notifytest.Rule{Fault: notifytest.Refuse, Name: "200000", Times: 1})})
	m := message()
	m.Blocks[0].Lines[0][0] = notify.Run{Text: "bad words", Foreign: true}
	r := n.Post(context.Background(), target, m)
	roots := s.Roots("1001")
	if r.Verdict != notify.Done || len(roots) != 1 || strings.Contains(roots[0].Visible(), "bad words") || r.Reason == "" {
		t.Errorf("%+v %+v", r, roots)
	}
}

func TestReplyInsideACollectingThread(t *testing.T) {
	s, n, target := setup(t, discordtest.Options{})
	ctx := context.Background()
	root := n.Post(ctx, target, message())
	target.Root, target.Key = root.ID, "dw_first"
	first := n.Reply(ctx, target, message())
	// The first reply is the incident's root: it is edited and found inside the thread.
	own := target
	own.Root, own.Thread, own.Key = first.ID, first.Thread, "dw_first"
	m := message()
	m.Title = "newer"
	if r := n.Edit(ctx, own, m); r.Verdict != notify.Done {
		t.Errorf("edit: %+v", r)
	}
	own.Key = "dw_second"
	if r := n.Reply(ctx, own, m); r.Verdict != notify.Done {
		t.Errorf("reply: %+v", r)
	}
	if r := n.Find(ctx, own); r.ID == "" {
		t.Errorf("find: %+v", r)
	}
	if got := s.Messages(root.ID); len(got) != 2 || got[1].ReplyTo != first.ID {
		t.Errorf("%+v", got)
	}
}

func TestFindPages(t *testing.T) {
	_, n, target := setup(t, discordtest.Options{})
	for i := range 130 {
		o := target
		o.Key = notify.Key("x", "y", string(rune(0x4e00+i)))
		if r := n.Post(context.Background(), o, message()); r.Verdict != notify.Done {
			t.Fatal(r)
		}
		target = o
	}
	if r := n.Find(context.Background(), target); r.ID == "" {
		t.Errorf("not found: %+v", r)
	}
}

func TestGatewayInteraction(t *testing.T) {
	s, _, _ := setup(t, discordtest.Options{})
	sess, err := discord.NewSession(secret.New(s.Token()), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	sess.AddHandler(func(d *discordgo.Session, i *discordgo.InteractionCreate) {
		_ = d.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{
				Content: "read " + i.ApplicationCommandData().Name, Flags: discordgo.MessageFlagsEphemeral,
				AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
			},
		})
	})
	if err := sess.Open(); err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req := s.WithAttachment(discordtest.Command([]string{"feed", "stack", "import"}, nil), "file", "package.json", []byte("{}"))
	i, err := s.Interact(ctx, req)
	if err != nil || !i.Ephemeral() || !strings.Contains(i.Visible(), "read feed") {
		t.Errorf("%+v %v", i, err)
	}
	if p := s.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

// C113.
func TestCheckNamesWhatIsLacking(t *testing.T) {
	for _, c := range []struct {
		name    string
		lacking int64
		denied  bool
		want    notify.Verdict
		says    string
	}{
		{"all there", 0, false, notify.Done, ""},
		{"no embeds", discordgo.PermissionEmbedLinks, false, notify.Permanent, "Embed Links"},
		{"no threads", discordgo.PermissionCreatePublicThreads, false, notify.Done, "Create Public Threads"},
		{"not visible", 0, true, notify.Permanent, "View Channel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n, target := setup(t, discordtest.Options{Channels: []discordtest.Channel{{ID: "1001", Lacking: c.lacking, Denied: c.denied}}})
			r := n.Check(context.Background(), target.Destination)
			if r.Verdict != c.want || !strings.Contains(r.Reason, c.says) || c.says == "" && r.Reason != "" {
				t.Errorf("%+v", r)
			}
			if len(s.Messages("")) > 0 {
				t.Error("the check posted something")
			}
		})
	}
}
