package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind"
	"downwind/chat"
	render "downwind/notify/slack"
)

// eventEnvelope is what we read of an event.
type eventEnvelope struct {
	Type       string `json:"type"`
	ID         string `json:"event_id"`
	Team       string `json:"team_id"`
	Enterprise string `json:"enterprise_id"`
	Event      struct {
		Type        string         `json:"type"`
		Subtype     string         `json:"subtype"`
		User        string         `json:"user"`
		UserTeam    string         `json:"user_team"`
		Bot         string         `json:"bot_id"`
		Tab         string         `json:"tab"`
		Channel     string         `json:"channel"`
		ChannelType string         `json:"channel_type"`
		Files       []slackgo.File `json:"files"`
		Tokens      struct {
			Bot []string `json:"bot"`
		} `json:"tokens"`
	} `json:"event"`
}

// event takes an event once: Slack sends it again when an acknowledgement is late.
func (a *App) event(ctx context.Context, raw []byte) error {
	var e eventEnvelope
	var probe struct {
		Event struct {
			Channel json.RawMessage `json:"channel"`
		} `json:"event"`
	}
	if err := json.Unmarshal(raw, &probe); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	if len(probe.Event.Channel) > 0 && probe.Event.Channel[0] == '{' {
		// Events about channels carry an object there; they are learned from the errors of the next post.
		return nil
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	if e.Team == "" || e.ID == "" {
		return nil
	}
	first, err := a.o.Handler.Store.PutTemp(ctx, tempEvent, e.Team+"|"+e.ID, nil, a.o.Clock.Now().Add(time.Hour))
	if err != nil || !first {
		return err
	}
	switch e.Event.Type {
	case "app_home_opened":
		if e.Event.Tab == "" || e.Event.Tab == "home" {
			a.start(func(ctx context.Context) { a.publishHome(ctx, e.Team, e.Event.User) })
		}
	case "app_uninstalled":
		return a.revoked(ctx, e.Team, "the app was uninstalled from this Slack workspace; install it again to go on")
	case "tokens_revoked":
		if len(e.Event.Tokens.Bot) > 0 {
			return a.revoked(ctx, e.Team, "the app's token was revoked in this Slack workspace; install it again to go on")
		}
	case "message":
		if e.Event.ChannelType == "im" && e.Event.Subtype == "file_share" && e.Event.Bot == "" && len(e.Event.Files) > 0 {
			a.start(func(ctx context.Context) { a.direct(ctx, e) })
		}
	}
	return nil
}

// revoked stops a workspace at once: its token is erased, its destinations are paused, its settings stay.
func (a *App) revoked(ctx context.Context, team, reason string) error {
	a.o.Logger.Warn("slack: workspace gone", "workspace", team, "reason", reason)
	if a.o.Installs == nil {
		if a.o.OnRevoked != nil {
			a.o.OnRevoked(ctx, team, reason)
		}
		return nil
	}
	if err := a.o.Installs.DeleteInstall(ctx, downwind.PlatformSlack, team); err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if _, err := a.o.Installs.PauseWorkspace(ctx, downwind.PlatformSlack, team, reason); err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if a.o.OnRevoked != nil {
		a.o.OnRevoked(ctx, team, reason)
	}
	return nil
}

// direct reads files that were sent to the app in a direct message.
func (a *App) direct(ctx context.Context, e eventEnvelope) {
	to := reply{workspace: e.Team, channel: e.Event.Channel, user: e.Event.User, channelName: "direct message"}
	who := a.caller(ctx, to, "", e.Event.UserTeam)
	a.answer(ctx, to, a.imported(ctx, who, e.Event.Files, "", true))
}

// publishHome draws the Home tab of a person.
func (a *App) publishHome(ctx context.Context, team, user string) {
	home, err := a.o.Handler.Home(ctx, chat.Caller{Platform: downwind.PlatformSlack, Workspace: team, User: user})
	if err != nil {
		a.o.Logger.Error("slack: home", "err", err)
		return
	}
	api, err := a.client(ctx, team)
	if err == nil {
		_, err = api.PublishViewContext(ctx, slackgo.PublishViewContextRequest{
			UserID: user, View: slackgo.HomeTabViewRequest{Type: slackgo.VTHomeTab, Blocks: slackgo.Blocks{BlockSet: a.homeBlocks(home)}},
		})
	}
	if err != nil {
		a.o.Logger.Warn("slack: the home page could not be shown", "workspace", team, "err", err)
	}
}

func markdown(s string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.MarkdownType, s, false, true)
}

// homeBlocks lays the Home tab out: open incidents, then each channel with its team's stack and subscriptions.
func (a *App) homeBlocks(h chat.Home) []slackgo.Block {
	section := func(s string) slackgo.Block { return slackgo.NewSectionBlock(markdown(s), nil, nil) }
	blocks := []slackgo.Block{slackgo.NewHeaderBlock(plain("Open incidents of your providers", 150))}
	for i := range h.Open {
		inc := &h.Open[i]
		title := render.Escape(short(inc.Title, 200))
		if page := a.o.Handler.Page(inc); page != "" && !strings.ContainsAny(page, "|<> ") {
			title = "<" + strings.ReplaceAll(page, "&", "&amp;") + "|" + title + ">"
		}
		blocks = append(blocks, section(fmt.Sprintf("*%s* reports: %s\n%s, impact %s", render.Escape(a.o.Handler.ProviderName(inc.Provider)), title,
			render.Escape(string(inc.Phase)), render.Escape(string(inc.Impact)))))
	}
	if len(h.Open) == 0 {
		blocks = append(blocks, section("None that we can see. `/feed status` in a channel tells how fresh that is."))
	}
	blocks = append(blocks, slackgo.NewDividerBlock(), slackgo.NewHeaderBlock(plain("Channels", 150)))
	for _, c := range h.Channels {
		line := fmt.Sprintf("<#%s> · team %s\n*Stack:* %s\n*Hears of:* %s", c.ID, render.Escape(short(c.Team, 80)), names(c.Providers), names(c.Subscriptions))
		if c.Paused != "" {
			line += "\n*Paused:* " + render.Escape(short(c.Paused, 300))
		}
		blocks = append(blocks, section(line))
	}
	if len(h.Channels) == 0 {
		blocks = append(blocks, section("No channel is set up yet. In a channel: `/feed stack import`, then `/feed subscribe stack`."))
	}
	return blocks
}

func names(list []string) string {
	if len(list) == 0 {
		return "nothing yet"
	}
	more := ""
	if len(list) > 20 {
		list, more = list[:20], fmt.Sprintf(" and %d more", len(list)-20)
	}
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = render.Escape(short(n, 60))
	}
	return strings.Join(out, ", ") + more
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
