package slack

import (
	"context"
	"strings"

	slackgo "github.com/slack-go/slack"

	"downwind/chat"
)

// shortcutStack is the callback_id of the message shortcut.
const shortcutStack = "stack_from_message"

// interaction takes a click, a shortcut or a submitted dialog; what it returns goes out with the acknowledgement.
func (a *App) interaction(i slackgo.InteractionCallback) any {
	switch i.Type {
	case slackgo.InteractionTypeBlockActions:
		a.clicked(i)
	case slackgo.InteractionTypeMessageAction:
		if i.CallbackID == shortcutStack {
			a.shortcut(i)
		}
	case slackgo.InteractionTypeViewSubmission:
		return a.submitted(i)
	}
	return nil
}

func replyOf(i slackgo.InteractionCallback) reply {
	to := reply{
		workspace: i.Team.ID, channel: i.Channel.ID, channelName: i.Channel.Name, user: i.User.ID, url: i.ResponseURL, trigger: i.TriggerID,
	}
	if to.channel == "" {
		to.channel = i.Container.ChannelID
	}
	if to.workspace == "" {
		to.workspace = i.User.TeamID
	}
	return to
}

func userName(u slackgo.User) string {
	if u.Name != "" {
		return u.Name
	}
	return u.Profile.DisplayName
}

// clicked carries out every action of a click. Link buttons ("open:…") only need the acknowledgement.
func (a *App) clicked(i slackgo.InteractionCallback) {
	to := replyOf(i)
	if !i.Container.IsEphemeral && i.Container.MessageTs != "" {
		to.thread = i.Container.ThreadTs
		if to.thread == "" {
			to.thread = i.Container.MessageTs
		}
	}
	for _, act := range i.ActionCallback.BlockActions {
		if act == nil || strings.HasPrefix(act.ActionID, "open:") || to.channel == "" {
			continue
		}
		click := chat.Click{ID: act.ActionID, Message: i.Container.MessageTs}
		for _, o := range act.SelectedOptions {
			click.Values = append(click.Values, o.Value)
		}
		if act.SelectedOption.Value != "" {
			click.Values = append(click.Values, act.SelectedOption.Value)
		}
		ok := a.start(func(ctx context.Context) {
			who := a.caller(ctx, to, userName(i.User), i.User.TeamID)
			a.answer(ctx, to, a.o.Handler.Click(ctx, who, click))
		})
		if !ok {
			a.o.Logger.Warn("slack: a click was refused, too much is going on", "workspace", to.workspace)
		}
	}
}

// shortcut reads the files of the message it was used on.
func (a *App) shortcut(i slackgo.InteractionCallback) {
	to := replyOf(i)
	a.start(func(ctx context.Context) {
		who := a.caller(ctx, to, userName(i.User), i.User.TeamID)
		a.answer(ctx, to, a.imported(ctx, who, i.Message.Files, "", true))
	})
}

// imported downloads files and hands them on; the bytes go no further than that.
func (a *App) imported(ctx context.Context, who chat.Caller, files []slackgo.File, domains string, store bool) chat.Answer {
	return a.o.Handler.Import(ctx, who, a.download(ctx, who.Workspace, files), domains, store)
}
