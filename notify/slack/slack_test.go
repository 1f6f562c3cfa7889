package slack_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/notify/notifytest"
	"downwind/notify/slack"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

// setup starts a fake with faults and a notifier for it.
func setup(t *testing.T, o slacktest.Options) (*slacktest.Server, *slack.Notifier, notify.Target) {
	t.Helper()
	s := slacktest.New(o)
	t.Cleanup(s.Close)
	n := slack.New(slack.Options{Token: secret.New(s.Token()), APIURL: s.URL()})
	d := downwind.Destination{ID: "slack:T01:C012", Platform: "slack", Workspace: "T01", Channel: "C012"}
	return s, n, notify.Target{Destination: d, Key: notify.Key(d.ID, "livekit/x", "root"), FirstTry: time.Now()}
}

func message() notify.Message {
	return notify.Message{Title: "Title", Text: "Title. All of it.", Blocks: []notify.Block{{Kind: notify.BlockText, Lines: [][]notify.Run{{{Text: "hello"}}}}}}
}

func TestPostReplyEditFind(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{})
	ctx := context.Background()
	root := n.Post(ctx, target, message())
	if root.Verdict != notify.Done || root.ID == "" {
		t.Fatalf("post: %+v", root)
	}
	target.Root = root.ID
	reply := target
	reply.Key = notify.Key("slack:T01:C012", "livekit/x", "v2")
	m := message()
	m.Broadcast = true
	if r := n.Reply(ctx, reply, m); r.Verdict != notify.Done || r.ID == root.ID {
		t.Fatalf("reply: %+v", r)
	}
	m.Title = "Newest state"
	if r := n.Edit(ctx, target, m); r.Verdict != notify.Done {
		t.Fatalf("edit: %+v", r)
	}
	roots := s.Roots("C012")
	if len(roots) != 1 || len(roots[0].Edits) != 1 || !strings.Contains(roots[0].Visible(), "Newest state") {
		t.Errorf("roots: %+v", roots)
	}
	if th := s.Thread("C012", root.ID); len(th) != 1 || !th[0].Broadcast {
		t.Errorf("thread: %+v", th)
	}
	find := target
	find.Root = ""
	if r := n.Find(ctx, find); r.Verdict != notify.Done || r.ID != root.ID {
		t.Errorf("find root: %+v, want %s", r, root.ID)
	}
	if r := n.Find(ctx, reply); r.Verdict != notify.Done || r.ID == "" {
		t.Errorf("find reply: %+v", r)
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
	for _, c := range []struct {
		name string
		rule notifytest.Rule
		edit bool
		want notify.Verdict
		// sent says whether the message stands in the channel all the same.
		sent bool
	}{
		{"429", notifytest.Rule{Fault: notifytest.RateLimit, RetryAfter: 7 * time.Second}, false, notify.Wait, false},
		{"500 before", notifytest.Rule{Fault: notifytest.ErrorBefore}, false, notify.Unclear, false},
		{"502 after", notifytest.Rule{Fault: notifytest.ErrorAfter}, false, notify.Unclear, true},
		{"lost answer", notifytest.Rule{Fault: notifytest.LostAnswer}, false, notify.Unclear, true},
		{"cut", notifytest.Rule{Fault: notifytest.CutBefore}, false, notify.Unclear, false},
		{"ratelimited by name", refuse("ratelimited"), false, notify.Wait, false},
		{"fatal", refuse("fatal_error"), false, notify.Unclear, false},
		{"internal", refuse("internal_error"), false, notify.Unclear, false},
		{"timeout", refuse("request_timeout"), false, notify.Unclear, false},
		{"not in channel", refuse("not_in_channel"), false, notify.Permanent, false},
		{"no channel", refuse("channel_not_found"), false, notify.Permanent, false},
		{"archived", refuse("is_archived"), false, notify.Permanent, false},
		{"restricted", refuse("restricted_action_read_only_channel"), false, notify.Permanent, false},
		{"scope", refuse("missing_scope"), false, notify.Permanent, false},
		{"revoked", refuse("token_revoked"), false, notify.Revoked, false},
		{"inactive", refuse("account_inactive"), false, notify.Revoked, false},
		{"bad auth", refuse("invalid_auth"), false, notify.Revoked, false},
		{"expired", refuse("token_expired"), false, notify.Revoked, false},
		{"too long always", refuse("msg_blocks_too_long"), false, notify.Rejected, false},
		{"root gone", refuse("message_not_found"), true, notify.RootGone, false},
		{"no edit", refuse("cant_update_message"), true, notify.NoEdit, false},
		{"window closed", refuse("edit_window_closed"), true, notify.NoEdit, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n, target := setup(t, slacktest.Options{Faults: notifytest.NewPlan(1, c.rule)})
			var r notify.Result
			if c.edit {
				target.Root = "1.000001"
				r = n.Edit(context.Background(), target, message())
			} else {
				r = n.Post(context.Background(), target, message())
			}
			if r.Verdict != c.want {
				t.Errorf("verdict %d, want %d (%v)", r.Verdict, c.want, r.Err)
			}
			if got := len(s.Roots("C012")) > 0; got != c.sent {
				t.Errorf("in the channel: %v, want %v", got, c.sent)
			}
			if n := len(s.Calls("chat.")); c.want != notify.Rejected && n != 1 {
				t.Errorf("%d calls, want 1: nothing is retried here", n)
			}
			if c.name == "429" && r.RetryAfter != 7*time.Second {
				t.Errorf("retry after %s, want 7s", r.RetryAfter)
			}
			if (r.Verdict == notify.Permanent || r.Verdict == notify.Revoked) && r.Reason == "" {
				t.Error("no reason for people")
			}
			notifytest.LeaksNoSecret(t, r, s.Token())
		})
	}
}

func refuse(name string) notifytest.Rule {
	return notifytest.Rule{Fault: notifytest.Refuse, Name: name}
}

func TestTooLongFallsBack(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{Faults: notifytest.NewPlan(1,
		notifytest.Rule{Fault: notifytest.Refuse, Name: "msg_blocks_too_long", Times: 2})})
	if r := n.Post(context.Background(), target, message()); r.Verdict != notify.Done {
		t.Fatalf("%+v", r)
	}
	if calls := s.Calls("chat.postMessage"); len(calls) != 3 || calls[2].Form.Get("blocks") != "[]" {
		t.Errorf("want full, compact, plain; got %d calls, last blocks %q", len(calls), calls[len(calls)-1].Form.Get("blocks"))
	}
}

func TestRefusedConnectionIsNotSent(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{})
	s.Close()
	if r := n.Post(context.Background(), target, message()); r.Verdict != notify.NotSent {
		t.Errorf("%+v", r)
	}
}

func TestFindWithoutScope(t *testing.T) {
	_, n, target := setup(t, slacktest.Options{MissingScopes: []string{"channels:history", "channels:read"}})
	r := n.Find(context.Background(), target)
	if r.Verdict != notify.Permanent || !strings.Contains(r.Reason, "channels:history") {
		t.Errorf("%+v", r)
	}
	if r := n.Check(context.Background(), target.Destination); r.Verdict != notify.Done || !strings.Contains(r.Reason, "channels:history") {
		t.Errorf("check: %+v", r)
	}
}

func TestFindPages(t *testing.T) {
	_, n, target := setup(t, slacktest.Options{PageSize: 3})
	first := n.Post(context.Background(), target, message())
	for i := range 10 {
		o := target
		o.Key = notify.Key("x", "y", string(rune('a'+i)))
		n.Post(context.Background(), o, message())
	}
	if r := n.Find(context.Background(), target); r.ID != first.ID {
		t.Errorf("found %+v, want %s", r, first.ID)
	}
}

func TestCheckArchived(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{})
	s.Archive("C012", true)
	if r := n.Check(context.Background(), target.Destination); r.Verdict != notify.Permanent || !strings.Contains(r.Reason, "archived") {
		t.Errorf("%+v", r)
	}
}

func TestCheckScopes(t *testing.T) {
	_, n, target := setup(t, slacktest.Options{})
	if r := n.Check(context.Background(), target.Destination); r.Verdict != notify.Done || r.Reason != "" {
		t.Errorf("all scopes: %+v", r)
	}
	_, n, target = setup(t, slacktest.Options{MissingScopes: []string{"chat:write"}})
	if r := n.Check(context.Background(), target.Destination); r.Verdict != notify.Permanent || !strings.Contains(r.Reason, "chat:write") {
		t.Errorf("no chat:write: %+v", r)
	}
}

func TestReplyToADeletedRoot(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{})
	root := n.Post(context.Background(), target, message())
	s.Delete("C012", root.ID)
	target.Root, target.Key = root.ID, "dw_reply"
	if r := n.Find(context.Background(), target); r.Verdict != notify.Done || r.ID != "" {
		t.Errorf("find: %+v", r)
	}
	if r := n.Reply(context.Background(), target, message()); r.Verdict != notify.RootGone {
		t.Errorf("reply: %+v", r)
	}
	if r := n.Edit(context.Background(), target, message()); r.Verdict != notify.RootGone {
		t.Errorf("edit: %+v", r)
	}
}

func TestNoThreadsMeansTheChannel(t *testing.T) {
	s, n, target := setup(t, slacktest.Options{Faults: notifytest.NewPlan(1)})
	root := n.Post(context.Background(), target, message())
	s.Faults().Add(notifytest.Rule{Fault: notifytest.Refuse, Name: "restricted_action_non_threadable_channel", Times: 1})
	target.Root, target.Key = root.ID, "dw_v2"
	r := n.Reply(context.Background(), target, message())
	if r.Verdict != notify.Done || r.Thread != notify.InChannel {
		t.Fatalf("%+v", r)
	}
	if shown := s.Roots("C012"); len(shown) != 2 {
		t.Errorf("%d messages in the channel, want 2", len(shown))
	}
	target.Thread = r.Thread
	if r := n.Find(context.Background(), target); r.ID != s.Roots("C012")[1].TS {
		t.Errorf("find: %+v", r)
	}
}
