package slack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind"
	"downwind/chat"
	"downwind/notify"
	render "downwind/notify/slack"
)

// reply is where the answer to a request goes.
type reply struct {
	workspace, channel, user string
	// url is the request's response_url, empty for those without.
	url string
	// trigger lets a dialog be opened, for three seconds.
	trigger string
	// thread puts public notes into a thread.
	thread string
	// name is the name of the command that arrived; it is kept for dialogs.
	name, channelName string
}

// busyText is said when too many requests are being worked on.
const busyText = "I am very busy just now. Please repeat that in a minute; repeating does no harm."

// command takes a slash command; what it returns goes out with the acknowledgement.
func (a *App) command(c slackgo.SlashCommand) any {
	to := reply{workspace: c.TeamID, channel: c.ChannelID, user: c.UserID, url: c.ResponseURL, trigger: c.TriggerID, name: c.Command, channelName: c.ChannelName}
	ok := a.start(func(ctx context.Context) {
		who := a.caller(ctx, to, c.UserName, c.TeamID)
		a.answer(ctx, to, a.o.Handler.Run(ctx, who, c.Text))
	})
	if !ok {
		return map[string]string{"response_type": "ephemeral", "text": busyText}
	}
	return nil
}

// caller describes who asks, with what users.info tells where the scope allows it.
func (a *App) caller(ctx context.Context, to reply, userName, userTeam string) chat.Caller {
	who := chat.Caller{
		Platform: downwind.PlatformSlack, Workspace: to.workspace, Channel: to.channel, ChannelName: channelName(to.channelName),
		User: to.user, UserName: userName, Command: to.name,
	}
	if u, ok := a.users.get(a.o.Clock.Now(), to.workspace+to.user); ok {
		who.Guest, who.Admin = u.guest, u.admin
		return who
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var u userInfo
	if api, err := a.client(ctx, to.workspace); err == nil {
		info, err := api.GetUserInfoContext(ctx, to.user)
		var limited slackgo.SlackErrorResponse
		switch {
		case err == nil:
			u = userInfo{guest: info.IsRestricted || info.IsUltraRestricted || info.IsStranger, admin: info.IsAdmin || info.IsOwner}
		case errors.As(err, &limited):
			// Without users:read guests cannot be told apart, and nobody counts as an admin.
			a.o.Logger.Debug("slack: users.info", "err", err)
		default:
			a.o.Logger.Debug("slack: users.info", "err", err)
			return who
		}
	}
	if userTeam != "" && userTeam != to.workspace {
		u.guest, u.admin = true, false
	}
	a.users.put(a.o.Clock.Now(), to.workspace+to.user, u)
	who.Guest, who.Admin = u.guest, u.admin
	return who
}

// channelName is a channel's name for people; Slack hides those of private channels behind a word of its own.
func channelName(name string) string {
	switch name {
	case "privategroup":
		return "private channel"
	case "directmessage":
		return "direct message"
	}
	return name
}

// userInfo is what is known of a user's rights; it is kept for ten minutes.
type userInfo struct {
	guest, admin bool
	until        time.Time
}

type userCache struct {
	mu sync.Mutex
	m  map[string]userInfo
}

// maxUsers bounds the cache; a full one is emptied.
const maxUsers = 10000

func (c *userCache) get(now time.Time, key string) (userInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok := c.m[key]
	return u, ok && now.Before(u.until)
}

func (c *userCache) put(now time.Time, key string, u userInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxUsers {
		c.m = map[string]userInfo{}
	}
	u.until = now.Add(10 * time.Minute)
	c.m[key] = u
}

// answer shows an answer: the dialog, the private part, the public one. At most four uses of a response_url.
func (a *App) answer(ctx context.Context, to reply, ans chat.Answer) {
	if ans.Dialog != "" && to.trigger != "" {
		err := a.open(ctx, to, ans)
		if err == nil {
			return
		}
		a.o.Logger.Warn("slack: the dialog could not be opened", "err", err)
	}
	// A change is announced first, so that a private answer that fails does not hide it.
	if ans.Public != nil {
		if err := a.public(ctx, to, ans); err != nil {
			a.o.Logger.Warn("slack: the announcement could not be posted", "workspace", to.workspace, "channel", to.channel, "err", err)
		}
	}
	if ans.Private != nil {
		a.private(ctx, to, ans.Private, ans.Select, ans.Replace)
	}
	if ans.Preview != nil {
		a.private(ctx, to, ans.Preview, nil, false)
	}
}

// private shows a message to the caller only.
func (a *App) private(ctx context.Context, to reply, m *notify.Message, sel *chat.Select, replace bool) {
	blocks := render.Blocks(*m)
	if sel != nil {
		blocks = append(blocks, selectBlock(sel))
	}
	if to.url != "" {
		err := a.respond(ctx, to, slackgo.WebhookMessage{
			ResponseType: slackgo.ResponseTypeEphemeral, ReplaceOriginal: replace, Text: render.Text(*m), Blocks: &slackgo.Blocks{BlockSet: blocks},
		})
		if err == nil {
			return
		}
		a.o.Logger.Warn("slack: response_url", "err", err)
	}
	api, err := a.client(ctx, to.workspace)
	if err == nil {
		_, err = api.PostEphemeralContext(ctx, to.channel, to.user, slackgo.MsgOptionText(render.Text(*m), false), slackgo.MsgOptionBlocks(blocks...), slackgo.MsgOptionParse(false))
	}
	if err != nil {
		a.o.Logger.Warn("slack: the answer could not be shown", "workspace", to.workspace, "channel", to.channel, "err", err)
	}
}

// public announces a change in the channel, or in the other channel that the answer names.
func (a *App) public(ctx context.Context, to reply, ans chat.Answer) error {
	text, blocks := render.Text(*ans.Public), render.Blocks(*ans.Public)
	if to.url != "" && ans.In == "" {
		return a.respond(ctx, to, slackgo.WebhookMessage{
			ResponseType: slackgo.ResponseTypeInChannel, Text: text, Blocks: &slackgo.Blocks{BlockSet: blocks}, ThreadTimestamp: to.thread,
		})
	}
	api, err := a.client(ctx, to.workspace)
	if err != nil {
		return err
	}
	channel := to.channel
	if ans.In != "" {
		channel = ans.In
	}
	_, _, err = api.PostMessageContext(ctx, channel, slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...),
		slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl(), slackgo.MsgOptionParse(false))
	return err
}

// respond posts to a response_url, which must be Slack's own.
func (a *App) respond(ctx context.Context, to reply, m slackgo.WebhookMessage) error {
	u, err := url.Parse(to.url)
	if err != nil || !a.own(u) {
		return errors.New("the response_url is not Slack's")
	}
	ctx, cancel := context.WithTimeout(ctx, apiTime)
	defer cancel()
	if err := slackgo.PostWebhookCustomHTTPContext(ctx, to.url, a.o.HTTP, &m); err != nil {
		return redactURL(err, to.url)
	}
	return nil
}

// redactURL takes an address that lets others post out of an error.
func redactURL(err error, address string) error {
	return fmt.Errorf("post the answer: %s", strings.ReplaceAll(err.Error(), address, "(response_url)"))
}

// selectBlock renders a choice; Slack sends what is chosen when the list is closed.
func selectBlock(s *chat.Select) slackgo.Block {
	var opts []*slackgo.OptionBlockObject
	for _, c := range s.Options {
		var desc *slackgo.TextBlockObject
		if c.Description != "" {
			desc = plain(c.Description, 75)
		}
		if len(opts) < 100 && c.Value != "" && len(c.Value) <= 150 {
			opts = append(opts, slackgo.NewOptionBlockObject(c.Value, plain(c.Label, 75), desc))
		}
	}
	return slackgo.NewActionBlock("", slackgo.NewOptionsMultiSelectBlockElement(slackgo.MultiOptTypeStatic, plain(s.Placeholder, 150), s.ID, opts...))
}

// plain is text without markup, cut to n characters.
func plain(s string, n int) *slackgo.TextBlockObject {
	s = notify.Cut(notify.OneLine(s), n)
	if s == "" {
		s = "…"
	}
	return slackgo.NewTextBlockObject(slackgo.PlainTextType, s, false, false)
}
