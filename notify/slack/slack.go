// Package slack renders messages as Block Kit and delivers them through Slack's Web API.
//
// It escapes every piece of provider text by Escape, keeps Slack's limits, and turns every answer into a verdict. It
// never retries by itself: a request that may have been accepted is looked for first (Find), by the key that every
// message carries in its metadata.
package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind"
	"downwind/notify"
	"downwind/secret"
)

// EventType is the metadata event type of every message of ours; its payload is {delivery, incident, kind}.
const EventType = "downwind_delivery"

// timeout bounds one request.
const timeout = 15 * time.Second

// maxPages bounds a look-up in a channel's history.
const maxPages = 10

// Options is what a Notifier needs.
type Options struct {
	// Token is the bot token of a single workspace. Tokens, where set, gives the token of each workspace instead (OAuth
	// installs); an error means that the workspace is not installed.
	Token  secret.String
	Tokens func(ctx context.Context, workspace string) (secret.String, error)
	// APIURL replaces Slack's address; empty: the real one.
	APIURL string
	// Client sends the requests; nil: one with a timeout.
	Client *http.Client
}

// Notifier delivers to Slack. It is safe for concurrent use.
type Notifier struct{ o Options }

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: timeout}
	}
	o.APIURL = apiURL(o.APIURL)
	return &Notifier{o: o}
}

// Limits implements notify.Notifier: about one post a second and channel, 50 edits a minute and workspace.
func (n *Notifier) Limits() notify.Limits {
	return notify.Limits{
		Edits: true, Threads: true, Lookup: true, Shared: true,
		PerChannel: time.Second, EditEvery: 2 * time.Second, Timeout: timeout,
	}
}

// client makes the API client of a destination's workspace.
func (n *Notifier) client(ctx context.Context, d downwind.Destination) (*slackgo.Client, error) {
	token := n.o.Token
	if n.o.Tokens != nil {
		t, err := n.o.Tokens(ctx, d.Workspace)
		if err != nil {
			return nil, fmt.Errorf("%w: token of workspace %s: %w", notify.ErrBeforeSending, d.Workspace, err)
		}
		token = t
	}
	if token.IsZero() {
		return nil, fmt.Errorf("%w: no token for workspace %s", notify.ErrBeforeSending, d.Workspace)
	}
	opts := []slackgo.Option{slackgo.OptionHTTPClient(n.o.Client)}
	if n.o.APIURL != "" {
		opts = append(opts, slackgo.OptionAPIURL(n.o.APIURL))
	}
	return slackgo.New(token.Reveal(), opts...), nil
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.send(ctx, t, m, nil, "")
}

// Reply implements notify.Notifier. Where the channel allows no threads, the reply goes into the channel and
// Result.Thread says so.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	thread := t.Thread
	if thread == "" {
		thread = t.Root
	}
	if thread == notify.InChannel {
		r := n.send(ctx, t, m, nil, "")
		r.Thread = notify.InChannel
		return r
	}
	opts := []slackgo.MsgOption{slackgo.MsgOptionTS(thread)}
	if m.Broadcast {
		opts = append(opts, slackgo.MsgOptionBroadcast())
	}
	r := n.send(ctx, t, m, opts, "")
	if r.Verdict == notify.NoThread {
		r = n.send(ctx, t, m, nil, "")
		r.Thread = notify.InChannel
	}
	return r
}

// Edit implements notify.Notifier.
func (n *Notifier) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	m.Mention = ""
	return n.send(ctx, t, m, nil, t.Root)
}

// send posts or, with an id, edits, in the largest form that Slack takes.
func (n *Notifier) send(ctx context.Context, t notify.Target, m notify.Message, opts []slackgo.MsgOption, edit string) notify.Result {
	if r, over := notify.Expired(ctx); over {
		return r
	}
	c, err := n.client(ctx, t.Destination)
	if err != nil {
		return notify.Result{Verdict: notify.Revoked, Reason: "no token for this Slack workspace: install the app again", Err: err}
	}
	if t.Key != "" {
		m.Delivery = t.Key
	}
	var r notify.Result
	for _, form := range []func(notify.Message) notify.Message{full, notify.Compact, plainOnly} {
		all := append(options(form(m)), opts...)
		var id string
		if edit == "" {
			_, id, err = c.PostMessageContext(ctx, t.Destination.Channel, all...)
		} else {
			_, id, _, err = c.UpdateMessageContext(ctx, t.Destination.Channel, edit, all...)
		}
		if err == nil {
			return notify.Result{Verdict: notify.Done, ID: id}
		}
		r = judge(err, edit != "")
		if r.Verdict != notify.Rejected {
			return r
		}
	}
	return r
}

func full(m notify.Message) notify.Message { return m }

// plainOnly keeps only the plain text.
func plainOnly(m notify.Message) notify.Message {
	return notify.Message{
		Text: m.Text, Tone: m.Tone, Mention: m.Mention, Delivery: m.Delivery, Incident: m.Incident, Kind: m.Kind,
	}
}

// options are the arguments that every message of ours has.
func options(m notify.Message) []slackgo.MsgOption {
	return []slackgo.MsgOption{
		slackgo.MsgOptionText(Text(m), false),
		slackgo.MsgOptionBlocks(Blocks(m)...),
		slackgo.MsgOptionDisableLinkUnfurl(),
		slackgo.MsgOptionDisableMediaUnfurl(),
		slackgo.MsgOptionParse(false),
		slackgo.MsgOptionMetadata(slackgo.SlackMetadata{
			EventType:    EventType,
			EventPayload: map[string]any{"delivery": m.Delivery, "incident": notify.Cut(m.Incident, 200), "kind": m.Kind},
		}),
	}
}

// Find implements notify.Notifier by the metadata of the channel's history, or of the thread's replies.
func (n *Notifier) Find(ctx context.Context, t notify.Target) notify.Result {
	c, err := n.client(ctx, t.Destination)
	if err != nil {
		return notify.Result{Verdict: notify.Revoked, Reason: "no token for this Slack workspace: install the app again", Err: err}
	}
	thread := t.Thread
	if thread == "" {
		thread = t.Root
	}
	oldest := ""
	if !t.FirstTry.IsZero() {
		oldest = stamp(t.FirstTry.Add(-5 * time.Second))
	}
	cursor := ""
	for range maxPages {
		msgs, next, err := page(ctx, c, t.Destination.Channel, thread, oldest, cursor)
		if err != nil {
			r := judge(err, false)
			if r.Verdict == notify.RootGone {
				return notify.Result{Verdict: notify.Done} // without its root there is no reply; sending again will tell
			}
			if r.Verdict == notify.Done || r.Verdict == notify.NotSent {
				r.Verdict = notify.Unclear
			}
			if missingScope(err) {
				r = notify.Result{
					Verdict: notify.Permanent, Err: err,
					Reason: "cannot look for a message that may have been sent: add the scopes channels:history and groups:history to the app",
				}
			}
			return r
		}
		for _, m := range msgs {
			if m.Metadata.EventType == EventType && m.Metadata.EventPayload["delivery"] == t.Key {
				return notify.Result{Verdict: notify.Done, ID: m.Timestamp}
			}
		}
		if next == "" {
			return notify.Result{Verdict: notify.Done}
		}
		cursor = next
	}
	return notify.Result{Verdict: notify.Unclear, Err: fmt.Errorf("look-up stopped after %d pages", maxPages)}
}

// page reads one page of a channel's history or of a thread.
func page(ctx context.Context, c *slackgo.Client, channel, thread, oldest, cursor string) ([]slackgo.Message, string, error) {
	if thread != "" && thread != notify.InChannel {
		msgs, _, next, err := c.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{
			ChannelID: channel, Timestamp: thread, Oldest: oldest, Cursor: cursor, Inclusive: true, Limit: 100, IncludeAllMetadata: true,
		})
		return msgs, next, err
	}
	h, err := c.GetConversationHistoryContext(ctx, &slackgo.GetConversationHistoryParameters{
		ChannelID: channel, Oldest: oldest, Cursor: cursor, Inclusive: true, Limit: 100, IncludeAllMetadata: true,
	})
	if err != nil {
		return nil, "", err
	}
	return h.Messages, h.ResponseMetaData.NextCursor, nil
}

// stamp is an instant as Slack's ts.
func stamp(t time.Time) string {
	return strconv.FormatInt(t.Unix(), 10) + fmt.Sprintf(".%06d", t.Nanosecond()/1000)
}

// Check implements notify.Notifier: is the token good, is the channel there and are we in it? It posts nothing.
func (n *Notifier) Check(ctx context.Context, d downwind.Destination) notify.Result {
	c, err := n.client(ctx, d)
	if err != nil {
		return notify.Result{Verdict: notify.Revoked, Reason: "no token for this Slack workspace: install the app again", Err: err}
	}
	auth, err := c.AuthTestContext(ctx)
	if err != nil {
		return judge(err, false)
	}
	r := scopes(auth.Header.Get("X-OAuth-Scopes"))
	if r.Verdict != notify.Done {
		return r
	}
	ch, err := c.GetConversationInfoContext(ctx, &slackgo.GetConversationInfoInput{ChannelID: d.Channel})
	switch {
	case missingScope(err):
		return r // without channels:read the channel cannot be looked at
	case err != nil:
		return judge(err, false)
	case ch.IsArchived:
		return judge(slackgo.SlackErrorResponse{Err: "is_archived"}, false)
	case !ch.IsMember && !ch.IsIM && ch.IsPrivate:
		return judge(slackgo.SlackErrorResponse{Err: "not_in_channel"}, false)
	}
	return r
}

// scopes judges the scopes that Slack says the token has, a list with commas; empty: not told.
func scopes(list string) notify.Result {
	r := notify.Result{Verdict: notify.Done}
	if list == "" {
		return r
	}
	have := map[string]bool{}
	for _, s := range strings.Split(list, ",") {
		have[strings.TrimSpace(s)] = true
	}
	switch {
	case !have["chat:write"]:
		r.Verdict, r.Reason = notify.Permanent, "the app lacks the scope chat:write: add it and install the app again"
	case !have["channels:history"] || !have["groups:history"]:
		r.Reason = "works, but without the scopes channels:history and groups:history a message in doubt cannot be looked for: new and resolved are then sent once more"
	}
	return r
}

func missingScope(err error) bool {
	var e slackgo.SlackErrorResponse
	return errors.As(err, &e) && e.Err == "missing_scope"
}
